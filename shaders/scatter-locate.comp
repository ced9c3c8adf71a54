#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds where in the result each item begins.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "scatter.glsl"

void
main ()
{
  uint64_t item = first + gl_GlobalInvocationID.x, to, update;
  bool is_inside;

  if (item >= table.head[END] || is_off (table.head[FLAG]))
    return;
  is_inside = locate (uint (item), to, update);
  store_u32 (table.keys + item * 4, uint (is_inside ? divide (to, table.unit) : table.n_keys));
  if (table.carries != 0)
    store_u32 (table.order + item * 4, uint (load_unsigned (table.updates + update_of (uint (item)), SIZE)));
}
