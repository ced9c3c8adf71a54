/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The driver of rules: a worklist of operations. An operation's id, which is scratch space for whoever walks the
 * module, says whether the operation is in the worklist.
 */

#include "passes/rewrite.h"

#include "passes/effects.h"
#include "passes/walk.h"

/* The limit on the work of visits: a multiple of the cost of visiting every operation once, plus a constant for
 * small programs. */
enum { VISITS_PER_OP = 64, MIN_VISITS = 16384 };

/* VALUES_PER_VISIT: every so many operands and results add the cost of one visit of a small operation. MAX_ASKING: the
 * maximum number of operands of an operation whose rules depend on the other users of its operands. */
enum { VALUES_PER_VISIT = 16, MAX_ASKING = 8 };

static guint64
work_of (const GhloIrOp *op)
{
  return 1 + (op->n_operands + op->n_results) / VALUES_PER_VISIT;
}

static void
push (GhloRewriter *self,
      GhloIrOp     *op)
{
  if (op->id != 0)
    return;
  op->id = 1;
  g_ptr_array_add (self->queue, op);
}

void
ghlo_rewrite_again (GhloRewriter *self,
                    GhloIrOp     *op)
{
  if (self->queue != NULL)
    push (self, op);
}

static void
push_users (GhloRewriter      *self,
            const GhloIrValue *value)
{
  for (const GhloIrUse *use = value->uses; use != NULL; use = use->next)
    push (self, use->op);
}

/* Whether nothing uses the results. With many results, the id of the first one remembers the index of a used result, so
 * that an operation whose results lose their uses one by one is scanned only once. */
static gboolean
is_unused (GhloIrOp *op)
{
  guint first = op->n_results > 0 ? op->results[0].id : 0;

  for (guint i = 0; i < op->n_results; i++)
    {
      guint index = (first + i) % op->n_results;

      if (op->results[index].uses != NULL)
        {
          op->results[0].id = index;
          return FALSE;
        }
    }

  return TRUE;
}

/* The definer of an operand that was removed may be unused now, or it may have only one user left. Rules that depend on
 * the latter are about operations with few operands. */
static void
push_definer (GhloRewriter      *self,
              const GhloIrValue *value)
{
  GhloIrOp *op = value->op;

  if (op == NULL)
    return;
  if (op->n_results == 1 || is_unused (op))
    push (self, op);
  if (ghlo_ir_value_has_one_use (value) && value->uses->op->n_operands <= MAX_ASKING)
    push (self, value->uses->op);
}

static gboolean
is_dead (GhloIrOp *op)
{
  return op->n_results > 0 && is_unused (op) && ghlo_pass_is_pure (op, NULL);
}

static void
erase (GhloRewriter *self,
       GhloIrOp     *op)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new ();

  for (const GhloIrOp *inner = op; inner != NULL; inner = ghlo_pass_next_op (inner, op))
    for (guint i = 0; i < inner->n_operands; i++)
      g_ptr_array_add (values, ghlo_ir_op_operand (inner, i));
  ghlo_pass_erase (op);
  for (guint i = 0; i < values->len; i++)
    push_definer (self, g_ptr_array_index (values, i));
}

gboolean
ghlo_rewrite_replace_all (GhloRewriter       *self,
                          GhloIrOp           *op,
                          GhloIrValue *const *values)
{
  for (guint i = 0; i < op->n_results; i++)
    if (values[i]->type != op->results[i].type || values[i]->op == op)
      return FALSE;

  for (guint i = 0; i < op->n_results; i++)
    {
      push_users (self, &op->results[i]);
      if (values[i]->op != NULL)
        push (self, values[i]->op);
      ghlo_ir_value_replace (&op->results[i], values[i]);
    }
  if (is_dead (op))
    erase (self, op);

  return TRUE;
}

gboolean
ghlo_rewrite_is_declined (GhloRewriter   *self,
                          GhloFusionKind  kind,
                          const GhloIrOp *op)
{
  const GhloPassFusion *fusion = &self->context->options->fusion;

  return fusion->declines != NULL && fusion->declines (fusion->device, kind, &op, 1) != NULL;
}

gboolean
ghlo_rewrite_replace (GhloRewriter *self,
                      GhloIrOp     *op,
                      GhloIrValue  *value)
{
  return op->n_results == 1 && ghlo_rewrite_replace_all (self, op, &value);
}

