/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiles the folds of a block of points. Across strips, LEFT is one strip for each chain. Along a strip LEFT is
 * n_chains numbers: a fold by a single operation has a loop, and any other is updated by instructions, n_chains
 * points at a time.
 */

#include "cpu/strips/compile-private.h"

/* Whether @node has the bits of LEFT of @fold; GHLO_KERNEL_NONE stands for any fold. */
static gboolean
is_left (const GhloCpuStripCompiler *self,
         guint                       node,
         guint                       fold)
{
  const GhloKernelNode *origin = &self->kernel->nodes[ghlo_cpu_strip_origin (self, node)];

  return origin->kind == GHLO_NODE_LEFT && (fold == GHLO_KERNEL_NONE || origin->index == fold);
}

/* Whether no other fold, and no used node but the update of @fold, uses its LEFT or its update. */
static gboolean
is_alone (const GhloCpuStripCompiler *self,
          guint                       fold)
{
  const GhloKernelBlock *block = &self->block->block;
  const guint update = self->kernel->folds[fold].update;

  for (guint i = block->first_fold; i < block->first_fold + block->n_folds; i++)
    {
      guint other = self->kernel->folds[i].update;

      if (i != fold && (ghlo_cpu_strip_origin (self, other) == update || is_left (self, other, fold)))
        return FALSE;
    }
  for (guint i = block->first_node; i < block->first_merge; i++)
    {
      const GhloKernelNode *node = &self->kernel->nodes[i];

      if ((self->facts[i] & GHLO_CPU_STRIP_IS_USED) == 0)
        continue;
      if (is_left (self, i, fold) && (self->facts[i] & GHLO_CPU_STRIP_STORED) != 0)
        return FALSE;
      for (guint j = 0; j < 3; j++)
        if (node->operands[j] != GHLO_KERNEL_NONE && i != update
            && (ghlo_cpu_strip_origin (self, node->operands[j]) == update || is_left (self, node->operands[j], fold)))
          return FALSE;
    }

  return (self->facts[update] & GHLO_CPU_STRIP_STORED) == 0;
}

/* Whether one loop computes the fold: LEFT is combined once with a value that does not depend on it, and nothing else
 * uses LEFT or the result. */
static gboolean
is_single (const GhloCpuStripCompiler *self,
           guint                       fold)
{
  const GhloKernelNode *update = &self->kernel->nodes[self->kernel->folds[fold].update];
  guint n_left = 0, n_folded = 0;

  if (!self->block->is_along || ghlo_node_spec (update->kind)->role == GHLO_NODE_LEAF
      || ghlo_cpu_strip_find_fold (update) == NULL)
    return FALSE;
  for (guint i = update->kind == GHLO_NODE_FMA ? 2 : 0; i < ghlo_node_spec (update->kind)->n_operands; i++)
    n_left += is_left (self, update->operands[i], fold);
  for (guint i = 0; i < ghlo_node_spec (update->kind)->n_operands; i++)
    n_folded += (self->facts[update->operands[i]] & GHLO_CPU_STRIP_FOLDED) != 0;

  return n_left == 1 && n_folded == 1 && is_alone (self, fold);
}

void
ghlo_cpu_strip_begin_folds (GhloCpuStripCompiler *self)
{
  const GhloKernelBlock *block = &self->block->block;

  for (guint i = block->first_fold; i < block->first_fold + block->n_folds; i++)
    {
      const GhloKernelFold *from = &self->kernel->folds[i];
      GhloCpuStripFold *fold = &self->self->folds[i];

      fold->temporary = from->temporary;
      fold->identity = from->identity;
      fold->log2_size = (guint8) ghlo_cpu_strip_log2_size (from->type);
      fold->left = ghlo_cpu_strip_add_slot (self, from->type, FALSE);
      fold->right = ghlo_cpu_strip_add_slot (self, from->type, FALSE);
      fold->is_grouped = self->block->is_along;
      if (is_single (self, i))
        {
          self->facts[from->update] |= GHLO_CPU_STRIP_SINGLE;
          fold->is_grouped = FALSE;
        }
    }
}

