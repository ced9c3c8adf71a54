/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * convolution and dynamic_conv. Both operands are transposed to one order (batch,
 * positions, features). The windows of a block of output positions are copied into
 * the rows of a matrix (im2col), which is multiplied with the matrix of kernels.
 */

#include "reference/move/box.h"
#include "reference/algebra/contract.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"

#include <string.h>

#define BLOCK_NUMBERS ((gsize) 1 << 18)     /* size of a block of window rows: 2 MiB */

typedef struct
{
  GhloRefCall    *call;
  guint           spatial;                                        /* number of spatial dimensions */
  gint64          input[GHLO_MAX_RANK], kernel[GHLO_MAX_RANK], output[GHLO_MAX_RANK];
  gint64          step[GHLO_MAX_RANK], low[GHLO_MAX_RANK], high[GHLO_MAX_RANK];
  gint64          input_dilation[GHLO_MAX_RANK], kernel_dilation[GHLO_MAX_RANK];
  gboolean        reversed[GHLO_MAX_RANK];
  gint64          batch, features;                                /* of the input */
  gint64          kernel_features, output_features;               /* of the kernel */
  gint64          feature_groups, batch_groups;
  /* Each tensor's dimensions in the order batch, positions, features. */
  gint64          input_order[GHLO_MAX_RANK], kernel_order[GHLO_MAX_RANK], output_order[GHLO_MAX_RANK];

  GhloRefNumeric  numeric;
  GhloElementType result_type;
  gpointer        lhs[2], rhs[2];     /* owned planes: [batch][positions][features] and [out
                                       * features][taps][features] */
  gsize           n_positions, n_taps, n_outputs;
  gint64         *taps[GHLO_MAX_RANK];  /* for each spatial dimension: the input offset of each tap, or -1 for
                                         * padding */
  gint64         *tap_memory;         /* owned */
  gint64          position_strides[GHLO_MAX_RANK];
  gpointer        rows[2];            /* owned planes of a block of windows */
  guint8         *product;            /* owned */
  guint8         *result;             /* owned; [batch][positions][features] of result_type */
} Convolution;

static void
convolution_clear (Convolution *self)
{
  g_free (self->lhs[0]);
  g_free (self->rhs[0]);
  g_free (self->rows[0]);
  g_free (self->tap_memory);
  g_free (self->product);
  g_free (self->result);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Convolution, convolution_clear)

/* Reads the order (first, spatial…, last) of a tensor's dimensions. Each dimension must occur once. */
static gboolean
read_order (Convolution      *self,
            const GhloIrAttr *attr,
            const char       *first,
            const char       *spatial,
            const char       *last,
            gint64           *order,
            GError          **error)
{
  guint64 seen = 0;
  const gint64 *positions;
  gsize n;

  positions = ghlo_ir_struct_get_dims (attr, spatial, &n);
  if (n != self->spatial)
    return ghlo_ref_fail (self->call, error, "expected %u of %s, found %" G_GSIZE_FORMAT, self->spatial, spatial, n);
  order[0] = ghlo_ir_struct_get_int (attr, first);
  for (guint i = 0; i < self->spatial; i++)
    order[1 + i] = positions[i];
  order[1 + self->spatial] = ghlo_ir_struct_get_int (attr, last);
  for (guint i = 0; i < self->spatial + 2; i++)
    {
      if (order[i] < 0 || order[i] >= self->spatial + 2 || (seen >> order[i] & 1) != 0)
        return ghlo_ref_fail (self->call, error, "expected different dimensions below %u, found %" G_GINT64_FORMAT,
                              self->spatial + 2, order[i]);
      seen |= (guint64) 1 << order[i];
    }
  return TRUE;
}

static gboolean
read_positive (Convolution *self,
               const char  *name,
               gint64      *values,
               GError     **error)
{
  gsize n;
  g_autofree gint64 *given = ghlo_ir_op_dup_ints (self->call->op, name, &n);

  if (given != NULL && n != self->spatial)
    return ghlo_ref_fail (self->call, error, "expected %u values of %s, found %" G_GSIZE_FORMAT,
                          self->spatial, name, n);
  for (guint i = 0; i < self->spatial; i++)
    {
      values[i] = given != NULL ? given[i] : 1;
      if (values[i] < 1)
        return ghlo_ref_fail (self->call, error, "expected %s of at least 1, found %" G_GINT64_FORMAT, name, values[i]);
    }
  return TRUE;
}

