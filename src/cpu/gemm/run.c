/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a prepared product. A task is one tile, or one tile in each of several batches; tasks run on any thread.
 */

#include "cpu/gemm/gemm-private.h"
#include "cpu/finish.h"
#include "runtime/parallel.h"

typedef struct
{
  const GhloCpuGemm *gemm;
  const guint8      *lhs, *rhs;       /* swapped where the product is */
  const guint8      *packed;          /* nullable */
  guint8            *result;
  guint8            *scratch;
  gpointer           prologue_data, epilogue_data;
  const GhloMonitor *monitor;
  gint               stopped;         /* atomic: cancelled or failed */
  GError            *problem;         /* atomic, owned: the first error of a task */
} Run;

/* Offsets of a batch in bytes. */
typedef struct
{
  gint64 lhs, rhs, result;
} Place;

gboolean
ghlo_cpu_gemm_stopped (const GhloMonitor *monitor)
{
  return monitor != NULL && monitor->cancellable != NULL && g_cancellable_is_cancelled (monitor->cancellable);
}

void
ghlo_cpu_gemm_compute_part (const GhloCpuGemm    *self,
                            const GhloCpuTile    *tile,
                            const GhloCpuOperand *operand,
                            gint64                first_outer,
                            gint64                n_outer,
                            gint64                first_k,
                            gint64                n_k,
                            gint64                ahead,
                            guint8               *to)
{
  const gint64 at = tile->computed_at + ghlo_cpu_axis_at (&operand->outer, first_outer)
                    + ghlo_cpu_axis_at (&operand->k, first_k);
  GhloCpuOperandBlock block = {
    .first = at / operand->size, .next = (at + ahead) / operand->size, .n_rows = operand->k_adjacent ? n_outer : n_k,
    .n = operand->k_adjacent ? n_k : n_outer, .worker = tile->worker,
  };

  block.to = to;
  operand->compute (tile->prologue_data, &block);
}

static Place
find_place (const GhloCpuGemm *self,
            gint64             index)
{
  Place place = { 0 };

  for (guint i = self->n_loops; i > 0 && index > 0; i--)
    {
      const GhloCpuLoop *loop = &self->loops[i - 1];
      gint64 at = index % loop->size;

      index /= loop->size;
      place.lhs += at * loop->lhs;
      place.rhs += at * loop->rhs;
      place.result += at * loop->result;
    }

  return place;
}

/* Calls the epilogue on pieces of a tile in which rows and columns have one stride each. */
static void
finish_tile (const Run         *run,
             const GhloCpuTile *tile,
             guint              worker)
{
  const GhloCpuResult *result = &run->gemm->result;
  gint64 end_row = tile->first_row + tile->n_rows, end_column = tile->first_column + tile->n_columns;

  for (gint64 row = tile->first_row, row_end; row < end_row; row = row_end)
    {
      row_end = ghlo_cpu_axis_run_end (&result->rows, row, end_row);
      for (gint64 column = tile->first_column, column_end; column < end_column; column = column_end)
        {
          GhloCpuPanel panel = {
            .data = tile->result + ghlo_cpu_axis_at (&result->rows, row) + ghlo_cpu_axis_at (&result->columns, column),
            .n_rows = row_end - row, .row_stride = result->rows.stride, .column_stride = result->columns.stride,
            .worker = worker,
          };

          column_end = ghlo_cpu_axis_run_end (&result->columns, column, end_column);
          panel.n_columns = column_end - column;
          run->gemm->epilogue (run->epilogue_data, &panel);
        }
    }
}

/* Calls the epilogue once on the results of all batches of a task. */
static void
finish_run (const Run *run,
            gint64     first,
            gint64     n,
            guint      worker)
{
  const GhloCpuGemm *self = run->gemm;
  const GhloCpuPanel panel = {
    .data = run->result + find_place (self, first).result,
    .n_rows = 1, .n_columns = n * self->m * self->n, .column_stride = self->result.size, .worker = worker,
  };

  self->epilogue (run->epilogue_data, &panel);
}

