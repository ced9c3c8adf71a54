/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of select_and_scatter with a single comparison and addition, which is the gradient of a maximum or minimum
 * over windows of rows of adjacent elements.
 */

#include <math.h>

#include "cpu/finish.h"
#include "cpu/pooling/pool.h"
#include "kernel/scalar.h"

typedef struct
{
  GhloCpuPool             pool;
  GhloCpuPoolGradientFunc func;
} Step;

/* The selection by a single comparison of the block's arguments in order; GHLO_CPU_N_SELECTIONS for anything else. */
static GhloCpuSelection
find_selection (const GhloIrBlock *block)
{
  /* Indexed by direction: EQ, NE, GE, GT, LE, LT. TOTALORDER of floats is another comparison. */
  static const GhloCpuSelection directions[] = {
    GHLO_CPU_N_SELECTIONS, GHLO_CPU_N_SELECTIONS, GHLO_CPU_SELECT_GREATER_EQUAL, GHLO_CPU_SELECT_GREATER,
    GHLO_CPU_SELECT_LESS_EQUAL, GHLO_CPU_SELECT_LESS,
  };
  enum { TOTALORDER = 2 };
  const GhloIrOp *op = block != NULL ? block->first : NULL;
  gint64 direction;

  if (op == NULL || op->next != block->last || op->kind != GHLO_OP_STABLEHLO_COMPARE || block->n_arguments != 2
      || ghlo_ir_op_operand (op, 0) != block->arguments[0] || ghlo_ir_op_operand (op, 1) != block->arguments[1]
      || ghlo_ir_op_operand (block->last, 0) != &op->results[0]
      || ghlo_ir_op_get_int (op, "compare_type", 0) == TOTALORDER)
    return GHLO_CPU_N_SELECTIONS;
  direction = ghlo_ir_op_get_int (op, "comparison_direction", 0);

  return direction >= 0 && direction < (gint64) G_N_ELEMENTS (directions) ? directions[direction]
         : GHLO_CPU_N_SELECTIONS;
}

/* Whether the initial value is +0, which sums of the source may begin with. */
static gboolean
starts_from_zero (const GhloView *start)
{
  GhloScalar value;

  if (start->data == NULL)
    return FALSE;
  value = ghlo_element_load (start->element_type, start->data);

  return value.f == 0 && !signbit (value.f);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Step *self = step;
  const GhloIrOp *op = request->op;
  const GhloView *operands = request->operands;
  GhloCpuSelection selection = find_selection (ghlo_ir_op_region_block (op, 0));
  const char *reason = ghlo_cpu_pool_read (&self->pool, op, &operands[0], &operands[1]);

  if (reason != NULL)
    return reason;
  if (selection == GHLO_CPU_N_SELECTIONS)
    return "its selection is not a single comparison";
  if (ghlo_combiner_of (ghlo_ir_op_region_block (op, 1), operands[0].element_type) != GHLO_COMBINER_ADD)
    return "its scatter computation is not an addition";
  if (!starts_from_zero (&operands[2]))
    return "its initial value is not known to be 0";
  self->func = ghlo_cpu_routines ()->pool_gradient[self->pool.type][selection];

  return NULL;
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  selection->operands[0].dense = selection->operands[1].dense = TRUE;
  selection->operands[2].wants_data = TRUE;
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Step *self = compiled;
  gboolean done = ghlo_cpu_pool_run_gradient (&self->pool, self->func, operands[0].data, operands[1].data,
                                              results[0].data, monitor);

  return ghlo_cpu_finish (done, monitor, error);
}

static char *
describe (gpointer compiled)
{
  return g_strdup_printf ("of rows, %s", ghlo_cpu_level_name (ghlo_cpu_level ()));
}

const GhloStepImplementation ghlo_cpu_step_pool_gradient = {
  .name = "pool_gradient",
  .size = sizeof (Step),
  .read = read_request,
  .select = fill_selection,
  .run = run,
  .describe = describe,
};
