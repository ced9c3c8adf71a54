/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Emits the tree of blocks: loops with their carried values, branches, and products.
 */

#include "cpu/llvm/emit-llvm.h"

static void
copy_vector (Emitter  *self,
             gpointer  data,
             guint     number)
{
  const GhloKernelCarry *carry = data;

  ghlo_emit_set (self, carry->temporary, ghlo_emit_get (self, carry->next));
}

/* Copies what @block carries from its first or its next values. @loops is the bit mask of the axes of enclosing
 * loops. */
static void
emit_carries (Emitter               *self,
              const GhloKernelBlock *block,
              guint                  loops,
              gboolean               is_next)
{
  for (guint i = block->first_carry; i < block->first_carry + (guint) block->n_carries; i++)
    {
      GhloKernelCarry carry = self->kernel->carries[i];
      const guint axes = self->kernel->temporaries[carry.temporary].axes & ~loops;
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
emit_loop (Emitter *self,
           guint    number,
           guint    loops)
{
  const GhloKernelBlock *block = &self->kernel->blocks[number];
  const guint axis = ghlo_kernel_last_axis (block->axes);
  GhloEmitLoop loop;

  emit_carries (self, block, loops, FALSE);
  loop = ghlo_emit_begin_loop (self, ghlo_emit_i64 (self, 0), self->extents[axis], TRUE);
  self->point[axis] = loop.index;
  self->fixed |= 1u << axis;
  ghlo_emit_stop (self);
  ghlo_emit_blocks (self, number + 1, block->end, loops | block->axes);
  emit_carries (self, block, loops, TRUE);
  self->fixed &= ~(1u << axis);
  ghlo_emit_end_loop (self, loop, ghlo_emit_i64 (self, 1));
}

static void
emit_while (Emitter *self,
            guint    number,
            guint    loops)
{
  const GhloKernelBlock *block = &self->kernel->blocks[number];
  LLVMBasicBlockRef head = ghlo_emit_add_block (self), body = ghlo_emit_add_block (self);
  LLVMBasicBlockRef exit = ghlo_emit_add_block (self);

  emit_carries (self, block, loops, FALSE);
  LLVMBuildBr (self->builder, head);
  LLVMPositionBuilderAtEnd (self->builder, head);
  ghlo_emit_stop (self);
  ghlo_emit_blocks (self, number + 1, block->body, loops);
  LLVMBuildCondBr (self->builder, ghlo_emit_get (self, block->predicate), body, exit);
  LLVMPositionBuilderAtEnd (self->builder, body);
  ghlo_emit_blocks (self, block->body, block->end, loops);
  emit_carries (self, block, loops, TRUE);
  LLVMBuildBr (self->builder, head);
  LLVMPositionBuilderAtEnd (self->builder, exit);
}

static void
emit_when (Emitter *self,
           guint    number,
           guint    loops)
{
  const GhloKernelBlock *block = &self->kernel->blocks[number];
  LLVMBasicBlockRef then = ghlo_emit_add_block (self), otherwise = ghlo_emit_add_block (self);
  LLVMBasicBlockRef exit = ghlo_emit_add_block (self);

  LLVMBuildCondBr (self->builder, ghlo_emit_get (self, block->predicate), then, otherwise);
  LLVMPositionBuilderAtEnd (self->builder, then);
  ghlo_emit_blocks (self, number + 1, block->end, loops);
  emit_carries (self, block, loops, TRUE);
  LLVMBuildBr (self->builder, exit);
  LLVMPositionBuilderAtEnd (self->builder, otherwise);
  emit_carries (self, block, loops, FALSE);
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

/* Returns the number of products of each sum. */
static gint64
count_products (const Emitter         *self,
                const GhloKernelBlock *block)
{
  gint64 n = 1;

  for (guint i = 0; i < self->kernel->n_axes; i++)
    if ((block->inner & 1u << i) != 0 && __builtin_mul_overflow (n, self->kernel->axes[i].extent, &n))
      return G_MAXINT64;

  return n;
}

static void
emit_product (Emitter               *self,
              const GhloKernelBlock *block)
{
  Product product = { .block = block };
  const GhloEmitNest nest = { .axes = block->rows | block->columns, .n = 1, .inner = count_products (self, block),
                              .func = emit_sums, .data = &product };
  const guint last = ghlo_kernel_last_axis (block->columns);
  GhloEmitLanes saved = ghlo_emit_enter (self, last, ghlo_emit_choose_width (self, last));

  ghlo_emit_nest (self, &nest);
  ghlo_emit_leave (self, saved);
}

void
ghlo_emit_blocks (Emitter *self,
                  guint    first,
                  guint    end,
                  guint    loops)
{
  for (guint i = first; i < end; i = self->kernel->blocks[i].end)
    switch ((GhloBlockKind) self->kernel->blocks[i].kind)
      {
      case GHLO_BLOCK_POINTS:
        ghlo_emit_points (self, &self->kernel->blocks[i]);
        break;
      case GHLO_BLOCK_LOOP:
        emit_loop (self, i, loops);
        break;
      case GHLO_BLOCK_WHILE:
        emit_while (self, i, loops);
        break;
      case GHLO_BLOCK_IF:
        emit_when (self, i, loops);
        break;
      case GHLO_BLOCK_PRODUCT:
        emit_product (self, &self->kernel->blocks[i]);
        break;
      default:
        g_assert_not_reached ();
      }
}
