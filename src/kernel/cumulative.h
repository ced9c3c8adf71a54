/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cumulative sums, products, maxima and minima: a reduce_window whose window is as large as one dimension and padded
 * on one side alone. Short sums of floats, and products of narrow ones, follow the specification and round each step to
 * the element's type; longer sums of f32 are made in f64, those of narrower floats in f32. Integers wrap.
 */

#pragma once

#include "base/view.h"
#include "kernel/scalar.h"

G_BEGIN_DECLS

typedef struct
{
  GhloCombiner    combiner;
  GhloElementType type;             /* of complex numbers that of their parts, which are summed apart */
  GhloElementType number;           /* what elements are combined as: I64, F32 or F64 */
  gboolean        is_complex;
  gboolean        backward;
  gboolean        rounds;           /* each step is rounded to elements, which are narrower than numbers */
  gboolean        restarts;         /* each result is reduced anew, from its own element on */
  guint           dimension;
} GhloCumulative;

/* NULL, or the reason, static, why @op, of @operand, is something else. */
const char *ghlo_cumulative_read             (GhloCumulative  *self,
                                              const GhloIrOp  *op,
                                              const GhloView  *operand,
                                              const GhloView  *result);
/* Whether an initial value that is known, or any, changes nothing that it is combined with. */
gboolean    ghlo_cumulative_start_is_neutral (GhloCombiner     combiner,
                                              const GhloView  *start);

G_END_DECLS
