/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of linear algebra custom calls.
 */

#include "cpu/linalg/routine.h"
#include "cpu/steps.h"
#include "ir/lapack.h"

typedef struct
{
  GhloCpuRoutine *routine;
} Step;

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Step *self = step;
  const char *reason;

  if (!ghlo_ir_lapack_is_target (ghlo_ir_op_get_string (request->op, "call_target_name")))
    return "the CPU does not support this custom call";
  self->routine = ghlo_cpu_routine_prepare (request->op, request->operands, request->results, &reason);

  return self->routine == NULL ? reason : NULL;
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const Step *self = step;

  for (guint i = 0; i < request->n_operands; i++)
    {
      int result = ghlo_cpu_routine_in_place (self->routine, i);

      if (result >= 0)
        selection->operands[i].in_place = (guint32) result;
    }
  selection->scratch = ghlo_cpu_routine_scratch_size (self->routine);
}

static void
clear (gpointer step)
{
  Step *self = step;

  ghlo_cpu_routine_free (self->routine);
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Step *self = compiled;

  return ghlo_cpu_routine_run (self->routine, operands, results, scratch, monitor, error);
}

static char *
describe (gpointer compiled)
{
  const Step *self = compiled;

  return ghlo_cpu_routine_describe (self->routine);
}

const GhloStepImplementation ghlo_cpu_step_routine = {
  .name = "routine",
  .size = sizeof (Step),
  .keeps_selection_state = TRUE,
  .read = read_request,
  .select = fill_selection,
  .clear = clear,
  .run = run,
  .describe = describe,
};
