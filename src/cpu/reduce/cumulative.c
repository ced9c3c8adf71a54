/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tiles of lanes, and segments of rows, as the arguments of scans.
 */

#include "cpu/reduce/cumulative.h"

#include "base/sizes.h"

#include <string.h>

/* Where the order counts, every BLOCK elements of a row, and what remains of it, are cut into segments, of at least
 * MIN_SEGMENT elements; MAX_SEGMENTS: where it does not count. */
enum { SEGMENTS = GHLO_CPU_CUMULATIVE_SEGMENTS, MAX_SEGMENTS = 64, MIN_SEGMENT = 4, BLOCK = 2048 };

/* Bytes of a tile, of the registers that its rows fill, and of those that hide the time of an operation. */
enum { TILE = 32768, LINE = 64, WIDE = 4 * LINE };

enum { MAX_LANES = GHLO_CPU_CUMULATIVE_MAX_LANES, CHUNK = GHLO_CPU_CUMULATIVE_CHUNK };

/* The least rows of columns that are scanned between two looks at whether the run was cancelled; more where they fit a
 * tile, so that narrow columns, which are read several times, stay in the cache. */
enum { PART = 64 };

typedef GhloCpuCumulative Cumulative;
typedef GhloCpuCumulativeRun Run;
typedef GhloCpuCumulativeNumber Number;
typedef GhloCpuCumulativeCarry Carry;

/* The lanes of a tile; behind them there are zeros up to a whole line. */
typedef struct
{
  guint8 *elements, *numbers;     /* the same memory, unless elements are converted */
  gsize   rows, lanes, padded;
} Tile;

typedef guint8 Numbers[MAX_LANES * sizeof (Number)] __attribute__ ((aligned (LINE)));

gsize
ghlo_cpu_cumulative_pad_lanes (const Cumulative *self,
                               gsize             lanes)
{
  gsize line = LINE / self->number_size;

  return ghlo_size_ceil_div (lanes, line) * line;
}

/* How many rows of @lanes lanes a tile holds. */
static gsize
tile_rows (const Cumulative *self,
           gsize             lanes)
{
  gsize size = self->converts ? self->size + self->number_size : self->size;

  return TILE / (size * ghlo_cpu_cumulative_pad_lanes (self, lanes));
}

gsize
ghlo_cpu_cumulative_tile_lanes (const Cumulative *self,
                                gsize             rows)
{
  gsize lanes = MAX_LANES;

  while (lanes > LINE / self->number_size && tile_rows (self, lanes) < rows)
    lanes -= LINE / self->number_size;

  return lanes;
}

gsize
ghlo_cpu_cumulative_count_segments (const Cumulative *self,
                                    gsize             n)
{
  gsize segments = SEGMENTS, most = self->is_exact ? MIN (WIDE / self->number_size, MAX_SEGMENTS) : SEGMENTS;

  while (segments < most && n >= 16 * segments)
    segments *= 2;

  return segments;
}

void
ghlo_cpu_cumulative_choose_block (Cumulative *self)
{
  gsize segments = ghlo_cpu_cumulative_count_segments (self, self->n);

  for (self->block = self->is_exact ? CHUNK : BLOCK; tile_rows (self, segments) < self->block / segments;)
    self->block /= 2;
}

/* Finds where row @row begins. Returns how many rows follow it along the last dimension, including itself. */
static gsize
find_row (const Run     *self,
          gsize          row,
          const guint8 **from,
          guint8       **to)
{
  gsize last = (gsize) self->dimensions[self->rank - 1], n = last - row % last;

  *from = self->from;
  *to = self->to;
  for (guint i = self->rank; i-- > 0; row /= (gsize) self->dimensions[i])
    {
      gint64 index = (gint64) (row % (gsize) self->dimensions[i]);

      *from += index * self->from_strides[i];
      *to += index * self->to_strides[i];
    }

  return n;
}

/* Whether the run was cancelled. */
static gboolean
is_stopped (Run *self)
{
  if (ghlo_monitor_cancelled (self->monitor, NULL))
    g_atomic_int_set (&self->stopped, TRUE);

  return g_atomic_int_get (&self->stopped);
}

static void
fill_numbers (const Cumulative *self,
              guint8           *to,
              const Number     *number,
              gsize             n)
{
  gsize done = MIN (n, 1) * self->number_size, end = n * self->number_size;

  memcpy (to, number, done);
  for (gsize part; done < end; done += part)
    {
      part = MIN (done, end - done);
      memcpy (to + done, to, part);
    }
}