void
ghlo_cpu_strip_add_fold (GhloCpuStripCompiler *self,
                         guint                 node)
{
  const GhloKernelBlock *block = &self->block->block;
  const GhloKernelNode *update = &self->kernel->nodes[node];
  guint fold = block->first_fold, n = 0;
  guint16 operands[2] = { GHLO_KERNEL_NONE, GHLO_KERNEL_NONE };
  GhloCpuStripInstruction *added;

  while (self->kernel->folds[fold].update != node)
    fold++;
  for (guint i = 0; i < ghlo_node_spec (update->kind)->n_operands; i++)
    if (!is_left (self, update->operands[i], fold))
      operands[n++] = ghlo_cpu_strip_slot (self, update->operands[i], self->body);
  added = ghlo_cpu_strip_add (self->body, GHLO_CPU_STRIP_FOLD, fold, GHLO_KERNEL_NONE);
  added->n_operands = (guint8) n;
  added->operands[0] = operands[0];
  added->operands[1] = operands[1];
  added->loop.fold = ghlo_cpu_strip_find_fold (update);
}

static guint
result_of (const GhloCpuStripCompiler *self,
           guint                       fold,
           gboolean                    is_merge)
{
  return is_merge ? self->kernel->folds[fold].merge : self->kernel->folds[fold].update;
}

guint16
ghlo_cpu_strip_update_into (const GhloCpuStripCompiler *self,
                            guint                       node,
                            gboolean                    is_merge)
{
  const GhloKernelBlock *block = &self->block->block;
  const guint first = is_merge ? block->first_merge : block->first_node;
  const guint end = is_merge ? block->end_node : block->first_merge;
  guint fold = GHLO_KERNEL_NONE;

  if (!is_merge && ((self->facts[node] & GHLO_CPU_STRIP_STORED) != 0
                    || (self->block->is_along && (self->facts[node] & GHLO_CPU_STRIP_FOLDED) == 0)))
    return GHLO_KERNEL_NONE;
  for (guint i = block->first_fold; i < block->first_fold + block->n_folds; i++)
    if (result_of (self, i, is_merge) == node)
      {
        if (fold != GHLO_KERNEL_NONE)
          return GHLO_KERNEL_NONE;
        fold = i;
      }
  if (fold == GHLO_KERNEL_NONE)
    return GHLO_KERNEL_NONE;
  for (guint i = block->first_fold; i < block->first_fold + block->n_folds; i++)
    if (is_left (self, result_of (self, i, is_merge), fold)
        || (i != fold && ghlo_cpu_strip_origin (self, result_of (self, i, is_merge)) == node))
      return GHLO_KERNEL_NONE;
  for (guint i = first; i < end; i++)
    {
      if (!is_merge && is_left (self, i, fold) && (self->facts[i] & GHLO_CPU_STRIP_STORED) != 0)
        return GHLO_KERNEL_NONE;
      for (guint j = 0; j < 3 && i > node; j++)
        if (self->kernel->nodes[i].operands[j] != GHLO_KERNEL_NONE
            && is_left (self, self->kernel->nodes[i].operands[j], fold))
          return GHLO_KERNEL_NONE;
    }

  return self->self->folds[fold].left;
}

