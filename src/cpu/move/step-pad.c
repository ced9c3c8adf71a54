/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pad as a step of a plan: what stays of the operand, and boxes of the padding value
 * around it. With padding between elements all of the result is filled first.
 */

#include "cpu/move/move.h"
#include "cpu/move/segments.h"

typedef struct
{
  GhloCpuSegments *fill;      /* nullable: before the pieces */
  GhloCpuSegments *pieces;
} Pad;

/* What stays of one dimension: @n elements from @first on, to @at in @step. */
typedef struct
{
  gint64 first, n, at, step;
} Kept;

static Kept
keep (gint64 size,
      gint64 padded,
      gint64 low,
      gint64 interior)
{
  Kept self = { .step = interior + 1 };

  if (size == 0 || padded <= 0)
    return self;
  if (low < 0)
    self.first = (gint64) ((0 - (guint64) low + (guint64) self.step - 1) / (guint64) self.step);
  if (self.first >= size)
    return (Kept) { .step = self.step };
  self.at = low + self.first * self.step;
  if (self.at < padded)
    self.n = MIN ((padded - 1 - self.at) / self.step, size - 1 - self.first) + 1;

  return self;
}

static void
release (gpointer prepared)
{
  Pad *self = prepared;

  g_free (self->fill);
  g_free (self->pieces);
  g_free (self);
}

static void
add_pieces (Pad            *self,
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
    ghlo_cpu_segments_add_around (self->pieces, result, starts, sizes, 1, still);
  if (!is_empty)
    ghlo_cpu_segments_add (self->pieces, &spread, sizes, 0, operand->strides, from_at, to_at);
}

static gpointer
prepare (const GhloIrOp  *op,
         const GhloView  *operands,
         const GhloView  *results,
         gsize           *scratch,
         GError         **error)
{
  gsize n_low, n_interior;
  g_autofree gint64 *low = ghlo_ir_op_dup_ints (op, "edge_padding_low", &n_low);
  g_autofree gint64 *interior = ghlo_ir_op_dup_ints (op, "interior_padding", &n_interior);
  guint rank = results[0].rank;
  Kept kept[GHLO_MAX_RANK];
  Pad *self;

  if (n_low != rank || n_interior != rank || !ghlo_cpu_moves_plain (op))
    return NULL;
  for (guint d = 0; d < rank; d++)
    if (interior[d] < 0 || interior[d] == G_MAXINT64)
      return NULL;
    else
      kept[d] = keep (operands[0].dimensions[d], results[0].dimensions[d], low[d], interior[d]);

  self = g_new0 (Pad, 1);
  self->pieces = g_malloc (ghlo_cpu_segments_size (2 * rank + 1));
  ghlo_cpu_segments_init (self->pieces);
  add_pieces (self, kept, &operands[0], &results[0]);

  return self;
}

static gboolean
run (gpointer            prepared,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Pad *self = prepared;

  return ghlo_cpu_moves_finish ((self->fill == NULL
                                 || ghlo_cpu_segments_run (self->fill, operands, results[0].data, monitor))
                                && ghlo_cpu_segments_run (self->pieces, operands, results[0].data, monitor),
                                monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_pad = {
  .name = "pad",
  .takes = ghlo_cpu_takes_any,
  .prepare = prepare,
  .run = run,
  .release = release,
};
