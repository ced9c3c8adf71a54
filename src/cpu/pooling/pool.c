/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Walks rows of windows along the last windowed dimension. Windows that reach into the padding have fewer taps; those
 * between them are computed in a single call of the routine. Threads share the rows of the operand; a window that
 * reaches into the rows of two threads is visited by both.
 */

#include "cpu/pooling/pool.h"

#include <string.h>

#include "base/sizes.h"
#include "ir/window.h"
#include "runtime/parallel.h"

/* MIN_INNER: fewest adjacent elements that are worth it. MAX_NUMBER: largest number in a window's geometry. MIN_PART:
 * fewest bytes of a part. */
enum { MIN_INNER = 4, MAX_NUMBER = 1 << 30, MIN_PART = 1 << 16 };

/* Approximate nanoseconds per byte of the operand. */
#define COST 0.1

typedef GhloCpuPool          Pool;
typedef GhloCpuPoolDimension Dimension;

/* Reads one dimension; FALSE where a number exceeds MAX_NUMBER. */
static gboolean
read_dimension (Dimension             *self,
                const GhloIrWindowDim *window)
{
  *self = (Dimension) { window->input, window->output, window->size, window->stride, window->padding_low,
                        window->window_dilation };

  return window->size <= MAX_NUMBER && window->stride <= MAX_NUMBER && window->window_dilation <= MAX_NUMBER
         && ABS (window->padding_low) <= MAX_NUMBER;
}

static gboolean
has_window (const Dimension *self)
{
  return self->window != 1 || self->step != 1 || self->low != 0 || self->operand != self->result;
}

/* Merges dimensions without windows into one in front and one behind. */
static const char *
sort_dimensions (Pool            *self,
                 const Dimension *dimensions,
                 guint            rank)
{
  guint begin = 0, end = rank;
  gint64 n_taps = 1;

  while (begin < rank && !has_window (&dimensions[begin]))
    begin++;
  /* One element may count as a window. */
  for (guint i = 0; begin == rank && i < rank; i++)
    if (dimensions[i].operand == 1)
      begin = i;
  while (end > begin + 1 && !has_window (&dimensions[end - 1]))
    end--;
  self->outer = self->inner = 1;
  for (guint i = 0; i < begin; i++)
    self->outer *= dimensions[i].operand;
  for (guint i = end; i < rank; i++)
    self->inner *= dimensions[i].operand;
  if (begin == rank || self->inner < MIN_INNER)
    return "it has no windows, or too few adjacent elements inside its windowed dimensions";
  if (self->inner > MAX_NUMBER)
    return "it has too many adjacent elements inside its windowed dimensions";
  if (end - begin == 1)
    self->dimensions[self->n_dimensions++] = (Dimension) { 1, 1, 1, 1, 0, 1 };
  for (guint i = begin; i < end; i++)
    {
      self->dimensions[self->n_dimensions++] = dimensions[i];
      if (dimensions[i].window < 1 || dimensions[i].step < 1 || dimensions[i].dilation < 1
          || dimensions[i].window > GHLO_CPU_POOL_MAX_TAPS
          || (n_taps *= dimensions[i].window) > GHLO_CPU_POOL_MAX_TAPS)
        return "its windows are too large";
    }

  return NULL;
}

const char *
ghlo_cpu_pool_read (Pool           *self,
                    const GhloIrOp *op,
                    const GhloView *operand,
                    const GhloView *result)
{
  Dimension dimensions[GHLO_MAX_RANK];
  guint rank = operand->rank;
  GhloIrWindow window;
  const char *reason;

  *self = (Pool) { .size = ghlo_element_info (operand->element_type)->size,
                   .type = operand->element_type == GHLO_ELEMENT_TYPE_F64 };
  if (operand->element_type != result->element_type
      || (operand->element_type != GHLO_ELEMENT_TYPE_F32 && operand->element_type != GHLO_ELEMENT_TYPE_F64))
    return "there is no routine for its element type";
  if (rank != result->rank || ghlo_view_count (operand) == 0 || ghlo_view_count (result) == 0)
    return "it has no elements";
  reason = ghlo_ir_window_read (&window, op);
  if (reason != NULL)
    return reason;
  for (guint i = 0; i < rank; i++)
    {
      if (window.dims[i].base_dilation != 1)
        return "its windows have a base dilation";
      if (!read_dimension (&dimensions[i], &window.dims[i]))
        return "its windows are too large";
    }

  return sort_dimensions (self, dimensions, rank);
}

