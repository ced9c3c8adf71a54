/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a workgroup copies an operand's block to shared memory. Adjacent invocations take elements that are adjacent in
 * memory; in shared memory there is a row of vectors for each step of k.
 *
 * Elements past the last row or column repeat the last one: results computed from them are never stored. Elements past
 * the end of k, or outside a window, are 0.
 */

#include "gpu/spirv/product-private.h"

#include <string.h>

#include "kernel/lower.h"

/* An index with a constant part. */
typedef struct
{
  Id    base;           /* 0: none */
  guint add;
} Index;

static guint
log_of (guint power)
{
  return (guint) g_bit_nth_msf (power, -1);
}

void
ghlo_spirv_side_init (SpirvSide              *side,
                      const GhloSpirvProduct *product,
                      guint                   tensor)
{
  const GhloSpirvTile *tile = &product->tile;
  const gboolean is_inner_adjacent = product->is_inner_adjacent[tensor];
  guint n, n_across;

  side->tensor = tensor;
  side->role = tensor == GHLO_SPIRV_LHS ? GHLO_SPIRV_ROWS : GHLO_SPIRV_COLUMNS;
  side->n_threads = tensor == GHLO_SPIRV_LHS ? tile->n_row_threads : tile->n_column_threads;
  side->n_each = tensor == GHLO_SPIRV_LHS ? tile->n_rows : tile->n_columns;
  side->extent = side->n_threads * side->n_each;
  side->length = is_inner_adjacent ? tile->n_inner : side->extent;
  n_across = is_inner_adjacent ? side->extent : tile->n_inner;
  side->width = MIN (side->n_each, 4);
  /* One vector of padding, so that rows start in different banks. */
  side->pitch = side->extent / side->width + 1;
  side->n_vectors = side->pitch * tile->n_inner;
  n = side->length * n_across;
  side->n_windows = product->windowed == tensor ? product->n_windows : 0;
  side->fetches_few = n < ghlo_spirv_product_threads (product);
  side->n_fetched = MAX (n / ghlo_spirv_product_threads (product), 1);
}

static Id
add_index (Spirv *self,
           Index  index)
{
  if (index.base == 0)
    return ghlo_spirv_u32 (self, index.add);

  return ghlo_spirv_add_u32 (self, index.base, index.add);
}

/* Finds the position of the invocation's element @i: along the operand's rows or columns, and along k. */
static void
find_place (const SpirvProduct *product,
            const SpirvSide    *side,
            guint               i,
            Index              *outer,
            Index              *inner)
{
  const gboolean is_inner_adjacent = product->product->is_inner_adjacent[side->tensor];
  const guint begin = i * product->n_threads;
  const Index along = { side->low, begin % side->length }, across = { side->high, begin / side->length };

  *outer = is_inner_adjacent ? across : along;
  *inner = is_inner_adjacent ? along : across;
}

/* Finds the address of the invocation's element @i, which is in row or column @outer. */
static void
find_base (const SpirvProduct *product,
           SpirvSide          *side,
           guint               i,
           Id                  outer)
{
  Spirv *self = product->spirv;

  side->bases[i] = CODE (SpvOpIAdd, self->u64, product->addresses[side->tensor],
                         ghlo_spirv_product_offset (product, side->role, side->tensor, outer));
  ghlo_spirv_product_positions (product, side->role, outer, side->n_windows, side->positions[i]);
}

static void
find_bases (const SpirvProduct *product,
            SpirvSide          *side)
{
  Spirv *self = product->spirv;
  Id last = CODE (SpvOpISub, self->u32, side->count, ghlo_spirv_u32 (self, 1));

  for (guint i = 0; i < side->n_fetched; i++)
    {
      Index outer, before, inner;
      Id index;

      find_place (product, side, MAX (i, 1) - 1, &before, &inner);
      find_place (product, side, i, &outer, &inner);
      if (i > 0 && outer.add == before.add)
        {
          side->bases[i] = side->bases[i - 1];
          memcpy (side->positions[i], side->positions[i - 1], sizeof side->positions[i]);
          continue;
        }
      index = CODE (SpvOpIAdd, self->u32, side->first, add_index (self, outer));
      find_base (product, side, i, GLSL (UMin, self->u32, index, last));
    }
}

