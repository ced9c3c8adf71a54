/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of neural networks in terms of operations, in the forms in which frameworks write them, which fuse.
 */

#include "passes/expand/nn.h"

#include <math.h>

#include "passes/constant.h"

#define MUL GHLO_OP_STABLEHLO_MULTIPLY
#define ADD GHLO_OP_STABLEHLO_ADD
#define SUB GHLO_OP_STABLEHLO_SUBTRACT
#define DIV GHLO_OP_STABLEHLO_DIVIDE

#define SQRT_2_OVER_PI 0.79788456080286535588

/* The coefficient of x³ in GELU's approximation (Hendrycks and Gimpel, "Gaussian Error Linear Units"). */
#define GELU_CUBIC 0.044715

gboolean
ghlo_expand_broadcasts (const GhloIrType *from,
                        const GhloIrType *to)
{
  if (from->rank > to->rank)
    return FALSE;
  for (guint i = 0; i < from->rank; i++)
    if (from->dimensions[i] != 1 && from->dimensions[i] != to->dimensions[to->rank - from->rank + i])
      return FALSE;

  return TRUE;
}

GhloIrValue *
ghlo_expand_broadcast (GhloRewriter     *self,
                       GhloIrValue      *value,
                       const GhloIrType *to)
{
  const GhloIrType *type = ghlo_make_type_of (self, value->type->element_type, to);
  gint64 dimensions[GHLO_MAX_RANK];

  if (value->type == type)
    return value;
  for (guint i = 0; i < value->type->rank; i++)
    dimensions[i] = to->rank - value->type->rank + i;

  return ghlo_make_broadcast (self, value, dimensions, type);
}

GhloIrValue *
ghlo_expand_with_broadcast (GhloRewriter *self,
                            GhloIrOpKind  kind,
                            GhloIrValue  *value,
                            GhloIrValue  *other)
{
  return ghlo_make_binary (self, kind, value, ghlo_expand_broadcast (self, other, value->type));
}

GhloIrValue *
ghlo_expand_dot (GhloRewriter    *self,
                 GhloIrValue     *lhs,
                 GhloIrValue     *rhs,
                 guint            n_batch,
                 const gint64    *lhs_summed,
                 const gint64    *rhs_summed,
                 guint            n_summed,
                 GhloElementType  element_type)
{
  gint64 batch[GHLO_MAX_RANK], dimensions[2 * GHLO_MAX_RANK];
  GhloIrValue *const operands[] = { lhs, rhs };
  const gint64 *const summed[] = { lhs_summed, rhs_summed };
  const GhloIrAttr *numbers, *batching;
  guint rank = 0;

  for (guint i = 0; i < n_batch; i++)
    {
      batch[i] = i;
      dimensions[rank++] = lhs->type->dimensions[i];
    }
  for (guint side = 0; side < 2; side++)
    for (guint i = n_batch; i < operands[side]->type->rank; i++)
      if (!ghlo_dims_contain (summed[side], n_summed, i))
        dimensions[rank++] = operands[side]->type->dimensions[i];
  batching = ghlo_ir_attr_i64s (self->module, batch, n_batch);
  numbers = ghlo_ir_attr_struct (self->module, GHLO_IR_STRUCT_DOT, (const GhloIrAttr *[]) {
    batching, batching, ghlo_ir_attr_i64s (self->module, lhs_summed, n_summed),
    ghlo_ir_attr_i64s (self->module, rhs_summed, n_summed),
  });

  return ghlo_make (self, GHLO_OP_STABLEHLO_DOT_GENERAL,
                    ghlo_ir_type_tensor (self->module, ghlo_ir_type_element (self->module, element_type), dimensions,
                                         rank, NULL, NULL),
                    operands, 2, &(GhloIrNamedAttr) { "dot_dimension_numbers", numbers }, 1);
}

GhloIrValue *
ghlo_expand_slice_last (GhloRewriter *self,
                        GhloIrValue  *value,
                        gint64        start,
                        gint64        limit,
                        gint64        stride)
{
  gint64 starts[GHLO_MAX_RANK] = { 0 }, limits[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];
  guint last = value->type->rank - 1;

  for (guint i = 0; i < last; i++)
    {
      limits[i] = value->type->dimensions[i];
      strides[i] = 1;
    }
  starts[last] = start;
  limits[last] = limit;
  strides[last] = stride;

  return ghlo_make_slice (self, value, starts, limits, strides);
}

GhloIrValue *
ghlo_expand_concatenate (GhloRewriter       *self,
                         GhloIrValue *const *values,
                         guint               n,
                         gint64              dimension)
{
  const GhloIrType *type = values[0]->type;
  gint64 dimensions[GHLO_MAX_RANK];

  for (guint i = 0; i < type->rank; i++)
    dimensions[i] = type->dimensions[i];
  for (guint i = 1; i < n; i++)
    dimensions[dimension] += values[i]->type->dimensions[dimension];

  return ghlo_make (self, GHLO_OP_STABLEHLO_CONCATENATE, ghlo_make_type (self, type, dimensions, type->rank), values, n,
                    &(GhloIrNamedAttr) { "dimension", ghlo_ir_attr_i64 (self->module, dimension) }, 1);
}

