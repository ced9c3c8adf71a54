/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Relations between two shapes. Dimensions of size 1 are called ones; a reshape that only adds and drops ones keeps all
 * other dimensions in order.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Whether the dimensions are the same, whatever the element types. */
gboolean      ghlo_shape_equal          (const GhloIrType *a,
                                         const GhloIrType *b);
/* TRUE when @from and @to have the same dimensions except for ones. @map has room for @from's rank; it maps each
 * dimension of @from to one of @to, and ones to -1. */
gboolean      ghlo_shape_match_ones     (const GhloIrType *from,
                                         const GhloIrType *to,
                                         gint64           *map);
/* TRUE when each dimension of @from is split into one or more of @to, in order; ones are ignored. Dimension i is then
 * split into those from @first[i] (nullable, with an entry for each dimension and one more) to @first[i + 1]. */
gboolean      ghlo_shape_is_split       (const GhloIrType *from,
                                         const GhloIrType *to,
                                         guint            *first);
/* TRUE when the permutation only changes the order of ones. */
gboolean      ghlo_permutation_is_reshape (const gint64     *permutation,
                                         const GhloIrType *operand);
gboolean      ghlo_permutation_is_identity (const gint64    *permutation,
                                         gsize             rank);
/* inverse[permutation[i]] = i */
void          ghlo_permutation_invert   (const gint64     *permutation,
                                         gsize             rank,
                                         gint64           *inverse);
/* Gets the permutation that turns @from into @to when both have the same dimensions except for the positions of ones;
 * FALSE when there is none. */
gboolean      ghlo_shape_find_permutation (const GhloIrType *from,
                                         const GhloIrType *to,
                                         gint64           *permutation);

/* The permutation of a transpose, and the dimensions of a broadcast_in_dim, on plain types: one entry per dimension of
 * the operand. NULL for any other operation. */
const gint64 *ghlo_op_get_permutation   (const GhloIrOp   *op);
const gint64 *ghlo_op_get_broadcast     (const GhloIrOp   *op);
/* An array attribute of @rank integers; NULL when its length differs. */
const gint64 *ghlo_op_get_dims          (const GhloIrOp   *op,
                                         const char       *name,
                                         gsize             rank);
/* Whether @op is a reshape of plain types. */
gboolean      ghlo_op_is_reshape        (const GhloIrOp   *op);

G_END_DECLS
