/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of cumulative reductions (kernel/cumulative.h). Everything is a scan of columns side by side, whose order is
 * that of the elements. Adjacent columns are scanned where they are; others, and elements that are converted to
 * numbers, are gathered as the lanes of a tile. Where an operation is exact, or a row is so long that its order is
 * free, a row is cut into segments, which are lanes too: their totals come first, and then the results.
 */

#include "base/sizes.h"
#include "cpu/elementwise/compute-type.h"
#include "cpu/finish.h"
#include "cpu/gemm/convert-row.h"
#include "cpu/steps.h"
#include "kernel/cumulative.h"
#include "runtime/parallel.h"

#include <string.h>

/* Where the order counts, every BLOCK elements of a row, and what remains of it, are cut into SEGMENTS segments, of at
 * least MIN_SEGMENT elements. CHUNK: elements of a row for one thread. SHORT_ROW: length up to which rows are not
 * cut. */
enum { SEGMENTS = 8, MIN_SEGMENT = 4, BLOCK = 2048, CHUNK = 32 * BLOCK, SHORT_ROW = 256 };

/* Bytes of a tile, of the registers that its rows fill, and of those that hide the time of an operation; the most lanes
 * of a tile, and the most segments where the order does not count. FEW_ROWS: rows that are not worth a task each. */
enum { TILE = 32768, LINE = 64, WIDE = 4 * LINE, MAX_LANES = 256, MAX_SEGMENTS = 64, FEW_ROWS = 64 };

/* Elements between two looks at whether the run was cancelled. */
enum { PART = 1 << 16 };

/* Approximate nanoseconds per element, and where each step is rounded. */
#define COST          0.3
#define COST_ROUNDING 1.0

/* A number of any type. */
typedef union
{
  float   f32;
  double  f64;
  guint64 u64;
} Number;

/* The reduction of a row so far: of the chunks before the current one, and of the current chunk. */
typedef struct
{
  Number before, inside;
} Carry;

typedef struct
{
  GhloCpuScanFunc  scan, scan_numbers;  /* of elements, unless they are converted first, and of numbers */
  GhloCpuReader    reader;              /* for the initial value and what is converted; without a size there is none */
  GhloCpuWriter    writer;
  gboolean         converts;
  gsize            size, number_size;   /* bytes of an element, which is a part of a complex number, and of a number */
  Number           identity;            /* changes nothing that it is combined with */
  GhloCombiner     combiner;
  gboolean         is_exact;
  gboolean         backward;
  gboolean         rounds;              /* each step is rounded to the element type, which is narrower */
  gboolean         restarts;            /* each result is reduced anew, starting with its own element */
  gboolean         is_ordered;          /* elements are combined from the first to the last */
  gboolean         is_complex;          /* the two parts of a number are an extra last dimension of the walk */
  guint            dimension;
  gsize            n;                   /* elements of a row */
  gsize            n_chunks;            /* of a row */
  gsize            block;               /* elements of a row that are cut into segments at a time */
  double           nanoseconds;
} Cumulative;

/* The rows as they are walked: all dimensions but the reduced one, merged where their strides allow it. The last one is
 * that along which lanes are gathered. */
typedef struct
{
  const Cumulative  *cumulative;
  guint              rank;
  gint64             dimensions[GHLO_MAX_RANK + 1], from_strides[GHLO_MAX_RANK + 1], to_strides[GHLO_MAX_RANK + 1];
  gint64             from_stride, to_stride;  /* along a row */
  const guint8      *from;
  guint8            *to;
  gsize              unit;                    /* bytes of the adjacent elements of as many rows that are moved as one */
  gsize              n_rows;                  /* in units */
  gsize              n_lanes;                 /* rows for a task, in units */
  gboolean           is_direct, is_cut;       /* columns are scanned where they are; rows are cut */
  Number             start;
  Carry             *carries;                 /* one for each chunk of a row */
  gsize              row;                     /* the row whose chunks threads share */
  const GhloMonitor *monitor;
  gint               stopped;                 /* atomic */
} Run;

/* The lanes of a tile; behind them there are zeros up to a whole line. */
typedef struct
{
  guint8 *elements, *numbers;     /* the same memory, unless elements are converted */
  gsize   rows, lanes, padded;
} Tile;