/* The arguments of a run. */
typedef struct
{
  const Pool              *pool;
  GhloCpuPoolGradientFunc  gradient;
  const guint8            *operand, *source;
  guint8                  *result;
  gboolean                 disjoint;      /* no element of the operand is in two windows */
  gint64                   operand_image, result_image;       /* bytes of an image */
  const GhloMonitor       *monitor;
  gint                     stopped;       /* atomic */
} Work;

/* The taps of windows at one position in all dimensions but the last. */
typedef struct
{
  guint  n;                               /* number of taps, in these dimensions */
  gint64 offsets[GHLO_CPU_POOL_MAX_TAPS]; /* in bytes, from the first element of the image */
  guint  first, end;                      /* range of taps in the rows that are written */
} Taps;

/* Finds the taps [*@begin, *@end) of the window at @position that are inside of the operand. */
static void
find_range (const Dimension *self,
            gint64           position,
            gint64          *begin,
            gint64          *end)
{
  gint64 at = position * self->step - self->low;

  *begin = at >= 0 ? 0 : ghlo_ceil_div (-at, self->dilation);
  *begin = MIN (*begin, self->window);
  *end = at < self->operand ? MIN ((self->operand - 1 - at) / self->dilation + 1, self->window) : 0;
  *end = MAX (*begin, *end);
}

/* @rows is the range of rows of the first dimension that are written. */
static void
find_taps (const Pool   *pool,
           const gint64 *position,
           const gint64 *rows,
           Taps         *taps)
{
  guint n = pool->n_dimensions - 1;
  gint64 begin[GHLO_MAX_RANK], end[GHLO_MAX_RANK], tap[GHLO_MAX_RANK];
  guint i;

  taps->n = taps->first = taps->end = 0;
  for (i = 0; i < n; i++)
    {
      find_range (&pool->dimensions[i], position[i], &begin[i], &end[i]);
      tap[i] = begin[i];
      if (begin[i] == end[i])
        return;
    }
  do
    {
      gint64 offset = 0;

      for (i = 0; i < n; i++)
        {
          const Dimension *d = &pool->dimensions[i];
          gint64 at = position[i] * d->step + tap[i] * d->dilation - d->low;

          offset = offset * d->operand + at;
          if (i == 0)
            {
              taps->first += at < rows[0];
              taps->end += at < rows[1];
            }
        }
      taps->offsets[taps->n++] = offset * pool->dimensions[n].operand * pool->inner * (gint64) pool->size;
      for (i = n; i > 0 && ++tap[i - 1] == end[i - 1]; i--)
        tap[i - 1] = begin[i - 1];
    }
  while (i > 0);
}

/* Runs windows [@begin, @end) of the last dimension, which have the same taps in that dimension. */
static void
run_windows (const Work     *work,
             const Taps     *taps,
             gint64          begin,
             gint64          end,
             GhloCpuPoolRow *row)
{
  const Pool *pool = work->pool;
  const Dimension *d = &pool->dimensions[pool->n_dimensions - 1];
  gint64 stride = pool->inner * (gint64) pool->size, first, last, offsets[GHLO_CPU_POOL_MAX_TAPS];
  GhloCpuPoolRow part = *row;

  find_range (d, begin, &first, &last);
  part.n_windows = (gsize) (end - begin);
  part.n_taps = 0;
  for (guint i = 0; i < taps->n; i++)
    for (gint64 tap = first; tap < last; tap++)
      offsets[part.n_taps++] = taps->offsets[i] + (begin * d->step + tap * d->dilation - d->low) * stride;
  part.taps = offsets;
  part.source += begin * part.source_step;
  part.first = taps->first * (guint) (last - first);
  part.end = taps->end * (guint) (last - first);
  part.adds = !work->disjoint;
  if (part.n_taps > 0)
    work->gradient (&part);
}

/* Runs all windows along the last dimension. */
static void
run_line (const Work     *work,
          const Taps     *taps,
          GhloCpuPoolRow *row)
{
  const Pool *pool = work->pool;
  const Dimension *d = &pool->dimensions[pool->n_dimensions - 1];
  gint64 room = d->operand + d->low - (d->window - 1) * d->dilation - 1;
  /* Windows that do not touch the padding. */
  gint64 begin = MIN (d->low > 0 ? ghlo_ceil_div (d->low, d->step) : 0, d->result);
  gint64 end = room >= 0 ? CLAMP (room / d->step + 1, begin, d->result) : begin;

  for (gint64 i = 0; i < begin; i++)
    run_windows (work, taps, i, i + 1, row);
  if (begin < end)
    run_windows (work, taps, begin, end, row);
  for (gint64 i = end; i < d->result; i++)
    run_windows (work, taps, i, i + 1, row);
}

