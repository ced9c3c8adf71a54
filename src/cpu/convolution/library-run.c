/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs what library.c prepared: copies operands in, computes the parts, sums gradients, copies results out, and calls
 * the epilogue.
 */

#include "cpu/convolution/library-private.h"

#include <string.h>

#include "runtime/parallel.h"

/* Fewest elements that one call of an epilogue gets; whole cache lines. */
enum { MIN_RUN = 8192 };

/* Approximate nanoseconds for a byte of weights that are reordered. */
#define REORDER_COST 0.1

typedef GhloCpuConvolutionPart Part;
typedef GhloCpuConvolutionTensor Tensor;
typedef GhloCpuConvolutionState State;

/* A run, with the memory of each tensor or of its copy. */
typedef struct
{
  const GhloCpuConvolution    *convolution;
  const State                 *state;
  const GhloCpuConvolutionRun *run;
  guint8                      *source, *result;
  guint8                      *packed;
  gint                         stopped;      /* atomic: cancelled or failed */
  GError                      *problem;      /* atomic, owned: the first error of a part */
} Work;

/* A worker's part of the scratch. */
static guint8 *
find_own (const State *state,
          guint8      *scratch,
          guint        worker)
{
  return scratch + state->own_at + worker * (state->own_size + state->block_size);
}

/* The number of positions of a part of the forward direction. */
static gint64
count_positions (const Work *work,
                 const Part *part)
{
  const GhloCpuWindows *w = &work->convolution->windows;
  gint64 positions = part->n_images * part->n_rows;

  for (guint i = 1; i < w->n_spatial; i++)
    positions *= w->spatial[i].output;

  return positions;
}

/* The first element of a part in the result, which has one row of features for each position, image by image. */
static guint8 *
find_result (const Work *work,
             const Part *part)
{
  const GhloCpuWindows *w = &work->convolution->windows;
  const gint64 row = w->output_features * ghlo_element_info (w->result_type)->size;
  gint64 position = part->image * w->spatial[0].output + part->row;

  for (guint i = 1; i < w->n_spatial; i++)
    position *= w->spatial[i].output;

  return work->run->result + position * row + (gint64) part->block * (row / (gint64) work->state->n_blocks);
}

/* Calls the epilogue on a part that was computed in the result. */
static void
call_epilogue (const Work *work,
               const Part *part,
               guint       worker)
{
  const GhloCpuWindows *w = &work->convolution->windows;
  const gint64 n_columns = w->output_features / (gint64) work->state->n_blocks;

  work->run->epilogue (work->run->epilogue_data, &(GhloCpuPanel) {
    .data = find_result (work, part), .n_rows = count_positions (work, part),
    .row_stride = w->output_features * ghlo_element_info (w->result_type)->size,
    .n_columns = n_columns, .column_stride = ghlo_element_info (w->result_type)->size, .worker = worker,
  });
}

/* Checks the probes in rows [@begin, @end) of the first image and features [@first, @last), where these were computed
 * in the result. */
static void
probe (const Work *work,
       gint64      begin,
       gint64      end,
       gint64      first,
       gint64      last)
{
  const GhloCpuConvolution *self = work->convolution;
  gint *is_suspect = work->run->is_suspect;

  if (is_suspect != NULL
      && !ghlo_cpu_windows_probe (&self->windows, &self->probes, work->run->result, begin, end, first, last))
    g_atomic_int_set (is_suspect, TRUE);
}

/* Copies a part of one block from @from, where it is dense, into the result. */
static void
copy_block (const Work   *work,
            const Part   *part,
            const guint8 *from)
{
  const GhloCpuWindows *w = &work->convolution->windows;
  const gsize row = (gsize) (w->output_features * ghlo_element_info (w->result_type)->size);
  const gsize size = row / work->state->n_blocks;
  guint8 *to = find_result (work, part);

  for (gint64 i = count_positions (work, part); i > 0; i--, from += size, to += row)
    memcpy (to, from, size);
}

static gboolean
run_piece (Work    *work,
           gsize    index,
           guint    worker,
           GError **error)
{
  const State *state = work->state;
  const Part *part = &state->parts[index];
  gboolean is_data = state->shape.direction == GHLO_CPU_BACKWARD_DATA;
  gboolean is_weights = state->shape.direction == GHLO_CPU_BACKWARD_WEIGHTS;
  const Tensor *output = is_data ? &state->source : &state->result;
  const gint64 features = work->convolution->windows.output_features / (gint64) state->n_blocks;
  guint8 *source = work->source + part->source;
  guint8 *weights = work->packed + (is_weights ? index : part->block) * state->packed_size;
  guint8 *own = find_own (state, work->run->scratch, worker);
  guint8 *result = state->n_blocks > 1 ? own + state->own_size : work->result + part->result;

  if (part->primitive == NULL)
    {
      gint64 dense[2 + GHLO_CPU_MAX_SPATIAL];

      ghlo_cpu_convolution_find_dense (&state->shape, state->shape.source_features, state->shape.source,
                                       ghlo_element_info (state->shape.source_type)->size, dense);
      memset (source, 0, (gsize) (part->n_rows * dense[2]));
    }
  else if (!ghlo_cpu_onednn_run_convolution (part->primitive, source, weights, result, own, error))
    return FALSE;
  if (state->n_blocks > 1)
    copy_block (work, part, result);
  if (work->run->epilogue == NULL || is_weights || output->copies)
    return TRUE;
  if (part->image == 0)
    probe (work, part->row, part->row + part->n_rows, (gint64) part->block * features,
           (gint64) (part->block + 1) * features);
  call_epilogue (work, part, worker);

  return TRUE;
}

