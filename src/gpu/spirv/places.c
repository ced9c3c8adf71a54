/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decides where temporaries are stored if a workgroup computes a point, and where its invocations must wait for each
 * other. Invocation c % group computes coordinate c of the last axis of a block. So if all blocks access a temporary
 * through the same last axis, each of its elements belongs to one invocation, and needs no barrier. If a block has few
 * points per invocation, they are unrolled, so that such elements can be kept in variables, which become registers.
 * Values that span no axis are computed by each invocation for itself.
 */

#include "gpu/spirv/emit-private.h"

#include "base/sizes.h"

/* The maximum number of nodes of all unrolled points of an invocation, constants excluded, and the maximum number of
 * bytes of variables. */
enum { MAX_UNROLLED_NODES = 1024, MAX_VARIABLES = 256 };

/* What a point of a product counts for in MAX_UNROLLED_NODES. */
enum { PRODUCT_NODES = 16 };

typedef struct
{
  Spirv  *self;
  guint16 owners[GHLO_KERNEL_MAX_TEMPORARIES];  /* the axis through which an element is accessed; NONE: no access yet */
} Places;

guint
ghlo_spirv_count_nodes (const Spirv *self,
                        guint        first,
                        guint        end)
{
  guint n = 0;

  for (guint i = first; i < end; i++)
    n += self->kernel->nodes[i].kind != GHLO_NODE_CONSTANT;

  return n;
}

guint
ghlo_spirv_count_unrolled (const Spirv *self,
                           guint        axes,
                           guint        n_nodes)
{
  const GhloKernelAxis *axis = &self->kernel->axes[axes != 0 ? ghlo_kernel_last_axis (axes) : 0];
  gint64 n;

  if (self->lane == 0 || axes == 0 || (axes & (axes - 1)) != 0 || axis->is_runtime)
    return 0;
  n = ghlo_ceil_div (axis->extent, self->group);

  return n <= SPIRV_MAX_UNROLLED && n * n_nodes <= MAX_UNROLLED_NODES ? (guint) n : 0;
}

/* Whether all invocations take part. Some are idle if a fold has fewer chains than there are invocations. */
static gboolean
is_for_group (const Spirv           *self,
              const GhloKernelBlock *block)
{
  return block->n_folds == 0 || block->n_chains >= self->group;
}

guint
ghlo_spirv_count_unrolled_in (const Spirv           *self,
                              const GhloKernelBlock *block)
{
  if (block->kind == GHLO_BLOCK_PRODUCT)
    return ghlo_spirv_count_unrolled (self, block->rows | block->columns, PRODUCT_NODES);
  if (!is_for_group (self, block) || block->split > 0)
    return 0;

  return ghlo_spirv_count_unrolled (self, block->axes,
                                    ghlo_spirv_count_nodes (self, block->first_node, block->end_node));
}

gboolean
ghlo_spirv_is_for_all (const Spirv           *self,
                       const GhloKernelBlock *block)
{
  if (block->kind == GHLO_BLOCK_PRODUCT)
    return self->kernel->temporaries[block->result].axes == 0;
  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    if (self->kernel->stores[i].access != GHLO_KERNEL_NONE)
      return FALSE;

  return block->axes == 0;
}

/* Notes an access through the axis @owner; NONE: by any invocation. */
static void
use (Places   *places,
     guint     temporary,
     guint     owner,
     gboolean  is_unrolled)
{
  const guint axes = temporary != GHLO_KERNEL_NONE ? places->self->kernel->temporaries[temporary].axes : 0;
  SpirvPlace place = SPIRV_UNSHARED;

  if (axes == 0)
    return;
  if (owner == GHLO_KERNEL_NONE || (axes >> owner & 1) == 0
      || (places->owners[temporary] != GHLO_KERNEL_NONE && places->owners[temporary] != owner))
    place = SPIRV_SHARED;
  else
    {
      places->owners[temporary] = (guint16) owner;
      if (is_unrolled && axes == 1u << owner)
        place = SPIRV_IN_VARIABLES;
    }
  places->self->places[temporary] = MAX (places->self->places[temporary], place);
}

static void
use_points (Places                *places,
            const GhloKernelBlock *block)
{
  const GhloKernel *kernel = places->self->kernel;
  const guint owner = is_for_group (places->self, block) ? ghlo_kernel_last_axis (block->axes) : GHLO_KERNEL_NONE;
  const gboolean is_unrolled = ghlo_spirv_count_unrolled_in (places->self, block) > 0;

  for (guint i = block->first_node; i < block->end_node; i++)
    if (kernel->nodes[i].kind == GHLO_NODE_TEMPORARY)
      use (places, kernel->nodes[i].index, owner, is_unrolled && i < block->first_merge);
  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    {
      guint temporary = kernel->stores[i].temporary;

      use (places, temporary, owner, is_unrolled);
      if (temporary != GHLO_KERNEL_NONE && block->axes == 0 && !ghlo_spirv_is_for_all (places->self, block))
        places->self->places[temporary] = SPIRV_SHARED;
    }
  for (guint i = block->first_fold; i < block->first_fold + (guint) block->n_folds; i++)
    use (places, kernel->folds[i].temporary, GHLO_KERNEL_NONE, FALSE);
}

static void
use_product (Places                *places,
             const GhloKernelBlock *block)
{
  const guint owner = ghlo_kernel_last_axis (block->rows | block->columns);
  const gboolean is_unrolled = ghlo_spirv_count_unrolled_in (places->self, block) > 0;

  use (places, block->left.temporary, owner, is_unrolled);
  use (places, block->right.temporary, owner, is_unrolled);
  use (places, block->result, owner, is_unrolled);
}