gboolean
ghlo_rewrite_to_operand (GhloRewriter *self,
                         GhloIrOp     *op)
{
  return op->n_operands == 1 && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (op, 0));
}

void
ghlo_rewrite_set_operand (GhloRewriter *self,
                          GhloIrOp     *op,
                          guint         index,
                          GhloIrValue  *value)
{
  GhloIrValue *before = ghlo_ir_op_operand (op, index);

  ghlo_ir_op_set_operand (op, index, value);
  push_definer (self, before);
  push (self, op);
  for (guint i = 0; i < op->n_results; i++)
    push_users (self, &op->results[i]);
}

/* The rules for a kind of operation, in table order; none for operations that are not in the op table. The list is
 * built when the first operation of that kind is visited, since most programs have few kinds. */
static const GArray *
rules_of (GhloRewriter *self,
          GhloIrOpKind  kind)
{
  if (self->by_kind[kind] == NULL)
    {
      self->by_kind[kind] = g_array_new (FALSE, FALSE, sizeof (GhloRule));
      for (gsize i = 0; kind != GHLO_OP_INVALID && i < self->n_rows; i++)
        if (self->rows[i].kind == kind || (self->rows[i].kind == GHLO_OP_INVALID && kind != GHLO_OP_FUNC_FUNC))
          g_array_append_val (self->by_kind[kind], self->rows[i].rule);
    }

  return self->by_kind[kind];
}

/* Visits one operation: applies the first rule that matches. The operations that the rule changes are queued. */
static gboolean
visit (GhloRewriter *self,
       GhloIrOp     *op)
{
  const GArray *rules;

  if (is_dead (op))
    {
      erase (self, op);
      return FALSE;
    }
  rules = rules_of (self, op->kind);
  self->op = op;
  for (guint i = 0; i < rules->len; i++)
    if (g_array_index (rules, GhloRule, i) (self, op))
      {
        if (op->block != NULL)
          push (self, op);
        return TRUE;
      }

  return FALSE;
}

static gboolean
run_queue (GhloRewriter *self,
           GError      **error)
{
  guint64 n_changes = 0, work = 0, most = 0;

  for (guint i = 0; i < self->queue->len; i++)
    most += work_of (g_ptr_array_index (self->queue, i));
  most = MIN_VISITS + VISITS_PER_OP * most;
  while (self->head < self->queue->len && work < most)
    {
      GhloIrOp *op = g_ptr_array_index (self->queue, self->head++);

      op->id = 0;
      work += work_of (op);
      if (ghlo_monitor_cancelled (self->context->monitor, error))
        return FALSE;
      if (op->block != NULL && visit (self, op))
        n_changes++;
      /* Processed entries are removed once they are the larger part. */
      if (self->head > 4096 && self->head > self->queue->len / 2)
        {
          g_ptr_array_remove_range (self->queue, 0, self->head);
          self->head = 0;
        }
    }
  self->context->n_changes += n_changes;

  return TRUE;
}

/* Queues the operations inside functions, but not the functions themselves. */
static void
fill_queue (GhloRewriter *self)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (self->module);

  for (guint i = 0; i < functions->len; i++)
    {
      GhloIrOp *func = g_ptr_array_index (functions, i);

      for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
        {
          op->id = 0;
          if (op->n_results > 0)
            op->results[0].id = 0;
        }
      for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
        push (self, op);
    }
}

gboolean
ghlo_rewrite_module (GhloIrModule       *module,
                     GhloPassContext    *context,
                     const GhloRuleRow  *rows,
                     gsize               n_rows,
                     GError            **error)
{
  g_autoptr (GPtrArray) queue = g_ptr_array_new ();
  g_autofree GArray **by_kind = g_new0 (GArray *, GHLO_N_OPS);
  g_autoptr (GHashTable) operand_ends = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable) layouts = g_hash_table_new (NULL, NULL);
  GhloRewriter self = {
    .module = module, .context = context, .operand_ends = operand_ends, .layouts = layouts, .queue = queue,
    .rows = rows, .n_rows = n_rows, .by_kind = by_kind,
  };
  gboolean ok;

  fill_queue (&self);
  ok = run_queue (&self, error);
  for (guint kind = 0; kind < GHLO_N_OPS; kind++)
    g_clear_pointer (&by_kind[kind], g_array_unref);

  return ok;
}
