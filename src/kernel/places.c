/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First finds the readers and the writer of each temporary, then examines each carry of a loop.
 */

#include "kernel/places.h"

#include <string.h>

typedef struct
{
  const GhloKernel *kernel;
  guint16           n_reads[GHLO_KERNEL_MAX_TEMPORARIES];       /* number of reads of each temporary, saturated */
  guint16           last_reads[GHLO_KERNEL_MAX_TEMPORARIES];    /* 1 + the last block that reads it; 0: none */
  guint16           writers[GHLO_KERNEL_MAX_TEMPORARIES];       /* the storing block of points, or GHLO_KERNEL_NONE */
} Uses;

static void
read_in (Uses  *self,
         guint  temporary,
         guint  block)
{
  if (temporary == GHLO_KERNEL_NONE)
    return;
  self->n_reads[temporary] = (guint16) MIN (self->n_reads[temporary] + 1, G_MAXUINT16 - 1);
  self->last_reads[temporary] = (guint16) MAX (self->last_reads[temporary], block + 1);
}

/* Blocks are in execution order. A loop copies its carried values at its end. */
static void
find_uses (Uses *self)
{
  const GhloKernel *kernel = self->kernel;

  for (guint i = 0; i < kernel->n_blocks; i++)
    {
      const GhloKernelBlock *block = &kernel->blocks[i];

      for (guint k = block->first_node; block->kind == GHLO_BLOCK_POINTS && k < block->end_node; k++)
        if (kernel->nodes[k].kind == GHLO_NODE_TEMPORARY)
          read_in (self, kernel->nodes[k].index, k < block->first_merge ? i : block->end);
      for (guint k = block->first_store; k < block->first_store + (guint) block->n_stores; k++)
        if (kernel->stores[k].temporary != GHLO_KERNEL_NONE)
          self->writers[kernel->stores[k].temporary] = (guint16) i;
      if (block->kind == GHLO_BLOCK_PRODUCT)
        {
          read_in (self, block->left.temporary, i);
          read_in (self, block->right.temporary, i);
        }
      if (block->kind == GHLO_BLOCK_WHILE || block->kind == GHLO_BLOCK_IF)
        read_in (self, block->predicate, block->end - 1u);
      for (guint k = block->first_carry; k < block->first_carry + (guint) block->n_carries; k++)
        {
          read_in (self, kernel->carries[k].first, i);
          read_in (self, kernel->carries[k].next, block->end - 1u);
        }
    }
}

/* Returns whether block @inner is directly inside the body of loop @outer. */
static gboolean
is_child (const GhloKernel *kernel,
          guint             inner,
          guint             outer)
{
  const GhloKernelBlock *block = &kernel->blocks[outer];
  guint i = block->kind == GHLO_BLOCK_WHILE ? block->body : outer + 1u;

  while (i < inner)
    i = kernel->blocks[i].end;

  return i == inner && inner < block->end;
}

/* Returns whether, within @loop, no block after @writer reads @temporary. */
static gboolean
is_read_before (const Uses *self,
                guint       temporary,
                guint       loop,
                guint       writer)
{
  const GhloKernel *kernel = self->kernel;
  const guint end = kernel->blocks[loop].end;

  if (self->last_reads[temporary] <= writer + 1u)
    return TRUE;
  /* The overall last read may be after the loop. */
  if (self->last_reads[temporary] <= end)
    return FALSE;
  for (guint i = writer + 1; i < end; i++)
    {
      const GhloKernelBlock *block = &kernel->blocks[i];

      if (block->kind != GHLO_BLOCK_POINTS)
        return FALSE;
      for (guint k = block->first_node; k < block->end_node; k++)
        if (kernel->nodes[k].kind == GHLO_NODE_TEMPORARY && kernel->nodes[k].index == temporary)
          return FALSE;
    }
  for (guint k = kernel->blocks[loop].first_carry;
       k < kernel->blocks[loop].first_carry + (guint) kernel->blocks[loop].n_carries; k++)
    if (kernel->carries[k].next == temporary)
      return FALSE;
  for (guint k = kernel->blocks[writer].first_merge; k < kernel->blocks[writer].end_node; k++)
    if (kernel->nodes[k].kind == GHLO_NODE_TEMPORARY && kernel->nodes[k].index == temporary)
      return FALSE;

  return kernel->blocks[loop].kind != GHLO_BLOCK_WHILE || kernel->blocks[loop].predicate != temporary;
}

static gboolean
may_share (const Uses            *self,
           guint                  loop,
           const GhloKernelCarry *carry)
{
  const GhloKernel *kernel = self->kernel;
  const guint writer = self->writers[carry->next];

  return self->n_reads[carry->next] == 1 && writer != GHLO_KERNEL_NONE && is_child (kernel, writer, loop)
         && (kernel->temporaries[carry->temporary].axes & kernel->blocks[loop].axes) == 0
         && is_read_before (self, carry->temporary, loop, writer);
}

void
ghlo_kernel_find_places (const GhloKernel *kernel,
                         guint16          *places)
{
  Uses uses;

  for (guint i = 0; i < kernel->n_temporaries; i++)
    places[i] = (guint16) i;
  if (kernel->n_carries == 0)
    return;
  uses.kernel = kernel;
  memset (uses.n_reads, 0, sizeof uses.n_reads);
  memset (uses.last_reads, 0, sizeof uses.last_reads);
  memset (uses.writers, 0xff, sizeof uses.writers);
  find_uses (&uses);
  for (guint i = 0; i < kernel->n_blocks; i++)
    {
      const GhloKernelBlock *block = &kernel->blocks[i];

      if (block->kind == GHLO_BLOCK_LOOP || block->kind == GHLO_BLOCK_WHILE)
        for (guint k = block->first_carry; k < block->first_carry + (guint) block->n_carries; k++)
          if (may_share (&uses, i, &kernel->carries[k]))
            places[kernel->carries[k].next] = kernel->carries[k].temporary;
    }
}
