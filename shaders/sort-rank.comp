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
  uint begin = uint (group_number () - line * table.n_tiles) * TILE;

  if (is_off (table.head[FLAG]))
    return;
  for (uint i = 0; i < ITEMS; i++)
    {
      uint place = begin + i * GROUP + gl_LocalInvocationID.x;

      if (place < table.n)
        {
          uint64_t at = (line * table.n + place) * 4;
          uint number = order_at (line, place);

          store_u32 (table.keys_to + at, key_of (line, number));
          store_u32 (table.order_to + at, table.carries != 0 ? bits_of (line, number) : number);
        }
    }
}
