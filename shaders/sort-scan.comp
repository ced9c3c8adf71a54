#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The second part of a radix sort pass: for each digit, sums up its counts in the tiles before each tile, and in the
 * whole line. A workgroup handles one digit of a line.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "sort.glsl"

#include "scan.glsl"

void
main ()
{
  uint64_t from = table.counts + group_number () * table.n_tiles * 4;
  uint n_tiles = uint (table.n_tiles), self = invocation (), before = 0;

  if (is_off (table.head[FLAG]))
    return;
  for (uint begin = 0; begin < n_tiles; begin += GROUP)
    {
      uint tile = begin + self;
      uint count = tile < n_tiles ? load_u32 (from + uint64_t (tile) * 4) : 0, total;
      uint sum = sum_before (self, count, total);

      if (tile < n_tiles)
        store_u32 (from + uint64_t (tile) * 4, before + sum);
      before += total;
    }
  if (self == 0)
    store_u32 (table.totals + group_number () * 4, before);
}
