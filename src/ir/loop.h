/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recognises counted loops: a while whose condition compares a counter
 * with a constant and whose body adds a constant to the counter.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef struct
{
  guint    counter;      /* index among the carried values */
  gint64   start;        /* initial value of the counter, if known */
  gint64   end, step;
  gboolean start_known;  /* FALSE if the program computes the initial value */
  gint64   trips;        /* how often the body runs; -1 if the start is not known */
} GhloIrCountedLoop;

/* Returns FALSE if @loop, a stablehlo.while, is no counted loop or its counter might overflow. */
gboolean ghlo_ir_counted_loop (const GhloIrOp    *loop,
                               GhloIrCountedLoop *counted);
/* Returns whether the only effect of @op is to advance the counter of a loop with a known trip count, where only the
 * loop's condition reads the counter. An executor that counts the iterations itself need not compute @op. */
gboolean ghlo_ir_counts_only  (const GhloIrOp    *op);
/* Reads the integer that @value always has: a constant scalar or splat, also seen through broadcasts and reshapes.
 * Returns FALSE if there is none or it does not fit in 64 signed bits. */
gboolean ghlo_ir_value_get_constant (const GhloIrValue *value,
                                     gint64            *number);

G_END_DECLS
