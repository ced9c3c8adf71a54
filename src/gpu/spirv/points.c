/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks of points. Parts of folds are computed one after the other, or separately by one shader and merged by another.
 * At each point an invocation mostly waits for memory. If it has many points, several at a time are unrolled, so that
 * all of their loads are in flight at once (preload.c).
 */

#include "gpu/spirv/emit-private.h"

#include "base/sizes.h"

#include <string.h>

/* The number of iterations from which a loop is unrolled; how many points are unrolled at least and at most; and the
 * maximum number of nodes of all of them, constants excluded. */
enum { LONG_LOOP = 16, MIN_UNROLLED = 4, MAX_UNROLLED = 16, MAX_LOOP_NODES = 512 };

/* The state of a block that is being emitted. */
typedef struct
{
  const GhloKernelBlock *block;
  guint                  last;                          /* the last axis */
  SpirvFolds             folds;
  Id                     total[GHLO_KERNEL_MAX_FOLDS];  /* variables: results of the parts so far */
  Id                     part[GHLO_KERNEL_MAX_FOLDS];   /* results of the last part, or of the whole block */
  Id                     read[MAX_UNROLLED][GHLO_KERNEL_MAX_FOLDS];     /* results of the parts that are unrolled */
} Points;

static Id
type_of (Spirv        *self,
         const Points *points,
         guint         i)
{
  return ghlo_spirv_type (self, ghlo_kernel_fold (self->kernel, points->block, i)->type);
}

static void
take_variables (Spirv                 *self,
                Points                *points,
                const GhloKernelBlock *block)
{
  points->block = block;
  points->last = ghlo_kernel_last_axis (block->axes);
  ghlo_spirv_take_chains (self, &points->folds, block);
  for (guint i = 0; i < block->n_folds && block->split > 0; i++)
    points->total[i] = ghlo_spirv_variable (self, type_of (self, points, i));
}

/* A value that all invocations have computed is stored to shared memory by one of them. */
static void
set_once (Spirv *self,
          guint  temporary,
          Id     value)
{
  Id exit = 0;

  if (self->lane != 0 && self->places[temporary] == SPIRV_SHARED)
    exit = ghlo_spirv_begin_if (self, CODE (SpvOpIEqual, self->boolean, self->lane, ghlo_spirv_u64 (self, 0)));
  ghlo_spirv_set (self, temporary, value);
  ghlo_spirv_end_if (self, exit);
}

void
ghlo_spirv_stores (Spirv                 *self,
                   const GhloKernelBlock *block)
{
  const gboolean is_for_all = ghlo_spirv_is_for_all (self, block);

  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    {
      const GhloKernelStore *store = &self->kernel->stores[i];

      if (store->access != GHLO_KERNEL_NONE)
        {
          const Id exit = self->is_there != 0 ? ghlo_spirv_begin_if (self, self->is_there) : 0;

          ghlo_spirv_store (self, store->access, self->values[store->node]);
          ghlo_spirv_end_if (self, exit);
        }
      else if (is_for_all)
        set_once (self, store->temporary, self->values[store->node]);
      else
        ghlo_spirv_set (self, store->temporary, self->values[store->node]);
    }
}

/* Returns the chain of the point, as an index into the invocation's own chains. */
static Id
find_number (Spirv        *self,
             const Points *points)
{
  const guint n = ghlo_spirv_count_chains (self, points->block);
  Id number = ghlo_spirv_u64 (self, points->block->n_chains);

  if (n == 1)
    return ghlo_spirv_u64 (self, 0);
  if (self->unrolled.first != 0 && self->unrolled.n == 0)
    return ghlo_spirv_u64 (self, self->unrolled.number % n);
  number = CODE (SpvOpUMod, self->u64, self->point[points->last], number);
  if (self->lane != 0)
    number = CODE (SpvOpUDiv, self->u64, number, ghlo_spirv_u64 (self, self->group));

  return number;
}

static void
emit_point (Spirv    *self,
            gpointer  data)
{
  const Points *points = data;
  const GhloKernelBlock *block = points->block;
  Id chain = 0;

  ghlo_spirv_preload_next (self, block);
  if (block->n_folds > 0)
    chain = find_number (self, points);
  for (guint i = 0; i < block->n_folds; i++)
    self->left[block->first_fold + i] = ghlo_spirv_get_chain (self, &points->folds, i, chain);
  ghlo_spirv_nodes (self, block->first_node, block->first_merge);
  ghlo_spirv_stores (self, block);
  for (guint i = 0; i < block->n_folds; i++)
    ghlo_spirv_set_chain (self, &points->folds, i, chain,
                          self->values[ghlo_kernel_fold (self->kernel, block, i)->update]);
}

/* Returns how many of the @n iterations of a loop to unroll at a time, such that the loop waits for memory least often,
 * given the nodes and the loaded bytes of an iteration; 0 if there is little to gain. */
