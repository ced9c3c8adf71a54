/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of copies: from operand 0 to result 0, of the same type and shape, with any strides.
 */

#include "cpu/move/move.h"

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  const GhloView *from = &request->operands[0], *to = &request->results[0];

  ghlo_cpu_copy_init (step, from->rank, from->dimensions, from->element_type, from->strides, to->element_type,
                      to->strides);

  return TRUE;
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  return ghlo_cpu_finish (ghlo_cpu_copy_run (compiled, operands[0].data, results[0].data, monitor), monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_copy = {
  .name = "copy",
  .size = sizeof (GhloCpuCopy),
  .finish = finish,
  .run = run,
};
