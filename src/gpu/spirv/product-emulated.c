/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Emulates matrices with scalar code on devices that have none, so that everything around them can be tested there. An
 * invocation has one row of a matrix of sums, and keeps what that needs of the operands: one row of lhs, and all
 * columns of rhs. Subgroups are 16 consecutive invocations.
 */

#include "gpu/spirv/product-private.h"
#include "kernel/lower.h"

/* Returns the numbers that an invocation keeps of a matrix. */
static guint
count_numbers (const SpirvProduct *product,
               guint               tensor)
{
  const guint n_inner = ghlo_spirv_matrix_inner (product->product);

  return (tensor == GHLO_SPIRV_LHS ? 1 : GHLO_SPIRV_MATRIX) * (tensor == GHLO_SPIRV_RESULT ? 1 : n_inner);
}

Id
ghlo_spirv_emulated_variable (const SpirvProduct *product,
                              guint               tensor)
{
  Spirv *self = product->spirv;
  Id n = ghlo_spirv_u32 (self, count_numbers (product, tensor));

  return ghlo_spirv_variable (self, ghlo_spirv_unique (self->builder, SpvOpTypeArray, 0,
                                                       GHLO_SPIRV_WORDS (product->element, n)));
}

static Id
find_number (const SpirvProduct *product,
             Id                  variable,
             Id                  index)
{
  Spirv *self = product->spirv;
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassFunction, product->element);

  return CODE (SpvOpAccessChain, pointer, variable, index);
}

/* A module has hundreds of these loops; unrolled, they would take a software driver seconds to compile. */
static SpirvLoop
begin_loop (Spirv *self,
            guint  n,
            Id    *index)
{
  SpirvLoop loop = ghlo_spirv_begin_large_loop (self, ghlo_spirv_u64 (self, 0), ghlo_spirv_u64 (self, n));

  *index = CODE (SpvOpUConvert, self->u32, loop.index);

  return loop;
}

static void
end_loop (Spirv     *self,
          SpirvLoop  loop)
{
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, 1));
}

void
ghlo_spirv_emulated_clear (const SpirvProduct *product,
                           Id                  sums)
{
  Spirv *self = product->spirv;
  Id index;
  SpirvLoop loop = begin_loop (self, GHLO_SPIRV_MATRIX, &index);

  STATEMENT (SpvOpStore, find_number (product, sums, index), ghlo_spirv_constant (self, product->number, 0));
  end_loop (self, loop);
}

void
ghlo_spirv_emulated_add (const SpirvProduct *product,
                         Id                  sums,
                         Id                  others)
{
  Spirv *self = product->spirv;
  Id index, place, a, b;
  SpirvLoop loop = begin_loop (self, GHLO_SPIRV_MATRIX, &index);

  place = find_number (product, sums, index);
  a = CODE (SpvOpLoad, product->element, place);
  b = CODE (SpvOpLoad, product->element, find_number (product, others, index));
  STATEMENT (SpvOpStore, place, CODE (SpvOpFAdd, product->element, a, b));
  end_loop (self, loop);
}

/* Returns the number at (@outer, @inner) of the matrix that begins at vector @place. */
static Id
load_number (const SpirvMatrices *matrices,
             guint                tensor,
             Id                   place,
             Id                   outer,
             Id                   inner)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const SpirvBlocks *blocks = &matrices->blocks[tensor];
  const GhloElementType stored = ghlo_kernel_stored_type (ghlo_spirv_component (product->product));
  const guint bits = ghlo_element_info (stored)->bits, n_each = 32 / bits;
  Id along = blocks->is_inner_adjacent ? inner : outer, across = blocks->is_inner_adjacent ? outer : inner;
  Id unit = ghlo_spirv_u32 (self, blocks->unit), each = ghlo_spirv_u32 (self, n_each), vector, component, word, shift;

  vector = CODE (SpvOpIMul, self->u32, across, ghlo_spirv_u32 (self, blocks->pitch));
  vector = CODE (SpvOpIAdd, self->u32, vector, CODE (SpvOpUDiv, self->u32, along, unit));
  vector = CODE (SpvOpIAdd, self->u32, vector, place);
  along = CODE (SpvOpUMod, self->u32, along, unit);
  component = CODE (SpvOpUDiv, self->u32, along, each);
  word = CODE (SpvOpAccessChain, ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, self->u32), blocks->shared,
               vector, component);
  word = CODE (SpvOpLoad, self->u32, word, SpvMemoryAccessNonPrivatePointerMask);
  shift = CODE (SpvOpIMul, self->u32, CODE (SpvOpUMod, self->u32, along, each), ghlo_spirv_u32 (self, bits));
  word = CODE (SpvOpShiftRightLogical, self->u32, word, shift);
  /* bf16 is the upper half of f32. */
  if (ghlo_spirv_makes_planes (product->product->split))
    return CODE (SpvOpBitcast, product->element,
                 CODE (SpvOpShiftLeftLogical, self->u32, word, ghlo_spirv_u32 (self, bits)));

  return ghlo_spirv_product_number (product, tensor, CODE (SpvOpUConvert, ghlo_spirv_integer_type (self, bits), word));
}

