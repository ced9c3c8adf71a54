/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products with few columns, which take as long as it takes to read lhs: it is streamed from memory to registers in the
 * widest loads that its layout permits, and neither operand is staged.
 *
 * Invocations of a workgroup share out the rows of a tile and the steps of k, so that adjacent ones read adjacent
 * memory in either layout. An iteration is some chunks of adjacent steps of k, all of whose loads are issued before the
 * first product is computed. At the end the sums of the invocations along k are added pairwise.
 */

#include "gpu/spirv/product-private.h"
#include "kernel/lower.h"

enum { MAX_BASES = GHLO_SPIRV_STREAM_ROWS, MAX_INNER = GHLO_SPIRV_STREAM_INNER };

/* Numbers by row or column and step of a chunk. */
typedef Id Numbers[MAX_BASES][MAX_INNER];

/* One operand. */
typedef struct
{
  guint    tensor, n, width;            /* rows or columns of an invocation; elements per load */
  gboolean is_inner_adjacent;           /* loads run along k */
  Id       bases[MAX_BASES];            /* addresses at step 0 of k of rows or columns, or of as many as a load has */
} Source;

typedef struct
{
  SpirvProduct *product;
  guint         n_threads, n_inner_threads;     /* along rows, and along k */
  guint         n_inner, n_chunks;              /* steps of a chunk; chunks of an iteration */
  Source        sources[2];
  Id            thread, inner;                  /* the invocation's indices along rows and k */
  Id            zeros, shared;
  Id            sums[GHLO_SPIRV_STREAM_ROWS][GHLO_SPIRV_STREAM_ROWS];   /* variables */
} Stream;

static guint
log_of (guint power)
{
  return (guint) g_bit_nth_msf (power, -1);
}

/* Returns a pointer to number @index in shared memory. */
static Id
find_shared (const Stream *stream,
             Id            index)
{
  Spirv *self = stream->product->spirv;
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassWorkgroup, stream->product->element);

  return CODE (SpvOpAccessChain, pointer, stream->shared, index);
}

/* Returns the index in the tile of the first row of group @number of the invocation's adjacent rows. */
static Id
find_row (const Stream *stream,
          guint         number)
{
  Spirv *self = stream->product->spirv;
  const Source *source = &stream->sources[GHLO_SPIRV_LHS];
  const guint n_adjacent = source->is_inner_adjacent ? 1 : source->width;

  return CODE (SpvOpIMul, self->u32, ghlo_spirv_add_u32 (self, stream->thread, number * stream->n_threads),
               ghlo_spirv_u32 (self, n_adjacent));
}

/* Elements past the last row or column repeat others, whose results are not stored. */
static void
find_bases (const Stream *stream,
            Source       *source)
{
  const SpirvProduct *product = stream->product;
  Spirv *self = product->spirv;
  const SpirvSide *side = &product->sides[source->tensor];
  const guint n_adjacent = source->is_inner_adjacent ? 1 : source->width;
  Id last = ghlo_spirv_add_u32 (self, side->count, -n_adjacent);

  for (guint i = 0; i < source->n / n_adjacent; i++)
    {
      Id index = source->tensor == GHLO_SPIRV_LHS ? find_row (stream, i) : ghlo_spirv_u32 (self, i * n_adjacent);

      index = GLSL (UMin, self->u32, CODE (SpvOpIAdd, self->u32, side->first, index), last);
      source->bases[i] = CODE (SpvOpIAdd, self->u64, product->addresses[source->tensor],
                               ghlo_spirv_product_offset (product, side->role, source->tensor, index));
    }
}

