/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds equal steps, which share one compiled step. They have the same implementation; their operations are equal
 * except for the values that they use; their views, aliases and alignments are the same; both or neither may be
 * predicated; and they want the elements of no constant, or of the same one.
 */

#include "plan/build.h"

#include <string.h>

#include "base/hash.h"
#include "ir/equal.h"

static void
add_operand (GhloHash              *hash,
             const GhloStepOperand *operand)
{
  ghlo_hash_add_pointer (hash, operand->type);
  if (operand->strides != NULL)
    ghlo_hash_add_bytes (hash, operand->strides, operand->type->rank * sizeof (gint64));
}

static guint
hash_step (gconstpointer key)
{
  const GhloStep *step = ((const GhloCompiledStep *) key)->step;
  GhloHash hash = ghlo_hash_begin ();

  ghlo_hash_add_pointer (&hash, step->implementation);
  if (step->op != NULL)
    ghlo_hash_add (&hash, ghlo_ir_op_hash_like (step->op));
  for (guint i = 0; i < step->n_operands; i++)
    add_operand (&hash, &step->operands[i]);
  for (guint i = 0; i < step->n_results; i++)
    add_operand (&hash, &step->results[i]);

  return (guint) ghlo_hash_end (&hash);
}

static gboolean
same_operand (const GhloStepPlan    *plan,
              const GhloStepOperand *a,
              const GhloStepOperand *b)
{
  gsize size = a->type->rank * sizeof (gint64);
  GhloView first, second;

  if (a->type != b->type || (a->strides == NULL) != (b->strides == NULL)
      || (a->strides != b->strides && memcmp (a->strides, b->strides, size) != 0)
      || ghlo_step_alignment (plan, a) != ghlo_step_alignment (plan, b))
    return FALSE;
  first = ghlo_step_compiled_view (plan, a);
  second = ghlo_step_compiled_view (plan, b);

  return first.data == second.data;
}

gboolean
ghlo_step_same_values (const GhloIrOp *a,
                       const GhloIrOp *b)
{
  enum { MANY = 64 };

  if (a->n_operands > MANY)
    return a == b;
  for (guint i = 0; i < a->n_operands; i++)
    for (guint k = 0; k < i; k++)
      if ((ghlo_ir_op_operand (a, i) == ghlo_ir_op_operand (a, k))
          != (ghlo_ir_op_operand (b, i) == ghlo_ir_op_operand (b, k)))
        return FALSE;

  return TRUE;
}

static gboolean
same_step (gconstpointer a,
           gconstpointer b)
{
  const GhloStepPlan *plan = ((const GhloCompiledStep *) a)->plan;
  const GhloStep *x = ((const GhloCompiledStep *) a)->step, *y = ((const GhloCompiledStep *) b)->step;
  /* Whether the step may keep packed copies of persistent operands. */
  const gboolean packs = x->implementation != NULL && x->implementation->get_packing != NULL;

  if (x->target != y->target || x->implementation != y->implementation || x->n_operands != y->n_operands
      || x->n_results != y->n_results || x->body != y->body || x->may_be_predicated != y->may_be_predicated
      || (x->op == NULL) != (y->op == NULL)
      || (x->op != NULL && (!ghlo_ir_op_is_like (x->op, y->op) || !ghlo_step_same_values (x->op, y->op))))
    return FALSE;
  for (guint i = 0; i < x->n_operands; i++)
    if (!same_operand (plan, &x->operands[i], &y->operands[i])
        || (packs && x->operands[i].is_persistent != y->operands[i].is_persistent)
        || ghlo_step_alias (plan, x, i) != ghlo_step_alias (plan, y, i))
      return FALSE;
  for (guint i = 0; i < x->n_results; i++)
    if (!same_operand (plan, &x->results[i], &y->results[i]))
      return FALSE;

  return TRUE;
}

typedef struct
{
  GhloStepPlan *plan;
  GPtrArray    *compiled_steps;        /* of GhloCompiledStep */
  GHashTable   *table;                 /* the same, as a set; equal steps are one member */
} Deduplicator;

static void
deduplicate_step (GhloStep *step,
                  gpointer  data)
{
  Deduplicator *self = data;
  GhloCompiledStep compiled_step = { self->plan, step, NULL };

  if (step->kind != GHLO_STEP_COMPUTE)
    return;
  step->compiled_step = g_hash_table_lookup (self->table, &compiled_step);
  if (step->compiled_step != NULL)
    return;
  step->compiled_step = ghlo_ir_arena_copy (&self->plan->arena, &compiled_step, sizeof compiled_step);
  g_hash_table_add (self->table, step->compiled_step);
  g_ptr_array_add (self->compiled_steps, step->compiled_step);
}

gboolean
ghlo_step_plan_deduplicate (GhloStepPlan *plan,
                            GhloStepPoll *poll)
{
  g_autoptr (GPtrArray) compiled_steps = g_ptr_array_new ();
  g_autoptr (GHashTable) table = g_hash_table_new (hash_step, same_step);
  Deduplicator self = { plan, compiled_steps, table };

  if (!ghlo_step_plan_walk (plan, poll, deduplicate_step, &self))
    return FALSE;
  ghlo_step_plan_drop_selection_states (plan);
  plan->n_compiled_steps = compiled_steps->len;
  plan->compiled_steps = ghlo_ir_arena_copy (&plan->arena, compiled_steps->pdata,
                                             compiled_steps->len * sizeof (GhloCompiledStep *));

  return TRUE;
}