static void
run_pieces (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  Work *work = data;
  GError *problem = NULL;

  for (gsize i = begin; i < end && !g_atomic_int_get (&work->stopped); i++)
    if (ghlo_monitor_cancelled (work->run->monitor, NULL) || !run_piece (work, i, worker, &problem))
      g_atomic_int_set (&work->stopped, TRUE);
  if (problem != NULL && !g_atomic_pointer_compare_and_exchange (&work->problem, NULL, problem))
    g_error_free (problem);
}

/* Reorders the weights of all blocks from one layout into another. */
typedef struct
{
  const State *state;
  const guint8 *from;
  guint8       *to, *scratch;
  GError       *problem;      /* atomic; owned */
} Reorder;

static void
run_reorders (gpointer data,
              gsize    begin,
              gsize    end,
              guint    worker)
{
  Reorder *self = data;
  const State *state = self->state;
  guint8 *own = find_own (state, self->scratch, worker);
  GError *problem = NULL;

  for (gsize i = begin; i < end && problem == NULL; i++)
    {
      const gsize block = i / state->n_reorders;

      ghlo_cpu_onednn_run_reorder (state->reorders[i % state->n_reorders],
                                   self->from + (gint64) block * state->block_weights,
                                   self->to + block * state->packed_size, own, &problem);
    }
  if (problem != NULL && !g_atomic_pointer_compare_and_exchange (&self->problem, NULL, problem))
    g_error_free (problem);
}

static gboolean
reorder (const State        *state,
         const guint8       *from,
         guint8             *to,
         guint8             *scratch,
         const GhloMonitor  *monitor,
         GError            **error)
{
  Reorder self = { .state = state, .from = from };
  gboolean done;

  self.to = to;
  self.scratch = scratch;
  done = ghlo_parallel_for (state->n_blocks * state->n_reorders, 1,
                            REORDER_COST * (double) (state->n_blocks * state->packed_size), run_reorders, &self,
                            monitor);
  if (self.problem != NULL)
    g_propagate_error (error, self.problem);

  return done && self.problem == NULL;
}

/* Copies a source or weights into the scratch. */
static gboolean
copy_in (const Tensor      *self,
         const guint8      *from,
         guint8            *scratch,
         const GhloMonitor *monitor)
{
  return (!self->has_zeros || ghlo_cpu_windows_clear (scratch + self->at, self->size, monitor))
         && ghlo_cpu_copy_run (&self->copy, from, scratch + self->at, monitor);
}

gboolean
ghlo_cpu_convolution_library_pack (const GhloCpuConvolution *self,
                                   const guint8             *rhs,
                                   gpointer                  packed,
                                   guint8                   *scratch,
                                   const GhloMonitor        *monitor,
                                   GError                  **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, ghlo_cpu_convolution_state_free);
  const GhloCpuWindows *w = &self->windows;

  rhs += w->rhs_first;
  if (state->shape.direction == GHLO_CPU_BACKWARD_DATA)
    for (guint i = 0; i < w->n_spatial; i++)
      rhs += (w->spatial[i].kernel - 1) * w->spatial[i].rhs;
  if (state->weights.copies)
    {
      if (!copy_in (&state->weights, rhs, scratch, monitor))
        return FALSE;
      rhs = scratch + state->weights.at;
    }

  return reorder (state, rhs, packed, scratch, monitor, error);
}

typedef struct
{
  float *to;
  gsize  step;          /* distance in floats */
  gsize  n;
} Sums;

static void
add_sums (gpointer data,
          gsize    begin,
          gsize    end,
          guint    worker)
{
  const Sums *sums = data;

  for (gsize i = 1; i < sums->n; i++)
    for (gsize j = begin; j < end; j++)
      sums->to[j] += sums->to[i * sums->step + j];
}

/* Sums the gradients of all parts, always in the same order, and stores the sum in the result. */
static gboolean
finish_weights (const Work  *work,
                GError     **error)
{
  const State *state = work->state;
  Sums sums = { (float *) (gpointer) work->packed, state->packed_size / sizeof (float), state->n_parts };
  guint8 *to = work->run->result;

  if (state->n_parts > 1
      && !ghlo_parallel_for (sums.step, 4096, (double) sums.step * (double) sums.n, add_sums, &sums,
                             work->run->monitor))
    return FALSE;
  if (state->weights.copies)
    to = work->run->scratch + state->weights.at;
  if (!reorder (state, work->packed, to, work->run->scratch, work->run->monitor, error))
    return FALSE;

  return !state->weights.copies
         || ghlo_cpu_copy_run (&state->weights.copy, to, work->run->result, work->run->monitor);
}

