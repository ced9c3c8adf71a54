/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a workgroup brings an operand's block to shared memory. The invocations take its elements in turn, neighbours
 * those that lie closest in memory; in shared memory there is a row of vectors for each step of k.
 *
 * What is beyond the last row or column is read as if it were the last: nobody stores what becomes of it. What is
 * beyond the end of k is 0.
 */

#include "kernel/lower.h"
#include "vulkan/spirv/product-private.h"

/* An index of which a part is known. */
typedef struct
{
  Id    base;           /* 0: nothing */
  guint add;
} Index;

static guint
log_of (guint power)
{
  return (guint) g_bit_nth_msf (power, -1);
}

static guint
shared_pitch (guint extent,
              guint width)
{
  return extent / width + 1;            /* so that what is staged side by side lies in several banks */
}

void
ghlo_spirv_side_init (SpirvProduct *product,
                      guint         tensor)
{
  const GhloSpirvTile *tile = &product->product->tile;
  SpirvSide *side = &product->sides[tensor];
  guint n;

  side->tensor = tensor;
  side->role = tensor == GHLO_SPIRV_LHS ? GHLO_SPIRV_ROWS : GHLO_SPIRV_COLUMNS;
  side->n_threads = tensor == GHLO_SPIRV_LHS ? tile->n_row_threads : tile->n_column_threads;
  side->n_each = tensor == GHLO_SPIRV_LHS ? tile->n_rows : tile->n_columns;
  side->width = MIN (side->n_each, 4);
  side->extent = side->n_threads * side->n_each;
  side->pitch = shared_pitch (side->extent, side->width);
  n = side->extent * tile->n_inner;
  side->brings_few = n < product->n_threads;
  side->n_brought = MAX (n / product->n_threads, 1);
}

gsize
ghlo_spirv_product_shared (const GhloSpirvProduct *product)
{
  const GhloSpirvTile *tile = &product->tile;
  const guint row_width = MIN (tile->n_rows, 4), column_width = MIN (tile->n_columns, 4);
  const gsize n = (gsize) row_width * shared_pitch (ghlo_spirv_tile_rows (tile), row_width)
                  + (gsize) column_width * shared_pitch (ghlo_spirv_tile_columns (tile), column_width);

  return n * tile->n_inner * MAX (ghlo_element_info (product->accumulator)->size, 4);
}

static Id
add_index (Spirv *self,
           Index  index)
{
  if (index.base == 0)
    return ghlo_spirv_u32 (self, index.add);

  return ghlo_spirv_add_u32 (self, index.base, index.add);
}

/* The place of element @i that the invocation brings: along the operand's rows or columns, and along k. */
static void
find_place (const SpirvProduct *product,
            const SpirvSide    *side,
            guint               i,
            Index              *outer,
            Index              *inner)
{
  const gboolean is_inner_adjacent = product->product->is_inner_adjacent[side->tensor];
  const guint length = is_inner_adjacent ? product->product->tile.n_inner : side->extent;
  const guint begin = i * product->n_threads;
  const Index along = { side->low, begin % length }, across = { side->high, begin / length };

  *outer = is_inner_adjacent ? across : along;
  *inner = is_inner_adjacent ? along : across;
}

/* Each invocation's first address of each element that it brings. */
static void
find_bases (const SpirvProduct *product,
            SpirvSide          *side)
{
  Spirv *self = product->spirv;
  Id last = CODE (SpvOpISub, self->u32, side->count, ghlo_spirv_u32 (self, 1));

  for (guint i = 0; i < side->n_brought; i++)
    {
      Index outer, before, inner;
      Id index;

      find_place (product, side, MAX (i, 1) - 1, &before, &inner);
      find_place (product, side, i, &outer, &inner);
      if (i > 0 && outer.add == before.add)
        {
          side->bases[i] = side->bases[i - 1];
          continue;
        }
      index = CODE (SpvOpIAdd, self->u32, side->first, add_index (self, outer));
      index = GLSL (UMin, self->u32, index, last);
      side->bases[i] = CODE (SpvOpIAdd, self->u64, product->addresses[side->tensor],
                             ghlo_spirv_product_offset (product, side->role, side->tensor, index));
    }
}

void
ghlo_spirv_side_begin (const SpirvProduct *product,
                       SpirvSide          *side)
{
  Spirv *self = product->spirv;
  GhloSpirvBuilder *b = self->builder;
  const gboolean is_inner_adjacent = product->product->is_inner_adjacent[side->tensor];
  const guint length = is_inner_adjacent ? product->product->tile.n_inner : side->extent;
  const guint n = side->pitch * product->product->tile.n_inner;

  side->vector = side->width == 1 ? product->element
                 : ghlo_spirv_unique (b, SpvOpTypeVector, 0, GHLO_SPIRV_WORDS (product->element, side->width));
  side->shared = ghlo_spirv_global (self, SpvStorageClassWorkgroup,
                                    ghlo_spirv_unique (b, SpvOpTypeArray, 0,
                                                       GHLO_SPIRV_WORDS (side->vector, ghlo_spirv_u32 (self, n))));
  side->low = product->lane;
  if (length <= product->n_threads)
    {
      side->low = CODE (SpvOpBitwiseAnd, self->u32, product->lane, ghlo_spirv_u32 (self, length - 1));
      side->high = CODE (SpvOpShiftRightLogical, self->u32, product->lane, ghlo_spirv_u32 (self, log_of (length)));
    }
  find_bases (product, side);
  for (guint i = 0; i < side->n_brought; i++)
    side->variables[i] = ghlo_spirv_variable (self, product->element);
}

