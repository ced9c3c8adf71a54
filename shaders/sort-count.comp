#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first of three parts of a radix sort pass: counts each digit in a tile of a long line.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "sort.glsl"

shared uint counts[MAX_DIGITS];

void
main ()
{
  uint64_t line = divide (group_number (), table.n_tiles);
  uint tile = uint (group_number () - line * table.n_tiles), self = gl_LocalInvocationID.x;
  uint n_digits = uint (table.n_digits), keys[ITEMS];

  if (is_off (table.head[FLAG]))
    return;
  for (uint digit = self; digit < n_digits; digit += GROUP)
    counts[digit] = 0;
  barrier ();
  for (uint i = 0; i < ITEMS; i++)
    {
      uint place = tile * TILE + i * GROUP + self;

      keys[i] = place < table.n ? load_u32 (table.keys_from + (line * table.n + place) * 4) : 0;
    }
  for (uint i = 0; i < ITEMS; i++)
    if (tile * TILE + i * GROUP + self < table.n)
      atomicAdd (counts[digit_of (keys[i])], 1);
  barrier ();
  for (uint digit = self; digit < n_digits; digit += GROUP)
    store_u32 (table.counts + ((line * n_digits + digit) * table.n_tiles + tile) * 4, counts[digit]);
}