/* The arguments for calling the epilogue on a complete result. */
typedef struct
{
  const GhloCpuWindows        *windows;
  const GhloCpuConvolutionRun *run;
} Finish;

/* Calls the epilogue on rows of features; each position of the result has one. */
static void
finish_rows (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Finish *self = data;
  const GhloCpuWindows *w = self->windows;

  for (gsize row = begin; row < end; row++)
    {
      GhloCpuPanel panel = {
        .data = self->run->result, .n_rows = 1, .n_columns = w->output_features, .column_stride = w->result_feature,
        .worker = worker,
      };
      gsize rest = row;

      for (guint i = w->n_spatial; i > 0; i--)
        {
          panel.data += (gint64) (rest % (gsize) w->spatial[i - 1].output) * w->spatial[i - 1].result;
          rest /= (gsize) w->spatial[i - 1].output;
        }
      panel.data += (gint64) rest * w->result_batch;
      self->run->epilogue (self->run->epilogue_data, &panel);
    }
}

static void
finish_run (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  const Finish *self = data;
  gint64 size = ghlo_element_info (self->windows->result_type)->size;

  self->run->epilogue (self->run->epilogue_data, &(GhloCpuPanel) {
    .data = self->run->result + begin * (gsize) size, .n_rows = 1, .n_columns = (gint64) (end - begin),
    .column_stride = size, .worker = worker,
  });
}

/* Treats the result as one row where all its elements are contiguous. */
gboolean
ghlo_cpu_windows_finish (const GhloCpuWindows        *w,
                         const GhloCpuConvolutionRun *run)
{
  Finish self = { w, run };
  gint64 size = ghlo_element_info (w->result_type)->size, rows = w->output_batch;
  gint64 reach = size + (w->output_batch - 1) * w->result_batch + (w->output_features - 1) * w->result_feature;
  double nanoseconds;

  for (guint i = 0; i < w->n_spatial; i++)
    {
      rows *= w->spatial[i].output;
      reach += (w->spatial[i].output - 1) * w->spatial[i].result;
    }
  nanoseconds = (double) (rows * w->output_features);
  if (reach == rows * w->output_features * size)
    return ghlo_parallel_for ((gsize) (rows * w->output_features), MIN_RUN, nanoseconds, finish_run,
                              &self, run->monitor);

  return ghlo_parallel_for ((gsize) rows, 1, nanoseconds, finish_rows, &self, run->monitor);
}

gboolean
ghlo_cpu_convolution_library_compute (const GhloCpuConvolution     *self,
                                      const GhloCpuConvolutionRun  *run,
                                      GError                      **error)
{
  const State *state = ghlo_cpu_way_get_state (&self->way, ghlo_cpu_convolution_state_free);
  gboolean is_data = state->shape.direction == GHLO_CPU_BACKWARD_DATA;
  gboolean is_weights = state->shape.direction == GHLO_CPU_BACKWARD_WEIGHTS;
  const Tensor *output = is_data ? &state->source : &state->result;
  Work work = { .convolution = self, .state = state, .run = run, .packed = run->scratch + state->packed_at };
  const guint8 *source = is_data ? run->result : run->lhs;
  const guint8 *result = is_data ? run->lhs : is_weights ? run->rhs + self->windows.rhs_first : run->result;

  if (run->packed != NULL)
    work.packed = (guint8 *) run->packed;
  else if (!is_weights
           && !ghlo_cpu_convolution_library_pack (self, run->rhs, work.packed, run->scratch, run->monitor, error))
    return FALSE;

  work.source = state->source.copies ? run->scratch + state->source.at : (guint8 *) source;
  work.result = state->result.copies ? run->scratch + state->result.at : (guint8 *) result;
  if ((state->source.copies && !is_data && !copy_in (&state->source, source, run->scratch, run->monitor))
      || (state->result.copies && (is_data || is_weights)
          && !ghlo_cpu_copy_run (&state->result.copy, result, work.result, run->monitor))
      || !ghlo_parallel_for (state->n_parts, 1, state->nanoseconds, run_pieces, &work, run->monitor)
      || work.stopped)
    {
      if (work.problem != NULL)
        g_propagate_error (error, work.problem);
      return FALSE;
    }

  if (is_weights)
    {
      if (!finish_weights (&work, error))
        return FALSE;
    }
  else if (output->copies
           && !ghlo_cpu_copy_run (&output->copy, is_data ? work.source : work.result, run->result, run->monitor))
    return FALSE;

  if (run->epilogue != NULL && !is_weights && !output->copies)
    return TRUE;
  probe (&work, 0, self->windows.spatial[0].output, 0, self->windows.output_features);

  /* Results that were copied, and gradients for weights, are complete only now. */
  return run->epilogue == NULL || ghlo_cpu_windows_finish (&self->windows, run);
}
