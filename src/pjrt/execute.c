/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs an executable, from buffers to buffers, within the call or in the queue of its devices.
 */

#include "pjrt/execute.h"

#include <math.h>

#include "base/fail.h"
#include "client/run.h"
#include "client/workers.h"
#include "pjrt/buffer.h"
#include "pjrt/context.h"
#include "pjrt/error.h"
#include "pjrt/event.h"
#include "pjrt/queue.h"

/* Upper bounds for executions that run within the call. The first is about the time that it takes to have another
 * thread do the work. The second applies when the caller is expected to wait, and is ten times what the handover
 * takes when processors have other work. It is bounded since the caller may only poll for the end and draw frames in
 * the meantime. */
#define SHORT_SECONDS 50e-6
#define AWAITED_SECONDS 10e-3

/* A run that continues after the call that began it. */
typedef struct
{
  GhloExecutableCore  *core;            /* owned, as are all fields */
  GhloRunResult         *run_result;
  PJRT_ExecuteContext *context;         /* nullable */
} Running;

static void
finish (gpointer data)
{
  Running *running = data;

  ghlo_run_finish (running->core, running->run_result, NULL);
  ghlo_run_result_free (running->run_result);
  ghlo_executable_core_unref (running->core);
  g_clear_pointer (&running->context, ghlo_pjrt_context_unref);
  g_free (running);
}

/* One execution, on one device. */
typedef struct
{
  PJRT_Executable  *executable; /* owned when the execution is in the queue, otherwise borrowed */
  PJRT_Device      *device;     /* the device on which it runs and to which its outputs belong */
  PJRT_ExecuteContext *context; /* owned, nullable */
  GhloPjrtFuture **inputs;     /* owned with its members, which are NULL for tokens */
  GhloPjrtFuture **outputs;    /* owned with its members, as is end; NULL when the execution is not in the queue */
  GhloFence        *end;
  guint             number;     /* in the client's history; 0: not counted there */
} Execution;

/* Returns, by input, whether a run may take its memory: the program allows it and the caller does not forbid it.
 * NULL when there is no such input. */
static gboolean *
list_given_up (const PJRT_Executable     *executable,
               const PJRT_ExecuteOptions *options)        /* nullable */
{
  const guint n = executable->n_inputs;
  gboolean *given_up;

  if (!executable->donates)
    return NULL;
  given_up = g_memdup2 (executable->is_donated, n * sizeof *given_up);
  for (gsize i = 0; options != NULL && PJRT_HAS (options, num_non_donatable_input_indices)
       && i < options->num_non_donatable_input_indices; i++)
    if (options->non_donatable_input_indices[i] >= 0 && options->non_donatable_input_indices[i] < n)
      given_up[options->non_donatable_input_indices[i]] = FALSE;

  return given_up;
}

/* Checks that no buffer that is given up is also another input. */
static gboolean
check_once (const PJRT_Executable  *executable,
            const gboolean         *given_up,
            PJRT_Buffer *const     *arguments,
            GError                **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < executable->n_inputs; i++)
    {
      gpointer first;

      if (!g_hash_table_lookup_extended (seen, arguments[i], NULL, &first))
        g_hash_table_insert (seen, arguments[i], GUINT_TO_POINTER (i));
      else if (given_up[i] || given_up[GPOINTER_TO_UINT (first)])
        {
          g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                       "inputs %u and %u are the same buffer, which is donated: pass a donated buffer only once",
                       GPOINTER_TO_UINT (first), i);
          return FALSE;
        }
    }

  return TRUE;
}

gboolean
ghlo_pjrt_give_up_inputs (const PJRT_Executable      *executable,
                          const PJRT_ExecuteOptions  *options,
                          PJRT_Buffer *const         *arguments,
                          GError                    **error)
{
  g_autofree gboolean *given_up = list_given_up (executable, options);

  if (given_up == NULL)
    return TRUE;
  if (!check_once (executable, given_up, arguments, error))
    return FALSE;
  for (guint i = 0; i < executable->n_inputs; i++)
    {
      GhloPjrtFuture *future = given_up[i] ? ghlo_pjrt_buffer_give_up (arguments[i]) : NULL;

      if (future != NULL)
        ghlo_pjrt_future_unref (future);
    }

  return TRUE;
}

