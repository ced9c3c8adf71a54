#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the ranks of all elements by one key, and which lines have elements that this key does not order.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "sort.glsl"
#include "rank.glsl"

void
main ()
{
  uint64_t point = first + gl_GlobalInvocationID.x, line, rank;

  if (point >= table.head[END] || is_off (table.head[FLAG]))
    return;
  line = divide (point, table.n);
  rank = rank_of (bits_of (line, uint (point - line * table.n)));
  U64 (table.ranks + point * 8).value = rank;
  if (rank == 0 && table.partial != 0)
    store_u32 (table.flags + line * 4, 1);
}
