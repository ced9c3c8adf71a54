/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The dimensions of a copy, and the walk over its blocks, which any number of threads can share. copy-block.c copies
 * a single block.
 */

#include "cpu/move/copy.h"

#include <string.h>

#include "base/sizes.h"
#include "runtime/parallel.h"

/* Approximate bytes per second that one core reads and writes. */
#define COPY_RATE 12e9

/* Bytes of the destination: in a block, in a chunk of a large unit, and the least for one thread. */
enum { BLOCK_BYTES = 32 << 10, CHUNK_BYTES = 64 << 10, GRAIN_BYTES = 128 << 10 };

/* For blocks whose columns are adjacent in the source: bytes of each column, and number of columns. */
enum { CROSS_BYTES = 1024, CROSS_COLUMNS = 64 };

/* Bytes of a result from which on non-temporal stores are faster: transposing 4096 × 4096 f32 takes 7 ms with them
 * and 10 ms without; 1024 × 1024 takes 0.35 ms and 0.33 ms. */
#define STREAM_BYTES (32e6)

typedef struct
{
  gint64 size, from, to;
} Dimension;

/* Makes the destination's strides positive and sorts them in decreasing order. Insertion sort is enough for a few
 * dimensions, which are mostly in order already. */
static guint
order_dimensions (GhloCpuCopy  *self,
                  Dimension    *dimensions,
                  guint         rank,
                  const gint64 *sizes,
                  const gint64 *from,
                  const gint64 *to)
{
  guint n = 0;

  for (guint i = 0; i < rank; i++)
    {
      Dimension dimension = { sizes[i], from[i], to[i] };
      guint at = n;

      if (sizes[i] == 1)
        continue;
      if (dimension.to < 0)
        {
          self->from_at += (dimension.size - 1) * dimension.from;
          self->to_at += (dimension.size - 1) * dimension.to;
          dimension.from = -dimension.from;
          dimension.to = -dimension.to;
        }
      for (; at > 0 && dimensions[at - 1].to < dimension.to; at--)
        dimensions[at] = dimensions[at - 1];
      dimensions[at] = dimension;
      n++;
    }

  return n;
}

static void
push (GhloCpuCopy *self,
      Dimension    dimension)
{
  self->sizes[self->rank] = dimension.size;
  self->from[self->rank] = dimension.from;
  self->to[self->rank] = dimension.to;
  self->rank++;
}

/* Adds a dimension of one element in front, which may be the rows of blocks. */
static void
push_front (GhloCpuCopy *self)
{
  memmove (self->sizes + 1, self->sizes, self->rank * sizeof (gint64));
  memmove (self->from + 1, self->from, self->rank * sizeof (gint64));
  memmove (self->to + 1, self->to, self->rank * sizeof (gint64));
  self->sizes[0] = 1;
  self->from[0] = self->to[0] = 0;
  self->rank++;
}

static void
merge_dimensions (GhloCpuCopy     *self,
                  const Dimension *dimensions,
                  guint            n)
{
  for (guint i = 0; i < n; i++)
    {
      guint last = self->rank - 1;
      Dimension d = dimensions[i];

      if (self->rank > 0 && self->from[last] == d.size * d.from && self->to[last] == d.size * d.to)
        {
          d.size *= self->sizes[last];
          self->rank--;
        }
      push (self, d);
    }
}

/* Combines elements that are adjacent in both tensors into one unit. */
static void
make_units (GhloCpuCopy *self)
{
  guint last = self->rank - 1;

  if (self->rank > 0 && self->from[last] == (gint64) self->from_unit && self->to[last] == (gint64) self->to_unit)
    {
      self->from_unit = self->to_unit = (gsize) self->sizes[last] * self->to_unit;
      self->rank--;
    }
}

/* Makes the stride of rows in the source positive. */
static void
turn_rows (GhloCpuCopy *self)
{
  guint row = self->rank - 2;

  if (self->from[row] < 0)
    {
      self->from_at += (self->sizes[row] - 1) * self->from[row];
      self->to_at += (self->sizes[row] - 1) * self->to[row];
      self->from[row] = -self->from[row];
      self->to[row] = -self->to[row];
    }
}

static void
cut_blocks (GhloCpuCopy *self,
            gboolean     crosses)
{
  guint last = self->rank - 1;
  gint64 unit = (gint64) MIN (self->to_unit, BLOCK_BYTES);
  gint64 most = (crosses ? CROSS_BYTES * CROSS_COLUMNS : BLOCK_BYTES) / unit, rows, columns;

  rows = crosses ? CLAMP (CROSS_BYTES / unit, 1, self->sizes[last - 1]) : 1;
  columns = CLAMP (crosses && rows * unit >= CROSS_BYTES ? CROSS_COLUMNS : most / rows, 1, self->sizes[last]);
  rows = CLAMP (most / columns, 1, self->sizes[last - 1]);
  for (guint i = 0; i < self->rank; i++)
    self->steps[i] = i == last ? columns : i == last - 1 ? rows : 1;
  if (self->has_tables || self->shuffles)
    ghlo_cpu_copy_cut_groups (self);
  self->chunk = self->to_unit;
  self->n_parts = 1;
  if (self->to_unit > CHUNK_BYTES)
    {
      self->chunk = CHUNK_BYTES;
      self->n_parts = ghlo_size_ceil_div (self->to_unit, CHUNK_BYTES);
      self->steps[last] = self->steps[last - 1] = 1;
    }
  for (guint i = 0; i < self->rank; i++)
    self->n_parts *= (gsize) ghlo_ceil_div (self->sizes[i], self->steps[i]);
}

