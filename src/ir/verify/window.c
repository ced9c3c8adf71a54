/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows: their attributes, the shapes inferred from them, and the verifiers
 * of reduce_window and select_and_scatter. Sizes, dilations and padding come
 * from the program, so every step of their arithmetic is checked for overflow.
 */

#include "ir/verify/window.h"

#include "ir/verify/reduce.h"

/* Reads an optional array with one value for each window dimension. *values is NULL if the array is absent or empty. */
static gboolean
read_window_values (GhloIrVerifier  *verifier,
                    const GhloIrOp  *op,
                    const char      *name,
                    gsize            rank,
                    const gint64   **values)
{
  gsize n = 0;

  *values = name != NULL ? ghlo_ir_op_get_ints (op, name, &n) : NULL;
  if (n == 0)
    *values = NULL;
  else if (n != rank)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected %s of one value for each of %" G_GSIZE_FORMAT
                                " window dimensions, found %" G_GSIZE_FORMAT, name, rank, n);

  return TRUE;
}

static gboolean
verify_positive (GhloIrVerifier *verifier,
                 const GhloIrOp *op,
                 const char     *name,
                 gsize           index,
                 gint64          value)
{
  if (value > 0)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op,
                              "expected a positive %s of window dimension %" G_GSIZE_FORMAT ", found %" G_GINT64_FORMAT,
                              name, index, value);
}

