/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loads ahead of what needs them, where a workgroup does a point and each invocation has a few points of an axis, which
 * are told one by one. Elements are loaded once, at the beginning, as far as there are registers for them: so several
 * folds over a row read it once, and none waits for memory behind another. What is left is loaded for some points at a
 * time, before the first of these stores anything: a compiler that knows nothing of addresses leaves loads behind
 * stores. No store is in the way, since of what is written a block loads only the very place that the same point stores
 * to, and no other block does either.
 */

#include "vulkan/spirv/emit-private.h"

#include <string.h>

/* Bytes of registers for what is loaded at the beginning, and points that are loaded at a time. */
enum { MAX_KEPT_BYTES = 192, MAX_AHEAD = 8 };

static gboolean
loads_same (const GhloKernelAccess *a,
            const GhloKernelAccess *b)
{
  return a->type == b->type && a->buffer == b->buffer && a->offset == b->offset && a->n_terms == 0 && b->n_terms == 0
         && memcmp (a->strides, b->strides, sizeof a->strides) == 0;
}

/* Whether it is known where the invocation's points along @axis load as soon as the parallel point is. */
static gboolean
is_known (const GhloKernel       *kernel,
          const GhloKernelAccess *access,
          guint                   axis)
{
  for (guint i = kernel->n_parallel; i < kernel->n_axes; i++)
    if (i != axis && access->strides[i] != 0)
      return FALSE;

  return TRUE;
}

static const SpirvKept *
find_kept (const Spirv *self,
           guint        number,
           guint        axis)
{
  const GhloKernelAccess *accesses = self->kernel->accesses;

  for (guint i = 0; i < self->n_kept; i++)
    if (self->kept[i].axis == axis && loads_same (&accesses[number], &accesses[self->kept[i].access]))
      return &self->kept[i];

  return NULL;
}

/* Loads the points number @first to @end along @axis. */
static void
keep (Spirv *self,
      guint  number,
      guint  axis,
      guint  first,
      guint  end)
{
  SpirvKept *kept = &self->kept[self->n_kept];
  const SpirvTold told = self->told;
  const Id point = self->point[axis];

  *kept = (SpirvKept) { .access = (guint16) number, .axis = (guint8) axis };
  for (guint i = first; i < end; i++)
    {
      Id inside = ghlo_spirv_tell (self, axis, i);

      kept->values[i] = ghlo_spirv_load_where (self, number, inside);
    }
  self->n_kept++;
  self->told = told;
  self->point[axis] = point;
}

/* Whether @node of @block is a load that may be done ahead, and is not yet. */
static gboolean
is_to_keep (const Spirv           *self,
            const GhloKernelBlock *block,
            const GhloKernelNode  *node)
{
  const GhloKernelAccess *access = &self->kernel->accesses[node->which];

  return node->kind == GHLO_NODE_LOAD && self->n_kept < SPIRV_MAX_KEPT && access->n_terms == 0
         && find_kept (self, node->which, ghlo_kernel_last_axis (block->axes)) == NULL;
}

/* Those of @block that @bytes has room for, which are then fewer. */
static void
keep_block (Spirv                 *self,
            const GhloKernelBlock *block,
            gsize                 *bytes)
{
  const guint axis = ghlo_kernel_last_axis (block->axes), n = ghlo_spirv_count_told_in (self, block);

  for (guint i = block->first_node; n > 0 && i < block->first_merge; i++)
    {
      const GhloKernelNode *node = &self->kernel->nodes[i];
      const gsize size = n * MAX (ghlo_element_info (node->type)->size, sizeof (guint32));

      if (is_to_keep (self, block, node) && size <= *bytes
          && is_known (self->kernel, &self->kernel->accesses[node->which], axis))
        {
          keep (self, node->which, axis, 0, n);
          *bytes -= size;
        }
    }
}

void
ghlo_spirv_keep (Spirv *self)
{
  const GhloKernel *kernel = self->kernel;
  gsize bytes = MAX_KEPT_BYTES;

  for (guint i = 0; self->lane != 0 && i < kernel->n_blocks; i = kernel->blocks[i].end)
    if (kernel->blocks[i].kind == GHLO_BLOCK_POINTS)
      keep_block (self, &kernel->blocks[i], &bytes);
  self->n_kept_throughout = self->n_kept;
}

void
ghlo_spirv_keep_next (Spirv                 *self,
                      const GhloKernelBlock *block)
{
  const guint first = self->told.number, end = MIN (first + MAX_AHEAD, ghlo_spirv_count_told_in (self, block));

  if (!self->told.is_told || first % MAX_AHEAD != 0)
    return;
  self->n_kept = self->n_kept_throughout;
  for (guint i = block->first_node; i < block->first_merge; i++)
    if (is_to_keep (self, block, &self->kernel->nodes[i]))
      keep (self, self->kernel->nodes[i].which, self->told.axis, first, end);
}

Id
ghlo_spirv_get_kept (const Spirv *self,
                     guint        access)
{
  const SpirvKept *kept = self->told.is_told ? find_kept (self, access, self->told.axis) : NULL;

  return kept != NULL ? kept->values[self->told.number] : 0;
}
