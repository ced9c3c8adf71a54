#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Extracts the 32 bits that long lines are sorted by next, in the current order, and writes that order, or the
 * elements in it. A workgroup handles a tile.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "sort.glsl"
#include "rank.glsl"

void
main ()
{
  uint64_t line = divide (group_number (), table.n_tiles);
  uint begin = uint (group_number () - line * table.n_tiles) * TILE, keys[ITEMS], numbers[ITEMS];

  if (is_off (table.head[FLAG]))
    return;
  for (uint i = 0; i < ITEMS; i++)
    {
      uint place = begin + i * GROUP + gl_LocalInvocationID.x;

      if (place < table.n)
        {
          numbers[i] = order_at (line, place);
          keys[i] = key_of (line, numbers[i]);
          if (table.carries != 0)
            numbers[i] = bits_of (line, numbers[i]);
        }
    }
  for (uint i = 0; i < ITEMS; i++)
    {
      uint place = begin + i * GROUP + gl_LocalInvocationID.x;
      uint64_t at = (line * table.n + place) * 4;

      if (place < table.n)
        {
          store_u32 (table.keys_to + at, keys[i]);
          store_u32 (table.order_to + at, numbers[i]);
        }
    }
}
