/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gather as a step of a plan: positions in chunks, of each a slice.
 * Dimensions of slices that lie before the positions in the result are gone through
 * outside of them, so that results are written in order.
 */

#include "cpu/moves.h"
#include "cpu/places.h"

#include <string.h>

#include "runtime/parallel.h"

/* Below so many positions slices are copied one after the other, each by all threads. */
enum { FEW_POSITIONS = 8 };

enum { GRAIN_BYTES = 64 << 10 };

typedef void (*CopyFunc) (const guint8 *from,
                          const gint64 *offsets,
                          guint8       *to,
                          const gint64 *others,
                          gsize         n,
                          gsize         unit);

typedef struct
{
  GhloCpuPlaces places;
  guint         n_outer;        /* of the window's dimensions */
  GhloCpuCopy   slice;          /* of the others */
  CopyFunc      copy;           /* of slices that are one unit; NULL: others */
  gsize         slice_bytes;    /* of one position */
  double        nanoseconds;
} Gather;

#define COPY(name, T) \
  static void \
  name (const guint8 *from, \
        const gint64 *offsets, \
        guint8       *to, \
        const gint64 *others, \
        gsize         n, \
        gsize         unit) \
  { \
    for (gsize i = 0; i < n; i++) \
      memcpy (to + others[i], from + offsets[i], sizeof (T)); \
  }

typedef struct { guint64 a, b; } Pair;

COPY (copy_1, guint8)
COPY (copy_2, guint16)
COPY (copy_4, guint32)
COPY (copy_8, guint64)
COPY (copy_16, Pair)

static void
copy_units (const guint8 *from,
            const gint64 *offsets,
            guint8       *to,
            const gint64 *others,
            gsize         n,
            gsize         unit)
{
  for (gsize i = 0; i < n; i++)
    memcpy (to + others[i], from + offsets[i], unit);
}

static const struct
{
  gsize    unit;
  CopyFunc copy;
} copies[] = {
  { 1, copy_1 }, { 2, copy_2 }, { 4, copy_4 }, { 8, copy_8 }, { 16, copy_16 },
};

static CopyFunc
find_copy (const GhloCpuCopy *slice)
{
  guint last = slice->rank - 1;

  if (slice->n_parts != 1 || slice->rank != 2 || slice->sizes[last] != 1 || slice->sizes[last - 1] != 1)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (copies); i++)
    if (copies[i].unit == slice->to_unit)
      return copies[i].copy;

  return copy_units;
}

static gpointer
prepare (const GhloIrOp  *op,
         const GhloView  *operands,
         const GhloView  *results,
         gsize           *scratch,
         GError         **error)
{
  static const GhloCpuPlacesFields fields = {
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
      || !ghlo_cpu_places_init (&self->places, numbers, &fields, &operands[0], &operands[1], &results[0], TRUE)
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
      self->copy = find_copy (&self->slice);
      self->slice_bytes = (gsize) n * ghlo_element_info (type)->size / self->places.n_positions;
      self->nanoseconds = (double) self->places.n_positions * (2 + (double) self->slice_bytes / 5);
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
  if (self->copy != NULL)
    self->copy (from, offsets, to, others, n, self->slice.to_unit);
  else
    for (gsize i = 0; i < n; i++)
      ghlo_cpu_copy_parts (&self->slice, from + offsets[i], to + others[i], 0, self->slice.n_parts);
}

/* All outer indices of some positions. */
static void
copy_outer (const Run    *run,
            const gint64 *offsets,
            const gint64 *others,
            gsize         n)
{
  const Gather *self = run->gather;
  gint64 index[GHLO_MAX_RANK] = { 0 }, from = 0, to = 0;
  guint d;

  do
    {
      copy_chunk (self, run->from + from, offsets, run->to + to, others, n);
      for (d = self->n_outer; d > 0; d--)
        {
          const GhloCpuWindow *window = &self->places.window[d - 1];

          from += window->indexed;
          to += window->other;
          if (++index[d - 1] < window->size)
            break;
          from -= window->indexed * window->size;
          to -= window->other * window->size;
          index[d - 1] = 0;
        }
    }
  while (d > 0);
}

static void
copy_positions (gpointer data,
                gsize    begin,
                gsize    end,
                guint    worker)
{
  const Run *run = data;
  gint64 offsets[GHLO_CPU_PLACES], others[GHLO_CPU_PLACES];

  for (gsize i = begin, n; i < end; i += n)
    {
      n = MIN (GHLO_CPU_PLACES, end - i);
      ghlo_cpu_places_read (&run->gather->places, run->indices, i, n, offsets, others);
      copy_outer (run, offsets, others, n);
    }
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
    done = ghlo_parallel_for (n, MAX (GRAIN_BYTES / MAX (self->slice_bytes, 1), 1), self->nanoseconds, copy_positions,
                              &gather, monitor);
  else
    for (gsize i = 0; done && i < n; i++)
      {
        gint64 offset, other;

        ghlo_cpu_places_read (&self->places, operands[1].data, i, 1, &offset, &other);
        done = ghlo_cpu_copy_run (&self->slice, operands[0].data + offset, results[0].data + other, monitor);
      }

  return ghlo_cpu_moves_finish (done, monitor, error);
}

const GhloCodeKernel ghlo_cpu_step_gather = {
  .name = "gather",
  .takes = ghlo_cpu_takes_any,
  .prepare = prepare,
  .run = run,
  .release = g_free,
};