static void
begin (Stream *stream)
{
  SpirvProduct *product = stream->product;
  const GhloSpirvProduct *shape = product->product;
  Spirv *self = product->spirv;
  const guint along = shape->is_inner_adjacent[GHLO_SPIRV_LHS] ? stream->n_inner_threads : stream->n_threads;
  Id low = CODE (SpvOpBitwiseAnd, self->u32, product->lane, ghlo_spirv_u32 (self, along - 1));
  Id high = CODE (SpvOpShiftRightLogical, self->u32, product->lane, ghlo_spirv_u32 (self, log_of (along)));
  Id zero = ghlo_spirv_unique (self->builder, SpvOpConstantNull, product->element, NULL, 0);

  stream->thread = shape->is_inner_adjacent[GHLO_SPIRV_LHS] ? high : low;
  stream->inner = shape->is_inner_adjacent[GHLO_SPIRV_LHS] ? low : high;
  stream->zeros = ghlo_spirv_product_zeros (product);
  for (guint i = 0; i < 2; i++)
    {
      stream->sources[i] = (Source) {
        .tensor = i, .n = i == GHLO_SPIRV_LHS ? shape->tile.n_rows : shape->tile.n_columns,
        .width = shape->stream.widths[i], .is_inner_adjacent = shape->is_inner_adjacent[i],
      };
      find_bases (stream, &stream->sources[i]);
    }
  for (guint r = 0; r < shape->tile.n_rows; r++)
    for (guint c = 0; c < shape->tile.n_columns; c++)
      {
        stream->sums[r][c] = ghlo_spirv_variable (self, product->element);
        STATEMENT (SpvOpStore, stream->sums[r][c], zero);
      }
}

/* Loads from @address, or zeros if step @index of k does not exist, which is not asked if @is_inside. */
static void
load (const Stream *stream,
      const Source *source,
      Id            address,
      Id            index,
      gboolean      is_inside,
      Id           *numbers)
{
  const SpirvProduct *product = stream->product;
  const GhloElementType stored = ghlo_kernel_stored_type (product->product->types[source->tensor]);
  Spirv *self = product->spirv;

  if (!is_inside)
    address = ghlo_spirv_select (self, self->u64, CODE (SpvOpULessThan, self->boolean, index, product->end), address,
                                 stream->zeros);
  ghlo_spirv_read_adjacent (self, stored, source->width, address, numbers);
  for (guint i = 0; i < source->width; i++)
    numbers[i] = ghlo_spirv_product_number (product, source->tensor, numbers[i]);
}

/* Loads the elements of the chunk that begins at step @index of k. */
static void
load_chunk (const Stream *stream,
            const Source *source,
            Id            index,
            gboolean      is_inside,
            Numbers       numbers)
{
  const SpirvProduct *product = stream->product;
  Spirv *self = product->spirv;
  const guint n_along = source->is_inner_adjacent ? source->width : 1;
  const guint n_across = source->is_inner_adjacent ? 1 : source->width;
  Id loaded[GHLO_SPIRV_PIECE_BYTES];

  for (guint k = 0; k < stream->n_inner; k += n_along)
    {
      Id step = ghlo_spirv_add_u32 (self, index, k);
      Id offset = ghlo_spirv_product_offset (product, GHLO_SPIRV_INNER, source->tensor, step);

      for (guint i = 0; i < source->n / n_across; i++)
        {
          load (stream, source, CODE (SpvOpIAdd, self->u64, source->bases[i], offset), step, is_inside, loaded);
          for (guint e = 0; e < source->width; e++)
            numbers[i * n_across + e % n_across][k + e / n_across] = loaded[e];
        }
    }
}

static void
add_chunk (const Stream *stream,
           Numbers       rows,
           Numbers       columns,
           Id            sums[GHLO_SPIRV_STREAM_ROWS][GHLO_SPIRV_STREAM_ROWS])
{
  const SpirvProduct *product = stream->product;

  for (guint k = 0; k < stream->n_inner; k++)
    for (guint r = 0; r < stream->sources[0].n; r++)
      for (guint c = 0; c < stream->sources[1].n; c++)
        sums[r][c] = ghlo_spirv_product_multiply_add (product, product->element, rows[r][k], columns[c][k],
                                                      sums[r][c]);
}

