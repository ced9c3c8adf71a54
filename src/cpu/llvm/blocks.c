/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Emits the tree of blocks: loops with their carried values, branches, and products.
 */

#include "cpu/llvm/emit-llvm.h"

static void emit_blocks (Emitter               *self,
                         const GhloKernelBlock *block,
                         guint                  end);

static void
copy_vector (Emitter  *self,
             gpointer  data,
             guint     number)
{
  const GhloKernelCarry *carry = data;

  ghlo_emit_set (self, carry->temporary, ghlo_emit_get (self, carry->next));
}

/* Copies what @block carries from its first or its next values, in the current iterations of the loops around. */
static void
emit_carries (Emitter               *self,
              const GhloKernelBlock *block,
              gboolean               is_next)
{
  for (guint i = block->first_carry; i < block->first_carry + (guint) block->n_carries; i++)
    {
      GhloKernelCarry carry = self->kernel->carries[i];
      const guint axes = self->kernel->temporaries[carry.temporary].axes & ~self->fixed;
      const GhloEmitNest nest = { .axes = axes, .n = 1, .func = copy_vector, .data = &carry };
      const guint last = ghlo_kernel_last_axis (axes);
      GhloEmitLanes saved;

      carry.next = is_next ? carry.next : carry.first;
      if (self->kernel->temporaries[carry.temporary].axes != 0 && self->shared[carry.next] == carry.temporary)
        continue;
      saved = ghlo_emit_enter (self, last, ghlo_emit_choose_width (self, last));
      ghlo_emit_nest (self, &nest);
      ghlo_emit_leave (self, saved);
    }
}

static void
emit_loop (Emitter               *self,
           const GhloKernelBlock *block)
{
  const guint axis = ghlo_kernel_last_axis (block->axes);
  GhloEmitLoop loop;

  emit_carries (self, block, FALSE);
  loop = ghlo_emit_begin_loop (self, ghlo_emit_i64 (self, 0), self->extents[axis], TRUE);
  self->point[axis] = loop.index;
  self->fixed |= block->axes;
  ghlo_emit_stop_at (self, loop.index);
  emit_blocks (self, block + 1, block->end);
  emit_carries (self, block, TRUE);
  self->fixed &= ~(guint) block->axes;
  ghlo_emit_end_loop (self, loop, ghlo_emit_i64 (self, 1));
}

static void
emit_while (Emitter               *self,
            const GhloKernelBlock *block)
{
  LLVMBasicBlockRef head = ghlo_emit_add_block (self), body = ghlo_emit_add_block (self);
  LLVMBasicBlockRef exit = ghlo_emit_add_block (self), before;
  Value count, next;

  emit_carries (self, block, FALSE);
  before = LLVMGetInsertBlock (self->builder);
  LLVMBuildBr (self->builder, head);
  LLVMPositionBuilderAtEnd (self->builder, head);
  count = LLVMBuildPhi (self->builder, self->i64, "");
  ghlo_emit_stop_at (self, count);
  emit_blocks (self, block + 1, block->body);
  LLVMBuildCondBr (self->builder, ghlo_emit_get (self, block->predicate), body, exit);
  LLVMPositionBuilderAtEnd (self->builder, body);
  emit_blocks (self, &self->kernel->blocks[block->body], block->end);
  emit_carries (self, block, TRUE);
  next = LLVMBuildAdd (self->builder, count, ghlo_emit_i64 (self, 1), "");
  LLVMAddIncoming (count, (Value[]) { ghlo_emit_i64 (self, 0), next },
                   (LLVMBasicBlockRef[]) { before, LLVMGetInsertBlock (self->builder) }, 2);
  LLVMBuildBr (self->builder, head);
  LLVMPositionBuilderAtEnd (self->builder, exit);
}

static void
emit_if (Emitter               *self,
         const GhloKernelBlock *block)
{
  LLVMBasicBlockRef then = ghlo_emit_add_block (self), otherwise = ghlo_emit_add_block (self);
  LLVMBasicBlockRef exit = ghlo_emit_add_block (self);

  LLVMBuildCondBr (self->builder, ghlo_emit_get (self, block->predicate), then, otherwise);
  LLVMPositionBuilderAtEnd (self->builder, then);
  emit_blocks (self, block + 1, block->end);
  emit_carries (self, block, TRUE);
  LLVMBuildBr (self->builder, exit);
  LLVMPositionBuilderAtEnd (self->builder, otherwise);
  emit_carries (self, block, FALSE);
  LLVMBuildBr (self->builder, exit);
  LLVMPositionBuilderAtEnd (self->builder, exit);
}

/* One vector of the results of a product. */
typedef struct
{
  const GhloKernelBlock *block;
  Value                  sum;           /* variable in the frame */
} Product;

static Value
emit_factor (Emitter                *self,
             const GhloKernelFactor *factor)
{
  return factor->access != GHLO_KERNEL_NONE ? ghlo_emit_load (self, factor->access, NULL)
                                            : ghlo_emit_get (self, factor->temporary);
}

static void
add_products (Emitter  *self,
              gpointer  data,
              guint     number)
{
  const Product *product = data;
  const GhloKernelBlock *block = product->block;
  Value left = emit_factor (self, &block->left), right = emit_factor (self, &block->right), sum;

  sum = LLVMBuildLoad2 (self->builder, LLVMGetAllocatedType (product->sum), product->sum, "");
  sum = ghlo_emit_fma (self, self->kernel->temporaries[block->result].type, left, right, sum);
  LLVMBuildStore (self->builder, sum, product->sum);
}

static void
emit_sums (Emitter  *self,
           gpointer  data,
           guint     number)
{
  Product *product = data;
  const GhloKernelBlock *block = product->block;
  const GhloEmitNest nest = { .axes = block->inner, .n = 1, .func = add_products, .data = product };
  Type type = ghlo_emit_vector (self, ghlo_emit_type (self, self->kernel->temporaries[block->result].type));

  product->sum = ghlo_emit_variable (self, type);
  LLVMBuildStore (self->builder, LLVMConstNull (type), product->sum);
  ghlo_emit_nest (self, &nest);
  ghlo_emit_set (self, block->result, LLVMBuildLoad2 (self->builder, type, product->sum, ""));
}

static void
emit_product (Emitter               *self,
              const GhloKernelBlock *block)
{
  Product product = { .block = block };
  const GhloEmitNest nest = { .axes = block->rows | block->columns, .n = 1,
                              .inner = ghlo_kernel_count_points (self->kernel, block->inner), .func = emit_sums,
                              .data = &product };
  const guint last = ghlo_kernel_last_axis (block->columns);
  GhloEmitLanes saved = ghlo_emit_enter (self, last, ghlo_emit_choose_width (self, last));

  ghlo_emit_nest (self, &nest);
  ghlo_emit_leave (self, saved);
}

/* Emits @block and its siblings up to block @end. */
static void
emit_blocks (Emitter               *self,
             const GhloKernelBlock *block,
             guint                  end)
{
  static void (*const functions[GHLO_N_BLOCKS]) (Emitter *self, const GhloKernelBlock *block) = {
    [GHLO_BLOCK_POINTS] = ghlo_emit_points,
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
ghlo_emit_blocks (Emitter *self)
{
  emit_blocks (self, self->kernel->blocks, self->kernel->n_blocks);
}
