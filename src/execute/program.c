/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prepares programs, and starts runs: places the inputs, runs the plan or the whole program, and marks the outputs that
 * the device has not written yet.
 */

#include "execute/program.h"

#include "base/fail.h"
#include "base/ghlo-error.h"
#include "base/stack.h"
#include "base/trace.h"
#include "execute/run-plan.h"
#include "runtime/place.h"

/* Share of a compile's progress that opening the device accounts for. */
#define OPENING_SHARE 0.5

struct _GhloPrepared
{
  GhloDeviceCore *device;
  guint           n_outputs;
  GhloRunPlan    *plan;         /* NULL for a whole program */
  GhloDeviceCore *executor;     /* of a whole program: the device, or its fallback */
  gpointer        whole;        /* the executor's */
  gsize           whole_size;   /* bytes */
  char           *reason;       /* why there is no plan; NULL for a device that makes none */
};

/* A run returns as many outputs as the program returns values. The parser drops values beyond the function's results,
 * but programs are also built in other ways. */
static gboolean
check_returned (const GhloIrOp  *function,
                GError         **error)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (function);
  const guint n = ghlo_ir_op_get (function, "function_type")->type->n_results;
  const GhloIrOp *last = body != NULL ? body->last : NULL;

  if (last == NULL || (ghlo_ir_op_get_spec (last)->traits & GHLO_IR_TRAIT_TERMINATOR) == 0 || last->n_operands == n)
    return TRUE;

  return ghlo_invalid (error, "expected @%s to return %u values, found %u",
                       ghlo_ir_op_get_string (function, "sym_name"), n, last->n_operands);
}

static gboolean
load_whole (GhloPrepared              *self,
            GhloDeviceCore            *executor,
            GhloIrModule              *module,
            GhloIrOp                  *function,
            const GhloPrepareOptions  *options,
            const GhloMonitor         *monitor,
            GError                   **error)
{
  self->executor = executor;
  self->whole = executor->klass->whole_programs->load (executor, module, function, options, &self->whole_size, monitor,
                                                       error);

  return self->whole != NULL;
}

/* Makes a plan, or loads the whole program on the fallback where there is none. */
static gboolean
make_plan (GhloPrepared              *self,
           GhloIrModule              *module,
           GhloIrOp                  *function,
           const GhloPrepareOptions  *options,
           const GhloMonitor         *monitor,
           GError                   **error)
{
  g_autoptr (GError) problem = NULL;

  self->plan = ghlo_run_plan_new (self->device, module, function, options, monitor, &problem);
  if (self->plan != NULL)
    return TRUE;
  if (options->fallback == NULL || !g_error_matches (problem, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED))
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  self->reason = g_strdup (problem->message);

  return load_whole (self, options->fallback, module, function,
                     &(GhloPrepareOptions) { .custom_targets = options->custom_targets }, monitor, error);
}

static gboolean
open_and_plan (GhloPrepared              *self,
               GhloIrModule              *module,
               GhloIrOp                  *function,
               const GhloPrepareOptions  *options,
               const GhloMonitor         *monitor,
               GError                   **error)
{
  GhloDeviceCore *device = self->device;
  const gboolean is_open = device->klass->open == NULL || g_atomic_int_get (&device->is_open);
  const double share = is_open ? 0 : OPENING_SHARE;
  GhloMonitorPart first = { monitor, 0, share }, second = { monitor, share, 1 };
  const GhloMonitor opening = ghlo_monitor_of_part (&first), rest = ghlo_monitor_of_part (&second);

  return (is_open || device->klass->open (device, &opening, error))
         && make_plan (self, module, function, options, &rest, error);
}

