/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * concatenate as a step of a plan: one piece for each operand.
 */

#include "cpu/move/move.h"
#include "cpu/move/segments.h"

/* A program with more is odd, and the pieces would take more memory than it saves. */
enum { MAX_PIECES = 4096 };

static gpointer
prepare (const GhloIrOp  *op,
         const GhloView  *operands,
         const GhloView  *results,
         gsize           *scratch,
         GError         **error)
{
  gint64 dimension = ghlo_ir_op_get_int (op, "dimension", 0), at = 0;
  GhloCpuSegments *self;

  if (op->n_operands > MAX_PIECES || dimension < 0 || dimension >= results[0].rank || !ghlo_cpu_moves_plain (op))
    return NULL;
  self = g_malloc (ghlo_cpu_segments_size (op->n_operands));
  ghlo_cpu_segments_init (self);
  for (guint i = 0; i < op->n_operands; i++)
    {
      ghlo_cpu_segments_add (self, &results[0], operands[i].dimensions, i, operands[i].strides, 0,
                             at * results[0].strides[dimension]);
      at += operands[i].dimensions[dimension];
    }

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
  return ghlo_cpu_moves_finish (ghlo_cpu_segments_run (prepared, operands, results[0].data, monitor), monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_concatenate = {
  .name = "concatenate",
  .takes = ghlo_cpu_takes_any,
  .prepare = prepare,
  .run = run,
  .release = g_free,
};
