/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a reduction in parts, each of which is a range of the results of all blocks.
 */

#include "cpu/reduce/reduce.h"

#include <string.h>

#include "cpu/move/strided.h"
#include "runtime/parallel.h"

enum
{
  BUFFER = 4096,      /* bytes */
  SHORT_ROW = 64,     /* elements; several shorter rows are collected for one call, */
  SHORT_RUN = 8,      /* or, from this length on, combined element by element, */
  LONG_RUN = 512,     /* as longer ones are up to this length, if there are */
  MANY_RUNS = 8,
  STREAMS = 16,       /* rows that are scanned at a time */
  SHORT_STREAM = 4096, CACHE = 1 << 20, FAR = 1 << 24,      /* bytes: of a row, of caches */
  LEAST_SCAN = 64, MOST_SCAN = 256,         /* bytes of numbers in registers */
  ROWS = 64,          /* combined between two checks for cancellation; a power of two */
  NARROW = 64,        /* elements; adjacent rows that are shorter are combined as one row, of */
  WIDE = 512,         /* elements at most */
  FEW = 32,           /* elements; rows that have no more, or no more bytes than FEW_BYTES, are transposed, */
  FEW_BYTES = 128,
  SIDE = 128,         /* as many at once */
};

typedef struct
{
  const GhloCpuReduce *self;
  const guint8        *operand;       /* the first element of both axes */
  guint8              *result;
  guint8              *numbers;       /* results, block by block; the result itself where is_direct */
  guint8               start[8];      /* the initial value, converted to a number */
  const GhloMonitor   *monitor;
} Run;

/* Whether to stop before row or element @at; checks that for some of them only. */
static inline gboolean
stops (const Run *run,
       gint64     at)
{
  return at % ROWS == 0 && ghlo_monitor_cancelled (run->monitor, NULL);
}

static const guint8 *
gather_numbers (const GhloCpuReduce *self,
                const guint8        *from,
                gint64               stride,
                guint8              *buffer,
                gsize                n)
{
  guint8 raw[BUFFER / 2] __attribute__ ((aligned (64)));

  if (!self->compute->is_read)
    {
      ghlo_cpu_pack_strided (self->size, from, 0, stride, buffer, 1, n);
      return buffer;
    }
  if (stride != self->size)
    {
      ghlo_cpu_pack_strided (self->size, from, 0, stride, raw, 1, n);
      from = raw;
    }
  ghlo_cpu_compute_type_reader (self->compute) (from, buffer, n);

  return buffer;
}

/* Returns @n elements as adjacent numbers, in place or in @buffer. */
static inline const guint8 *
read_numbers (const GhloCpuReduce *self,
              const guint8        *from,
              gint64               stride,
              guint8              *buffer,
              gsize                n)
{
  if (stride == self->size && !self->compute->is_read)
    return from;

  return gather_numbers (self, from, stride, buffer, n);
}

/* The most elements that are read at once. */
static gint64
find_chunk (const GhloCpuReduce *self,
            gint64               stride)
{
  return stride == self->size && !self->compute->is_read ? G_MAXINT64 : BUFFER / self->number_size;
}

/* Makes the elements of @n_runs runs of a result adjacent. */
static void
pack_runs (const GhloCpuReduce *self,
           const guint8        *from,
           guint8              *to,
           gint64               n_runs,
           gint64               length)
{
  const GhloCpuAxis *axis = &self->reduced;
  const gint64 bytes = length * self->size;

  /* Short runs are moved as one number, if that is one. */
  if (axis->stride == self->size && (bytes & (bytes - 1)) == 0 && bytes <= 16)
    ghlo_cpu_pack_strided ((guint) bytes, from, 0, axis->outer[0].stride, to, 1, (gsize) n_runs);
  else
    ghlo_cpu_pack_strided (self->size, from, axis->outer[0].stride, axis->stride, to, (gsize) n_runs, (gsize) length);
}

