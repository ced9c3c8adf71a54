/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of pad: copies the operand's remaining elements, and boxes of the padding value around them. With interior
 * padding, the whole result is filled with the padding value first.
 */

#include "cpu/move/move.h"
#include "cpu/move/segments.h"
#include "ir/window.h"

typedef struct
{
  GhloCpuSegments *fill;      /* nullable: runs before the segments */
  GhloCpuSegments *segments;
} Pad;

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

static void
add_segments (Pad            *self,
              const Kept     *kept,
              const GhloView *operand,
              const GhloView *result)
{
  gint64 starts[GHLO_MAX_RANK], sizes[GHLO_MAX_RANK], to[GHLO_MAX_RANK], from_at = 0, to_at = 0;
  static const gint64 still[GHLO_MAX_RANK] = { 0 };
  GhloView spread = *result;
  gboolean has_gaps = FALSE, is_empty = FALSE;

  for (guint d = 0; d < result->rank; d++)
    {
      starts[d] = kept[d].at;
      sizes[d] = kept[d].n;
      to[d] = kept[d].n > 1 ? result->strides[d] * kept[d].step : result->strides[d];
      has_gaps = has_gaps || (kept[d].n > 1 && kept[d].step > 1);
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
  if (!is_empty)
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

  return ghlo_cpu_finish (done, monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_pad = {
  .name = "pad",
  .size = sizeof (Pad),
  .read = read_request,
  .clear = clear,
  .run = run,
};
