/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Emits blocks of points. The chains of a fold are the lanes of one or several consecutive vectors. Where the lanes
 * are parallel points, each chain is a vector, and the chains form an array. A single chain takes lanes one after the
 * other, once everything that does not depend on it has been computed.
 */

#include "cpu/llvm/emit-llvm.h"

#include "kernel/depends.h"

#include <string.h>

enum
{
  MAX_VECTORS = GHLO_KERNEL_MAX_CHAINS / 2,
  MAX_IN_ORDER = 64,            /* nodes that depend on a single chain, summed over all lanes */
  AHEAD = 2048,                 /* bytes from what is read to what is prefetched */
};

/* A block that is being emitted. */
typedef struct
{
  const GhloKernelBlock *block;
  guint                  n;             /* consecutive vectors of chains */
  guint                  last;          /* the innermost axis */
  gboolean               is_array;      /* the chains are an array of vectors */
  guint8                *depends;       /* single chain, lanes in order: which nodes depend on it; else NULL */
  /* Variables, by the number of the fold in the block. */
  Value                  chains[GHLO_KERNEL_MAX_FOLDS][MAX_VECTORS];    /* where is_array, the first one is the array */
  Value                  merged[GHLO_KERNEL_MAX_FOLDS];                 /* merged result of the parts so far */
} Points;

static Type
type_of (Emitter      *self,
         const Points *points,
         guint         i)
{
  Type type = ghlo_emit_type (self, ghlo_kernel_fold (self->kernel, points->block, i)->type);

  return points->depends != NULL ? type : ghlo_emit_vector (self, type);
}

/* The address in the array of chains of fold @i that the point @number, modulo the chains, belongs to. */
static Value
find_chains (Emitter      *self,
             const Points *points,
             guint         i,
             Value         number)
{
  Value index = number;

  return LLVMBuildGEP2 (self->builder, type_of (self, points, i), points->chains[i][0], &index, 1, "");
}

static Value
chains_at_point (Emitter      *self,
                 const Points *points,
                 guint         i,
                 guint         number)
{
  Value n = ghlo_emit_i64 (self, points->block->n_chains);

  if (!points->is_array)
    return points->chains[i][number];

  return find_chains (self, points, i, LLVMBuildURem (self->builder, self->point[points->last], n, ""));
}

static void
emit_stores (Emitter               *self,
             const GhloKernelBlock *block)
{
  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    {
      const GhloKernelStore *store = &self->kernel->stores[i];

      if (store->access != GHLO_KERNEL_NONE)
        ghlo_emit_store (self, i);
      else
        ghlo_emit_set (self, store->temporary, self->values[store->node]);
    }
}

static void
load_vector (Emitter      *self,
             const Points *points,
             guint         number,
             Value        *values)
{
  for (guint i = 0; i < points->block->n_folds; i++)
    values[i] = LLVMBuildLoad2 (self->builder, type_of (self, points, i), points->chains[i][number], "");
}

/* Emits the nodes that depend on the folds, for one @lane. @vectors holds the values of the other nodes, in all
 * lanes. */
static void
fold_lane (Emitter      *self,
           const Points *points,
           const Value  *vectors,
           guint         lane)
{
  const GhloKernelBlock *block = points->block;

  for (guint i = block->first_node; i < block->first_merge; i++)
    if (points->depends[i])
      ghlo_emit_node (self, i);
    else
      {
        const Value value = vectors[i - block->first_node];

        self->values[i] = ghlo_emit_is_vector (value) ? ghlo_emit_take_lanes (self, value, lane, 1) : value;
      }
}

/* Emits one vector of points whose lanes are folded into a single chain, one after the other. */
static void
emit_in_order (Emitter      *self,
               const Points *points)
{
  const GhloKernelBlock *block = points->block;
  g_autofree Value *vectors = g_new0 (Value, block->first_merge - block->first_node);
  Value mask = self->mask, left[GHLO_KERNEL_MAX_FOLDS];
  const guint width = self->width;

  for (guint i = block->first_node; i < block->first_merge; i++)
    if (!points->depends[i])
      {
        ghlo_emit_node (self, i);
        vectors[i - block->first_node] = self->values[i];
      }
  emit_stores (self, block);
  self->width = 1;
  self->mask = NULL;
  load_vector (self, points, 0, left);
  for (guint lane = 0; lane < width; lane++)
    {
      memcpy (self->left + block->first_fold, left, block->n_folds * sizeof *left);
      fold_lane (self, points, vectors, lane);
      for (guint i = 0; i < block->n_folds; i++)
        {
          Value updated = self->values[ghlo_kernel_fold (self->kernel, points->block, i)->update];

          if (mask != NULL)
            updated = LLVMBuildSelect (self->builder, ghlo_emit_take_lanes (self, mask, lane, 1), updated, left[i], "");
          left[i] = updated;
        }
    }
  for (guint i = 0; i < block->n_folds; i++)
    LLVMBuildStore (self->builder, left[i], points->chains[i][0]);
  self->width = width;
  self->mask = mask;
}

