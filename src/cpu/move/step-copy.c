/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies as steps of a plan: operand 0 to result 0, of one type and shape, both with
 * any strides.
 */

#include "cpu/move/move.h"

static gpointer
prepare (const GhloIrOp  *op,
         const GhloView  *operands,
         const GhloView  *results,
         gsize           *scratch,
         GError         **error)
{
  GhloCpuCopy *self = g_new (GhloCpuCopy, 1);

  ghlo_cpu_copy_init (self, operands[0].rank, operands[0].dimensions, operands[0].element_type, operands[0].strides,
                      results[0].element_type, results[0].strides);

  return self;
}

static gboolean
run (gpointer            prepared,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  return ghlo_cpu_moves_finish (ghlo_cpu_copy_run (prepared, operands[0].data, results[0].data, monitor), monitor,
                                error);
}

const GhloStepImplementation ghlo_cpu_step_copy = {
  .name = "copy",
  .takes = ghlo_cpu_takes_any,
  .prepare = prepare,
  .run = run,
  .release = g_free,
};
