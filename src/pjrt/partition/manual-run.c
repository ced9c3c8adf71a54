/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs one thread per position. Each thread takes its parts of the operands and runs the body; the caller's thread
 * waits for all of them and assembles the results.
 */

#include "pjrt/partition/manual-run.h"

#include "base/fail.h"
#include "base/stack.h"
#include "client/run.h"
#include "reference/process/process.h"

void
ghlo_pjrt_manual_free (GhloPjrtManual *self)
{
  for (guint i = 0; i < self->n_arguments; i++)
    g_clear_pointer (&self->arguments[i], ghlo_pjrt_sharding_free);
  for (guint i = 0; i < self->n_results; i++)
    g_clear_pointer (&self->results[i], ghlo_pjrt_sharding_free);
  g_clear_pointer (&self->body, ghlo_executable_core_unref);
  ghlo_pjrt_positions_clear (&self->positions);
  g_free (self->arguments);
  g_free (self->results);
  g_free (self->sources);
  g_free (self->taken);
  g_free (self);
}

/* Filled in before its thread starts, read after the thread has ended. */
typedef struct
{
  const GhloPjrtManual *manual;
  GhloValue *const     *operands;       /* the whole operands; borrowed, as is the next */
  gpointer              context;        /* of the run */
  guint                 position;
  GhloRefProcess        process;
  gint                 *n_left;         /* atomic; borrowed; the number of partitions that have not ended, when an
                                           outer process continues after them; otherwise NULL */
  GhloThread           *thread;
  GhloValue           **arguments;      /* owned, as is the next; the parts of the operands */
  GhloValue           **results;
  gboolean              ok;
  GError               *error;
} Partition;