/* Whether each parallel point reads a row of its own, from which lanes take adjacent elements. */
static gboolean
has_own_row (const Emitter          *self,
             const GhloKernelAccess *access)
{
  for (guint i = 0; i < self->kernel->n_parallel; i++)
    if (access->strides[i] == 0)
      return FALSE;

  return access->n_terms == 0 && self->kernel->n_parallel > 0 && self->lanes != GHLO_KERNEL_NONE
         && access->strides[self->lanes] == ghlo_element_info (access->type)->size;
}

/* Fetches what is read some iterations behind this one. A processor that finds the next lines by itself begins anew at
 * each page. */
static void
prefetch_behind (Emitter      *self,
                 const Points *points)
{
  const GhloKernelBlock *block = points->block;

  for (guint i = block->first_node; i < block->first_merge && block->n_folds > 0; i++)
    if (self->kernel->nodes[i].kind == GHLO_NODE_LOAD
        && has_own_row (self, &self->kernel->accesses[self->kernel->nodes[i].index]))
      ghlo_emit_prefetch (self, self->kernel->nodes[i].index, points->n * self->width, AHEAD);
}

/* Emits one vector of points. Inactive lanes keep the value of their chain. */
static void
emit_vector (Emitter  *self,
             gpointer  data,
             guint     number)
{
  const Points *points = data;
  const GhloKernelBlock *block = points->block;
  Value chains[GHLO_KERNEL_MAX_FOLDS];

  if (points->depends != NULL)
    {
      emit_in_order (self, points);
      return;
    }
  if (self->schedule->prefetches && self->schedule->lanes == GHLO_KERNEL_NONE && self->mask == NULL && number == 0)
    prefetch_behind (self, points);
  for (guint i = 0; i < block->n_folds; i++)
    {
      chains[i] = chains_at_point (self, points, i, number);
      self->left[block->first_fold + i] = LLVMBuildLoad2 (self->builder, type_of (self, points, i), chains[i], "");
    }
  ghlo_emit_nodes (self, block->first_node, block->first_merge);
  emit_stores (self, block);
  for (guint i = 0; i < block->n_folds; i++)
    {
      Value updated = ghlo_emit_widen (self, self->values[ghlo_kernel_fold (self->kernel, points->block, i)->update]);

      if (self->mask != NULL)
        updated = LLVMBuildSelect (self->builder, self->mask, updated, self->left[block->first_fold + i], "");
      LLVMBuildStore (self->builder, updated, chains[i]);
    }
}

/* @left = merge of @left and @right; both are indexed by the number of the fold in the block. */
static void
merge (Emitter      *self,
       const Points *points,
       Value        *left,
       const Value  *right)
{
  const GhloKernelBlock *block = points->block;
  const GhloEmitLanes saved = { self->width, self->lanes, self->mask };

  self->mask = NULL;
  memcpy (self->left + block->first_fold, left, block->n_folds * sizeof *left);
  memcpy (self->right + block->first_fold, right, block->n_folds * sizeof *right);
  ghlo_emit_nodes (self, block->first_merge, block->end_node);
  for (guint i = 0; i < block->n_folds; i++)
    left[i] = ghlo_emit_widen (self, self->values[ghlo_kernel_fold (self->kernel, points->block, i)->merge]);
  ghlo_emit_leave (self, saved);
}

/* Merges chains that are vectors and lanes: the upper half is merged into the lower one until a single chain,
 * @result, is left. */
static void
merge_lanes (Emitter      *self,
             const Points *points,
             Value        *result)
{
  const guint n_folds = points->block->n_folds;
  Value (*left)[GHLO_KERNEL_MAX_FOLDS] = g_malloc_n (points->n, sizeof *left);

  for (guint i = 0; i < points->n; i++)
    load_vector (self, points, i, left[i]);
  for (guint half = points->n / 2; half > 0; half /= 2)
    for (guint i = 0; i < half; i++)
      merge (self, points, left[i], left[i + half]);
  while (self->width > 1)
    {
      Value right[GHLO_KERNEL_MAX_FOLDS];

      self->width /= 2;
      for (guint i = 0; i < n_folds; i++)
        {
          right[i] = ghlo_emit_take_lanes (self, left[0][i], self->width, self->width);
          left[0][i] = ghlo_emit_take_lanes (self, left[0][i], 0, self->width);
        }
      merge (self, points, left[0], right);
    }
  memcpy (result, left[0], n_folds * sizeof *result);
  g_free (left);
}