/* to[i] = to[i] op numbers[i] */
static void
combine (const Cumulative *self,
         guint8           *to,
         const guint8     *numbers,
         gsize             n)
{
  self->scan_numbers (&(GhloCpuScan) { .from = numbers, .rows = 1, .columns = n, .sums = to });
}

/* The strides of a plane of units in bytes: from one row of a tile, and from one lane, to the next. */
typedef struct
{
  gint64 row, lane;
} Plane;

static void
move_plane (gsize         unit,
            const guint8 *from,
            Plane         from_plane,
            guint8       *to,
            Plane         to_plane,
            gsize         rows,
            gsize         lanes)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  gint64 size = (gint64) unit;
  int index = __builtin_ctzll (unit);

  if (from_plane.lane == size && to_plane.lane == size)
    for (gsize i = 0; i < rows; i++)
      memcpy (to + (gint64) i * to_plane.row, from + (gint64) i * from_plane.row, lanes * unit);
  else if (from_plane.row == size && to_plane.lane == size)
    routines->transpose[index] (from, from_plane.row, from_plane.lane, to, to_plane.row, to_plane.lane, rows, lanes);
  else if (from_plane.lane == size && to_plane.row == size)
    routines->transpose[index] (from, from_plane.lane, from_plane.row, to, to_plane.lane, to_plane.row, lanes, rows);
  else
    routines->move[index] (from, from_plane.row, from_plane.lane, to, to_plane.row, to_plane.lane, rows, lanes);
}

/* Lays a tile out in @memory. */
static void
init_tile (const Cumulative *self,
           Tile             *tile,
           guint8           *memory,
           gsize             rows,
           gsize             lanes)
{
  gsize padded = ghlo_cpu_cumulative_pad_lanes (self, lanes);

  *tile = (Tile) { .elements = memory, .numbers = memory, .rows = rows, .lanes = lanes, .padded = padded };
  if (self->converts)
    tile->numbers += rows * padded * self->size;
  if (lanes < padded)
    memset (memory, 0, rows * padded * self->size);
}

static void
convert_tile (const Cumulative *self,
              const Tile       *tile,
              gboolean          reads)
{
  gsize n = tile->rows * tile->padded;

  if (self->converts && reads)
    ghlo_cpu_read_row (&self->reader, tile->elements, (gint64) self->size, tile->numbers, n);
  else if (self->converts)
    ghlo_cpu_write_row (&self->writer, tile->numbers, tile->elements, (gint64) self->size, n);
}

/* Scans the rows of a tile, whose results are combined with @before, which may be NULL. @sums are the numbers that it
 * begins with, and without @before those that it ends with. */
static void
scan_tile (const Cumulative *self,
           const Tile       *tile,
           gboolean          stores,
           guint8           *sums,
           const guint8     *before)
{
  gboolean from_end = self->backward && !self->restarts;
  gint64 row = (gint64) (tile->padded * (self->converts ? self->number_size : self->size));
  guint8 *first = tile->numbers + (from_end ? (gint64) (tile->rows - 1) * row : 0);
  GhloCpuScan scan = {
    .from = first, .to = stores ? first : NULL, .from_row = from_end ? -row : row, .to_row = from_end ? -row : row,
    .rows = tile->rows, .columns = tile->padded, .sums = sums, .before = before,
  };
  Numbers all;

  if (self->is_exact && before != NULL)
    {
      memcpy (all, before, tile->padded * self->number_size);
      combine (self, all, sums, tile->padded);
      scan.sums = all;
    }
  self->scan (&scan);
}

/* Rounds the numbers after each step; they are not in the place of the elements. */
static void
scan_rounding (const Run  *self,
               const Tile *tile,
               guint8     *sums)
{
  const Cumulative *cumulative = self->cumulative;
  gboolean from_end = cumulative->backward && !cumulative->restarts;
  gint64 size = (gint64) cumulative->size;

  for (gsize i = 0; i < tile->rows; i++)
    {
      gsize row = from_end ? tile->rows - 1 - i : i, end = cumulative->restarts ? tile->rows : row + 1;
      guint8 *rounded = tile->elements + row * tile->padded * cumulative->size;

      if (cumulative->restarts)
        fill_numbers (cumulative, sums, &self->start, tile->padded);
      for (gsize j = row; j < end; j++)
        {
          combine (cumulative, sums, tile->numbers + j * tile->padded * cumulative->number_size, tile->padded);
          ghlo_cpu_write_row (&cumulative->writer, sums, rounded, size, tile->padded);
          ghlo_cpu_read_row (&cumulative->reader, rounded, size, sums, tile->padded);
        }
    }
}