typedef guint8 Numbers[MAX_LANES * sizeof (Number)] __attribute__ ((aligned (LINE)));

/* Finds the type of number, and the scans, that elements are combined in. */
static gboolean
find_scans (Cumulative           *self,
            const GhloCumulative *window)
{
  const GhloCpuElementwiseRoutines *routines = ghlo_cpu_elementwise_routines ();
  gboolean is_unsigned = ghlo_element_info (window->type)->element_class == GHLO_ELEMENT_CLASS_UNSIGNED;
  GhloElementType type = window->number != GHLO_ELEMENT_TYPE_I64 ? window->number
                         : is_unsigned ? GHLO_ELEMENT_TYPE_UI64 : GHLO_ELEMENT_TYPE_I64;
  const GhloCpuComputeType *own = ghlo_cpu_compute_type (window->type);
  gboolean is_wide = window->type == GHLO_ELEMENT_TYPE_F32 && type == GHLO_ELEMENT_TYPE_F64;
  GhloCpuArithmetic arithmetic = type == GHLO_ELEMENT_TYPE_F64 ? GHLO_CPU_F64
                                 : type == GHLO_ELEMENT_TYPE_F32 ? GHLO_CPU_F32 : GHLO_CPU_I64;
  GhloScalar identity;

  self->converts = !is_wide && (own == NULL || own->is_read);
  if (!is_wide && !self->converts)
    type = window->type;
  else if (!ghlo_cpu_reader_init (&self->reader, window->type, arithmetic)
           || !ghlo_cpu_writer_init (&self->writer, window->type, arithmetic))
    return FALSE;
  self->size = ghlo_element_info (window->type)->size;
  self->number_size = ghlo_element_info (type)->size;
  self->scan_numbers = routines->scans[ghlo_cpu_compute_type (type)->number][window->combiner];
  self->scan = is_wide ? routines->wide_sum : self->scan_numbers;
  if (self->scan_numbers == NULL || !ghlo_combiner_neutral (window->combiner, type, &identity))
    return FALSE;
  ghlo_element_store (type, &self->identity, identity);

  return TRUE;
}

static gboolean
find_sizes (Cumulative     *self,
            const GhloView *operand)
{
  gsize count;

  if (!ghlo_shape_count (operand->dimensions, operand->rank, &count))
    return FALSE;
  self->n = count > 0 ? (gsize) operand->dimensions[self->dimension] : 0;
  self->n_chunks = ghlo_size_ceil_div (self->n, CHUNK);
  self->nanoseconds = (self->rounds ? COST_ROUNDING : COST) * (double) count;

  return TRUE;
}

/* Lanes whose numbers fill a line. */
static gsize
pad_lanes (const Cumulative *self,
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
  return TILE / ((self->converts ? self->size + self->number_size : self->size) * pad_lanes (self, lanes));
}

/* How many lanes a tile of @rows rows holds, up to MAX_LANES; whole lines. */
static gsize
tile_lanes (const Cumulative *self,
            gsize             rows)
{
  gsize lanes = MAX_LANES;

  while (lanes > LINE / self->number_size && tile_rows (self, lanes) < rows)
    lanes -= LINE / self->number_size;

  return lanes;
}

/* How many segments @n elements have: where the order does not count as many as hide the time of an operation. */
static gsize
count_segments (const Cumulative *self,
                gsize             n)
{
  gsize segments = SEGMENTS, most = self->is_exact ? MIN (WIDE / self->number_size, MAX_SEGMENTS) : SEGMENTS;

  while (segments < most && n >= 16 * segments)
    segments *= 2;

  return segments;
}

