/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a workgroup copies operands of matrices to shared memory; see SpirvBlocks. What is fetched in one step is staged
 * in the next one or some steps later, so that no invocation waits for memory. In between it is kept in registers,
 * which code must address statically: so the number of steps in the body of the loop over k is that of the parts in
 * flight, or a multiple.
 *
 * If the tile and all steps of k are inside the operands, an address is that of the invocation's first piece plus an
 * offset that is the same for all invocations. Else each piece has a base of its own, and k and the position in windows
 * are checked. A piece is inside or outside as a whole, as it extends along a dimension that windows do not move along.
 * Pieces outside read zeros, so that staging does not have to wait for a check of what was fetched.
 */

#include "gpu/spirv/product-private.h"

/* Invocations that access pieces of 16 bytes at the same time, which together cover each bank once. */
enum { AT_ONCE = 8 };

static guint
log_of (guint power)
{
  return (guint) g_bit_nth_msf (power, -1);
}

void
ghlo_spirv_blocks_init (SpirvBlocks            *blocks,
                        const GhloSpirvProduct *product,
                        guint                   tensor)
{
  const GhloSpirvTile *tile = &product->tile;
  const guint extent = tensor == GHLO_SPIRV_LHS ? ghlo_spirv_tile_rows (tile) : ghlo_spirv_tile_columns (tile);
  const guint n_threads = ghlo_spirv_product_threads (product);

  blocks->tensor = tensor;
  blocks->is_inner_adjacent = product->is_inner_adjacent[tensor];
  blocks->unit = ghlo_spirv_piece (product);
  blocks->width = ghlo_spirv_step (product);
  blocks->n_steps = product->n_steps[tensor];
  blocks->length = (blocks->is_inner_adjacent ? blocks->n_steps * blocks->width : extent) / blocks->unit;
  blocks->n_across = blocks->is_inner_adjacent ? extent / blocks->n_steps : blocks->width;
  blocks->pitch = blocks->length + 1;
  blocks->n_loads = ghlo_spirv_makes_planes (product->split) ? 2 : 1;
  blocks->n_planes = ghlo_spirv_makes_planes (product->split) ? ghlo_spirv_n_planes (product->split) : 1;
  blocks->plane = blocks->pitch * blocks->n_across * blocks->n_steps;
  blocks->n_vectors = blocks->plane * blocks->n_planes;
  blocks->n_shared = 2 * blocks->n_vectors;
  if (tensor == GHLO_SPIRV_LHS)
    blocks->n_shared = MAX (blocks->n_shared,
                            tile->n_row_threads * tile->n_column_threads * ghlo_spirv_matrices_size (1));
  blocks->n_windows = product->windowed == tensor ? product->n_windows : 0;
  blocks->n_fetchers = MIN (blocks->n_across * blocks->length, n_threads);
  blocks->n_fetched = blocks->n_across * blocks->length / blocks->n_fetchers;
  blocks->n_between = blocks->n_fetchers / blocks->length;
  g_assert (blocks->n_fetched > 0 && blocks->n_fetched * blocks->n_steps <= GHLO_SPIRV_MAX_PIECES
            && blocks->n_fetched * blocks->n_loads <= GHLO_SPIRV_MAX_PIECES && blocks->n_between > 0
            && GHLO_SPIRV_ROUND % blocks->n_steps == 0 && product->distance > 0
            && product->distance <= GHLO_SPIRV_MAX_DISTANCE
            && (GHLO_SPIRV_ROUND % product->distance == 0 || product->distance % GHLO_SPIRV_ROUND == 0));
}

/* Bytes of a piece in memory. */
static guint
piece_bytes (const SpirvBlocks *blocks)
{
  return blocks->n_loads * GHLO_SPIRV_PIECE_BYTES;
}

/* Returns row @number of a block, counted from the invocation's first row. */
static Id
find_row (const SpirvProduct *product,
          const SpirvBlocks  *blocks,
          guint               number)
{
  return ghlo_spirv_add_u32 (product->spirv, blocks->high, number);
}

