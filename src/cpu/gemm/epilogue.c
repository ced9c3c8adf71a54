/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The product has no gaps, and the points of the kernel are its elements in the order in which they lie: so a
 * panel is some runs of points, whichever way it was computed.
 *
 * A fusion's body may come from anywhere: what is no product followed by a kernel is left to the plan.
 */

#include "cpu/gemm/epilogue.h"

#include <string.h>

#include "base/sizes.h"
#include "kernel/text.h"
#include "runtime/parallel.h"

static gboolean
is_dot (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_STABLEHLO_DOT_GENERAL || op->kind == GHLO_OP_STABLEHLO_DOT;
}

static gboolean
is_plain (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->quantization == NULL && ghlo_ir_type_has_static_shape (type)
         && type->element_type != GHLO_ELEMENT_TYPE_INVALID;
}

static gboolean
has_plain_types (const GhloIrOp *op)
{
  return is_plain (ghlo_ir_op_operand (op, 0)->type) && is_plain (ghlo_ir_op_operand (op, 1)->type)
         && is_plain (op->results[0].type);
}

const char *
ghlo_cpu_epilogue_declines (const GhloIrOp *const *ops,
                            guint                  n_ops)
{
  for (guint i = 0; i < n_ops; i++)
    {
      gboolean is_product = is_dot (ops[i]) || ops[i]->kind == GHLO_OP_STABLEHLO_CONVOLUTION;
      const char *reason = is_product ? NULL : ghlo_kernel_obstacle (ops[i]);

      if (is_product && !has_plain_types (ops[i]))
        reason = "the CPU has no step for its types";
      if (reason != NULL)
        return reason;
    }

  return NULL;
}

/* Reading */

/* The operation whose result the kernel begins with: the product, or a reshape that alone uses it. */
static const GhloIrOp *
find_given (const GhloIrBlock *body)
{
  const GhloIrOp *op = body->first;
  const GhloIrUse *use;

  while ((use = op->results[0].uses) != NULL && use->next == NULL && use->op->kind == GHLO_OP_STABLEHLO_RESHAPE
         && use->op->block == body)
    op = use->op;

  return op;
}

/* Where @value stands among the body's arguments, which are the operands; their number where it is none. */
static guint
find_operand (const GhloStepRequest *request,
              const GhloIrValue     *value)
{
  return value->block == request->body ? value->index : request->n_operands;
}

static gboolean
has_shape (const GhloView   *view,
           const GhloIrType *type)
{
  return view->rank == type->rank
         && memcmp (view->dimensions, type->dimensions, type->rank * sizeof *type->dimensions) == 0;
}

/* The strides of the product, of @type: dense, or in the order that the only result is wanted in. */
static void
find_strides (const GhloStepRequest *request,
              const GhloIrType      *type,
              gint64                *strides)
{
  const GhloView *result = &request->results[0];
  const gint64 size = ghlo_element_info (type->element_type)->size;

  if (request->n_results > 1 || ghlo_view_is_dense (result) || !has_shape (result, type))
    ghlo_shape_strides (type->dimensions, type->rank, size, strides);
  else
    for (guint i = 0; i < type->rank; i++)
      strides[i] = result->strides[i] / (gint64) ghlo_element_info (result->element_type)->size * size;
}

/* Its dimensions as they lie, outermost first. */
static void
order_dimensions (const GhloView *view,
                  guint          *order)
{
  for (guint d = 0; d < view->rank; d++)
    {
      guint at = d;

      for (; at > 0 && view->strides[order[at - 1]] < view->strides[d]; at--)
        order[at] = order[at - 1];
      order[at] = d;
    }
}

/* Which of the results are the kernel's: all but the product itself. */
static const char *
choose_results (GhloCpuEpilogue       *self,
                const GhloStepRequest *request,
                const GhloIrOp        *given)
{
  self->place = GHLO_STEP_NONE;
  for (guint i = 0; i < request->n_results; i++)
    {
      const GhloView *result = &request->results[i];

      if (!ghlo_view_is_dense (result)
          && (request->n_results > 1 || given != request->body->first || !has_shape (result, given->results[0].type)))
        return "its result is faster dense";
      if (ghlo_ir_op_operand (request->body->last, i) != &given->results[0])
        self->which[self->n_results++] = i;
      else if (self->place == GHLO_STEP_NONE)
        self->place = i;
      else
        return "it gives the product twice";
    }

  return self->n_results > 0 ? NULL : "nothing follows the product";
}

