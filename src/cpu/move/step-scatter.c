/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of scatter into a single tensor. Each element is updated in the order of the updates tensor, so that sums
 * are reproducible. Threads share a dimension of the windows, or the batches, or the positions where indices are
 * sorted, or the places of windows in the result, and never write to the same element.
 */

#include "cpu/reduce/combine.h"
#include "base/sizes.h"
#include "cpu/move/move.h"
#include "cpu/move/indexer.h"

#include "runtime/parallel.h"

#include <string.h>

/* Nanoseconds of a window from which on threads share the places of windows; each one reads all indices. */
#define SHARED_TIME 8.0

/* The share of a scatter's estimated time that it takes where indices are sorted, so that caches and branches are as
 * expected. */
#define SORTED_SHARE 0.25

/* Bytes that are updated between two checks for cancellation, the fewest adjacent bytes for one thread, and those of a
 * thread's part of a window from which on it takes longer than to wait for a cache line that another one writes, too.
 * MIN_PLACES: places of windows for each thread that are shared evenly enough. */
enum { CHECK_BYTES = 1 << 20, LANE_BYTES = 128, LINE_BYTES = 64, WAIT_BYTES = 8 << 10, MIN_PLACES = 4 };

typedef struct
{
  GhloCpuIndexer indexer;
  GhloCpuCombine combine;
  GhloCpuCopy    input;         /* copies the operand to the result, where they do not share memory */
  guint          n_outer;       /* window dimensions in a loop around the positions */
  gint           split;         /* window dimension that threads share; -1: none */
  gboolean       in_or_out;     /* each window is either completely in bounds or completely out of bounds */
  gsize          window_bytes;
  double         nanoseconds;
} Scatter;

/* The window dimensions that are walked for each position, merged; the last one is a row. */
typedef struct
{
  guint  rank;
  gint64 sizes[GHLO_MAX_RANK], to[GHLO_MAX_RANK], from[GHLO_MAX_RANK];
} Nest;

static void
nest_init (Nest                *self,
           const GhloCpuWindow *window,
           guint                n)
{
  GhloCpuWindow sorted[GHLO_MAX_RANK];
  guint count = 0;

  /* Rows run along the result's innermost dimension. The order is free, since a window has each element only once. */
  for (guint i = 0; i < n; i++)
    {
      guint at = count;

      if (window[i].size == 1)
        continue;
      for (; at > 0 && sorted[at - 1].indexed < window[i].indexed; at--)
        sorted[at] = sorted[at - 1];
      sorted[at] = window[i];
      count++;
    }
  self->rank = 0;
  for (guint i = 0; i < count; i++)
    {
      guint last = self->rank - 1;
      gint64 size = sorted[i].size;

      if (self->rank > 0 && self->to[last] == size * sorted[i].indexed && self->from[last] == size * sorted[i].other)
        {
          size *= self->sizes[last];
          self->rank--;
        }
      self->sizes[self->rank] = size;
      self->to[self->rank] = sorted[i].indexed;
      self->from[self->rank] = sorted[i].other;
      self->rank++;
    }
  if (self->rank == 0)
    {
      self->rank = 1;
      self->sizes[0] = 1;
      self->to[0] = self->from[0] = 0;
    }
}

static void
nest_combine (const Nest           *self,
              const GhloCpuCombine *combine,
              guint8               *to,
              const guint8         *from)
{
  gint64 index[GHLO_MAX_RANK] = { 0 };
  guint last = self->rank - 1, d;

  do
    {
      ghlo_cpu_combine_row (combine, to, self->to[last], from, self->from[last], (gsize) self->sizes[last]);
      for (d = last; d > 0; d--)
        {
          to += self->to[d - 1];
          from += self->from[d - 1];
          if (++index[d - 1] < self->sizes[d - 1])
            break;
          to -= self->to[d - 1] * self->sizes[d - 1];
          from -= self->from[d - 1] * self->sizes[d - 1];
          index[d - 1] = 0;
        }
    }
  while (d > 0);
}

/* Whether the walk updates each element in the order of the updates tensor, where that matters. An outer loop over
 * window dimensions would break the order if windows overlapped in them. */
