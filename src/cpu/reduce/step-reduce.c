/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of reduce with one operand and a region of one operation. reduce.h explains how the operand is walked.
 */

#include "base/sizes.h"
#include "cpu/isa/level.h"
#include "cpu/reduce/reduce.h"
#include "cpu/steps.h"

/* Approximate bytes that one core reads and reduces per nanosecond. */
#define READ_RATE 10.0
/* Approximate nanoseconds per element where each step is rounded. */
#define ROUNDED_COST 2.0

enum
{
  MIN_ROW = 8,              /* elements of a row that is worth a call of its own */
  MANY_ROWS = 32,
  PARTS = 32,               /* enough for all threads */
  MIN_BLOCK = 1 << 16,      /* bytes that are worth a block of their own */
  MAX_BLOCK = 1 << 24,      /* the most bytes of a block */
};

static gboolean
choose_loops (GhloCpuReduce     *self,
              const GhloIrBlock *block)
{
  self->combiner = ghlo_combiner_of (block, self->compute->type);
  self->reduce = ghlo_cpu_elementwise_routines ()->reductions[self->compute->number][self->combiner];
  self->scans = !ghlo_element_type_is_float (self->compute->type)
                || (self->combiner != GHLO_COMBINER_MAXIMUM && self->combiner != GHLO_COMBINER_MINIMUM);
  self->scan_converts = self->compute->type == GHLO_ELEMENT_TYPE_F16;
  self->scan = self->compute->type == GHLO_ELEMENT_TYPE_BF16
                 ? ghlo_cpu_elementwise_routines ()->bf16_scans[self->combiner]
                 : ghlo_cpu_elementwise_routines ()->scans[self->compute->number][self->combiner];
  self->combine = ghlo_cpu_compute_type_loop (self->compute, ghlo_combiner_scalar (self->combiner));

  return self->reduce != NULL && self->combine != NULL && self->scan != NULL;
}

static gboolean
set_identity (GhloCpuReduce *self)
{
  GhloElementType type = self->compute->is_read ? GHLO_ELEMENT_TYPE_F32 : self->compute->type;
  GhloScalar value;

  if (!ghlo_combiner_neutral (self->combiner, type, &value))
    return FALSE;
  ghlo_element_store (type, self->identity, value);

  return TRUE;
}

typedef struct
{
  gint64 size, stride;
} Dimension;

/* The reduced dimensions may be walked in any order and direction: makes all strides positive, and sorts them in
 * decreasing order. */
static void
order_reduced (GhloCpuReduce *self,
               Dimension     *dimensions,
               guint          n)
{
  for (guint i = 0; i < n; i++)
    if (dimensions[i].stride < 0)
      {
        self->first += dimensions[i].stride * (dimensions[i].size - 1);
        dimensions[i].stride = -dimensions[i].stride;
      }
  for (guint i = 1; i < n; i++)
    for (guint j = i; j > 0 && dimensions[j - 1].stride < dimensions[j].stride; j--)
      {
        Dimension first = dimensions[j - 1];

        dimensions[j - 1] = dimensions[j];
        dimensions[j] = first;
      }
}

static void
make_axis (GhloCpuAxis     *axis,
           const Dimension *dimensions,
           guint            n)
{
  gint64 sizes[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];

  for (guint i = 0; i < n; i++)
    {
      sizes[i] = dimensions[i].size;
      strides[i] = dimensions[i].stride;
    }

  ghlo_cpu_axis_init (axis, sizes, strides, n);
}

static void
split_dimensions (GhloCpuReduce  *self,
                  const GhloIrOp *op,
                  const GhloView *operand)
{
  Dimension kept[GHLO_MAX_RANK], reduced[GHLO_MAX_RANK];
  gboolean is_reduced[GHLO_MAX_RANK] = { FALSE }, is_empty = FALSE;
  guint n_kept = 0, n_reduced = 0;
  double n_terms = 1;
  gsize n;
  g_autofree gint64 *dimensions = ghlo_ir_op_dup_ints (op, "dimensions", &n);

  for (gsize i = 0; i < n; i++)
    if (dimensions[i] >= 0 && dimensions[i] < operand->rank)
      is_reduced[dimensions[i]] = TRUE;
  for (guint d = 0; d < operand->rank; d++)
    {
      Dimension dimension = { operand->dimensions[d], operand->strides[d] };

      is_empty |= dimension.size == 0;
      n_terms *= is_reduced[d] ? (double) dimension.size : 1;
      if (dimension.size != 1 && is_reduced[d])
        reduced[n_reduced++] = dimension;
      else if (dimension.size != 1)
        kept[n_kept++] = dimension;
    }
  self->rounds = self->compute->is_read
                 && (self->combiner == GHLO_COMBINER_MULTIPLY || self->combiner == GHLO_COMBINER_ADD)
                 && n_terms <= ghlo_element_short_sum (self->compute->type);
  if (!is_empty && !self->rounds)
    order_reduced (self, reduced, n_reduced);
  make_axis (&self->kept, kept, n_kept);
  make_axis (&self->reduced, reduced, n_reduced);
}

