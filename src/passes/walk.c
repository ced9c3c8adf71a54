/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Walks over a module, and changes to its tree that leave no stale uses. Walks follow the links of the tree instead of
 * recursing, so deep nesting takes no stack.
 */

#include "passes/walk.h"

static GhloIrOp *
first_inside (const GhloIrOp *op,
              guint           region)
{
  for (; region < op->n_regions; region++)
    for (const GhloIrBlock *block = op->regions[region].first; block != NULL; block = block->next)
      if (block->first != NULL)
        return block->first;

  return NULL;
}

/* The first operation in the blocks after @block, or in the regions after its own. */
static GhloIrOp *
first_behind (const GhloIrBlock *block)
{
  const GhloIrRegion *region = block->region;

  for (block = block->next; block != NULL; block = block->next)
    if (block->first != NULL)
      return block->first;

  return first_inside (region->op, (guint) (region - region->op->regions) + 1);
}

/* The operation after @op and everything inside it. */
static GhloIrOp *
next_behind (const GhloIrOp *op,
             const GhloIrOp *root)
{
  while (op != root)
    {
      GhloIrOp *next = op->next != NULL ? op->next : first_behind (op->block);

      if (next != NULL)
        return next;
      op = op->block->region->op;
    }

  return NULL;
}

GhloIrOp *
ghlo_pass_next_op (const GhloIrOp *op,
                   const GhloIrOp *root)
{
  GhloIrOp *next = first_inside (op, 0);

  return next != NULL ? next : next_behind (op, root);
}

guint64
ghlo_pass_count_ops (const GhloIrModule *module)
{
  guint64 n = 0;

  for (const GhloIrOp *op = module->op; op != NULL; op = ghlo_pass_next_op (op, module->op))
    n++;

  return n;
}

guint64
ghlo_pass_count_block (const GhloIrBlock *block)
{
  guint64 n = 0;

  for (const GhloIrOp *op = block->first; op != NULL; op = op->next)
    {
      n++;
      for (const GhloIrOp *inner = first_inside (op, 0); inner != NULL; inner = ghlo_pass_next_op (inner, op))
        n++;
    }

  return n;
}

static gboolean
has_single_blocks (const GhloIrOp *root)
{
  for (const GhloIrOp *op = root; op != NULL; op = ghlo_pass_next_op (op, root))
    for (guint i = 0; i < op->n_regions; i++)
      if (op->regions[i].first != op->regions[i].last)
        return FALSE;

  return TRUE;
}

GPtrArray *
ghlo_pass_functions (const GhloIrModule *module)
{
  GPtrArray *functions = g_ptr_array_new ();
  GhloIrOp *op = module->op;

  while (op != NULL)
    {
      if (op->kind == GHLO_OP_FUNC_FUNC && ghlo_ir_func_get_body (op) != NULL && has_single_blocks (op))
        g_ptr_array_add (functions, op);
      /* Functions are directly in modules, so other operations need not be entered. */
      op = op->kind == GHLO_OP_BUILTIN_MODULE ? ghlo_pass_next_op (op, module->op) : next_behind (op, module->op);
    }

  return functions;
}

static void
add_loops (const GhloIrOp *func,
           GPtrArray      *loops)
{
  for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
    if (op->kind == GHLO_OP_STABLEHLO_WHILE)
      g_ptr_array_add (loops, op);
}

GPtrArray *
ghlo_pass_loops (const GhloIrOp *func)
{
  GPtrArray *loops = g_ptr_array_new ();

  add_loops (func, loops);

  return loops;
}

gboolean
ghlo_pass_each_loop (GhloIrModule       *module,
                     const GhloMonitor  *monitor,
                     guint             (*func) (GhloIrModule *module,
                                                GhloIrOp     *loop),
                     guint64            *n_changes,
                     GError            **error)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (module);
  g_autoptr (GPtrArray) loops = g_ptr_array_new ();

  for (guint i = 0; i < functions->len; i++)
    add_loops (g_ptr_array_index (functions, i), loops);
  for (guint i = loops->len; i > 0; i--)
    {
      if (ghlo_monitor_cancelled (monitor, error))
        return FALSE;
      *n_changes += func (module, g_ptr_array_index (loops, i - 1));
    }

  return TRUE;
}