gboolean
ghlo_pjrt_check_input (const PJRT_Executable  *executable,
                       guint                   input,
                       const PJRT_Buffer      *argument,
                       GError                **error)
{
  const PJRT_Layouts_MemoryLayout *layout = executable->layouts[input];

  if (executable->shardings == NULL && ghlo_pjrt_layout_is_row_major (layout))
    {
      if (!ghlo_signature_check_tensor (&executable->core->signature, input, argument->type, error))
        return FALSE;
    }
  else if (!ghlo_tensor_type_equal (argument->type, executable->types[input]))
    {
      g_autofree char *expected = ghlo_tensor_type_to_string (executable->types[input]);
      g_autofree char *found = ghlo_tensor_type_to_string (argument->type);

      return ghlo_invalid (error, "expected %s for input %u, found %s", expected, input, found);
    }
  if (!ghlo_pjrt_layout_equal (argument->layout, layout))
    return ghlo_invalid (error, "expected the layout %s of input %u, found %s", ghlo_pjrt_layout_get_text (layout),
                         input, ghlo_pjrt_layout_get_text (argument->layout));

  return TRUE;
}

/* Checks all inputs before any is given up. */
static gboolean
take_inputs (Execution                  *self,
             const PJRT_ExecuteOptions  *options,
             PJRT_Buffer *const         *arguments,
             GError                    **error)
{
  const PJRT_Executable *executable = self->executable;

  for (guint i = 0; i < executable->n_inputs; i++)
    {
      if (executable->is_token[i])
        continue;
      self->inputs[i] = ghlo_pjrt_buffer_hold (arguments[i], error);
      if (self->inputs[i] == NULL)
        {
          g_prefix_error (error, "input %u cannot be used: ", i);
          return FALSE;
        }
      if (!ghlo_pjrt_check_input (executable, i, arguments[i], error))
        return FALSE;
    }

  return ghlo_pjrt_give_up_inputs (executable, options, arguments, error);
}

