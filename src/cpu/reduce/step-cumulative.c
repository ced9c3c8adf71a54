/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of cumulative reductions (kernel/cumulative.h).
 */

#include "base/sizes.h"
#include "cpu/finish.h"
#include "cpu/gemm/convert-row.h"
#include "cpu/reduce/cumulative.h"
#include "cpu/steps.h"
#include "kernel/cumulative.h"
#include "runtime/parallel.h"

#include <string.h>

/* BLOCK: elements of a row that are reduced at once. COLUMNS: columns that are. CHUNK: elements of a row for one
 * thread. SHORT_ROW: length up to which rows are reduced side by side. */
enum { BLOCK = 2048, COLUMNS = 512, CHUNK = 32 * BLOCK, SHORT_ROW = 256 };

/* Approximate nanoseconds per element. */
#define COST 1.0

typedef struct
{
  const GhloCpuCumulativeLoops *loops;
  GhloCpuReader                 reader;
  GhloCpuWriter                 writer;
  GhloCombiner                  combiner;
  gboolean                      backward;
  gboolean                      rounds;         /* each step is rounded to the element type, which is narrower */
  gboolean                      restarts;       /* each result is reduced anew, starting with its own element */
  guint                         dimension;
  gsize                         n;              /* elements of a row */
  gsize                         n_chunks;       /* of a row */
  gboolean                      is_complex;     /* the two parts of a number are an extra last dimension of the walk */
  double                        nanoseconds;
} Cumulative;

/* The views as they are walked: dimensions after the reduced one are merged where their strides allow it. */
typedef struct
{
  const Cumulative   *cumulative;
  guint               rank, dimension;
  gint64              dimensions[GHLO_MAX_RANK + 1], from_strides[GHLO_MAX_RANK + 1], to_strides[GHLO_MAX_RANK + 1];
  const guint8       *from;
  guint8             *to;
  gboolean            by_columns;     /* many reductions side by side, along the last dimension */
  gsize               n_tiles;        /* groups of COLUMNS columns; 1 by rows */
  GhloCpuNumberValue  start;
  GhloCpuCarry       *carries;        /* one for each chunk of a row */
  gsize               row;            /* the row whose chunks threads share */
  const GhloMonitor  *monitor;
  gint                stopped;        /* atomic */
} Run;

/* Finds the loops of the arithmetic that elements are combined in. */
static gboolean
find_loops (Cumulative           *self,
            const GhloCumulative *window)
{
  GhloCpuArithmetic arithmetic = window->number == GHLO_ELEMENT_TYPE_F64 ? GHLO_CPU_F64
                                 : window->number == GHLO_ELEMENT_TYPE_F32 ? GHLO_CPU_F32 : GHLO_CPU_I64;

  if (!ghlo_cpu_reader_init (&self->reader, window->type, arithmetic)
      || !ghlo_cpu_writer_init (&self->writer, window->type, arithmetic))
    return FALSE;
  self->loops = ghlo_cpu_cumulative_loops (arithmetic, window->combiner,
                                           ghlo_element_info (window->type)->element_class
                                           == GHLO_ELEMENT_CLASS_UNSIGNED);

  return self->loops != NULL;
}

static gboolean
find_sizes (Cumulative     *self,
            const GhloView *operand)
{
  gsize count;

  if (!ghlo_shape_count (operand->dimensions, operand->rank, &count))
    return FALSE;
  self->n = count > 0 ? (gsize) operand->dimensions[self->dimension] : 0;
  self->n_chunks = self->n / CHUNK + (self->n % CHUNK != 0);
  self->nanoseconds = COST * (double) count;

  return TRUE;
}

