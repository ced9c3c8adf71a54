/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a block of points: all nodes at each point, then its stores; folds in the order that kernel/kernel.h
 * defines: parts, chains in each part, points in each chain.
 */

#include "kernel/interpret/interpreter.h"

#include "kernel/evaluate.h"

#include <string.h>

/* Returns the first of @axes, which are not empty. */
static guint
first_axis (guint axes)
{
  return (guint) __builtin_ctz (axes);
}

static gboolean
evaluate_leaf (GhloKernelRun        *self,
               const GhloKernelNode *node,
               const guint64        *left,
               const guint64        *right,
               guint64              *value)
{
  switch (node->kind)
    {
    case GHLO_NODE_AXIS:
      *value = ghlo_node_cut (node->type, (guint64) self->point[node->index]);
      return TRUE;
    case GHLO_NODE_LOAD:
      *value = node->operands[0] != GHLO_KERNEL_NONE ? self->values[node->operands[0]] : 0;
      return ghlo_kernel_run_load (self, node->index, value);
    case GHLO_NODE_INSIDE:
      *value = ghlo_kernel_run_inside (self, node->index);
      return TRUE;
    case GHLO_NODE_TEMPORARY:
      return ghlo_kernel_run_get (self, node->index, value);
    case GHLO_NODE_LEFT:
      *value = left[node->index];
      return TRUE;
    case GHLO_NODE_RIGHT:
      *value = right[node->index];
      return TRUE;
    default:
      g_assert_not_reached ();
    }
}

static guint64
evaluate_primitive (const GhloKernelRun *self,
                    guint                i)
{
  const GhloKernelNode *node = &self->kernel->nodes[i];
  guint64 operands[3] = { 0 };

  for (guint j = 0; j < self->nodes[i].n_operands; j++)
    operands[j] = self->values[node->operands[j]];

  return ghlo_node_evaluate (node->kind, node->type, self->nodes[i].operand_type, operands);
}

/* Nodes that are the same at all points are computed once: functions contain many constants and expressions of
 * constants. Operands precede their nodes. */
void
ghlo_kernel_run_precompute (GhloKernelRun *self)
{
  for (guint i = 0; i < self->kernel->n_nodes; i++)
    {
      const GhloKernelNode *node = &self->kernel->nodes[i];
      const GhloNodeSpec *spec = ghlo_node_spec (node->kind);
      GhloKernelRunNode *facts = &self->nodes[i];

      *facts = (GhloKernelRunNode) { spec->role == GHLO_NODE_LEAF, TRUE, spec->n_operands,
                                     ghlo_kernel_operand_type (self->kernel, node) };
      if (node->kind == GHLO_NODE_CONSTANT)
        self->values[i] = node->bits;
      else if (node->kind == GHLO_NODE_EXTENT)
        self->values[i] = ghlo_node_cut (node->type, (guint64) self->extents[node->index]);
      else
        {
          facts->is_known = !facts->is_leaf;
          for (guint j = 0; facts->is_known && j < facts->n_operands; j++)
            facts->is_known = self->nodes[node->operands[j]].is_known;
          if (facts->is_known)
            self->values[i] = evaluate_primitive (self, i);
        }
    }
}

/* Evaluates the nodes [@first, @end). @left and @right are accumulators, indexed by fold. */
static gboolean
evaluate_nodes (GhloKernelRun *self,
                guint          first,
                guint          end,
                const guint64 *left,
                const guint64 *right)
{
  for (guint i = first; i < end; i++)
    {
      if (self->nodes[i].is_known)
        continue;
      if (!self->nodes[i].is_leaf)
        self->values[i] = evaluate_primitive (self, i);
      else if (!evaluate_leaf (self, &self->kernel->nodes[i], left, right, &self->values[i]))
        return FALSE;
    }

  return TRUE;
}

static gboolean
store (GhloKernelRun         *self,
       const GhloKernelBlock *block)
{
  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    {
      const GhloKernelStore *stored = &self->kernel->stores[i];
      guint64 value = self->values[stored->node];

      if (stored->temporary != GHLO_KERNEL_NONE)
        ghlo_kernel_run_set (self, stored->temporary, value);
      else if (!ghlo_kernel_run_store (self, stored->access, value))
        return FALSE;
    }

  return TRUE;
}

