#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds where in the result each item begins, and counts the first digits of these keys for the sort.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "scatter.glsl"
#include "count.glsl"

layout (constant_id = 3) const uint ITEMS = 1;        /* for each invocation */

void
main ()
{
  uint tile = uint (first + gl_WorkGroupID.x), n_digits = uint (table.n_digits);

  if (is_off (table.head[FLAG]))
    return;
  clear_counts (n_digits);
  for (uint i = 0; i < ITEMS; i++)
    {
      uint item = (tile * ITEMS + i) * GROUP + gl_LocalInvocationID.x, key;
      uint64_t to, update;

      if (item >= table.n_items)
        continue;
      key = uint (locate (item, to, update) ? to : table.n_keys);
      store_u32 (table.keys + uint64_t (item) * 4, key);
      if (table.carries != 0)
        store_u32 (table.order + uint64_t (item) * 4, uint (load_unsigned (table.updates + update, SIZE)));
      if (n_digits > 0)
        count_digit (key & n_digits - 1);
    }
  if (n_digits > 0)
    put_counts (table.counts + tile * 4, n_digits, table.n_tiles);
}