static guint
choose_unrolled (gint64 n,
                 guint  n_nodes,
                 guint  bytes)
{
  const guint most = MIN (MAX_UNROLLED, MIN (MAX_LOOP_NODES / MAX (n_nodes, 1),
                                             SPIRV_MAX_PRELOAD_BYTES / MAX (bytes, 1)));
  gint64 least = n;
  guint best = 0;

  if (n < LONG_LOOP || bytes == 0)
    return 0;
  for (guint i = MIN_UNROLLED; i <= most; i *= 2)
    if (n / i + n % i < least)
      {
        least = n / i + n % i;
        best = i;
      }

  return best;
}

/* Returns the bytes of registers for elements that a point of @block loads and that differ at the next point. */
static guint
count_loaded (const Spirv           *self,
              const GhloKernelBlock *block)
{
  const guint axis = ghlo_kernel_last_axis (block->axes);
  guint n = 0;

  for (guint i = block->first_node; i < block->first_merge; i++)
    {
      const GhloKernelNode *node = &self->kernel->nodes[i];
      const GhloKernelAccess *access;

      if (node->kind != GHLO_NODE_LOAD)
        continue;
      access = &self->kernel->accesses[node->index];
      if (access->n_terms > 0 || access->strides[axis] != 0)
        n += (guint) MAX (ghlo_element_info (node->type)->size, sizeof (guint32));
    }

  return n;
}

/* Returns how many points to unroll at a time in a loop along the last axis with step @stride. */
static guint
choose_unrolled_in (const Spirv           *self,
                    const GhloKernelBlock *block,
                    guint                  stride)
{
  const GhloKernelAxis *axis = &self->kernel->axes[ghlo_kernel_last_axis (block->axes)];
  gint64 extent = axis->extent;

  if (axis->is_runtime)
    return 0;
  if (block->split > 0 && (block->axes & (block->axes - 1)) == 0)
    extent = MIN (extent, block->split);

  return choose_unrolled (extent / MAX (stride, 1),
                          ghlo_spirv_count_nodes (self, block->first_node, block->first_merge),
                          count_loaded (self, block));
}

/* If a fold has fewer chains than there are invocations, the others have no points. */
static void
emit_range (Spirv  *self,
            Points *points,
            Id      begin,
            Id      end)
{
  const GhloKernelBlock *block = points->block;
  const guint n_unrolled = ghlo_spirv_count_unrolled_in (self, block);
  guint stride = self->lane != 0 ? self->group : 0;

  if (block->n_folds > 0)
    stride = MIN (block->n_chains, stride);
  if (block->axes == 0 || n_unrolled > 0)
    ghlo_spirv_spread (self, block->axes, n_unrolled, emit_point, points);
  else
    ghlo_spirv_nest (self, (SpirvNest) { block->axes, begin, end, stride, choose_unrolled_in (self, block, stride) },
                     emit_point, points);
}

/* Emits the points of one part, and merges their chains. */
static void
emit_part (Spirv  *self,
           Points *points,
           Id      begin,
           Id      end)
{
  if (points->block->n_folds > 0)
    {
      ghlo_spirv_begin_chains (self, &points->folds);
      emit_range (self, points, begin, end);
      ghlo_spirv_merge_chains (self, &points->folds, points->part);
    }
  else if (ghlo_spirv_is_for_all (self, points->block))
    emit_point (self, points);
  else
    emit_range (self, points, begin, end);
}

/* Returns the end of the part that begins at @begin; the last part may be shorter. */
static Id
find_end (Spirv *self,
          Id     begin,
          Id     extent,
          Id     split)
{
  Id end = CODE (SpvOpISub, self->u64, extent, begin);
  Id is_short = CODE (SpvOpSLessThan, self->boolean, end, split);

  return CODE (SpvOpIAdd, self->u64, begin, ghlo_spirv_select (self, self->u64, is_short, end, split));
}

/* Merges the results of the part that begins at @begin into those of the parts before it. */
static void
add_part (Spirv        *self,
          const Points *points,
          Id            begin)
{
  const guint n_folds = points->block->n_folds;
  Id is_first = CODE (SpvOpIEqual, self->boolean, begin, ghlo_spirv_u64 (self, 0)), total[GHLO_KERNEL_MAX_FOLDS];

  for (guint i = 0; i < n_folds; i++)
    total[i] = CODE (SpvOpLoad, type_of (self, points, i), points->total[i]);
  ghlo_spirv_merge (self, &points->folds, total, points->part, total);
  for (guint i = 0; i < n_folds; i++)
    {
      Id merged = ghlo_spirv_select (self, type_of (self, points, i), is_first, points->part[i], total[i]);

      STATEMENT (SpvOpStore, points->total[i], merged);
    }
}

/* Emits a loop over the parts of the first axis. */
static void
emit_parts (Spirv  *self,
            Points *points)
{
  Id extent = self->extents[__builtin_ctz (points->block->axes)], zero = ghlo_spirv_u64 (self, 0);
  Id split = ghlo_spirv_u64 (self, (guint64) points->block->split);
  SpirvLoop loop = ghlo_spirv_begin_loop (self, zero, extent);

  emit_part (self, points, loop.index, find_end (self, loop.index, extent, split));
  add_part (self, points, loop.index);
  if (ghlo_spirv_has_late_readers (self, points->block))
    ghlo_spirv_shared_barrier (self);
  ghlo_spirv_end_loop (self, loop, split);
}