GhloPrepared *
ghlo_device_core_prepare (GhloDeviceCore            *device,
                          GhloIrModule              *module,
                          GhloIrOp                  *function,
                          const GhloPrepareOptions  *options,
                          const GhloMonitor         *monitor,
                          GError                   **error)
{
  static const GhloPrepareOptions no_options;
  g_autoptr (GhloPrepared) self = NULL;

  if (!ghlo_device_core_check (device, error) || !check_returned (function, error))
    return NULL;
  self = g_new0 (GhloPrepared, 1);
  self->device = device;
  self->n_outputs = ghlo_ir_op_get (function, "function_type")->type->n_results;
  options = options != NULL ? options : &no_options;

  return (device->klass->whole_programs != NULL ? load_whole (self, device, module, function, options, monitor, error)
                                                : open_and_plan (self, module, function, options, monitor, error))
         ? g_steal_pointer (&self) : NULL;
}

static gpointer
release (gpointer data)
{
  GhloPrepared *self = data;

  g_clear_pointer (&self->plan, ghlo_run_plan_free);
  if (self->whole != NULL)
    self->executor->klass->whole_programs->free (self->whole);
  g_free (self->reason);
  g_free (self);

  return NULL;
}

void
ghlo_prepared_free (GhloPrepared *self)
{
  ghlo_stack_call (release, self);
}

static void
add_time (gint64 *time,
          gint64  start)
{
  if (time != NULL)
    *time += g_get_monotonic_time () - start;
}

/* For a device that works in host memory, where most inputs already are. */
static gboolean
place_inputs (const GhloRunOptions  *options,
              GhloValue *const      *inputs,
              gsize                  n_inputs,
              const GhloMonitor     *monitor,
              GError               **error)
{
  for (gsize i = 0; i < n_inputs; i++)
    {
      gint64 start;

      if (ghlo_value_is_on_host (inputs[i]))
        continue;
      start = g_get_monotonic_time ();
      if (!ghlo_value_fetch (inputs[i], monitor, error))
        return FALSE;
      add_time (options != NULL ? options->upload_time : NULL, start);
    }

  return TRUE;
}

/* What a whole program returns is not known to a plan: outputs that nobody else refers to share no memory. */
static void
find_shared (const GhloPrepared *self,
             GhloValue *const   *outputs,
             GhloFence          *fence,
             gboolean           *shared)
{
  for (guint i = 0; shared != NULL && i < self->n_outputs; i++)
    shared[i] = !ghlo_value_is_own (outputs[i])
                && (fence == NULL || outputs[i]->kind != GHLO_VALUE_TENSOR || outputs[i]->storage->fence != fence);
}

static gboolean
start_whole (const GhloPrepared    *self,
             const GhloRunOptions  *options,
             GhloValue *const      *inputs,
             gsize                  n_inputs,
             GhloValue            **outputs,
             GhloFence            **fence,
             const GhloMonitor     *monitor,
             GError               **error)
{
  return self->executor->klass->whole_programs->start (self->whole, options, inputs, n_inputs, outputs, fence, monitor,
                                                       error);
}

/* Moves the outputs of the fallback, which are in host memory, to the device. */
static gboolean
place_outputs (const GhloPrepared  *self,
               GhloValue          **outputs,
               const GhloMonitor   *monitor,
               GError             **error)
{
  for (guint i = 0; i < self->n_outputs; i++)
    {
      g_autoptr (GhloValue) output = outputs[i];

      outputs[i] = ghlo_value_place (output, self->device, monitor, error);
      if (outputs[i] == NULL)
        {
          ghlo_values_clear (outputs, self->n_outputs);
          return FALSE;
        }
    }

  return TRUE;
}

/* Runs the whole program on the fallback, and waits for it. */
static gboolean
run_on_fallback (const GhloPrepared    *self,
                 const GhloRunOptions  *options,
                 GhloValue *const      *inputs,
                 gsize                  n_inputs,
                 GhloValue            **outputs,
                 const GhloMonitor     *monitor,
                 GError               **error)
{
  gint64 start = ghlo_run_profile_now (), nanoseconds;
  g_autoptr (GhloFence) fence = NULL;
  gboolean ok = place_inputs (options, inputs, n_inputs, monitor, error)
                && start_whole (self, options, inputs, n_inputs, outputs, &fence, monitor, error)
                && ghlo_fence_wait (fence, NULL, error);

  nanoseconds = ghlo_run_profile_now () - start;
  if (options != NULL && options->fallback_time != NULL)
    *options->fallback_time += nanoseconds / 1000;
  if (options != NULL && options->profile != NULL)
    {
      ghlo_run_profile_begin (options->profile, 1);
      ghlo_run_profile_add (options->profile, 0, nanoseconds);
    }

  return ok && (ghlo_device_core_is_host (self->device) || place_outputs (self, outputs, monitor, error));
}

