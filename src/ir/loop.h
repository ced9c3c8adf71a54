/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops that count: a while whose condition compares a counter with a constant,
 * and whose body adds a constant to that counter.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef struct
{
  guint    counter;      /* which of the carried values */
  gint64   start;        /* its first value, where known */
  gint64   end, step;
  gboolean start_known;  /* else a value of the program's */
  gint64   trips;        /* how often the body runs; -1 when the start is not known */
} GhloIrCountedLoop;

/* FALSE when @loop, a stablehlo.while, does not count, or its counter might wrap. */
gboolean ghlo_ir_counted_loop (const GhloIrOp    *loop,
                               GhloIrCountedLoop *counted);
/* Whether all that comes of @op is the next number of a counter that nothing but its loop's condition looks at, of a
 * loop whose iterations are known: whoever counts those need not compute it. */
gboolean ghlo_ir_counts_only  (const GhloIrOp    *op);
/* The one integer that @value always is: a constant scalar or a splat, also through
 * a broadcast or reshape. FALSE where 64 signed bits do not hold it. */
gboolean ghlo_ir_value_get_constant (const GhloIrValue *value,
                                     gint64            *number);

G_END_DECLS
