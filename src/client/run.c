/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running a compiled program. Wherever the device placed the outputs, the caller gets each of them in memory of its
 * own, or in memory that the caller brought.
 */

#include "client/run.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "base/new.h"
#include "client/reclaim.h"
#include "runtime/place.h"

/* Whether the tensor overlaps memory in which the caller wants some output. Memory of the library never does. */
static gboolean
is_wanted_there (const GhloRunOptions *options,
                 guint                 n_outputs,
                 const GhloValue      *value)
{
  gboolean wanted = FALSE;

  if (value->kind != GHLO_VALUE_TENSOR || value->storage->release == NULL || options->targets == NULL)
    return FALSE;
  for (guint i = 0; i < n_outputs && !wanted; i++)
    wanted = options->targets[i] != NULL
             && ghlo_value_overlaps (options->targets[i], value->data, value->n_bytes);

  return wanted;
}

/* Whether the output may stay in the memory where the device placed it. An output that shares memory with a
 * constant, an input that the caller keeps, or another output has to be copied: some languages give writable views
 * of outputs, through which a program could otherwise change the shared memory. */
static gboolean
may_stay (const GhloRunResult  *outcome,
          const GhloRunOptions *options,
          GhloValue *const     *inputs,
          guint                 output)
{
  guint input = options->donated_inputs != NULL ? options->donated_inputs[output] : GHLO_RUN_NO_INPUT;
  const GhloValue *memory = options->targets != NULL ? options->targets[output] : NULL;
  GhloValue *value = outcome->outputs[output];

  if (memory != NULL && value == memory)
    return TRUE;
  if (memory != NULL || (input != GHLO_RUN_NO_INPUT && value == inputs[input]))
    return !is_wanted_there (options, outcome->n_outputs, value);

  return !options->shared[output];
}

/* Gives each output memory of its own. This is done for all outputs before any is delivered, because a copy to the
 * caller's memory may overwrite the memory that another output is in. */
static gboolean
own_outputs (GhloRunResult         *outcome,
             GhloDeviceCore        *device,
             const GhloRunOptions  *options,
             GhloValue *const      *inputs,
             GError               **error)
{
  for (guint i = 0; i < outcome->n_outputs; i++)
    {
      GhloValue *value = outcome->outputs[i];
      GhloFence *fence;

      if (may_stay (outcome, options, inputs, i))
        continue;
      outcome->outputs[i] = ghlo_value_copy (value, device, error);
      ghlo_value_unref (value);
      if (outcome->outputs[i] == NULL)
        return FALSE;
      fence = ghlo_value_get_fence (outcome->outputs[i]);
      if (fence == NULL)
        continue;
      g_clear_pointer (&outcome->last, ghlo_fence_unref);
      outcome->last = ghlo_fence_ref (fence);
    }

  return TRUE;
}

static gboolean
deliver_output (GhloValue          *value,
                const GhloValue    *memory,
                guint               output,
                const GhloMonitor  *monitor,
                GError            **error)
{
  if (value->n_bytes != memory->n_bytes)
    {
      g_autofree char *text = ghlo_tensor_type_to_string (value->type);

      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "output %u cannot be written to the memory that it is bound to: expected %" G_GSIZE_FORMAT
                   " bytes, found %s, which has %" G_GSIZE_FORMAT, output, memory->n_bytes, text, value->n_bytes);
      return FALSE;
    }
  if (value->storage->device != NULL && value->data == NULL)
    return ghlo_storage_download (value->storage, memory->data, monitor, error);
  if (value->n_bytes > 0)
    memcpy (memory->data, value->data, value->n_bytes);

  return TRUE;
}

/* Copies outputs that the device did not write directly to the caller's memory. */
static gboolean
deliver (GhloRunResult         *outcome,
         const GhloRunOptions  *options,
         const GhloMonitor     *monitor,
         GError               **error)
{
  gint64 start = 0;

  for (guint i = 0; options->targets != NULL && i < outcome->n_outputs; i++)
    {
      GhloValue *value = outcome->outputs[i];

      if (options->targets[i] == NULL || value == options->targets[i])
        continue;
      if (!ghlo_fence_wait (outcome->last, NULL, error))
        return FALSE;
      if (start == 0 && value->storage->device != NULL)
        start = g_get_monotonic_time ();
      if (!deliver_output (value, options->targets[i], i, monitor, error))
        return FALSE;
    }
  if (start != 0)
    outcome->download_time = g_get_monotonic_time () - start;

  return TRUE;
}

