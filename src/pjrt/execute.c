/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running an executable: from buffers to buffers.
 */

#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "client/run.h"
#include "client/workers.h"
#include "pjrt/buffer.h"
#include "pjrt/error.h"
#include "pjrt/event.h"
#include "pjrt/executable.h"

/* A run that goes on after the call that began it. */
typedef struct
{
  GhloExecutableCore *core;     /* owned, as the next */
  GhloOutcome        *outcome;
} Running;

static void
finish (gpointer data)
{
  Running *running = data;

  ghlo_run_finish (running->core, running->outcome, NULL);
  ghlo_outcome_free (running->outcome);
  ghlo_executable_core_unref (running->core);
  g_free (running);
}

/* One run, on one device. */
typedef struct
{
  PJRT_Executable           *executable;
  const PJRT_ExecuteOptions *options;   /* nullable */
  PJRT_Buffer *const        *arguments;
  GhloValue                **inputs;    /* as many as the program has, owned */
} Run;

/* Whether a run may take the memory of that input: the program allows it, the caller does not forbid it, and the buffer
 * is no other input as well. */
static gboolean
is_given_up (const Run *run,
             guint      input)
{
  const PJRT_ExecuteOptions *options = run->options;

  if (!run->executable->is_donated[input])
    return FALSE;
  if (options != NULL && PJRT_HAS (options, num_non_donatable_input_indices)
      && ghlo_dims_contain (options->non_donatable_input_indices, options->num_non_donatable_input_indices, input))
    return FALSE;
  for (guint i = 0; i < run->executable->n_inputs; i++)
    if (i != input && run->arguments[i] == run->arguments[input])
      return FALSE;

  return TRUE;
}

/* Checks all inputs before any is given up. */
static gboolean
take_inputs (Run     *run,
             GError **error)
{
  const GhloSignature *signature = &run->executable->core->signature;

  for (guint i = 0; i < run->executable->n_inputs; i++)
    {
      g_autoptr (GhloValue) value = NULL;

      if (run->executable->token_types[i] != NULL)
        {
          run->inputs[i] = ghlo_value_new_token ();
          continue;
        }
      value = ghlo_pjrt_buffer_take (run->arguments[i], FALSE, error);
      if (value == NULL)
        {
          g_prefix_error (error, "input %u cannot be used: ", i);
          return FALSE;
        }
      run->inputs[i] = ghlo_signature_accept_input (signature, i, value, error);
      if (run->inputs[i] == NULL)
        return FALSE;
    }
  for (guint i = 0; i < run->executable->n_inputs; i++)
    if (is_given_up (run, i))
      {
        GhloValue *value = ghlo_pjrt_buffer_take (run->arguments[i], TRUE, NULL);

        if (value != NULL)
          ghlo_value_unref (value);
      }

  return TRUE;
}

/* What the caller gets in place of @output, a value of the run's. */
static GhloValue *
value_at_border (const PJRT_Executable  *executable,
                 const GhloOutcome      *outcome,
                 guint                   output,
                 GError                **error)
{
  GhloTensorType *token = executable->token_types[executable->n_inputs + output];

  if (token != NULL)
    return ghlo_value_new_tensor (token, error);

  return ghlo_value_ref (outcome->outputs[output]);
}

static gboolean
make_outputs (const Run           *run,
              const GhloOutcome   *outcome,
              PJRT_Buffer        **outputs,
              GError             **error)
{
  for (guint i = 0; i < run->executable->n_outputs; i++)
    {
      GhloValue *value = value_at_border (run->executable, outcome, i, error);

      if (value == NULL)
        {
          while (i-- > 0)
            ghlo_pjrt_buffer_free (outputs[i]);
          return FALSE;
        }
      outputs[i] = ghlo_pjrt_buffer_new (run->executable->devices[0], value);
    }

  return TRUE;
}

/* TRUE: the outputs are there, and *pending, the caller's, is the rest of the run. */
static gboolean
start (Run           *run,
       PJRT_Buffer  **outputs,
       GhloPending  **pending,
       GError       **error)
{
  const GhloRunOptions options = { .replaced = run->executable->replaced };
  g_autoptr (GhloOutcome) outcome = NULL;
  Running *running;

  if (!take_inputs (run, error))
    return FALSE;
  outcome = ghlo_run_start (run->executable->core, run->inputs, &options, NULL, error);
  if (outcome == NULL || !make_outputs (run, outcome, outputs, error))
    return FALSE;
  if (ghlo_outcome_get_pending (outcome) == NULL)
    {
      *pending = NULL;
      return ghlo_run_finish (run->executable->core, outcome, error);
    }
  *pending = ghlo_pending_ref (ghlo_outcome_get_pending (outcome));
  running = g_new (Running, 1);
  running->core = ghlo_executable_core_ref (run->executable->core);
  running->outcome = g_steal_pointer (&outcome);
  ghlo_pending_notify (*pending, finish, running);

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
  if (args->num_args != executable->n_inputs)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected %u arguments for this program, found %zu",
                                executable->n_inputs, args->num_args);

  return NULL;
}

static PJRT_Error *
execute (PJRT_LoadedExecutable_Execute_Args *args)
{
  g_autoptr (GhloPending) pending = NULL;
  g_autofree GhloValue **inputs = NULL;
  GError *error = NULL;
  PJRT_Error *refusal;
  gboolean started;
  Run run;

  PJRT_NEEDS (args, execute_device);
  refusal = check (args);
  if (refusal != NULL)
    return refusal;
  if (!ghlo_workers_check (&error))
    return ghlo_pjrt_error_take (error);

  inputs = g_new0 (GhloValue *, args->num_args);
  run = (Run) {
    .executable = args->executable->executable, .options = args->options, .arguments = args->argument_lists[0],
    .inputs = inputs,
  };
  started = start (&run, args->output_lists[0], &pending, &error);
  ghlo_values_clear (inputs, args->num_args);
  if (!started)
    return ghlo_pjrt_error_take (error);
  if (args->device_complete_events != NULL)
    args->device_complete_events[0] = ghlo_pjrt_event_new (pending);

  return NULL;
}

void
ghlo_pjrt_execute_add_functions (PJRT_Api *api)
{
  api->PJRT_LoadedExecutable_Execute = execute;
}
