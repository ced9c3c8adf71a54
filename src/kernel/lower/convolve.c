/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Convolutions whose groups have one feature each, as folds over the window: no element takes part in more results than
 * the window has elements, so that nothing is gained by the blocks of a product. The sums are in the order of the
 * window, one after the other, so larger windows are left to products, which sum in parts.
 */

#include "kernel/lower/lowering.h"

/* The most elements of a window. */
enum { MAX_WINDOW = 4096 };

/* The dimensions of the operands and the result. */
typedef struct
{
  const GhloIrAttr *numbers;
  GhloIrWindow      window;
} Convolution;

static guint
get_number (const Convolution *self,
            const char        *field)
{
  return (guint) ghlo_ir_struct_get_int (self->numbers, field);
}

static guint
get_place (const Convolution *self,
           const char        *field,
           guint              i)
{
  gsize n;

  return (guint) ghlo_ir_struct_get_dims (self->numbers, field, &n)[i];
}

static const char *
read_convolution (Convolution    *self,
                  const GhloIrOp *op)
{
  self->numbers = ghlo_ir_op_get (op, "dimension_numbers");

  return ghlo_ir_window_read (&self->window, op);
}

const char *
ghlo_lower_convolution_obstacle (const GhloIrOp *op)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");
  const gint64 groups = ghlo_ir_op_get_int (op, "feature_group_count", 1);
  const GhloIrType *lhs = ghlo_ir_op_operand (op, 0)->type, *rhs = ghlo_ir_op_operand (op, 1)->type;
  const GhloIrType *result = op->results[0].type;

  if (ghlo_ir_op_get_int (op, "batch_group_count", 1) != 1 || groups == 1
      || lhs->dimensions[ghlo_ir_struct_get_int (numbers, "input_feature_dimension")] != groups
      || result->dimensions[ghlo_ir_struct_get_int (numbers, "output_feature_dimension")] != groups)
    return "its groups have several features";

  return ghlo_ir_type_count_elements (rhs) <= (double) groups * MAX_WINDOW ? NULL : "its window has too many elements";
}

/* Returns the coordinate of dimension @dimension of the domain, times @factor, plus @offset. */
static const GhloAffine *
get_coordinate (GhloLowering *self,
                guint         dimension,
                gint64        factor,
                gint64        offset)
{
  GhloAffine affine = { .offset = offset };

  if (self->axes[dimension] >= 0)
    affine.strides[self->axes[dimension]] = factor;

  return ghlo_lower_affine (self, &affine);
}

/* Returns the element of the image under an element of the window, or zero outside of the image. */
static guint32
get_image (GhloLowering      *self,
           const GhloIrOp    *op,
           const Convolution *convolution,
           guint32            zero)
{
  const GhloIrValue *value = ghlo_ir_op_operand (op, 0);
  const guint rank = value->type->rank;
  const GhloIndex outer = ghlo_lower_origin (self, rank, NULL);
  GhloIndex index = outer;

  index.dimensions[get_number (convolution, "input_batch_dimension")] =
    get_coordinate (self, get_number (convolution, "output_batch_dimension"), 1, 0);
  index.dimensions[get_number (convolution, "input_feature_dimension")] =
    get_coordinate (self, get_number (convolution, "output_feature_dimension"), 1, 0);
  for (guint i = 0; i < convolution->window.rank; i++)
    {
      const GhloIrWindowDim *dim = &convolution->window.dims[i];
      const guint output = get_place (convolution, "output_spatial_dimensions", i);
      GhloAffine position = *get_coordinate (self, output, dim->stride, -dim->padding_low);
      const char *reason;

      if (self->axes[rank + i] >= 0)
        position.strides[self->axes[rank + i]] = dim->window_dilation;
      reason = ghlo_lower_set_position (self, value, dim, ghlo_lower_affine (self, &position),
                                        get_place (convolution, "input_spatial_dimensions", i), &index);
      if (reason != NULL)
        return ghlo_lower_refuse (self, reason);
    }

  return ghlo_lower_guarded (self, value, &index, &outer, zero);
}