static void
use_carries (Places                *places,
             const GhloKernelBlock *block)
{
  const GhloKernel *kernel = places->self->kernel;
  const guint loops = ghlo_kernel_loops_around (kernel, block);

  if (block->predicate != GHLO_KERNEL_NONE)
    use (places, block->predicate, GHLO_KERNEL_NONE, FALSE);
  for (guint i = block->first_carry; i < block->first_carry + (guint) block->n_carries; i++)
    {
      const GhloKernelCarry *carry = &kernel->carries[i];
      const guint axes = kernel->temporaries[carry->temporary].axes & ~loops, owner = ghlo_kernel_last_axis (axes);
      const gboolean is_unrolled = ghlo_spirv_count_unrolled (places->self, axes, 1) > 0;

      use (places, carry->temporary, owner, is_unrolled);
      use (places, carry->first, owner, is_unrolled);
      use (places, carry->next, owner, is_unrolled);
    }
}

/* Moves temporaries that would take too many registers to shared memory. */
static void
limit_variables (Spirv *self)
{
  gsize size = 0;

  for (guint i = 0; i < self->kernel->n_temporaries; i++)
    {
      const GhloKernelTemporary *temporary = &self->kernel->temporaries[i];

      if (self->places[i] != SPIRV_IN_VARIABLES || temporary->axes == 0)
        continue;
      size += ghlo_spirv_count_unrolled (self, temporary->axes, 1) * ghlo_element_info (temporary->type)->size;
      if (size > MAX_VARIABLES)
        self->places[i] = SPIRV_UNSHARED;
    }
}

void
ghlo_spirv_place (Spirv *self)
{
  static void (*const functions[GHLO_N_BLOCKS]) (Places *places, const GhloKernelBlock *block) = {
    [GHLO_BLOCK_POINTS] = use_points,
    [GHLO_BLOCK_LOOP] = use_carries,
    [GHLO_BLOCK_WHILE] = use_carries,
    [GHLO_BLOCK_IF] = use_carries,
    [GHLO_BLOCK_PRODUCT] = use_product,
  };
  Places places = { self, { 0 } };

  if (self->lane == 0)
    return;
  for (guint i = 0; i < self->kernel->n_temporaries; i++)
    places.owners[i] = GHLO_KERNEL_NONE;
  for (guint i = 0; i < self->kernel->n_blocks; i++)
    functions[self->kernel->blocks[i].kind] (&places, &self->kernel->blocks[i]);
  limit_variables (self);
}

static gboolean
is_shared (const Spirv *self,
           guint        temporary)
{
  return temporary != GHLO_KERNEL_NONE && self->places[temporary] == SPIRV_SHARED;
}

gboolean
ghlo_spirv_shares_carry (const Spirv           *self,
                         const GhloKernelCarry *carry)
{
  return is_shared (self, carry->temporary) || is_shared (self, carry->first) || is_shared (self, carry->next);
}

/* Whether other invocations see what the block computes, or overwrite in a later iteration what it reads. */
static gboolean
shares (const Spirv           *self,
        const GhloKernelBlock *block)
{
  const GhloKernel *kernel = self->kernel;

  if (block->kind == GHLO_BLOCK_PRODUCT)
    return is_shared (self, block->left.temporary) || is_shared (self, block->right.temporary)
           || is_shared (self, block->result);
  for (guint i = block->first_node; self->n_loops > 0 && i < block->end_node; i++)
    if (kernel->nodes[i].kind == GHLO_NODE_TEMPORARY && is_shared (self, kernel->nodes[i].index))
      return TRUE;
  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    if (is_shared (self, kernel->stores[i].temporary))
      return TRUE;
  for (guint i = block->first_fold; i < block->first_fold + (guint) block->n_folds; i++)
    if (is_shared (self, kernel->folds[i].temporary)
        || (self->n_loops > 0 && ghlo_spirv_has_late_readers (self, block)))
      return TRUE;

  return FALSE;
}

/* Whether, over all iterations of the enclosing loops, each place is stored to by a single invocation. */
static gboolean
stores_disjoint (const Spirv            *self,
                 const GhloKernelBlock  *block,
                 const GhloKernelAccess *access)
{
  gint64 reach = (gint64) ghlo_element_info (access->type)->size, step = 0;

  for (guint i = self->kernel->n_parallel; i < self->kernel->n_axes; i++)
    if (access->strides[i] != 0 && (self->kernel->axes[i].is_runtime || ((block->axes >> i & 1) == 0 && step != 0)))
      return FALSE;
    else if ((block->axes >> i & 1) != 0)
      reach += ABS (access->strides[i]) * (self->kernel->axes[i].extent - 1);
    else
      step = MAX (step, ABS (access->strides[i]));

  return access->n_terms == 0 && (step == 0 || step >= reach);
}

/* Whether a later iteration may load or store elements that another invocation stores in this one. */
static gboolean
writes_buffers (const Spirv           *self,
                const GhloKernelBlock *block)
{
  if (block->kind != GHLO_BLOCK_POINTS || self->n_loops == 0)
    return FALSE;
  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    {
      guint access = self->kernel->stores[i].access;

      if (access != GHLO_KERNEL_NONE && !stores_disjoint (self, block, &self->kernel->accesses[access]))
        return TRUE;
    }

  return FALSE;
}

void
ghlo_spirv_end_block (Spirv                 *self,
                      const GhloKernelBlock *block)
{
  if (writes_buffers (self, block))
    ghlo_spirv_barrier (self);
  else if (shares (self, block))
    ghlo_spirv_shared_barrier (self);
}