/* @padding has two values for each spatial dimension; NULL means no padding. */
static gboolean
read_window (Convolution  *self,
             const gint64 *padding,
             gsize         n_padding,
             GError      **error)
{
  const gint64 *reversal;
  gsize n;

  if (padding != NULL && n_padding != 2 * (gsize) self->spatial)
    return ghlo_ref_fail (self->call, error, "expected %u pairs of padding", self->spatial);
  reversal = ghlo_ir_op_get_ints (self->call->op, "window_reversal", &n);
  for (guint i = 0; i < self->spatial; i++)
    {
      self->low[i] = padding != NULL ? padding[2 * i] : 0;
      self->high[i] = padding != NULL ? padding[2 * i + 1] : 0;
      self->reversed[i] = reversal != NULL && i < n && reversal[i] != 0;
    }
  return read_positive (self, "window_strides", self->step, error)
         && read_positive (self, "lhs_dilation", self->input_dilation, error)
         && read_positive (self, "rhs_dilation", self->kernel_dilation, error);
}

static gboolean
count_outputs (Convolution *self,
               guint        d,
               GError     **error)
{
  gint64 dilated = 0, padded, reach;

  if (self->kernel[d] < 1)
    return ghlo_ref_fail (self->call, error, "expected a kernel of at least one element in spatial dimension %u", d);
  if ((self->input[d] > 0 && (__builtin_mul_overflow (self->input[d] - 1, self->input_dilation[d], &dilated)
                              || __builtin_add_overflow (dilated, 1, &dilated)))
      || __builtin_add_overflow (dilated, self->low[d], &padded)
      || __builtin_add_overflow (padded, self->high[d], &padded)
      || __builtin_mul_overflow (self->kernel[d] - 1, self->kernel_dilation[d], &reach)
      || __builtin_add_overflow (reach, 1, &reach))
    return ghlo_ref_fail (self->call, error, "the sizes in spatial dimension %u overflow", d);
  self->output[d] = padded <= 0 || reach > padded ? 0 : (padded - reach) / self->step[d] + 1;
  return TRUE;
}

static gboolean
read_sizes (Convolution *self,
            GError     **error)
{
  const gint64 *lhs = ghlo_ref_dims (self->call->operands[0]);
  const gint64 *rhs = ghlo_ref_dims (self->call->operands[1]);
  guint last = self->spatial + 1;

  for (guint i = 0; i < self->spatial; i++)
    {
      self->input[i] = lhs[self->input_order[1 + i]];
      self->kernel[i] = rhs[self->kernel_order[1 + i]];
      if (!count_outputs (self, i, error))
        return FALSE;
    }
  self->batch = lhs[self->input_order[0]];
  self->features = lhs[self->input_order[last]];
  self->output_features = rhs[self->kernel_order[0]];
  self->kernel_features = rhs[self->kernel_order[last]];
  self->feature_groups = ghlo_ir_op_get_int (self->call->op, "feature_group_count", 1);
  self->batch_groups = ghlo_ir_op_get_int (self->call->op, "batch_group_count", 1);
  if (self->feature_groups < 1 || self->batch_groups < 1
      || (self->feature_groups > 1 && self->batch_groups > 1)
      || self->features % self->feature_groups != 0 || self->batch % self->batch_groups != 0
      || self->output_features % self->feature_groups != 0 || self->output_features % self->batch_groups != 0)
    return ghlo_ref_fail (self->call, error, "expected groups that divide the features and the batch");
  if (self->kernel_features != self->features / self->feature_groups)
    return ghlo_ref_fail (self->call, error, "expected a kernel of %" G_GINT64_FORMAT " input features, found %"
                          G_GINT64_FORMAT, self->features / self->feature_groups, self->kernel_features);
  return TRUE;
}

