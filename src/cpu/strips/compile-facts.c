/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Computes facts about the nodes of a block before it is compiled: which vary along its strips, which are used, and
 * which may be stored only when everything else is done.
 */

#include "cpu/strips/compile-private.h"

/* Whether the place of the access @number has @fact: varies along the strip, or depends on a fold. */
static gboolean
access_varies (const GhloCpuStripCompiler *self,
               guint                       number,
               guint                       fact)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  const guint lanes = self->block->lanes;

  if (fact == GHLO_CPU_STRIP_VARIES && access->strides[lanes] != 0)
    return TRUE;
  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    {
      const GhloKernelTerm *term = &self->kernel->terms[i];

      if ((fact == GHLO_CPU_STRIP_VARIES && term->strides[lanes] != 0)
          || (term->node != GHLO_KERNEL_NONE && (self->facts[term->node] & fact) != 0))
        return TRUE;
    }

  return FALSE;
}

static guint
facts_of (const GhloCpuStripCompiler *self,
          const GhloKernelNode       *node)
{
  guint facts = 0;

  for (guint i = 0; i < 3; i++)
    if (node->operands[i] != GHLO_KERNEL_NONE)
      facts |= self->facts[node->operands[i]] & (GHLO_CPU_STRIP_VARIES | GHLO_CPU_STRIP_FOLDED);
  switch (node->kind)
    {
    case GHLO_NODE_AXIS:
      return node->index == self->block->lanes ? GHLO_CPU_STRIP_VARIES : 0;
    case GHLO_NODE_LOAD:
    case GHLO_NODE_INSIDE:
      return facts | (access_varies (self, node->index, GHLO_CPU_STRIP_VARIES) ? GHLO_CPU_STRIP_VARIES : 0)
             | (access_varies (self, node->index, GHLO_CPU_STRIP_FOLDED) ? GHLO_CPU_STRIP_FOLDED : 0);
    case GHLO_NODE_TEMPORARY:
      return !self->block->is_along || (self->kernel->temporaries[node->index].axes & 1u << self->block->lanes) != 0
               ? GHLO_CPU_STRIP_VARIES : 0;
    case GHLO_NODE_LEFT:
      return self->block->is_along ? GHLO_CPU_STRIP_VARIES | GHLO_CPU_STRIP_FOLDED : GHLO_CPU_STRIP_VARIES;
    default:
      return facts;
    }
}

gboolean
ghlo_cpu_strip_find_varying (GhloCpuStripCompiler *self)
{
  const GhloKernelBlock *block = &self->block->block;

  for (guint i = block->first_node; i < block->first_merge; i++)
    {
      const GhloKernelNode *node = &self->kernel->nodes[i];

      self->facts[i] = GHLO_CPU_STRIP_VARIES;
      if (node->kind == GHLO_NODE_CONSTANT)
        self->facts[i] = 0;
      else if (self->block->lanes != GHLO_KERNEL_NONE)
        self->facts[i] = (guint8) facts_of (self, node);
      if ((self->facts[i] & GHLO_CPU_STRIP_FOLDED) != 0
          && (node->kind == GHLO_NODE_LOAD || node->kind == GHLO_NODE_INSIDE))
        return FALSE;
    }
  if (self->block->lanes != GHLO_KERNEL_NONE)
    for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
      if (self->kernel->stores[i].access != GHLO_KERNEL_NONE
          && access_varies (self, self->kernel->stores[i].access, GHLO_CPU_STRIP_FOLDED))
        return FALSE;

  return TRUE;
}

/* Marks the nodes that the place of an access depends on. Those of a store are read as late as the stored value. */
static void
use_access (GhloCpuStripCompiler *self,
            guint                 number,
            gboolean              is_stored)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];

  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    if (self->kernel->terms[i].node != GHLO_KERNEL_NONE)
      {
        self->facts[self->kernel->terms[i].node] |= GHLO_CPU_STRIP_IS_USED;
        if (is_stored)
          self->facts[ghlo_cpu_strip_origin (self, self->kernel->terms[i].node)] |= GHLO_CPU_STRIP_STORED;
      }
}

void
ghlo_cpu_strip_find_used (GhloCpuStripCompiler *self)
{
  const GhloKernelBlock *block = &self->block->block;

  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    {
      const GhloKernelStore *store = &self->kernel->stores[i];

      self->facts[store->node] |= GHLO_CPU_STRIP_IS_USED;
      self->facts[ghlo_cpu_strip_origin (self, store->node)] |= GHLO_CPU_STRIP_STORED;
      if (store->access != GHLO_KERNEL_NONE)
        use_access (self, store->access, TRUE);
    }
  for (guint i = block->first_fold; i < block->first_fold + block->n_folds; i++)
    self->facts[self->kernel->folds[i].update] |= GHLO_CPU_STRIP_IS_USED;
  for (guint i = block->first_merge; i-- > block->first_node;)
    {
      const GhloKernelNode *node = &self->kernel->nodes[i];

      if ((self->facts[i] & GHLO_CPU_STRIP_IS_USED) == 0)
        continue;
      for (guint j = 0; j < 3; j++)
        if (node->operands[j] != GHLO_KERNEL_NONE)
          self->facts[node->operands[j]] |= GHLO_CPU_STRIP_IS_USED;
      if (node->kind == GHLO_NODE_LOAD || node->kind == GHLO_NODE_INSIDE)
        use_access (self, node->index, FALSE);
    }
}

