/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dimensions are merged and ordered by the destination; planes of two of them are
 * copied line by line, or turned where the source's lines lie across.
 */

#include "cpu/copy.h"

#include <string.h>

#include "runtime/parallel.h"

/* Bytes per second that one core copies, about. */
#define COPY_RATE 5e9

enum { BLOCK = 64, CHUNK = 1024 };

typedef struct
{
  gint64 size, from, to;
} Dimension;

static int
compare_dimensions (gconstpointer a,
                    gconstpointer b)
{
  gint64 x = ABS (((const Dimension *) a)->to), y = ABS (((const Dimension *) b)->to);

  return x < y ? 1 : x > y ? -1 : 0;
}

/* Larger steps of the destination first, and as few dimensions as possible. */
static void
merge_dimensions (GhloCpuCopy  *self,
                  guint         rank,
                  const gint64 *sizes,
                  const gint64 *from,
                  const gint64 *to)
{
  Dimension dimensions[GHLO_MAX_RANK];
  guint n = 0;

  for (guint i = 0; i < rank; i++)
    if (sizes[i] != 1)
      dimensions[n++] = (Dimension) { sizes[i], from[i], to[i] };
  /* Few, and mostly in order. */
  for (guint i = 1; i < n; i++)
    for (guint j = i; j > 0 && compare_dimensions (&dimensions[j - 1], &dimensions[j]) > 0; j--)
      {
        Dimension first = dimensions[j - 1];

        dimensions[j - 1] = dimensions[j];
        dimensions[j] = first;
      }

  self->rank = 0;
  for (guint i = 0; i < n; i++)
    {
      guint last = self->rank - 1;

      if (self->rank > 0 && self->from[last] == dimensions[i].size * dimensions[i].from
          && self->to[last] == dimensions[i].size * dimensions[i].to)
        {
          self->sizes[last] *= dimensions[i].size;
          self->from[last] = dimensions[i].from;
          self->to[last] = dimensions[i].to;
          continue;
        }
      self->sizes[self->rank] = dimensions[i].size;
      self->from[self->rank] = dimensions[i].from;
      self->to[self->rank] = dimensions[i].to;
      self->rank++;
    }
}

/* The source's lines, if they are other than the destination's, become the dimension
 * before the last. */
static void
find_lines (GhloCpuCopy *self)
{
  guint last = self->rank - 1;

  if (self->from[last] == self->from_size || self->to[last] != self->to_size)
    return;
  for (guint i = 0; i < last; i++)
    if (self->from[i] == self->from_size)
      {
        Dimension line = { self->sizes[i], self->from[i], self->to[i] };

        for (guint j = i; j + 1 < last; j++)
          {
            self->sizes[j] = self->sizes[j + 1];
            self->from[j] = self->from[j + 1];
            self->to[j] = self->to[j + 1];
          }
        self->sizes[last - 1] = line.size;
        self->from[last - 1] = line.from;
        self->to[last - 1] = line.to;
        /* Whole lines of the destination lie one after the other. */
        self->turns = (self->is_raw ? self->to_size : 4) == self->to_size && (self->to_size == 4 || self->to_size == 8)
                      && line.to > 0 && line.to % self->to_size == 0;
        return;
      }
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
  *self = (GhloCpuCopy) {
    .from_size = ghlo_element_info (from_type)->size, .to_size = ghlo_element_info (to_type)->size,
    .is_raw = from_type == to_type,
  };
  if (!self->is_raw
      && ((from_type != GHLO_ELEMENT_TYPE_F32 && to_type != GHLO_ELEMENT_TYPE_F32)
          || !ghlo_cpu_reader_init (&self->reader, from_type, GHLO_CPU_F32)
          || !ghlo_cpu_writer_init (&self->writer, to_type, GHLO_CPU_F32)))
    return FALSE;

  merge_dimensions (self, rank, sizes, from, to);
  if (self->rank == 0)
    {
      self->rank = 1;
      self->sizes[0] = 1;
      self->from[0] = self->from_size;
      self->to[0] = self->to_size;
    }
  find_lines (self);
  self->n_outer = 1;
  for (guint i = 0; i + 2 < self->rank; i++)
    self->n_outer *= self->sizes[i];

  return TRUE;
}

/* Elements of any size as they are. */
static void
copy_raw (guint         size,
          const guint8 *from,
          gint64        from_stride,
          guint8       *to,
          gint64        to_stride,
          gint64        n)
{
  if (from_stride == size && to_stride == size)
    memcpy (to, from, (gsize) n * size);
  else
    for (gint64 i = 0; i < n; i++)
      switch (size)
        {
        case 1: to[i * to_stride] = from[i * from_stride]; break;
        case 2: memcpy (to + i * to_stride, from + i * from_stride, 2); break;
        case 4: memcpy (to + i * to_stride, from + i * from_stride, 4); break;
        case 8: memcpy (to + i * to_stride, from + i * from_stride, 8); break;
        default: memcpy (to + i * to_stride, from + i * from_stride, size); break;
        }
}