/* Sets base @number to the address of row or column @index of the operand, or of the last one if that is less. The last
 * piece may contain rows or columns that do not exist, but their memory does. */
static void
find_base (const SpirvProduct *product,
           SpirvBlocks        *blocks,
           guint               number,
           Id                  index)
{
  Spirv *self = product->spirv;
  const SpirvSide *side = &product->sides[blocks->tensor];
  Id last = ghlo_spirv_add_u32 (self, side->count, (guint) -1);

  if (!blocks->is_inner_adjacent)
    last = CODE (SpvOpBitwiseAnd, self->u32, last, ghlo_spirv_u32 (self, -blocks->unit));
  index = GLSL (UMin, self->u32, CODE (SpvOpIAdd, self->u32, side->first, index), last);
  blocks->bases[number] = CODE (SpvOpIAdd, self->u64, product->addresses[blocks->tensor],
                                ghlo_spirv_product_offset (product, side->role, blocks->tensor, index));
  ghlo_spirv_product_positions (product, side->role, index, blocks->n_windows, blocks->positions[number]);
}

/* Returns the stride in bytes along @role, which must have at most one dimension. */
static Id
stride_of (const SpirvProduct *product,
           const SpirvBlocks  *blocks,
           GhloSpirvRole       role)
{
  return product->product->n_dimensions[role] > 0 ? product->strides[role][0][blocks->tensor]
                                                  : ghlo_spirv_u64 (product->spirv, 0);
}

static Id
multiply (Spirv *self,
          Id     number,
          Id     stride)
{
  return CODE (SpvOpIMul, self->u64, CODE (SpvOpUConvert, self->u64, number), stride);
}

void
ghlo_spirv_blocks_find_start (const SpirvProduct *product,
                              SpirvBlocks        *blocks)
{
  Spirv *self = product->spirv;
  const SpirvSide *side = &product->sides[blocks->tensor];
  const gboolean is_short = product->product->is_short[blocks->tensor];
  Id last = ghlo_spirv_add_u32 (self, side->count, (guint) -1), low = blocks->low, start;

  if (is_short && !blocks->is_inner_adjacent)
    low = GLSL (UMin, self->u32, low, CODE (SpvOpUDiv, self->u32, last, ghlo_spirv_u32 (self, blocks->unit)));
  low = CODE (SpvOpIMul, self->u32, low, ghlo_spirv_u32 (self, piece_bytes (blocks)));
  start = CODE (SpvOpIAdd, self->u64, product->addresses[blocks->tensor], CODE (SpvOpUConvert, self->u64, low));
  blocks->across = stride_of (product, blocks, blocks->is_inner_adjacent ? side->role : GHLO_SPIRV_INNER);
  blocks->start = CODE (SpvOpIAdd, self->u64, start,
                        multiply (self, side->first, stride_of (product, blocks, side->role)));
  if (!is_short || !blocks->is_inner_adjacent)
    blocks->start = CODE (SpvOpIAdd, self->u64, blocks->start, multiply (self, blocks->high, blocks->across));
  else
    for (guint i = 0; i < blocks->n_steps * blocks->n_fetched; i++)
      {
        Id row = GLSL (UMin, self->u32, find_row (product, blocks, i * blocks->n_between), last);

        blocks->bases[i] = multiply (self, row, blocks->across);
      }
}

/* Returns the index of the invocation among those that share out a part's pieces. If there are fewer of these, others
 * fetch the same pieces. */
static Id
find_fetcher (const SpirvProduct *product,
              const SpirvBlocks  *blocks)
{
  Spirv *self = product->spirv;
  Id last = ghlo_spirv_u32 (self, blocks->n_fetchers - 1);

  return blocks->n_fetchers == product->n_threads ? product->lane
                                                  : CODE (SpvOpBitwiseAnd, self->u32, product->lane, last);
}