/* Memories are numbered: buffers first, then the places of temporaries. */
static guint
memory_of_temporary (const GhloCpuStripCompiler *self,
                     guint                       temporary)
{
  return self->kernel->n_buffers + self->self->places[temporary];
}

static guint
memory_of_store (const GhloCpuStripCompiler *self,
                 const GhloKernelStore      *store)
{
  return store->access != GHLO_KERNEL_NONE ? self->kernel->accesses[store->access].buffer
         : memory_of_temporary (self, store->temporary);
}

/* Whether @node reads from @memory. */
static gboolean
is_load_of (const GhloCpuStripCompiler *self,
            const GhloKernelNode       *node,
            guint                       memory)
{
  if (node->kind == GHLO_NODE_TEMPORARY)
    return memory_of_temporary (self, node->index) == memory;

  return node->kind == GHLO_NODE_LOAD
         && ghlo_kernel_memory (self->kernel, self->kernel->accesses[node->index].buffer) == memory;
}

gboolean
ghlo_cpu_strip_is_overwritten (const GhloCpuStripCompiler *self,
                               guint                       temporary)
{
  const GhloKernelBlock *block = &self->block->block;

  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    if (memory_of_store (self, &self->kernel->stores[i]) == memory_of_temporary (self, temporary))
      return TRUE;

  return FALSE;
}

/* The last node with an operand that was read from @memory. */
static guint
last_reader (const GhloCpuStripCompiler *self,
             guint                       memory)
{
  const GhloKernelBlock *block = &self->block->block;
  guint last = 0;

  for (guint i = block->first_node; i < block->first_merge; i++)
    for (guint j = 0; j < 3; j++)
      {
        guint operand = self->kernel->nodes[i].operands[j];
        const GhloKernelNode *node;

        if (operand == GHLO_KERNEL_NONE)
          continue;
        node = &self->kernel->nodes[ghlo_cpu_strip_origin (self, operand)];
        if (is_load_of (self, node, memory))
          last = i;
      }

  return last;
}

/* Whether a value read from @memory is needed until the end of the block: as an index, for a fold or a store, or
 * along the whole line. */
static gboolean
is_read_late (const GhloCpuStripCompiler *self,
              guint                       memory)
{
  const GhloKernelBlock *block = &self->block->block;

  for (guint i = block->first_node; i < block->first_merge; i++)
    {
      const GhloKernelNode *node = &self->kernel->nodes[i];

      if (!is_load_of (self, node, memory))
        continue;
      if (block->n_folds > 0 || (self->facts[i] & GHLO_CPU_STRIP_STORED) != 0
          || (self->facts[i] & GHLO_CPU_STRIP_VARIES) == 0)
        return TRUE;
      for (guint j = 0; j < self->kernel->n_terms; j++)
        if (self->kernel->terms[j].node != GHLO_KERNEL_NONE
            && self->kernel->terms[j].node >= block->first_node && self->kernel->terms[j].node < block->first_merge
            && ghlo_cpu_strip_origin (self, self->kernel->terms[j].node) == i)
          return TRUE;
    }

  return FALSE;
}

/* Whether the place of the access @number depends on @node or on a later one. */
static gboolean
is_placed_behind (const GhloCpuStripCompiler *self,
                  guint                       number,
                  guint                       node)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];

  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    if (self->kernel->terms[i].node != GHLO_KERNEL_NONE && self->kernel->terms[i].node >= node)
      return TRUE;

  return FALSE;
}

/* Whether a block of one point stores to @memory several times: the order may matter. */
static gboolean
is_written_in_order (const GhloCpuStripCompiler *self,
                     guint                       memory)
{
  const GhloKernelBlock *block = &self->block->block;
  guint n = 0;

  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    n += memory_of_store (self, &self->kernel->stores[i]) == memory;

  return block->axes == 0 && n > 1;
}

void
ghlo_cpu_strip_find_late (GhloCpuStripCompiler *self)
{
  const GhloKernelBlock *block = &self->block->block;

  for (guint i = block->first_store; i < block->first_store + block->n_stores; i++)
    {
      const GhloKernelStore *store = &self->kernel->stores[i];
      const guint memory = memory_of_store (self, store);

      if (is_written_in_order (self, memory) || is_read_late (self, memory) || last_reader (self, memory) > store->node
          || (store->access != GHLO_KERNEL_NONE && is_placed_behind (self, store->access, store->node)))
        self->facts[store->node] |= GHLO_CPU_STRIP_LATE;
    }
}