gboolean
ghlo_expand_multiplies (const GhloIrType *lhs,
                        const GhloIrType *rhs,
                        gboolean          transpose_lhs,
                        gboolean          transpose_rhs)
{
  if (lhs->rank < 2 || rhs->rank < 2 || (rhs->rank != 2 && rhs->rank != lhs->rank))
    return FALSE;
  for (guint i = 0; i + 2 < rhs->rank; i++)
    if (lhs->dimensions[i] != rhs->dimensions[i])
      return FALSE;

  return lhs->dimensions[lhs->rank - (transpose_lhs ? 2 : 1)] == rhs->dimensions[rhs->rank - (transpose_rhs ? 1 : 2)]
         && (!transpose_lhs || lhs->rank == rhs->rank);
}

GhloIrValue *
ghlo_expand_product (GhloRewriter *self,
                     GhloIrValue  *lhs,
                     GhloIrValue  *rhs,
                     gboolean      transpose_lhs,
                     gboolean      transpose_rhs)
{
  gint64 left = lhs->type->rank - (transpose_lhs ? 2 : 1), right = rhs->type->rank - (transpose_rhs ? 1 : 2);

  return ghlo_expand_dot (self, lhs, rhs, rhs->type->rank - 2, &left, &right, 1,
                          ghlo_expand_wide (lhs->type->element_type));
}

GhloIrValue *
ghlo_expand_softmax (GhloRewriter *self,
                     GhloIrValue  *value,
                     gint64        axis)
{
  GhloIrValue *least = ghlo_make_number (self, ghlo_make_type (self, value->type, NULL, 0), -INFINITY);
  GhloIrValue *greatest, *powers;
  GhloExpandAxes axes;

  ghlo_expand_axes_init (&axes, value->type, &axis, 1);
  greatest = ghlo_make_reduce (self, GHLO_OP_STABLEHLO_MAXIMUM, value, least, axes.reduced, axes.n_reduced);
  powers = ghlo_make_unary (self, GHLO_OP_STABLEHLO_EXPONENTIAL,
                            ghlo_expand_with_rows (self, SUB, value, greatest, &axes));

  return ghlo_expand_with_rows (self, DIV, powers, ghlo_expand_sum (self, powers, &axes), &axes);
}

/* √(2/π) (x + 0.044715 x³) */
static GhloIrValue *
make_gelu_argument (GhloRewriter *self,
                    GhloIrValue  *x)
{
  GhloIrValue *cube = ghlo_make_binary (self, MUL, ghlo_make_binary (self, MUL, x, x), x);
  GhloIrValue *sum = ghlo_make_binary (self, ADD, x, ghlo_expand_with (self, MUL, cube, GELU_CUBIC));

  return ghlo_expand_with (self, MUL, sum, SQRT_2_OVER_PI);
}

GhloIrValue *
ghlo_expand_gelu (GhloRewriter *self,
                  GhloIrValue  *x,
                  gboolean      approximate)
{
  GhloIrValue *share;

  if (approximate)
    share = ghlo_make_unary (self, GHLO_OP_STABLEHLO_TANH, make_gelu_argument (self, x));
  else
    share = ghlo_make_unary (self, GHLO_OP_CHLO_ERF, ghlo_expand_with (self, MUL, x, G_SQRT2 / 2));

  return ghlo_make_binary (self, MUL, ghlo_expand_with (self, MUL, x, 0.5), ghlo_expand_with (self, ADD, share, 1));
}

/* With t = tanh (u): (1 + t) / 2 + x/2 (1 − t²) du/dx. */
GhloIrValue *
ghlo_expand_gelu_gradient (GhloRewriter *self,
                           GhloIrValue  *x,
                           GhloIrValue  *gradient)
{
  GhloIrValue *t = ghlo_make_unary (self, GHLO_OP_STABLEHLO_TANH, make_gelu_argument (self, x));
  GhloIrValue *square = ghlo_make_binary (self, MUL, x, x);
  GhloIrValue *slope = ghlo_expand_with (self, ADD,
                                         ghlo_expand_with (self, MUL, square, 3 * GELU_CUBIC * SQRT_2_OVER_PI),
                                         SQRT_2_OVER_PI);
  GhloIrValue *one = ghlo_make_number (self, x->type, 1);
  GhloIrValue *rest = ghlo_make_binary (self, SUB, one, ghlo_make_binary (self, MUL, t, t));
  GhloIrValue *second = ghlo_make_binary (self, MUL, ghlo_make_binary (self, MUL, x, rest), slope);
  GhloIrValue *both = ghlo_make_binary (self, ADD, ghlo_expand_with (self, ADD, t, 1), second);

  return ghlo_make_binary (self, MUL, gradient, ghlo_expand_with (self, MUL, both, 0.5));
}

