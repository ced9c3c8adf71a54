/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The body of cumulative.comp. Elements are combined in the same order as in src/cpu/reduce/cumulative.c.
 */

#include "common.glsl"
#include "combine.glsl"

/* Whether accumulators are wider than elements: f32 for f16 and bf16, f64 for f32. Else they are the elements' bits. */
layout (constant_id = 3) const uint IS_WIDER = 0;
layout (constant_id = 4) const uint PHASE = 0;
/* Elements of a line that are loaded before the first of them is combined. */
layout (constant_id = 6) const uint AHEAD = 2;
/* Whether a workgroup has blocks, whose elements are adjacent, in shared memory; else a piece has an invocation. */
layout (constant_id = 5) const uint IS_STAGED = 0;

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

/* Bits of elements or numbers, whose upper halves are apart. A word behind each segment keeps invocations from waiting
 * for the same bank. */
#define STAGED (2 * BLOCK + 2 * SEGMENTS)

shared uint staged[STAGED];

/* Blocks that are staged together. */
#define STAGED_ROWS (SIZE == 8 ? 1ul : 2ul)

uint
slot_of (uint i)
{
  return i + i / (BLOCK / SEGMENTS);
}

uint64_t
load_staged (uint i, bool is_wide)
{
  return packUint2x32 (uvec2 (staged[slot_of (i)], is_wide ? staged[STAGED / 2 + slot_of (i)] : 0));
}

void
store_staged (uint i, bool is_wide, uint64_t bits)
{
  staged[slot_of (i)] = uint (bits);
  if (is_wide)
    staged[STAGED / 2 + slot_of (i)] = uint (bits >> 32);
}

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

  for (uint64_t i = 0; i < n && table.restarts == 0; i += AHEAD)
    {
      uint64_t numbers[AHEAD];

      UNROLL for (uint j = 0; j < AHEAD; j++)
        numbers[j] = load (line, min (i + j, n - 1));
      UNROLL for (uint j = 0; j < AHEAD; j++)
        if (i + j < n)
          {
            number = combine_numbers (number, numbers[j]);
            store (line, i + j, number);
          }
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

/* Returns element @i of row @row, which is block @block of line @line. */
uint64_t
load_in_row (uint64_t row, uint64_t line, uint64_t block, uint64_t i)
{
  if (IS_STAGED == 0)
    return load (line, block * BLOCK + i);

  return to_number (load_staged (uint (row % STAGED_ROWS * BLOCK + i), SIZE == 8));
}

void
store_in_row (uint64_t row, uint64_t line, uint64_t block, uint64_t i, uint64_t number)
{
  if (IS_STAGED == 0)
    store (line, block * BLOCK + i, number);
  else
    store_staged (uint (row % STAGED_ROWS * BLOCK + i), SIZE == 8, from_number (number));
}

void
find_total (uint64_t point)
{
  uint64_t row = divide (point, PIECES), line = divide (row, table.n_blocks), block = row - line * table.n_blocks;
  uint64_t piece = point - row * PIECES, length = segment_length (block), begin = piece * length, total;

  if (piece == SEGMENTS || length == 0)
    return;
  total = load_in_row (row, line, block, begin);
  for (uint64_t i = begin + 1; i < begin + length; i++)
    total = combine_numbers (total, load_in_row (row, line, block, i));
  put_number (table.totals, point, total);
}

/* A workgroup finds the prefixes of the pieces of a chunk. */
void
find_insides (uint64_t point)
{
  uint64_t line = divide (point, table.n_chunks), chunk = point - line * table.n_chunks, inside = 0;
  uint64_t begin = chunk * CHUNK_BLOCKS, at = (line * table.n_blocks + begin) * PIECES;
  uint n = uint (min (CHUNK_BLOCKS, table.n_blocks - begin)) * PIECES;

  for (uint i = gl_LocalInvocationID.x; i < n; i += GROUP)
    store_staged (i, true, number_at (table.totals, at + i));
  barrier ();
  if (gl_LocalInvocationID.x == 0)
    {
      for (uint i = 0; i < n; i++)
        {
          uint64_t block = begin + i / PIECES, piece = i % PIECES, total = load_staged (i, true);

          store_staged (i, true, inside);
          if (piece < SEGMENTS && segment_length (block) > 0)
            inside = is_first (block, piece) ? total : combine_numbers (inside, total);
        }
      put_number (table.chunk_totals, point, inside);
    }
  barrier ();
  for (uint i = gl_LocalInvocationID.x; i < n; i += GROUP)
    put_number (table.insides, at + i, load_staged (i, true));
}

/* A workgroup finds the prefixes of the chunks of a line. */
void
find_befores (uint64_t line)
{
  uint64_t before = load_start ();

  for (uint64_t chunk = 0; chunk < table.n_chunks; chunk += BLOCK)
    {
      uint64_t at = line * table.n_chunks + chunk;
      uint n = uint (min (BLOCK, table.n_chunks - chunk));

      barrier ();
      for (uint i = gl_LocalInvocationID.x; i < n; i += GROUP)
        store_staged (i, true, number_at (table.chunk_totals, at + i));
      barrier ();
      for (uint i = 0; i < n && gl_LocalInvocationID.x == 0; i++)
        {
          uint64_t total = load_staged (i, true);

          store_staged (i, true, before);
          before = combine_numbers (before, total);
        }
      barrier ();
      for (uint i = gl_LocalInvocationID.x; i < n; i += GROUP)
        put_number (table.befores, at + i, load_staged (i, true));
    }
}

void
write_results (uint64_t point)
{
  uint64_t row = divide (point, PIECES), line = divide (row, table.n_blocks), block = row - line * table.n_blocks;
  uint64_t piece = point - row * PIECES, length = segment_length (block), begin = piece * length;
  uint64_t end = piece < SEGMENTS ? begin + length : min (BLOCK, table.n - block * BLOCK);
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

      uint64_t number = load_in_row (row, line, block, i);

      total = is_begun ? combine_numbers (total, number) : number;
      store_in_row (row, line, block, i, combine_numbers (before, total));
    }
}