/* Stores the results of the folds in their temporaries. */
static void
emit_results (Spirv        *self,
              const Points *points)
{
  for (guint i = 0; i < points->block->n_folds; i++)
    {
      Id value = points->block->split > 0 ? CODE (SpvOpLoad, type_of (self, points, i), points->total[i])
                                          : points->part[i];

      set_once (self, ghlo_kernel_fold (self->kernel, points->block, i)->temporary, value);
    }
}

/* Returns the address in the scratch of the result of fold @i in slot @slot, which counts the parts of all points. */
static Id
find_partial (Spirv        *self,
              const Points *points,
              Id            slot,
              guint         i)
{
  Id index = CODE (SpvOpIMul, self->u64, slot, ghlo_spirv_u64 (self, points->block->n_folds * sizeof (guint64)));

  index = CODE (SpvOpIAdd, self->u64, index, ghlo_spirv_u64 (self, i * sizeof (guint64)));

  return CODE (SpvOpIAdd, self->u64, self->scratch, index);
}

static void
emit_partials (Spirv    *self,
               gpointer  data)
{
  const Points *points = data;
  const Id exit = self->is_there != 0 ? ghlo_spirv_begin_if (self, self->is_there) : 0;

  for (guint i = 0; i < points->block->n_folds; i++)
    ghlo_spirv_write (self, ghlo_kernel_fold (self->kernel, points->block, i)->type,
                      find_partial (self, points, self->slot, i), points->part[i]);
  ghlo_spirv_end_if (self, exit);
}

void
ghlo_spirv_part (Spirv *self)
{
  const GhloKernelBlock *block = ghlo_spirv_block_of_parts (self->kernel);
  g_autofree Points *points = g_new0 (Points, 1);
  Id extent = self->extents[__builtin_ctz (block->axes)], split = ghlo_spirv_u64 (self, (guint64) block->split);
  Id begin = CODE (SpvOpIMul, self->u64, self->part, split);

  for (const GhloKernelBlock *before = self->kernel->blocks; before < block; before++)
    ghlo_spirv_points (self, before);
  take_variables (self, points, block);
  emit_part (self, points, begin, find_end (self, begin, extent, split));
  ghlo_spirv_spread (self, 0, 0, emit_partials, points);
}

/* Reads the results of @n parts, the first of which begins at @begin. */
static void
read_parts (Spirv  *self,
            Points *points,
            Id      begin,
            guint   n)
{
  Id slot = CODE (SpvOpUDiv, self->u64, begin, ghlo_spirv_u64 (self, (guint64) points->block->split));

  slot = CODE (SpvOpIMul, self->u64, slot, self->n_points);
  slot = CODE (SpvOpIAdd, self->u64, slot, self->slot);
  for (guint k = 0; k < n; k++)
    {
      for (guint i = 0; i < points->block->n_folds; i++)
        points->read[k][i] = ghlo_spirv_read (self, ghlo_kernel_fold (self->kernel, points->block, i)->type,
                                              find_partial (self, points, slot, i));
      slot = CODE (SpvOpIAdd, self->u64, slot, self->n_points);
    }
}

static void
merge_part (Spirv    *self,
            gpointer  data)
{
  Points *points = data;
  Id begin = self->point[__builtin_ctz (points->block->axes)];

  if (self->unrolled.number == 0)
    read_parts (self, points, begin, MAX (self->unrolled.n, 1));
  memcpy (points->part, points->read[self->unrolled.number], sizeof points->part);
  add_part (self, points, begin);
}

/* Merges the results of all parts, one after the other. */
static void
merge_parts (Spirv  *self,
             Points *points)
{
  const GhloKernelBlock *block = points->block;
  const guint axis = (guint) __builtin_ctz (block->axes), bytes = (guint) (block->n_folds * sizeof (guint64));
  const guint n_unrolled = choose_unrolled (ghlo_ceil_div (self->kernel->axes[axis].extent, block->split),
                                            (guint) (block->end_node - block->first_merge), bytes);

  ghlo_spirv_range (self, axis, ghlo_spirv_u64 (self, 0), self->extents[axis], (guint64) block->split, n_unrolled,
                    merge_part, points);
}

void
ghlo_spirv_points (Spirv                 *self,
                   const GhloKernelBlock *block)
{
  g_autofree Points *points = g_new0 (Points, 1);

  take_variables (self, points, block);
  if (self->parts == GHLO_SPIRV_PARTS_MERGED && block == ghlo_spirv_block_of_parts (self->kernel))
    merge_parts (self, points);
  else if (block->split > 0)
    emit_parts (self, points);
  else
    emit_part (self, points, 0, 0);
  if (block->n_folds > 0)
    emit_results (self, points);
  self->n_preloads = self->n_preloads_throughout;
  ghlo_spirv_end_block (self, block);
}