/* Runs the windows at rows [@begin, @end) of the result's first dimension in one image. @rows is the range of the
 * operand's rows that are written. */
static void
run_image (const Work   *work,
           gint64        image,
           gint64        begin,
           gint64        end,
           const gint64 *rows)
{
  const Pool *pool = work->pool;
  guint n = pool->n_dimensions - 1;
  const Dimension *last = &pool->dimensions[n];
  gint64 stride = pool->inner * (gint64) pool->size, position[GHLO_MAX_RANK] = { begin }, line = begin;
  GhloCpuPoolRow row = {
    .operand = work->operand + image * work->operand_image, .operand_step = last->step * stride,
    .source_step = stride, .n = (gsize) pool->inner,
    .result = work->result + image * work->operand_image,
  };
  Taps taps;
  guint i;

  for (i = 1; i < n; i++)
    line *= pool->dimensions[i].result;
  do
    {
      gint64 at = image * work->result_image + line++ * last->result * stride;

      find_taps (pool, position, rows, &taps);
      row.source = work->source + at;
      run_line (work, &taps, &row);
      for (i = n; i > 0 && ++position[i - 1] == (i == 1 ? end : pool->dimensions[i - 1].result); i--)
        position[i - 1] = 0;
    }
  while (i > 0);
}

/* Computes rows [@begin, @end) of one image of the operand. */
static void
run_rows (const Work *work,
          gint64      image,
          gint64      begin,
          gint64      end)
{
  const Dimension *d = &work->pool->dimensions[0];
  const gint64 rows[] = { begin, end };
  gint64 row = work->operand_image / d->operand, first, last;

  /* Windows that reach any of the rows. */
  first = begin + d->low - (d->window - 1) * d->dilation;
  first = first > 0 ? ghlo_ceil_div (first, d->step) : 0;
  last = end - 1 + d->low;
  last = last >= 0 ? MIN (last / d->step + 1, d->result) : 0;
  memset (work->result + image * work->operand_image + begin * row, 0, (gsize) ((end - begin) * row));
  if (first < last)
    run_image (work, image, first, last, rows);
}

static void
run_part (gpointer data,
          gsize    begin,
          gsize    end,
          guint    worker)
{
  Work *work = data;
  const Dimension *d = &work->pool->dimensions[0];
  gint64 rows = d->operand;

  for (gint64 i = (gint64) begin, next; i < (gint64) end && !g_atomic_int_get (&work->stopped); i = next)
    {
      next = MIN ((i / rows + 1) * rows, (gint64) end);
      if (ghlo_monitor_cancelled (work->monitor, NULL))
        g_atomic_int_set (&work->stopped, TRUE);
      else
        run_rows (work, i / rows, i % rows, next - i / rows * rows);
    }
}

static gboolean
run_work (Work  *work,
          gint64 rows)
{
  const Pool *pool = work->pool;
  gint64 taps = 1;
  gsize grain;

  work->operand_image = work->result_image = pool->inner * (gint64) pool->size;
  for (guint i = 0; i < pool->n_dimensions; i++)
    {
      work->operand_image *= pool->dimensions[i].operand;
      work->result_image *= pool->dimensions[i].result;
      taps *= pool->dimensions[i].window;
    }
  grain = (gsize) (MIN_PART / MAX (work->operand_image / rows, 1) + 1);

  return ghlo_parallel_for ((gsize) (pool->outer * rows), grain,
                            COST * (double) pool->outer * (double) (work->operand_image + taps * work->result_image),
                            run_part, work, work->monitor)
         && !work->stopped;
}

gboolean
ghlo_cpu_pool_run_gradient (const Pool              *self,
                            GhloCpuPoolGradientFunc  func,
                            const guint8            *operand,
                            const guint8            *source,
                            guint8                  *result,
                            const GhloMonitor       *monitor)
{
  Work work = { .pool = self, .gradient = func, .operand = operand, .source = source, .disjoint = TRUE,
                .monitor = monitor };

  work.result = result;
  for (guint i = 0; i < self->n_dimensions; i++)
    if (self->dimensions[i].result > 1 && self->dimensions[i].step < self->dimensions[i].window)
      work.disjoint = FALSE;

  return run_work (&work, self->dimensions[0].operand);
}
