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
may_stay (const GhloRunResult  *run_result,
          const GhloRunOptions *options,
          GhloValue *const     *inputs,
          guint                 output)
{
  guint input = options->donated_inputs != NULL ? options->donated_inputs[output] : GHLO_RUN_NO_INPUT;
  const GhloValue *memory = options->targets != NULL ? options->targets[output] : NULL;
  GhloValue *value = run_result->outputs[output];

  if (memory != NULL && value == memory)
    return TRUE;
  if (memory != NULL || (input != GHLO_RUN_NO_INPUT && value == inputs[input]))
    return !is_wanted_there (options, run_result->n_outputs, value);

  return !options->shared[output];
}

/* Gives each output memory of its own. This is done for all outputs before any is delivered, because a copy to the
 * caller's memory may overwrite the memory that another output is in. */
static gboolean
own_outputs (GhloRunResult         *run_result,
             GhloDeviceCore        *device,
             const GhloRunOptions  *options,
             GhloValue *const      *inputs,
             GError               **error)
{
  for (guint i = 0; i < run_result->n_outputs; i++)
    {
      GhloValue *value = run_result->outputs[i];
      GhloFence *fence;

      if (may_stay (run_result, options, inputs, i))
        continue;
      run_result->outputs[i] = ghlo_value_copy (value, device, error);
      ghlo_value_unref (value);
      if (run_result->outputs[i] == NULL)
        return FALSE;
      fence = ghlo_value_get_fence (run_result->outputs[i]);
      if (fence == NULL)
        continue;
      g_clear_pointer (&run_result->last, ghlo_fence_unref);
      run_result->last = ghlo_fence_ref (fence);
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
deliver (GhloRunResult         *run_result,
         const GhloRunOptions  *options,
         const GhloMonitor     *monitor,
         GError               **error)
{
  gint64 start = 0;

  for (guint i = 0; options->targets != NULL && i < run_result->n_outputs; i++)
    {
      GhloValue *value = run_result->outputs[i];

      if (options->targets[i] == NULL || value == options->targets[i])
        continue;
      if (!ghlo_fence_wait (run_result->last, NULL, error))
        return FALSE;
      if (start == 0 && value->storage->device != NULL)
        start = g_get_monotonic_time ();
      if (!deliver_output (value, options->targets[i], i, monitor, error))
        return FALSE;
    }
  if (start != 0)
    run_result->download_time = g_get_monotonic_time () - start;

  return TRUE;
}

static gboolean
start_outputs (GhloRunResult         *run_result,
               GhloExecutableCore    *executable,
               GhloValue *const      *inputs,
               const GhloRunOptions  *options,
               const GhloMonitor     *monitor,
               GError               **error)
{
  const GhloIrType *type = executable->signature.type;
  enum { FEW = 8 };             /* outputs, up to which nothing is allocated */
  gboolean few[FEW] = { FALSE };
  g_autofree gboolean *many = type->n_results > FEW ? g_new0 (gboolean, type->n_results) : NULL;
  GhloRunOptions own = *options;

  own.shared = many != NULL ? many : few;
  /* The outputs of a failed run are not ours to free. */
  if (!ghlo_prepared_start (executable->compilation->prepared, &own, inputs, type->rank, run_result->outputs,
                            &run_result->run, monitor, error))
    return FALSE;
  run_result->n_outputs = type->n_results;
  if (run_result->run != NULL)
    run_result->last = ghlo_fence_ref (run_result->run);

  return own_outputs (run_result, executable->device, &own, inputs, error)
         && deliver (run_result, options, monitor, error);
}

static void
count_run (GhloExecutableCore  *executable,
           const GhloRunResult *run_result,
           gint64               now,
           gboolean             success)
{
  ghlo_counters_add_run (executable->counters, now - run_result->start, success);
  ghlo_counters_add_run (executable->client_counters, now - run_result->start, success);
}

GhloRunResult *
ghlo_run_start (GhloExecutableCore    *executable,
                GhloValue *const      *inputs,
                const GhloRunOptions  *options,
                const GhloMonitor     *monitor,
                GError               **error)
{
  const GhloIrType *type = executable->signature.type;
  g_autoptr (GhloRunResult) run_result = ghlo_new0_with (GhloRunResult, type->n_results, GhloValue *);
  GhloRunOptions counted = options != NULL ? *options : (GhloRunOptions) { NULL };

  run_result->start = g_get_monotonic_time ();
  counted.fallback_time = &run_result->reference_time;
  counted.upload_time = &run_result->upload_time;
  if (counted.profile != NULL)
    {
      run_result->profile = counted.profile;
      run_result->executable = ghlo_executable_core_ref (executable);
    }
  if (start_outputs (run_result, executable, inputs, &counted, monitor, error))
    return g_steal_pointer (&run_result);
  count_run (executable, run_result, g_get_monotonic_time (), FALSE);

  return NULL;
}

/* Whether the run and its copies ended successfully. */
static gboolean
check_ends (const GhloRunResult  *run_result,
            GError              **error)
{
  if (!ghlo_fence_wait (run_result->run, NULL, error))
    return FALSE;
  for (guint i = 0; run_result->last != NULL && i < run_result->n_outputs; i++)
    if (!ghlo_fence_wait (ghlo_value_get_fence (run_result->outputs[i]), NULL, error))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_run_finish (GhloExecutableCore  *executable,
                 GhloRunResult       *run_result,
                 GError             **error)
{
  const gboolean ok = check_ends (run_result, error);
  const gint64 now = g_get_monotonic_time ();

  count_run (executable, run_result, now, ok);
  run_result->run_time = now - run_result->start - run_result->upload_time - run_result->download_time;
  if (ghlo_prepared_is_interpreted (executable->compilation->prepared))
    run_result->reference_time = run_result->run_time;

  return ok;
}

GhloFence *
ghlo_run_result_get_fence (GhloRunResult *self)
{
  return self->last;
}

void
ghlo_run_result_release_outputs (GhloRunResult *self)
{
  ghlo_values_clear (self->outputs, self->n_outputs);
  self->n_outputs = 0;
}

void
ghlo_run_result_free (GhloRunResult *self)
{
  ghlo_fence_wait (self->last, NULL, NULL);
  if (self->public_result != NULL)
    self->free_public_result (self->public_result);
  g_clear_pointer (&self->run, ghlo_fence_unref);
  g_clear_pointer (&self->last, ghlo_fence_unref);
  ghlo_values_clear (self->outputs, self->n_outputs);
  g_clear_pointer (&self->profile, ghlo_run_profile_free);
  g_clear_pointer (&self->executable, ghlo_reclaim_executable);
  g_free (self);
}
