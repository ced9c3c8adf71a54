/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tree of blocks: loops with the values they carry, branches, and products.
 */

#include "gpu/spirv/emit-private.h"

static void emit_blocks (Spirv                 *self,
                         const GhloKernelBlock *block,
                         guint                  end);

static void
copy_element (Spirv    *self,
              gpointer  data)
{
  const GhloKernelCarry *carry = data;

  ghlo_spirv_set (self, carry->temporary, ghlo_spirv_get (self, carry->next));
}

/* Sets what @block carries to the first or the next values. */
static void
emit_carries (Spirv                 *self,
              const GhloKernelBlock *block,
              gboolean               is_next)
{
  const guint loops = ghlo_kernel_loops_around (self->kernel, block);

  for (guint i = block->first_carry; i < block->first_carry + (guint) block->n_carries; i++)
    {
      GhloKernelCarry carry = self->kernel->carries[i];
      const guint axes = self->kernel->temporaries[carry.temporary].axes, spread = axes & ~loops;

      carry.next = is_next ? carry.next : carry.first;
      if (axes == 0)
        copy_element (self, &carry);
      else
        ghlo_spirv_spread (self, spread, ghlo_spirv_count_unrolled (self, spread, 1), copy_element, &carry);
      if (ghlo_spirv_shares_carry (self, &carry))
        ghlo_spirv_shared_barrier (self);
    }
}

static void
emit_loop (Spirv                 *self,
           const GhloKernelBlock *block)
{
  const guint axis = ghlo_kernel_last_axis (block->axes);
  SpirvLoop loop;

  emit_carries (self, block, FALSE);
  loop = ghlo_spirv_begin_loop (self, ghlo_spirv_u64 (self, 0), self->extents[axis]);
  self->point[axis] = loop.index;
  self->n_loops++;
  emit_blocks (self, block + 1, block->end);
  emit_carries (self, block, TRUE);
  self->n_loops--;
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, 1));
}

/* If the predicate is in shared memory, all invocations of a workgroup must read it before any of them overwrites
 * it. */
static Id
get_predicate (Spirv                 *self,
               const GhloKernelBlock *block)
{
  Id predicate = ghlo_spirv_get (self, block->predicate);

  if (self->places[block->predicate] == SPIRV_SHARED)
    ghlo_spirv_shared_barrier (self);

  return predicate;
}

static void
emit_while (Spirv                 *self,
            const GhloKernelBlock *block)
{
  GhloSpirvBuilder *b = self->builder;
  Id head = ghlo_spirv_new_id (b), test = ghlo_spirv_new_id (b), body = ghlo_spirv_new_id (b);
  Id next = ghlo_spirv_new_id (b), exit = ghlo_spirv_new_id (b), goes_on;

  emit_carries (self, block, FALSE);
  STATEMENT (SpvOpBranch, head);
  STATEMENT (SpvOpLabel, head);
  STATEMENT (SpvOpLoopMerge, exit, next, SpvLoopControlMaskNone);
  STATEMENT (SpvOpBranch, test);
  STATEMENT (SpvOpLabel, test);
  self->n_loops++;
  emit_blocks (self, block + 1, block->body);
  goes_on = get_predicate (self, block);
  STATEMENT (SpvOpBranchConditional, goes_on, body, exit);
  STATEMENT (SpvOpLabel, body);
  emit_blocks (self, &self->kernel->blocks[block->body], block->end);
  emit_carries (self, block, TRUE);
  self->n_loops--;
  STATEMENT (SpvOpBranch, next);
  STATEMENT (SpvOpLabel, next);
  STATEMENT (SpvOpBranch, head);
  STATEMENT (SpvOpLabel, exit);
}

static void
emit_if (Spirv                 *self,
         const GhloKernelBlock *block)
{
  Id then = ghlo_spirv_new_id (self->builder), otherwise = ghlo_spirv_new_id (self->builder);
  Id exit = ghlo_spirv_new_id (self->builder), predicate = get_predicate (self, block);

  STATEMENT (SpvOpSelectionMerge, exit, SpvSelectionControlMaskNone);
  STATEMENT (SpvOpBranchConditional, predicate, then, otherwise);
  STATEMENT (SpvOpLabel, then);
  emit_blocks (self, block + 1, block->end);
  emit_carries (self, block, TRUE);
  STATEMENT (SpvOpBranch, exit);
  STATEMENT (SpvOpLabel, otherwise);
  emit_carries (self, block, FALSE);
  STATEMENT (SpvOpBranch, exit);
  STATEMENT (SpvOpLabel, exit);
}

/* The state of a product that is being emitted. */
typedef struct
{
  const GhloKernelBlock *block;
  Id                     sum;           /* variable */
} Product;

static Id
emit_factor (Spirv                  *self,
             const GhloKernelFactor *factor)
{
  return factor->access != GHLO_KERNEL_NONE ? ghlo_spirv_load (self, factor->access, 0)
                                            : ghlo_spirv_get (self, factor->temporary);
}

static void
add_product (Spirv    *self,
             gpointer  data)
{
  const Product *product = data;
  GhloElementType type = self->kernel->temporaries[product->block->result].type;
  Id left = emit_factor (self, &product->block->left), right = emit_factor (self, &product->block->right);
  const Id operands[] = { left, right, CODE (SpvOpLoad, ghlo_spirv_type (self, type), product->sum) };
  Id sum = ghlo_spirv_float_node (self, GHLO_NODE_FMA, type, operands);

  STATEMENT (SpvOpStore, product->sum, sum);
}

static void
emit_sum (Spirv    *self,
          gpointer  data)
{
  const Product *product = data;
  const GhloKernelBlock *block = product->block;
  GhloElementType type = self->kernel->temporaries[block->result].type;

  STATEMENT (SpvOpStore, product->sum, ghlo_spirv_constant (self, type, 0));
  ghlo_spirv_nest (self, (SpirvNest) { .axes = block->inner }, add_product, data);
  ghlo_spirv_set (self, block->result, CODE (SpvOpLoad, ghlo_spirv_type (self, type), product->sum));
}

static void
emit_product (Spirv                 *self,
              const GhloKernelBlock *block)
{
  GhloElementType type = self->kernel->temporaries[block->result].type;
  Product product = { block, ghlo_spirv_variable (self, ghlo_spirv_type (self, type)) };

  if (ghlo_spirv_is_for_all (self, block))
    emit_sum (self, &product);
  else
    ghlo_spirv_spread (self, block->rows | block->columns, ghlo_spirv_count_unrolled_in (self, block), emit_sum,
                       &product);
  ghlo_spirv_end_block (self, block);
}

/* Emits @block and its siblings up to block @end. */
static void
emit_blocks (Spirv                 *self,
             const GhloKernelBlock *block,
             guint                  end)
{
  static void (*const functions[GHLO_N_BLOCKS]) (Spirv *self, const GhloKernelBlock *block) = {
    [GHLO_BLOCK_POINTS] = ghlo_spirv_points,
    [GHLO_BLOCK_LOOP] = emit_loop,
    [GHLO_BLOCK_WHILE] = emit_while,
    [GHLO_BLOCK_IF] = emit_if,
    [GHLO_BLOCK_PRODUCT] = emit_product,
  };
  const GhloKernelBlock *blocks = self->kernel->blocks;

  for (; block < blocks + end; block = blocks + block->end)
    functions[block->kind] (self, block);
}

void
ghlo_spirv_blocks (Spirv *self)
{
  emit_blocks (self, self->kernel->blocks, self->kernel->n_blocks);
}