static gboolean
run_task (Run     *run,
          gsize    task,
          guint    worker,
          GError **error)
{
  const GhloCpuGemm *self = run->gemm;
  /* Divisions take longer than some products. */
  gint64 tiles = task > 0 ? self->n_row_tiles * self->n_column_tiles : 1;
  gint64 index = task > 0 ? (gint64) task % tiles : 0;
  gint64 batch = task > 0 ? (gint64) task / tiles * self->batches_per_task : 0;
  gint64 first = batch, end = MIN (batch + self->batches_per_task, self->n_batches);
  gint64 row = index > 0 ? index / self->n_column_tiles * self->way.tile_rows : 0;
  gint64 column = index > 0 ? index % self->n_column_tiles * self->way.tile_columns : 0;
  GhloCpuTile tile = {
    .first_row = row, .n_rows = MIN (self->way.tile_rows, self->m - row),
    .first_column = column, .n_columns = MIN (self->way.tile_columns, self->n - column),
    .packed = run->packed, .scratch = run->scratch + worker * self->way.scratch_size,
    .prologue_data = run->prologue_data, .worker = worker, .monitor = run->monitor,
    .lhs = NULL, .rhs = NULL, .computed_at = 0, .result = NULL,
  };

  for (; batch < end; batch++)
    {
      Place place = find_place (self, batch);

      tile.lhs = run->lhs != NULL ? run->lhs + place.lhs : NULL;
      tile.rhs = run->rhs != NULL ? run->rhs + place.rhs : NULL;
      tile.computed_at = self->lhs.compute != NULL ? place.lhs : place.rhs;
      tile.result = run->result + place.result;
      if (!self->algorithm->compute (self, &tile, error))
        return FALSE;
      if (self->epilogue != NULL && !self->is_one_run)
        finish_tile (run, &tile, worker);
    }
  if (self->epilogue != NULL && self->is_one_run)
    finish_run (run, first, end - first, worker);

  return TRUE;
}

static void
run_tasks (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  Run *run = data;

  GError *problem = NULL;

  for (gsize task = begin; task < end; task++)
    if (g_atomic_int_get (&run->stopped) || ghlo_cpu_gemm_stopped (run->monitor)
        || !run_task (run, task, worker, &problem))
      {
        g_atomic_int_set (&run->stopped, TRUE);
        break;
      }
  if (problem != NULL && !g_atomic_pointer_compare_and_exchange (&run->problem, NULL, problem))
    g_error_free (problem);
}

/* Copies the operands whose batches alternate into the beginning of the scratch, and moves that on. */
static gboolean
separate (const GhloCpuGemm  *self,
          const guint8       *operands[2],
          guint8            **scratch,
          const GhloMonitor  *monitor)
{
  for (guint i = 0; i < 2; i++)
    {
      const GhloCpuSeparation *separation = self->separations[i];

      if (separation == NULL)
        continue;
      if (!ghlo_cpu_copy_run (&separation->copy, operands[i], *scratch, monitor))
        return FALSE;
      operands[i] = *scratch;
      *scratch += separation->size;
    }

  return TRUE;
}

gboolean
ghlo_cpu_gemm_run (const GhloCpuGemm *self,
                   const guint8      *lhs,
                   const guint8      *rhs,
                   gconstpointer      packed,
                   guint8            *result,
                   gpointer           scratch,
                   gpointer           prologue_data,
                   gpointer           epilogue_data,
                   const GhloMonitor *monitor,
                   GError           **error)
{
  const guint8 *operands[2] = { lhs, rhs };
  Run run = {
    .gemm = self, .packed = self->packed != NULL ? self->packed : packed, .prologue_data = prologue_data,
    .epilogue_data = epilogue_data, .monitor = monitor,
  };

  if (self->n_tasks == 0)
    return TRUE;
  run.result = result;
  run.scratch = scratch;
  if (!separate (self, operands, &run.scratch, monitor))
    return ghlo_cpu_finish (FALSE, monitor, error);
  run.lhs = operands[self->is_swapped];
  run.rhs = operands[!self->is_swapped];
  if (ghlo_parallel_for (self->n_tasks, 1, self->way.nanoseconds, run_tasks, &run, monitor) && !run.stopped)
    return TRUE;

  if (run.problem == NULL)
    return ghlo_cpu_finish (FALSE, monitor, error);
  g_propagate_error (error, run.problem);

  return FALSE;
}
