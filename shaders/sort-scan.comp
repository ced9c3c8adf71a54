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

/* Tiles for each invocation. */
#define EACH 8

void
main ()
{
  uint64_t counts = table.counts + group_number () * table.n_tiles * 4;
  uint n_tiles = uint (table.n_tiles), self = invocation (), before = 0;

  if (is_off (table.head[FLAG]))
    return;
  for (uint begin = 0; begin < n_tiles; begin += GROUP * EACH)
    {
      uint tile = begin + self * EACH, own[EACH], sum = 0, total;

      UNROLL for (uint i = 0; i < EACH; i++)
        own[i] = load_u32 (counts + uint64_t (min (tile + i, n_tiles - 1)) * 4);
      UNROLL for (uint i = 0; i < EACH; i++)
        sum += tile + i < n_tiles ? own[i] : 0;
      sum = before + sum_before (self, sum, total);
      UNROLL for (uint i = 0; i < EACH; i++)
        if (tile + i < n_tiles)
          {
            store_u32 (counts + uint64_t (tile + i) * 4, sum);
            sum += own[i];
          }
      before += total;
    }
  if (self == 0)
    store_u32 (table.totals + group_number () * 4, before);
}