/* A step of k, where the part of it that is known is @step.add. */
typedef struct
{
  Id offset, is_there;
} Step;

static Step
find_step (const SpirvProduct *product,
           const SpirvSide    *side,
           Id                  begin,
           Index               inner)
{
  Spirv *self = product->spirv;
  Id index = CODE (SpvOpIAdd, self->u32, begin, add_index (self, inner));
  Id last = CODE (SpvOpISub, self->u32, product->end, ghlo_spirv_u32 (self, 1));
  Step step = { .is_there = CODE (SpvOpULessThan, self->boolean, index, product->end) };

  step.offset = ghlo_spirv_product_offset (product, GHLO_SPIRV_INNER, side->tensor,
                                           GLSL (UMin, self->u32, index, last));

  return step;
}

void
ghlo_spirv_side_fetch (const SpirvProduct *product,
                       const SpirvSide    *side,
                       Id                  begin)
{
  Spirv *self = product->spirv;
  const GhloElementType stored = ghlo_kernel_stored_type (product->product->types[side->tensor]);
  Step step = { 0, 0 };
  Index before = { 0, 0 };

  for (guint i = 0; i < side->n_brought; i++)
    {
      Index outer, inner;
      Id value;

      find_place (product, side, i, &outer, &inner);
      if (i == 0 || inner.add != before.add)
        step = find_step (product, side, begin, inner);
      before = inner;
      value = ghlo_spirv_read (self, stored, CODE (SpvOpIAdd, self->u64, side->bases[i], step.offset));
      value = ghlo_spirv_product_number (product, side->tensor, value);
      value = ghlo_spirv_select (self, product->element, step.is_there, value,
                                 ghlo_spirv_constant (self, product->number, 0));
      STATEMENT (SpvOpStore, side->variables[i], value);
    }
}

/* A pointer to one element in shared memory. */
static Id
find_shared (const SpirvProduct *product,
             const SpirvSide    *side,
             Index               outer,
             Index               inner)
{
  Spirv *self = product->spirv;
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, product->element);
  Id place = CODE (SpvOpIMul, self->u32, add_index (self, inner), ghlo_spirv_u32 (self, side->pitch));
  Id index = add_index (self, outer);

  if (side->width == 1)
    return CODE (SpvOpAccessChain, pointer, side->shared, CODE (SpvOpIAdd, self->u32, place, index));
  place = CODE (SpvOpIAdd, self->u32, place,
                CODE (SpvOpShiftRightLogical, self->u32, index, ghlo_spirv_u32 (self, log_of (side->width))));
  index = CODE (SpvOpBitwiseAnd, self->u32, index, ghlo_spirv_u32 (self, side->width - 1));

  return CODE (SpvOpAccessChain, pointer, side->shared, place, index);
}

void
ghlo_spirv_side_stage (const SpirvProduct *product,
                       const SpirvSide    *side)
{
  Spirv *self = product->spirv;
  const guint n = side->extent * product->product->tile.n_inner;
  Id exit = 0;

  if (side->brings_few)
    exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, product->lane, ghlo_spirv_u32 (self, n)));
  for (guint i = 0; i < side->n_brought; i++)
    {
      Index outer, inner;
      Id place, value;

      find_place (product, side, i, &outer, &inner);
      place = find_shared (product, side, outer, inner);
      value = CODE (SpvOpLoad, product->element, side->variables[i]);
      STATEMENT (SpvOpStore, place, value);
    }
  if (exit != 0)
    ghlo_spirv_end_if (self, exit);
}

Id
ghlo_spirv_side_load (const SpirvProduct *product,
                      const SpirvSide    *side,
                      Id                  begin,
                      guint               inner,
                      guint               group)
{
  Spirv *self = product->spirv;
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, side->vector);
  Id index = CODE (SpvOpIMul, self->u32, begin, ghlo_spirv_u32 (self, side->pitch));

  index = CODE (SpvOpIAdd, self->u32, index, side->thread);
  index = ghlo_spirv_add_u32 (self, index, inner * side->pitch + group * side->n_threads);

  return CODE (SpvOpLoad, side->vector, CODE (SpvOpAccessChain, pointer, side->shared, index));
}

Id
ghlo_spirv_side_index (const SpirvProduct *product,
                       const SpirvSide    *side,
                       guint               index)
{
  Spirv *self = product->spirv;
  const guint group = index / side->width;
  Id place = CODE (SpvOpIMul, self->u32, side->thread, ghlo_spirv_u32 (self, side->width));

  place = ghlo_spirv_add_u32 (self, place, group * side->n_threads * side->width + index % side->width);

  return CODE (SpvOpIAdd, self->u32, side->first, place);
}
