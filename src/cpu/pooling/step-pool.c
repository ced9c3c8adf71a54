/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reduce_window by maximum, minimum or sum, over rows of adjacent elements, as a step of plans.
 */

#include "cpu/pooling/pool.h"
#include "kernel/scalar.h"

typedef struct
{
  GhloCpuPool     pool;
  GhloCpuPoolKind kind;
  GhloCpuPoolFunc func;
} Step;

/* Whether the initial value, which pads too, changes nothing however often it is added. */
static gboolean
starts_from_zero (const GhloView *start)
{
  return start->data != NULL && ghlo_element_load (start->element_type, start->data).f == 0;
}

static const char *
read_request (Step                  *self,
              const GhloStepRequest *request)
{
  const GhloIrOp *op = request->op;
  const char *reason;

  if (request->n_operands != 2 || request->n_results != 1)
    return "it reduces more than one tensor";
  reason = ghlo_cpu_pool_read (&self->pool, op, &request->operands[0], &request->results[0]);
  if (reason != NULL)
    return reason;
  switch (ghlo_combiner_of (ghlo_ir_op_region_block (op, 0), request->operands[0].element_type))
    {
    case GHLO_COMBINER_MAXIMUM:
      self->kind = GHLO_CPU_POOL_MAXIMUM;
      break;
    case GHLO_COMBINER_MINIMUM:
      self->kind = GHLO_CPU_POOL_MINIMUM;
      break;
    case GHLO_COMBINER_ADD:
      self->kind = GHLO_CPU_POOL_SUM;
      if (!starts_from_zero (&request->operands[1]))
        return "its initial value changes what it is added to";
      break;
    default:
      return "there is no routine for its computation";
    }
  self->func = ghlo_cpu_routines ()->pool[self->pool.type][self->kind];

  return NULL;
}

static void
fill_selection (const Step            *self,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  selection->operands[0].dense = TRUE;
  selection->operands[1].wants_data = self->kind == GHLO_CPU_POOL_SUM;
}

GHLO_CPU_DEFINE_STEP (Step, ghlo_cpu_step_clear_nothing)

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Step *self = compiled;
  gboolean done = ghlo_cpu_pool_run (&self->pool, self->func, operands[0].data, operands[1].data, results[0].data,
                                     monitor);

  return ghlo_cpu_pool_finish (done, monitor, error);
}

static char *
describe (gpointer compiled)
{
  static const char *const names[] = { "maxima", "minima", "sums" };
  const Step *self = compiled;

  return g_strdup_printf ("%s of rows, %s", names[self->kind], ghlo_cpu_level_name (ghlo_cpu_level ()));
}

const GhloStepImplementation ghlo_cpu_step_pool = {
  .name = "pool",
  .select = select_step,
  .compile = compile,
  .run = run,
  .release = release,
  .describe = describe,
};
