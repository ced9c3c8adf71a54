/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "licm": loop-invariant code motion. Carried values that the body returns unchanged are used from outside
 * instead of being carried. Operations on values from outside move before the loop: cheap ones that cannot fail always
 * do, costly ones when the loop is known to run. Operations that only broadcast or count stay inside unless an
 * operation that moves needs them: computed where they are read they cost nothing, kept for the duration of the loop
 * they take memory. Products of slices come first (loops/products.c).
 *
 * Inner loops come first, so that what leaves them may leave the outer ones too.
 */

#include "passes/context.h"

#include "ir/loop.h"
#include "passes/constant.h"
#include "passes/effects.h"
#include "passes/loops/products.h"
#include "passes/walk.h"

typedef struct
{
  GhloIrOp   *loop;
  gboolean    surely_runs;
  GHashTable *movable;        /* operations that only use values from outside */
  GPtrArray  *order;          /* the same, in program order */
  GHashTable *moving;         /* those of them that are worth moving, and the ones that these need */
} Hoisting;

/* Replaces carried values that keep their initial value throughout. Returns their number. */
static guint
take_unchanged (GhloIrOp *loop)
{
  GhloIrBlock *condition = ghlo_ir_op_region_block (loop, 0), *body = ghlo_ir_op_region_block (loop, 1);
  GhloIrOp *terminator = ghlo_pass_terminator (body);
  guint n = 0;

  for (guint i = 0; i < loop->n_operands; i++)
    {
      GhloIrValue *initial = ghlo_ir_op_operand (loop, i);
      GhloIrValue *arguments[] = { condition->arguments[i], body->arguments[i] };

      if (ghlo_ir_op_operand (terminator, i) != arguments[1] || initial->type != arguments[0]->type
          || initial->type != arguments[1]->type || initial->type != loop->results[i].type)
        continue;
      /* Done already: only the terminator is left to use it, and the pass "dce" removes such a carried value. */
      if (arguments[0]->uses == NULL && arguments[1]->uses->next == NULL && loop->results[i].uses == NULL)
        continue;
      ghlo_ir_value_replace (arguments[0], initial);
      ghlo_ir_value_replace (arguments[1], initial);
      ghlo_ir_op_set_operand (terminator, i, arguments[1]);
      ghlo_ir_value_replace (&loop->results[i], initial);
      n++;
    }

  return n;
}

/* Whether the results are larger than the operands. */
static gboolean
inflates (const GhloIrOp *op)
{
  gsize n_operands = 0, n_results = 0;

  for (guint i = 0; i < op->n_operands; i++)
    if (ghlo_type_is_plain (ghlo_ir_op_operand (op, i)->type))
      n_operands += ghlo_type_count (ghlo_ir_op_operand (op, i)->type);
  for (guint i = 0; i < op->n_results; i++)
    if (ghlo_type_is_plain (op->results[i].type))
      n_results += ghlo_type_count (op->results[i].type);

  return n_results > n_operands;
}

static gboolean
is_from_outside (const Hoisting *self,
                 GhloIrOp       *op)
{
  for (const GhloIrOp *inner = op; inner != NULL; inner = ghlo_pass_next_op (inner, op))
    for (guint i = 0; i < inner->n_operands; i++)
      {
        GhloIrValue *value = ghlo_ir_op_operand (inner, i);

        if (ghlo_pass_is_inside (value, self->loop) && !ghlo_pass_is_inside (value, op)
            && !(value->op != NULL && g_hash_table_contains (self->movable, value->op)))
          return FALSE;
      }

  return TRUE;
}

/* Whether @op may run once before the loop instead of in each iteration. */
static gboolean
can_move (const Hoisting *self,
          GhloIrOp       *op)
{
  if (op->n_results == 0 || ghlo_pass_is_control (op) || !ghlo_pass_is_pure (op, NULL))
    return FALSE;
  if (!ghlo_pass_is_cheap (op) && !(ghlo_pass_is_costly (op) && self->surely_runs))
    return FALSE;

  return is_from_outside (self, op);
}

static void
find_movable (Hoisting          *self,
              const GhloIrBlock *block,
              gboolean           surely_runs)
{
  self->surely_runs = surely_runs;
  for (GhloIrOp *op = block->first; op != NULL; op = op->next)
    if (can_move (self, op))
      {
        g_hash_table_add (self->movable, op);
        g_ptr_array_add (self->order, op);
      }
}

/* Goes backwards: an operation moves for its own sake, or because a user moves. Constants always move, since they
 * cost nothing. */
static void
choose_moving (Hoisting *self)
{
  for (guint i = self->order->len; i > 0; i--)
    {
      GhloIrOp *op = g_ptr_array_index (self->order, i - 1);

      if (op->kind != GHLO_OP_STABLEHLO_CONSTANT && (ghlo_pass_is_free (op) || inflates (op))
          && !g_hash_table_contains (self->moving, op))
        continue;
      g_hash_table_add (self->moving, op);
      for (const GhloIrOp *inner = op; inner != NULL; inner = ghlo_pass_next_op (inner, op))
        for (guint j = 0; j < inner->n_operands; j++)
          {
            GhloIrOp *definer = ghlo_ir_op_operand (inner, j)->op;

            if (definer != NULL && g_hash_table_contains (self->movable, definer))
              g_hash_table_add (self->moving, definer);
          }
    }
}

static guint
hoist_loop (GhloIrModule *module,
            GhloIrOp     *loop)
{
  GhloIrBlock *condition = ghlo_ir_op_region_block (loop, 0), *body = ghlo_ir_op_region_block (loop, 1);
  g_autoptr (GHashTable) movable = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) moving = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  Hoisting self = { .loop = loop, .movable = movable, .order = order, .moving = moving };
  GhloIrCountedLoop counted;
  guint n;

  if (condition == NULL || body == NULL || ghlo_pass_terminator (condition) == NULL
      || ghlo_pass_terminator (body) == NULL)
    return 0;
  n = take_unchanged (loop);
  if (!ghlo_ir_counted_loop (loop, &counted))
    counted.trips = -1;
  n += ghlo_pass_hoist_products (module, loop, counted.trips);
  /* The condition runs at least once. */
  find_movable (&self, condition, TRUE);
  find_movable (&self, body, counted.trips > 0);
  choose_moving (&self);
  for (guint i = 0; i < order->len; i++)
    if (g_hash_table_contains (moving, g_ptr_array_index (order, i)))
      {
        ghlo_pass_move_before (g_ptr_array_index (order, i), loop);
        n++;
      }

  return n;
}

gboolean
ghlo_pass_licm (GhloIrModule     *module,
                GhloPassContext  *context,
                GError          **error)
{
  return ghlo_pass_each_loop (module, context->monitor, hoist_loop, &context->n_changes, error);
}