GhloIrOp *
ghlo_pass_terminator (const GhloIrBlock *block)
{
  GhloIrOp *last = block->last;

  return last != NULL && (ghlo_ir_op_get_spec (last)->traits & GHLO_IR_TRAIT_TERMINATOR) != 0 ? last : NULL;
}

static const GhloIrBlock *
block_of (const GhloIrValue *value)
{
  return value->op != NULL ? value->op->block : value->block;
}

gboolean
ghlo_pass_is_within (const GhloIrOp *op,
                     const GhloIrOp *outer)
{
  while (op != NULL && op != outer)
    op = ghlo_ir_op_get_parent (op);

  return op != NULL;
}

gboolean
ghlo_pass_is_inside (const GhloIrValue *value,
                     const GhloIrOp    *op)
{
  const GhloIrBlock *block = block_of (value);

  return block != NULL && ghlo_pass_is_within (block->region->op, op);
}

gboolean
ghlo_pass_is_closed (const GhloIrOp *op)
{
  for (const GhloIrOp *inner = first_inside (op, 0); inner != NULL; inner = ghlo_pass_next_op (inner, op))
    for (guint i = 0; i < inner->n_operands; i++)
      if (!ghlo_pass_is_inside (ghlo_ir_op_operand (inner, i), op))
        return FALSE;

  return TRUE;
}

guint
ghlo_pass_depth (const GhloIrOp *op)
{
  guint depth = 0;

  for (op = ghlo_ir_op_get_parent (op); op != NULL; op = ghlo_ir_op_get_parent (op))
    depth++;

  return depth;
}

guint
ghlo_pass_height (const GhloIrOp *op)
{
  guint base = ghlo_pass_depth (op), height = 0;

  for (const GhloIrOp *inner = first_inside (op, 0); inner != NULL; inner = ghlo_pass_next_op (inner, op))
    if (inner->previous == NULL)
      height = MAX (height, ghlo_pass_depth (inner) - base);

  return height;
}

gboolean
ghlo_pass_is_unused (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_results; i++)
    if (op->results[i].uses != NULL)
      return FALSE;

  return TRUE;
}

gboolean
ghlo_pass_only_user (const GhloIrValue *value,
                     const GhloIrOp    *op)
{
  for (const GhloIrUse *use = value->uses; use != NULL; use = use->next)
    if (use->op != op)
      return FALSE;

  return value->uses != NULL;
}

void
ghlo_pass_erase (GhloIrOp *op)
{
  GhloIrOp *inner = op;

  /* Removes operations from the innermost last one outwards, so that none that is removed still has uses. */
  while (inner != NULL)
    {
      GhloIrOp *last = NULL, *outer;

      for (guint i = inner->n_regions; i > 0 && last == NULL; i--)
        for (GhloIrBlock *block = inner->regions[i - 1].last; block != NULL && last == NULL; block = block->previous)
          last = block->last;
      if (last != NULL)
        {
          inner = last;
          continue;
        }
      outer = inner == op ? NULL : ghlo_ir_op_get_parent (inner);
      ghlo_ir_op_remove (inner);
      inner = outer;
    }
}

void
ghlo_pass_move_before (GhloIrOp *op,
                       GhloIrOp *next)
{
  if (op == next)
    return;
  ghlo_ir_op_unlink (op);
  ghlo_ir_op_insert_before (op, next);
}

void
ghlo_pass_move_region (GhloIrRegion *from,
                       GhloIrRegion *to)
{
  to->first = from->first;
  to->last = from->last;
  for (GhloIrBlock *block = to->first; block != NULL; block = block->next)
    block->region = to;
  from->first = from->last = NULL;
}

GhloIrOp *
ghlo_pass_splice (GhloIrBlock        *block,
                  GhloIrOp           *next,
                  GhloIrValue *const *arguments)
{
  GhloIrOp *terminator = ghlo_pass_terminator (block);

  for (guint i = 0; i < block->n_arguments; i++)
    ghlo_ir_value_replace (block->arguments[i], arguments[i]);
  while (block->first != NULL && block->first != terminator)
    ghlo_pass_move_before (block->first, next);

  return terminator;
}
