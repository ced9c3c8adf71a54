/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads windows, whatever an operation calls their numbers.
 */

#include "ir/window.h"

/* The attributes of an operation's window; NULL for those that it does not have. */
typedef struct
{
  const char *sizes, *strides, *base_dilations, *window_dilations, *reversal;
  const char *padding;                  /* pairs of low and high */
  const char *low, *high, *interior;
} Names;

static const Names convolution_names = {
  NULL, "window_strides", "lhs_dilation", "rhs_dilation", "window_reversal", "padding", NULL, NULL, NULL,
};

static const Names reduce_window_names = {
  "window_dimensions", "window_strides", "base_dilations", "window_dilations", NULL, "padding", NULL, NULL, NULL,
};

static const Names pad_names = {
  NULL, NULL, NULL, NULL, NULL, NULL, "edge_padding_low", "edge_padding_high", "interior_padding",
};

/* Sets @numbers to one number for each dimension, the attribute's first of @each; @other where it is absent. */
static gboolean
read_numbers (const GhloIrOp *op,
              const char     *name,
              guint           rank,
              guint           each,
              guint           first,
              gint64          other,
              gint64         *numbers)
{
  gsize n = 0;
  g_autofree gint64 *from = name != NULL ? ghlo_ir_op_dup_ints (op, name, &n) : NULL;

  if (n != 0 && n != (gsize) rank * each)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    numbers[i] = n != 0 ? from[i * each + first] : other;

  return TRUE;
}

/* The operand's dimension of each dimension of the window, the kernel's and the result's. */
typedef struct
{
  const gint64 *input, *kernel, *output;        /* NULL: the same */
} Places;

static gboolean
find_places (const GhloIrOp *op,
             guint           rank,
             Places         *places)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");
  gsize n_input, n_kernel, n_output;

  places->input = ghlo_ir_struct_get_dims (numbers, "input_spatial_dimensions", &n_input);
  places->kernel = ghlo_ir_struct_get_dims (numbers, "kernel_spatial_dimensions", &n_kernel);
  places->output = ghlo_ir_struct_get_dims (numbers, "output_spatial_dimensions", &n_output);

  return n_input == rank && n_kernel == rank && n_output == rank;
}

static gboolean
is_convolution (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_STABLEHLO_CONVOLUTION;
}

static const Names *
find_names (const GhloIrOp *op)
{
  if (is_convolution (op))
    return &convolution_names;

  return op->kind == GHLO_OP_STABLEHLO_PAD ? &pad_names : &reduce_window_names;
}

/* Sets the sizes of the window's dimensions. */
static gboolean
read_sizes (GhloIrWindow   *self,
            const GhloIrOp *op)
{
  const GhloIrType *input = ghlo_ir_op_operand (op, 0)->type, *output = op->results[0].type;
  const GhloIrType *kernel = is_convolution (op) ? ghlo_ir_op_operand (op, 1)->type : NULL;
  Places places = { 0 };
  gint64 sizes[GHLO_MAX_RANK];

  /* The elements of the source are the positions of the window that selects. */
  if (op->kind == GHLO_OP_STABLEHLO_SELECT_AND_SCATTER)
    output = ghlo_ir_op_operand (op, 1)->type;
  self->rank = kernel != NULL ? input->rank - 2 : input->rank;
  if (output->rank != input->rank || (kernel != NULL && !find_places (op, self->rank, &places))
      || !read_numbers (op, find_names (op)->sizes, self->rank, 1, 0, 1, sizes))
    return FALSE;
  for (guint i = 0; i < self->rank; i++)
    self->dims[i] = (GhloIrWindowDim) {
      .input = input->dimensions[kernel != NULL ? places.input[i] : i],
      .output = output->dimensions[kernel != NULL ? places.output[i] : i],
      .size = kernel != NULL ? kernel->dimensions[places.kernel[i]] : sizes[i],
    };

  return TRUE;
}