/* The same for chains that are an array of vectors. */
static void
merge_array (Emitter      *self,
             const Points *points,
             Value        *result)
{
  const guint n_folds = points->block->n_folds;

  for (guint half = points->block->n_chains / 2; half > 0; half /= 2)
    {
      GhloEmitLoop loop = ghlo_emit_begin_loop (self, ghlo_emit_i64 (self, 0), ghlo_emit_i64 (self, half), TRUE);
      Value upper = LLVMBuildAdd (self->builder, loop.index, ghlo_emit_i64 (self, half), "");
      Value places[GHLO_KERNEL_MAX_FOLDS], left[GHLO_KERNEL_MAX_FOLDS], right[GHLO_KERNEL_MAX_FOLDS];

      for (guint i = 0; i < n_folds; i++)
        {
          places[i] = find_chains (self, points, i, loop.index);
          left[i] = LLVMBuildLoad2 (self->builder, type_of (self, points, i), places[i], "");
          right[i] = LLVMBuildLoad2 (self->builder, type_of (self, points, i),
                                     find_chains (self, points, i, upper), "");
        }
      merge (self, points, left, right);
      for (guint i = 0; i < n_folds; i++)
        LLVMBuildStore (self->builder, left[i], places[i]);
      ghlo_emit_end_loop (self, loop, ghlo_emit_i64 (self, 1));
    }
  load_vector (self, points, 0, result);
}

/* Every chain begins with the identity. */
static void
begin_chains (Emitter      *self,
              const Points *points)
{
  for (guint i = 0; i < points->block->n_folds; i++)
    {
      const GhloKernelFold *fold = ghlo_kernel_fold (self->kernel, points->block, i);
      Value identity = ghlo_emit_constant (self, fold->type, fold->identity);
      GhloEmitLoop loop;

      if (points->depends == NULL)
        identity = ghlo_emit_widen (self, identity);
      for (guint j = 0; !points->is_array && j < points->n; j++)
        LLVMBuildStore (self->builder, identity, points->chains[i][j]);
      if (!points->is_array)
        continue;
      loop = ghlo_emit_begin_loop (self, ghlo_emit_i64 (self, 0), ghlo_emit_i64 (self, points->block->n_chains), TRUE);
      LLVMBuildStore (self->builder, identity, find_chains (self, points, i, loop.index));
      ghlo_emit_end_loop (self, loop, ghlo_emit_i64 (self, 1));
    }
}

static void
merge_chains (Emitter      *self,
              const Points *points,
              Value        *result)
{
  const GhloEmitLanes saved = { self->width, self->lanes, self->mask };

  if (points->is_array)
    merge_array (self, points, result);
  else if (self->schedule->lanes != GHLO_KERNEL_NONE || points->depends != NULL)
    load_vector (self, points, 0, result);
  else
    merge_lanes (self, points, result);
  ghlo_emit_leave (self, saved);
}

/* Leaves lanes that are points of the block. */
static GhloEmitLanes
leave_lanes (Emitter *self)
{
  return ghlo_emit_enter (self, GHLO_KERNEL_NONE, 1);
}

/* Emits the points of one part. @begin and @end may be NULL, for the merged axis. */
static void
emit_part (Emitter *self,
           Points  *points,
           Value    begin,
           Value    end,
           Value   *result)
{
  const GhloEmitNest nest = { .block = points->block, .axes = points->block->axes, .begin = begin, .end = end,
                              .alignment = points->depends != NULL ? 0 : points->block->split, .n = points->n,
                              .func = emit_vector, .data = points };

  begin_chains (self, points);
  ghlo_emit_nest (self, &nest);
  if (points->block->n_folds > 0)
    merge_chains (self, points, result);
}

