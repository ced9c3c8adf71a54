/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rearranges a function for the groups that were found: each group gets copies of the views that it reads through, and
 * blocks are put into the order of the graph, in which the operations of a group are adjacent.
 */

#include "passes/fuse/fuse-kernels.h"

#include <string.h>

#include "passes/walk.h"

typedef struct
{
  guint32 order, number;
} Unit;

typedef struct
{
  GhloFuseKernels *maker;
  GhloFuseGroup  **groups;       /* indexed by number, owned; NULL: no group is made */
  guint8          *is_copied;    /* views that were copied, by number */
} Arranger;

static void
use_copies (GhloIrOp   *op,
            GHashTable *made)
{
  for (guint i = 0; i < op->n_operands; i++)
    {
      GhloIrValue *copy = g_hash_table_lookup (made, ghlo_ir_op_operand (op, i));

      if (copy != NULL)
        ghlo_ir_op_set_operand (op, i, copy);
    }
}

/* Moves the product to the front of the list. Operations before it in the function are views that it does not
 * read through. In front of it is what computes its operand. */
static void
put_product_first (const GhloFuseGraph     *graph,
                   const GhloFuseCandidate *candidate,
                   GhloFuseList            *list)
{
  const guint n = candidate->n_prologue;
  guint at = 0;
  guint32 number;

  while (at < list->n && graph->nodes[list->numbers[at]].role != GHLO_FUSE_ROLE_PRODUCT)
    at++;
  if (at == list->n)
    return;
  number = list->numbers[at];
  memmove (&list->numbers[1], &list->numbers[0], at * sizeof number);
  list->numbers[0] = number;
  memmove (&list->numbers[n], &list->numbers[0], list->n * sizeof number);
  for (guint i = 0; i < n; i++)
    list->numbers[i] = candidate->prologue[n - 1 - i];
  list->n += n;
}

static void
make_group (Arranger *self,
            guint32   number)
{
  const GhloFuseGraph *graph = self->maker->graph;
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);
  GhloIrModule *module = ghlo_fuse_get_module (self->maker->fuser);
  GhloFuseList list;
  GhloFuseGroup *group;

  ghlo_fuse_kernels_list (self->maker, number, &list);
  put_product_first (graph, &self->maker->candidates[number], &list);
  group = g_malloc (offsetof (GhloFuseGroup, ops) + list.n * sizeof group->ops[0]);
  group->n_ops = list.n;
  for (guint i = 0; i < list.n; i++)
    {
      const GhloFuseNode *node = &graph->nodes[list.numbers[i]];

      group->ops[i] = node->op;
      if (ghlo_fuse_role_is_view (node->role))
        {
          group->ops[i] = ghlo_ir_op_copy (module, node->op, TRUE, made);
          self->is_copied[list.numbers[i]] = TRUE;
        }
      else
        use_copies (node->op, made);
    }
  self->groups[number] = group;
}

static int
compare_units (gconstpointer a,
               gconstpointer b)
{
  const Unit *x = a, *y = b;

  return (x->order > y->order) - (x->order < y->order);
}

static void
append (GhloIrBlock *block,
        GhloIrOp    *op)
{
  ghlo_ir_op_unlink (op);
  ghlo_ir_block_append (block, op);
}

static void
order_block (Arranger    *self,
             GhloIrBlock *block)
{
  const GhloFuseGraph *graph = self->maker->graph;
  g_autoptr (GArray) units = g_array_new (FALSE, FALSE, sizeof (Unit));

  for (const GhloIrOp *op = block->first; op != NULL; op = op->next)
    if (graph->nodes[op->id].group == op->id)
      {
        const Unit unit = { graph->nodes[op->id].order, op->id };

        g_array_append_val (units, unit);
      }
  g_array_sort (units, compare_units);
  for (guint i = 0; i < units->len; i++)
    {
      guint32 number = g_array_index (units, Unit, i).number;
      const GhloFuseGroup *group = self->groups[number];

      if (group == NULL)
        append (block, graph->nodes[number].op);
      for (guint k = 0; group != NULL && k < group->n_ops; k++)
        append (block, group->ops[k]);
    }
}

/* Removes the copied views that nothing else uses. */
static void
remove_copied (const Arranger *self)
{
  const GhloFuseGraph *graph = self->maker->graph;

  for (guint i = graph->n_nodes; i > 0; i--)
    if (self->is_copied[i - 1] && ghlo_pass_is_unused (graph->nodes[i - 1].op))
      ghlo_pass_erase (graph->nodes[i - 1].op);
}

void
ghlo_fuse_kernels_arrange (GhloFuseKernels *maker)
{
  const GhloFuseGraph *graph = maker->graph;
  g_autofree GhloFuseGroup **groups = g_new0 (GhloFuseGroup *, graph->n_nodes + 1);
  g_autofree guint8 *is_copied = g_new0 (guint8, graph->n_nodes + 1);
  g_autoptr (GPtrArray) blocks = g_ptr_array_new ();
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  Arranger self = { maker, groups, is_copied };

  for (guint i = 0; i < graph->n_nodes; i++)
    if (graph->nodes[i].group == i && (graph->nodes[i].n_members > 1 || maker->candidates[i].is_made))
      make_group (&self, i);
  for (guint i = 0; i < graph->n_nodes; i++)
    {
      GhloIrBlock *block = graph->nodes[i].op->block;

      if (groups[graph->nodes[i].group] != NULL && g_hash_table_add (known, block))
        g_ptr_array_add (blocks, block);
    }
  for (guint i = 0; i < blocks->len; i++)
    order_block (&self, g_ptr_array_index (blocks, i));
  remove_copied (&self);
  for (guint i = 0; i < graph->n_nodes; i++)
    if (groups[i] != NULL)
      {
        ghlo_fuse_add (maker->fuser, groups[i]);
        g_free (groups[i]);
      }
}