gboolean
ghlo_cpu_copy_init (GhloCpuCopy     *self,
                    guint            rank,
                    const gint64    *sizes,
                    GhloElementType  from_type,
                    const gint64    *from,
                    GhloElementType  to_type,
                    const gint64    *to)
{
  Dimension dimensions[GHLO_MAX_RANK];
  gboolean is_raw = from_type == to_type, crosses;
  double n = 1;

  *self = (GhloCpuCopy) {
    .from_unit = ghlo_element_info (from_type)->size, .to_unit = ghlo_element_info (to_type)->size,
  };
  if (!is_raw
      && ((from_type != GHLO_ELEMENT_TYPE_F32 && to_type != GHLO_ELEMENT_TYPE_F32)
          || !ghlo_cpu_reader_init (&self->reader, from_type, GHLO_CPU_F32)
          || !ghlo_cpu_writer_init (&self->writer, to_type, GHLO_CPU_F32)))
    return FALSE;
  for (guint i = 0; i < rank; i++)
    n *= (double) sizes[i];
  if (n == 0 || self->to_unit == 0)
    return TRUE;

  self->streams = n * (double) self->to_unit >= STREAM_BYTES;
  self->nanoseconds = n * (double) (self->from_unit + self->to_unit) / COPY_RATE * 1e9;
  merge_dimensions (self, dimensions, order_dimensions (self, dimensions, rank, sizes, from, to));
  if (is_raw)
    make_units (self);
  while (self->rank < 2 || self->sizes[0] > 1)
    push_front (self);
  crosses = ghlo_cpu_copy_find_groups (self, is_raw);
  if (crosses && !self->has_tables)
    turn_rows (self);
  cut_blocks (self, crosses);
  ghlo_cpu_copy_choose_block (self);

  return TRUE;
}

/* A position of the walk. */
typedef struct
{
  gint64 index[GHLO_MAX_RANK];
  gint64 from, to;
  gsize  chunk;                /* offset of the current chunk in the unit */
} Position;

static void
position_init (Position          *self,
               const GhloCpuCopy *copy,
               gsize              part)
{
  gsize n_chunks = ghlo_size_ceil_div (copy->to_unit, copy->chunk);

  self->chunk = part % n_chunks * copy->chunk;
  part /= n_chunks;
  self->from = copy->from_at;
  self->to = copy->to_at;
  for (guint d = copy->rank; d > 0; d--)
    {
      gsize n = (gsize) ghlo_ceil_div (copy->sizes[d - 1], copy->steps[d - 1]);

      self->index[d - 1] = (gint64) (part % n) * copy->steps[d - 1];
      part /= n;
      self->from += self->index[d - 1] * copy->from[d - 1];
      self->to += self->index[d - 1] * copy->to[d - 1];
    }
}

static void
position_next (Position          *self,
               const GhloCpuCopy *copy)
{
  for (guint d = copy->rank; d > 0; d--)
    {
      gint64 step = copy->steps[d - 1];

      self->index[d - 1] += step;
      self->from += step * copy->from[d - 1];
      self->to += step * copy->to[d - 1];
      if (self->index[d - 1] < copy->sizes[d - 1])
        return;
      self->from -= self->index[d - 1] * copy->from[d - 1];
      self->to -= self->index[d - 1] * copy->to[d - 1];
      self->index[d - 1] = 0;
    }
}

void
ghlo_cpu_copy_parts (const GhloCpuCopy *self,
                     const guint8      *from,
                     guint8            *to,
                     gsize              begin,
                     gsize              end)
{
  const guint column = self->rank - self->n_columns, row = column - self->n_rows;
  GhloCpuCopyTables tables;
  Position position;

  g_assert (self->chunk < self->to_unit || self->rank > 1);
  if (self->has_tables)
    ghlo_cpu_copy_fill_tables (self, &tables);
  position_init (&position, self, begin);
  while (begin < end)
    {
      if (self->chunk < self->to_unit)
        {
          /* As many chunks of this unit as possible. */
          gsize n = MIN (ghlo_size_ceil_div (self->to_unit - position.chunk, self->chunk), end - begin);
          gsize n_bytes = MIN (n * self->chunk, self->to_unit - position.chunk);

          memcpy (to + position.to + position.chunk, from + position.from + position.chunk, n_bytes);
          begin += n;
          position.chunk = 0;
        }
      else
        {
          self->block (self, self->has_tables ? &tables : NULL, from + position.from, to + position.to,
                       (gsize) MIN (self->steps[row], self->sizes[row] - position.index[row]),
                       (gsize) MIN (self->steps[column], self->sizes[column] - position.index[column]));
          begin++;
        }
      position_next (&position, self);
    }
  if (self->streams)
    ghlo_cpu_fence ();
}

gsize
ghlo_cpu_copy_part (const GhloCpuCopy *self)
{
  gsize n = self->chunk;

  if (self->n_parts == 0)
    return 1;
  for (guint i = 0; i < self->rank; i++)
    n *= (gsize) self->steps[i];

  return MAX (n, 1);
}

typedef struct
{
  const GhloCpuCopy *copy;
  const guint8      *from;
  guint8            *to;
} Run;

static void
run_parts (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  const Run *run = data;

  ghlo_cpu_copy_parts (run->copy, run->from, run->to, begin, end);
}

gboolean
ghlo_cpu_copy_run (const GhloCpuCopy *self,
                   const guint8      *from,
                   guint8            *to,
                   const GhloMonitor *monitor)
{
  Run run = { .copy = self, .from = from };
  gsize grain = MAX (GRAIN_BYTES / ghlo_cpu_copy_part (self), 1);

  if (self->n_parts == 0)
    return TRUE;
  run.to = to;

  return ghlo_parallel_for (self->n_parts, grain, self->nanoseconds, run_parts, &run, monitor);
}
