/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a workgroup copies queries, keys and values to shared memory. Each invocation copies some vectors of a tile.
 * Elements outside of the tensor are 0.
 */

#include "gpu/spirv/attention-private.h"

#include "base/sizes.h"
#include "kernel/lower.h"

static guint
count_units (const SpirvAttention *self,
             const SpirvOperand   *operand)
{
  return operand->tile_rows * operand->tile_inner / ghlo_spirv_attention_unit (self->shape);
}

guint
ghlo_spirv_attention_n_fetched (const SpirvAttention *self,
                                const SpirvOperand   *operand)
{
  const guint n_threads = ghlo_spirv_attention_threads (self->shape);

  return (guint) ghlo_ceil_div (count_units (self, operand), n_threads);
}

/* Finds the row, and the position in it, of vector @number of the tile, such that neighbours in memory are fetched by
 * adjacent invocations. */
static void
find_unit (const SpirvAttention *self,
           const SpirvOperand   *operand,
           Id                    number,
           Id                   *row,
           Id                   *unit)
{
  Spirv *spirv = self->spirv;
  const guint length = operand->tile_inner / ghlo_spirv_attention_unit (self->shape);

  if ((self->shape->across >> operand->bit & 1) != 0)
    *unit = ghlo_spirv_divide (spirv, number, ghlo_spirv_u32 (spirv, operand->tile_rows), row);
  else
    *row = ghlo_spirv_divide (spirv, number, ghlo_spirv_u32 (spirv, length), unit);
}

/* Reads four elements of the row at @address, from index @at on, or zeros if @is_there does not hold. */
static void
read_four (const SpirvAttention *attention,
           const SpirvOperand   *operand,
           Id                    address,
           Id                    is_there,
           Id                    at,
           Id                   *elements)
{
  const SpirvProduct *product = operand->product;
  Spirv *self = attention->spirv;
  const GhloElementType stored = ghlo_kernel_stored_type (product->product->types[operand->tensor]);
  const gboolean in_fours = (attention->shape->fours >> operand->bit & 1) != 0;
  Id zeros = ghlo_spirv_product_zeros (product);

  for (guint i = 0; i < (in_fours ? 1 : GHLO_SPIRV_TOGETHER); i++)
    {
      Id index = ghlo_spirv_add_u32 (self, at, i);
      Id inside = CODE (SpvOpULessThan, self->boolean, index, operand->n_inner);
      Id place = CODE (SpvOpIAdd, self->u64, address,
                       ghlo_spirv_product_offset (product, operand->inner, operand->tensor, index));

      inside = CODE (SpvOpLogicalAnd, self->boolean, inside, is_there);
      place = ghlo_spirv_select (self, self->u64, inside, place, zeros);
      if (in_fours)
        ghlo_spirv_read_adjacent (self, stored, GHLO_SPIRV_TOGETHER, place, elements);
      else
        elements[i] = ghlo_spirv_read (self, stored, place);
    }
}

/* Packs two elements of 16 bits into each word. */
static Id
pack_narrow (const SpirvAttention *attention,
             const Id             *elements)
{
  Spirv *self = attention->spirv;
  Id words[GHLO_SPIRV_VECTOR];

  for (guint i = 0; i < GHLO_SPIRV_VECTOR; i++)
    {
      Id low = CODE (SpvOpUConvert, self->u32, elements[2 * i]);
      Id high = CODE (SpvOpUConvert, self->u32, elements[2 * i + 1]);

      words[i] = CODE (SpvOpBitwiseOr, self->u32, low,
                       CODE (SpvOpShiftLeftLogical, self->u32, high, ghlo_spirv_u32 (self, 16)));
    }

  return ghlo_spirv_code (self->builder, SpvOpCompositeConstruct, attention->vector, words, GHLO_SPIRV_VECTOR);
}

void
ghlo_spirv_attention_pack (const SpirvAttention *self,
                           const Id             *elements,
                           Id                   *planes)
{
  const SpirvBlocks blocks = { .vector = self->vector, .n_planes = self->shape->n_planes };
  Id loaded[2];

  if (ghlo_spirv_attention_is_narrow (self->shape))
    planes[0] = pack_narrow (self, elements);
  else if (self->shape->n_planes == 1)
    planes[0] = ghlo_spirv_attention_vector (self, elements);
  else
    {
      for (guint i = 0; i < 2; i++)
        loaded[i] = ghlo_spirv_attention_vector (self, elements + i * GHLO_SPIRV_VECTOR);
      ghlo_spirv_split_piece (self->scores, &blocks, loaded, planes);
    }
}