static guint32
get_weight (GhloLowering      *self,
            const GhloIrOp    *op,
            const Convolution *convolution)
{
  const GhloIrValue *value = ghlo_ir_op_operand (op, 1);
  const guint rank = value->type->rank;
  GhloIndex index = ghlo_lower_origin (self, rank, NULL);

  index.dimensions[get_number (convolution, "kernel_output_feature_dimension")] =
    get_coordinate (self, get_number (convolution, "output_feature_dimension"), 1, 0);
  for (guint i = 0; i < convolution->window.rank; i++)
    {
      const GhloIrWindowDim *dim = &convolution->window.dims[i];

      index.dimensions[get_place (convolution, "kernel_spatial_dimensions", i)] =
        dim->is_reversed ? get_coordinate (self, rank + i, -1, dim->size - 1) : get_coordinate (self, rank + i, 1, 0);
    }

  return ghlo_lower_value (self, value, &index);
}

/* Returns the product of an element of the image and one of the window, as a node of the result's type. */
static guint32
get_product (GhloLowering   *self,
             const GhloIrOp *op)
{
  g_autofree Convolution *convolution = g_new (Convolution, 1);   /* large, and this function recurses */
  const GhloElementType element = op->results[0].type->element_type, type = ghlo_lower_type (element);
  const char *reason = read_convolution (convolution, op);
  guint32 factors[2];

  for (guint i = 0; i < 2 && reason == NULL; i++)
    {
      const GhloElementType from = ghlo_ir_op_operand (op, i)->type->element_type;

      factors[i] = i == 0 ? get_image (self, op, convolution, ghlo_lower_constant (self, ghlo_lower_type (from), 0))
                   : get_weight (self, op, convolution);
      if (factors[i] == GHLO_LOWER_NONE)
        return GHLO_LOWER_NONE;
      if (ghlo_lower_type (from) != type)
        factors[i] = ghlo_lower_convert (self, from, element, factors[i]);
    }
  if (reason != NULL)
    return ghlo_lower_refuse (self, reason);

  return ghlo_lower_node (self, GHLO_NODE_MULTIPLY, type, factors[0], factors[1], GHLO_LOWER_NONE);
}

/* Returns the fold, or GHLO_LOWER_NONE. */
static guint32
make_fold (GhloLowering    *self,
           GhloElementType  type,
           guint32          product)
{
  const guint level = ghlo_expr (self, product)->level;
  guint fold;

  if (level + 1 >= GHLO_LOWER_MAX_LEVELS)
    return ghlo_lower_refuse (self, "its chain of dependent reductions is too long");
  fold = ghlo_lower_add_fold (self, type, level, 0, 1);
  ghlo_fold (self, fold)->update =
    ghlo_lower_node (self, GHLO_NODE_ADD, type, ghlo_lower_fold_operand (self, GHLO_NODE_LEFT, fold), product,
                     GHLO_LOWER_NONE);

  return fold;
}

guint32
ghlo_lower_convolve (GhloLowering    *self,
                     const GhloIrOp  *op,
                     const GhloIndex *index)
{
  const GhloElementType element = op->results[0].type->element_type, type = ghlo_lower_type (element);
  const char *reason = ghlo_lower_convolution_obstacle (op);
  guint32 fold = GPOINTER_TO_UINT (g_hash_table_lookup (self->reductions, op));
  GhloIndex identity;

  if (reason != NULL)
    return ghlo_lower_refuse (self, reason);
  if (op != self->window || !ghlo_lower_identity (self, op->results[0].type, TRUE, &identity)
      || !ghlo_lower_same_element (&identity, index))
    return ghlo_lower_refuse (self, "the result of its convolution is read at another index than its own");
  if (ghlo_element_type_is_complex (element))
    return ghlo_lower_refuse (self, "its numbers are complex");
  if (fold == 0)
    {
      guint32 product = get_product (self, op);

      if (product == GHLO_LOWER_NONE || self->n_axes == self->n_parallel)
        return product == GHLO_LOWER_NONE ? product : ghlo_lower_round (self, element, product);
      fold = make_fold (self, type, product) + 1;
      if (fold == 0)
        return GHLO_LOWER_NONE;
      g_hash_table_insert (self->reductions, (gpointer) op, GUINT_TO_POINTER (fold));
    }

  return ghlo_lower_round (self, element, ghlo_lower_fold_result (self, fold - 1));
}