/* Emits the parts of the first axis one after the other. */
static void
emit_parts (Emitter *self,
            Points  *points,
            Value   *result)
{
  LLVMBuilderRef builder = self->builder;
  const guint n_folds = points->block->n_folds;
  Value extent = self->extents[__builtin_ctz (points->block->axes)], split, end, left[GHLO_KERNEL_MAX_FOLDS], is_first;
  GhloEmitLoop loop;
  GhloEmitLanes saved;

  split = ghlo_emit_i64 (self, points->block->split);
  loop = ghlo_emit_begin_pieces (self, ghlo_emit_i64 (self, 0), extent, split, &end);
  emit_part (self, points, loop.index, end, result);
  saved = leave_lanes (self);
  is_first = LLVMBuildICmp (builder, LLVMIntEQ, loop.index, ghlo_emit_i64 (self, 0), "");
  for (guint i = 0; i < n_folds; i++)
    left[i] = LLVMBuildLoad2 (builder, type_of (self, points, i), points->merged[i], "");
  merge (self, points, left, result);
  for (guint i = 0; i < n_folds; i++)
    LLVMBuildStore (builder, LLVMBuildSelect (builder, is_first, result[i], left[i], ""), points->merged[i]);
  ghlo_emit_leave (self, saved);
  ghlo_emit_end_loop (self, loop, split);
  saved = leave_lanes (self);
  for (guint i = 0; i < n_folds; i++)
    result[i] = LLVMBuildLoad2 (builder, type_of (self, points, i), points->merged[i], "");
  ghlo_emit_leave (self, saved);
}

/* Allocates variables for all chains, and for the merged result of parts. */
static void
allocate_variables (Emitter *self,
                    Points  *points)
{
  GhloEmitLanes saved;

  for (guint i = 0; i < points->block->n_folds; i++)
    {
      Type type = type_of (self, points, i);

      if (points->is_array)
        {
          points->chains[i][0] = ghlo_emit_variable (self, LLVMArrayType2 (type, points->block->n_chains));
          self->stack += (gsize) points->block->n_chains * self->width
                         * ghlo_element_info (ghlo_kernel_fold (self->kernel, points->block, i)->type)->size;
        }
      for (guint j = 0; !points->is_array && j < points->n; j++)
        points->chains[i][j] = ghlo_emit_variable (self, type);
    }
  saved = leave_lanes (self);
  for (guint i = 0; points->block->split > 0 && i < points->block->n_folds; i++)
    points->merged[i] = ghlo_emit_variable (self, type_of (self, points, i));
  ghlo_emit_leave (self, saved);
}

static guint
choose_width (Emitter               *self,
              const GhloKernelBlock *block,
              guint                  axis)
{
  if (block->n_folds == 0)
    return ghlo_emit_choose_width (self, axis);

  return block->n_chains == 1 ? 1 : CLAMP (self->schedule->width, 2, block->n_chains);
}

/* Chooses the width so that not too many nodes are emitted lane by lane. */
static guint
choose_width_in_order (Emitter      *self,
                       const Points *points)
{
  guint width = ghlo_emit_choose_width (self, points->last), n = 0;

  for (guint i = points->block->first_node; i < points->block->first_merge; i++)
    n += points->depends[i];
  while (width > 1 && width * n > MAX_IN_ORDER)
    width /= 2;

  return width;
}

/* Enters the lanes of a block, and decides how its folds lie in them. */
static GhloEmitLanes
enter_lanes (Emitter *self,
             Points  *points)
{
  const GhloKernelBlock *block = points->block;
  const gboolean is_across = self->schedule->lanes != GHLO_KERNEL_NONE;
  GhloEmitLanes saved;

  if (!is_across && ghlo_kernel_folds_in_order (self->kernel, block))
    points->depends = ghlo_kernel_depends (self->kernel, block);
  saved = ghlo_emit_enter (self, points->last, points->depends != NULL ? choose_width_in_order (self, points)
                                                                       : choose_width (self, block, points->last));
  points->is_array = is_across && block->n_chains > 1;
  points->n = is_across || block->n_folds == 0 || points->depends != NULL ? 1 : block->n_chains / self->width;

  return saved;
}

void
ghlo_emit_points (Emitter               *self,
                  const GhloKernelBlock *block)
{
  g_autofree Points *points = g_new0 (Points, 1);
  Value result[GHLO_KERNEL_MAX_FOLDS] = { NULL };
  GhloEmitLanes saved;

  points->block = self->block = block;
  points->last = ghlo_kernel_last_axis (block->axes);
  saved = enter_lanes (self, points);
  allocate_variables (self, points);
  if (block->split > 0)
    emit_parts (self, points, result);
  else
    emit_part (self, points, NULL, NULL, result);
  ghlo_emit_leave (self, saved);
  saved = leave_lanes (self);
  for (guint i = 0; i < block->n_folds; i++)
    ghlo_emit_set (self, ghlo_kernel_fold (self->kernel, points->block, i)->temporary, result[i]);
  ghlo_emit_leave (self, saved);
  self->block = NULL;
  g_free (points->depends);
}
