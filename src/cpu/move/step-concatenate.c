/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of concatenate: one segment for each operand.
 */

#include "cpu/move/move.h"
#include "cpu/move/segments.h"

/* Operations with more operands are rare, and their segments would take more memory than a faster step is worth. */
enum { MAX_SEGMENTS = 4096 };

typedef struct
{
  GhloCpuSegments *segments;
} Concatenate;

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  gint64 dimension = ghlo_ir_op_get_int (request->op, "dimension", 0);

  if (request->n_operands > MAX_SEGMENTS)
    return "it has too many operands";

  return dimension < 0 || dimension >= request->results[0].rank ? "its dimension is out of range" : NULL;
}

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  gint64 dimension = ghlo_ir_op_get_int (request->op, "dimension", 0), at = 0;
  const GhloView *operands = request->operands, *result = &request->results[0];
  Concatenate *self = step;

  self->segments = g_malloc (ghlo_cpu_segments_size (request->n_operands));
  ghlo_cpu_segments_init (self->segments);
  for (guint i = 0; i < request->n_operands; i++)
    {
      ghlo_cpu_segments_add (self->segments, result, operands[i].dimensions, i, operands[i].strides, 0,
                             at * result->strides[dimension]);
      at += operands[i].dimensions[dimension];
    }

  return TRUE;
}

static void
clear (gpointer step)
{
  Concatenate *self = step;

  g_free (self->segments);
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Concatenate *self = compiled;

  return ghlo_cpu_finish (ghlo_cpu_segments_run (self->segments, operands, results[0].data, monitor), monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_concatenate = {
  .name = "concatenate",
  .size = sizeof (Concatenate),
  .read = read_request,
  .finish = finish,
  .clear = clear,
  .run = run,
};
