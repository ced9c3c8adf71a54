/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of gather: copies a slice for each position, for a chunk of positions at a time. Dimensions of slices that
 * precede the positions in the result are walked in an outer loop, so that the result is written in order.
 */

#include "cpu/move/move.h"
#include "cpu/move/indexer.h"

#include <string.h>

#include "runtime/parallel.h"

/* With fewer positions, slices are copied one after the other, each by all threads, except for adjacent units of this
 * many bytes in all. */
enum { FEW_POSITIONS = 8, FEW_BYTES = 8 };

/* Bytes of a part, and those that are copied in the time that the index of a position takes; and the size of the
 * outermost dimension from which on threads share that dimension instead of the positions. */
enum { GRAIN_BYTES = 64 << 10, POSITION_BYTES = 16, MANY_OUTER = 32 };

typedef struct
{
  GhloCpuIndexer  indexer;
  guint           n_outer;      /* dimensions of the window in the outer loop */
  GhloCpuCopy     slice;        /* of the window's other dimensions */
  gboolean        is_unit;      /* a slice is a single unit */
  GhloCpuPickFunc pick;         /* for units that registers hold; nullable */
  gsize           slice_bytes;  /* bytes of the slice of one position */
  double          nanoseconds;
} Gather;

/* Makes one of adjacent dimensions of the outer loop that a single stride is enough for. */
static void
merge_leading (GhloCpuIndexer *self)
{
  guint n = 0;

  for (guint i = 0; i < self->n_window; i++)
    {
      GhloCpuWindow window = self->window[i], *last = n > 0 ? &self->window[n - 1] : NULL;

      if (i < self->n_leading && last != NULL && last->indexed == window.size * window.indexed
          && last->other == window.size * window.other)
        {
          window.size *= last->size;
          n--;
        }
      self->window[n++] = window;
    }
  self->n_leading -= self->n_window - n;
  self->n_window = n;
}

/* Chooses how many dimensions of the window are in the outer loop. */
static void
init_slice (Gather          *self,
            guint            n_outer,
            GhloElementType  type)
{
  gint64 sizes[GHLO_MAX_RANK], from[GHLO_MAX_RANK], to[GHLO_MAX_RANK];
  const GhloCpuCopy *slice = &self->slice;
  guint rank = 0;

  self->n_outer = n_outer;
  for (guint i = n_outer; i < self->indexer.n_window; i++, rank++)
    {
      sizes[rank] = self->indexer.window[i].size;
      from[rank] = self->indexer.window[i].indexed;
      to[rank] = self->indexer.window[i].other;
    }
  ghlo_cpu_copy_init (&self->slice, rank, sizes, type, from, type, to);
  self->is_unit = slice->n_parts == 1 && slice->rank == 2 && slice->sizes[1] == 1 && slice->sizes[0] == 1;
  /* With a single dimension of positions, the units have one stride in the result. */
  self->pick = NULL;
  if (self->is_unit && slice->to_unit <= 16 && (slice->to_unit & (slice->to_unit - 1)) == 0
      && self->indexer.rank == 1)
    self->pick = ghlo_cpu_routines ()->pick[__builtin_ctzll (slice->to_unit)];
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Gather *self = step;
  static const GhloCpuIndexerFields fields = {
    "offset_dims", "collapsed_slice_dims", "start_index_map", "operand_batching_dims", "start_indices_batching_dims",
  };
  const GhloIrOp *op = request->op;
  const GhloView *operands = request->operands, *result = &request->results[0];
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");
  gsize n_slices;
  g_autofree gint64 *slices = ghlo_ir_op_dup_ints (op, "slice_sizes", &n_slices);
  GhloElementType type = result->element_type;
  gint64 n = ghlo_view_count (result);

  if (numbers == NULL
      || !ghlo_cpu_indexer_init (&self->indexer, numbers, &fields, &operands[0], &operands[1], result, TRUE))
    return "its dimension numbers do not fit its operands";
  /* The operand may be empty in a dimension that the result lacks. */
  if (n > 0 && ghlo_view_count (&operands[0]) == 0)
    return "its operand is empty and its result is not";
  for (gsize i = 0; i < n_slices; i++)
    if (slices[i] == 0 && n > 0)
      return "its slices are empty and its result is not";
  if (n == 0)
    self->indexer.n_positions = 0;
  else
    merge_leading (&self->indexer);
  if (!self->indexer.is_mixed)
    init_slice (self, self->indexer.n_leading, type);
  if (self->indexer.is_mixed
      || (self->indexer.n_positions < FEW_POSITIONS
          && (self->pick == NULL || self->indexer.n_positions * self->slice.to_unit < FEW_BYTES)))
    init_slice (self, 0, type);
  if (n > 0)
    {
      self->slice_bytes = (gsize) n * ghlo_element_info (type)->size / self->indexer.n_positions;
      self->nanoseconds = (double) self->indexer.n_positions
                          * ((self->pick != NULL ? 1 : 2) + (double) self->slice_bytes / 8);
    }

  return NULL;
}

typedef struct
{
  const Gather *gather;
  const guint8 *from, *indices;
  guint8       *to;
} Run;