/* Sets the fence of outputs that the queue has yet to write. An output that is an input is written already, or by
 * somebody else. */
static void
add_fence (const GhloPrepared  *self,
           GhloValue          **outputs,
           GhloFence          **fence)
{
  const GhloStepPlan *plan = self->plan != NULL ? ghlo_run_plan_get_plan (self->plan) : NULL;
  GhloDeviceQueue *queue = self->device->queue;

  *fence = queue->klass->add_fence (queue, GHLO_WAIT_FOR_RUN);
  for (guint i = 0; plan != NULL && i < self->n_outputs; i++)
    if (outputs[i]->storage != NULL && plan->aliased_inputs[i] == GHLO_STEP_NONE)
      {
        g_clear_pointer (&outputs[i]->storage->fence, ghlo_fence_unref);
        outputs[i]->storage->fence = *fence != NULL ? ghlo_fence_ref (*fence) : NULL;
      }
}

/* Starts a run whose inputs are on the device. */
static gboolean
start_placed (const GhloPrepared    *self,
              const GhloRunOptions  *options,
              GhloValue *const      *inputs,
              gsize                  n_inputs,
              GhloValue            **outputs,
              GhloFence            **fence,
              const GhloMonitor     *monitor,
              GError               **error)
{
  GhloDeviceQueue *queue = self->device->queue;
  gboolean ok;

  if (self->plan != NULL)
    ok = ghlo_run_plan_run (self->plan, options, inputs, outputs, monitor, error);
  else if (self->executor == self->device)
    ok = start_whole (self, options, inputs, n_inputs, outputs, fence, monitor, error);
  else
    ok = run_on_fallback (self, options, inputs, n_inputs, outputs, monitor, error);
  if (ok && self->plan == NULL)
    find_shared (self, outputs, *fence, options != NULL ? options->shared : NULL);
  if (self->whole != NULL && self->executor == self->device)
    return ok;
  if (ok && queue != NULL)
    add_fence (self, outputs, fence);
  /* The device is still busy with what was submitted. The caller is told of the end when there is none of it left,
   * so the process may end then, and the driver with it. */
  else if (queue != NULL)
    queue->klass->settle (queue);

  return ok;
}

/* For a device with memory of its own. Inputs that are already there are passed on without another reference, since the
 * device may take over those whose only reference the caller holds. */
static gboolean
start_on_device (const GhloPrepared    *self,
                 const GhloRunOptions  *options,
                 GhloValue *const      *inputs,
                 gsize                  n_inputs,
                 GhloValue            **outputs,
                 GhloFence            **fence,
                 const GhloMonitor     *monitor,
                 GError               **error)
{
  enum { FEW = 8 };             /* inputs, up to which nothing is allocated */
  GhloValue *few[FEW] = { NULL };
  g_autofree GhloValue **many = n_inputs > FEW ? g_new0 (GhloValue *, n_inputs) : NULL;
  GhloValue **placed = many != NULL ? many : few;
  gint64 start = g_get_monotonic_time ();
  gboolean ok = ghlo_device_core_check (self->device, error);

  for (gsize i = 0; i < n_inputs && ok; i++)
    {
      placed[i] = inputs[i];
      if (!ghlo_value_is_on (inputs[i], self->device))
        placed[i] = ghlo_value_place_read_only (inputs[i], self->device, monitor, error);
      ok = placed[i] != NULL;
    }
  add_time (options != NULL ? options->upload_time : NULL, start);
  ok = ok && start_placed (self, options, placed, n_inputs, outputs, fence, monitor, error);
  for (gsize i = 0; i < n_inputs; i++)
    if (placed[i] != NULL && placed[i] != inputs[i])
      ghlo_value_unref (placed[i]);

  return ok;
}

