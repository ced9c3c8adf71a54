/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Costs: the work that the IR's cost model counts for a program, and the estimates of
 * its plan. Immutable.
 */

#include "ghlo-cost-private.h"

#include "base/stack.h"
#include "ir/cost.h"
#include "plan/cost.h"

/**
 * GhloCost:
 *
 * The cost of a run of a compiled program: operations, bytes, an estimate of the
 * time, and memory. All of it is known before a run. It is immutable.
 *
 * Operations and bytes are those of the program as written, however a device
 * transforms it. Divided by the time that a run took, they give rates to compare with
 * the peak rates of a machine. `ghlo info` shows the same numbers, and `ghlo bench`
 * the rates.
 *
 * Since: 1.0
 */
struct _GhloCost
{
  gatomicrefcount ref_count;
  GhloIrCost      work;
  double          estimate;       /* in seconds; negative when not known */
  guint64         peak_memory;    /* in bytes; 0 when not known */
};

G_DEFINE_BOXED_TYPE (GhloCost, ghlo_cost, ghlo_cost_ref, ghlo_cost_unref)

static gpointer
compute (gpointer data)
{
  const GhloExecutableCore *core = data;
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

GhloCost *
ghlo_cost_new (const GhloExecutableCore *core)
{
  return ghlo_stack_call (compute, (gpointer) core);
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
 * Drops a reference.
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
 * Gets the number of arithmetic operations of the program, of any element type: those
 * of matrix products and convolutions, in which a multiply-add counts as two, and one
 * for each element that any other operation computes. Loops count with their number of
 * iterations where it is known, branches with their most expensive case.
 *
 * Returns: the number
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
 * Gets how many of [method@Ghlo.Cost.get_operations] belong to matrix products and
 * convolutions, which devices execute fastest.
 *
 * Returns: the number
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
 * Gets the minimum number of bytes that a run reads and writes: inputs, outputs and
 * constants, each once. An input of which only slices are used counts with these
 * slices. Intermediate values are not included; [property@Ghlo.PlanStep:bytes] is the
 * number of bytes that a step moves.
 *
 * Returns: the number of bytes
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
 * Gets whether all sizes and iteration counts were known. An unknown dimension or
 * iteration count is taken for 1.
 *
 * Returns: whether operations and bytes are complete
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
 * Gets an estimate of the time of a run: the sum of the estimates of its plan's steps
 * ([property@Ghlo.PlanStep:estimate]).
 *
 * Returns: the time in seconds; negative when not known, for example for a program
 *   without a plan
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
 * Gets the peak memory use while the program runs: its inputs, its outputs and
 * intermediate values ([property@Ghlo.Plan:memory]), its constants and prepared data
 * ([property@Ghlo.Plan:prepared-memory]).
 *
 * Returns: the number of bytes; 0 when not known, for example for a program without a
 *   plan
 *
 * Since: 1.0
 */
guint64
ghlo_cost_get_peak_memory (const GhloCost *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->peak_memory;
}