/* Combines @n_rows rows of @n adjacent elements, @stride bytes apart, into @n adjacent numbers. */
static void
accumulate (const GhloCpuReduce *self,
            const guint8        *from,
            gint64               stride,
            gint64               n_rows,
            gsize                n,
            guint8              *numbers)
{
  guint8 buffer[BUFFER] __attribute__ ((aligned (64)));
  const gsize most = MAX (BUFFER / self->number_size / n, 1);
  GhloCpuScan scan = { .from = from, .from_row = stride, .columns = n, .sums = numbers };

  for (; !self->scans && n_rows > 0; n_rows--, from += stride)
    self->combine ((const guint8 *[]) { numbers, read_numbers (self, from, self->size, buffer, n) }, numbers, n, NULL);
  if (n_rows > 0 && !self->scan_converts)
    {
      scan.rows = (gsize) n_rows;
      self->scan (&scan);
      return;
    }
  scan.from = buffer;
  scan.from_row = (gint64) (n * self->number_size);
  for (; n_rows > 0; n_rows -= (gint64) scan.rows, from += (gint64) scan.rows * stride)
    {
      const gsize n_calls = stride == (gint64) (n * self->size) ? 1 : MIN (most, (gsize) n_rows);

      scan.rows = MIN (most, (gsize) n_rows);
      for (gsize i = 0; i < n_calls; i++)
        ghlo_cpu_compute_type_reader (self->compute) (from + (gint64) i * stride, buffer + i * n * self->number_size,
                                                      scan.rows / n_calls * n);
      self->scan (&scan);
    }
}

/* Returns the next elements of a row, up to @end, as adjacent numbers: of one run, or of several short ones. */
static const guint8 *
read_row (const GhloCpuReduce *self,
          const guint8        *row,
          gint64              *at,
          gint64               end,
          guint8              *buffer,
          gsize               *n)
{
  const GhloCpuAxis *axis = &self->reduced;
  gint64 first = *at, filled = 0, room = BUFFER / self->number_size;
  guint8 raw[BUFFER / 2] __attribute__ ((aligned (64)));
  guint8 *to = self->compute->is_read ? raw : buffer;

  if (axis->inner >= SHORT_ROW || ghlo_cpu_axis_is_uniform (axis))
    {
      *at += MIN (ghlo_cpu_axis_run_end (axis, first, end) - first, find_chunk (self, axis->stride));
      *n = (gsize) (*at - first);
      return read_numbers (self, row + ghlo_cpu_axis_at (axis, first), axis->stride, buffer, *n);
    }
  while (*at < end && filled < room)
    {
      const gint64 most = MIN (end - *at, room - filled);
      gint64 n_runs = 1, length = MIN (ghlo_cpu_axis_run_end (axis, *at, end) - *at, most);

      if (*at % axis->inner == 0 && length == axis->inner)
        n_runs = MIN (most / length, axis->outer[0].size - *at / length % axis->outer[0].size);
      pack_runs (self, row + ghlo_cpu_axis_at (axis, *at), to + filled * self->size, n_runs, length);
      filled += n_runs * length;
      *at += n_runs * length;
    }
  *n = (gsize) filled;
  if (self->compute->is_read)
    ghlo_cpu_compute_type_reader (self->compute) (raw, buffer, *n);

  return buffer;
}

/* Reduces elements [@begin, @end) of one result's row. Every GHLO_CPU_REDUCE_STEPS pieces are reduced to a partial
 * number first, so that no sum has too many terms. */
static void
reduce_row (const Run    *run,
            const guint8 *row,
            gint64        begin,
            gint64        end,
            guint8       *number)
{
  const GhloCpuReduce *self = run->self;
  guint8 buffer[BUFFER] __attribute__ ((aligned (64)));
  guint8 partial[8];
  gsize n;

  for (gint64 at = begin; at < end && !ghlo_monitor_cancelled (run->monitor, NULL);)
    {
      const guint8 *from = read_row (self, row, &at, end, buffer, &n);

      if (at == end && n == (gsize) (end - begin))
        {
          self->reduce (from, n, number);
          return;
        }
      memcpy (partial, self->identity, sizeof (partial));
      self->reduce (from, n, partial);
      for (guint steps = 1; at < end && steps < GHLO_CPU_REDUCE_STEPS; steps++)
        {
          from = read_row (self, row, &at, end, buffer, &n);
          self->reduce (from, n, partial);
        }
      self->reduce (partial, 1, number);
    }
}