static gboolean
keeps_order (const Scatter *self)
{
  const GhloCpuIndexer *indexer = &self->indexer;
  gboolean overlaps = FALSE, leading_overlaps = FALSE;

  for (guint i = 0; i < indexer->n_window; i++)
    if (indexer->window[i].mapped && indexer->window[i].size > 1)
      {
        overlaps = TRUE;
        leading_overlaps = leading_overlaps || i < indexer->n_leading;
      }

  return !self->combine.is_ordered || !overlaps || (!indexer->is_mixed && !leading_overlaps);
}

static void
choose_split (Scatter *self)
{
  const GhloCpuIndexer *indexer = &self->indexer;

  self->split = -1;
  self->in_or_out = TRUE;
  for (guint i = 0; i < indexer->n_window; i++)
    {
      const GhloCpuWindow *window = &indexer->window[i];

      if (window->mapped)
        self->in_or_out = self->in_or_out && window->size == 1;
      else if (window->size > 1 && (self->split < 0 || window->size > indexer->window[self->split].size))
        self->split = (gint) i;
    }
  /* Each thread reads all indices, which pays only where its share of each window is large. */
  if (self->window_bytes < 2 * LANE_BYTES)
    self->split = -1;
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Scatter *self = step;
  static const GhloCpuIndexerFields fields = {
    "update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims", "input_batching_dims",
    "scatter_indices_batching_dims",
  };
  const GhloIrOp *op = request->op;
  const GhloView *operands = request->operands, *result = &request->results[0];
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "scatter_dimension_numbers");
  GhloElementType type = result->element_type;
  gint64 n;

  if (op->n_operands != 3 || op->n_results != 1)
    return "it scatters into more than one tensor";
  if (operands[0].element_type != type || operands[2].element_type != type)
    return "its updates have another element type than its result";
  if (!ghlo_cpu_combine_init (&self->combine, ghlo_ir_op_region_block (op, 0), type))
    return "there is no precompiled loop for its computation";
  if (numbers == NULL
      || !ghlo_cpu_indexer_init (&self->indexer, numbers, &fields, result, &operands[1], &operands[2], FALSE))
    return "its dimension numbers do not fit its operands";
  if (!keeps_order (self))
    return "its windows may overlap, and the order of its updates matters";
  ghlo_cpu_copy_init (&self->input, result->rank, result->dimensions, type, operands[0].strides, type,
                      result->strides);
  n = ghlo_view_count (&operands[2]);
  if (n == 0 || ghlo_view_count (result) == 0)
    self->indexer.n_positions = 0;
  else
    {
      self->window_bytes = (gsize) n * ghlo_element_info (type)->size / self->indexer.n_positions;
      self->nanoseconds = (double) self->indexer.n_positions * 5 + (double) n * self->combine.nanoseconds;
      if (!self->indexer.is_mixed)
        self->n_outer = self->indexer.n_leading;
      choose_split (self);
    }

  return NULL;
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  selection->operands[0].in_place = 0;
}

typedef struct
{
  const Scatter     *scatter;
  guint8            *to;
  const guint8      *indices, *updates;
  const GhloMonitor *monitor;
  gint               stopped;       /* atomic */
  gsize              n_parts;       /* of the places */
} Run;

/* The state of one thread. */
typedef struct
{
  Run          *run;
  guint8       *to;
  const guint8 *updates;
  GhloCpuWindow window[GHLO_MAX_RANK];
  Nest          nest;
  gint64        outer[GHLO_MAX_RANK];       /* the indices of outer dimensions */
  gint64        outer_to, outer_from;       /* byte offset of these indices in each tensor */
  gint64        first_place, end_place;     /* windows at other offsets are left to other threads */
  gsize         since;                      /* bytes updated since the last check for cancellation */
} Work;

static gboolean
is_stopped (Work  *self,
            gsize  bytes)
{
  Run *run = self->run;

  self->since += bytes;
  if (self->since >= CHECK_BYTES)
    {
      self->since = 0;
      if (run->monitor != NULL && run->monitor->cancellable != NULL
          && g_cancellable_is_cancelled (run->monitor->cancellable))
        g_atomic_int_set (&run->stopped, TRUE);
    }

  return g_atomic_int_get (&run->stopped);
}

/* Clips dimension @k of the window, which starts at @start, to a tensor dimension of @size. *@first is the number of
 * elements cut off in front. FALSE where nothing is left. */
