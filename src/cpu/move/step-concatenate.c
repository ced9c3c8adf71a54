/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of concatenate: one segment for each operand.
 */

#include "cpu/move/move.h"
#include "cpu/move/segments.h"

/* Operations with more operands are rare, and their segments would take more memory than a faster step is worth. */
enum { MAX_SEGMENTS = 4096 };

static gboolean
select_step (GhloDeviceCore        *device,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  gint64 dimension = ghlo_ir_op_get_int (request->op, "dimension", 0);

  if (request->n_operands > MAX_SEGMENTS)
    selection->reason = "it has too many operands";
  else if (dimension < 0 || dimension >= request->results[0].rank)
    selection->reason = "its dimension is out of range";

  return selection->reason == NULL;
}

static gpointer
compile (GhloDeviceCore         *device,
         const GhloStepRequest  *request,
         const GhloMonitor      *monitor,
         GError                **error)
{
  gint64 dimension = ghlo_ir_op_get_int (request->op, "dimension", 0), at = 0;
  const GhloView *operands = request->operands, *result = &request->results[0];
  GhloCpuSegments *self = g_malloc (ghlo_cpu_segments_size (request->n_operands));

  ghlo_cpu_segments_init (self);
  for (guint i = 0; i < request->n_operands; i++)
    {
      ghlo_cpu_segments_add (self, result, operands[i].dimensions, i, operands[i].strides, 0,
                             at * result->strides[dimension]);
      at += operands[i].dimensions[dimension];
    }

  return self;
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  return ghlo_cpu_finish (ghlo_cpu_segments_run (compiled, operands, results[0].data, monitor), monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_concatenate = {
  .name = "concatenate",
  .select = select_step,
  .compile = compile,
  .run = run,
  .release = g_free,
};