/* Complex numbers are summed as pairs. */
static GhloElementType
part_type (const Cumulative *self,
           const GhloView   *view)
{
  return self->is_complex ? ghlo_element_type_real_part (view->element_type) : view->element_type;
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Cumulative *self = step;
  GhloCumulative window;
  const char *reason = ghlo_cumulative_read (&window, request->op, &request->operands[0], &request->results[0]);
  gsize scratch;

  if (reason != NULL)
    return reason;
  self->combiner = window.combiner;
  self->backward = window.backward;
  self->rounds = window.rounds;
  self->restarts = window.restarts;
  self->dimension = window.dimension;
  self->is_complex = window.is_complex;
  if (!find_loops (self, &window))
    return "there is no precompiled loop for its element type";
  if (!find_sizes (self, &request->operands[0]) || !ghlo_size_mul (&scratch, self->n_chunks, sizeof (GhloCpuCarry)))
    return "its rows are too long";

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
  selection->scratch = self->n_chunks * sizeof (GhloCpuCarry);
}

static void
add_dimension (Run    *self,
               gint64  size,
               gint64  from_stride,
               gint64  to_stride)
{
  self->dimensions[self->rank] = size;
  self->from_strides[self->rank] = from_stride;
  self->to_strides[self->rank] = to_stride;
  self->rank++;
}

/* Rounding is only done by columns, so the reduced dimension is walked first then. */
static void
walk (Run            *self,
      const GhloView *from,
      const GhloView *to)
{
  const Cumulative *cumulative = self->cumulative;
  gint64 size = ghlo_element_info (part_type (cumulative, from))->size;
  guint last, reduced = cumulative->dimension;

  self->from = from->data;
  self->to = to->data;
  self->dimension = cumulative->rounds ? 0 : reduced;
  if (cumulative->rounds)
    add_dimension (self, from->dimensions[reduced], from->strides[reduced], to->strides[reduced]);
  for (guint i = 0; i < from->rank; i++)
    if (i != reduced || !cumulative->rounds)
      add_dimension (self, from->dimensions[i], from->strides[i], to->strides[i]);
  if (cumulative->is_complex)
    add_dimension (self, 2, size, size);
  else if (self->rank == 1 && cumulative->rounds)
    add_dimension (self, 1, size, size);

  for (last = self->rank - 1; last > self->dimension + cumulative->rounds; last--)
    {
      if (self->dimensions[last] == 1)
        continue;
      if (last - 1 == self->dimension
          || (self->dimensions[last - 1] != 1
              && (self->from_strides[last - 1] != self->from_strides[last] * self->dimensions[last]
                  || self->to_strides[last - 1] != self->to_strides[last] * self->dimensions[last])))
        break;
      self->dimensions[last - 1] *= self->dimensions[last];
      self->from_strides[last - 1] = self->from_strides[last];
      self->to_strides[last - 1] = self->to_strides[last];
    }
  self->rank = last + 1;
  self->by_columns = last > self->dimension;
  self->n_tiles = self->by_columns ? ghlo_size_ceil_div ((gsize) self->dimensions[last], COLUMNS) : 1;
}

static gsize
count_tasks (const Run *self)
{
  gsize n = self->n_tiles;

  for (guint i = 0; i < self->rank; i++)
    if (i != self->dimension && !(self->by_columns && i == self->rank - 1))
      n *= (gsize) self->dimensions[i];

  return n;
}

/* Finds the beginning of the rows, or of the columns, of a task. */
static void
find_task (const Run     *self,
           gsize          task,
           const guint8 **from,
           guint8       **to)
{
  gsize tile = task % self->n_tiles;
  guint last = self->rank - 1;

  *from = self->from;
  *to = self->to;
  task /= self->n_tiles;
  if (self->by_columns)
    {
      *from += (gint64) (tile * COLUMNS) * self->from_strides[last];
      *to += (gint64) (tile * COLUMNS) * self->to_strides[last];
    }
  for (guint i = self->rank; i > 0; i--)
    if (i - 1 != self->dimension && !(self->by_columns && i - 1 == last))
      {
        gint64 index = (gint64) (task % (gsize) self->dimensions[i - 1]);

        *from += index * self->from_strides[i - 1];
        *to += index * self->to_strides[i - 1];
        task /= (gsize) self->dimensions[i - 1];
      }
}

