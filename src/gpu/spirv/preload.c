/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loads elements ahead of their use, where points of an axis are unrolled. If these are all points of an invocation,
 * their elements are loaded once, at the beginning of the point, as far as registers suffice: several folds over a row
 * then read it once, and no fold waits for memory after another. The remaining elements, and those for an iteration of
 * a loop, are loaded for several points at a time, before the first of these stores anything: a compiler cannot move
 * loads before stores to unknown addresses. Here it is safe, since a block that loads from what it writes only loads
 * the place that the same point stores to, and no other block loads it; this also holds for buffers that share
 * memory.
 */

#include "gpu/spirv/emit-private.h"

#include <string.h>

/* Points whose elements are loaded at a time, where all points of an invocation are unrolled. */
enum { MAX_AHEAD = 8 };

static gboolean
loads_same (const GhloKernelAccess *a,
            const GhloKernelAccess *b)
{
  return a == b
         || (a->type == b->type && a->buffer == b->buffer && a->offset == b->offset && a->n_terms == 0
             && b->n_terms == 0 && memcmp (a->strides, b->strides, sizeof a->strides) == 0);
}

/* Whether different points along @axis may access different elements. */
static gboolean
varies_along (const GhloKernel       *kernel,
              const GhloKernelAccess *access,
              guint                   axis)
{
  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    if (kernel->terms[i].strides[axis] != 0)
      return TRUE;

  return access->strides[axis] != 0;
}

/* Whether the addresses for the invocation's points along @axis are known once the parallel point is. */
static gboolean
is_known (const GhloKernel       *kernel,
          const GhloKernelAccess *access,
          guint                   axis)
{
  for (guint i = kernel->n_parallel; i < kernel->n_axes; i++)
    if (i != axis && varies_along (kernel, access, i))
      return FALSE;

  return TRUE;
}

/* Finds what is kept for @number at the current unrolled points. */
static const SpirvPreload *
find_preload (const Spirv *self,
              guint        number)
{
  const GhloKernelAccess *accesses = self->kernel->accesses;

  for (guint i = 0; i < self->n_preloads; i++)
    if (self->preloads[i].axis == self->unrolled.axis && self->preloads[i].first == self->unrolled.first
        && loads_same (&accesses[number], &accesses[self->preloads[i].access]))
      return &self->preloads[i];

  return NULL;
}

/* Loads at points @first to @end - 1. An element that is the same at all of them is loaded once, since no point exists
 * without those before it. */
static void
keep (Spirv *self,
      guint  number,
      guint  first,
      guint  end)
{
  SpirvPreload *preload = &self->preloads[self->n_preloads];
  const SpirvUnrolled unrolled = self->unrolled;
  const Id point = self->point[unrolled.axis];
  const gboolean varies = varies_along (self->kernel, &self->kernel->accesses[number], unrolled.axis);

  *preload = (SpirvPreload) { .access = (guint16) number, .axis = (guint8) unrolled.axis, .first = unrolled.first };
  if (self->by_four && ghlo_spirv_has_four (self, number))
    {
      ghlo_spirv_unroll_point (self, 0);
      ghlo_spirv_load_four (self, number, preload->values);
      first = end;
    }
  for (guint i = first; i < end; i++)
    {
      Id inside = ghlo_spirv_unroll_point (self, i);

      preload->values[i] = varies || i == first ? ghlo_spirv_load_where (self, number, inside) : preload->values[first];
    }
  self->n_preloads++;
  self->unrolled = unrolled;
  self->point[unrolled.axis] = point;
}

/* Whether the place of @access does not depend on any node. */
static gboolean
has_place (const GhloKernel       *kernel,
           const GhloKernelAccess *access)
{
  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    if (kernel->terms[i].node != GHLO_KERNEL_NONE)
      return FALSE;

  return TRUE;
}

/* Whether @node is a load that may be done ahead, and has not been yet. */
static gboolean
is_to_keep (const Spirv          *self,
            const GhloKernelNode *node)
{
  const GhloKernelAccess *access = &self->kernel->accesses[node->index];

  return node->kind == GHLO_NODE_LOAD && self->n_preloads < SPIRV_MAX_PRELOADS
         && (access->n_terms == 0 || node->operands[0] == GHLO_KERNEL_NONE) && has_place (self->kernel, access)
         && find_preload (self, node->index) == NULL;
}

/* Loads ahead for @block what fits into *@bytes, and subtracts its size from that. */
static void
keep_block (Spirv                 *self,
            const GhloKernelBlock *block,
            gsize                 *bytes)
{
  const guint axis = ghlo_kernel_last_axis (block->axes), n = ghlo_spirv_count_unrolled_in (self, block);

  if (n == 0)
    return;
  self->unrolled = ghlo_spirv_unroll_all (self, axis);
  for (guint i = block->first_node; i < block->first_merge; i++)
    {
      const GhloKernelNode *node = &self->kernel->nodes[i];
      const gsize size = n * MAX (ghlo_element_info (node->type)->size, sizeof (guint32));

      if (is_to_keep (self, node) && size <= *bytes
          && is_known (self->kernel, &self->kernel->accesses[node->index], axis))
        {
          keep (self, node->index, 0, n);
          *bytes -= size;
        }
    }
  self->unrolled = (SpirvUnrolled) { 0 };
}

void
ghlo_spirv_preload (Spirv *self)
{
  const GhloKernel *kernel = self->kernel;
  gsize bytes = SPIRV_MAX_PRELOAD_BYTES;

  for (guint i = 0; self->lane != 0 && i < kernel->n_blocks; i = kernel->blocks[i].end)
    if (kernel->blocks[i].kind == GHLO_BLOCK_POINTS)
      keep_block (self, &kernel->blocks[i], &bytes);
  self->n_preloads_throughout = self->n_preloads;
}

void
ghlo_spirv_preload_next (Spirv                 *self,
                         const GhloKernelBlock *block)
{
  const SpirvUnrolled *unrolled = &self->unrolled;
  const guint n = unrolled->n > 0 ? unrolled->n : ghlo_spirv_count_unrolled_in (self, block);
  const guint n_ahead = unrolled->n > 0 ? n : MAX_AHEAD, first = unrolled->number;

  if (unrolled->first == 0 || first % n_ahead != 0)
    return;
  self->n_preloads = self->n_preloads_throughout;
  for (guint i = block->first_node; i < block->first_merge; i++)
    if (is_to_keep (self, &self->kernel->nodes[i]))
      keep (self, self->kernel->nodes[i].index, first, MIN (first + n_ahead, n));
}

Id
ghlo_spirv_get_preload (const Spirv *self,
                        guint        access)
{
  const SpirvPreload *preload = self->unrolled.first != 0 ? find_preload (self, access) : NULL;

  return preload != NULL ? preload->values[self->unrolled.number] : 0;
}