static void
copy_line (const GhloCpuCopy *self,
           const guint8      *from,
           gint64             from_stride,
           guint8            *to,
           gint64             to_stride,
           gint64             n)
{
  if (self->is_raw)
    copy_raw (self->to_size, from, from_stride, to, to_stride, n);
  else if (self->writer.same && to_stride == self->to_size)
    ghlo_cpu_read_line (&self->reader, from, from_stride, to, (gsize) n);
  else if (self->reader.same && from_stride == self->from_size)
    ghlo_cpu_write_line (&self->writer, from, to, to_stride, (gsize) n);
  else
    for (gint64 i = 0; i < n; i += CHUNK)
      {
        float numbers[CHUNK];
        gsize part = (gsize) MIN (CHUNK, n - i);

        ghlo_cpu_read_line (&self->reader, from + i * from_stride, from_stride, numbers, part);
        ghlo_cpu_write_line (&self->writer, numbers, to + i * to_stride, to_stride, part);
      }
}

/* A block of lines of the source, @n elements each, becomes @n pieces of lines. */
static void
turn_block (const GhloCpuCopy *self,
            const guint8      *from,
            gint64             line_stride,
            guint              n_lines,
            gint64             n,
            guint8            *to,
            gint64             to_stride)
{
  const GhloCpuKernels *kernels = ghlo_cpu_kernels ();
  gconstpointer lines[BLOCK];
  float numbers[BLOCK * BLOCK];

  for (guint i = 0; i < n_lines; i++)
    {
      lines[i] = from + i * line_stride;
      if (!self->is_raw)
        {
          ghlo_cpu_read_line (&self->reader, lines[i], self->from_size, numbers + i * BLOCK, (gsize) n);
          lines[i] = numbers + i * BLOCK;
        }
    }
  kernels->turn[self->to_size == 8] (lines, n_lines, (gsize) (to_stride / self->to_size), (gsize) n, to);
}

static void
copy_plane (const GhloCpuCopy *self,
            const guint8      *from,
            guint8            *to)
{
  guint last = self->rank - 1;
  gint64 n = self->rank > 1 ? self->sizes[last - 1] : 1;
  gint64 from_stride = self->rank > 1 ? self->from[last - 1] : 0, to_stride = self->rank > 1 ? self->to[last - 1] : 0;

  if (!self->turns)
    {
      for (gint64 i = 0; i < n; i++)
        copy_line (self, from + i * from_stride, self->from[last], to + i * to_stride, self->to[last],
                   self->sizes[last]);
      return;
    }
  for (gint64 i = 0; i < n; i += BLOCK)
    for (gint64 j = 0; j < self->sizes[last]; j += BLOCK)
      turn_block (self, from + i * from_stride + j * self->from[last], self->from[last],
                  (guint) MIN (BLOCK, self->sizes[last] - j), MIN (BLOCK, n - i),
                  to + i * to_stride + j * self->to[last], to_stride);
}

typedef struct
{
  const GhloCpuCopy *copy;
  const guint8      *from;
  guint8            *to;
} Run;

static void
copy_planes (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Run *run = data;
  const GhloCpuCopy *self = run->copy;

  for (gsize i = begin; i < end; i++)
    {
      gint64 from = 0, to = 0, rest = (gint64) i;

      for (guint d = self->rank > 2 ? self->rank - 2 : 0; d > 0; d--)
        {
          gint64 at = rest % self->sizes[d - 1];

          rest /= self->sizes[d - 1];
          from += at * self->from[d - 1];
          to += at * self->to[d - 1];
        }
      copy_plane (self, run->from + from, run->to + to);
    }
}

/* A single plane is cut along its first dimension. */
static void
copy_rows (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  const Run *run = data;
  GhloCpuCopy part = *run->copy;
  guint first = part.rank - 2;

  part.sizes[first] = (gint64) (end - begin);
  copy_plane (&part, run->from + (gint64) begin * part.from[first], run->to + (gint64) begin * part.to[first]);
}

gboolean
ghlo_cpu_copy_run (const GhloCpuCopy *self,
                   const guint8      *from,
                   guint8            *to,
                   const GhloMonitor *monitor)
{
  Run run = { self, from, to };
  double plane = (double) self->sizes[self->rank - 1] * (self->rank > 1 ? (double) self->sizes[self->rank - 2] : 1);
  double nanoseconds = plane * (double) self->n_outer * (self->from_size + self->to_size) / COPY_RATE * 1e9;

  if (plane == 0 || self->n_outer == 0)
    return TRUE;
  if (self->n_outer == 1 && self->rank > 1)
    return ghlo_parallel_for ((gsize) self->sizes[self->rank - 2], BLOCK, nanoseconds, copy_rows, &run, monitor);

  return ghlo_parallel_for ((gsize) self->n_outer, 1, nanoseconds, copy_planes, &run, monitor);
}