/* Chooses how many elements are cut into segments at a time. */
static void
choose_block (Cumulative *self)
{
  gsize segments = count_segments (self, self->n);

  for (self->block = self->is_exact ? CHUNK : BLOCK; tile_rows (self, segments) < self->block / segments;)
    self->block /= 2;
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Cumulative *self = step;
  const GhloView *operand = &request->operands[0];
  GhloCumulative window;
  const char *reason = ghlo_cumulative_read (&window, request->op, operand, &request->results[0]);
  gsize scratch;

  if (reason != NULL)
    return reason;
  self->combiner = window.combiner;
  self->is_exact = ghlo_combiner_is_exact (window.combiner, ghlo_element_info (window.type)->element_class);
  self->backward = window.backward;
  self->rounds = window.rounds;
  self->restarts = window.restarts;
  self->dimension = window.dimension;
  self->is_complex = window.is_complex;
  if (!find_scans (self, &window))
    return "there is no precompiled loop for its element type";
  if (!find_sizes (self, operand) || !ghlo_size_mul (&scratch, self->n_chunks, sizeof (Carry)))
    return "its rows are too long";
  choose_block (self);
  self->is_ordered = self->rounds || self->is_complex || self->n <= SHORT_ROW;
  for (guint i = self->dimension + 1; i < operand->rank; i++)
    self->is_ordered |= operand->dimensions[i] > 1;

  return NULL;
}

/* A known initial value only decides whether the step applies; it is not compiled into the step. */
static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const Cumulative *self = step;

  if (!ghlo_cumulative_start_is_neutral (self->combiner, &request->operands[1]))
    selection->reason = "its initial value is not the neutral element of its operation";
  /* Each element is read before its place is written. */
  selection->operands[0].in_place = 0;
  selection->scratch = self->n_chunks * sizeof (Carry);
}

static void
add_dimension (Run    *self,
               gint64  size,
               gint64  from_stride,
               gint64  to_stride)
{
  guint last = self->rank - 1;

  if (size == 1)
    return;
  if (self->rank > 0 && self->from_strides[last] == from_stride * size && self->to_strides[last] == to_stride * size)
    self->dimensions[last] *= size;
  else
    self->dimensions[last = self->rank++] = size;
  self->from_strides[last] = from_stride;
  self->to_strides[last] = to_stride;
}

/* Whether elements along dimension @i are adjacent in both tensors. */
static gboolean
is_adjacent (const Run *self,
             guint      i)
{
  return self->from_strides[i] == (gint64) self->unit && self->to_strides[i] == (gint64) self->unit;
}

/* Makes the last dimension one of adjacent elements, or else the longest. */
static void
choose_last (Run *self)
{
  guint best = self->rank - 1;
  gint64 size, from_stride, to_stride;

  for (guint i = 0; i < self->rank; i++)
    if ((is_adjacent (self, i) && self->dimensions[i] >= SEGMENTS)
        || (!is_adjacent (self, best) && self->dimensions[i] > self->dimensions[best]))
      best = i;
  size = self->dimensions[best];
  from_stride = self->from_strides[best];
  to_stride = self->to_strides[best];
  for (guint i = best; i + 1 < self->rank; i++)
    {
      self->dimensions[i] = self->dimensions[i + 1];
      self->from_strides[i] = self->from_strides[i + 1];
      self->to_strides[i] = self->to_strides[i + 1];
    }
  self->dimensions[self->rank - 1] = size;
  self->from_strides[self->rank - 1] = from_stride;
  self->to_strides[self->rank - 1] = to_stride;
}

/* Moves as many adjacent elements as registers have as one unit. */
static void
widen_units (Run *self)
{
  guint last = self->rank - 1;

  while (is_adjacent (self, last) && self->dimensions[last] % 2 == 0 && self->unit <= 8)
    {
      self->dimensions[last] /= 2;
      self->from_strides[last] *= 2;
      self->to_strides[last] *= 2;
      self->unit *= 2;
    }
  if (self->dimensions[last] == 1 && self->rank > 1)
    {
      self->rank--;
      choose_last (self);
    }
}

static void
walk (Run            *self,
      const GhloView *from,
      const GhloView *to)
{
  const Cumulative *cumulative = self->cumulative;
  gint64 size = (gint64) cumulative->size;
  guint reduced = cumulative->dimension;

  self->from = from->data;
  self->to = to->data;
  self->from_stride = from->strides[reduced];
  self->to_stride = to->strides[reduced];
  self->unit = cumulative->size;
  self->n_rows = 1;
  for (guint i = 0; i < from->rank; i++)
    if (i != reduced)
      add_dimension (self, from->dimensions[i], from->strides[i], to->strides[i]);
  if (cumulative->is_complex)
    add_dimension (self, 2, size, size);
  if (self->rank == 0)
    self->dimensions[self->rank++] = 1;
  for (guint i = 0; i < self->rank; i++)
    self->n_rows *= (gsize) self->dimensions[i];
  self->is_cut = cumulative->n > SHORT_ROW
                 && (!cumulative->is_exact ? !cumulative->is_ordered
                     : self->n_rows < (self->from_stride == size ? FEW_ROWS : SEGMENTS));
  choose_last (self);
}