static const char *
lower (GhloCpuEpilogue       *self,
       const GhloStepRequest *request,
       const GhloIrOp        *given)
{
  const GhloIrType *type = given->results[0].type;
  gint64 strides[GHLO_MAX_RANK];
  guint order[GHLO_MAX_RANK], shared;
  g_autofree GhloView *operands = g_new (GhloView, request->n_operands + 1);
  g_autofree GhloView *results = g_new (GhloView, self->n_results);
  const GhloKernelGroup group = {
    .body = request->body, .given = given, .which = self->which, .n_operands = request->n_operands + 1,
    .n_results = self->n_results, .operands = operands, .results = results,
    .order = ghlo_view_is_dense (&request->results[0]) ? NULL : order,
  };
  const char *reason;

  find_strides (request, type, strides);
  operands[0] = (GhloView) { .element_type = type->element_type, .rank = type->rank, .dimensions = type->dimensions,
                             .strides = strides };
  order_dimensions (&operands[0], order);
  for (guint i = 0; i < request->n_operands; i++)
    operands[i + 1] = request->operands[i];
  for (guint i = 0; i < self->n_results; i++)
    results[i] = request->results[self->which[i]];
  if (!ghlo_kernel_lower (&group, &self->lowered, &reason))
    return reason;
  reason = ghlo_cpu_kernel_init (&self->kernel, self->lowered.kernel, TRUE);
  if (reason != NULL)
    return reason;
  shared = self->lowered.kernel->buffers[0].shared;
  if (self->place == GHLO_STEP_NONE && shared != GHLO_KERNEL_NONE)
    self->place = self->which[shared - group.n_operands];
  self->n_operands = request->n_operands;

  return self->kernel.n_points == ghlo_view_count (&operands[0]) ? NULL : "it is no epilogue";
}

static const char *
read_fusion (GhloCpuProduct        *self,
             const GhloStepRequest *request,
             GhloCpuEpilogue       *kept)
{
  const GhloIrOp *op = self->op = request->body->first, *given = find_given (request->body);
  const GhloIrType *type = op->results[0].type;
  GhloCpuEpilogue *epilogue;
  const char *reason;

  if (request->n_operands + request->n_results >= GHLO_KERNEL_MAX_BUFFERS)
    return "it has too many operands and results";
  if (!has_plain_types (op))
    return "it is no epilogue";
  self->lhs = find_operand (request, ghlo_ir_op_operand (op, 0));
  self->rhs = find_operand (request, ghlo_ir_op_operand (op, 1));
  if (self->lhs == request->n_operands || self->rhs == request->n_operands)
    return "it does not begin with what it takes";
  self->epilogue = kept;
  self->result = (GhloView) { .element_type = type->element_type, .rank = type->rank, .dimensions = type->dimensions,
                              .strides = self->strides };
  find_strides (request, type, self->strides);
  if (kept != NULL)
    return NULL;
  epilogue = self->epilogue = g_new0 (GhloCpuEpilogue, 1);
  epilogue->element = ghlo_element_info (type->element_type)->size;
  epilogue->size = ghlo_size_align ((gsize) ghlo_view_count (&self->result) * epilogue->element);
  reason = choose_results (epilogue, request, given);

  return reason != NULL ? reason : lower (epilogue, request, given);
}

const char *
ghlo_cpu_product_read (GhloCpuProduct        *self,
                       const GhloStepRequest *request,
                       gboolean               is_convolution,
                       GhloCpuEpilogue       *kept)
{
  *self = (GhloCpuProduct) { .op = request->op, .rhs = 1 };
  if (request->body != NULL)
    {
      const GhloIrOp *first = request->body->first;

      return (is_convolution ? first->kind == GHLO_OP_STABLEHLO_CONVOLUTION : is_dot (first))
             ? read_fusion (self, request, kept) : "it begins with another operation";
    }
  self->result = request->results[0];

  return NULL;
}

void
ghlo_cpu_epilogue_free (GhloCpuEpilogue *self)
{
  ghlo_cpu_kernel_clear (&self->kernel);
  ghlo_lowered_kernel_clear (&self->lowered);
  g_free (self);
}

gsize
ghlo_cpu_epilogue_scratch (const GhloCpuEpilogue *self,
                           gsize                  scratch)
{
  if (self == NULL)
    return scratch;

  return ghlo_size_align (scratch) + ghlo_cpu_kernel_scratch (&self->kernel)
         + (self->place == GHLO_STEP_NONE ? self->size : 0);
}

