/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cumulative sums, products, maxima and minima: a reduce_window whose window spans one dimension and is padded on
 * one side only. Short sums of floats, and products of narrow floats, follow the specification and round each step
 * to the element type. Longer sums of f32 are computed in f64, those of narrower floats in f32. Integers wrap.
 */

#pragma once

#include "base/view.h"
#include "kernel/scalar.h"

G_BEGIN_DECLS

typedef struct
{
  GhloCombiner    combiner;
  GhloElementType type;             /* for complex numbers the type of their parts, which are summed separately */
  GhloElementType number;           /* the type in which elements are combined: I64, F32 or F64 */
  gboolean        is_complex;
  gboolean        backward;
  gboolean        rounds;           /* each step is rounded to the element type, which is narrower than number */
  gboolean        restarts;         /* each result is reduced anew, starting with its own element */
  guint           dimension;
} GhloCumulative;

/* Returns NULL, or a static text that says why @op with @operand is something else. */
const char *ghlo_cumulative_read             (GhloCumulative  *self,
                                              const GhloIrOp  *op,
                                              const GhloView  *operand,
                                              const GhloView  *result);
/* Returns whether an initial value that is known, or any initial value, changes nothing that it is combined with. */
gboolean    ghlo_cumulative_start_is_neutral (GhloCombiner     combiner,
                                              const GhloView  *start);

G_END_DECLS