/* Whether a result's elements are many short runs of adjacent elements. */
static gboolean
has_short_runs (const GhloCpuReduce *self)
{
  return !ghlo_cpu_axis_is_uniform (&self->reduced) && self->reduced.stride == self->size
         && self->reduced.inner >= SHORT_RUN && self->reduced.inner <= LONG_RUN
         && (self->reduced.inner < SHORT_ROW || self->reduced.count / self->reduced.inner >= MANY_RUNS);
}

/* Reduces results [@begin, @end), from whole short runs: the first elements of a result's runs, the second ones, and so
 * on, are combined, and what is left of them reduced. Results whose runs follow each other do so together. Sums are cut
 * after GHLO_CPU_REDUCE_STEPS runs, so that none has too many terms. */
static void
reduce_runs (const Run *run,
             gint64     begin,
             gint64     end,
             gint64     first,
             gint64     last,
             guint8    *numbers)
{
  const GhloCpuReduce *self = run->self;
  guint8 sums[BUFFER] __attribute__ ((aligned (64)));
  const GhloCpuAxisFactor *runs = &self->reduced.outer[0];
  const gint64 width = self->reduced.inner, size = self->number_size;
  const gint64 most = self->kept.stride == width * self->size ? BUFFER / size / width : 1;

  for (gint64 k = begin, n; k < end; k += n, numbers += n * size)
    {
      const guint8 *from = run->operand + ghlo_cpu_axis_at (&self->kept, k);

      n = MIN (ghlo_cpu_axis_run_end (&self->kept, k, end) - k, most);
      ghlo_cpu_fill ((guint) size, self->is_direct ? run->start : self->identity, numbers, (gsize) n);
      for (gint64 at = first, stop; at < last && !ghlo_monitor_cancelled (run->monitor, NULL); at = stop)
        {
          stop = MIN (last, at + GHLO_CPU_REDUCE_STEPS * width);
          ghlo_cpu_fill ((guint) size, self->identity, sums, (gsize) (n * width));
          for (gint64 i = at, rows; i < stop; i += rows * width)
            {
              rows = MIN ((stop - i) / width, runs->size - i / width % runs->size);
              accumulate (self, from + ghlo_cpu_axis_at (&self->reduced, i), runs->stride, rows, (gsize) (n * width),
                          sums);
            }
          for (gint64 i = 0; i < n; i++)
            self->reduce (sums + i * width * size, (gsize) width, numbers + i * size);
        }
    }
}

/* Whether rows have few elements, which are adjacent. */
static gboolean
has_few_elements (const GhloCpuReduce *self)
{
  return self->n_blocks == 1 && self->reduced.count <= MAX (FEW, FEW_BYTES / self->size) && self->kept.inner >= FEW
         && ghlo_cpu_axis_is_uniform (&self->reduced) && self->reduced.stride == self->size && self->kept.stride > 0;
}

/* Reduces rows [@begin, @end) of few elements: the first elements of many rows, then the second ones, and so on. */
static void
reduce_transposed (const Run *run,
                   gint64     begin,
                   gint64     end,
                   guint8    *numbers)
{
  const GhloCpuReduce *self = run->self;
  const gint64 size = self->number_size, n = self->reduced.count;
  guint8 elements[FEW * SIDE * 8] __attribute__ ((aligned (64))), buffer[FEW * SIDE * 8] __attribute__ ((aligned (64)));
  guint8 *columns = self->compute->is_read ? buffer : elements;

  for (gint64 k = begin, rows; k < end && !stops (run, k - begin); k += rows, numbers += rows * size)
    {
      const guint8 *from = run->operand + ghlo_cpu_axis_at (&self->kept, k);

      rows = MIN (ghlo_cpu_axis_run_end (&self->kept, k, end) - k, SIDE);
      ghlo_cpu_routines ()->transpose[g_bit_storage (self->size) - 1] (from, self->size, self->kept.stride, elements,
                                                                       rows * self->size, self->size, (gsize) n,
                                                                       (gsize) rows);
      if (self->compute->is_read)
        ghlo_cpu_compute_type_reader (self->compute) (elements, columns, (gsize) (rows * n));
      ghlo_cpu_fill ((guint) size, self->is_direct ? run->start : self->identity, numbers, (gsize) rows);
      for (gint64 i = 0; i < n; i++)
        self->combine ((const guint8 *[]) { numbers, columns + i * rows * size }, numbers, (gsize) rows, NULL);
    }
}

