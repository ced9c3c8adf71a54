/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The body of cumulative.comp. Elements are combined in the same order as in src/cpu/reduce/cumulative.c.
 */

#include "common.glsl"
#include "combine.glsl"

/* Whether accumulators are wider than elements: f32 for f16 and bf16, f64 for f32. Else they are the elements' bits. */
layout (constant_id = 3) const uint IS_WIDER = 0;
layout (constant_id = 4) const uint PHASE = 0;

layout (buffer_reference, std430, buffer_reference_align = 8) readonly buffer Table
{
  WORDS (head, HEAD)    /* GhloSpirvWord */
#include "cumulative.words"
};

layout (push_constant) uniform Push
{
  Table    table;
  uint64_t first;
};

uint64_t
to_number (uint64_t bits)
{
  if (IS_WIDER == 0)
    return bits;
#ifdef WITH_F64
  return doubleBitsToUint64 (double (uintBitsToFloat (uint (bits))));
#else
  return floatBitsToUint (to_f32 (uint (bits)));
#endif
}

uint64_t
from_number (uint64_t number)
{
  if (IS_WIDER == 0)
    return number;
#ifdef WITH_F64
  return floatBitsToUint (float (uint64BitsToDouble (number)));
#else
  return from_f32 (uintBitsToFloat (uint (number)));
#endif
}

uint64_t
combine_numbers (uint64_t x, uint64_t y)
{
  if (IS_WIDER == 0)
    return combine (x, y);
#ifdef WITH_F64
  return calculate (x, y);
#else
  float a = uintBitsToFloat (uint (x)), b = uintBitsToFloat (uint (y));
  precise float result = KIND == COMBINE_MULTIPLY ? a * b : a + b;

  return floatBitsToUint (result);
#endif
}

uint64_t
element_at (uint64_t line, uint64_t i)
{
  uint64_t outer = divide (line, table.inner);

  i = table.backward != 0 ? table.n - 1 - i : i;

  return ((outer * table.n + i) * table.inner + line - outer * table.inner) * SIZE;
}

uint64_t
load (uint64_t line, uint64_t i)
{
  return to_number (load_unsigned (table.from + element_at (line, i), SIZE));
}

void
store (uint64_t line, uint64_t i, uint64_t number)
{
  store_unsigned (table.to + element_at (line, i), SIZE, from_number (number));
}

uint64_t
load_start ()
{
  return to_number (load_unsigned (table.start, SIZE));
}

void
do_line (uint64_t line)
{
  uint64_t number = load_start (), n = table.n;

  for (uint64_t i = 0; i < n && table.restarts == 0; i++)
    {
      number = combine_numbers (number, load (line, i));
      store (line, i, number);
    }
  for (uint64_t i = 0; i < n && table.restarts != 0; i++)
    {
      number = load_start ();
      for (uint64_t j = i + 1; j-- > 0;)
        number = combine_numbers (number, load (line, j));
      store (line, i, number);
    }
}

/* Returns the length of a block's segments, or 0 if it is too short to have any. */
uint64_t
segment_length (uint64_t block)
{
  uint64_t length = min (table.n - block * BLOCK, uint64_t (BLOCK)) / SEGMENTS;

  return length < MIN_SEGMENT ? 0 : length;
}

/* Whether nothing precedes a piece within its chunk. */
bool
is_first (uint64_t block, uint64_t piece)
{
  return block % CHUNK_BLOCKS == 0 && (piece == 0 || segment_length (block) == 0);
}

uint64_t
number_at (uint64_t numbers, uint64_t i)
{
  return U64 (numbers + i * 8).value;
}

void
put_number (uint64_t numbers, uint64_t i, uint64_t number)
{
  U64 (numbers + i * 8).value = number;
}

void
find_total (uint64_t point)
{
  uint64_t row = divide (point, PIECES), line = divide (row, table.n_blocks), block = row - line * table.n_blocks;
  uint64_t piece = point - row * PIECES, length = segment_length (block), begin = block * BLOCK + piece * length;
  uint64_t total;

  if (piece == SEGMENTS || length == 0)
    return;
  total = load (line, begin);
  for (uint64_t i = begin + 1; i < begin + length; i++)
    total = combine_numbers (total, load (line, i));
  put_number (table.totals, point, total);
}

void
find_insides (uint64_t point)
{
  uint64_t line = divide (point, table.n_chunks), chunk = point - line * table.n_chunks, inside = 0;
  uint64_t end = min ((chunk + 1) * CHUNK_BLOCKS, table.n_blocks);

  for (uint64_t block = chunk * CHUNK_BLOCKS; block < end; block++)
    for (uint64_t piece = 0; piece < PIECES; piece++)
      {
        uint64_t i = (line * table.n_blocks + block) * PIECES + piece;

        put_number (table.insides, i, inside);
        if (piece < SEGMENTS && segment_length (block) > 0)
          inside = is_first (block, piece) ? number_at (table.totals, i)
                                           : combine_numbers (inside, number_at (table.totals, i));
      }
  put_number (table.chunk_totals, point, inside);
}

void
find_befores (uint64_t line)
{
  uint64_t before = load_start ();

  for (uint64_t chunk = 0; chunk < table.n_chunks; chunk++)
    {
      uint64_t i = line * table.n_chunks + chunk;

      put_number (table.befores, i, before);
      before = combine_numbers (before, number_at (table.chunk_totals, i));
    }
}

void
write_results (uint64_t point)
{
  uint64_t row = divide (point, PIECES), line = divide (row, table.n_blocks), block = row - line * table.n_blocks;
  uint64_t piece = point - row * PIECES, length = segment_length (block), begin = block * BLOCK + piece * length;
  uint64_t end = piece < SEGMENTS ? begin + length : min ((block + 1) * BLOCK, table.n);
  uint64_t before = number_at (table.befores, line * table.n_chunks + block / CHUNK_BLOCKS);
  uint64_t inside = number_at (table.insides, point), total = 0;
  bool has_inside = !is_first (block, piece);

  if (piece < SEGMENTS && has_inside)
    before = combine_numbers (before, inside);
  else if (piece == SEGMENTS)
    total = inside;
  for (uint64_t i = begin; i < end; i++)
    {
      bool is_begun = i > begin || (piece == SEGMENTS && has_inside);

      total = is_begun ? combine_numbers (total, load (line, i)) : load (line, i);
      store (line, i, combine_numbers (before, total));
    }
}

void
main ()
{
  uint64_t point = first + gl_GlobalInvocationID.x;

  if (point >= table.head[END] || is_off (table.head[FLAG]))
    return;
  switch (PHASE)
    {
    case PHASE_LINES:
      do_line (point);
      break;
    case PHASE_TOTALS:
      find_total (point);
      break;
    case PHASE_INSIDES:
      find_insides (point);
      break;
    case PHASE_BEFORES:
      find_befores (point);
      break;
    default:
      write_results (point);
    }
}
