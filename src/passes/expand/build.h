/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What expansions are made of, beyond the makers of rewrite.h. Like these, the functions insert before the operation
 * that is expanded. They return new values, and do not check that shapes fit.
 */

#pragma once

#include "passes/rewrite.h"

G_BEGIN_DECLS

/* The dimensions over which a statistic is taken, and all others, of which its result, the rows, consists. */
typedef struct
{
  gint64 reduced[GHLO_MAX_RANK];
  guint  n_reduced;
  gint64 kept[GHLO_MAX_RANK];
  guint  n_kept;
  double count;                  /* of the elements that each row is made of */
} GhloExpandAxes;

/* The dimensions in @reduced are in the range of @type's. */
void            ghlo_expand_axes_init  (GhloExpandAxes       *self,
                                        const GhloIrType     *type,
                                        const gint64         *reduced,
                                        gsize                 n_reduced);

/* Whether the types of all operands and results are plain. */
gboolean        ghlo_expand_is_plain   (const GhloIrOp       *op);
/* The type in which expansions compute with elements of @type: f64 for f64, and f32 for all other floats. */
GhloElementType ghlo_expand_wide       (GhloElementType       type);
/* An operand of the operation that is expanded, in that type. */
GhloIrValue    *ghlo_expand_operand    (GhloRewriter         *self,
                                        const GhloIrOp       *op,
                                        guint                 index);
/* Converts @value to the element type of a result. */
GhloIrValue    *ghlo_expand_result     (GhloRewriter         *self,
                                        const GhloIrOp       *op,
                                        guint                 index,
                                        GhloIrValue          *value);

/* The operation with a splat of @number as its second operand. */
GhloIrValue    *ghlo_expand_with       (GhloRewriter         *self,
                                        GhloIrOpKind          kind,
                                        GhloIrValue          *value,
                                        double                number);
/* The operation on elements and, as its second operand, the rows that they belong to. */
GhloIrValue    *ghlo_expand_with_rows  (GhloRewriter         *self,
                                        GhloIrOpKind          kind,
                                        GhloIrValue          *elements,
                                        GhloIrValue          *rows,
                                        const GhloExpandAxes *axes);
GhloIrValue    *ghlo_expand_sum        (GhloRewriter         *self,
                                        GhloIrValue          *elements,
                                        const GhloExpandAxes *axes);
GhloIrValue    *ghlo_expand_mean       (GhloRewriter         *self,
                                        GhloIrValue          *elements,
                                        const GhloExpandAxes *axes);

G_END_DECLS