gboolean
ghlo_prepared_start (const GhloPrepared    *self,
                     const GhloRunOptions  *options,
                     GhloValue *const      *inputs,
                     gsize                  n_inputs,
                     GhloValue            **outputs,
                     GhloFence            **fence,
                     const GhloMonitor     *monitor,
                     GError               **error)
{
  const gint64 traced = ghlo_trace_begin ();
  gboolean ok;

  *fence = NULL;
  if (!ghlo_device_core_is_host (self->device))
    ok = start_on_device (self, options, inputs, n_inputs, outputs, fence, monitor, error);
  else
    ok = place_inputs (options, inputs, n_inputs, monitor, error)
         && start_placed (self, options, inputs, n_inputs, outputs, fence, monitor, error);
  ghlo_trace_end (traced, "run", self->device->names[0]);

  return ok;
}

gboolean
ghlo_prepared_run (const GhloPrepared    *self,
                   const GhloRunOptions  *options,
                   GhloValue *const      *inputs,
                   gsize                  n_inputs,
                   GhloValue            **outputs,
                   const GhloMonitor     *monitor,
                   GError               **error)
{
  g_autoptr (GhloFence) fence = NULL;

  if (!ghlo_prepared_start (self, options, inputs, n_inputs, outputs, &fence, monitor, error))
    return FALSE;
  /* The device handles cancellation. It must have finished with the caller's memory before this call returns, so the
   * wait itself is not cancelled. */
  if (ghlo_fence_wait (fence, NULL, error))
    return TRUE;
  ghlo_values_clear (outputs, self->n_outputs);

  return FALSE;
}

gsize
ghlo_prepared_get_size (const GhloPrepared *self)
{
  return self->plan == NULL && self->executor == self->device ? self->whole_size : 0;
}

GhloDeviceCore *
ghlo_prepared_get_device (const GhloPrepared *self)
{
  return self->device;
}

guint
ghlo_prepared_get_n_outputs (const GhloPrepared *self)
{
  return self->n_outputs;
}

const GhloStepPlan *
ghlo_prepared_get_plan (const GhloPrepared *self)
{
  return self->plan != NULL ? ghlo_run_plan_get_plan (self->plan) : NULL;
}

gboolean
ghlo_prepared_wait_for_code (const GhloPrepared  *self,
                             const GhloMonitor   *monitor,
                             GError             **error)
{
  const GhloStepPlan *plan = ghlo_prepared_get_plan (self);

  return plan == NULL || ghlo_step_plan_wait (plan, monitor, error);
}

char *
ghlo_prepared_describe (const GhloPrepared *self)
{
  if (self->plan != NULL)
    return ghlo_step_plan_print (ghlo_run_plan_get_plan (self->plan));

  return self->reason != NULL ? g_strdup_printf ("the %s executor runs the whole program: %s\n",
                                                  self->executor->klass->name, self->reason) : NULL;
}

gboolean
ghlo_prepared_is_interpreted (const GhloPrepared *self)
{
  return self->plan == NULL && self->reason == NULL;
}

gboolean
ghlo_prepared_measure (const GhloPrepared *self,
                       GhloRunFigures     *figures)
{
  if (ghlo_prepared_is_interpreted (self))
    return FALSE;
  if (self->plan != NULL)
    ghlo_run_plan_measure (self->plan, figures);
  else
    *figures = (GhloRunFigures) { .n_steps = 1, .n_fallback_steps = 1, .prepared_bytes = self->whole_size };
  /* Inputs occupy memory twice while they are being uploaded. */
  if (self->device->memory != NULL)
    figures->run_bytes += MIN (figures->input_bytes, self->device->memory->max_staged);

  return TRUE;
}
