#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first of three parts of a radix sort pass: counts each digit in a tile of a long line.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "sort.glsl"
#include "count.glsl"

void
main ()
{
  uint64_t line = divide (group_number (), table.n_tiles), from;
  uint tile = uint (group_number () - line * table.n_tiles), self = gl_LocalInvocationID.x, keys[ITEMS];
  uint n = min (uint (table.n) - tile * TILE, TILE), n_digits = uint (table.n_digits), shift = uint (table.shift);

  if (is_off (table.head[FLAG]))
    return;
  from = tile_of (table.keys_from, line, tile);
  clear_counts (n_digits);
  UNROLL for (uint i = 0; i < ITEMS; i++)
    keys[i] = load_u32 (from + min (i * GROUP + self, n - 1) * 4);
  UNROLL for (uint i = 0; i < ITEMS; i++)
    if (i * GROUP + self < n)
      count_digit (keys[i] >> shift & n_digits - 1);
  put_counts (counts_of (line, tile), n_digits, table.n_tiles);
}