/* Returns the first row of a part that the invocation fetches. Eight invocations store to shared memory at once. If a
 * row has fewer pieces than that, they take rows that are as far apart as a row has pieces, and so in other banks,
 * since the pitch is odd. */
static Id
find_first_row (const SpirvProduct *product,
                const SpirvBlocks  *blocks)
{
  Spirv *self = product->spirv;
  Id lane = find_fetcher (product, blocks), low, high, rest;
  Id row = CODE (SpvOpShiftRightLogical, self->u32, lane, ghlo_spirv_u32 (self, log_of (blocks->length)));

  if (blocks->length >= AT_ONCE || blocks->n_between < AT_ONCE)
    return row;
  low = CODE (SpvOpBitwiseAnd, self->u32, row, ghlo_spirv_u32 (self, AT_ONCE / blocks->length - 1));
  low = CODE (SpvOpIMul, self->u32, low, ghlo_spirv_u32 (self, blocks->length));
  high = CODE (SpvOpBitwiseAnd, self->u32, row, ghlo_spirv_u32 (self, AT_ONCE - 1));
  high = CODE (SpvOpUDiv, self->u32, high, ghlo_spirv_u32 (self, AT_ONCE / blocks->length));
  rest = CODE (SpvOpBitwiseAnd, self->u32, row, ghlo_spirv_u32 (self, -(guint) AT_ONCE));

  return CODE (SpvOpIAdd, self->u32, rest, CODE (SpvOpIAdd, self->u32, low, high));
}

void
ghlo_spirv_blocks_begin (const SpirvProduct *product,
                         SpirvBlocks        *blocks)
{
  Spirv *self = product->spirv;
  Id n = ghlo_spirv_u32 (self, blocks->n_shared), array, column;

  blocks->vector = ghlo_spirv_unique (self->builder, SpvOpTypeVector, 0, GHLO_SPIRV_WORDS (self->u32, 4));
  array = ghlo_spirv_unique (self->builder, SpvOpTypeArray, 0, GHLO_SPIRV_WORDS (blocks->vector, n));
  blocks->shared = ghlo_spirv_global (self, SpvStorageClassWorkgroup, array);
  blocks->low = CODE (SpvOpBitwiseAnd, self->u32, product->lane, ghlo_spirv_u32 (self, blocks->length - 1));
  blocks->high = find_first_row (product, blocks);
  blocks->zeros = ghlo_spirv_product_zeros (product);
  for (guint d = 0; d < product->product->distance; d++)
    for (guint i = 0; i < blocks->n_fetched * blocks->n_loads; i++)
      blocks->held[d][i] = ghlo_spirv_variable (self, blocks->vector);
  if (product->product->has_whole_tiles)
    return;
  if (!blocks->is_inner_adjacent)
    {
      column = CODE (SpvOpIMul, self->u32, blocks->low, ghlo_spirv_u32 (self, blocks->unit));
      find_base (product, blocks, 0, column);
      return;
    }
  for (guint i = 0; i < blocks->n_steps * blocks->n_fetched; i++)
    find_base (product, blocks, i, find_row (product, blocks, i * blocks->n_between));
}

Id
ghlo_spirv_blocks_start (const SpirvProduct *product,
                         const SpirvBlocks  *blocks,
                         Id                  begin)
{
  Spirv *self = product->spirv;
  Id stride = stride_of (product, blocks, GHLO_SPIRV_INNER);

  return CODE (SpvOpIAdd, self->u64, blocks->start, multiply (self, begin, stride));
}

Id
ghlo_spirv_blocks_place (const SpirvProduct *product,
                         const SpirvBlocks  *blocks,
                         const SpirvRound   *round,
                         guint               step)
{
  Spirv *self = product->spirv;
  const guint block = step / blocks->n_steps;
  Id parity;

  if (GHLO_SPIRV_ROUND / blocks->n_steps % 2 == 0)
    return ghlo_spirv_u32 (self, block % 2 * blocks->n_vectors);
  parity = CODE (SpvOpBitwiseXor, self->u32, round->parity, ghlo_spirv_u32 (self, block % 2));

  return CODE (SpvOpIMul, self->u32, parity, ghlo_spirv_u32 (self, blocks->n_vectors));
}