/* Reads vector @number of the tile whose first row is @first. */
static void
fetch (const SpirvAttention *attention,
       const SpirvOperand   *operand,
       Id                    first,
       Id                    number,
       Id                   *planes)
{
  const SpirvProduct *product = operand->product;
  Spirv *self = attention->spirv;
  const guint n = ghlo_spirv_attention_unit (attention->shape);
  const gboolean is_narrow = ghlo_spirv_attention_is_narrow (attention->shape);
  Id elements[2 * GHLO_SPIRV_VECTOR], row, unit, at, address, is_there;

  find_unit (attention, operand, number, &row, &unit);
  row = CODE (SpvOpIAdd, self->u32, first, row);
  at = CODE (SpvOpIMul, self->u32, unit, ghlo_spirv_u32 (self, n));
  is_there = CODE (SpvOpULessThan, self->boolean, row, operand->n_rows);
  address = CODE (SpvOpIAdd, self->u64, product->addresses[operand->tensor],
                  ghlo_spirv_product_offset (product, operand->rows, operand->tensor, row));
  for (guint i = 0; i < n; i += GHLO_SPIRV_TOGETHER)
    read_four (attention, operand, address, is_there, ghlo_spirv_add_u32 (self, at, i), elements + i);
  for (guint i = 0; i < n && !is_narrow; i++)
    elements[i] = ghlo_spirv_product_number (product, operand->tensor, elements[i]);
  ghlo_spirv_attention_pack (attention, elements, planes);
}

static void
store (const SpirvAttention *attention,
       const SpirvOperand   *operand,
       Id                    number,
       const Id             *planes)
{
  Spirv *self = attention->spirv;
  Id row, unit, place;

  find_unit (attention, operand, number, &row, &unit);
  place = ghlo_spirv_attention_place (attention, &operand->tile, row, unit);
  for (guint plane = 0; plane < attention->shape->n_planes; plane++)
    ghlo_spirv_attention_store (attention, ghlo_spirv_add_u32 (self, place, plane * operand->tile.plane),
                                planes[plane]);
}

/* Returns the number, in the tile, of the invocation's vector @index. The code up to ghlo_spirv_end_if () runs if that
 * exists. */
static Id
begin_unit (const SpirvAttention *attention,
            const SpirvOperand   *operand,
            Id                    index,
            Id                   *exit)
{
  Spirv *self = attention->spirv;
  const guint n = count_units (attention, operand), n_threads = ghlo_spirv_attention_threads (attention->shape);
  Id number = CODE (SpvOpIMul, self->u32, index, ghlo_spirv_u32 (self, n_threads));

  number = CODE (SpvOpIAdd, self->u32, number, attention->lane);
  *exit = 0;
  if (n % n_threads != 0)
    *exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, number, ghlo_spirv_u32 (self, n)));

  return number;
}

void
ghlo_spirv_attention_fetch (const SpirvAttention *attention,
                            const SpirvOperand   *operand,
                            Id                    first)
{
  Spirv *self = attention->spirv;
  const guint n_planes = attention->shape->n_planes;

  for (guint i = 0; i < ghlo_spirv_attention_n_fetched (attention, operand); i++)
    {
      Id planes[2], exit, number = begin_unit (attention, operand, ghlo_spirv_u32 (self, i), &exit);

      fetch (attention, operand, first, number, planes);
      for (guint plane = 0; plane < n_planes; plane++)
        STATEMENT (SpvOpStore, attention->held[i * n_planes + plane], planes[plane]);
      ghlo_spirv_end_if (attention->spirv, exit);
    }
}

void
ghlo_spirv_attention_stage (const SpirvAttention *attention,
                            const SpirvOperand   *operand)
{
  Spirv *self = attention->spirv;
  const guint n_planes = attention->shape->n_planes;

  for (guint i = 0; i < ghlo_spirv_attention_n_fetched (attention, operand); i++)
    {
      Id planes[2], exit, number = begin_unit (attention, operand, ghlo_spirv_u32 (self, i), &exit);

      for (guint plane = 0; plane < n_planes; plane++)
        planes[plane] = CODE (SpvOpLoad, attention->vector, attention->held[i * n_planes + plane]);
      store (attention, operand, number, planes);
      ghlo_spirv_end_if (attention->spirv, exit);
    }
}

void
ghlo_spirv_attention_copy_in (const SpirvAttention *attention,
                              const SpirvOperand   *operand,
                              Id                    first)
{
  Spirv *self = attention->spirv;
  Id end = ghlo_spirv_u64 (self, ghlo_spirv_attention_n_fetched (attention, operand));
  SpirvLoop loop = ghlo_spirv_begin_large_loop (self, ghlo_spirv_u64 (self, 0), end);
  Id planes[2], exit, number = begin_unit (attention, operand, CODE (SpvOpUConvert, self->u32, loop.index), &exit);

  fetch (attention, operand, first, number, planes);
  store (attention, operand, number, planes);
  ghlo_spirv_end_if (attention->spirv, exit);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, 1));
}