static gboolean
clip (Work    *self,
      guint    k,
      gint64   start,
      gint64   size,
      gint64  *first)
{
  GhloCpuWindow *window = &self->window[k];
  gint64 end;

  *first = 0;
  if (start >= size || start <= -window->size)
    return FALSE;
  if (k < self->run->scatter->n_outer)
    return start + self->outer[k] >= 0 && start + self->outer[k] < size;
  *first = MAX (-start, 0);
  end = MIN (window->size, size - start);
  window->size = end - *first;

  return TRUE;
}

/* Updates the part of a window that is in bounds, which may be empty. */
static void
combine_clipped (const Work *self,
                 gsize       position)
{
  const Scatter *scatter = self->run->scatter;
  const GhloCpuIndexer *indexer = &scatter->indexer;
  gint64 starts[GHLO_MAX_RANK], to, from, first;
  Work part = *self;
  Nest nest;

  ghlo_cpu_indexer_start (indexer, self->run->indices, position, starts, &to, &from);
  to += self->outer_to;
  from += self->outer_from;
  for (guint i = 0; i < indexer->n_map; i++)
    {
      guint k = 0;

      while (k < indexer->n_window && indexer->window[k].dimension != indexer->map[i])
        k++;
      if (k == indexer->n_window)
        {
          if (starts[i] < 0 || starts[i] > indexer->limits[i])
            return;
          to += starts[i] * indexer->strides[i];
          continue;
        }
      if (!clip (&part, k, starts[i], indexer->limits[i] + indexer->window[k].size, &first))
        return;
      to += (starts[i] + first) * indexer->strides[i];
      from += first * part.window[k].other;
    }
  nest_init (&nest, part.window + scatter->n_outer, indexer->n_window - scatter->n_outer);
  nest_combine (&nest, &scatter->combine, self->to + to, self->updates + from);
}

static void
combine_chunk (Work         *self,
               gsize         first,
               const gint64 *offsets,
               const gint64 *others,
               gsize         n)
{
  const Scatter *scatter = self->run->scatter;
  const Nest *nest = &self->nest;
  guint8 *to = self->to + self->outer_to;
  const guint8 *from = self->updates + self->outer_from;

  if (scatter->in_or_out && nest->rank == 1 && nest->sizes[0] == 1)
    {
      ghlo_cpu_combine_points (&scatter->combine, to, offsets, from, others, n);
      return;
    }
  if (scatter->in_or_out && nest->rank == 1)
    {
      const gsize n_rows = MAX (CHECK_BYTES / MAX (scatter->window_bytes, 1), 1);

      for (gsize i = 0, part = 0; i < n && !is_stopped (self, part * scatter->window_bytes); i += part)
        {
          part = MIN (n_rows, n - i);
          ghlo_cpu_combine_rows (&scatter->combine, to, nest->to[0], offsets + i, from, nest->from[0], others + i, part,
                                 (gsize) nest->sizes[0]);
        }
      return;
    }
  for (gsize i = 0; i < n && !is_stopped (self, scatter->window_bytes); i++)
    if (offsets[i] != GHLO_CPU_OUT_OF_BOUNDS)
      nest_combine (nest, &scatter->combine, to + offsets[i], from + others[i]);
    else if (!scatter->in_or_out)
      combine_clipped (self, first + i);
}

/* Updates the windows of some positions for all outer indices. */
static void
combine_outer (Work         *self,
               gsize         first,
               const gint64 *offsets,
               const gint64 *others,
               gsize         n)
{
  guint d;

  do
    {
      combine_chunk (self, first, offsets, others, n);
      for (d = self->run->scatter->n_outer; d > 0; d--)
        {
          const GhloCpuWindow *window = &self->window[d - 1];

          self->outer_to += window->indexed;
          self->outer_from += window->other;
          if (++self->outer[d - 1] < window->size)
            break;
          self->outer_to -= window->indexed * window->size;
          self->outer_from -= window->other * window->size;
          self->outer[d - 1] = 0;
        }
    }
  while (d > 0 && !is_stopped (self, n));
}

