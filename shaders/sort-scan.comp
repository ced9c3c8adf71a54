#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The second part of a radix sort pass: for each digit, sums up its counts in the tiles before each tile, and in the
 * whole line. A workgroup handles one digit of a line.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "sort.glsl"

shared uint sums[GROUP];

/* Returns the inclusive prefix sum over invocations. */
uint
sum_up (uint value)
{
  uint self = gl_LocalInvocationID.x;

  barrier ();
  sums[self] = value;
  for (uint distance = 1; distance < GROUP; distance *= 2)
    {
      uint other;

      barrier ();
      other = self >= distance ? sums[self - distance] : 0;
      barrier ();
      sums[self] += other;
    }
  barrier ();

  return sums[self];
}

void
main ()
{
  uint64_t from = table.counts + group_number () * table.n_tiles * 4;
  uint n_tiles = uint (table.n_tiles), before = 0;

  if (is_off (table.head[FLAG]))
    return;
  for (uint begin = 0; begin < n_tiles; begin += GROUP)
    {
      uint tile = begin + gl_LocalInvocationID.x;
      uint count = tile < n_tiles ? load_u32 (from + uint64_t (tile) * 4) : 0, sum = sum_up (count);

      if (tile < n_tiles)
        store_u32 (from + uint64_t (tile) * 4, before + sum - count);
      before += sums[GROUP - 1];
    }
  if (gl_LocalInvocationID.x == 0)
    store_u32 (table.totals + group_number () * 4, before);
}