/* Runs one point. @partial has the accumulators of its chain, which are updated. */
static gboolean
run_point (GhloKernelRun         *self,
           const GhloKernelBlock *block,
           guint64               *partial)
{
  if (self->n_points++ % 4096 == 4095 && ghlo_monitor_cancelled (self->monitor, self->error))
    return FALSE;
  if (!evaluate_nodes (self, block->first_node, block->first_merge, partial, partial) || !store (self, block))
    return FALSE;
  for (guint i = block->first_fold; i < block->first_fold + block->n_folds; i++)
    partial[i] = self->values[self->kernel->folds[i].update];

  return TRUE;
}

/* Returns the accumulators of chain @chain, indexed by fold. */
static guint64 *
partial_of (const GhloKernelRun *self,
            guint                chain)
{
  return self->partials + (gsize) chain * self->kernel->n_folds;
}

static void
begin_folds (const GhloKernelRun   *self,
             const GhloKernelBlock *block,
             guint64               *partial)
{
  for (guint i = block->first_fold; i < block->first_fold + block->n_folds; i++)
    partial[i] = self->kernel->folds[i].identity;
}

/* Merges the partial results @right into @left. */
static gboolean
merge (GhloKernelRun         *self,
       const GhloKernelBlock *block,
       guint64               *left,
       const guint64         *right)
{
  if (!evaluate_nodes (self, block->first_merge, block->end_node, left, right))
    return FALSE;
  for (guint i = block->first_fold; i < block->first_fold + block->n_folds; i++)
    left[i] = self->values[self->kernel->folds[i].merge];

  return TRUE;
}

/* Runs the points of the block whose coordinates on the first axis are within [@begin, @end). The result is left in the
 * first chain. */
static gboolean
run_part (GhloKernelRun         *self,
          const GhloKernelBlock *block,
          gint64                 begin,
          gint64                 end)
{
  const guint first = first_axis (block->axes), last = ghlo_kernel_last_axis (block->axes);

  g_assert (block->n_chains > 0);
  for (guint i = 0; i < block->n_chains; i++)
    begin_folds (self, block, partial_of (self, i));
  ghlo_kernel_run_first (self, block->axes);
  self->point[first] = begin;
  do
    {
      if (self->point[first] >= end)
        break;
      if (!run_point (self, block, partial_of (self, (guint) (self->point[last] % block->n_chains))))
        return FALSE;
    }
  while (ghlo_kernel_run_next (self, block->axes));
  for (guint n = block->n_chains; n > 1; n /= 2)
    for (guint i = 0; i < n / 2; i++)
      if (!merge (self, block, partial_of (self, i), partial_of (self, i + n / 2)))
        return FALSE;

  return TRUE;
}

static gboolean
run_folds (GhloKernelRun         *self,
           const GhloKernelBlock *block)
{
  const gint64 extent = self->extents[first_axis (block->axes)];
  const gint64 split = block->split > 0 ? MIN (block->split, extent) : extent;
  /* The accumulated result of the parts is stored after the chains. */
  guint64 *whole = partial_of (self, GHLO_KERNEL_MAX_CHAINS);

  for (gint64 begin = 0; begin < extent; begin += split)
    {
      if (!run_part (self, block, begin, begin + MIN (split, extent - begin)))
        return FALSE;
      if (begin > 0 && !merge (self, block, whole, partial_of (self, 0)))
        return FALSE;
      if (begin == 0)
        memcpy (whole, partial_of (self, 0), self->kernel->n_folds * sizeof *whole);
      if (extent - begin <= split)
        break;
    }
  for (guint i = block->first_fold; i < block->first_fold + block->n_folds; i++)
    ghlo_kernel_run_set (self, self->kernel->folds[i].temporary, whole[i]);

  return TRUE;
}

gboolean
ghlo_kernel_run_points (GhloKernelRun         *self,
                        const GhloKernelBlock *block)
{
  if (block->n_folds > 0)
    return run_folds (self, block);
  ghlo_kernel_run_first (self, block->axes);
  do
    if (!run_point (self, block, self->partials))
      return FALSE;
  while (ghlo_kernel_run_next (self, block->axes));

  return TRUE;
}
