/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the shaders of sorts.
 */

layout (constant_id = 0) const uint SIZE = 4;     /* bytes of the key, or of the element that is moved */
layout (constant_id = 1) const uint ITEMS = 8;    /* elements of a tile for each invocation */
layout (constant_id = 2) const uint SUBGROUP = 32;
layout (constant_id = 5) const uint MAX_DIGITS = 512;

/* Elements that a workgroup sorts at once. */
#define TILE (ITEMS * GROUP)
#define SUBGROUPS (GROUP / SUBGROUP)

layout (buffer_reference, std430, buffer_reference_align = 8) readonly buffer Table
{
  WORDS (head, HEAD)    /* GhloSpirvWord */
#include "sort.words"
};

layout (push_constant) uniform Push
{
  Table    table;
  uint64_t first;
};

/* Returns the number of this workgroup, for shaders with a workgroup per point. */
uint64_t
group_number ()
{
  return first + gl_WorkGroupID.x;
}

/* Returns the index of an element of a line, in elements of the tensor. */
uint64_t
element_at (uint64_t line, uint64_t i, uint64_t n)
{
  uint64_t outer = divide (line, table.inner);

  return (outer * n + i) * table.inner + line - outer * table.inner;
}

/* Returns the element that a number in an order stands for. */
uint
element_of (uint number)
{
  return table.reversed != 0 ? uint (table.n) - 1 - number : number;
}

uint
order_at (uint64_t line, uint place)
{
  return table.order_from != 0 ? load_u32 (table.order_from + (line * table.n + place) * 4) : place;
}

/* Returns the address of the count of the first digit in a tile. */
uint64_t
counts_of (uint64_t line, uint tile)
{
  return table.counts + (line * table.n_digits * table.n_tiles + tile) * 4;
}

/* Returns the address of the first of some words for each place, in a tile. */
uint64_t
tile_of (uint64_t words, uint64_t line, uint tile)
{
  return words + (line * table.n + tile * TILE) * 4;
}
