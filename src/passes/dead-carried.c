/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values that loops carry and branches return but nothing uses. A carried value is needed when the loop's result is
 * used, when the condition or an operation with effects depends on it, or when another needed value depends on it, in
 * this iteration or a later one.
 */

#include "passes/dce.h"

#include <string.h>

#include "passes/effects.h"
#include "passes/walk.h"

typedef struct
{
  GhloDeadCode *code;
  GhloIrOp     *loop;
  GhloIrBlock  *condition, *body;
  gboolean     *needed;          /* indexed by carried value */
  GHashTable   *seen;            /* needed operations of the two blocks */
  GPtrArray    *pending;         /* worklist: values that are needed and not processed yet */
} Loop;

static void
need_operands (Loop           *self,
               const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    g_ptr_array_add (self->pending, ghlo_ir_op_operand (op, i));
}

/* Marks everything that an operation of the two blocks uses, including in its regions. */
static void
need_op (Loop     *self,
         GhloIrOp *op)
{
  if (!g_hash_table_add (self->seen, op))
    return;
  for (const GhloIrOp *inner = op; inner != NULL; inner = ghlo_pass_next_op (inner, op))
    need_operands (self, inner);
}

static void
need_carried (Loop  *self,
              guint  index)
{
  if (self->needed[index])
    return;
  self->needed[index] = TRUE;
  g_ptr_array_add (self->pending, ghlo_ir_op_operand (self->body->last, index));
}

static void
need_effects (Loop        *self,
              GhloIrBlock *block)
{
  for (GhloIrOp *op = block->first; op != block->last; op = op->next)
    if (!ghlo_pass_is_removable (op, self->code->pure))
      need_op (self, op);
}

static void
find_needed (Loop *self)
{
  need_operands (self, self->condition->last);
  need_effects (self, self->condition);
  need_effects (self, self->body);
  for (guint i = 0; i < self->loop->n_results; i++)
    if (self->loop->results[i].uses != NULL)
      need_carried (self, i);

  while (self->pending->len > 0)
    {
      GhloIrValue *value = g_ptr_array_steal_index_fast (self->pending, self->pending->len - 1);

      if (value->op == NULL && (value->block == self->condition || value->block == self->body))
        need_carried (self, value->index);
      else if (value->op != NULL && (value->op->block == self->condition || value->op->block == self->body))
        need_op (self, value->op);
    }
}

/* Replaces the block's terminator by one that has only the kept operands. */
static void
trim_terminator (GhloDeadCode   *self,
                 GhloIrBlock    *block,
                 const gboolean *kept)
{
  GhloIrOp *before = block->last;
  g_autofree GhloIrValue **operands = g_new (GhloIrValue *, before->n_operands + 1);
  GhloIrOpState state = { .kind = before->kind, .operands = operands, .location = before->location,
                          .line = before->line, .column = before->column };
  GhloIrOp *op;

  for (guint i = 0; i < before->n_operands; i++)
    if (kept[i])
      operands[state.n_operands++] = ghlo_ir_op_operand (before, i);
  op = ghlo_ir_op_new (self->module, &state);
  ghlo_ir_op_insert_before (op, before);
  ghlo_ir_op_remove (before);
}

static void
trim_arguments (GhloIrBlock    *block,
                const gboolean *kept)
{
  guint n = 0;

  for (guint i = 0; i < block->n_arguments; i++)
    if (kept[i])
      {
        block->arguments[n] = block->arguments[i];
        block->arguments[n]->index = n;
        n++;
      }
  block->n_arguments = n;
}

