/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gather as a step of a plan: positions in chunks, of each a slice.
 * Dimensions of slices that lie before the positions in the result are gone through
 * outside of them, so that results are written in order.
 */

#include "cpu/move/move.h"
#include "cpu/move/indexer.h"

#include <string.h>

#include "runtime/parallel.h"

/* Below so many positions slices are copied one after the other, each by all threads. */
enum { FEW_POSITIONS = 8 };

/* Bytes of a part; and from so many indices of the outermost dimension on it is that
 * which threads share. */
enum { GRAIN_BYTES = 64 << 10, MANY_OUTER = 32 };

typedef struct
{
  GhloCpuIndexer  places;
  guint           n_outer;      /* of the window's dimensions */
  GhloCpuCopy     slice;        /* of the others */
  gboolean        is_unit;      /* a slice is one unit … */
  GhloCpuPickFunc pick;         /* … that registers hold; nullable */
  gsize           slice_bytes;  /* of one position */
  double          nanoseconds;
} Gather;

static void
find_unit (Gather *self)
{
  const GhloCpuCopy *slice = &self->slice;
  guint last = slice->rank - 1;
  gsize unit = slice->to_unit;

  self->is_unit = slice->n_parts == 1 && slice->rank == 2 && slice->sizes[last] == 1 && slice->sizes[last - 1] == 1;
  /* Places in the result are a stride apart then. */
  if (self->is_unit && unit <= 16 && (unit & (unit - 1)) == 0 && self->places.rank == 1)
    self->pick = ghlo_cpu_routines ()->pick[__builtin_ctzll (unit)];
}

static gpointer
prepare (const GhloIrOp  *op,
         const GhloView  *operands,
         const GhloView  *results,
         gsize           *scratch,
         GError         **error)
{
  static const GhloCpuIndexerFields fields = {
    "offset_dims", "collapsed_slice_dims", "start_index_map", "operand_batching_dims", "start_indices_batching_dims",
  };
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");
  gsize n_slices;
  g_autofree gint64 *slices = ghlo_ir_op_dup_ints (op, "slice_sizes", &n_slices);
  gint64 sizes[GHLO_MAX_RANK], from[GHLO_MAX_RANK], to[GHLO_MAX_RANK];
  GhloElementType type = results[0].element_type;
  g_autofree Gather *self = g_new0 (Gather, 1);
  gint64 n = ghlo_view_count (&results[0]);
  guint rank = 0;

  if (numbers == NULL || !ghlo_cpu_moves_plain (op)
      || !ghlo_cpu_indexer_init (&self->places, numbers, &fields, &operands[0], &operands[1], &results[0], TRUE)
      || (n > 0 && ghlo_view_count (&operands[0]) == 0))
    return NULL;
  /* Of an empty dimension that the result lacks there is nothing to copy. */
  for (gsize i = 0; i < n_slices; i++)
    if (slices[i] == 0 && n > 0)
      return NULL;
  if (n == 0)
    self->places.n_positions = 0;
  if (self->places.n_positions >= FEW_POSITIONS && !self->places.is_mixed)
    self->n_outer = self->places.n_leading;
  for (guint i = self->n_outer; i < self->places.n_window; i++, rank++)
    {
      sizes[rank] = self->places.window[i].size;
      from[rank] = self->places.window[i].indexed;
      to[rank] = self->places.window[i].other;
    }
  ghlo_cpu_copy_init (&self->slice, rank, sizes, type, from, type, to);
  if (n > 0)
    {
      find_unit (self);
      self->slice_bytes = (gsize) n * ghlo_element_info (type)->size / self->places.n_positions;
      self->nanoseconds = (double) self->places.n_positions * (2 + (double) self->slice_bytes / 8);
    }

  return g_steal_pointer (&self);
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
    self->pick (from, offsets, to + others[0], self->places.other[0], n);
  else if (self->is_unit)
    for (gsize i = 0; i < n; i++)
      memcpy (to + others[i], from + offsets[i], self->slice.to_unit);
  else
    for (gsize i = 0; i < n; i++)
      ghlo_cpu_copy_parts (&self->slice, from + offsets[i], to + others[i], 0, self->slice.n_parts);
}

/* All outer indices of some positions, of the first dimension those from @begin on. */
static void
copy_outer (const Run    *run,
            gint64        begin,
            gint64        end,
            const gint64 *offsets,
            const gint64 *others,
            gsize         n)
{
  const Gather *self = run->gather;
  gint64 index[GHLO_MAX_RANK] = { 0 }, from = begin * self->places.window[0].indexed;
  gint64 to = begin * self->places.window[0].other;
  guint d;

  do
    {
      copy_chunk (self, run->from + from, offsets, run->to + to, others, n);
      for (d = self->n_outer; d > 0; d--)
        {
          const GhloCpuWindow *window = &self->places.window[d - 1];
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
      ghlo_cpu_indexer_read (&run->gather->places, run->indices, i, n, offsets, others);
      if (run->gather->n_outer > 0)
        copy_outer (run, begin_outer, end_outer, offsets, others, n);
      else
        copy_chunk (run->gather, run->from, offsets, run->to, others, n);
    }
}

/* Some positions, all of each. */
static void
split_positions (gpointer data,
                 gsize    begin,
                 gsize    end,
                 guint    worker)
{
  const Run *run = data;

  copy_positions (run, 0, run->gather->places.window[0].size, begin, end);
}

/* All positions, of each some of the result's outermost dimension. */
static void
split_outer (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Run *run = data;

  copy_positions (run, (gint64) begin, (gint64) end, 0, run->gather->places.n_positions);
}

/* Indices are read anew by each part of the outer dimension, so parts are few. */
static gboolean
copy_shared (Run               *run,
             const GhloMonitor *monitor)
{
  const Gather *self = run->gather;
  gsize n = self->places.n_positions, grain = MAX (GRAIN_BYTES / MAX (self->slice_bytes, 1), 1);
  gsize outer = self->n_outer > 0 ? (gsize) self->places.window[0].size : 0;

  if (outer >= MANY_OUTER)
    return ghlo_parallel_for (outer, MANY_OUTER / 2, self->nanoseconds, split_outer, run, monitor);
  if (self->n_outer > 0)
    grain = MAX (grain, GHLO_CPU_INDEXER_BLOCK);

  return ghlo_parallel_for (n, grain, self->nanoseconds, split_positions, run, monitor);
}

static gboolean
run (gpointer            prepared,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Gather *self = prepared;
  Run gather = { self, operands[0].data, operands[1].data, results[0].data };
  gsize n = self->places.n_positions;
  gboolean done = TRUE;

  if (n >= FEW_POSITIONS)
    done = copy_shared (&gather, monitor);
  else
    for (gsize i = 0; done && i < n; i++)
      {
        gint64 offset, other;

        ghlo_cpu_indexer_read (&self->places, operands[1].data, i, 1, &offset, &other);
        done = ghlo_cpu_copy_run (&self->slice, operands[0].data + offset, results[0].data + other, monitor);
      }

  return ghlo_cpu_moves_finish (done, monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_gather = {
  .name = "gather",
  .takes = ghlo_cpu_takes_any,
  .prepare = prepare,
  .run = run,
  .release = g_free,
};
