/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks of points, and nodes. The chains of a fold are elements of an array, which begin with the identity, are
 * updated in the order of points, and merged half into half.
 */

#include "vulkan/spirv/emit-private.h"

#include <string.h>

static Id
emit_leaf (Spirv                *self,
           const GhloKernelNode *node)
{
  const guint bits = ghlo_element_info (node->type)->bits;
  Id value;

  switch ((GhloNodeKind) node->kind)
    {
    case GHLO_NODE_CONSTANT:
      return ghlo_spirv_constant (self, node->type, node->bits);
    case GHLO_NODE_AXIS:
    case GHLO_NODE_EXTENT:
      value = node->kind == GHLO_NODE_AXIS ? self->point[node->which] : self->extents[node->which];
      return bits == 64 ? value : CODE (SpvOpUConvert, ghlo_spirv_type (self, node->type), value);
    case GHLO_NODE_LOAD:
      return ghlo_spirv_load (self, node->which,
                              node->operands[0] != GHLO_KERNEL_NONE ? self->values[node->operands[0]] : 0);
    case GHLO_NODE_INSIDE:
      return ghlo_spirv_inside (self, node->which);
    case GHLO_NODE_TEMPORARY:
      return ghlo_spirv_get (self, node->which);
    case GHLO_NODE_LEFT:
      return self->left[node->which];
    case GHLO_NODE_RIGHT:
      return self->right[node->which];
    default:
      g_assert_not_reached ();
    }
}

static Id
emit_node (Spirv                *self,
           const GhloKernelNode *node)
{
  GhloElementType type = ghlo_kernel_operand_type (self->kernel, node);
  Id operands[3] = { 0 };

  if (ghlo_node_spec (node->kind)->role == GHLO_NODE_LEAF)
    return emit_leaf (self, node);
  for (guint i = 0; i < ghlo_node_spec (node->kind)->n_operands; i++)
    operands[i] = self->values[node->operands[i]];
  switch ((GhloNodeKind) node->kind)
    {
    case GHLO_NODE_SELECT:
      return ghlo_spirv_select (self, ghlo_spirv_type (self, node->type), operands[0], operands[1], operands[2]);
    case GHLO_NODE_CONVERT:
      return ghlo_spirv_convert (self, node->type, type, operands[0]);
    case GHLO_NODE_BITCAST:
      /* Integers have no sign: some are of the same type already. */
      return ghlo_spirv_type (self, node->type) == ghlo_spirv_type (self, type)
               ? operands[0] : CODE (SpvOpBitcast, ghlo_spirv_type (self, node->type), operands[0]);
    default:
      return ghlo_node_types (type) == GHLO_NODE_TYPES_F
               ? ghlo_spirv_float_node (self, node->kind, type, operands)
               : ghlo_spirv_integer_node (self, node->kind, type, operands);
    }
}

void
ghlo_spirv_nodes (Spirv *self,
                  guint  first,
                  guint  end)
{
  for (guint i = first; i < end; i++)
    self->values[i] = emit_node (self, &self->kernel->nodes[i]);
}

/* A block on its way. */
typedef struct
{
  const GhloKernelBlock *block;
  guint                  last;                          /* the last axis */
  Id                     chains[GHLO_KERNEL_MAX_FOLDS]; /* variables, by the fold's number in the block: arrays */
  Id                     whole[GHLO_KERNEL_MAX_FOLDS];  /* what parts so far have come to */
} Points;

static const GhloKernelFold *
fold_of (const Spirv  *self,
         const Points *points,
         guint         i)
{
  return &self->kernel->folds[points->block->first_fold + i];
}

static Id
type_of (Spirv        *self,
         const Points *points,
         guint         i)
{
  return ghlo_spirv_type (self, fold_of (self, points, i)->type);
}

static Id
find_chain (Spirv        *self,
            const Points *points,
            guint         i,
            Id            number)
{
  Id pointer = ghlo_spirv_unique (self->builder, SpvOpTypePointer, 0,
                                  GHLO_SPIRV_WORDS (SpvStorageClassFunction, type_of (self, points, i)));

  return CODE (SpvOpAccessChain, pointer, points->chains[i], number);
}

static Id
load_chain (Spirv        *self,
            const Points *points,
            guint         i,
            Id            number)
{
  return CODE (SpvOpLoad, type_of (self, points, i), find_chain (self, points, i, number));
}

static void
take_variables (Spirv  *self,
                Points *points)
{
  for (guint i = 0; i < points->block->n_folds; i++)
    {
      Id type = type_of (self, points, i);
      Id array = ghlo_spirv_unique (self->builder, SpvOpTypeArray, 0,
                                    GHLO_SPIRV_WORDS (type, ghlo_spirv_integer (self, 32, points->block->n_chains)));

      points->chains[i] = ghlo_spirv_variable (self, array);
      points->whole[i] = ghlo_spirv_variable (self, type);
    }
}

static void
begin_chains (Spirv        *self,
              const Points *points)
{
  SpirvLoop loop;

  if (points->block->n_folds == 0)
    return;
  loop = ghlo_spirv_begin_loop (self, ghlo_spirv_u64 (self, 0), ghlo_spirv_u64 (self, points->block->n_chains));
  for (guint i = 0; i < points->block->n_folds; i++)
    {
      const GhloKernelFold *fold = fold_of (self, points, i);
      Id chain = find_chain (self, points, i, loop.index);

      STATEMENT (SpvOpStore, chain, ghlo_spirv_constant (self, fold->type, fold->identity));
    }
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, 1));
}

