/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps of the fake device (device/step.h). One implementation is enough for all operations: it takes the first one of
 * the CPU's that supports the request. A device with machine code of its own has an implementation for each kind of
 * step, and a table of them.
 */

#include "calls.h"

#include "cpu/device.h"
#include "cpu/steps.h"

/* Sets the CPU's implementation, or returns why there is none. */
static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  FakeStep *self = step;
  GhloDeviceCore *cpu = ghlo_cpu_device ();
  const char *reason = "the fake device does not support the operation";

  *self = (FakeStep) { .n_operands = request->n_operands, .n_results = request->n_results };
  if (request->op == NULL)
    {
      self->inner = &ghlo_cpu_step_copy;
      return NULL;
    }
  while ((self->inner = ghlo_cpu_find_step (cpu, request->op, self->inner)) != NULL)
    {
      g_autofree GhloStepOperandSelection *operands = g_new0 (GhloStepOperandSelection, request->n_operands + 1);
      GhloStepSelection selection = { .operands = operands };

      for (guint i = 0; i < request->n_operands; i++)
        operands[i].in_place = GHLO_STEP_NONE;
      if (ghlo_step_select (self->inner, cpu, request, &selection))
        {
          ghlo_step_free (self->inner, selection.selection_state);
          return NULL;
        }
      reason = selection.reason;
    }

  return reason;
}

static void
select_step (gpointer               step,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  FakeStep *self = step;

  /* What the CPU keeps from its selection is no step of this device. */
  if (ghlo_step_select (self->inner, ghlo_cpu_device (), request, selection))
    ghlo_step_free (self->inner, g_steal_pointer (&selection->selection_state));
}

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  FakeStep *self = step;

  if (!fake_begin (device, FAKE_PREPARE, monitor, error))
    return FALSE;
  self->compiled = ghlo_step_compile_request (self->inner, ghlo_cpu_device (), request, monitor, error);
  if (self->compiled == NULL)
    return FALSE;
  /* Shapes and strides outlive the step. */
  self->views = g_new (GhloView, request->n_operands + request->n_results + 1);
  for (guint i = 0; i < request->n_operands + request->n_results; i++)
    self->views[i] = i < request->n_operands ? request->operands[i] : request->results[i - request->n_operands];
  fake_count (FAKE_STEPS, 1);

  return TRUE;
}

static void
clear (gpointer step)
{
  FakeStep *self = step;

  if (self->compiled == NULL)
    return;
  ghlo_step_free (self->inner, self->compiled);
  g_free (self->views);
  fake_count (FAKE_STEPS, -1);
}

static gboolean
record (gpointer              compiled,
        const GhloBufferRef  *operands,
        const GhloBufferRef  *results,
        GhloBufferRef         scratch,
        gpointer              commands,
        GError              **error)
{
  fake_commands_put_step (commands, compiled, operands, results, scratch);

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  const FakeStep *self = compiled;

  return self->inner->describe != NULL ? self->inner->describe (self->compiled) : NULL;
}

static char *
print_kernels (gpointer       compiled,
               GhloKernelForm form)
{
  const FakeStep *self = compiled;

  return self->inner->print_kernels != NULL ? self->inner->print_kernels (self->compiled, form) : NULL;
}

static gboolean
wait_for_code (gpointer            compiled,
               gboolean            only_begins,
               const GhloMonitor  *monitor,
               GError            **error)
{
  const FakeStep *self = compiled;

  return self->inner->wait == NULL || self->inner->wait (self->compiled, only_begins, monitor, error);
}

static void
get_packing (gpointer         compiled,
             GhloStepPacking *packing)
{
  const FakeStep *self = compiled;

  if (self->inner->get_packing != NULL)
    self->inner->get_packing (self->compiled, packing);
  packing->key = NULL;
}

const GhloStepImplementation fake_step = {
  .name = "step",
  .size = sizeof (FakeStep),
  .read = read_request,
  .select = select_step,
  .finish = finish,
  .clear = clear,
  .record = record,
  .describe = describe,
  .print_kernels = print_kernels,
  .wait = wait_for_code,
  .get_packing = get_packing,
};

const GhloStepImplementation *
fake_find_step (GhloDeviceCore               *self,
                const GhloIrOp               *op,
                const GhloStepImplementation *previous)
{
  return previous == NULL && ghlo_cpu_find_step (ghlo_cpu_device (), op, NULL) != NULL ? &fake_step : NULL;
}