/* Gets the values of the inputs, waiting for them. Inputs that are given up are then owned by this execution alone. */
static gboolean
take_values (Execution  *self,
             GhloValue **values,
             GError    **error)
{
  const GhloSignature *signature = &self->executable->core->signature;

  for (guint i = 0; i < self->executable->n_inputs; i++)
    {
      g_autoptr (GhloValue) value = NULL;

      if (self->executable->is_token[i])
        {
          values[i] = ghlo_value_new_token ();
          continue;
        }
      value = ghlo_pjrt_future_take (g_steal_pointer (&self->inputs[i]), error);
      if (value == NULL)
        return FALSE;
      values[i] = ghlo_signature_accept_input (signature, i, value, error);
      if (values[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

/* Starts the run. It continues after this function where the device runs asynchronously. */
static GhloRunResult *
run (Execution  *self,
     GError    **error)
{
  const GhloRunOptions options = { .donated_inputs = self->executable->donated_inputs, .context = self->context };
  const guint n = self->executable->n_inputs;
  g_autofree GhloValue **values = g_new0 (GhloValue *, n);
  GhloRunResult *run_result = NULL;
  /* Nobody asks for the time of short executions. */
  const gboolean is_timed = self->executable->seconds > SHORT_SECONDS;

  if (take_values (self, values, error))
    {
      const gint64 begin = is_timed ? g_get_monotonic_time () : 0;

      run_result = ghlo_run_start (self->executable->core, values, &options, NULL, error);
      if (is_timed)
        g_atomic_int_set (&self->executable->took, (gint) MIN (g_get_monotonic_time () - begin, G_MAXINT));
    }
  ghlo_values_clear (values, n);

  return run_result;
}

/* Returns the value that the caller gets for @output. Transfer full. */
static GhloValue *
external_value (const PJRT_Executable  *executable,
                GhloRunResult          *run_result,
                guint                   output,
                GError                **error)
{
  const guint i = executable->n_inputs + output;

  if (executable->is_token[i])
    return ghlo_value_new_tensor (executable->types[i], error);

  return ghlo_value_ref (run_result->outputs[output]);
}

static void
free_buffers (PJRT_Buffer **buffers,
              guint         n)
{
  for (guint i = 0; i < n; i++)
    ghlo_pjrt_buffer_free (buffers[i]);
}

static void
mark_output (const PJRT_Executable *executable,
             guint                  output,
             PJRT_Buffer           *buffer)
{
  const guint i = executable->n_inputs + output;

  ghlo_pjrt_buffer_lay_out (buffer, executable->types[i], executable->layouts[i]);
  buffer->is_token = executable->is_token[i];
  buffer->memory = buffer->device->memories[executable->memories[i]];
}

static gboolean
make_outputs (const Execution  *self,
              GhloRunResult    *run_result,
              PJRT_Buffer     **outputs,
              GError          **error)
{
  const PJRT_Executable *executable = self->executable;

  for (guint i = 0; i < executable->n_outputs; i++)
    {
      GhloValue *value = external_value (executable, run_result, i, error);

      if (value == NULL)
        {
          free_buffers (outputs, i);
          return FALSE;
        }
      outputs[i] = ghlo_pjrt_buffer_new_value (self->device, value);
      outputs[i]->execution = self->number;
      mark_output (executable, i, outputs[i]);
    }

  return TRUE;
}

/* Runs within the call. On success the outputs are there, and *@fence is the rest of the run (transfer full). */
static gboolean
execute_here (Execution    *self,
              PJRT_Buffer **outputs,
              GhloFence   **fence,
              GError      **error)
{
  g_autoptr (GhloRunResult) run_result = run (self, error);
  Running *running;

  if (run_result == NULL || !make_outputs (self, run_result, outputs, error))
    return FALSE;
  if (ghlo_run_result_get_fence (run_result) == NULL)
    {
      if (ghlo_run_finish (self->executable->core, run_result, error))
        return TRUE;
      free_buffers (outputs, self->executable->n_outputs);
      return FALSE;
    }
  *fence = ghlo_fence_ref (ghlo_run_result_get_fence (run_result));
  ghlo_run_result_release_outputs (run_result);
  running = g_new (Running, 1);
  running->core = ghlo_executable_core_ref (self->executable->core);
  running->run_result = g_steal_pointer (&run_result);
  running->context = g_steal_pointer (&self->context);
  ghlo_fence_notify (*fence, finish, running);

  return TRUE;
}

static gboolean
set_futures (Execution  *self,
             GError    **error)
{
  const PJRT_Executable *executable = self->executable;
  g_autoptr (GhloRunResult) run_result = run (self, error);

  if (run_result == NULL || !ghlo_run_finish (executable->core, run_result, error))
    return FALSE;
  for (guint i = 0; i < executable->n_outputs; i++)
    {
      GhloValue *value = external_value (executable, run_result, i, error);

      if (value == NULL)
        return FALSE;
      ghlo_pjrt_future_set (self->outputs[i], value);
    }

  return TRUE;
}

/* Runs in its turn. Everything that the run needed is released before the end is signalled. */
static void
execute_queued (gpointer data)
{
  Execution *self = data;
  PJRT_Executable *executable = self->executable;
  GError *error = NULL;

  set_futures (self, &error);
  ghlo_pjrt_futures_clear (self->inputs, executable->n_inputs);
  ghlo_pjrt_futures_clear (self->outputs, executable->n_outputs);
  ghlo_fence_signal (self->end, error);
  ghlo_fence_unref (self->end);
  g_clear_pointer (&self->context, ghlo_pjrt_context_unref);
  g_free (self->inputs);
  g_free (self->outputs);
  g_free (self);
  ghlo_pjrt_executable_unref (executable);
}

/* Whether all inputs are ready. */
static gboolean
is_ready (gpointer data)
{
  const Execution *self = data;

  return ghlo_pjrt_futures_are_ready (self->inputs, self->executable->n_inputs);
}

PJRT_Buffer *
ghlo_pjrt_execute_future (const PJRT_Executable *executable,
                          PJRT_Device           *device,
                          guint                  output,
                          GhloPjrtFuture        *future)
{
  GhloTensorType *type = executable->types[executable->n_inputs + output];
  PJRT_Buffer *buffer = ghlo_pjrt_buffer_new_future (device, type, future);

  mark_output (executable, output, buffer);

  return buffer;
}

/* Puts the execution in the queue. The outputs are futures. */
static void
enqueue (Execution    *execution,
         PJRT_Buffer **outputs,
         GhloFence   **fence)
{
  static const GhloPjrtQueueClass klass = { execute_queued, is_ready };
  PJRT_Executable *executable = execution->executable;
  Execution *self = g_memdup2 (execution, sizeof *execution);

  execution->inputs = NULL;
  execution->context = NULL;
  ghlo_pjrt_executable_ref (executable);
  self->end = ghlo_fence_new ();
  self->outputs = g_new (GhloPjrtFuture *, executable->n_outputs);
  for (guint i = 0; i < executable->n_outputs; i++)
    {
      self->outputs[i] = ghlo_pjrt_future_new_unset (self->end);
      outputs[i] = ghlo_pjrt_execute_future (executable, self->device, i, ghlo_pjrt_future_ref (self->outputs[i]));
      outputs[i]->execution = self->number;
    }
  *fence = ghlo_fence_ref (self->end);
  ghlo_pjrt_futures_add_dependency (self->inputs, executable->n_inputs, executable->client->queue);
  ghlo_pjrt_queue_push (executable->client->queue, &klass, self, executable->calls_host);
}

/* Returns the pending work of an input that has already failed, or NULL. */
static GhloFence *
find_failure (const Execution *self)
{
  for (guint i = 0; i < self->executable->n_inputs; i++)
    if (self->inputs[i] != NULL && self->inputs[i]->is_unset
        && ghlo_fence_get_error (self->inputs[i]->fence) != NULL)
      return self->inputs[i]->fence;

  return NULL;
}

/* Makes the outputs fail with the error of the input. */
static void
fail (const Execution  *self,
      GhloFence        *failure,
      PJRT_Buffer     **outputs,
      GhloFence       **fence)
{
  const PJRT_Executable *executable = self->executable;

  for (guint i = 0; i < executable->n_outputs; i++)
    outputs[i] = ghlo_pjrt_execute_future (executable, self->device, i, ghlo_pjrt_future_new_unset (failure));
  *fence = ghlo_fence_ref (failure);
}

/* Predicts the time of an execution in seconds, for a caller that waits in any case. This includes the time of the
 * last execution: with its data in caches, a program takes less than estimated. */
static double
predict (const PJRT_Executable *executable)
{
  if (executable->calls_host)
    return INFINITY;

  return MIN (executable->seconds, g_atomic_int_get (&executable->took) * 1e-6);
}

/* Whether to run within the call rather than in the queue. That is so where the device orders its work by itself,
 * where the caller is the queue's own thread, and where all inputs are ready and either the program is short or its
 * caller is going to wait for it anyway. */
static gboolean
is_done_here (Execution *self)
{
  PJRT_Executable *executable = self->executable;
  gboolean is_awaited;

  if (executable->client->queue == NULL || ghlo_pjrt_on_queue_thread ())
    return TRUE;
  if (executable->seconds <= SHORT_SECONDS)
    return is_ready (self);
  self->number = ghlo_wait_history_begin (&executable->client->history, &executable->streak, &is_awaited);

  return is_awaited && predict (executable) <= AWAITED_SECONDS && is_ready (self);
}

/* A queued execution takes over inputs and context, and leaves NULL in @self. */
static gboolean
begin (Execution    *self,
       PJRT_Buffer **outputs,
       GhloFence   **fence,
       GError      **error)
{
  GhloFence *failure = find_failure (self);

  if (failure != NULL)
    fail (self, failure, outputs, fence);
  else if (is_done_here (self))
    return execute_here (self, outputs, fence, error);
  else
    enqueue (self, outputs, fence);

  return TRUE;
}

static PJRT_Error *
check (const PJRT_LoadedExecutable_Execute_Args *args)
{
  const PJRT_Executable *executable = args->executable->executable;

  if (g_atomic_int_get (&args->executable->is_deleted))
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "the executable was deleted");
  if (args->num_devices != executable->n_devices)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected arguments for %u devices, found %zu",
                                executable->n_devices, args->num_devices);
  if (args->execute_device != NULL && executable->n_devices > 1)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT,
                                "expected no execute_device for a program of %u devices, found %s",
                                executable->n_devices, args->execute_device->description.name);
  if (args->options != NULL && PJRT_HAS (args->options, num_recv_ops)
      && (args->options->num_send_ops > 0 || args->options->num_recv_ops > 0))
    return ghlo_pjrt_error_new (PJRT_Error_Code_UNIMPLEMENTED,
                                "GHLO does not support callbacks that send to and receive from the host");
  if (args->num_args != executable->n_inputs)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected %u arguments for this program, found %zu",
                                executable->n_inputs, args->num_args);

  return NULL;
}