gboolean
ghlo_ir_verify_window (GhloIrVerifier          *verifier,
                       const GhloIrOp          *op,
                       const gint64            *sizes,
                       gsize                    rank,
                       const GhloIrWindowNames *names,
                       GhloIrWindow            *window)
{
  const gint64 *strides, *base_dilations, *window_dilations, *reversal;

  if (rank > GHLO_MAX_RANK)
    return ghlo_ir_verify_fail (verifier, op, "expected at most %u window dimensions, found %" G_GSIZE_FORMAT,
                                GHLO_MAX_RANK, rank);
  if (!read_window_values (verifier, op, names->strides, rank, &strides)
      || !read_window_values (verifier, op, names->base_dilations, rank, &base_dilations)
      || !read_window_values (verifier, op, names->window_dilations, rank, &window_dilations)
      || !read_window_values (verifier, op, names->reversal, rank, &reversal))
    return FALSE;

  window->rank = rank;
  for (gsize i = 0; i < rank; i++)
    {
      window->dims[i] = (GhloIrWindowDim) {
        .size = sizes[i],
        .stride = strides != NULL ? strides[i] : 1,
        .base_dilation = base_dilations != NULL ? base_dilations[i] : 1,
        .window_dilation = window_dilations != NULL ? window_dilations[i] : 1,
      };
      if ((sizes[i] != GHLO_DYNAMIC && !verify_positive (verifier, op, "size", i, sizes[i]))
          || !verify_positive (verifier, op, "stride", i, window->dims[i].stride)
          || !verify_positive (verifier, op, "base dilation", i, window->dims[i].base_dilation)
          || !verify_positive (verifier, op, "window dilation", i, window->dims[i].window_dilation))
        return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_ir_verify_window_padding (GhloIrVerifier *verifier,
                               const GhloIrOp *op,
                               GhloIrWindow   *window)
{
  const GhloIrAttr *padding = ghlo_ir_op_get (op, "padding");
  const GhloIrType *type = padding != NULL ? padding->type : NULL;

  if (padding == NULL)
    return TRUE;
  if (type->rank != 2 || type->dimensions[1] != 2)
    {
      g_autofree char *found = ghlo_ir_type_to_string (type);

      return ghlo_ir_verify_fail (verifier, op, "expected padding of shape (N, 2), found %s", found);
    }
  if (type->dimensions[0] == 0)
    return TRUE;
  if (type->dimensions[0] != window->rank)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected padding of one pair for each of %u window dimensions, found %"
                                G_GINT64_FORMAT, window->rank, type->dimensions[0]);

  for (guint i = 0; i < window->rank; i++)
    {
      window->dims[i].padding_low = ghlo_ir_dense_get (padding, 2 * i).i;
      window->dims[i].padding_high = ghlo_ir_dense_get (padding, 2 * i + 1).i;
    }

  return TRUE;
}

/* The extent of @size elements at a distance of @dilation. */
static gboolean
dilate (gint64  size,
        gint64  dilation,
        gint64 *result)
{
  *result = 0;

  return size == 0
         || (!__builtin_mul_overflow (size - 1, dilation, result) && !__builtin_add_overflow (*result, 1, result));
}

gboolean
ghlo_ir_verify_window_count (GhloIrVerifier     *verifier,
                             const GhloIrOp     *op,
                             const GhloIrWindow *window,
                             guint               index,
                             gint64              base,
                             gint64             *count)
{
  const GhloIrWindowDim *dim = &window->dims[index];
  gint64 extent, reach;

  *count = GHLO_DYNAMIC;
  if (base < 0 || dim->size < 0)
    return TRUE;

  if (!dilate (base, dim->base_dilation, &extent)
      || __builtin_add_overflow (extent, dim->padding_low, &extent)
      || __builtin_add_overflow (extent, dim->padding_high, &extent)
      || !dilate (dim->size, dim->window_dilation, &reach))
    return ghlo_ir_verify_fail (verifier, op,
                                "expected a padded and dilated extent within 63 bits of window dimension %u, found %"
                                G_GINT64_FORMAT " elements dilated by %" G_GINT64_FORMAT " and padded by %"
                                G_GINT64_FORMAT " and %" G_GINT64_FORMAT ", and a window of %" G_GINT64_FORMAT
                                " dilated by %" G_GINT64_FORMAT, index, base, dim->base_dilation, dim->padding_low,
                                dim->padding_high, dim->size, dim->window_dilation);
  *count = extent <= 0 || reach > extent ? 0 : (extent - reach) / dim->stride + 1;

  return TRUE;
}

/* Infers the number of window positions along each dimension of @type. */
static gboolean
infer_counts (GhloIrVerifier     *verifier,
              const GhloIrOp     *op,
              const GhloIrWindow *window,
              const GhloIrType   *type,
              GhloIrShape        *shape)
{
  ghlo_ir_shape_init (shape, window->rank);
  for (guint i = 0; i < window->rank; i++)
    if (!ghlo_ir_verify_window_count (verifier, op, window, i, type->dimensions[i], &shape->dimensions[i])
        || !ghlo_ir_verify_window_count (verifier, op, window, i, ghlo_ir_type_bound (type, i), &shape->bounds[i]))
      return FALSE;

  return TRUE;
}

/* Reads "window_dimensions" and the other attributes of a window over operand 0. */
static gboolean
read_window (GhloIrVerifier          *verifier,
             const GhloIrOp          *op,
             const GhloIrWindowNames *names,
             GhloIrWindow            *window)
{
  const GhloIrType *type = ghlo_ir_operand_type (op, 0);
  gsize n;
  const gint64 *sizes = ghlo_ir_op_get_ints (op, "window_dimensions", &n);

  if (n != type->rank)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected window_dimensions of one value for each of %u dimensions of the operand,"
                                " found %" G_GSIZE_FORMAT, type->rank, n);
  for (gsize i = 0; i < n; i++)
    if (!verify_positive (verifier, op, "size", i, sizes[i]))
      return FALSE;

  return ghlo_ir_verify_window (verifier, op, sizes, n, names, window)
         && ghlo_ir_verify_window_padding (verifier, op, window);
}