/* Whether rows of @n adjacent elements are scanned, several at a time. Where they are long that is for what is not in
 * the L2 cache, but in the next one: memory is read faster row by row. */
static gboolean
has_streams (const GhloCpuReduce *self,
             gint64               n)
{
  const double bytes = (double) self->kept.count * (double) self->reduced.count * self->size;

  if (!self->scans || self->kept.stride != self->size || (self->scan_converts && n > SHORT_ROW * 2))
    return FALSE;

  return n * self->number_size <= MOST_SCAN || (bytes <= FAR && (n * self->size <= SHORT_STREAM || bytes > CACHE));
}

/* Combines rows [@begin, @end) of the operand, each of @n elements from @first_row on, into @n adjacent numbers. */
static void
combine_rows (const Run    *run,
              const guint8 *first_row,
              gint64        n,
              gint64        begin,
              gint64        end,
              guint8       *numbers)
{
  const GhloCpuReduce *self = run->self;
  guint8 buffer[BUFFER] __attribute__ ((aligned (64)));
  const gboolean streams = has_streams (self, n);
  const gint64 most = MAX (STREAMS, SHORT_STREAM / (n * self->size));
  gint64 chunk = find_chunk (self, self->kept.stride);
  GhloCpuAxisCursor cursor;

  for (gint64 first = 0; first < n; first += MIN (chunk, n - first))
    {
      gsize m = (gsize) MIN (chunk, n - first);
      guint8 *to = numbers + first * self->number_size;

      for (gint64 at = begin, rows, count = 0; streams && at < end && !stops (run, count++); at += rows)
        {
          rows = MIN (ghlo_cpu_axis_run_end (&self->reduced, at, end) - at, most);
          accumulate (self, first_row + ghlo_cpu_axis_at (&self->reduced, at) + first * self->size,
                      self->reduced.stride, rows, m, to);
        }
      ghlo_cpu_axis_cursor_init (&cursor, &self->reduced, begin);
      for (gint64 at = begin; !streams && at < end && !stops (run, at); at++)
        {
          const guint8 *from = first_row + cursor.at + first * self->kept.stride;
          const guint8 *sides[2] = { to, read_numbers (self, from, self->kept.stride, buffer, m) };

          self->combine (sides, to, m, NULL);
          ghlo_cpu_axis_cursor_next (&cursor, &self->reduced);
        }
    }
}

/* The same for rows that follow each other in memory: each of a few results, a power of two for each column, gets every
 * so-manieth row, and at the end the upper half of them is repeatedly combined with the lower half. */
static void
combine_narrow (const Run    *run,
                const guint8 *first_row,
                gint64        n,
                gint64        begin,
                gint64        end,
                guint8       *numbers)
{
  const GhloCpuReduce *self = run->self;
  guint8 buffer[BUFFER] __attribute__ ((aligned (64))), sums[WIDE * 8] __attribute__ ((aligned (64)));
  const gint64 most = MIN (MIN (WIDE, BUFFER / self->number_size) / n, end - begin);
  const gint64 n_rows = G_GINT64_CONSTANT (1) << (g_bit_storage ((gulong) most) - 1);

  ghlo_cpu_fill (self->number_size, self->identity, sums, (gsize) (n_rows * n));
  for (gint64 at = begin, next, count = 0; at < end && !stops (run, count); at = next, count++)
    {
      const guint8 *from = first_row + ghlo_cpu_axis_at (&self->reduced, at), *sides[2] = { sums };

      next = MIN (ghlo_cpu_axis_run_end (&self->reduced, at, end), at + n_rows);
      sides[1] = read_numbers (self, from, self->size, buffer, (gsize) ((next - at) * n));
      self->combine (sides, sums, (gsize) ((next - at) * n), NULL);
    }
  for (gint64 half = n_rows / 2; half > 0; half /= 2)
    self->combine ((const guint8 *[]) { sums, sums + half * n * self->number_size }, sums, (gsize) (half * n), NULL);
  self->combine ((const guint8 *[]) { numbers, sums }, numbers, (gsize) n, NULL);
}