void
ghlo_spirv_side_begin (const SpirvProduct *product,
                       SpirvSide          *side)
{
  Spirv *self = product->spirv;
  GhloSpirvBuilder *b = self->builder;
  const guint length = side->length;
  Id n = ghlo_spirv_u32 (self, side->n_vectors), array;

  side->vector = side->width == 1 ? product->element
                 : ghlo_spirv_unique (b, SpvOpTypeVector, 0, GHLO_SPIRV_WORDS (product->element, 4));
  array = ghlo_spirv_unique (b, SpvOpTypeArray, 0, GHLO_SPIRV_WORDS (side->vector, n));
  side->shared = ghlo_spirv_global (self, SpvStorageClassWorkgroup, array);
  side->low = product->lane;
  if (length <= product->n_threads)
    {
      side->low = CODE (SpvOpBitwiseAnd, self->u32, product->lane, ghlo_spirv_u32 (self, length - 1));
      side->high = CODE (SpvOpShiftRightLogical, self->u32, product->lane, ghlo_spirv_u32 (self, log_of (length)));
    }
  find_bases (product, side);
  for (guint i = 0; i < side->n_fetched; i++)
    side->variables[i] = ghlo_spirv_variable (self, product->element);
}

/* A step of k: its offset in bytes, and whether it exists. */
typedef struct
{
  Id offset, is_there;
  Id positions[GHLO_SPIRV_MAX_WINDOWS];
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

  index = GLSL (UMin, self->u32, index, last);
  step.offset = ghlo_spirv_product_offset (product, GHLO_SPIRV_INNER, side->tensor, index);
  ghlo_spirv_product_positions (product, GHLO_SPIRV_INNER, index, side->n_windows, step.positions);

  return step;
}

void
ghlo_spirv_side_fetch (const SpirvProduct *product,
                       const SpirvSide    *side,
                       Id                  begin)
{
  Spirv *self = product->spirv;
  const GhloElementType stored = ghlo_kernel_stored_type (product->product->types[side->tensor]);
  Id zero = ghlo_spirv_unique (self->builder, SpvOpConstantNull, product->element, NULL, 0);
  Step step = { 0 };
  Index before = { 0, 0 };

  for (guint i = 0; i < side->n_fetched; i++)
    {
      Index outer, inner;
      Id value, address, is_there;

      find_place (product, side, i, &outer, &inner);
      if (i == 0 || inner.add != before.add)
        step = find_step (product, side, begin, inner);
      before = inner;
      address = CODE (SpvOpIAdd, self->u64, side->bases[i], step.offset);
      is_there = ghlo_spirv_product_inside (product, side->n_windows, side->positions[i], step.positions,
                                            step.is_there, &address);
      if (side->n_windows > 0)
        address = ghlo_spirv_select (self, self->u64, is_there, address, self->table);
      value = ghlo_spirv_product_number (product, side->tensor, ghlo_spirv_read (self, stored, address));
      value = ghlo_spirv_select (self, product->element, is_there, value, zero);
      STATEMENT (SpvOpStore, side->variables[i], value);
    }
}

/* Returns a pointer to an element in shared memory. */
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

  if (side->fetches_few)
    exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, product->lane, ghlo_spirv_u32 (self, n)));
  for (guint i = 0; i < side->n_fetched; i++)
    {
      Index outer, inner;
      Id place, value;

      find_place (product, side, i, &outer, &inner);
      place = find_shared (product, side, outer, inner);
      value = CODE (SpvOpLoad, product->element, side->variables[i]);
      STATEMENT (SpvOpStore, place, value);
    }
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
                       Id                  index)
{
  Spirv *self = product->spirv;
  Id group = CODE (SpvOpUDiv, self->u32, index, ghlo_spirv_u32 (self, side->width));
  Id place = CODE (SpvOpIMul, self->u32, side->thread, ghlo_spirv_u32 (self, side->width));

  place = CODE (SpvOpIAdd, self->u32, place,
                CODE (SpvOpIMul, self->u32, group, ghlo_spirv_u32 (self, side->n_threads * side->width)));
  place = CODE (SpvOpIAdd, self->u32, place,
                CODE (SpvOpBitwiseAnd, self->u32, index, ghlo_spirv_u32 (self, side->width - 1)));

  return CODE (SpvOpIAdd, self->u32, side->first, place);
}