/* Whether the run was cancelled; checks that for every 64th @i. */
static gboolean
is_stopped (Run   *self,
            gsize  i)
{
  if (i % 64 == 0 && ghlo_monitor_cancelled (self->monitor, NULL))
    g_atomic_int_set (&self->stopped, TRUE);

  return g_atomic_int_get (&self->stopped);
}

/* Rounds numbers to elements, which have at most 16 bits. */
static void
round_numbers (const Cumulative   *self,
               GhloCpuNumberValue *numbers,
               gsize               n)
{
  guint8 elements[2 * COLUMNS];

  ghlo_cpu_write_row (&self->writer, numbers, elements, self->writer.size, n);
  ghlo_cpu_read_row (&self->reader, elements, self->reader.size, numbers, n);
}

static void
run_columns (Run   *self,
             gsize  task)
{
  const Cumulative *cumulative = self->cumulative;
  gint64 from_stride = self->from_strides[self->dimension], to_stride = self->to_strides[self->dimension];
  gboolean from_end = cumulative->backward && !cumulative->restarts;
  guint last = self->rank - 1;
  gsize n = MIN (COLUMNS, (gsize) self->dimensions[last] - task % self->n_tiles * COLUMNS);
  gsize size = cumulative->reader.to_size;
  GhloCpuNumberValue sums[COLUMNS], numbers[COLUMNS];
  const guint8 *from;
  guint8 *to;

  find_task (self, task, &from, &to);
  for (gsize i = 0; i < cumulative->n && !is_stopped (self, i); i++)
    {
      gsize row = from_end ? cumulative->n - 1 - i : i, end = cumulative->restarts ? cumulative->n : row + 1;

      for (gsize j = 0; j < n && (i == 0 || cumulative->restarts); j++)
        memcpy ((guint8 *) sums + j * size, &self->start, size);
      for (gsize j = row; j < end; j++)
        {
          ghlo_cpu_read_row (&cumulative->reader, from + (gint64) j * from_stride, self->from_strides[last], numbers,
                             n);
          cumulative->loops->combine (sums, numbers, n);
          if (cumulative->rounds)
            round_numbers (cumulative, sums, n);
        }
      ghlo_cpu_write_row (&cumulative->writer, sums, to + (gint64) row * to_stride, self->to_strides[last], n);
    }
}

/* Reduces a chunk of a row; the reduction begins with chunk 0. Without @store only the chunk's total is computed. */
static void
run_chunk (Run          *self,
           gsize         row,
           gsize         chunk,
           gboolean      store,
           GhloCpuCarry *carry)
{
  const Cumulative *cumulative = self->cumulative;
  gint64 from_stride = self->from_strides[self->dimension], to_stride = self->to_strides[self->dimension];
  gsize end = MIN ((chunk + 1) * CHUNK, cumulative->n);
  GhloCpuNumberValue numbers[BLOCK];
  const guint8 *from;
  guint8 *to;

  find_task (self, row, &from, &to);
  for (gsize begin = chunk * CHUNK; begin < end; begin += BLOCK)
    {
      gsize n = MIN (BLOCK, end - begin);
      gint64 at = (gint64) (cumulative->backward ? cumulative->n - begin - n : begin);

      ghlo_cpu_read_row (&cumulative->reader, from + at * from_stride, from_stride, numbers, n);
      if (store)
        {
          cumulative->loops->row (numbers, n, cumulative->backward, carry);
          ghlo_cpu_write_row (&cumulative->writer, numbers, to + at * to_stride, to_stride, n);
        }
      else
        cumulative->loops->total (numbers, n, cumulative->backward, carry);
    }
}