static gboolean
split_operands (Partition  *self,
                GError    **error)
{
  for (guint i = 0; i < self->manual->n_arguments; i++)
    {
      self->arguments[i] = ghlo_pjrt_sharding_split (self->manual->arguments[i], self->operands[i],
                                                     self->position, error);
      if (self->arguments[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

static void
keep_results (Partition         *self,
              const GhloRunResult *run_result)       /* nullable */
{
  for (guint i = 0; i < self->manual->n_results; i++)
    {
      const GhloPjrtManualResult *source = &self->manual->sources[i];

      g_assert (source->is_input || run_result != NULL);
      self->results[i] = ghlo_value_ref (source->is_input ? self->arguments[source->index]
                                                          : run_result->outputs[source->index]);
    }
}

static gboolean
run_body (Partition  *self,
          GError    **error)
{
  const GhloPjrtManual *manual = self->manual;
  const GhloRunOptions options = { .process = &self->process, .context = self->context };
  g_autofree GhloValue **inputs = g_new (GhloValue *, manual->n_taken);
  g_autoptr (GhloRunResult) run_result = NULL;

  if (!split_operands (self, error))
    return FALSE;
  if (manual->body != NULL)
    {
      for (guint i = 0; i < manual->n_taken; i++)
        inputs[i] = self->arguments[manual->taken[i]];
      run_result = ghlo_run_start (manual->body, inputs, &options, self->process.run->monitor, error);
      if (run_result == NULL || !ghlo_run_finish (manual->body, run_result, error))
        return FALSE;
    }
  keep_results (self, run_result);

  return TRUE;
}

static void
end_partition (Partition *self)
{
  if (self->n_left == NULL || !g_atomic_int_dec_and_test (self->n_left))
    ghlo_ref_process_end (&self->process);
}

static gpointer
run_partition (gpointer data)
{
  Partition *self = data;

  self->ok = run_body (self, &self->error);
  if (!self->ok)
    ghlo_ref_grid_fail (self->process.grid, self->process.was_stopped ? NULL : self->error);
  end_partition (self);

  return NULL;
}

/* All processes begin before any of them runs, so that each knows for which others it may wait. */
static void
run_partitions (Partition *partitions,
                guint      n)
{
  for (guint i = 0; i < n; i++)
    {
      gboolean reserved = ghlo_ref_thread_reserve (&partitions[i].error);

      if (reserved)
        partitions[i].thread = ghlo_thread_try_new ("ghlo-partition", run_partition, &partitions[i],
                                                    &partitions[i].error);
      if (partitions[i].thread != NULL)
        continue;
      if (reserved)
        ghlo_ref_thread_release ();
      ghlo_ref_grid_fail (partitions[i].process.grid, partitions[i].error);
      end_partition (&partitions[i]);
    }
  for (guint i = 0; i < n; i++)
    if (partitions[i].thread != NULL)
      {
        ghlo_thread_join (partitions[i].thread);
        ghlo_ref_thread_release ();
      }
}

/* Reports the first failure that is not a consequence of another one. */
static gboolean
collect_error (Partition       *partitions,
               guint            n,
               GhloRefProcess  *outer,  /* nullable; reports the failure to its own peers */
               GError         **error)
{
  Partition *failed = NULL;

  for (guint i = 0; i < n; i++)
    if (!partitions[i].ok && (failed == NULL || (failed->process.was_stopped && !partitions[i].process.was_stopped)))
      failed = &partitions[i];
  if (failed == NULL)
    return TRUE;
  if (outer == NULL)
    ghlo_ref_process_find_cause (&failed->process, &failed->error);
  else
    outer->was_stopped |= failed->process.was_stopped;
  g_propagate_prefixed_error (error, g_steal_pointer (&failed->error), "partition %u: ", failed->process.partition);

  return FALSE;
}

static gboolean
assemble_results (const GhloPjrtManual  *self,
                  const Partition       *partitions,
                  GhloValue            **results,
                  GError               **error)
{
  g_autofree GhloValue **parts = g_new (GhloValue *, self->positions.n);

  for (guint i = 0; i < self->n_results; i++)
    {
      for (guint j = 0; j < self->positions.n; j++)
        parts[j] = partitions[j].results[i];
      results[i] = ghlo_pjrt_sharding_assemble (self->results[i], parts, error);
      if (results[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

static void
partition_clear (Partition *self)
{
  ghlo_values_clear (self->arguments, self->manual->n_arguments);
  ghlo_values_clear (self->results, self->manual->n_results);
  g_free (self->arguments);
  g_free (self->results);
  g_clear_error (&self->error);
}

/* Finds the place of the first position: that of the process @outer, which has to be the first along all of our
 * axes. Returns FALSE with @error set when it is not, as for another mesh. */
static gboolean
find_first (const GhloPjrtPositions  *positions,
            const GhloRefProcess     *outer,    /* nullable */
            guint                    *first,
            GError                  **error)
{
  *first = outer != NULL ? positions->places[outer->partition] : 0;

  return positions->positions[*first] == 0
         || ghlo_invalid (error, "expected nested manual computations along different axes of the same mesh");
}

static void
begin_partitions (const GhloPjrtManual       *self,
                  const GhloCustomCallFrame  *frame,
                  GhloRefRun                 *run,
                  GhloRefGrid                *grid,
                  guint                       first,
                  gint                       *n_left,
                  Partition                  *partitions)
{
  for (guint i = 0; i < self->positions.n; i++)
    {
      partitions[i] = (Partition) {
        .manual = self, .operands = frame->operands, .context = frame->context, .position = i,
        .arguments = g_new0 (GhloValue *, self->n_arguments), .results = g_new0 (GhloValue *, self->n_results),
      };
      partitions[i].n_left = n_left;
      ghlo_ref_process_begin (&partitions[i].process, run, grid, 0,
                              self->positions.partitions[first + self->positions.offsets[i]]);
    }
}

/* Runs all partitions, in a grid of their own or in that of @outer, which waits for them. */
static gboolean
run_all (const GhloPjrtManual       *self,
         const GhloCustomCallFrame  *frame,
         GhloRefProcess             *outer,
         guint                       first,
         GError                    **error)
{
  const guint n = self->positions.n;
  g_autofree Partition *partitions = g_new0 (Partition, n);
  GhloRefRun run = { .monitor = frame->monitor };
  GhloRefGrid *grid = outer != NULL ? outer->grid : ghlo_ref_grid_new (1, self->positions.n_partitions, NULL, NULL);
  gint n_left = (gint) n;
  gboolean ok;

  begin_partitions (self, frame, &run, grid, first, outer != NULL ? &n_left : NULL, partitions);
  if (outer != NULL)
    ghlo_ref_process_pause (outer);
  run_partitions (partitions, n);
  if (outer == NULL)
    ghlo_ref_grid_join (grid);
  ok = collect_error (partitions, n, outer, error)
       && (outer != NULL || ghlo_ref_grid_check_received (grid, error))
       && assemble_results (self, partitions, frame->results, error);
  if (outer == NULL)
    ghlo_ref_grid_free (grid);
  for (guint i = 0; i < n; i++)
    partition_clear (&partitions[i]);

  return ok;
}

gboolean
ghlo_pjrt_manual_run (gpointer                    data,
                      const GhloCustomCallFrame  *frame,
                      GError                    **error)
{
  const GhloPjrtManual *self = data;
  GhloRefProcess *caller = frame->process;
  GhloRefProcess *outer = ghlo_ref_grid_get_partitions (caller->grid) == self->positions.n_partitions ? caller : NULL;
  guint first;

  return find_first (&self->positions, outer, &first, error) && run_all (self, frame, outer, first, error);
}
