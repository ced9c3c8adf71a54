/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of neural networks, and their gradients, as expansions write them. All values are floats of one type, in
 * which everything is computed; what is broadcast is so as NumPy does it, to the last dimensions.
 */

#pragma once

#include "passes/expand/build.h"

G_BEGIN_DECLS

/* Whether values of the type @from can be broadcast to the dimensions of @to, and the value that this gives. */
gboolean     ghlo_expand_broadcasts      (const GhloIrType     *from,
                                          const GhloIrType     *to);
GhloIrValue *ghlo_expand_broadcast       (GhloRewriter         *self,
                                          GhloIrValue          *value,
                                          const GhloIrType     *to);
/* The operation on @value and @other, broadcast to the dimensions of @value. */
GhloIrValue *ghlo_expand_with_broadcast  (GhloRewriter         *self,
                                          GhloIrOpKind          kind,
                                          GhloIrValue          *value,
                                          GhloIrValue          *other);

/* The elements from @start, by @stride, to @limit along the last dimension. */
GhloIrValue *ghlo_expand_slice_last      (GhloRewriter         *self,
                                          GhloIrValue          *value,
                                          gint64                start,
                                          gint64                limit,
                                          gint64                stride);
GhloIrValue *ghlo_expand_concatenate     (GhloRewriter         *self,
                                          GhloIrValue *const   *values,
                                          guint                 n,
                                          gint64                dimension);

/* Sums over products: over the dimensions @lhs_summed and @rhs_summed, of which there are @n_summed, for each index of
 * the first @n_batch dimensions. The result has the element type @element_type. */
GhloIrValue *ghlo_expand_dot             (GhloRewriter         *self,
                                          GhloIrValue          *lhs,
                                          GhloIrValue          *rhs,
                                          guint                 n_batch,
                                          const gint64         *lhs_summed,
                                          const gint64         *rhs_summed,
                                          guint                 n_summed,
                                          GhloElementType       element_type);

/* A product of matrices in the last two dimensions, each of which may be transposed, in a batch or with one @rhs of
 * rank 2 for all. */
gboolean     ghlo_expand_multiplies      (const GhloIrType     *lhs,
                                          const GhloIrType     *rhs,
                                          gboolean              transpose_lhs,
                                          gboolean              transpose_rhs);
GhloIrValue *ghlo_expand_product         (GhloRewriter         *self,
                                          GhloIrValue          *lhs,
                                          GhloIrValue          *rhs,
                                          gboolean              transpose_lhs,
                                          gboolean              transpose_rhs);

GhloIrValue *ghlo_expand_softmax         (GhloRewriter         *self,
                                          GhloIrValue          *value,
                                          gint64                axis);
/* x/2 (1 + erf (x/√2)), or its approximation by tanh. */
GhloIrValue *ghlo_expand_gelu            (GhloRewriter         *self,
                                          GhloIrValue          *x,
                                          gboolean              approximate);
/* The gradient of the approximation. */
GhloIrValue *ghlo_expand_gelu_gradient   (GhloRewriter         *self,
                                          GhloIrValue          *x,
                                          GhloIrValue          *gradient);

/* The function of that name: relu, gelu, gelu_approximate, gelu_exact, sigmoid, tanh, silu, leaky_relu, elu or none.
 * NULL for any other name. */
GhloIrValue *ghlo_expand_activation      (GhloRewriter         *self,
                                          GhloIrValue          *x,
                                          const char           *name);

/* x − mean, or x itself, divided by the root of its mean square plus @epsilon. */
typedef struct
{
  GhloExpandAxes  axes;
  GhloIrValue    *normal;        /* the result */
  GhloIrValue    *inverse;       /* for each row, what the elements were multiplied with */
  gboolean        centers;
} GhloExpandNorm;

void         ghlo_expand_norm_init       (GhloExpandNorm       *self,
                                          GhloRewriter         *rewriter,
                                          GhloIrValue          *x,
                                          const gint64         *axes,
                                          gsize                 n_axes,
                                          gboolean              centers,
                                          double                epsilon);
/* What is normalized, times operand 1 of @op, and plus operand 2 where it is centered. */
GhloIrValue *ghlo_expand_norm_apply      (const GhloExpandNorm *self,
                                          GhloRewriter         *rewriter,
                                          const GhloIrOp       *op);
/* The gradient of x, given that of the result. */
GhloIrValue *ghlo_expand_norm_gradient   (GhloExpandNorm       *self,
                                          GhloRewriter         *rewriter,
                                          GhloIrValue          *gradient);

G_END_DECLS
