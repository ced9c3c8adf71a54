/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Computes on which axes each node depends, and whether it may differ between iterations. The bits only grow, from
 * nodes to temporaries and back, until a fixpoint is reached.
 */

#include "kernel/variance.h"

typedef struct
{
  const GhloKernel *kernel;
  guint16          *nodes;
  guint16           temporaries[GHLO_KERNEL_MAX_TEMPORARIES];
  guint16           folds[GHLO_KERNEL_MAX_FOLDS];
  gboolean          has_changed;
} Variance;

static void
merge_into (Variance *self,
            guint16  *bits,
            guint     more)
{
  if ((more & ~*bits) == 0)
    return;
  *bits |= more;
  self->has_changed = TRUE;
}

static guint
vary_access (const Variance *self,
             guint           number,
             gboolean        is_load)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  guint bits = 0;

  /* A load from memory that the kernel writes may yield a different value each time. */
  if (is_load && ghlo_kernel_is_written (self->kernel, access->buffer))
    bits = GHLO_KERNEL_TIME | (GHLO_KERNEL_TIME - 1);
  for (guint i = 0; i < GHLO_KERNEL_MAX_AXES; i++)
    if (access->strides[i] != 0)
      bits |= 1u << i;
  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    {
      const GhloKernelTerm *term = &self->kernel->terms[i];

      for (guint j = 0; j < GHLO_KERNEL_MAX_AXES; j++)
        if (term->strides[j] != 0)
          bits |= 1u << j;
      if (term->node != GHLO_KERNEL_NONE)
        bits |= self->nodes[term->node];
    }

  return bits;
}

static guint
vary_node (const Variance        *self,
           const GhloKernelBlock *block,
           const GhloKernelNode  *node)
{
  guint bits = 0;

  for (guint i = 0; i < 3; i++)
    if (node->operands[i] != GHLO_KERNEL_NONE)
      bits |= self->nodes[node->operands[i]];
  switch (node->kind)
    {
    case GHLO_NODE_AXIS:
      return bits | 1u << node->index;
    case GHLO_NODE_LOAD:
    case GHLO_NODE_INSIDE:
      return bits | vary_access (self, node->index, node->kind == GHLO_NODE_LOAD);
    case GHLO_NODE_TEMPORARY:
      return bits | self->temporaries[node->index];
    case GHLO_NODE_LEFT:
    case GHLO_NODE_RIGHT:
      return bits | self->folds[node->index] | block->axes;
    default:
      return bits;
    }
}

static void
vary_points (Variance              *self,
             const GhloKernelBlock *block)
{
  for (guint i = block->first_node; i < block->end_node; i++)
    merge_into (self, &self->nodes[i], vary_node (self, block, &self->kernel->nodes[i]));
  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    {
      const GhloKernelStore *store = &self->kernel->stores[i];

      if (store->temporary != GHLO_KERNEL_NONE)
        merge_into (self, &self->temporaries[store->temporary], self->nodes[store->node]);
    }
  for (guint i = block->first_fold; i < block->first_fold + block->n_folds; i++)
    {
      const GhloKernelFold *fold = &self->kernel->folds[i];
      guint bits = self->nodes[fold->update];

      if (fold->merge != GHLO_KERNEL_NONE)
        bits |= self->nodes[fold->merge];
      merge_into (self, &self->folds[i], bits & ~(guint) block->axes);
      merge_into (self, &self->temporaries[fold->temporary], self->folds[i]);
    }
}

static guint
vary_factor (const Variance         *self,
             const GhloKernelFactor *factor)
{
  return factor->access != GHLO_KERNEL_NONE ? vary_access (self, factor->access, TRUE)
                                            : self->temporaries[factor->temporary];
}

static void
vary_block (Variance              *self,
            const GhloKernelBlock *block)
{
  guint own = 0;

  if (block->kind == GHLO_BLOCK_POINTS)
    vary_points (self, block);
  if (block->kind == GHLO_BLOCK_PRODUCT)
    merge_into (self, &self->temporaries[block->result],
                (vary_factor (self, &block->left) | vary_factor (self, &block->right)) & ~(guint) block->inner);
  if (block->kind == GHLO_BLOCK_LOOP || block->kind == GHLO_BLOCK_WHILE)
    own = GHLO_KERNEL_TIME;
  if (block->predicate != GHLO_KERNEL_NONE)
    own |= self->temporaries[block->predicate];
  for (guint i = block->first_carry; i < block->first_carry + block->n_carries; i++)
    {
      const GhloKernelCarry *carry = &self->kernel->carries[i];

      merge_into (self, &self->temporaries[carry->temporary],
                  own | self->temporaries[carry->first] | self->temporaries[carry->next]);
    }
}

guint16 *
ghlo_kernel_variance (const GhloKernel *kernel)
{
  g_autofree Variance *self = g_new0 (Variance, 1);

  self->kernel = kernel;
  self->nodes = g_new0 (guint16, kernel->n_nodes);
  /* Without folds and loops nothing depends on later blocks, so one pass is enough. */
  do
    {
      self->has_changed = FALSE;
      for (guint i = 0; i < self->kernel->n_blocks; i++)
        vary_block (self, &self->kernel->blocks[i]);
    }
  while (self->has_changed && kernel->n_folds + kernel->n_carries > 0);

  return self->nodes;
}