/* Computes results [@begin, @end): combines all elements of each in order, and rounds to the element's type after
 * each one. */
static void
step_columns (const Run *run,
              gint64     begin,
              gint64     end)
{
  enum { COLUMNS = BUFFER / sizeof (float) };
  const GhloCpuReduce *self = run->self;
  float sums[COLUMNS], numbers[COLUMNS];
  GhloCpuAxisCursor cursor;

  for (gint64 k = begin, n; k < end; k += n)
    {
      const guint8 *first_row = run->operand + ghlo_cpu_axis_at (&self->kept, k);
      guint8 *result = run->result + k * self->size;

      n = MIN (ghlo_cpu_axis_run_end (&self->kept, k, end) - k, COLUMNS);
      ghlo_cpu_fill (sizeof (float), run->start, (guint8 *) sums, (gsize) n);
      ghlo_cpu_compute_type_writer (self->compute) (sums, result, (gsize) n);
      ghlo_cpu_axis_cursor_init (&cursor, &self->reduced, 0);
      for (gint64 at = 0; at < self->reduced.count && !stops (run, at); at++)
        {
          const guint8 *sides[2] = {
            (guint8 *) sums,
            read_numbers (self, first_row + cursor.at, self->kept.stride, (guint8 *) numbers, (gsize) n),
          };

          self->combine (sides, (guint8 *) sums, (gsize) n, NULL);
          ghlo_cpu_compute_type_writer (self->compute) (sums, result, (gsize) n);
          ghlo_cpu_compute_type_reader (self->compute) (result, sums, (gsize) n);
          ghlo_cpu_axis_cursor_next (&cursor, &self->reduced);
        }
    }
}

/* Computes results [@begin, @end) of a block, from reduced elements [@first, @last). */
static void
reduce_block (const Run *run,
              gint64     block,
              gint64     begin,
              gint64     end,
              gint64     first,
              gint64     last)
{
  const GhloCpuReduce *self = run->self;
  guint8 *numbers = run->numbers + (block * self->kept.count + begin) * self->number_size;

  if (has_few_elements (self))
    {
      reduce_transposed (run, begin, end, numbers);
      return;
    }
  if (has_short_runs (self))
    {
      reduce_runs (run, begin, end, first, last, numbers);
      return;
    }
  for (gint64 k = begin; k < end; k++, numbers += self->number_size)
    {
      memcpy (numbers, self->is_direct ? run->start : self->identity, self->number_size);
      reduce_row (run, run->operand + ghlo_cpu_axis_at (&self->kept, k), first, last, numbers);
    }
}

/* Whether rows of @n elements are short, and follow each other in memory. A scan keeps a few registers of them. */
static gboolean
has_narrow_rows (const GhloCpuReduce *self,
                 gint64               n)
{
  return n < NARROW && (!self->scans || n * self->number_size < LEAST_SCAN || n * self->number_size > MOST_SCAN)
         && self->kept.stride == self->size && self->reduced.stride == n * self->size;
}

