/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The turns of a session: runs, copies and resets. A run takes the carried values out of the session, and stores
 * their successors once it has begun, before they are necessarily written. If the run fails later, the successors are
 * unusable, which the next run reports. If it does not begin, the carried values are put back.
 */

#include "client/session-core.h"

#include "base/ghlo-error.h"
#include "client/reclaim.h"
#include "runtime/place.h"

static GhloValue **
values_copy (GhloValue *const *values,
             guint             n)
{
  GhloValue **copy = g_new0 (GhloValue *, n);

  for (guint i = 0; i < n; i++)
    copy[i] = values[i] != NULL ? ghlo_value_ref (values[i]) : NULL;

  return copy;
}

GhloSessionBindings *
ghlo_session_bindings_new (guint n_inputs,
                           guint n_outputs)
{
  GhloSessionBindings *self = g_new0 (GhloSessionBindings, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->n_inputs = n_inputs;
  self->bound = g_new0 (GhloValue *, n_inputs);
  self->initial = g_new0 (GhloValue *, n_inputs);
  self->output = g_new0 (guint, n_inputs);
  self->n_outputs = n_outputs;
  self->donated_inputs = g_new (guint, n_outputs);
  self->targets = g_new0 (GhloValue *, n_outputs);
  for (guint i = 0; i < n_outputs; i++)
    self->donated_inputs[i] = GHLO_RUN_NO_INPUT;

  return self;
}

GhloSessionBindings *
ghlo_session_bindings_copy (GhloSessionBindings *self)
{
  GhloSessionBindings *copy = g_new0 (GhloSessionBindings, 1);

  g_atomic_ref_count_init (&copy->ref_count);
  copy->n_inputs = self->n_inputs;
  copy->bound = values_copy (self->bound, self->n_inputs);
  copy->initial = values_copy (self->initial, self->n_inputs);
  copy->output = g_memdup2 (self->output, self->n_inputs * sizeof *self->output);
  copy->n_outputs = self->n_outputs;
  copy->donated_inputs = g_memdup2 (self->donated_inputs, self->n_outputs * sizeof *self->donated_inputs);
  copy->targets = values_copy (self->targets, self->n_outputs);

  return copy;
}

void
ghlo_session_bindings_carry (GhloSessionBindings *self,
                             guint                output,
                             guint                input,
                             GhloValue           *initial)
{
  g_clear_pointer (&self->initial[input], ghlo_value_unref);
  self->initial[input] = initial;
  self->output[input] = output;

  /* The output that was carried into @input before may also be carried into other inputs, so rebuild the whole
   * table. */
  for (guint i = 0; i < self->n_outputs; i++)
    self->donated_inputs[i] = GHLO_RUN_NO_INPUT;
  for (guint i = 0; i < self->n_inputs; i++)
    if (self->initial[i] != NULL)
      self->donated_inputs[self->output[i]] = i;
}

GhloSessionBindings *
ghlo_session_bindings_ref (GhloSessionBindings *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_session_bindings_unref (GhloSessionBindings *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  ghlo_values_clear (self->bound, self->n_inputs);
  ghlo_values_clear (self->initial, self->n_inputs);
  ghlo_values_clear (self->targets, self->n_outputs);
  g_free (self->bound);
  g_free (self->initial);
  g_free (self->output);
  g_free (self->donated_inputs);
  g_free (self->targets);
  g_free (self);
}

GhloSessionCore *
ghlo_session_core_new (GhloExecutableCore *executable)
{
  GhloSessionCore *self = g_new0 (GhloSessionCore, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->executable = ghlo_executable_core_ref (executable);
  self->state = g_new0 (GhloValue *, executable->signature.type->rank);
  self->reset_after = g_new0 (guint64, executable->signature.type->rank);
  if (!ghlo_device_core_is_host (executable->device))
    self->placed = g_new0 (GhloSessionPlaced, executable->signature.type->rank);
  ghlo_serial_queue_init (&self->queue);

  return self;
}

GhloSessionCore *
ghlo_session_core_ref (GhloSessionCore *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

static void
placed_clear (GhloSessionPlaced *placed)
{
  g_clear_pointer (&placed->bound, ghlo_value_unref);
  g_clear_pointer (&placed->value, ghlo_value_unref);
}

void
ghlo_session_core_unref (GhloSessionCore *self)
{
  guint n_inputs = self->executable->signature.type->rank;

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  ghlo_values_clear (self->state, n_inputs);
  g_free (self->state);
  g_free (self->reset_after);
  for (guint i = 0; i < n_inputs && self->placed != NULL; i++)
    placed_clear (&self->placed[i]);
  g_free (self->placed);
  ghlo_serial_queue_clear (&self->queue);
  ghlo_reclaim_executable (self->executable);
  g_free (self);
}

typedef struct
{
  GhloSessionCore     *core;
  GhloSessionBindings *bindings;
  int                  input;
} Reset;

static void
reset_now (gpointer data)
{
  Reset *reset = data;

  for (guint i = 0; i < reset->bindings->n_inputs; i++)
    {
      if (reset->bindings->initial[i] == NULL || (reset->input >= 0 && (guint) reset->input != i))
        continue;
      reset->core->reset_after[i] = reset->core->n_runs;
      g_clear_pointer (&reset->core->state[i], ghlo_value_unref);
      reset->core->state[i] = ghlo_value_ref (reset->bindings->initial[i]);
    }
  ghlo_session_bindings_unref (reset->bindings);
  ghlo_session_core_unref (reset->core);
  g_free (reset);
}

void
ghlo_session_core_reset (GhloSessionCore     *self,
                         GhloSessionBindings *bindings,
                         int                  input)
{
  Reset *reset = g_new (Reset, 1);

  reset->core = ghlo_session_core_ref (self);
  reset->bindings = ghlo_session_bindings_ref (bindings);
  reset->input = input;
  ghlo_serial_queue_apply (&self->queue, reset_now, reset);
}

typedef struct
{
  GhloSessionCore *core;
  GhloSessionCall *call;     /* only its run number is still valid; NULL: drop all values */
} Drop;

static void
drop_now (gpointer data)
{
  g_autofree Drop *drop = data;
  GhloSessionCore *core = drop->core;

  for (guint i = 0; i < core->executable->signature.type->rank; i++)
    if (drop->call == NULL || core->reset_after[i] < drop->call->run)
      g_clear_pointer (&core->state[i], ghlo_value_unref);
  g_clear_pointer (&drop->call, g_atomic_rc_box_release);
  ghlo_session_core_unref (core);
}

void
ghlo_session_core_drop_state (GhloSessionCore *self,
                              GhloSessionCall *call)
{
  Drop *drop = g_new0 (Drop, 1);

  drop->core = ghlo_session_core_ref (self);
  if (call != NULL)
    drop->call = g_atomic_rc_box_acquire (call);
  ghlo_serial_queue_apply_next (&self->queue, drop_now, drop);
}

GhloSessionCall *
ghlo_session_call_new (GhloSessionCore     *core,
                       GhloSessionBindings *bindings)
{
  GhloSessionCall *self = g_atomic_rc_box_new0 (GhloSessionCall);

  self->core = ghlo_session_core_ref (core);
  self->bindings = bindings;

  return self;
}

void
ghlo_session_call_free (gpointer data)
{
  GhloSessionCall *self = data;

  if (self->inputs != NULL)
    ghlo_values_clear (self->inputs, self->bindings->n_inputs);
  g_free (self->inputs);
  g_clear_pointer (&self->previous, ghlo_fence_unref);
  ghlo_session_bindings_unref (self->bindings);
  ghlo_session_core_unref (self->core);
  g_atomic_rc_box_release (self);
}

/* A sync call whose wait for its turn was cancelled gets past the job's own check only when the cancellable was
 * reset in the meantime. */
static gboolean
check_turn (const GhloSessionCall  *self,
            GError                **error)
{
  if (self->in_turn)
    return TRUE;

  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the call was cancelled");

  return FALSE;
}

static void
set_lost (guint     input,
          GError  **error)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "the value carried into input %u was lost when a run was cancelled or failed: "
               "call Session.reset before the next run", input);
}

static gboolean
check_state (const GhloSessionCall  *self,
             guint                   input,
             GError                **error)
{
  const GhloValue *state = self->core->state[input];

  if (state != NULL && ghlo_fence_get_error (ghlo_value_get_fence (state)) == NULL)
    return TRUE;
  set_lost (input, error);

  return FALSE;
}

static gboolean
check_states (const GhloSessionCall  *self,
              GError                **error)
{
  for (guint i = 0; i < self->bindings->n_inputs; i++)
    if (self->bindings->initial[i] != NULL && !check_state (self, i, error))
      return FALSE;

  return TRUE;
}

/* Takes the carried values out of the session. */
static void
take_state (GhloSessionCall *self)
{
  for (guint i = 0; i < self->bindings->n_inputs; i++)
    if (self->bindings->initial[i] != NULL)
      {
        GhloFence *fence = ghlo_value_get_fence (self->core->state[i]);

        /* All values that are not written yet are written by the same run. */
        if (fence != NULL && self->previous == NULL)
          self->previous = ghlo_fence_ref (fence);
        self->inputs[i] = g_steal_pointer (&self->core->state[i]);
      }
}

/* For a run that did not begin. */
static void
give_state_back (GhloSessionCall *self)
{
  for (guint i = 0; i < self->bindings->n_inputs; i++)
    if (self->bindings->initial[i] != NULL)
      self->core->state[i] = g_steal_pointer (&self->inputs[i]);
  self->run = 0;
}

/* Whether runs write to the memory of @bound. */
static gboolean
is_target (const GhloSessionBindings *bindings,
           const GhloValue           *bound)
{
  for (guint i = 0; i < bindings->n_outputs; i++)
    if (bindings->targets[i] != NULL && bound->kind == GHLO_VALUE_TENSOR && bound->data != NULL
        && ghlo_value_overlaps (bindings->targets[i], bound->data, bound->n_bytes))
      return TRUE;

  return FALSE;
}

/* Uploads the bound values to the device, where they stay for later runs. */
static gboolean
place_bound (GhloSessionCall    *self,
             const GhloMonitor  *monitor,
             GError            **error)
{
  GhloDeviceCore *device = self->core->executable->device;

  for (guint i = 0; i < self->bindings->n_inputs && self->core->placed != NULL; i++)
    {
      GhloSessionPlaced *placed = &self->core->placed[i];
      GhloValue *bound = self->bindings->bound[i];

      if (bound == NULL || ghlo_value_is_on (bound, device) || is_target (self->bindings, bound))
        continue;
      if (placed->bound != bound)
        {
          gint64 start = g_get_monotonic_time ();

          placed_clear (placed);
          placed->value = ghlo_value_place_read_only (bound, device, monitor, error);
          if (placed->value == NULL)
            return FALSE;
          placed->bound = ghlo_value_ref (bound);
          self->upload_time += g_get_monotonic_time () - start;
        }
      ghlo_value_unref (self->inputs[i]);
      self->inputs[i] = ghlo_value_ref (placed->value);
    }

  return TRUE;
}

/* Stores the carried outputs for the next run. */
static gboolean
keep_state (GhloSessionCall  *self,
            GhloRunResult    *run_result,
            GError          **error)
{
  for (guint i = 0; i < self->bindings->n_inputs; i++)
    {
      guint output = self->bindings->output[i];

      if (self->bindings->initial[i] == NULL)
        continue;
      self->core->state[i] = ghlo_signature_accept_input (&self->core->executable->signature, i,
                                                          run_result->outputs[output], error);
      if (self->core->state[i] == NULL)
        {
          g_prefix_error (error, "output %u cannot be carried into input %u: ", output, i);
          ghlo_values_clear (self->core->state, i);
          return FALSE;
        }
      /* Otherwise the next run would find that the session does not own the value exclusively. */
      g_clear_pointer (&self->inputs[i], ghlo_value_unref);
    }

  return TRUE;
}

/* Drops the outputs that are carried, and those that the caller already has in memory of its own. */
static void
leave_out (const GhloSessionBindings *bindings,
           GhloRunResult             *run_result)
{
  run_result->n_outputs = 0;
  for (guint i = 0; i < bindings->n_outputs; i++)
    if (bindings->donated_inputs[i] != GHLO_RUN_NO_INPUT || bindings->targets[i] != NULL)
      ghlo_value_unref (run_result->outputs[i]);
    else
      run_result->outputs[run_result->n_outputs++] = run_result->outputs[i];
}

gpointer
ghlo_session_call_run (gpointer            call,
                       const GhloMonitor  *monitor,
                       GError            **error)
{
  GhloSessionCall *self = call;
  gboolean begun = FALSE;
  GhloRunOptions options = { .donated_inputs = self->bindings->donated_inputs, .targets = self->bindings->targets,
                             .bound = self->bindings->bound, .begun = &begun };
  GhloRunResult *run_result;

  if (!check_turn (self, error) || !check_states (self, error) || !place_bound (self, monitor, error))
    return NULL;
  if (self->is_profiled)
    options.profile = ghlo_run_profile_new ();
  self->run = ++self->core->n_runs;
  take_state (self);
  run_result = ghlo_run_start (self->core->executable, self->inputs, &options, monitor, error);
  if (run_result == NULL && !begun)
    give_state_back (self);
  if (run_result == NULL)
    return NULL;
  if (!keep_state (self, run_result, error))
    {
      ghlo_run_result_free (run_result);
      return NULL;
    }
  leave_out (self->bindings, run_result);

  return run_result;
}

/* Returns the first input that an output is carried into. */
static guint
find_carried (const GhloSessionBindings *bindings)
{
  guint input = 0;

  while (bindings->initial[input] == NULL)
    input++;

  return input;
}

gboolean
ghlo_session_call_finish (gpointer   call,
                          gpointer   run_result,
                          GError   **error)
{
  GhloSessionCall *self = call;
  g_autoptr (GError) problem = NULL;

  if (ghlo_run_finish (self->core->executable, run_result, &problem))
    {
      ((GhloRunResult *) run_result)->upload_time += self->upload_time;
      return TRUE;
    }
  /* A run that was requested before its predecessor failed reports the same error as if it were requested now. */
  if (ghlo_fence_get_error (self->previous) != NULL)
    set_lost (find_carried (self->bindings), error);
  else
    g_propagate_error (error, g_steal_pointer (&problem));

  return FALSE;
}

void
ghlo_session_call_cancelled (gpointer call)
{
  GhloSessionCall *self = call;

  ghlo_session_core_drop_state (self->core, self);
}

gpointer
ghlo_session_call_copy (gpointer            call,
                        const GhloMonitor  *monitor,
                        GError            **error)
{
  GhloSessionCall *self = call;
  GhloDeviceCore *device = self->core->executable->device;
  g_autoptr (GhloValue) placed = NULL, copy = NULL;

  if (!check_turn (self, error) || !check_state (self, self->input, error))
    return NULL;
  /* An initial value may be in any memory. */
  placed = ghlo_value_place (self->core->state[self->input], device, monitor, error);
  if (placed != NULL)
    copy = ghlo_value_copy (placed, device, error);
  if (copy == NULL)
    return NULL;
  if (ghlo_fence_wait (ghlo_value_get_fence (copy), monitor, error))
    return g_steal_pointer (&copy);
  /* The run that was to write the value may have failed in the meantime. */
  if (!check_state (self, self->input, NULL))
    {
      g_clear_error (error);
      set_lost (self->input, error);
    }

  return NULL;
}

/* The turn of a call on a worker. */
typedef struct
{
  GhloSessionCore *core;
  GhloSessionCall *call;     /* valid at least until func returns */
  GFunc            func;
  gpointer         work;
} Turn;

static void
turn_work (gpointer data)
{
  g_autofree Turn *turn = data;

  turn->call->in_turn = TRUE;
  turn->func (turn->work, NULL);
  ghlo_serial_queue_end (&turn->core->queue);
  ghlo_session_core_unref (turn->core);
}

gboolean
ghlo_session_call_push (gpointer   call,
                        GFunc      func,
                        gpointer   work,
                        GError   **error)
{
  GhloSessionCall *self = call;
  GhloSessionCore *core = self->core;
  Turn *turn = g_new (Turn, 1);

  turn->core = ghlo_session_core_ref (core);
  turn->call = self;
  turn->func = func;
  turn->work = work;
  if (ghlo_serial_queue_push (&core->queue, turn_work, turn, error))
    return TRUE;
  ghlo_session_core_unref (turn->core);
  g_free (turn);

  return FALSE;
}