/* Sets all folds to their results, as if at once: results that are the old value of another fold are copied first. */
static void
add_results (GhloCpuStripCompiler *self,
             GArray               *list,
             gboolean              is_merge)
{
  const GhloKernelBlock *block = &self->block->block;
  g_autofree guint16 *slots = g_new (guint16, block->n_folds + 1);

  for (guint i = 0; i < block->n_folds; i++)
    {
      guint fold = block->first_fold + i, node = result_of (self, fold, is_merge);

      slots[i] = GHLO_KERNEL_NONE;
      if ((self->facts[node] & GHLO_CPU_STRIP_SINGLE) != 0)
        continue;
      slots[i] = ghlo_cpu_strip_slot (self, node, list);
      if (is_left (self, node, GHLO_KERNEL_NONE) && !is_left (self, node, fold))
        {
          slots[i] = ghlo_cpu_strip_add_copy (self, ghlo_cpu_strip_origin (self, node), list);
          g_array_index (list, GhloCpuStripInstruction, list->len - 1).shifts = 0;
        }
    }
  for (guint i = 0; i < block->n_folds; i++)
    {
      guint fold = block->first_fold + i, node = result_of (self, fold, is_merge);
      guint facts = self->facts[ghlo_cpu_strip_origin (self, node)];
      GhloCpuStripInstruction *update;

      if (slots[i] == GHLO_KERNEL_NONE || slots[i] == self->self->folds[fold].left || is_left (self, node, fold))
        continue;
      update = ghlo_cpu_strip_add (list, GHLO_CPU_STRIP_UPDATE, fold, GHLO_KERNEL_NONE);
      update->operands[0] = slots[i];
      update->n_operands = 1;
      update->log2_size = self->self->folds[fold].log2_size;
      if (list == self->groups && !is_left (self, node, GHLO_KERNEL_NONE))
        update->shifts = (facts & GHLO_CPU_STRIP_FOLDED) == 0 || (facts & GHLO_CPU_STRIP_STORED) != 0;
    }
}

void
ghlo_cpu_strip_add_updates (GhloCpuStripCompiler *self)
{
  add_results (self, self->block->is_along ? self->groups : self->last, FALSE);
}

/* The loop that merges the chains of @fold; NULL where the merge is not a single operation on LEFT and RIGHT. */
static GhloCpuHalveFunc
find_halving (const GhloCpuStripCompiler *self,
              guint                       fold)
{
  const GhloKernelNode *nodes = self->kernel->nodes, *merge = &nodes[self->kernel->folds[fold].merge];
  const GhloKernelNode *left, *right;

  if (ghlo_node_spec (merge->kind)->n_operands != 2)
    return NULL;
  left = &nodes[merge->operands[0]];
  right = &nodes[merge->operands[1]];
  if (left->kind == GHLO_NODE_RIGHT && right->kind == GHLO_NODE_LEFT)
    return left->index == fold && right->index == fold ? ghlo_cpu_strip_find_halving (merge) : NULL;

  return left->kind == GHLO_NODE_LEFT && right->kind == GHLO_NODE_RIGHT && left->index == fold && right->index == fold
           ? ghlo_cpu_strip_find_halving (merge) : NULL;
}

static void
find_halvings (GhloCpuStripCompiler *self)
{
  const GhloKernelBlock *block = &self->block->block;

  self->block->is_halved = self->block->is_along && block->n_folds > 0;
  for (guint i = block->first_fold; i < block->first_fold + (guint) block->n_folds; i++)
    {
      self->self->folds[i].halve = find_halving (self, i);
      self->block->is_halved = self->block->is_halved && self->self->folds[i].halve != NULL;
    }
}

gboolean
ghlo_cpu_strip_add_merge (GhloCpuStripCompiler *self)
{
  const GhloKernelBlock *block = &self->block->block;

  for (guint i = block->first_merge; i < block->end_node; i++)
    {
      const GhloKernelNode *node = &self->kernel->nodes[i];

      self->facts[i] = GHLO_CPU_STRIP_VARIES | GHLO_CPU_STRIP_IS_USED;
      if (node->kind == GHLO_NODE_LEFT)
        self->slots[i] = self->self->folds[node->index].left;
      else if (node->kind == GHLO_NODE_RIGHT)
        self->slots[i] = self->self->folds[node->index].right;
      else if (node->kind != GHLO_NODE_CONSTANT && node->kind != GHLO_NODE_BITCAST)
        {
          guint16 into = ghlo_cpu_strip_update_into (self, i, TRUE);

          self->slots[i] = into != GHLO_KERNEL_NONE ? into : ghlo_cpu_strip_add_slot (self, node->type, TRUE);
          if (!ghlo_cpu_strip_add_call (self, i, self->merge, self->slots[i]))
            return FALSE;
        }
    }
  if (block->n_folds > 0 && self->kernel->folds[block->first_fold].merge != GHLO_KERNEL_NONE)
    {
      add_results (self, self->merge, TRUE);
      find_halvings (self);
    }

  return TRUE;
}