/* Chooses how many rows a task has, which changes no bit: what fits a tile, but no more than a thread's share. */
static void
choose_lanes (Run *self)
{
  const Cumulative *cumulative = self->cumulative;
  gsize last = (gsize) self->dimensions[self->rank - 1], n = cumulative->n;
  gsize n_threads = cumulative->nanoseconds < GHLO_PARALLEL_MIN_WORK ? 1 : ghlo_parallel_get_limit ();
  gsize share = ghlo_size_ceil_div (self->n_rows, n_threads), most = sizeof (Numbers) / cumulative->number_size;

  if (self->is_cut)
    {
      most = count_segments (cumulative, MIN (n, cumulative->block));
      most = tile_lanes (cumulative, MIN (n, cumulative->block) / most) / most;
      self->n_lanes = MAX (MIN (most / ghlo_size_ceil_div (n, cumulative->block), share), 1);
      return;
    }
  share = pad_lanes (cumulative, share);
  self->is_direct = !cumulative->converts && is_adjacent (self, self->rank - 1)
                    && last >= LINE / cumulative->number_size;
  if (self->is_direct)
    {
      most = MIN (most, share);
      self->n_lanes = last < most ? most / last * last : most;
      return;
    }
  self->n_lanes = MIN (MAX (tile_lanes (cumulative, n), WIDE / cumulative->number_size), share);
  widen_units (self);
  self->n_rows /= self->unit / cumulative->size;
  self->n_lanes = MAX (self->n_lanes / (self->unit / cumulative->size), 1);
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
  gsize padded = pad_lanes (self, lanes);

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

/* Reduces the elements [begin, end) of rows, which lie in one chunk. Without @stores only their totals are computed. */
static void
run_chunk (const Run *self,
           gsize      first,
           gsize      n_rows,
           gsize      begin,
           gsize      end,
           gboolean   stores,
           Carry     *carries)
{
  const Cumulative *cumulative = self->cumulative;
  gsize block = cumulative->block, segments = count_segments (cumulative, MIN (cumulative->n, block));
  gsize most = MAX (tile_lanes (cumulative, block / segments) / segments / n_rows, 1);

  for (gsize n_blocks, n; begin < end; begin += n_blocks * n)
    {
      gsize length, whole;

      n = MIN (end - begin, block);
      n_blocks = CLAMP ((end - begin) / block, 1, most);
      segments = count_segments (cumulative, n);
      length = n / segments < MIN_SEGMENT ? 0 : n / segments;
      whole = segments * length;
      if (length > 0)
        run_segments (self, first, n_rows, begin, n_blocks, segments, length, stores, carries);
      if (n > whole)
        run_rest (self, first, n_rows, begin + whole, n - whole, stores, carries);
    }
}

static void
begin_carry (const Run *self,
             Carry     *carry)
{
  *carry = (Carry) { self->start, self->cumulative->identity };
}

/* Ends a chunk. */
static void
end_chunk (const Run *self,
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
    begin_carry (self, &carries[i]);
  for (gsize begin = 0; begin < n && !is_stopped (self); begin += CHUNK)
    {
      run_chunk (self, first, n_rows, begin, MIN (begin + CHUNK, n), TRUE, carries);
      for (gsize i = 0; i < n_rows; i++)
        end_chunk (self, &carries[i]);
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

/* Scans adjacent columns where they are. */
static void
run_columns (Run   *self,
             gsize  first,
             gsize  n_columns)
{
  const Cumulative *cumulative = self->cumulative;
  gint64 sign = cumulative->backward ? -1 : 1;
  Numbers sums;
  const guint8 *from;
  guint8 *to;

  for (gsize done = 0, run; done < n_columns; done += run)
    {
      gsize n = cumulative->n, part;

      run = MIN (find_row (self, first + done, &from, &to), n_columns - done);
      part = PART / run;
      fill_numbers (cumulative, sums, &self->start, run);
      for (gsize i = 0; i < n && !is_stopped (self); i += part)
        {
          gint64 at = (gint64) (cumulative->backward ? n - 1 - i : i);

          cumulative->scan (&(GhloCpuScan) {
            .from = from + at * self->from_stride, .to = to + at * self->to_stride,
            .from_row = sign * self->from_stride, .to_row = sign * self->to_stride,
            .rows = MIN (part, n - i), .columns = run, .sums = sums,
          });
        }
    }
}

static void
run_tasks (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  Run *self = data;

  for (gsize task = begin; task < end; task++)
    {
      gsize first = task * self->n_lanes, n = MIN (self->n_lanes, self->n_rows - first);

      if (self->is_cut)
        run_cut_rows (self, first, n);
      else if (self->is_direct)
        run_columns (self, first, n);
      else
        run_lanes (self, first, n);
    }
}

static void
run_totals (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  Run *self = data;

  for (gsize chunk = begin; chunk < end; chunk++)
    run_chunk (self, self->row, 1, chunk * CHUNK, (chunk + 1) * CHUNK, FALSE, &self->carries[chunk]);
}

static void
run_chunks (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  Run *self = data;

  for (gsize chunk = begin; chunk < end; chunk++)
    run_chunk (self, self->row, 1, chunk * CHUNK, MIN ((chunk + 1) * CHUNK, self->cumulative->n), TRUE,
               &self->carries[chunk]);
}

/* Lets threads share the chunks of a row: first all chunks' totals are computed, then all chunks are written. The
 * results are the same as those of run_cut_rows(). */
static gboolean
split_row (Run  *self,
           gsize row)
{
  const Cumulative *cumulative = self->cumulative;
  Carry carry;

  self->row = row;
  for (gsize chunk = 0; chunk < cumulative->n_chunks; chunk++)
    begin_carry (self, &self->carries[chunk]);
  if (!ghlo_parallel_for (cumulative->n_chunks - 1, 1, COST * (double) cumulative->n, run_totals, self, self->monitor))
    return FALSE;
  begin_carry (self, &carry);
  for (gsize chunk = 0; chunk < cumulative->n_chunks; chunk++)
    {
      carry.inside = self->carries[chunk].inside;
      self->carries[chunk] = (Carry) { carry.before, cumulative->identity };
      end_chunk (self, &carry);
    }

  return ghlo_parallel_for (cumulative->n_chunks, 1, COST * (double) cumulative->n, run_chunks, self, self->monitor);
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Cumulative *self = compiled;
  Run run = { .cumulative = self, .carries = scratch, .monitor = monitor };
  gboolean done = TRUE;

  if (self->n == 0)
    return TRUE;
  walk (&run, &operands[0], &results[0]);
  choose_lanes (&run);
  if (self->reader.size > 0)
    ghlo_cpu_read_row (&self->reader, operands[1].data, self->reader.size, &run.start, 1);
  else
    memcpy (&run.start, operands[1].data, self->size);
  if (run.is_cut && run.n_rows < ghlo_parallel_get_limit () && self->n_chunks > 2)
    for (gsize row = 0; done && row < run.n_rows; row++)
      done = split_row (&run, row);
  else
    done = ghlo_parallel_for (ghlo_size_ceil_div (run.n_rows, run.n_lanes), 1, self->nanoseconds, run_tasks, &run,
                              monitor) && !run.stopped;

  return ghlo_cpu_finish (done, monitor, error);
}

static char *
describe (gpointer compiled)
{
  const Cumulative *self = compiled;

  return g_strdup_printf ("cumulative, %s%s", self->backward ? "backward" : "forward",
                          self->rounds ? ", rounded at each step" : "");
}

const GhloStepImplementation ghlo_cpu_step_cumulative = {
  .name = "cumulative",
  .size = sizeof (Cumulative),
  .read = read_request,
  .select = fill_selection,
  .run = run,
  .describe = describe,
};
