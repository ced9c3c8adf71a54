#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Extracts the 32 bits that long lines are sorted by next, in the current order, and writes that order, or the
 * elements in it, and counts of the first digit. A workgroup handles a tile.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "sort.glsl"
#include "count.glsl"
#include "rank.glsl"

void
main ()
{
  uint64_t line = divide (group_number (), table.n_tiles), keys_to, order_to, bits[ITEMS];
  uint tile = uint (group_number () - line * table.n_tiles), self = gl_LocalInvocationID.x;
  uint n = min (uint (table.n) - tile * TILE, TILE), n_digits = uint (table.n_digits), keys[ITEMS], numbers[ITEMS];
  bool carries = table.carries != 0;

  if (is_off (table.head[FLAG]))
    return;
  keys_to = tile_of (table.keys_to, line, tile);
  order_to = tile_of (table.order_to, line, tile);
  clear_counts (n_digits);
  UNROLL for (uint i = 0; i < ITEMS; i++)
    numbers[i] = order_at (line, tile * TILE + min (i * GROUP + self, n - 1));
  UNROLL for (uint i = 0; i < ITEMS; i++)
    bits[i] = bits_of (line, element_of (numbers[i]));
  UNROLL for (uint i = 0; i < ITEMS; i++)
    {
      keys[i] = key_of (bits[i]);
      numbers[i] = carries ? uint (bits[i]) : numbers[i];
    }
  UNROLL for (uint i = 0; i < ITEMS; i++)
    {
      uint slot = i * GROUP + self;

      if (slot < n)
        {
          store_u32 (keys_to + slot * 4, keys[i]);
          store_u32 (order_to + slot * 4, numbers[i]);
          count_digit (keys[i] & n_digits - 1);
        }
    }
  put_counts (counts_of (line, tile), n_digits, table.n_tiles);
}
