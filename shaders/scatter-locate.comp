#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds where in the result each item begins, and counts the first digits of these keys for the sort.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "scatter.glsl"

layout (constant_id = 3) const uint ITEMS = 1;        /* for each invocation */
layout (constant_id = 5) const uint MAX_DIGITS = 512;

#include "count.glsl"

void
main ()
{
  uint tile = uint (first + gl_WorkGroupID.x), begin = tile * ITEMS * GROUP + gl_LocalInvocationID.x;
  uint n = uint (table.n_items), n_digits = uint (table.n_digits), keys[ITEMS], updates[ITEMS];
  uint64_t keys_to = table.keys, order_to = table.order;
  bool carries = table.carries != 0;

  if (is_off (table.head[FLAG]))
    return;
  clear_counts (n_digits);
  UNROLL for (uint i = 0; i < ITEMS; i++)
    {
      uint64_t to, update;

      keys[i] = uint (locate (min (begin + i * GROUP, n - 1), to, update) ? to : table.n_keys);
      updates[i] = carries ? uint (load_unsigned (table.updates + update, SIZE)) : 0;
    }
  UNROLL for (uint i = 0; i < ITEMS; i++)
    if (begin + i * GROUP < n)
      {
        store_u32 (keys_to + uint64_t (begin + i * GROUP) * 4, keys[i]);
        if (carries)
          store_u32 (order_to + uint64_t (begin + i * GROUP) * 4, updates[i]);
        if (n_digits > 0)
          count_digit (keys[i] & n_digits - 1);
      }
  if (n_digits > 0)
    put_counts (table.counts + tile * 4, n_digits, table.n_tiles);
}