/* Moves the elements [begin, begin + tile->rows) of adjacent rows, which are the lanes of a tile. */
static void
move_lanes (const Run  *self,
            const Tile *tile,
            gsize       first,
            gsize       n,
            gsize       begin,
            gboolean    reads)
{
  const guint8 *from;
  guint8 *to;

  for (gsize done = 0, run; done < n; done += run)
    {
      guint last = self->rank - 1;
      guint8 *lane = tile->elements + done * self->unit;
      Plane plane = { (gint64) (tile->padded * self->cumulative->size), (gint64) self->unit };

      run = MIN (find_row (self, first + done, &from, &to), n - done);
      if (reads)
        move_plane (self->unit, from + (gint64) begin * self->from_stride,
                    (Plane) { self->from_stride, self->from_strides[last] }, lane, plane, tile->rows, run);
      else
        move_plane (self->unit, lane, plane, to + (gint64) begin * self->to_stride,
                    (Plane) { self->to_stride, self->to_strides[last] }, tile->rows, run);
    }
}

/* Moves the segments of the blocks of rows from element @begin of the scan on. */
static void
move_segments (const Run  *self,
               const Tile *tile,
               gsize       first,
               gsize       n_rows,
               gsize       begin,
               gboolean    reads)
{
  const Cumulative *cumulative = self->cumulative;
  gint64 length = cumulative->backward ? -(gint64) tile->rows : (gint64) tile->rows;
  gint64 at = (gint64) (cumulative->backward ? cumulative->n - begin - tile->rows : begin);
  Plane plane = { (gint64) (tile->padded * cumulative->size), (gint64) cumulative->size };
  gsize n = tile->lanes / n_rows;
  const guint8 *from;
  guint8 *to;

  for (gsize i = 0; i < n_rows; i++)
    {
      guint8 *lane = tile->elements + i * n * cumulative->size;

      find_row (self, first + i, &from, &to);
      if (reads)
        move_plane (cumulative->size, from + at * self->from_stride,
                    (Plane) { self->from_stride, length * self->from_stride }, lane, plane, tile->rows, n);
      else
        move_plane (cumulative->size, lane, plane, to + at * self->to_stride,
                    (Plane) { self->to_stride, length * self->to_stride }, tile->rows, n);
    }
}

/* Replaces the totals of a row's segments by those of everything before each in the row, and adds them to @carry. */
static void
scan_totals (const Cumulative *self,
             guint8           *totals,
             guint8           *before,
             gsize             n,
             Carry            *carry)
{
  const Number inside = carry->inside;
  gint64 size = (gint64) self->number_size;
  GhloCpuScan scan = {
    .from = totals, .to = totals, .from_row = size, .to_row = size, .rows = n, .columns = 1,
    .sums = (guint8 *) &carry->inside,
  };

  self->scan_numbers (&scan);
  fill_numbers (self, before, &carry->before, n);
  combine (self, before, (const guint8 *) &inside, 1);
  combine (self, before + size, totals, n - 1);
}

/* Scans @n_blocks blocks of @n_rows rows, each in @segments segments of @length elements, from element @begin on. */
static void
run_segments (const Run *self,
              gsize      first,
              gsize      n_rows,
              gsize      begin,
              gsize      n_blocks,
              gsize      segments,
              gsize      length,
              gboolean   stores,
              Carry     *carries)
{
  const Cumulative *cumulative = self->cumulative;
  gsize size = cumulative->number_size, n = n_blocks * segments;
  guint8 memory[TILE] __attribute__ ((aligned (LINE)));
  Numbers sums, before;
  Tile tile;

  init_tile (cumulative, &tile, memory, length, n_rows * n);
  move_segments (self, &tile, first, n_rows, begin, TRUE);
  convert_tile (cumulative, &tile, TRUE);
  fill_numbers (cumulative, sums, &cumulative->identity, tile.padded);
  memcpy (before, sums, tile.padded * size);
  scan_tile (cumulative, &tile, FALSE, sums, NULL);
  for (gsize i = 0; i < n_rows; i++)
    scan_totals (cumulative, sums + i * n * size, before + i * n * size, n, &carries[i]);
  if (!stores)
    return;
  fill_numbers (cumulative, sums, &cumulative->identity, tile.padded);
  scan_tile (cumulative, &tile, TRUE, sums, before);
  convert_tile (cumulative, &tile, FALSE);
  move_segments (self, &tile, first, n_rows, begin, FALSE);
}