static void
run_row (Run  *self,
         gsize row)
{
  GhloCpuCarry carry = { .before = self->start };

  for (gsize chunk = 0; chunk < self->cumulative->n_chunks && !is_stopped (self, 64 * chunk); chunk++)
    {
      run_chunk (self, row, chunk, TRUE, &carry);
      self->cumulative->loops->close (&carry);
    }
}

static void
run_short_rows (Run  *self,
                gsize first,
                gsize end)
{
  const Cumulative *cumulative = self->cumulative;
  gint64 from_stride = self->from_strides[self->dimension], to_stride = self->to_strides[self->dimension];
  gsize n = cumulative->n, size = n * cumulative->reader.to_size, n_rows = end - first;
  guint8 numbers[BLOCK * sizeof (GhloCpuNumberValue)] __attribute__ ((aligned (64)));
  const guint8 *from;
  guint8 *to;

  for (gsize i = 0; i < n_rows; i++)
    {
      find_task (self, first + i, &from, &to);
      ghlo_cpu_read_row (&cumulative->reader, from, from_stride, numbers + i * size, n);
    }
  cumulative->loops->rows (numbers, n, n_rows, cumulative->backward, &self->start);
  for (gsize i = 0; i < n_rows; i++)
    {
      find_task (self, first + i, &from, &to);
      ghlo_cpu_write_row (&cumulative->writer, numbers + i * size, to, to_stride, n);
    }
}

static void
run_tasks (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  Run *self = data;

  gsize n = self->cumulative->n, n_rows = !self->by_columns && n <= SHORT_ROW ? BLOCK / n : 1;

  for (gsize task = begin; task < end && !is_stopped (self, task); task += n_rows)
    if (self->by_columns)
      run_columns (self, task);
    else if (n <= SHORT_ROW)
      run_short_rows (self, task, MIN (end, task + n_rows));
    else
      run_row (self, task);
}

static void
run_totals (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  Run *self = data;

  for (gsize chunk = begin; chunk < end; chunk++)
    run_chunk (self, self->row, chunk, FALSE, &self->carries[chunk]);
}

static void
run_chunks (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  Run *self = data;

  for (gsize chunk = begin; chunk < end; chunk++)
    {
      GhloCpuCarry carry = { .before = self->carries[chunk].before };

      run_chunk (self, self->row, chunk, TRUE, &carry);
    }
}

/* Lets threads share the chunks of a row: first all chunks' totals are computed, then all chunks are written. The
 * results are the same as those of run_row(). */
static gboolean
split_row (Run  *self,
           gsize row)
{
  const Cumulative *cumulative = self->cumulative;
  GhloCpuCarry carry = { .before = self->start };

  self->row = row;
  memset (self->carries, 0, cumulative->n_chunks * sizeof (GhloCpuCarry));
  if (!ghlo_parallel_for (cumulative->n_chunks - 1, 1, COST * (double) cumulative->n, run_totals, self, self->monitor))
    return FALSE;
  for (gsize chunk = 0; chunk < cumulative->n_chunks; chunk++)
    {
      carry.inside = self->carries[chunk].inside;
      carry.begun = TRUE;
      self->carries[chunk].before = carry.before;
      if (chunk + 1 < cumulative->n_chunks)
        cumulative->loops->close (&carry);
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
  gsize n_tasks;

  if (self->n == 0)
    return TRUE;
  walk (&run, &operands[0], &results[0]);
  ghlo_cpu_read_row (&self->reader, operands[1].data, self->reader.size, &run.start, 1);
  n_tasks = count_tasks (&run);
  if (!run.by_columns && n_tasks < ghlo_parallel_get_limit () && self->n_chunks > 2)
    for (gsize row = 0; done && row < n_tasks; row++)
      done = split_row (&run, row);
  else
    done = ghlo_parallel_for (n_tasks, 1, self->nanoseconds, run_tasks, &run, monitor) && !run.stopped;

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