gboolean
ghlo_ir_verify_reduce_window (GhloIrVerifier *verifier,
                              const GhloIrOp *op)
{
  static const GhloIrWindowNames names = { "window_strides", "base_dilations", "window_dilations", NULL };
  guint n = op->n_operands / 2;
  gint64 sizes[GHLO_MAX_RANK];
  GhloIrReducer reducer;
  GhloIrReturned returned;
  GhloIrWindow window;
  GhloIrShape shape;

  if (n == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected at least one input, found none");
  if (!ghlo_ir_verify_same_shapes (verifier, op, 0, n, "inputs")
      || !read_window (verifier, op, &names, &window))
    return FALSE;

  for (guint i = 0; i < window.rank; i++)
    sizes[i] = window.dims[i].size;
  reducer = (GhloIrReducer) {
    .n = n, .inputs = op->operands, .inits = op->operands + n, .dims = sizes, .n_dims = window.rank,
  };
  if (!ghlo_ir_verify_reducer (verifier, op, &reducer) || !ghlo_ir_verify_result_count (verifier, op, n))
    return FALSE;

  returned = ghlo_ir_region_returned (op, 0);
  for (guint i = 0; i < n; i++)
    if (!infer_counts (verifier, op, &window, ghlo_ir_operand_type (op, i), &shape)
        || !ghlo_ir_verify_inferred (verifier, op, i, &shape, ghlo_ir_returned_type (&returned, i)))
      return FALSE;

  return TRUE;
}

/* Checks the region that selects one of two elements. */
static gboolean
verify_select (GhloIrVerifier *verifier,
               const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  GhloIrReturned returned = ghlo_ir_region_returned (op, 0);

  if (block->n_arguments != 2)
    return ghlo_ir_verify_fail (verifier, op, "expected the select region to take 2 arguments, found %u",
                                block->n_arguments);
  for (guint i = 0; i < 2; i++)
    {
      const GhloIrType *type = block->arguments[i]->type;
      g_autofree char *found = NULL;

      if (type->kind == GHLO_IR_TYPE_TENSOR && type->rank == 0 && ghlo_ir_same_element_or_floats (operand, type))
        continue;
      found = ghlo_ir_type_to_string (type);
      return ghlo_ir_verify_fail (verifier, op,
                                  "expected argument %u of the select region to be a scalar of the operand's element"
                                  " type, found %s", i, found);
    }
  if (returned.n != 1)
    return ghlo_ir_verify_fail (verifier, op, "expected the select region to return one value, found %u", returned.n);
  if (!ghlo_ir_type_is_scalar (ghlo_ir_returned_type (&returned, 0), GHLO_ELEMENT_TYPE_I1))
    {
      g_autofree char *found = ghlo_ir_type_to_string (ghlo_ir_returned_type (&returned, 0));

      return ghlo_ir_verify_fail (verifier, op, "expected the select region to return tensor<i1>, found %s", found);
    }

  return TRUE;
}

/* Checks that the source has one element for each position of the window. */
static gboolean
verify_source (GhloIrVerifier *verifier,
               const GhloIrOp *op)
{
  static const GhloIrWindowNames names = { "window_strides", NULL, NULL, NULL };
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *source = ghlo_ir_operand_type (op, 1);
  g_autofree char *found = NULL;
  g_autoptr (GString) expected = NULL;
  GhloIrWindow window;
  GhloIrShape shape;

  if (!read_window (verifier, op, &names, &window)
      || !infer_counts (verifier, op, &window, operand, &shape))
    return FALSE;
  if (ghlo_ir_extents_compatible (shape.dimensions, shape.rank, source->dimensions, source->rank)
      && ghlo_ir_same_element_or_floats (operand, source))
    return TRUE;

  expected = g_string_new (NULL);
  ghlo_ir_shape_append (&shape, expected);
  found = ghlo_ir_type_to_string (source);

  return ghlo_ir_verify_fail (verifier, op,
                              "expected a source of shape %s with the operand's element type, found %s",
                              shape.rank > 0 ? expected->str : "()", found);
}

gboolean
ghlo_ir_verify_select_and_scatter (GhloIrVerifier *verifier,
                                   const GhloIrOp *op)
{
  const GhloIrReducer scatter = {
    .region = 1, .n = 1, .inputs = op->operands + 1, .inits = op->operands + 2,
  };

  return verify_select (verifier, op)
         && ghlo_ir_verify_reducer (verifier, op, &scatter)
         && verify_source (verifier, op)
         && ghlo_ir_verify_reduced_like (verifier, op, 0, ghlo_ir_operand_type (op, 0), 1, 0);
}
