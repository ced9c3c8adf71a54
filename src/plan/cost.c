/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The cost of steps, from their views and operations. Caches are ignored: all bytes count as if they came from memory.
 */

#include "plan/cost.h"

#include "base/element.h"
#include "plan/build.h"
#include "plan/work.h"

/* Rates of the reference executor on one core. Few of its operations are as fast as additions. */
static const GhloDeviceRates reference_rates = { .bytes = 2e10, .products = { 6e9, 6e9, 6e9 }, .scalars = 3e9 };

/* Elements that a broadcast repeats are counted once. */
static double
view_bytes (const GhloStepOperand *operand)
{
  double n = 1;

  if (operand->strides == NULL)
    return 0;
  for (guint i = 0; i < operand->type->rank; i++)
    if (operand->strides[i] != 0 || operand->type->dimensions[i] == 0)
      n *= (double) operand->type->dimensions[i];

  return n * ghlo_element_info (operand->type->element_type)->size;
}

/* The operand whose size says how many bytes of result @result are written, where operand @result is or may be updated
 * in place; else GHLO_STEP_NONE. */
static guint
find_update (const GhloStepPlan *plan,
             const GhloStep     *step,
             guint               result)
{
  GhloIrOpKind kind = step->op != NULL ? step->op->kind : GHLO_OP_INVALID;
  guint update = kind == GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE ? 1 : step->n_results + 1 + result;

  if (kind != GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE && kind != GHLO_OP_STABLEHLO_SCATTER)
    return GHLO_STEP_NONE;

  return step->kind == GHLO_STEP_COMPUTE && update < step->n_operands && ghlo_step_alias (plan, step, result) == result
         ? update : GHLO_STEP_NONE;
}

static double
operand_bytes (const GhloStepPlan *plan,
               const GhloStep     *step,
               guint               operand)
{
  double all = view_bytes (&step->operands[operand]);

  if (step->op == NULL)
    return all;
  if (ghlo_ir_op_reads_part (step->op, operand))
    return MIN (all, view_bytes (&step->results[0]));

  return operand < step->n_results && find_update (plan, step, operand) != GHLO_STEP_NONE ? 0 : all;
}

static double
result_bytes (const GhloStepPlan *plan,
              const GhloStep     *step,
              guint               result)
{
  guint update = find_update (plan, step, result);

  return view_bytes (update != GHLO_STEP_NONE ? &step->operands[update] : &step->results[result]);
}

static void
count_ops (const GhloStep *step,
           GhloStepWork   *work)
{
  const GhloIrBlock *body = step->body;

  *work = (GhloStepWork) { .exact = TRUE };
  for (const GhloIrOp *op = body != NULL ? body->first : NULL; op != NULL && op != body->last; op = op->next)
    ghlo_step_work_add (work, op);
  if (body == NULL && step->op != NULL)
    ghlo_step_work_add (work, step->op);
}

static void
cost_compute (const GhloStepPlan    *plan,
              const GhloStep        *step,
              const GhloDeviceRates *rates,
              GhloStepCost          *cost)
{
  GhloStepWork work;

  count_ops (step, &work);
  cost->operations = work.scalars;
  for (guint i = 0; i < GHLO_N_PRODUCT_RATES; i++)
    cost->operations += work.products[i];
  for (guint i = 0; i < step->n_operands; i++)
    cost->bytes += operand_bytes (plan, step, i);
  for (guint i = 0; i < step->n_results; i++)
    cost->bytes += result_bytes (plan, step, i);
  work.bytes = cost->bytes;
  /* The number of iterations of a loop inside the step may not be known. */
  cost->seconds = work.exact ? ghlo_step_work_time (&work, rates) : -1;
}

static void
cost_transfer (const GhloStepPlan *plan,
               const GhloStep     *step,
               GhloStepCost       *cost)
{
  const GhloStepBuffer *from = &plan->buffers[step->operands[0].buffer];
  const GhloStepBuffer *to = &plan->buffers[step->results[0].buffer];
  GhloDeviceMemory *memory = plan->arenas[from->space != 0 ? from->space : to->space].memory;

  cost->bytes = (double) from->size;
  cost->seconds = -1;
  for (guint i = 0; i < plan->n_devices; i++)
    {
      const GhloDeviceRates *rates = plan->devices[i]->memory == memory ? plan->devices[i]->rates : NULL;
      double rate = rates == NULL ? 0 : from->space == 0 ? rates->uploads : rates->downloads;

      if (rate > 0)
        cost->seconds = cost->bytes / rate;
    }
}

static void
cost_body (const GhloStepPlan *plan,
           const GhloStepBody *body,
           GhloStepCost       *cost)
{
  *cost = (GhloStepCost) { 0 };
  for (guint i = 0; i < body->n_steps; i++)
    {
      GhloStepCost one;

      ghlo_step_cost (plan, body->steps[i], &one);
      cost->operations += one.operations;
      cost->bytes += one.bytes;
      cost->seconds = cost->seconds < 0 || one.seconds < 0 ? -1 : cost->seconds + one.seconds;
    }
}

static void
cost_loop (const GhloStepPlan *plan,
           const GhloStep     *step,
           GhloStepCost       *cost)
{
  GhloStepCost condition;

  cost_body (plan, &step->bodies[1], cost);
  if (step->trips >= 0)
    {
      cost->operations *= (double) step->trips;
      cost->bytes *= (double) step->trips;
      cost->seconds = cost->seconds < 0 ? -1 : cost->seconds * (double) step->trips;
      return;
    }
  cost_body (plan, &step->bodies[0], &condition);
  cost->operations += condition.operations;
  cost->bytes += condition.bytes;
  cost->seconds = -1;
}

static void
cost_branch (const GhloStepPlan *plan,
             const GhloStep     *step,
             GhloStepCost       *cost)
{
  for (guint i = 0; i < step->n_bodies; i++)
    {
      GhloStepCost one;
      gboolean unknown = cost->seconds < 0;

      cost_body (plan, &step->bodies[i], &one);
      unknown |= one.seconds < 0;
      if (unknown ? one.bytes > cost->bytes : one.seconds > cost->seconds)
        *cost = one;
      if (unknown)
        cost->seconds = -1;
    }
}

void
ghlo_step_cost (const GhloStepPlan *plan,
                const GhloStep     *step,
                GhloStepCost       *cost)
{
  *cost = (GhloStepCost) { 0 };
  switch (step->kind)
    {
    case GHLO_STEP_COMPUTE:
      cost_compute (plan, step, step->target->rates, cost);
      break;
    case GHLO_STEP_REFERENCE:
      cost_compute (plan, step, &reference_rates, cost);
      break;
    case GHLO_STEP_TRANSFER:
      cost_transfer (plan, step, cost);
      break;
    case GHLO_STEP_LOOP:
      cost_loop (plan, step, cost);
      break;
    default:
      cost_branch (plan, step, cost);
    }
}

void
ghlo_step_plan_cost (const GhloStepPlan *plan,
                     GhloStepCost       *cost)
{
  cost_body (plan, &plan->body, cost);
}