/* The first step of k of a piece. */
typedef struct
{
  Id is_there, offset;                  /* whether it is before the end; its offset in bytes */
  Id positions[GHLO_SPIRV_MAX_WINDOWS];
} Inner;

/* Finds the first step of k of piece @i that the invocation fetches of @part. */
static Inner
find_inner (const SpirvProduct *product,
            const SpirvBlocks  *blocks,
            const SpirvRound   *round,
            guint               part,
            guint               i)
{
  Spirv *self = product->spirv;
  const guint block = part / blocks->n_steps * blocks->n_steps * blocks->width;
  Inner inner;
  Id index;

  if (blocks->is_inner_adjacent)
    index = ghlo_spirv_add_u32 (self, CODE (SpvOpIMul, self->u32, blocks->low, ghlo_spirv_u32 (self, blocks->unit)),
                                block);
  else
    index = find_row (product, blocks, block + part % blocks->n_steps * blocks->n_across + i * blocks->n_between);
  index = CODE (SpvOpIAdd, self->u32, round->begin, index);
  inner.is_there = CODE (SpvOpULessThan, self->boolean, index, product->end);
  inner.offset = ghlo_spirv_product_offset (product, GHLO_SPIRV_INNER, blocks->tensor, index);
  ghlo_spirv_product_positions (product, GHLO_SPIRV_INNER, index, blocks->n_windows, inner.positions);

  return inner;
}

/* Returns the address of the piece, or of zeros if it is outside. */
static Id
find_piece (const SpirvProduct *product,
            const SpirvBlocks  *blocks,
            const Inner        *inner,
            guint               part,
            guint               i)
{
  Spirv *self = product->spirv;
  const guint row = part % blocks->n_steps * blocks->n_across + i * blocks->n_between;
  const guint number = blocks->is_inner_adjacent ? row / blocks->n_between : 0;
  Id address = CODE (SpvOpIAdd, self->u64, blocks->bases[number], inner->offset), is_there;

  is_there = ghlo_spirv_product_inside (product, blocks->n_windows, blocks->positions[number], inner->positions,
                                        inner->is_there, &address);

  return ghlo_spirv_select (self, self->u64, is_there, address, blocks->zeros);
}

/* The same if everything is inside. */
static Id
find_piece_inside (const SpirvProduct *product,
                   const SpirvBlocks  *blocks,
                   const SpirvRound   *round,
                   guint               part,
                   guint               i)
{
  Spirv *self = product->spirv;
  const guint along = part / blocks->n_steps * blocks->n_steps * blocks->width;
  const guint row = part % blocks->n_steps * blocks->n_across + i * blocks->n_between;
  const guint length = GHLO_SPIRV_ROUND * blocks->width;
  Id address = round->starts[blocks->tensor][along / length], across;

  across = ghlo_spirv_u64 (self, blocks->is_inner_adjacent ? row : row + along % length);
  across = blocks->is_inner_adjacent && product->product->is_short[blocks->tensor]
           ? blocks->bases[row / blocks->n_between] : CODE (SpvOpIMul, self->u64, blocks->across, across);
  address = CODE (SpvOpIAdd, self->u64, address, across);
  if (!blocks->is_inner_adjacent || along % length == 0)
    return address;

  return CODE (SpvOpIAdd, self->u64, address,
               ghlo_spirv_u64 (self, along % length / blocks->unit * piece_bytes (blocks)));
}