void
ghlo_cpu_epilogue_begin (GhloCpuEpilogue *self,
                         double           nanoseconds)
{
  if (self == NULL)
    return;
  /* More threads may take part than in the product. */
  self->is_whole = nanoseconds < GHLO_PARALLEL_MIN_WORK
                   && (double) self->kernel.n_points * self->kernel.schedule.cost >= GHLO_PARALLEL_MIN_WORK;
  ghlo_cpu_kernel_begin (&self->kernel);
}

void
ghlo_cpu_epilogue_hurry (const GhloCpuEpilogue *self)
{
  if (self != NULL)
    ghlo_cpu_kernel_hurry (&self->kernel);
}

gboolean
ghlo_cpu_epilogue_wait (const GhloCpuEpilogue  *self,
                        const GhloMonitor      *monitor,
                        GError                **error)
{
  return self == NULL || ghlo_cpu_kernel_wait (&self->kernel, monitor, error);
}

char *
ghlo_cpu_epilogue_print (const GhloCpuEpilogue *self)
{
  return self != NULL ? ghlo_kernel_print (self->lowered.kernel) : NULL;
}

char *
ghlo_cpu_epilogue_print_code (const GhloCpuEpilogue *self)
{
  return self != NULL ? ghlo_cpu_kernel_print_code (&self->kernel) : NULL;
}

/* Running */

void
ghlo_cpu_epilogue_run_begin (GhloCpuEpilogueRun    *run,
                             const GhloCpuEpilogue *self,
                             const GhloView        *operands,
                             const GhloView        *results,
                             gpointer               scratch,
                             gsize                  own,
                             const GhloMonitor     *monitor)
{
  guint8 *rest = (guint8 *) scratch + ghlo_size_align (own);
  const gint64 *starts;
  guint n;

  run->epilogue = self;
  if (self == NULL)
    {
      run->product = results[0].data;
      return;
    }
  starts = self->lowered.starts;
  n = self->n_operands + 1;
  run->product = self->place != GHLO_STEP_NONE ? results[self->place].data
                                               : rest + ghlo_cpu_kernel_scratch (&self->kernel);
  run->buffers[0] = run->product;
  for (guint i = 0; i < self->n_operands; i++)
    run->buffers[i + 1] = operands[i].data + starts[i + 1];
  for (guint i = 0; i < self->n_results; i++)
    run->buffers[n + i] = results[self->which[i]].data + starts[n + i];
  ghlo_cpu_kernel_run_init (&run->kernel, &self->kernel, run->buffers, rest, monitor);
}

/* @n_runs of @n elements each, @stride bytes from one to the next. */
static void
run_parts (const GhloCpuEpilogueRun *run,
           const GhloCpuPanel       *panel,
           gint64                    n_runs,
           gint64                    stride,
           gint64                    n)
{
  const gint64 element = (gint64) run->epilogue->element;

  if (stride == n * element)
    {
      n *= n_runs;
      n_runs = 1;
    }
  for (gint64 i = 0; i < n_runs; i++)
    {
      const gint64 begin = (panel->data - run->product + i * stride) / element;

      ghlo_cpu_kernel_run_part (&run->kernel, begin, begin + n, panel->worker);
    }
}

void
ghlo_cpu_epilogue_panel (gpointer            data,
                         const GhloCpuPanel *panel)
{
  const GhloCpuEpilogueRun *run = data;
  GhloCpuPanel column = *panel;

  if (run->epilogue->is_whole)
    return;
  if (panel->column_stride == (gint64) run->epilogue->element)
    {
      run_parts (run, panel, panel->n_rows, panel->row_stride, panel->n_columns);
      return;
    }
  if (panel->row_stride == (gint64) run->epilogue->element)
    {
      run_parts (run, panel, panel->n_columns, panel->column_stride, panel->n_rows);
      return;
    }
  for (gint64 i = 0; i < panel->n_columns; i++)
    {
      run_parts (run, &column, panel->n_rows, panel->row_stride, 1);
      column.data += panel->column_stride;
    }
}

gboolean
ghlo_cpu_epilogue_run_end (const GhloCpuEpilogueRun  *run,
                           const GhloMonitor         *monitor,
                           GError                   **error)
{
  if (run->epilogue == NULL)
    return TRUE;
  if (run->epilogue->is_whole)
    return ghlo_cpu_kernel_run (&run->epilogue->kernel, run->buffers, run->kernel.scratch, monitor, error);

  return !ghlo_monitor_cancelled (monitor, error);
}