static gboolean
convolution_init (Convolution  *self,
                  GhloRefCall  *call,
                  const gint64 *padding,
                  gsize         n_padding,
                  GError      **error)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (call->op, "dimension_numbers");
  guint rank = ghlo_ref_rank (call->operands[0]);

  self->call = call;
  if (rank < 2 || ghlo_ref_rank (call->operands[1]) != rank)
    return ghlo_ref_fail (call, error, "expected operands of one rank of at least 2");
  self->spatial = rank - 2;
  return read_order (self, attr, "input_batch_dimension", "input_spatial_dimensions", "input_feature_dimension",
                     self->input_order, error)
         && read_order (self, attr, "kernel_output_feature_dimension", "kernel_spatial_dimensions",
                        "kernel_input_feature_dimension", self->kernel_order, error)
         && read_order (self, attr, "output_batch_dimension", "output_spatial_dimensions",
                        "output_feature_dimension", self->output_order, error)
         && read_window (self, padding, n_padding, error)
         && read_sizes (self, error);
}

/* Reads an operand's elements in @order, as planes. */
static gboolean
read_operand (Convolution     *self,
              const GhloValue *value,
              const guint8    *data,
              GhloElementType  type,
              const gint64    *order,
              gpointer        *planes,
              GError         **error)
{
  gint64 dimensions[GHLO_MAX_RANK], own[GHLO_MAX_RANK], from[GHLO_MAX_RANK], to[GHLO_MAX_RANK];
  gsize size = ghlo_element_info (type)->size;
  guint n_planes = ghlo_ref_numeric_planes (&self->numeric);
  g_autofree guint8 *ordered = NULL;

  planes[0] = ghlo_ref_scratch (value->n_elements, n_planes * sizeof (double), error);
  if (planes[0] == NULL)
    return FALSE;
  planes[1] = (double *) planes[0] + (n_planes - 1) * value->n_elements;
  if (value->n_elements == 0)
    return TRUE;

  ordered = ghlo_ref_scratch (value->n_elements, size, error);
  if (ordered == NULL)
    return FALSE;
  ghlo_ref_strides (ghlo_ref_dims (value), self->spatial + 2, own);
  for (guint i = 0; i < self->spatial + 2; i++)
    {
      dimensions[i] = ghlo_ref_dims (value)[order[i]];
      from[i] = own[order[i]];
    }
  ghlo_ref_strides (dimensions, self->spatial + 2, to);

  return ghlo_ref_copy (self->call, size, self->spatial + 2, dimensions, ordered, to, data, from, error)
         && ghlo_ref_numeric_read (&self->numeric, self->call, type, ordered, value->n_elements, planes, error);
}

static gboolean
read_operands (Convolution     *self,
               const GhloValue *result,
               GError         **error)
{
  const GhloValue *lhs = self->call->operands[0];
  const GhloValue *rhs = self->call->operands[1];
  g_autofree guint8 *owned_lhs = NULL;
  g_autofree guint8 *owned_rhs = NULL;
  GhloElementType lhs_type, rhs_type;
  const guint8 *lhs_data = ghlo_ref_plain_numbers (lhs, &lhs_type, &owned_lhs, error);
  const guint8 *rhs_data = NULL;

  if (lhs_data != NULL || lhs->n_elements == 0)
    rhs_data = ghlo_ref_plain_numbers (rhs, &rhs_type, &owned_rhs, error);
  if ((lhs_data == NULL && lhs->n_elements > 0) || (rhs_data == NULL && rhs->n_elements > 0))
    return FALSE;

  self->result_type = result->type->quantization != NULL ? GHLO_ELEMENT_TYPE_F64 : result->type->element_type;
  self->numeric = ghlo_ref_numeric (lhs_type, rhs_type, self->result_type,
                                    self->n_taps * (gsize) self->kernel_features);
  return read_operand (self, lhs, lhs_data, lhs_type, self->input_order, self->lhs, error)
         && read_operand (self, rhs, rhs_data, rhs_type, self->kernel_order, self->rhs, error);
}

/* Computes the input offsets of the taps of the window at output position @at, for each spatial dimension. */
static gboolean
move_taps (Convolution   *self,
           const gint64  *at,
           GError       **error)
{
  for (guint d = 0; d < self->spatial; d++)
    {
      gint64 start = at[d] * self->step[d];

      for (gint64 k = 0; k < self->kernel[d]; k++)
        {
          gint64 tap = self->reversed[d] ? self->kernel[d] - 1 - k : k;
          gint64 position;
          gboolean is_far = __builtin_sub_overflow (start + tap * self->kernel_dilation[d], self->low[d], &position);
          gint64 place = position / self->input_dilation[d];

          if (is_far || position < 0 || position % self->input_dilation[d] != 0 || place >= self->input[d])
            self->taps[d][k] = -1;
          else
            self->taps[d][k] = place * self->position_strides[d];
          if (!ghlo_ref_work (self->call, 1, error))
            return FALSE;
        }
    }

  return TRUE;
}