/* Copies some positions of one or more rows. */
static void
copy_chunk (const Gather *self,
            const guint8 *from,
            gint64        from_row,
            const gint64 *offsets,
            guint8       *to,
            gint64        to_row,
            const gint64 *others,
            gint64        rows,
            gsize         n)
{
  if (self->pick != NULL)
    {
      self->pick (from, from_row, offsets, to + others[0], to_row, self->indexer.other[0], (gsize) rows, n);
      return;
    }
  for (gint64 row = 0; row < rows; row++, from += from_row, to += to_row)
    if (self->is_unit && self->indexer.rank == 1)
      ghlo_cpu_copy_units (from, offsets, 0, to + others[0], self->indexer.other[0], n, self->slice.to_unit);
    else if (self->is_unit)
      for (gsize i = 0; i < n; i++)
        memcpy (to + others[i], from + offsets[i], self->slice.to_unit);
    else
      for (gsize i = 0; i < n; i++)
        ghlo_cpu_copy_parts (&self->slice, from + offsets[i], to + others[i], 0, self->slice.n_parts);
}

/* Copies some positions for all outer indices; of the first outer dimension, for [@begin, @end). The last one is that
 * of the rows. */
static void
copy_outer (const Run    *run,
            gint64        begin,
            gint64        end,
            const gint64 *offsets,
            const gint64 *others,
            gsize         n)
{
  const Gather *self = run->gather;
  const GhloCpuWindow *rows = &self->indexer.window[self->n_outer - 1];
  gint64 index[GHLO_MAX_RANK] = { 0 }, from = begin * self->indexer.window[0].indexed;
  gint64 to = begin * self->indexer.window[0].other;
  guint d;

  do
    {
      copy_chunk (self, run->from + from, rows->indexed, offsets, run->to + to, rows->other, others,
                  self->n_outer == 1 ? end - begin : rows->size, n);
      for (d = self->n_outer - 1; d > 0; d--)
        {
          const GhloCpuWindow *window = &self->indexer.window[d - 1];
          gint64 size = d == 1 ? end - begin : window->size;

          from += window->indexed;
          to += window->other;
          if (++index[d - 1] < size)
            break;
          from -= window->indexed * size;
          to -= window->other * size;
          index[d - 1] = 0;
        }
    }
  while (d > 0);
}

static void
copy_positions (const Run *run,
                gint64     begin_outer,
                gint64     end_outer,
                gsize      begin,
                gsize      end)
{
  const GhloCpuIndexer *indexer = &run->gather->indexer;
  gint64 offsets[GHLO_CPU_INDEXER_BLOCK] __attribute__ ((aligned (64)));
  gint64 others[GHLO_CPU_INDEXER_BLOCK] __attribute__ ((aligned (64)));

  for (gsize i = begin, n; i < end; i += n)
    {
      n = MIN (GHLO_CPU_INDEXER_BLOCK, end - i);
      if (run->gather->pick != NULL)
        {
          /* Units are picked to places that are evenly spaced. */
          ghlo_cpu_indexer_read (indexer, run->indices, i, n, offsets, NULL);
          others[0] = (gint64) i * indexer->other[0];
        }
      else
        ghlo_cpu_indexer_read (indexer, run->indices, i, n, offsets, others);
      if (run->gather->n_outer > 0)
        copy_outer (run, begin_outer, end_outer, offsets, others, n);
      else
        copy_chunk (run->gather, run->from, 0, offsets, run->to, 0, others, 1, n);
    }
}

/* Copies positions [@begin, @end) completely. */
static void
split_positions (gpointer data,
                 gsize    begin,
                 gsize    end,
                 guint    worker)
{
  const Run *run = data;

  copy_positions (run, 0, run->gather->indexer.window[0].size, begin, end);
}

/* Copies indices [@begin, @end) of the result's outermost dimension for all positions. */
static void
split_outer (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Run *run = data;

  copy_positions (run, (gint64) begin, (gint64) end, 0, run->gather->indexer.n_positions);
}

/* Each part of the outer dimension reads all indices again, so there should be few such parts. */
static gboolean
copy_shared (Run               *run,
             const GhloMonitor *monitor)
{
  const Gather *self = run->gather;
  gsize n = self->indexer.n_positions, grain = MAX (GRAIN_BYTES / (self->slice_bytes + POSITION_BYTES), 1);
  gsize outer = self->n_outer > 0 ? (gsize) self->indexer.window[0].size : 0;

  if (outer >= MANY_OUTER)
    return ghlo_parallel_for (outer, MANY_OUTER / 2, self->nanoseconds, split_outer, run, monitor);
  if (self->n_outer > 0)
    grain = MAX (grain, GHLO_CPU_INDEXER_BLOCK);

  return ghlo_parallel_for (n, grain, self->nanoseconds, split_positions, run, monitor);
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Gather *self = compiled;
  Run gather = { self, operands[0].data, operands[1].data, results[0].data };
  gsize n = self->indexer.n_positions;
  gboolean done = TRUE;

  if (n >= FEW_POSITIONS || (n > 0 && self->n_outer > 0))
    done = copy_shared (&gather, monitor);
  else
    for (gsize i = 0; done && i < n; i++)
      {
        gint64 offset, other;

        ghlo_cpu_indexer_read (&self->indexer, operands[1].data, i, 1, &offset, &other);
        done = ghlo_cpu_copy_run (&self->slice, operands[0].data + offset, results[0].data + other, monitor);
      }

  return ghlo_cpu_finish (done, monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_gather = {
  .name = "gather",
  .size = sizeof (Gather),
  .read = read_request,
  .run = run,
};
