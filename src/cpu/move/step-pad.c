/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of pad: copies the operand's remaining elements, and boxes of the padding value around them. One padding
 * value between each two adjacent elements is written with them. With other interior padding, the whole result is
 * filled with the padding value first.
 */

#include "base/sizes.h"
#include "cpu/move/move.h"
#include "cpu/move/segments.h"
#include "ir/window.h"
#include "runtime/parallel.h"

#include <string.h>

/* The most elements of a row that are spread at once, and nanoseconds of an element. */
enum { SPREAD = 4096 };
#define SPREAD_TIME 0.2

/* Writes @n elements with the padding value behind each. */
typedef void (*SpreadFunc) (const guint8 *from,
                            const guint8 *value,
                            guint8       *to,
                            gsize         n);

typedef struct
{
  GhloCpuSegments *fill;      /* nullable: runs before the segments */
  GhloCpuSegments *segments;

  /* Rows of elements that are spread; NULL: none. */
  SpreadFunc spread;
  guint      rank;            /* of the dimensions of rows */
  gsize      size, n, n_rows;
  gint64     from_at, to_at, sizes[GHLO_MAX_RANK], from[GHLO_MAX_RANK], to[GHLO_MAX_RANK];
} Pad;

#define DEFINE_SPREAD(BITS) \
  typedef guint##BITS Unit_##BITS __attribute__ ((aligned (1), may_alias)); \
\
  static void \
  spread_##BITS (const guint8 *from, \
                 const guint8 *value, \
                 guint8       *to, \
                 gsize         n) \
  { \
    const Unit_##BITS *restrict units = (gconstpointer) from, padding = *(const Unit_##BITS *) (gconstpointer) value; \
    Unit_##BITS *restrict pairs = (gpointer) to; \
\
    for (gsize i = 0; i < n; i++) \
      { \
        pairs[2 * i] = units[i]; \
        pairs[2 * i + 1] = padding; \
      } \
  }

DEFINE_SPREAD (8)
DEFINE_SPREAD (16)
DEFINE_SPREAD (32)
DEFINE_SPREAD (64)

/* The elements that remain in one dimension: @n of them from @first on, which go to @at, @at + @step, … */
typedef struct
{
  gint64 first, n, at, step;
} Kept;

static Kept
keep (const GhloIrWindowDim *pad)
{
  const gint64 low = pad->padding_low;
  Kept self = { .step = pad->base_dilation };

  if (pad->input == 0 || pad->output == 0)
    return self;
  self.first = low < 0 ? ghlo_ceil_div (-low, self.step) : 0;
  if (self.first >= pad->input)
    return (Kept) { .step = self.step };
  self.at = low + self.first * self.step;
  if (self.at < pad->output)
    self.n = MIN ((pad->output - 1 - self.at) / self.step, pad->input - 1 - self.first) + 1;

  return self;
}

/* Whether elements of the innermost dimension are spread, which makes its gaps part of the rows. */
static gboolean
spreads (const Kept     *kept,
         const GhloView *operand,
         const GhloView *result,
         gsize           size)
{
  const guint last = result->rank - 1;

  return result->rank > 0 && kept[last].step == 2 && kept[last].n > 1 && size <= 8
         && operand->strides[last] == (gint64) size && result->strides[last] == (gint64) size;
}

static void
add_spread (Pad            *self,
            const Kept     *kept,
            const GhloView *operand,
            const GhloView *spread,
            gint64          from_at,
            gint64          to_at)
{
  static const SpreadFunc spread_funcs[] = { spread_8, spread_16, spread_32, spread_64 };
  const guint last = spread->rank - 1;

  self->size = ghlo_element_info (operand->element_type)->size;
  self->spread = spread_funcs[__builtin_ctzll (self->size)];
  self->rank = last;
  self->n = (gsize) kept[last].n;
  self->n_rows = 1;
  self->from_at = from_at;
  self->to_at = to_at;
  for (guint d = 0; d < last; d++)
    {
      self->n_rows *= (gsize) kept[d].n;
      self->sizes[d] = kept[d].n;
      self->from[d] = operand->strides[d];
      self->to[d] = spread->strides[d];
    }
}