void
ghlo_spirv_emulated_load (const SpirvMatrices *matrices,
                          guint                tensor,
                          Id                   variable,
                          Id                   place)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  const guint n_inner = ghlo_spirv_matrix_inner (product->product), n = count_numbers (product, tensor);
  Id index, outer, inner, number;
  SpirvLoop loop = begin_loop (self, n, &index);

  inner = CODE (SpvOpUMod, self->u32, index, ghlo_spirv_u32 (self, n_inner));
  outer = CODE (SpvOpUDiv, self->u32, index, ghlo_spirv_u32 (self, n_inner));
  if (tensor == GHLO_SPIRV_LHS)
    outer = matrices->lane;
  number = load_number (matrices, tensor, place, outer, inner);
  STATEMENT (SpvOpStore, find_number (product, variable, index), number);
  end_loop (self, loop);
}

void
ghlo_spirv_emulated_multiply (const SpirvProduct *product,
                              Id                  a,
                              Id                  b,
                              Id                  sums)
{
  Spirv *self = product->spirv;
  const guint n_inner = ghlo_spirv_matrix_inner (product->product);
  Id index, inner, place, x, y, sum;
  SpirvLoop loop = begin_loop (self, n_inner * GHLO_SPIRV_MATRIX, &index);

  inner = CODE (SpvOpUMod, self->u32, index, ghlo_spirv_u32 (self, n_inner));
  place = find_number (product, sums, CODE (SpvOpUDiv, self->u32, index, ghlo_spirv_u32 (self, n_inner)));
  x = CODE (SpvOpLoad, product->element, find_number (product, a, inner));
  y = CODE (SpvOpLoad, product->element, find_number (product, b, index));
  sum = CODE (SpvOpLoad, product->element, place);
  if (ghlo_node_types (product->number) == GHLO_NODE_TYPES_F)
    sum = GLSL (Fma, product->element, x, y, sum);
  else
    sum = CODE (SpvOpIAdd, product->element, sum, CODE (SpvOpIMul, product->element, x, y));
  STATEMENT (SpvOpStore, place, sum);
  end_loop (self, loop);
}

void
ghlo_spirv_emulated_put (const SpirvMatrices *matrices,
                         guint                tensor,
                         Id                   sums,
                         Id                   place,
                         guint                pitch)
{
  const SpirvProduct *product = matrices->product;
  Spirv *self = product->spirv;
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, self->u32), index, vector, component, number;
  SpirvLoop loop = begin_loop (self, GHLO_SPIRV_MATRIX, &index);

  number = CODE (SpvOpLoad, product->element, find_number (product, sums, index));
  if (product->element != self->u32)
    number = CODE (SpvOpBitcast, self->u32, number);
  vector = CODE (SpvOpIMul, self->u32, matrices->lane, ghlo_spirv_u32 (self, pitch));
  vector = CODE (SpvOpIAdd, self->u32, vector, CODE (SpvOpShiftRightLogical, self->u32, index,
                                                     ghlo_spirv_u32 (self, 2)));
  vector = CODE (SpvOpIAdd, self->u32, vector, place);
  component = CODE (SpvOpBitwiseAnd, self->u32, index, ghlo_spirv_u32 (self, 3));
  place = CODE (SpvOpAccessChain, pointer, matrices->blocks[tensor].shared, vector, component);
  STATEMENT (SpvOpStore, place, number, SpvMemoryAccessNonPrivatePointerMask);
  end_loop (self, loop);
}