/* The operation with only the kept results and, for a loop, only the kept operands. The regions move to it. */
static GhloIrOp *
make_trimmed (GhloDeadCode   *self,
              GhloIrOp       *op,
              const gboolean *kept)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  g_autofree GhloIrValue **operands = g_new (GhloIrValue *, op->n_operands + 1);
  g_autofree const GhloIrType **types = g_new (const GhloIrType *, op->n_results + 1);
  g_autofree GhloIrNamedAttr *attributes = g_new (GhloIrNamedAttr, spec->n_attributes + op->n_discardable + 1);
  GhloIrOpState state = {
    .kind = op->kind, .operands = operands, .result_types = types, .n_regions = op->n_regions,
    .attributes = attributes, .location = op->location, .line = op->line, .column = op->column,
  };
  GhloIrOp *trimmed;

  for (guint i = 0; i < op->n_operands; i++)
    if (op->kind != GHLO_OP_STABLEHLO_WHILE || kept[i])
      operands[state.n_operands++] = ghlo_ir_op_operand (op, i);
  for (guint i = 0; i < op->n_results; i++)
    if (kept[i])
      types[state.n_results++] = op->results[i].type;
  for (guint i = 0; i < spec->n_attributes; i++)
    if (op->attributes[i] != NULL)
      attributes[state.n_attributes++] = (GhloIrNamedAttr) { spec->attributes[i].name, op->attributes[i] };
  for (guint i = 0; i < op->n_discardable; i++)
    attributes[state.n_attributes++] = op->discardable[i];

  trimmed = ghlo_ir_op_new (self->module, &state);
  for (guint i = 0; i < op->n_regions; i++)
    ghlo_pass_move_region (&op->regions[i], &trimmed->regions[i]);

  return trimmed;
}

static GhloIrOp *
replace_trimmed (GhloDeadCode   *self,
                 GhloIrOp       *op,
                 const gboolean *kept)
{
  GhloIrOp *trimmed = make_trimmed (self, op, kept);
  guint n = 0;

  for (guint i = 0; i < op->n_results; i++)
    if (kept[i])
      {
        trimmed->results[n].name = op->results[i].name;
        ghlo_ir_value_replace (&op->results[i], &trimmed->results[n++]);
      }
  ghlo_ir_op_insert_before (trimmed, op);
  ghlo_ir_op_remove (op);
  self->context->n_changes++;

  return trimmed;
}

static GhloIrOp *
trim_loop (GhloDeadCode *self,
           GhloIrOp     *op)
{
  g_autofree gboolean *needed = g_new0 (gboolean, op->n_operands + 1);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) pending = g_ptr_array_new ();
  Loop loop = { self, op, ghlo_ir_op_region_block (op, 0), ghlo_ir_op_region_block (op, 1), needed, seen, pending };
  guint n_needed = 0;

  if (loop.condition == NULL || loop.body == NULL || ghlo_pass_terminator (loop.condition) == NULL
      || ghlo_pass_terminator (loop.body) == NULL)
    return op;
  find_needed (&loop);
  for (guint i = 0; i < op->n_operands; i++)
    n_needed += needed[i];
  /* A loop that carries nothing cannot be written. */
  if (n_needed == op->n_operands || n_needed == 0)
    return op;

  trim_terminator (self, loop.body, needed);
  ghlo_dead_sweep (self, loop.condition);
  ghlo_dead_sweep (self, loop.body);
  trim_arguments (loop.condition, needed);
  trim_arguments (loop.body, needed);

  return replace_trimmed (self, op, needed);
}

static GhloIrOp *
trim_branches (GhloDeadCode *self,
               GhloIrOp     *op)
{
  g_autofree gboolean *used = g_new0 (gboolean, op->n_results + 1);
  guint n_used = 0;

  for (guint i = 0; i < op->n_results; i++)
    {
      used[i] = op->results[i].uses != NULL;
      n_used += used[i];
    }
  if (n_used == op->n_results)
    return op;
  for (guint i = 0; i < op->n_regions; i++)
    {
      GhloIrBlock *block = ghlo_ir_op_region_block (op, i);

      if (block == NULL || ghlo_pass_terminator (block) == NULL || block->last->n_operands != op->n_results)
        return op;
    }

  for (guint i = 0; i < op->n_regions; i++)
    trim_terminator (self, op->regions[i].first, used);

  return replace_trimmed (self, op, used);
}

GhloIrOp *
ghlo_dead_trim (GhloDeadCode *self,
                GhloIrOp     *op)
{
  return op->kind == GHLO_OP_STABLEHLO_WHILE ? trim_loop (self, op) : trim_branches (self, op);
}
