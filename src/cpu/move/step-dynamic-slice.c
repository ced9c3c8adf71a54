/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * dynamic_slice and dynamic_update_slice as steps of a plan. The latter works over its
 * operand where it may, and else copies what is not replaced.
 */

#include "cpu/move/move.h"
#include "cpu/move/segments.h"

/* Where a slice of @sizes starts in a tensor, by index operands from @first on. */
static void
read_starts (const GhloView *operands,
             guint           first,
             const gint64   *dimensions,
             const gint64   *sizes,
             guint           rank,
             gint64         *starts)
{
  for (guint d = 0; d < rank; d++)
    starts[d] = CLAMP (ghlo_cpu_moves_index (&operands[first + d]), 0, dimensions[d] - sizes[d]);
}

static gint64
offset_of (const gint64 *starts,
           const gint64 *strides,
           guint         rank)
{
  gint64 offset = 0;

  for (guint d = 0; d < rank; d++)
    offset += starts[d] > 0 ? starts[d] * strides[d] : 0;

  return offset;
}

/* Whether every slice of @slice's shape fits into @operand. */
static gboolean
fits (const GhloIrOp *op,
      const GhloView *operand,
      const GhloView *slice,
      guint           n_starts)
{
  if (slice->rank != operand->rank || n_starts != operand->rank || !ghlo_cpu_moves_plain (op))
    return FALSE;
  for (guint d = 0; d < slice->rank; d++)
    if (slice->dimensions[d] > operand->dimensions[d])
      return FALSE;

  return TRUE;
}

static gpointer
prepare_slice (const GhloIrOp  *op,
               const GhloView  *operands,
               const GhloView  *results,
               gsize           *scratch,
               GError         **error)
{
  GhloCpuCopy *self;

  if (!fits (op, &operands[0], &results[0], op->n_operands - 1))
    return NULL;
  self = g_new (GhloCpuCopy, 1);
  ghlo_cpu_copy_init (self, results[0].rank, results[0].dimensions, results[0].element_type, operands[0].strides,
                      results[0].element_type, results[0].strides);

  return self;
}

static gboolean
run_slice (gpointer            prepared,
           const GhloView     *operands,
           const GhloView     *results,
           gpointer            scratch,
           const GhloMonitor  *monitor,
           GError            **error)
{
  guint rank = results[0].rank;
  gint64 starts[GHLO_MAX_RANK];

  read_starts (operands, 1, operands[0].dimensions, results[0].dimensions, rank, starts);

  return ghlo_cpu_moves_finish (ghlo_cpu_copy_run (prepared, operands[0].data
                                                   + offset_of (starts, operands[0].strides, rank),
                                                   results[0].data, monitor), monitor, error);
}

static gboolean
in_place (const GhloIrOp *op,
          guint           operand,
          guint           result)
{
  return operand == 0;
}

static gpointer
prepare_update (const GhloIrOp  *op,
                const GhloView  *operands,
                const GhloView  *results,
                gsize           *scratch,
                GError         **error)
{
  GhloCpuCopy *self;

  if (op->n_operands < 2 || !fits (op, &operands[0], &operands[1], op->n_operands - 2))
    return NULL;
  self = g_new (GhloCpuCopy, 1);
  ghlo_cpu_copy_init (self, operands[1].rank, operands[1].dimensions, operands[1].element_type, operands[1].strides,
                      results[0].element_type, results[0].strides);
  /* For the pieces of a result that is not the operand. */
  *scratch = ghlo_cpu_segments_size (2 * results[0].rank + 1);

  return self;
}

static gboolean
run_update (gpointer            prepared,
            const GhloView     *operands,
            const GhloView     *results,
            gpointer            scratch,
            const GhloMonitor  *monitor,
            GError            **error)
{
  guint rank = results[0].rank;
  GhloCpuSegments *pieces = scratch;
  gint64 starts[GHLO_MAX_RANK], at;
  gboolean done;

  read_starts (operands, 2, results[0].dimensions, operands[1].dimensions, rank, starts);
  at = offset_of (starts, results[0].strides, rank);
  if (results[0].data == operands[0].data)
    done = ghlo_cpu_copy_run (prepared, operands[1].data, results[0].data + at, monitor);
  else
    {
      ghlo_cpu_segments_init (pieces);
      ghlo_cpu_segments_add_around (pieces, &results[0], starts, operands[1].dimensions, 0, operands[0].strides);
      ghlo_cpu_segments_add (pieces, &results[0], operands[1].dimensions, 1, operands[1].strides, 0, at);
      done = ghlo_cpu_segments_run (pieces, operands, results[0].data, monitor);
    }

  return ghlo_cpu_moves_finish (done, monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_dynamic_slice = {
  .name = "dynamic_slice",
  .takes = ghlo_cpu_takes_any,
  .prepare = prepare_slice,
  .run = run_slice,
  .release = g_free,
};

const GhloStepImplementation ghlo_cpu_step_dynamic_update_slice = {
  .name = "dynamic_update_slice",
  .takes = ghlo_cpu_takes_any,
  .in_place = in_place,
  .prepare = prepare_update,
  .run = run_update,
  .release = g_free,
};