/* Scans the @n elements of each row that remain behind the segments, from element @begin on. */
static void
run_rest (const Run *self,
          gsize      first,
          gsize      n_rows,
          gsize      begin,
          gsize      n,
          gboolean   stores,
          Carry     *carries)
{
  const Cumulative *cumulative = self->cumulative;
  gsize size = cumulative->number_size, at = cumulative->backward ? cumulative->n - begin - n : begin;
  guint8 memory[TILE] __attribute__ ((aligned (LINE)));
  Numbers sums, before, inside;
  Tile tile;

  init_tile (cumulative, &tile, memory, n, n_rows);
  move_lanes (self, &tile, first, n_rows, at, TRUE);
  convert_tile (cumulative, &tile, TRUE);
  fill_numbers (cumulative, before, &cumulative->identity, tile.padded);
  memcpy (sums, before, tile.padded * size);
  for (gsize i = 0; i < n_rows; i++)
    {
      memcpy (sums + i * size, &carries[i].inside, size);
      memcpy (before + i * size, &carries[i].before, size);
    }
  memcpy (inside, sums, tile.padded * size);
  scan_tile (cumulative, &tile, FALSE, sums, NULL);
  for (gsize i = 0; i < n_rows; i++)
    memcpy (&carries[i].inside, sums + i * size, size);
  if (!stores)
    return;
  scan_tile (cumulative, &tile, TRUE, inside, before);
  convert_tile (cumulative, &tile, FALSE);
  move_lanes (self, &tile, first, n_rows, at, FALSE);
}

void
ghlo_cpu_cumulative_run_chunk (const Run *self,
                               gsize      first,
                               gsize      n_rows,
                               gsize      begin,
                               gsize      end,
                               gboolean   stores,
                               Carry     *carries)
{
  const Cumulative *cumulative = self->cumulative;
  gsize block = cumulative->block;
  gsize segments = ghlo_cpu_cumulative_count_segments (cumulative, MIN (cumulative->n, block));
  gsize most = MAX (ghlo_cpu_cumulative_tile_lanes (cumulative, block / segments) / segments / n_rows, 1);

  for (gsize n_blocks, n; begin < end; begin += n_blocks * n)
    {
      gsize length, whole;

      n = MIN (end - begin, block);
      n_blocks = CLAMP ((end - begin) / block, 1, most);
      segments = ghlo_cpu_cumulative_count_segments (cumulative, n);
      length = n / segments < MIN_SEGMENT ? 0 : n / segments;
      whole = segments * length;
      if (length > 0)
        run_segments (self, first, n_rows, begin, n_blocks, segments, length, stores, carries);
      if (n > whole)
        run_rest (self, first, n_rows, begin + whole, n - whole, stores, carries);
    }
}

void
ghlo_cpu_cumulative_begin_carry (const Run *self,
                                 Carry     *carry)
{
  *carry = (Carry) { self->start, self->cumulative->identity };
}

void
ghlo_cpu_cumulative_end_chunk (const Run *self,
                               Carry     *carry)
{
  combine (self->cumulative, (guint8 *) &carry->before, (const guint8 *) &carry->inside, 1);
  carry->inside = self->cumulative->identity;
}

static void
run_cut_rows (Run   *self,
              gsize  first,
              gsize  n_rows)
{
  gsize n = self->cumulative->n;
  Carry carries[MAX_LANES / SEGMENTS];

  for (gsize i = 0; i < n_rows; i++)
    ghlo_cpu_cumulative_begin_carry (self, &carries[i]);
  for (gsize begin = 0; begin < n && !is_stopped (self); begin += CHUNK)
    {
      ghlo_cpu_cumulative_run_chunk (self, first, n_rows, begin, MIN (begin + CHUNK, n), TRUE, carries);
      for (gsize i = 0; i < n_rows; i++)
        ghlo_cpu_cumulative_end_chunk (self, &carries[i]);
    }
}

