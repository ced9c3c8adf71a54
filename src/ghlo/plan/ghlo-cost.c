/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Costs: what the IR counts of a program, and the plan of its steps. They never change.
 */

#include "ghlo-cost-private.h"

#include "ir/cost.h"
#include "plan/cost.h"

/**
 * GhloCost:
 *
 * What a run of a compiled program takes: how many operations, how many bytes, about
 * how long, and how much memory. All of it is known before a run. It is immutable.
 *
 * Operations and bytes are those of the program as it was written, whatever a device
 * makes of it: with the time that a run took they give the rates to compare with what
 * a machine could do. `ghlo info` shows the same numbers, and `ghlo bench` the rates.
 *
 * Since: 1.0
 */
struct _GhloCost
{
  gatomicrefcount ref_count;
  GhloIrCost      work;
  double          estimate;       /* seconds; below 0 where it is not known */
  guint64         peak_memory;    /* bytes; 0 where it is not known */
};

G_DEFINE_BOXED_TYPE (GhloCost, ghlo_cost, ghlo_cost_ref, ghlo_cost_unref)

GhloCost *
ghlo_cost_new (const GhloExecutableCore *core)
{
  GhloPrepared *prepared = core->compilation->prepared;
  const GhloStepPlan *plan = ghlo_prepared_get_plan (prepared);
  GhloCost *self = g_new0 (GhloCost, 1);

  g_atomic_ref_count_init (&self->ref_count);
  ghlo_ir_cost (core->signature.function, &self->work);
  self->estimate = -1;
  if (plan != NULL)
    {
      GhloRunFigures figures;
      GhloStepCost steps;

      ghlo_step_plan_cost (plan, &steps);
      self->estimate = steps.seconds;
      ghlo_prepared_measure (prepared, &figures);
      self->peak_memory = ghlo_run_figures_peak (&figures);
    }

  return self;
}

/**
 * ghlo_cost_ref:
 * @self: a cost
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @self
 *
 * Since: 1.0
 */
GhloCost *
ghlo_cost_ref (GhloCost *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

/**
 * ghlo_cost_unref:
 * @self: (transfer full): a cost
 *
 * Gives a reference back.
 *
 * Since: 1.0
 */
void
ghlo_cost_unref (GhloCost *self)
{
  g_return_if_fail (self != NULL);

  if (g_atomic_ref_count_dec (&self->ref_count))
    g_free (self);
}

/**
 * ghlo_cost_get_operations:
 * @self: a cost
 *
 * Gets how many arithmetic operations the program needs, of whatever element type:
 * those of products and convolutions, where a multiplication and its addition are two,
 * and one for each element that anything else computes. Iterations of loops count where
 * they are known; of a branch the dearest case does.
 *
 * Returns: a number
 *
 * Since: 1.0
 */
double
ghlo_cost_get_operations (const GhloCost *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->work.product_operations + self->work.scalar_operations;
}

/**
 * ghlo_cost_get_product_operations:
 * @self: a cost
 *
 * Gets how many of [method@Ghlo.Cost.get_operations] are those of products of matrices
 * and convolutions, which devices do fastest.
 *
 * Returns: a number
 *
 * Since: 1.0
 */
double
ghlo_cost_get_product_operations (const GhloCost *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->work.product_operations;
}

/**
 * ghlo_cost_get_bytes:
 * @self: a cost
 *
 * Gets how many bytes a run reads and writes at least: inputs, outputs and constants,
 * each once, and of an input that is only cut what is cut from it. What is computed in
 * between is not among them; [property@Ghlo.PlanStep:bytes] says what each step moves.
 *
 * Returns: bytes
 *
 * Since: 1.0
 */
guint64
ghlo_cost_get_bytes (const GhloCost *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->work.bytes < (double) G_MAXINT64 ? (guint64) self->work.bytes : G_MAXINT64;
}

/**
 * ghlo_cost_is_exact:
 * @self: a cost
 *
 * Gets whether all sizes and numbers of iterations were known. A dimension or a number
 * of iterations that is not counts as 1.
 *
 * Returns: whether the operations and bytes are all
 *
 * Since: 1.0
 */
gboolean
ghlo_cost_is_exact (const GhloCost *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->work.exact;
}

/**
 * ghlo_cost_get_estimate:
 * @self: a cost
 *
 * Gets about how long a run takes: the sum of what the steps of its plan are estimated
 * to ([property@Ghlo.PlanStep:estimate]).
 *
 * Returns: seconds; below 0 where that is not known, as for a program without a plan
 *
 * Since: 1.0
 */
double
ghlo_cost_get_estimate (const GhloCost *self)
{
  g_return_val_if_fail (self != NULL, -1);

  return self->estimate;
}

/**
 * ghlo_cost_get_peak_memory:
 * @self: a cost
 *
 * Gets how many bytes there are at once while the program runs: its inputs, its
 * outputs and what it computes in between ([property@Ghlo.Plan:memory]), its constants
 * and what was prepared for it ([property@Ghlo.Plan:prepared-memory]).
 *
 * Returns: bytes; 0 where that is not known, as for a program without a plan
 *
 * Since: 1.0
 */
guint64
ghlo_cost_get_peak_memory (const GhloCost *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->peak_memory;
}
