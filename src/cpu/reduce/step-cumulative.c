/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of cumulative reductions (kernel/cumulative.h): which scans reduce them, and how threads share the rows.
 */

#include "base/sizes.h"
#include "cpu/elementwise/compute-type.h"
#include "cpu/finish.h"
#include "cpu/reduce/cumulative.h"
#include "cpu/steps.h"
#include "kernel/cumulative.h"
#include "runtime/parallel.h"

#include <string.h>

/* Approximate nanoseconds per element, and where each step is rounded. */
#define COST          0.3
#define COST_ROUNDING 1.0

/* Length up to which rows are not cut, rows not worth a task each, and the most converted columns of a task. */
enum { SHORT_ROW = 256, FEW_ROWS = 64, CONVERTED_LANES = 256 };

enum { CHUNK = GHLO_CPU_CUMULATIVE_CHUNK, SEGMENTS = GHLO_CPU_CUMULATIVE_SEGMENTS };

typedef GhloCpuCumulative Cumulative;
typedef GhloCpuCumulativeRun Run;
typedef GhloCpuCumulativeCarry Carry;

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
  ghlo_cpu_cumulative_choose_block (self);
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

/* In how many of both tensors elements along dimension @i, or along rows, are adjacent, so that tiles are moved a
 * register at a time. */
static guint
count_adjacent (const Run *self,
                guint      i)
{
  gint64 unit = (gint64) self->unit;

  return (guint) (self->from_strides[i] == unit || self->from_stride == unit)
         + (guint) (self->to_strides[i] == unit || self->to_stride == unit);
}

/* Makes the last dimension one along which tiles are moved fast, the longest of those. */
static void
choose_last (Run *self)
{
  guint best = self->rank - 1, most = count_adjacent (self, best);
  gint64 size, from_stride, to_stride;

  for (guint i = 0; i < self->rank; i++)
    {
      guint n = count_adjacent (self, i);

      if (n > most || (n == most && self->dimensions[i] > self->dimensions[best]))
        {
          best = i;
          most = n;
        }
    }
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
  gboolean is_narrow;

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
  choose_last (self);
  is_narrow = is_adjacent (self, self->rank - 1) && (gsize) self->dimensions[self->rank - 1] == self->n_rows;
  self->is_cut = cumulative->n > SHORT_ROW
                 && (!cumulative->is_exact ? !cumulative->is_ordered
                     : is_narrow && cumulative->n_chunks <= 2 ? FALSE
                     : self->n_rows < (self->from_stride == size ? FEW_ROWS : SEGMENTS));
}

/* Chooses how many rows a task has, which changes no bit: what fits a tile, but no more than a thread's share. */
static void
choose_lanes (Run *self)
{
  const Cumulative *cumulative = self->cumulative;
  gsize last = (gsize) self->dimensions[self->rank - 1], n = cumulative->n;
  gsize n_threads = cumulative->nanoseconds < GHLO_PARALLEL_MIN_WORK ? 1 : ghlo_parallel_get_limit ();
  gsize line = ghlo_cpu_cumulative_pad_lanes (cumulative, 1);
  gsize share = ghlo_size_ceil_div (self->n_rows, n_threads);
  gsize most = GHLO_CPU_CUMULATIVE_MAX_LANES * sizeof (GhloCpuCumulativeNumber) / cumulative->number_size;

  if (self->is_cut)
    {
      most = ghlo_cpu_cumulative_count_segments (cumulative, MIN (n, cumulative->block));
      most = ghlo_cpu_cumulative_tile_lanes (cumulative, MIN (n, cumulative->block) / most) / most;
      self->n_lanes = MAX (MIN (most / ghlo_size_ceil_div (n, cumulative->block), share), 1);
      return;
    }
  share = ghlo_cpu_cumulative_pad_lanes (cumulative, share);
  self->is_direct = !cumulative->rounds && is_adjacent (self, self->rank - 1) && (last >= line || last == self->n_rows);
  if (self->is_direct)
    {
      most = MIN (cumulative->converts ? CONVERTED_LANES : most, share);
      self->n_lanes = last < most ? most / last * last : most;
      return;
    }
  self->n_lanes = MIN (MAX (ghlo_cpu_cumulative_tile_lanes (cumulative, n), 4 * line), share);
  widen_units (self);
  self->n_rows /= self->unit / cumulative->size;
  self->n_lanes = MAX (self->n_lanes / (self->unit / cumulative->size), 1);
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

      ghlo_cpu_cumulative_run_rows (self, first, n);
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
    ghlo_cpu_cumulative_run_chunk (self, self->row, 1, chunk * CHUNK, (chunk + 1) * CHUNK, FALSE,
                                   &self->carries[chunk]);
}

static void
run_chunks (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  Run *self = data;

  for (gsize chunk = begin; chunk < end; chunk++)
    ghlo_cpu_cumulative_run_chunk (self, self->row, 1, chunk * CHUNK, MIN ((chunk + 1) * CHUNK, self->cumulative->n),
                                   TRUE, &self->carries[chunk]);
}

/* Lets threads share the chunks of a row: first all chunks' totals are computed, then all chunks are written. The
 * results are the same as those of one task. */
static gboolean
split_row (Run  *self,
           gsize row)
{
  const Cumulative *cumulative = self->cumulative;
  Carry carry;

  self->row = row;
  for (gsize chunk = 0; chunk < cumulative->n_chunks; chunk++)
    ghlo_cpu_cumulative_begin_carry (self, &self->carries[chunk]);
  if (!ghlo_parallel_for (cumulative->n_chunks - 1, 1, COST * (double) cumulative->n, run_totals, self, self->monitor))
    return FALSE;
  ghlo_cpu_cumulative_begin_carry (self, &carry);
  for (gsize chunk = 0; chunk < cumulative->n_chunks; chunk++)
    {
      carry.inside = self->carries[chunk].inside;
      self->carries[chunk] = (Carry) { carry.before, cumulative->identity };
      ghlo_cpu_cumulative_end_chunk (self, &carry);
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