static void
add_segments (Pad            *self,
              const Kept     *kept,
              const GhloView *operand,
              const GhloView *result)
{
  gint64 starts[GHLO_MAX_RANK], sizes[GHLO_MAX_RANK], to[GHLO_MAX_RANK], from_at = 0, to_at = 0;
  static const gint64 still[GHLO_MAX_RANK] = { 0 };
  GhloView spread = *result;
  const gsize size = ghlo_element_info (result->element_type)->size;
  gboolean has_gaps = FALSE, is_empty = FALSE, spread_rows = spreads (kept, operand, result, size);

  for (guint d = 0; d < result->rank; d++)
    {
      starts[d] = kept[d].at;
      sizes[d] = kept[d].n;
      if (spread_rows && d == result->rank - 1)
        sizes[d] = 2 * kept[d].n - 1;
      to[d] = kept[d].n > 1 ? result->strides[d] * kept[d].step : result->strides[d];
      has_gaps = has_gaps || (sizes[d] == kept[d].n && kept[d].n > 1 && kept[d].step > 1);
      is_empty = is_empty || kept[d].n == 0;
      if (kept[d].n > 0)
        {
          from_at += kept[d].first > 0 ? kept[d].first * operand->strides[d] : 0;
          to_at += kept[d].at * result->strides[d];
        }
    }
  spread.strides = to;
  if (has_gaps || is_empty)
    {
      self->fill = g_malloc (ghlo_cpu_segments_size (1));
      ghlo_cpu_segments_init (self->fill);
      ghlo_cpu_segments_add (self->fill, result, result->dimensions, 1, still, 0, 0);
    }
  else
    ghlo_cpu_segments_add_around (self->segments, result, starts, sizes, 1, still);
  if (!is_empty && spread_rows)
    add_spread (self, kept, operand, &spread, from_at, to_at);
  else if (!is_empty)
    ghlo_cpu_segments_add (self->segments, &spread, sizes, 0, operand->strides, from_at, to_at);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Pad *self = step;
  Kept kept[GHLO_MAX_RANK];
  GhloIrWindow window;
  const char *reason = ghlo_ir_window_read (&window, request->op);

  if (reason != NULL)
    return reason;
  for (guint d = 0; d < request->results[0].rank; d++)
    kept[d] = keep (&window.dims[d]);
  self->segments = g_malloc (ghlo_cpu_segments_size (2 * request->results[0].rank + 1));
  ghlo_cpu_segments_init (self->segments);
  add_segments (self, kept, &request->operands[0], &request->results[0]);

  return NULL;
}

static void
clear (gpointer step)
{
  Pad *self = step;

  g_free (self->fill);
  g_free (self->segments);
}

typedef struct
{
  const Pad    *pad;
  const guint8 *from, *value;
  guint8       *to;
} Run;

/* Spreads parts of rows, of SPREAD elements each. */
static void
spread_parts (gpointer data,
              gsize    begin,
              gsize    end,
              guint    worker)
{
  const Run *run = data;
  const Pad *self = run->pad;
  const gsize n_parts = ghlo_size_ceil_div (self->n, SPREAD);

  for (gsize part = begin; part < end; part++)
    {
      const gsize first = part % n_parts * SPREAD, n = MIN (SPREAD, self->n - first), is_last = first + n == self->n;
      const guint8 *from = run->from + self->from_at + first * self->size;
      guint8 *to = run->to + self->to_at + 2 * first * self->size;
      gsize row = part / n_parts;

      for (guint d = self->rank; d > 0; d--)
        {
          const gint64 index = (gint64) (row % (gsize) self->sizes[d - 1]);

          row /= (gsize) self->sizes[d - 1];
          from += index * self->from[d - 1];
          to += index * self->to[d - 1];
        }
      self->spread (from, run->value, to, n - is_last);
      if (is_last)
        memcpy (to + 2 * (n - 1) * self->size, from + (n - 1) * self->size, self->size);
    }
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Pad *self = compiled;
  gboolean done = (self->fill == NULL || ghlo_cpu_segments_run (self->fill, operands, results[0].data, monitor))
                  && ghlo_cpu_segments_run (self->segments, operands, results[0].data, monitor);

  if (done && self->spread != NULL)
    {
      Run spread = { self, operands[0].data, operands[1].data, results[0].data };
      const gsize n = self->n_rows * ghlo_size_ceil_div (self->n, SPREAD);

      done = ghlo_parallel_for (n, MAX (SPREAD / self->n, 1), SPREAD_TIME * (double) (self->n_rows * self->n),
                                spread_parts, &spread, monitor);
    }

  return ghlo_cpu_finish (done, monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_pad = {
  .name = "pad",
  .size = sizeof (Pad),
  .read = read_request,
  .clear = clear,
  .run = run,
};