static void
combine_block (const Run *run,
               gint64     block,
               gint64     begin,
               gint64     end,
               gint64     first,
               gint64     last)
{
  const GhloCpuReduce *self = run->self;

  for (gint64 k = begin, n; k < end; k += n)
    {
      guint8 *numbers = run->numbers + (block * self->kept.count + k) * self->number_size;

      n = MIN (ghlo_cpu_axis_run_end (&self->kept, k, end) - k, GHLO_CPU_REDUCE_ROW);
      ghlo_cpu_fill (self->number_size, self->is_direct ? run->start : self->identity, numbers, (gsize) n);
      (has_narrow_rows (self, n) && last - first > 1 ? combine_narrow : combine_rows)
        (run, run->operand + ghlo_cpu_axis_at (&self->kept, k), n, first, last, numbers);
    }
}

/* The first reduced element of the block, which has whole short runs. */
static inline gint64
block_begin (const GhloCpuReduce *self,
             gint64               block)
{
  gint64 run = has_short_runs (self) ? self->reduced.inner : 1;

  if (self->n_blocks == 1)
    return block * self->reduced.count;

  return (gint64) ((__int128) (self->reduced.count / run) * block / self->n_blocks) * run;
}

/* @begin and @end number the results of all blocks consecutively. */
static void
reduce_part (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Run *run = data;
  const GhloCpuReduce *self = run->self;
  gint64 kept = self->kept.count, block = (gint64) begin / kept, k = (gint64) begin % kept;

  for (gint64 at = (gint64) begin, end_k; at < (gint64) end; at += end_k - k, k = 0, block++)
    {
      gint64 first = block_begin (self, block), last = block_begin (self, block + 1);

      end_k = MIN (kept, k + (gint64) end - at);
      if (self->rounds)
        step_columns (run, k, end_k);
      else if (self->by_columns)
        combine_block (run, block, k, end_k, first, last);
      else
        reduce_block (run, block, k, end_k, first, last);
    }
}

/* Combines the initial value and the results of all blocks. */
static void
finish_part (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Run *run = data;
  const GhloCpuReduce *self = run->self;
  gsize chunk = BUFFER / self->number_size;
  guint8 buffer[BUFFER] __attribute__ ((aligned (64)));

  for (gsize at = begin; at < end; at += chunk)
    {
      gsize n = MIN (chunk, end - at);
      guint8 *result = run->result + at * self->size, *to = self->compute->is_read ? buffer : result;

      ghlo_cpu_fill (self->number_size, run->start, to, n);
      for (gint64 block = 0; block < self->n_blocks; block++)
        {
          const guint8 *sides[2] = {
            to, run->numbers + ((gsize) (block * self->kept.count) + at) * self->number_size,
          };

          self->combine (sides, to, n, NULL);
        }
      if (self->compute->is_read)
        ghlo_cpu_compute_type_writer (self->compute) (buffer, result, n);
    }
}

gboolean
ghlo_cpu_reduce_run (const GhloCpuReduce *self,
                     const guint8        *operand,
                     const guint8        *start,
                     guint8              *result,
                     gpointer             scratch,
                     const GhloMonitor   *monitor)
{
  gsize kept = (gsize) self->kept.count, all = kept * (gsize) self->n_blocks;
  /* As many results as a row has, or whole rows, since a part of a narrow one would be combined in another order; or as
   * many as take a few microseconds. */
  gsize grain = self->by_columns ? (gsize) (self->kept.inner < 256 ? ghlo_round_up (256, MAX (self->kept.inner, 1))
                                            : MIN (self->kept.inner, GHLO_CPU_REDUCE_ROW))
                : (gsize) (2000 * (double) all / MAX (self->nanoseconds, 1)) + 1;
  Run run = {
    .self = self, .operand = operand + self->first, .numbers = self->is_direct ? result : scratch, .monitor = monitor,
  };

  if (kept == 0)
    return TRUE;
  run.result = result;
  if (self->compute->is_read)
    ghlo_cpu_compute_type_reader (self->compute) (start, run.start, 1);
  else
    memcpy (run.start, start, self->size);

  return ghlo_parallel_for (all, grain, self->nanoseconds, reduce_part, &run, monitor)
         && !ghlo_monitor_cancelled (monitor, NULL)
         && (self->is_direct || ghlo_parallel_for (kept, 1024, (double) all * 0.2, finish_part, &run, monitor));
}