static void
combine_positions (Work  *self,
                   gsize  begin,
                   gsize  end)
{
  const Scatter *scatter = self->run->scatter;
  gint64 offsets[GHLO_CPU_INDEXER_BLOCK] __attribute__ ((aligned (64)));
  gint64 others[GHLO_CPU_INDEXER_BLOCK] __attribute__ ((aligned (64)));

  nest_init (&self->nest, self->window + scatter->n_outer, scatter->indexer.n_window - scatter->n_outer);
  for (gsize i = begin, n; i < end && !is_stopped (self, 0); i += n)
    {
      gsize n_kept = n = MIN (GHLO_CPU_INDEXER_BLOCK, end - i);

      ghlo_cpu_indexer_read (&scatter->indexer, self->run->indices, i, n, offsets, others);
      if (self->end_place != G_MAXINT64)
        n_kept = ghlo_cpu_routines ()->limit_offsets (offsets, others, n, self->first_place, self->end_place);
      combine_outer (self, i, offsets, others, n_kept);
      is_stopped (self, n * sizeof (gint64));
    }
}

static void
work_init (Work *self,
           Run  *run)
{
  const GhloCpuIndexer *indexer = &run->scatter->indexer;

  *self = (Work) { .run = run, .to = run->to, .updates = run->updates, .end_place = G_MAXINT64 };
  for (guint i = 0; i < indexer->n_window; i++)
    self->window[i] = indexer->window[i];
}

/* Updates indices [@begin, @end) of the dimension that threads share, for all positions. */
static void
combine_split (gpointer data,
               gsize    begin,
               gsize    end,
               guint    worker)
{
  Run *run = data;
  gint split = run->scatter->split;
  Work work;

  work_init (&work, run);
  work.window[split].size = (gint64) (end - begin);
  work.to += (gint64) begin * work.window[split].indexed;
  work.updates += (gint64) begin * work.window[split].other;
  combine_positions (&work, 0, run->scatter->indexer.n_positions);
}

static void
combine_batches (gpointer data,
                 gsize    begin,
                 gsize    end,
                 guint    worker)
{
  Run *run = data;
  gsize n = run->scatter->indexer.n_positions / run->scatter->indexer.n_batches;
  Work work;

  work_init (&work, run);
  combine_positions (&work, begin * n, end * n);
}

/* Updates the windows at places [@begin, @end) of as many as there are threads. */
static void
combine_places (gpointer data,
                gsize    begin,
                gsize    end,
                guint    worker)
{
  Run *run = data;
  const GhloCpuIndexer *indexer = &run->scatter->indexer;
  gint64 last = 0;
  Work work;

  for (guint i = 0; i < indexer->n_map; i++)
    last += indexer->limits[i] * indexer->strides[i];
  for (guint i = 0; i < indexer->rank; i++)
    last += (indexer->sizes[i] - 1) * indexer->direct[i];
  work_init (&work, run);
  work.first_place = last / (gint64) run->n_parts * (gint64) begin;
  work.end_place = end == run->n_parts ? last + 1 : last / (gint64) run->n_parts * (gint64) end;
  combine_positions (&work, 0, indexer->n_positions);
}

/* The first position from @i on whose index is not that of the one before it. */
static gsize
skip_same (const Run *run,
           gsize      i)
{
  const GhloCpuIndexer *indexer = &run->scatter->indexer;
  const gsize size = indexer->reader.size;

  while (i > 0 && i < indexer->n_positions
         && memcmp (run->indices + i * size, run->indices + (i - 1) * size, size) == 0)
    i++;

  return i;
}

/* Updates the windows of some positions whose indices are sorted; equal ones are left to the thread of the first. */
static void
combine_sorted (gpointer data,
                gsize    begin,
                gsize    end,
                guint    worker)
{
  Run *run = data;
  Work work;

  begin = skip_same (run, begin);
  work_init (&work, run);
  combine_positions (&work, begin, MAX (begin, skip_same (run, end)));
}

/* Whether equal indices, where windows are the same, are beside each other. */
static gboolean
are_sorted (const Scatter *self,
            const guint8  *indices)
{
  const GhloCpuIndexer *indexer = &self->indexer;
  const gsize size = indexer->reader.size;

  return indexer->n_map == 1 && indexer->rank == 1 && indexer->index[0] == (gint64) size
         && indexer->direct[0] == 0 && (size == 4 || size == 8)
         && ghlo_cpu_routines ()->are_sorted[size == 8] (indices, indexer->n_positions);
}