static gboolean
start_outputs (GhloRunResult         *outcome,
               GhloExecutableCore    *executable,
               GhloValue *const      *inputs,
               const GhloRunOptions  *options,
               const GhloMonitor     *monitor,
               GError               **error)
{
  const GhloIrType *type = executable->signature.type;
  g_autofree gboolean *shared = g_new0 (gboolean, type->n_results + 1);
  GhloRunOptions own = *options;

  own.shared = shared;
  /* The outputs of a failed run are not ours to free. */
  if (!ghlo_prepared_start (executable->compilation->prepared, &own, inputs, type->rank, outcome->outputs,
                            &outcome->run, monitor, error))
    return FALSE;
  outcome->n_outputs = type->n_results;
  if (outcome->run != NULL)
    outcome->last = ghlo_fence_ref (outcome->run);

  return own_outputs (outcome, executable->device, &own, inputs, error)
         && deliver (outcome, options, monitor, error);
}

static void
count_run (GhloExecutableCore  *executable,
           const GhloRunResult *outcome,
           gint64               now,
           gboolean             success)
{
  ghlo_counters_add_run (executable->counters, now - outcome->start, success);
  ghlo_counters_add_run (executable->client_counters, now - outcome->start, success);
}

GhloRunResult *
ghlo_run_start (GhloExecutableCore    *executable,
                GhloValue *const      *inputs,
                const GhloRunOptions  *options,
                const GhloMonitor     *monitor,
                GError               **error)
{
  const GhloIrType *type = executable->signature.type;
  g_autoptr (GhloRunResult) outcome = ghlo_new0_with (GhloRunResult, type->n_results, GhloValue *);
  GhloRunOptions counted = options != NULL ? *options : (GhloRunOptions) { NULL };

  outcome->start = g_get_monotonic_time ();
  counted.fallback_time = &outcome->reference_time;
  counted.upload_time = &outcome->upload_time;
  if (counted.profile != NULL)
    {
      outcome->profile = counted.profile;
      outcome->executable = ghlo_executable_core_ref (executable);
    }
  if (start_outputs (outcome, executable, inputs, &counted, monitor, error))
    return g_steal_pointer (&outcome);
  count_run (executable, outcome, g_get_monotonic_time (), FALSE);

  return NULL;
}

/* Whether the run and its copies ended successfully. */
static gboolean
check_ends (const GhloRunResult  *outcome,
            GError              **error)
{
  if (!ghlo_fence_wait (outcome->run, NULL, error))
    return FALSE;
  for (guint i = 0; outcome->last != NULL && i < outcome->n_outputs; i++)
    if (!ghlo_fence_wait (ghlo_value_get_fence (outcome->outputs[i]), NULL, error))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_run_finish (GhloExecutableCore  *executable,
                 GhloRunResult       *outcome,
                 GError             **error)
{
  const gboolean ok = check_ends (outcome, error);
  const gint64 now = g_get_monotonic_time ();

  count_run (executable, outcome, now, ok);
  outcome->run_time = now - outcome->start - outcome->upload_time - outcome->download_time;
  if (ghlo_prepared_is_interpreted (executable->compilation->prepared))
    outcome->reference_time = outcome->run_time;

  return ok;
}

GhloFence *
ghlo_run_result_get_fence (GhloRunResult *self)
{
  return self->last;
}

void
ghlo_run_result_free (GhloRunResult *self)
{
  ghlo_fence_wait (self->last, NULL, NULL);
  if (self->wrapper != NULL)
    self->free_wrapper (self->wrapper);
  g_clear_pointer (&self->run, ghlo_fence_unref);
  g_clear_pointer (&self->last, ghlo_fence_unref);
  ghlo_values_clear (self->outputs, self->n_outputs);
  g_clear_pointer (&self->profile, ghlo_run_profile_free);
  g_clear_pointer (&self->executable, ghlo_reclaim_executable);
  g_free (self);
}