static void
emit_stores (Spirv                 *self,
             const GhloKernelBlock *block)
{
  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    {
      const GhloKernelStore *store = &self->kernel->stores[i];

      if (store->access != GHLO_KERNEL_NONE)
        ghlo_spirv_store (self, store->access, self->values[store->node]);
      else
        ghlo_spirv_set (self, store->temporary, self->values[store->node]);
    }
}

static void
emit_point (Spirv    *self,
            gpointer  data)
{
  const Points *points = data;
  const GhloKernelBlock *block = points->block;
  Id chain = 0, n;

  if (block->n_folds > 0)
    {
      n = ghlo_spirv_u64 (self, block->n_chains);
      chain = CODE (SpvOpUMod, self->u64, self->point[points->last], n);
    }
  for (guint i = 0; i < block->n_folds; i++)
    self->left[block->first_fold + i] = load_chain (self, points, i, chain);
  ghlo_spirv_nodes (self, block->first_node, block->first_merge);
  emit_stores (self, block);
  for (guint i = 0; i < block->n_folds; i++)
    {
      Id place = find_chain (self, points, i, chain);

      STATEMENT (SpvOpStore, place, self->values[fold_of (self, points, i)->update]);
    }
}

/* What @left and @right come to, in values[merge] of each fold. */
static void
merge (Spirv        *self,
       const Points *points,
       const Id     *left,
       const Id     *right)
{
  const GhloKernelBlock *block = points->block;

  memcpy (self->left + block->first_fold, left, block->n_folds * sizeof *left);
  memcpy (self->right + block->first_fold, right, block->n_folds * sizeof *right);
  ghlo_spirv_nodes (self, block->first_merge, block->end_node);
}

static void
merge_chains (Spirv        *self,
              const Points *points)
{
  for (guint half = points->block->n_chains / 2; half > 0; half /= 2)
    {
      SpirvLoop loop = ghlo_spirv_begin_loop (self, ghlo_spirv_u64 (self, 0), ghlo_spirv_u64 (self, half));
      Id upper = CODE (SpvOpIAdd, self->u64, loop.index, ghlo_spirv_u64 (self, half));
      Id left[GHLO_KERNEL_MAX_FOLDS], right[GHLO_KERNEL_MAX_FOLDS];

      for (guint i = 0; i < points->block->n_folds; i++)
        {
          left[i] = load_chain (self, points, i, loop.index);
          right[i] = load_chain (self, points, i, upper);
        }
      merge (self, points, left, right);
      for (guint i = 0; i < points->block->n_folds; i++)
        {
          Id place = find_chain (self, points, i, loop.index);

          STATEMENT (SpvOpStore, place, self->values[fold_of (self, points, i)->merge]);
        }
      ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, 1));
    }
}

/* The points of one part; what they come to is in the first chain. */
static void
emit_part (Spirv  *self,
           Points *points,
           Id      begin,
           Id      end)
{
  begin_chains (self, points);
  ghlo_spirv_nest (self, points->block->axes, begin, end, emit_point, points);
  if (points->block->n_folds > 0)
    merge_chains (self, points);
}

/* Part after part of the first axis. */
static void
emit_parts (Spirv  *self,
            Points *points)
{
  const guint n_folds = points->block->n_folds;
  Id extent = self->extents[__builtin_ctz (points->block->axes)], zero = ghlo_spirv_u64 (self, 0);
  Id split = ghlo_spirv_u64 (self, (guint64) points->block->split), left[GHLO_KERNEL_MAX_FOLDS], is_short, is_first;
  Id right[GHLO_KERNEL_MAX_FOLDS], end;
  SpirvLoop loop = ghlo_spirv_begin_loop (self, zero, extent);

  end = CODE (SpvOpISub, self->u64, extent, loop.index);
  is_short = CODE (SpvOpSLessThan, self->boolean, end, split);
  end = ghlo_spirv_select (self, self->u64, is_short, end, split);
  end = CODE (SpvOpIAdd, self->u64, loop.index, end);
  emit_part (self, points, loop.index, end);
  is_first = CODE (SpvOpIEqual, self->boolean, loop.index, zero);
  for (guint i = 0; i < n_folds; i++)
    {
      right[i] = load_chain (self, points, i, zero);
      left[i] = CODE (SpvOpLoad, type_of (self, points, i), points->whole[i]);
    }
  merge (self, points, left, right);
  for (guint i = 0; i < n_folds; i++)
    {
      Id merged = ghlo_spirv_select (self, type_of (self, points, i), is_first, right[i],
                                     self->values[fold_of (self, points, i)->merge]);

      STATEMENT (SpvOpStore, points->whole[i], merged);
    }
  ghlo_spirv_end_loop (self, loop, split);
}

void
ghlo_spirv_points (Spirv                 *self,
                   const GhloKernelBlock *block)
{
  g_autofree Points *points = g_new0 (Points, 1);

  points->block = block;
  points->last = block->axes == 0 ? 0 : 31 - (guint) __builtin_clz (block->axes);
  take_variables (self, points);
  if (block->split > 0)
    emit_parts (self, points);
  else
    emit_part (self, points, 0, 0);
  for (guint i = 0; i < block->n_folds; i++)
    {
      Id value = block->split > 0 ? CODE (SpvOpLoad, type_of (self, points, i), points->whole[i])
                                  : load_chain (self, points, i, ghlo_spirv_u64 (self, 0));

      ghlo_spirv_set (self, fold_of (self, points, i)->temporary, value);
    }
}