/* Scans rows, in units, as the lanes of tiles. */
static void
run_lanes (Run   *self,
           gsize  first,
           gsize  n_rows)
{
  const Cumulative *cumulative = self->cumulative;
  gsize n = cumulative->n, lanes = n_rows * (self->unit / cumulative->size);
  guint8 memory[TILE] __attribute__ ((aligned (LINE)));
  Numbers sums;
  Tile tile;

  fill_numbers (cumulative, sums, &self->start, sizeof (sums) / sizeof (Number));
  for (gsize done = 0; done < n && !is_stopped (self); done += tile.rows)
    {
      gsize begin;

      init_tile (cumulative, &tile, memory, MIN (tile_rows (cumulative, lanes), n - done), lanes);
      begin = cumulative->backward && !cumulative->restarts ? n - done - tile.rows : done;
      move_lanes (self, &tile, first, n_rows, begin, TRUE);
      convert_tile (cumulative, &tile, TRUE);
      if (cumulative->rounds)
        scan_rounding (self, &tile, sums);
      else
        {
          scan_tile (cumulative, &tile, TRUE, sums, NULL);
          convert_tile (cumulative, &tile, FALSE);
        }
      move_lanes (self, &tile, first, n_rows, begin, FALSE);
    }
}

/* Converts @rows rows of @columns adjacent elements, @stride bytes apart, to the numbers of a tile, or back. */
static void
convert_rows (const Cumulative *self,
              guint8           *elements,
              gint64            stride,
              guint8           *numbers,
              gsize             rows,
              gsize             columns,
              gboolean          reads)
{
  gint64 size = (gint64) self->size;
  gsize n = columns;

  if (stride == (gint64) columns * size)
    {
      n *= rows;
      rows = 1;
    }
  for (gsize i = 0; i < rows; i++, elements += stride, numbers += n * self->number_size)
    if (reads)
      ghlo_cpu_read_row (&self->reader, elements, size, numbers, n);
    else
      ghlo_cpu_write_row (&self->writer, numbers, elements, size, n);
}

/* Scans @rows rows of columns, from one on, where they are or converted. */
static void
scan_columns (const Run    *self,
              const guint8 *from,
              guint8       *to,
              gsize         rows,
              gsize         columns,
              guint8       *sums)
{
  const Cumulative *cumulative = self->cumulative;
  gboolean backward = cumulative->backward;
  gint64 row = (gint64) (columns * cumulative->number_size);
  guint8 numbers[TILE] __attribute__ ((aligned (LINE)));
  gsize last = backward ? rows - 1 : 0;
  GhloCpuScan scan = {
    .from = from, .to = to, .from_row = backward ? -self->from_stride : self->from_stride,
    .to_row = backward ? -self->to_stride : self->to_stride, .rows = rows, .columns = columns, .sums = sums,
  };

  if (!cumulative->converts)
    {
      cumulative->scan (&scan);
      return;
    }
  from -= (gint64) last * self->from_stride;
  to -= (gint64) last * self->to_stride;
  scan.from = scan.to = numbers + last * (gsize) row;
  scan.from_row = scan.to_row = backward ? -row : row;
  convert_rows (cumulative, (guint8 *) from, self->from_stride, numbers, rows, columns, TRUE);
  cumulative->scan (&scan);
  convert_rows (cumulative, to, self->to_stride, numbers, rows, columns, FALSE);
}

/* Scans adjacent columns where they are. */
static void
run_columns (Run   *self,
             gsize  first,
             gsize  n_columns)
{
  const Cumulative *cumulative = self->cumulative;
  Numbers sums;
  const guint8 *from;
  guint8 *to;

  for (gsize done = 0, run; done < n_columns; done += run)
    {
      gsize n = cumulative->n, part;

      run = MIN (find_row (self, first + done, &from, &to), n_columns - done);
      part = cumulative->converts ? TILE / (run * cumulative->number_size)
                                  : MAX (TILE / 2 / (run * cumulative->size), PART);
      fill_numbers (cumulative, sums, &self->start, run);
      for (gsize i = 0; i < n && !is_stopped (self); i += part)
        {
          gint64 at = (gint64) (cumulative->backward ? n - 1 - i : i);

          scan_columns (self, from + at * self->from_stride, to + at * self->to_stride, MIN (part, n - i), run, sums);
        }
    }
}

void
ghlo_cpu_cumulative_run_rows (Run   *self,
                              gsize  first,
                              gsize  n)
{
  if (self->is_cut)
    run_cut_rows (self, first, n);
  else if (self->is_direct)
    run_columns (self, first, n);
  else
    run_lanes (self, first, n);
}
