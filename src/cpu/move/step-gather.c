/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of gather: copies a slice for each position, for a chunk of positions at a time. Dimensions of slices that
 * precede the positions in the result are walked in an outer loop, so that the result is written in order.
 */

#include "cpu/move/move.h"
#include "cpu/move/indexer.h"

#include <string.h>

#include "runtime/parallel.h"

/* With fewer positions, slices are copied one after the other, each by all threads. */
enum { FEW_POSITIONS = 8 };

/* Bytes of a part; and the size of the outermost dimension from which on threads share that dimension instead of the
 * positions. */
enum { GRAIN_BYTES = 64 << 10, MANY_OUTER = 32 };

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

static void
find_unit (Gather *self)
{
  const GhloCpuCopy *slice = &self->slice;
  guint last = slice->rank - 1;
  gsize unit = slice->to_unit;

  self->is_unit = slice->n_parts == 1 && slice->rank == 2 && slice->sizes[last] == 1 && slice->sizes[last - 1] == 1;
  /* With a single dimension of positions, the units have one stride in the result. */
  if (self->is_unit && unit <= 16 && (unit & (unit - 1)) == 0 && self->indexer.rank == 1)
    self->pick = ghlo_cpu_routines ()->pick[__builtin_ctzll (unit)];
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
  gint64 sizes[GHLO_MAX_RANK], from[GHLO_MAX_RANK], to[GHLO_MAX_RANK];
  GhloElementType type = result->element_type;
  gint64 n = ghlo_view_count (result);
  guint rank = 0;

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
  if (self->indexer.n_positions >= FEW_POSITIONS && !self->indexer.is_mixed)
    self->n_outer = self->indexer.n_leading;
  for (guint i = self->n_outer; i < self->indexer.n_window; i++, rank++)
    {
      sizes[rank] = self->indexer.window[i].size;
      from[rank] = self->indexer.window[i].indexed;
      to[rank] = self->indexer.window[i].other;
    }
  ghlo_cpu_copy_init (&self->slice, rank, sizes, type, from, type, to);
  if (n > 0)
    {
      find_unit (self);
      self->slice_bytes = (gsize) n * ghlo_element_info (type)->size / self->indexer.n_positions;
      self->nanoseconds = (double) self->indexer.n_positions * (2 + (double) self->slice_bytes / 8);
    }

  return NULL;
}

typedef struct
{
  const Gather *gather;
  const guint8 *from, *indices;
  guint8       *to;
} Run;

static void
copy_chunk (const Gather *self,
            const guint8 *from,
            const gint64 *offsets,
            guint8       *to,
            const gint64 *others,
            gsize         n)
{
  if (self->pick != NULL)
    self->pick (from, offsets, to + others[0], self->indexer.other[0], n);
  else if (self->is_unit && self->indexer.rank == 1)
    ghlo_cpu_copy_units (from, offsets, 0, to + others[0], self->indexer.other[0], n, self->slice.to_unit);
  else if (self->is_unit)
    for (gsize i = 0; i < n; i++)
      memcpy (to + others[i], from + offsets[i], self->slice.to_unit);
  else
    for (gsize i = 0; i < n; i++)
      ghlo_cpu_copy_parts (&self->slice, from + offsets[i], to + others[i], 0, self->slice.n_parts);
}

/* Copies some positions for all outer indices; of the first outer dimension, for [@begin, @end). */
static void
copy_outer (const Run    *run,
            gint64        begin,
            gint64        end,
            const gint64 *offsets,
            const gint64 *others,
            gsize         n)
{
  const Gather *self = run->gather;
  gint64 index[GHLO_MAX_RANK] = { 0 }, from = begin * self->indexer.window[0].indexed;
  gint64 to = begin * self->indexer.window[0].other;
  guint d;

  do
    {
      copy_chunk (self, run->from + from, offsets, run->to + to, others, n);
      for (d = self->n_outer; d > 0; d--)
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
  gint64 offsets[GHLO_CPU_INDEXER_BLOCK], others[GHLO_CPU_INDEXER_BLOCK];

  for (gsize i = begin, n; i < end; i += n)
    {
      n = MIN (GHLO_CPU_INDEXER_BLOCK, end - i);
      ghlo_cpu_indexer_read (&run->gather->indexer, run->indices, i, n, offsets, others);
      if (run->gather->n_outer > 0)
        copy_outer (run, begin_outer, end_outer, offsets, others, n);
      else
        copy_chunk (run->gather, run->from, offsets, run->to, others, n);
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
  gsize n = self->indexer.n_positions, grain = MAX (GRAIN_BYTES / MAX (self->slice_bytes, 1), 1);
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

  if (n >= FEW_POSITIONS)
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