/* Loads or stores the elements of a row, which is number @slot of those that are staged. */
void
move_row (uint64_t row, uint slot, bool is_load)
{
  uint64_t line = divide (row, table.n_blocks), first = (row - line * table.n_blocks) * BLOCK;
  uint64_t at = (line * table.n + (table.backward != 0 ? table.n - 1 - first : first)) * SIZE;
  uint n = uint (min (BLOCK, table.n - first)), self = gl_LocalInvocationID.x;
  uint64_t step = table.backward != 0 ? -uint64_t (SIZE) : SIZE, from = table.from + at, to = table.to + at;
  uint64_t numbers[BLOCK / GROUP];

  UNROLL for (uint i = 0; i < BLOCK / GROUP && is_load; i++)
    numbers[i] = load_unsigned (from + min (i * GROUP + self, n - 1) * step, SIZE);
  UNROLL for (uint i = 0; i < BLOCK / GROUP; i++)
    if (is_load)
      store_staged (slot * BLOCK + i * GROUP + self, SIZE == 8, numbers[i]);
    else if (i * GROUP + self < n)
      store_unsigned (to + (i * GROUP + self) * step, SIZE, load_staged (slot * BLOCK + i * GROUP + self, SIZE == 8));
}

/* Has some invocations find totals or results of rows that are in shared memory. */
void
do_rows (uint64_t row)
{
  uint n_rows = uint (min (STAGED_ROWS, table.n_lines * table.n_blocks - row)), self = gl_LocalInvocationID.x;

  for (uint i = 0; i < n_rows; i++)
    move_row (row + i, i, true);
  barrier ();
  if (self < n_rows * PIECES && PHASE == PHASE_TOTALS)
    find_total (row * PIECES + self);
  else if (self < n_rows * PIECES)
    write_results (row * PIECES + self);
  barrier ();
  for (uint i = 0; i < n_rows && PHASE == PHASE_RESULTS; i++)
    move_row (row + i, i, false);
}

void
main ()
{
  uint64_t point = first + gl_GlobalInvocationID.x, group = first + gl_WorkGroupID.x;

  if (is_off (table.head[FLAG]))
    return;
  if (PHASE == PHASE_INSIDES)
    find_insides (group);
  else if (PHASE == PHASE_BEFORES)
    find_befores (group);
  else if (IS_STAGED != 0)
    do_rows (group * STAGED_ROWS);
  else if (point >= table.head[END])
    return;
  else if (PHASE == PHASE_LINES)
    do_line (point);
  else if (PHASE == PHASE_TOTALS)
    find_total (point);
  else
    write_results (point);
}