/* Whether windows are the same or do not meet, so that each can be left to one thread. */
static gboolean
shares_windows (const Scatter *self,
                gsize          threads)
{
  return self->in_or_out && self->n_outer == 0 && self->indexer.n_batches == 1 && threads > 1;
}

/* Whether each of these can be left to the thread that has its place. */
static gboolean
shares_places (const Scatter *self)
{
  const GhloCpuIndexer *indexer = &self->indexer;
  gboolean is_forward = TRUE;

  for (guint i = 0; i < indexer->n_map; i++)
    is_forward &= indexer->strides[i] >= 0;
  for (guint i = 0; i < indexer->rank; i++)
    is_forward &= indexer->direct[i] >= 0;

  return is_forward && self->nanoseconds >= SHARED_TIME * (double) indexer->n_positions;
}

/* Whether threads that have @grain indices of each window would wait for each other's cache lines, and there are enough
 * places to share instead. */
static gboolean
meets_in_lines (const Scatter *self,
                gint64         grain,
                gsize          threads)
{
  const GhloCpuIndexer *indexer = &self->indexer;
  gint64 steps = grain * indexer->window[self->split].indexed;
  double n_places = 1;

  for (guint i = 0; i < indexer->n_map; i++)
    {
      steps |= indexer->strides[i];
      n_places *= (double) indexer->limits[i] + 1;
    }
  for (guint i = 0; i < indexer->n_window; i++)
    steps |= (gint) i != self->split ? indexer->window[i].indexed * (indexer->window[i].size - 1) : 0;

  return steps % LINE_BYTES != 0 && self->window_bytes < WAIT_BYTES * threads
         && n_places >= (double) (MIN_PLACES * threads);
}

static gboolean
combine_all (const Scatter *self,
             Run           *run)
{
  const GhloCpuIndexer *indexer = &self->indexer;
  gsize grain = 1, n = indexer->n_batches, threads = ghlo_parallel_get_limit ();
  const GhloCpuWindow *window = self->split >= 0 && n < threads ? &indexer->window[self->split] : NULL;
  const gboolean by_windows = shares_windows (self, threads), by_places = by_windows && shares_places (self);
  GhloParallelFunc func = combine_batches;
  double nanoseconds = self->nanoseconds;

  /* Threads share the batches where there are enough, or positions. Otherwise each thread visits all positions, for its
   * part of the window, or for its part of the places. */
  if (window != NULL)
    grain = MAX (ghlo_size_ceil_div ((gsize) window->size, threads),
                 MAX (LANE_BYTES / (gsize) MAX (window->indexed, 1), 1));
  if (window != NULL && !(by_places && meets_in_lines (self, (gint64) grain, threads)))
    {
      n = (gsize) window->size;
      func = combine_split;
    }
  else if (by_windows && indexer->n_positions >= 2 * GHLO_CPU_INDEXER_BLOCK
           && SORTED_SHARE * nanoseconds >= 2 * GHLO_PARALLEL_MIN_WORK && are_sorted (self, run->indices))
    {
      nanoseconds *= SORTED_SHARE;
      n = indexer->n_positions;
      grain = MAX (GHLO_CPU_INDEXER_BLOCK, ghlo_size_ceil_div (n, 2 * threads));
      func = combine_sorted;
    }
  else if (by_places)
    {
      grain = 1;
      n = run->n_parts = threads;
      func = combine_places;
    }

  return ghlo_parallel_for (n, grain, nanoseconds, func, run, run->monitor)
         && !g_atomic_int_get (&run->stopped);
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Scatter *self = compiled;
  Run scatter = { self, results[0].data, operands[1].data, operands[2].data, monitor, FALSE };
  gboolean done = results[0].data == operands[0].data
                  || ghlo_cpu_copy_run (&self->input, operands[0].data, results[0].data, monitor);

  if (done && self->indexer.n_positions > 0)
    done = combine_all (self, &scatter);

  return ghlo_cpu_finish (done, monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_scatter = {
  .name = "scatter",
  .size = sizeof (Scatter),
  .read = read_request,
  .select = fill_selection,
  .run = run,
};