/* Adds the products of @n_chunks chunks of each invocation, the workgroup's first of which begins at step @first. */
static void
add_products (const Stream *stream,
              Id            first,
              guint         n_chunks,
              gboolean      is_inside)
{
  const SpirvProduct *product = stream->product;
  Spirv *self = product->spirv;
  Numbers numbers[GHLO_SPIRV_STREAM_CHUNKS][2];
  Id sums[GHLO_SPIRV_STREAM_ROWS][GHLO_SPIRV_STREAM_ROWS];

  first = CODE (SpvOpIAdd, self->u32, first,
                CODE (SpvOpIMul, self->u32, stream->inner, ghlo_spirv_u32 (self, stream->n_inner)));
  for (guint i = 0; i < n_chunks; i++)
    for (guint side = 0; side < 2; side++)
      load_chunk (stream, &stream->sources[side],
                  ghlo_spirv_add_u32 (self, first, i * stream->n_inner_threads * stream->n_inner), is_inside,
                  numbers[i][side]);
  for (guint r = 0; r < stream->sources[0].n; r++)
    for (guint c = 0; c < stream->sources[1].n; c++)
      sums[r][c] = CODE (SpvOpLoad, product->element, stream->sums[r][c]);
  for (guint i = 0; i < n_chunks; i++)
    add_chunk (stream, numbers[i][0], numbers[i][1], sums);
  for (guint r = 0; r < stream->sources[0].n; r++)
    for (guint c = 0; c < stream->sources[1].n; c++)
      STATEMENT (SpvOpStore, stream->sums[r][c], sums[r][c]);
}

/* All whole iterations, then the rest, chunk by chunk. */
static void
add_all (const Stream *stream)
{
  const SpirvProduct *product = stream->product;
  Spirv *self = product->spirv;
  const guint n_inner = product->product->tile.n_inner;
  Id rest, whole;
  SpirvLoop loop;

  ghlo_spirv_divide (self, CODE (SpvOpISub, self->u32, product->end, product->begin), ghlo_spirv_u32 (self, n_inner),
                     &rest);
  whole = CODE (SpvOpUConvert, self->u64, CODE (SpvOpISub, self->u32, product->end, rest));
  loop = ghlo_spirv_begin_large_loop (self, CODE (SpvOpUConvert, self->u64, product->begin), whole);
  add_products (stream, CODE (SpvOpUConvert, self->u32, loop.index), stream->n_chunks, TRUE);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, n_inner));
  loop = ghlo_spirv_begin_large_loop (self, whole, CODE (SpvOpUConvert, self->u64, product->end));
  add_products (stream, CODE (SpvOpUConvert, self->u32, loop.index), 1, FALSE);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, n_inner / stream->n_chunks));
}

/* Adds the sums of each invocation in the upper half of @n along k to those of one in the lower half. */
static void
add_half (const Stream *stream,
          guint         n)
{
  const SpirvProduct *product = stream->product;
  const GhloSpirvProduct *shape = product->product;
  Spirv *self = product->spirv;
  const guint half = n / 2, n_slots = product->n_threads / 2;
  Id n_halves = ghlo_spirv_u32 (self, half), at, slot, exit;

  at = CODE (SpvOpBitwiseAnd, self->u32, stream->inner, ghlo_spirv_u32 (self, half - 1));
  slot = shape->is_inner_adjacent[GHLO_SPIRV_LHS]
         ? CODE (SpvOpIAdd, self->u32, CODE (SpvOpIMul, self->u32, stream->thread, n_halves), at)
         : CODE (SpvOpIAdd, self->u32, CODE (SpvOpIMul, self->u32, at, ghlo_spirv_u32 (self, stream->n_threads)),
                 stream->thread);
  for (guint is_lower = 0; is_lower < 2; is_lower++)
    {
      Id distance = is_lower ? stream->inner : CODE (SpvOpISub, self->u32, stream->inner, n_halves);

      exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, distance, n_halves));
      for (guint r = 0; r < shape->tile.n_rows; r++)
        for (guint c = 0; c < shape->tile.n_columns; c++)
          {
            Id place = find_shared (stream, ghlo_spirv_add_u32 (self, slot, (r * shape->tile.n_columns + c) * n_slots));
            Id sum = CODE (SpvOpLoad, product->element, stream->sums[r][c]);

            if (is_lower)
              STATEMENT (SpvOpStore, stream->sums[r][c],
                         ghlo_spirv_product_add (product, sum, CODE (SpvOpLoad, product->element, place)));
            else
              STATEMENT (SpvOpStore, place, sum);
          }
      ghlo_spirv_end_if (self, exit);
      ghlo_spirv_barrier (self);
    }
}