static void
choose_strategy (GhloCpuReduce *self)
{
  gint64 kept = self->kept.count, reduced = self->reduced.count;
  double bytes = (double) kept * (double) reduced * self->size;
  /* Many rows of a few elements are transposed. */
  gboolean is_long = self->reduced.inner >= MIN_ROW || kept < MIN_ROW
                     || (ghlo_cpu_axis_is_uniform (&self->reduced) && self->kept.inner >= MANY_ROWS
                         && self->kept.stride > 0);
  double row, parts, blocks = 1;

  if (self->rounds)
    {
      self->by_columns = self->is_direct = TRUE;
      self->n_blocks = 1;
      self->nanoseconds = (double) kept * (double) reduced * ROUNDED_COST;
      return;
    }
  if (self->reduced.stride == self->size)
    self->by_columns = !is_long;
  else
    self->by_columns = self->kept.stride == self->size ? kept > 1 : kept >= reduced;

  row = self->by_columns ? (double) MIN (self->kept.inner, GHLO_CPU_REDUCE_ROW) : 1;
  parts = (double) kept / row;
  if (parts < PARTS)
    blocks = MIN (PARTS / MAX (parts, 1), bytes / MIN_BLOCK);
  if (self->by_columns && self->combiner == GHLO_COMBINER_ADD && ghlo_element_type_is_float (self->compute->type))
    blocks = MAX (blocks, (double) reduced / GHLO_CPU_REDUCE_STEPS);
  blocks = MAX (blocks, (double) reduced * self->size / MAX_BLOCK);
  self->n_blocks = CLAMP ((gint64) blocks, 1, MAX (reduced, 1));
  self->is_direct = self->n_blocks == 1 && !self->compute->is_read;
  self->nanoseconds = bytes / READ_RATE
                      + (self->by_columns ? (double) reduced * parts * 5 : (double) (self->n_blocks * kept) * 15);
}

static gboolean
find_scratch (const GhloCpuReduce *self,
              gsize               *scratch)
{
  *scratch = 0;

  return self->is_direct
         || (ghlo_size_mul (scratch, (gsize) self->n_blocks, (gsize) self->kept.count)
             && ghlo_size_mul (scratch, *scratch, self->number_size));
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  GhloCpuReduce *self = step;
  const GhloView *operands = request->operands;
  gsize scratch;

  self->compute = request->n_operands == 2 ? ghlo_cpu_compute_type (operands[0].element_type) : NULL;
  if (request->n_operands != 2)
    return "it reduces more than one tensor";
  if (self->compute == NULL || operands[1].element_type != self->compute->type
      || request->results[0].element_type != self->compute->type)
    return "there is no precompiled loop for its element types";
  self->size = ghlo_cpu_compute_type_size (self->compute);
  self->number_size = ghlo_cpu_number_size (self->compute->number);
  if (!choose_loops (self, ghlo_ir_op_region_block (request->op, 0)) || !set_identity (self))
    return "there is no precompiled loop for its computation";
  split_dimensions (self, request->op, &operands[0]);
  choose_strategy (self);

  return find_scratch (self, &scratch) ? NULL : "its result has too many elements";
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const GhloCpuReduce *self = step;

  find_scratch (self, &selection->scratch);
}

static void
clear (gpointer step)
{
  GhloCpuReduce *self = step;

  ghlo_cpu_axis_clear (&self->kept);
  ghlo_cpu_axis_clear (&self->reduced);
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  return ghlo_cpu_reduce_run (compiled, operands[0].data, operands[1].data, results[0].data, scratch, monitor)
         || !ghlo_monitor_cancelled (monitor, error);
}

static char *
describe (gpointer compiled)
{
  const GhloCpuReduce *self = compiled;

  return g_strdup_printf ("%s of %s, %s, %s: %" G_GINT64_FORMAT, self->by_columns ? "columns" : "rows",
                          self->compute->name, ghlo_cpu_level_name (ghlo_cpu_level ()),
                          self->rounds ? "rounded at each step, blocks" : "blocks", self->n_blocks);
}

const GhloStepImplementation ghlo_cpu_step_reduce = {
  .name = "reduce",
  .size = sizeof (GhloCpuReduce),
  .read = read_request,
  .select = fill_selection,
  .clear = clear,
  .run = run,
  .describe = describe,
};
