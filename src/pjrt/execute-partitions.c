/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a program on several PJRT devices that share one device: the inputs are assembled from the parts that the
 * devices hold, the program runs once on all processors, and each device gets its parts of the outputs.
 */

#include "pjrt/execute.h"

#include "client/run.h"
#include "pjrt/buffer.h"
#include "pjrt/context.h"
#include "pjrt/queue.h"

typedef struct
{
  PJRT_Executable  *executable; /* owned, as are the fields below */
  PJRT_ExecuteContext *context; /* nullable */
  GhloPjrtFuture **inputs;     /* by device and input */
  GhloPjrtFuture **outputs;    /* by device and output */
  GhloFence        *end;
} Execution;

static void
execution_free (Execution *self)
{
  PJRT_Executable *executable = self->executable;

  ghlo_pjrt_futures_clear (self->inputs, (gsize) executable->n_devices * executable->n_inputs);
  ghlo_pjrt_futures_clear (self->outputs, (gsize) executable->n_devices * executable->n_outputs);
  g_free (self->inputs);
  g_free (self->outputs);
  g_clear_pointer (&self->end, ghlo_fence_unref);
  g_clear_pointer (&self->context, ghlo_pjrt_context_unref);
  g_free (self);
  ghlo_pjrt_executable_unref (executable);
}

static gboolean
hold_input (Execution    *self,
            gsize         at,
            PJRT_Buffer  *argument,
            GError      **error)
{
  const PJRT_Executable *executable = self->executable;
  const guint device = (guint) (at / executable->n_inputs), input = (guint) (at % executable->n_inputs);

  self->inputs[at] = ghlo_pjrt_buffer_hold (argument, error);
  if (self->inputs[at] == NULL)
    {
      g_prefix_error (error, "input %u of device %u cannot be used: ", input, device);
      return FALSE;
    }
  if (ghlo_pjrt_check_input (executable, input, argument, error))
    return TRUE;
  g_prefix_error (error, "device %u: ", device);

  return FALSE;
}

/* Checks all inputs before any is given up. */
static gboolean
take_inputs (Execution                                 *self,
             const PJRT_LoadedExecutable_Execute_Args  *args,
             GError                                   **error)
{
  const guint n = self->executable->n_inputs;

  for (gsize i = 0; i < args->num_devices * n; i++)
    if (!hold_input (self, i, args->argument_lists[i / n][i % n], error))
      return FALSE;
  for (gsize i = 0; i < args->num_devices; i++)
    if (!ghlo_pjrt_give_up_inputs (self->executable, args->options, args->argument_lists[i], error))
      return FALSE;

  return TRUE;
}

/* Returns the whole of input @index. */
static GhloValue *
assemble_input (Execution  *self,
                guint       index,
                GError    **error)
{
  const PJRT_Executable *executable = self->executable;
  const GhloPjrtSharding *sharding = executable->shardings[index];
  g_autofree GhloValue **parts = g_new0 (GhloValue *, executable->n_devices);
  g_autoptr (GhloValue) whole = NULL;
  gboolean ok = TRUE;

  if (executable->is_token[index])
    return ghlo_value_new_token ();
  for (guint i = 0; ok && i < executable->n_devices; i++)
    {
      GhloPjrtFuture **future = &self->inputs[(gsize) i * executable->n_inputs + index];

      parts[i] = ghlo_pjrt_future_take (g_steal_pointer (future), error);
      ok = parts[i] != NULL;
    }
  if (ok)
    whole = ghlo_pjrt_sharding_assemble (sharding, parts, error);
  ghlo_values_clear (parts, executable->n_devices);

  return whole != NULL ? ghlo_signature_accept_input (&executable->core->signature, index, whole, error) : NULL;
}

static GhloRunResult *
run (Execution  *self,
     GError    **error)
{
  const GhloRunOptions options = { .donated_inputs = self->executable->donated_inputs, .context = self->context };
  const guint n = self->executable->n_inputs;
  g_autofree GhloValue **values = g_new0 (GhloValue *, n);
  GhloRunResult *run_result = NULL;
  guint i = 0;

  while (i < n && (values[i] = assemble_input (self, i, error)) != NULL)
    i++;
  if (i == n)
    run_result = ghlo_run_start (self->executable->core, values, &options, NULL, error);
  ghlo_values_clear (values, n);

  return run_result;
}