/* Spreads the tile's elements over all invocations, so that adjacent ones finish adjacent rows. */
static void
finish (const Stream *stream)
{
  const SpirvProduct *product = stream->product;
  const GhloSpirvTile *tile = &product->product->tile;
  Spirv *self = product->spirv;
  const guint n_rows = ghlo_spirv_tile_rows (tile);
  const Source *source = &stream->sources[GHLO_SPIRV_LHS];
  const guint n_adjacent = source->is_inner_adjacent ? 1 : source->width;
  Id exit = ghlo_spirv_begin_if (self, CODE (SpvOpIEqual, self->boolean, stream->inner, ghlo_spirv_u32 (self, 0)));
  Id index, row, column;
  SpirvLoop loop;

  for (guint r = 0; r < tile->n_rows; r++)
    for (guint c = 0; c < tile->n_columns; c++)
      {
        Id place = ghlo_spirv_add_u32 (self, find_row (stream, r / n_adjacent), r % n_adjacent + c * n_rows);

        STATEMENT (SpvOpStore, find_shared (stream, place), CODE (SpvOpLoad, product->element, stream->sums[r][c]));
      }
  ghlo_spirv_end_if (self, exit);
  ghlo_spirv_barrier (self);
  loop = ghlo_spirv_begin_large_loop (self, CODE (SpvOpUConvert, self->u64, product->lane),
                                      ghlo_spirv_u64 (self, n_rows * tile->n_columns));
  index = CODE (SpvOpUConvert, self->u32, loop.index);
  row = CODE (SpvOpBitwiseAnd, self->u32, index, ghlo_spirv_u32 (self, n_rows - 1));
  row = CODE (SpvOpIAdd, self->u32, product->sides[0].first, row);
  column = CODE (SpvOpShiftRightLogical, self->u32, index, ghlo_spirv_u32 (self, log_of (n_rows)));
  column = CODE (SpvOpIAdd, self->u32, product->sides[1].first, column);
  exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, row, product->sides[0].count));
  ghlo_spirv_product_finish (product, row, column, CODE (SpvOpLoad, product->element, find_shared (stream, index)));
  ghlo_spirv_end_if (self, exit);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, product->n_threads));
}

guint
ghlo_spirv_stream_shared (const GhloSpirvProduct *product)
{
  const GhloSpirvTile *tile = &product->tile;
  const guint n_halves = product->stream.n_inner_threads > 1
                         ? ghlo_spirv_product_threads (product) / 2 * tile->n_rows * tile->n_columns : 0;

  return MAX (n_halves, ghlo_spirv_tile_rows (tile) * tile->n_columns);
}

void
ghlo_spirv_stream_body (SpirvProduct *product)
{
  const GhloSpirvProduct *shape = product->product;
  Stream stream = {
    .product = product, .n_threads = shape->tile.n_row_threads, .n_inner_threads = shape->stream.n_inner_threads,
    .n_inner = shape->stream.n_inner, .n_chunks = shape->stream.n_chunks,
    .shared = ghlo_spirv_share (product->spirv, product->number, ghlo_spirv_stream_shared (shape)),
  };

  g_assert (MAX (shape->tile.n_rows, shape->tile.n_columns) <= GHLO_SPIRV_STREAM_ROWS
            && stream.n_inner <= GHLO_SPIRV_STREAM_INNER && stream.n_chunks <= GHLO_SPIRV_STREAM_CHUNKS);
  begin (&stream);
  if (shape->epilogue != NULL)
    ghlo_spirv_epilogue_begin (product);
  add_all (&stream);
  for (guint n = stream.n_inner_threads; n > 1; n /= 2)
    add_half (&stream, n);
  finish (&stream);
}