void
ghlo_spirv_blocks_fetch (const SpirvProduct *product,
                         const SpirvBlocks  *blocks,
                         const SpirvRound   *round,
                         guint               part,
                         Id                 *pieces)
{
  Spirv *self = product->spirv;
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassPhysicalStorageBuffer, blocks->vector);
  Inner inner = { 0 };

  for (guint i = 0; i < blocks->n_fetched; i++)
    {
      Id address, place;

      if (!round->is_inside && (i == 0 || !blocks->is_inner_adjacent))
        inner = find_inner (product, blocks, round, part, i);
      address = round->is_inside ? find_piece_inside (product, blocks, round, part, i)
                                 : find_piece (product, blocks, &inner, part, i);
      for (guint n = 0; n < blocks->n_loads; n++)
        {
          place = n == 0 ? address
                         : CODE (SpvOpIAdd, self->u64, address, ghlo_spirv_u64 (self, n * GHLO_SPIRV_PIECE_BYTES));
          place = CODE (SpvOpConvertUToPtr, pointer, place);
          pieces[i * blocks->n_loads + n] = CODE (SpvOpLoad, blocks->vector, place, SpvMemoryAccessAlignedMask,
                                                  GHLO_SPIRV_PIECE_BYTES);
        }
    }
}

void
ghlo_spirv_blocks_stage (const SpirvProduct *product,
                         const SpirvBlocks  *blocks,
                         const SpirvRound   *round,
                         guint               part,
                         const Id           *pieces)
{
  Spirv *self = product->spirv;
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, blocks->vector);
  Id first = CODE (SpvOpIMul, self->u32, blocks->high, ghlo_spirv_u32 (self, blocks->pitch)), exit = 0;

  if (blocks->n_fetchers < product->n_threads)
    exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, product->lane,
                                            ghlo_spirv_u32 (self, blocks->n_fetchers)));
  first = CODE (SpvOpIAdd, self->u32, first, blocks->low);
  first = CODE (SpvOpIAdd, self->u32, first, ghlo_spirv_blocks_place (product, blocks, round, part));
  for (guint i = 0; i < blocks->n_fetched; i++)
    {
      const guint row = part % blocks->n_steps * blocks->n_across + i * blocks->n_between;
      Id planes[2] = { pieces[i] };

      if (ghlo_spirv_makes_planes (product->product->split))
        ghlo_spirv_split_piece (product, blocks, pieces + i * blocks->n_loads, planes);
      for (guint plane = 0; plane < blocks->n_planes; plane++)
        {
          Id place = ghlo_spirv_add_u32 (self, first, row * blocks->pitch + plane * blocks->plane);

          STATEMENT (SpvOpStore, CODE (SpvOpAccessChain, pointer, blocks->shared, place), planes[plane],
                     SpvMemoryAccessNonPrivatePointerMask);
        }
    }
  ghlo_spirv_end_if (self, exit);
}

/* Returns the variables of @part, which it shares with parts that are a multiple of the distance away. */
static const Id *
find_held (const SpirvProduct *product,
           const SpirvBlocks  *blocks,
           const SpirvRound   *round,
           guint               part)
{
  return blocks->held[(round->number * GHLO_SPIRV_ROUND + part) % product->product->distance];
}

void
ghlo_spirv_blocks_hold (const SpirvProduct *product,
                        const SpirvBlocks  *blocks,
                        const SpirvRound   *round,
                        guint               part,
                        const Id           *pieces)
{
  Spirv *self = product->spirv;
  const Id *held = find_held (product, blocks, round, part);

  for (guint i = 0; i < blocks->n_fetched * blocks->n_loads; i++)
    STATEMENT (SpvOpStore, held[i], pieces[i]);
}

void
ghlo_spirv_blocks_held (const SpirvProduct *product,
                        const SpirvBlocks  *blocks,
                        const SpirvRound   *round,
                        guint               part,
                        Id                 *pieces)
{
  Spirv *self = product->spirv;
  const Id *held = find_held (product, blocks, round, part);

  for (guint i = 0; i < blocks->n_fetched * blocks->n_loads; i++)
    pieces[i] = CODE (SpvOpLoad, blocks->vector, held[i]);
}