static gboolean
keep_output (Execution     *self,
             guint          index,
             GhloRunResult *run_result,
             GError       **error)
{
  const PJRT_Executable *executable = self->executable;
  const guint i = executable->n_inputs + index;

  for (guint device = 0; device < executable->n_devices; device++)
    {
      GhloValue *part = executable->is_token[i]
                        ? ghlo_value_new_tensor (executable->types[i], error)
                        : ghlo_pjrt_sharding_split (executable->shardings[i], run_result->outputs[index], device,
                                                    error);

      if (part == NULL)
        return FALSE;
      ghlo_pjrt_future_set (self->outputs[(gsize) device * executable->n_outputs + index], part);
    }

  return TRUE;
}

static gboolean
set_futures (Execution  *self,
             GError    **error)
{
  g_autoptr (GhloRunResult) run_result = run (self, error);

  if (run_result == NULL || !ghlo_run_finish (self->executable->core, run_result, error))
    return FALSE;
  for (guint i = 0; i < self->executable->n_outputs; i++)
    if (!keep_output (self, i, run_result, error))
      return FALSE;

  return TRUE;
}

/* Runs in its turn. Everything that the run needed is released before the end is signalled. */
static void
execute (gpointer data)
{
  Execution *self = data;
  g_autoptr (GhloFence) end = g_steal_pointer (&self->end);
  PJRT_Executable *executable = ghlo_pjrt_executable_ref (self->executable);
  GError *error = NULL;

  set_futures (self, &error);
  execution_free (self);
  ghlo_fence_signal (end, error);
  ghlo_pjrt_executable_unref (executable);
}

static gboolean
is_ready (gpointer data)
{
  const Execution *self = data;

  return ghlo_pjrt_futures_are_ready (self->inputs,
                                      (gsize) self->executable->n_devices * self->executable->n_inputs);
}

/* Creates the output buffers, which are futures. */
static void
make_outputs (Execution           *self,
              PJRT_Buffer **const *lists)
{
  const PJRT_Executable *executable = self->executable;

  for (guint i = 0; i < executable->n_devices; i++)
    for (guint j = 0; j < executable->n_outputs; j++)
      {
        GhloPjrtFuture *future = ghlo_pjrt_future_new_unset (self->end);

        self->outputs[(gsize) i * executable->n_outputs + j] = future;
        lists[i][j] = ghlo_pjrt_execute_future (executable, executable->devices[i], j,
                                                ghlo_pjrt_future_ref (future));
      }
}

GhloFence *
ghlo_pjrt_execute_partitions (const PJRT_LoadedExecutable_Execute_Args  *args,
                              GError                                   **error)
{
  static const GhloPjrtQueueClass klass = { execute, is_ready };
  PJRT_Executable *executable = args->executable->executable;
  GhloPjrtQueue *queue = executable->client->queue;
  const gsize n_inputs = (gsize) executable->n_devices * executable->n_inputs;
  Execution *self = g_new0 (Execution, 1);
  GhloFence *fence;

  self->executable = ghlo_pjrt_executable_ref (executable);
  self->context = ghlo_pjrt_context_of (args->options);
  self->inputs = g_new0 (GhloPjrtFuture *, n_inputs);
  self->outputs = g_new0 (GhloPjrtFuture *, (gsize) executable->n_devices * executable->n_outputs);
  if (!take_inputs (self, args, error))
    {
      execution_free (self);
      return NULL;
    }
  self->end = ghlo_fence_new ();
  fence = ghlo_fence_ref (self->end);
  make_outputs (self, args->output_lists);
  ghlo_pjrt_futures_add_dependency (self->inputs, n_inputs, queue);
  ghlo_pjrt_queue_push (queue, &klass, self, executable->calls_host);

  return fence;
}