/* x where x > 0, else @otherwise. */
static GhloIrValue *
where_positive (GhloRewriter *self,
                GhloIrValue  *x,
                GhloIrValue  *otherwise)
{
  GhloIrValue *const compared[] = { x, ghlo_make_number (self, x->type, 0) };
  const GhloIrNamedAttr greater = {
    "comparison_direction", ghlo_ir_attr_enum (self->module, GHLO_IR_ENUM_COMPARISON_DIRECTION,
                                               ghlo_ir_enum_from_word (GHLO_IR_ENUM_COMPARISON_DIRECTION, "GT")),
  };
  GhloIrValue *is_positive = ghlo_make (self, GHLO_OP_STABLEHLO_COMPARE,
                                        ghlo_make_type_of (self, GHLO_ELEMENT_TYPE_I1, x->type), compared, 2, &greater,
                                        1);

  return ghlo_make (self, GHLO_OP_STABLEHLO_SELECT, x->type, (GhloIrValue *[]) { is_positive, x, otherwise }, 3, NULL,
                    0);
}

GhloIrValue *
ghlo_expand_activation (GhloRewriter *self,
                        GhloIrValue  *x,
                        const char   *name)
{
  if (g_str_equal (name, "none"))
    return x;
  if (g_str_equal (name, "relu"))
    return ghlo_expand_with (self, GHLO_OP_STABLEHLO_MAXIMUM, x, 0);
  if (g_str_equal (name, "gelu") || g_str_equal (name, "gelu_exact"))
    return ghlo_expand_gelu (self, x, FALSE);
  if (g_str_equal (name, "gelu_approximate") || g_str_equal (name, "geluApproximate"))
    return ghlo_expand_gelu (self, x, TRUE);
  if (g_str_equal (name, "sigmoid"))
    return ghlo_make_unary (self, GHLO_OP_STABLEHLO_LOGISTIC, x);
  if (g_str_equal (name, "tanh"))
    return ghlo_make_unary (self, GHLO_OP_STABLEHLO_TANH, x);
  if (g_str_equal (name, "silu") || g_str_equal (name, "swish"))
    return ghlo_make_binary (self, MUL, x, ghlo_make_unary (self, GHLO_OP_STABLEHLO_LOGISTIC, x));
  if (g_str_equal (name, "leaky_relu") || g_str_equal (name, "leakyRelu"))
    return where_positive (self, x, ghlo_expand_with (self, MUL, x, 0.01));
  if (g_str_equal (name, "elu"))
    return where_positive (self, x, ghlo_make_unary (self, GHLO_OP_STABLEHLO_EXPONENTIAL_MINUS_ONE, x));

  return NULL;
}

void
ghlo_expand_norm_init (GhloExpandNorm *self,
                       GhloRewriter   *rewriter,
                       GhloIrValue    *x,
                       const gint64   *axes,
                       gsize           n_axes,
                       gboolean        centers,
                       double          epsilon)
{
  GhloIrValue *square;

  *self = (GhloExpandNorm) { .centers = centers };
  ghlo_expand_axes_init (&self->axes, x->type, axes, n_axes);
  if (centers)
    x = ghlo_expand_with_rows (rewriter, SUB, x, ghlo_expand_mean (rewriter, x, &self->axes), &self->axes);
  square = ghlo_expand_mean (rewriter, ghlo_make_binary (rewriter, MUL, x, x), &self->axes);
  self->inverse = ghlo_make_unary (rewriter, GHLO_OP_STABLEHLO_RSQRT,
                                   ghlo_expand_with (rewriter, ADD, square, epsilon));
  self->normal = ghlo_expand_with_rows (rewriter, MUL, x, self->inverse, &self->axes);
}

GhloIrValue *
ghlo_expand_norm_apply (const GhloExpandNorm *self,
                        GhloRewriter         *rewriter,
                        const GhloIrOp       *op)
{
  GhloIrValue *result = ghlo_expand_with_broadcast (rewriter, GHLO_OP_STABLEHLO_MULTIPLY, self->normal,
                                                    ghlo_expand_operand (rewriter, op, 1));

  if (self->centers)
    result = ghlo_expand_with_broadcast (rewriter, GHLO_OP_STABLEHLO_ADD, result,
                                         ghlo_expand_operand (rewriter, op, 2));

  return result;
}

/* inverse (g − mean (g) − normal mean (g normal)), without the first mean where x was not centered. */
GhloIrValue *
ghlo_expand_norm_gradient (GhloExpandNorm *self,
                           GhloRewriter   *rewriter,
                           GhloIrValue    *gradient)
{
  GhloIrValue *product = ghlo_expand_mean (rewriter, ghlo_make_binary (rewriter, MUL, gradient, self->normal),
                                           &self->axes);
  GhloIrValue *along = ghlo_expand_with_rows (rewriter, MUL, self->normal, product, &self->axes);
  GhloIrValue *rest = gradient;

  if (self->centers)
    rest = ghlo_expand_with_rows (rewriter, SUB, rest, ghlo_expand_mean (rewriter, gradient, &self->axes),
                                  &self->axes);

  return ghlo_expand_with_rows (rewriter, MUL, ghlo_make_binary (rewriter, SUB, rest, along), self->inverse,
                                &self->axes);
}