static gboolean
read_distances (GhloIrWindow   *self,
                const GhloIrOp *op)
{
  const Names *names = find_names (op);
  gint64 strides[GHLO_MAX_RANK], base[GHLO_MAX_RANK], window[GHLO_MAX_RANK], reversal[GHLO_MAX_RANK];
  gint64 interior[GHLO_MAX_RANK];

  if (!read_numbers (op, names->strides, self->rank, 1, 0, 1, strides)
      || !read_numbers (op, names->base_dilations, self->rank, 1, 0, 1, base)
      || !read_numbers (op, names->window_dilations, self->rank, 1, 0, 1, window)
      || !read_numbers (op, names->reversal, self->rank, 1, 0, 0, reversal)
      || !read_numbers (op, names->interior, self->rank, 1, 0, 0, interior))
    return FALSE;
  for (guint i = 0; i < self->rank; i++)
    {
      GhloIrWindowDim *dim = &self->dims[i];
      gint64 base_dilation = dim->input > 1 ? base[i] : 1;

      if (dim->input > 1 && __builtin_add_overflow (base_dilation, interior[i], &base_dilation))
        return FALSE;
      dim->stride = dim->output > 1 ? strides[i] : 1;
      dim->window_dilation = dim->size > 1 ? window[i] : 1;
      dim->base_dilation = base_dilation;
      dim->is_reversed = reversal[i] != 0;
    }

  return TRUE;
}

static gboolean
read_padding (GhloIrWindow   *self,
              const GhloIrOp *op)
{
  const Names *names = find_names (op);
  gboolean has_pairs = names->padding != NULL;
  gint64 low[GHLO_MAX_RANK], high[GHLO_MAX_RANK];

  if (!read_numbers (op, has_pairs ? names->padding : names->low, self->rank, has_pairs ? 2 : 1, 0, 0, low)
      || !read_numbers (op, has_pairs ? names->padding : names->high, self->rank, has_pairs ? 2 : 1, has_pairs, 0,
                        high))
    return FALSE;
  for (guint i = 0; i < self->rank; i++)
    {
      self->dims[i].padding_low = low[i];
      self->dims[i].padding_high = high[i];
    }

  return TRUE;
}

/* Whether @n elements that are @distance apart are within the limit. */
static gboolean
is_distance_near (gint64 n,
         gint64 distance)
{
  return n >= 0 && n <= GHLO_IR_MAX_REACH && distance >= 1 && distance <= GHLO_IR_MAX_REACH / MAX (n - 1, 1);
}

static gboolean
is_small (gint64 padding)
{
  return padding >= -GHLO_IR_MAX_REACH && padding <= GHLO_IR_MAX_REACH;
}

gboolean
ghlo_ir_window_is_near (const GhloIrWindowDim *self)
{
  return is_distance_near (self->input, self->base_dilation) && is_distance_near (self->size, self->window_dilation)
         && is_distance_near (self->output, self->stride) && is_small (self->padding_low)
         && is_small (self->padding_high);
}

const char *
ghlo_ir_window_read (GhloIrWindow   *self,
                     const GhloIrOp *op)
{
  if (!read_sizes (self, op) || !read_distances (self, op) || !read_padding (self, op))
    return "its window's numbers do not fit its operands";
  for (guint i = 0; i < self->rank; i++)
    if (!ghlo_ir_window_is_near (&self->dims[i]))
      return "its strides, dilations or padding exceed the size of any tensor";

  return NULL;
}

gboolean
ghlo_ir_window_fits_bytes (const GhloIrWindowDim *self,
                           gint64                 stride)
{
  const gint64 windows = self->stride * MAX (self->output, 1) + self->window_dilation * MAX (self->size, 1);
  const gint64 reach = windows + self->base_dilation * MAX (self->input, 1) + ABS (self->padding_low)
                       + ABS (self->padding_high);

  return ABS (stride) <= G_MAXINT64 / 2 / reach;
}