/* Executes on the only device of an executable. *@fence is the work that continues (transfer full). */
static void
execute_one (const PJRT_LoadedExecutable_Execute_Args  *args,
             GhloFence                                **fence,
             GError                                   **error)
{
  Execution execution = { NULL };

  execution.executable = args->executable->executable;
  execution.device = args->execute_device != NULL ? args->execute_device : execution.executable->devices[0];
  execution.context = ghlo_pjrt_context_of (args->options);
  execution.inputs = g_new0 (GhloPjrtFuture *, args->num_args);
  if (take_inputs (&execution, args->options, args->argument_lists[0], error))
    begin (&execution, args->output_lists[0], fence, error);
  if (execution.inputs != NULL)
    ghlo_pjrt_futures_clear (execution.inputs, args->num_args);
  g_free (execution.inputs);
  g_clear_pointer (&execution.context, ghlo_pjrt_context_unref);
}

/* Records running work by the number that the caller gave it. */
static void
add_launches (const PJRT_LoadedExecutable_Execute_Args *args,
              GhloFence                                *fence)
{
  const PJRT_Executable *executable = args->executable->executable;

  if (fence == NULL || executable->client->queue == NULL || args->options == NULL
      || !PJRT_HAS (args->options, launch_id) || args->options->launch_id == 0)
    return;
  for (guint i = 0; i < executable->n_devices; i++)
    ghlo_pjrt_device_add_launch (args->execute_device != NULL ? args->execute_device : executable->devices[i],
                                 args->options->launch_id, fence);
}

static PJRT_Error *
execute (PJRT_LoadedExecutable_Execute_Args *args)
{
  g_autoptr (GhloFence) fence = NULL;
  GError *error = NULL;
  PJRT_Error *refusal;

  PJRT_NEEDS (args, execute_device);
  refusal = check (args);
  if (refusal != NULL)
    return refusal;
  if (!ghlo_workers_check (&error))
    return ghlo_pjrt_error_take (error);

  if (args->num_devices == 1)
    execute_one (args, &fence, &error);
  else
    fence = ghlo_pjrt_execute_partitions (args, &error);
  if (error != NULL)
    return ghlo_pjrt_error_take (error);
  add_launches (args, fence);
  for (gsize i = 0; args->device_complete_events != NULL && i < args->num_devices; i++)
    args->device_complete_events[i] = ghlo_pjrt_event_new (fence);

  return NULL;
}

void
ghlo_pjrt_execute_add_functions (PJRT_Api *api)
{
  api->PJRT_LoadedExecutable_Execute = execute;
}