/* Copies the window's numbers of one feature group, tap by tap, to row @row of each plane. */
static gboolean
fill_row (Convolution *self,
          gint64       image,
          gint64       first_feature,
          gsize        row,
          GError     **error)
{
  gint64 tap[GHLO_MAX_RANK] = { 0 };
  gsize n = (gsize) self->kernel_features;
  gsize to = row * self->n_taps * n;

  do
    {
      gint64 place = 0;

      if (!ghlo_ref_work (self->call, n, error))
        return FALSE;
      for (guint d = 0; d < self->spatial && place >= 0; d++)
        place = self->taps[d][tap[d]] < 0 ? -1 : place + self->taps[d][tap[d]];
      for (guint p = 0; p < ghlo_ref_numeric_planes (&self->numeric); p++)
        {
          guint64 *numbers = (guint64 *) self->rows[p] + to;
          const guint64 *plane = self->lhs[p];

          if (place < 0)
            memset (numbers, 0, n * sizeof (guint64));
          else
            memcpy (numbers,
                    plane + ((image * (gint64) self->n_positions + place) * self->features + first_feature),
                    n * sizeof (guint64));
        }
      to += n;
    }
  while (ghlo_ref_next_index (tap, self->kernel, self->spatial));

  return TRUE;
}

/* Multiplies the @n filled rows with the kernels of @group and stores the products from output row @first on. */
static gboolean
multiply_rows (Convolution *self,
               gint64       group,
               gsize        first,
               gsize        n,
               GError     **error)
{
  gsize size = ghlo_element_info (self->result_type)->size;
  gsize k = self->n_taps * (gsize) self->kernel_features;
  gsize features = (gsize) (self->output_features / (self->feature_groups * self->batch_groups));
  gpointer kernels[2];

  for (guint p = 0; p < 2; p++)
    kernels[p] = (guint64 *) self->rhs[p] + (gsize) group * features * k;
  if (!ghlo_ref_numeric_gemm (&self->numeric, self->call, n, features, k, self->rows, kernels,
                              self->result_type, self->product, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    memcpy (self->result + ((first + i) * (gsize) self->output_features + (gsize) group * features) * size,
            self->product + i * features * size, features * size);
  return TRUE;
}

static gboolean
run_group (Convolution *self,
           gint64       group,
           gsize        block,
           GError     **error)
{
  gint64 images = self->batch / self->batch_groups;
  gint64 first_image = self->batch_groups > 1 ? group * images : 0;
  gint64 first_feature = self->feature_groups > 1 ? group * self->kernel_features : 0;
  gsize row = 0, filled = 0;

  for (gint64 image = 0; image < images; image++)
    {
      gint64 at[GHLO_MAX_RANK] = { 0 };

      for (gsize o = 0; o < self->n_outputs; o++)
        {
          if (!move_taps (self, at, error) || !fill_row (self, first_image + image, first_feature, filled++, error))
            return FALSE;
          if (filled == block)
            {
              if (!multiply_rows (self, group, row, filled, error) || !ghlo_ref_continue (self->call, error))
                return FALSE;
              row += filled;
              filled = 0;
            }
          ghlo_ref_next_index (at, self->output, self->spatial);
        }
    }
  return filled == 0 || multiply_rows (self, group, row, filled, error);
}

static gboolean
prepare_memory (Convolution *self,
                gsize       *block,
                GError     **error)
{
  gsize k = self->n_taps * (gsize) self->kernel_features;
  gsize rows = (gsize) (self->batch / self->batch_groups) * self->n_outputs;
  gsize features = (gsize) (self->output_features / (self->feature_groups * self->batch_groups));
  gsize size = ghlo_element_info (self->result_type)->size;
  guint n_planes = ghlo_ref_numeric_planes (&self->numeric);
  gsize taps = 0;

  *block = CLAMP (BLOCK_NUMBERS / MAX (k, 1), 1, MAX (rows, 1));
  for (guint d = 0; d < self->spatial; d++)
    taps += (gsize) self->kernel[d];
  self->tap_memory = ghlo_ref_scratch (taps, sizeof (gint64), error);
  if (self->tap_memory != NULL)
    self->rows[0] = ghlo_ref_scratch (*block * MAX (k, 1), n_planes * sizeof (double), error);
  if (self->rows[0] != NULL)
    self->product = ghlo_ref_scratch (*block * features, size, error);
  if (self->product != NULL)
    self->result = ghlo_ref_scratch (rows * (gsize) self->output_features, size, error);
  if (self->result == NULL)
    return FALSE;

  self->rows[1] = (double *) self->rows[0] + (n_planes - 1) * *block * k;
  taps = 0;
  for (guint d = 0; d < self->spatial; d++)
    {
      self->taps[d] = self->tap_memory + taps;
      taps += (gsize) self->kernel[d];
    }
  ghlo_ref_strides (self->input, self->spatial, self->position_strides);
  return TRUE;
}

/* Transposes from (batch, positions, features) to the result's own order. */
static gboolean
store_result (Convolution *self,
              GhloValue   *result,
              GError     **error)
{
  gint64 dimensions[GHLO_MAX_RANK], own[GHLO_MAX_RANK], to[GHLO_MAX_RANK], from[GHLO_MAX_RANK];
  g_autofree double *reals = NULL;
  guint8 *place = result->data;

  if (result->type->quantization != NULL)
    {
      reals = ghlo_ref_scratch (result->n_elements, sizeof (double), error);
      if (reals == NULL)
        return FALSE;
      place = (guint8 *) reals;
    }
  ghlo_ref_strides (ghlo_ref_dims (result), self->spatial + 2, own);
  for (guint i = 0; i < self->spatial + 2; i++)
    {
      dimensions[i] = ghlo_ref_dims (result)[self->output_order[i]];
      to[i] = own[self->output_order[i]];
    }
  ghlo_ref_strides (dimensions, self->spatial + 2, from);
  if (!ghlo_ref_copy (self->call, ghlo_element_info (self->result_type)->size, self->spatial + 2, dimensions,
                      place, to, self->result, from, error))
    return FALSE;
  if (reals != NULL)
    ghlo_ref_value_set_reals (result, reals);
  return TRUE;
}

static gboolean
convolve (GhloRefCall  *call,
          const gint64 *padding,
          gsize         n_padding,
          GError      **error)
{
  g_auto (Convolution) self = { 0 };
  gint64 dimensions[GHLO_MAX_RANK];
  GhloValue *result;
  gsize block;

  if (!convolution_init (&self, call, padding, n_padding, error))
    return FALSE;
  dimensions[self.output_order[0]] = self.batch / self.batch_groups;
  dimensions[self.output_order[1 + self.spatial]] = self.output_features;
  for (guint i = 0; i < self.spatial; i++)
    dimensions[self.output_order[1 + i]] = self.output[i];
  result = ghlo_ref_result (call, 0, dimensions, self.spatial + 2, error);
  if (result == NULL || result->n_elements == 0)
    return result != NULL;

  if (!ghlo_shape_count (self.input, self.spatial, &self.n_positions)
      || !ghlo_shape_count (self.kernel, self.spatial, &self.n_taps)
      || !ghlo_shape_count (self.output, self.spatial, &self.n_outputs))
    return ghlo_ref_fail (call, error, "the number of positions overflows");
  if (!read_operands (&self, result, error) || !prepare_memory (&self, &block, error))
    return FALSE;
  for (gint64 group = 0; group < self.feature_groups * self.batch_groups; group++)
    if (!run_group (&self, group, block, error))
      return FALSE;
  return store_result (&self, result, error);
}

gboolean
ghlo_ref_convolution (GhloRefCall *call,
                      GError     **error)
{
  gsize n;
  g_autofree gint64 *padding = ghlo_ir_op_dup_ints (call->op, "padding", &n);

  return convolve (call, padding, n, error);
}

gboolean
ghlo_ref_dynamic_conv (GhloRefCall *call,
                       GError     **error)
{
  g_autofree gint64 *padding = ghlo_ref_read_indices (call, call->operands[2], error);

  return padding != NULL && convolve (call, padding, call->operands[2]->n_elements, error);
}
