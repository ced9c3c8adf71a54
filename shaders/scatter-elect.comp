#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the last item at each place, which is the one that remains of items that replace what was there. The first
 * phase clears the numbers of places that have items, the second one finds the greatest.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "scatter.glsl"

layout (constant_id = 3) const uint PHASE = 0;

void
main ()
{
  uint64_t item = first + gl_GlobalInvocationID.x, to, update;

  if (item >= table.head[END] || is_off (table.head[FLAG]) || !locate (uint (item), to, update))
    return;
  to = table.keys + divide (to, table.unit) * 4;
  if (PHASE == 0)
    store_u32 (to, 0);
  else
    atomicMax (U32 (to).value, uint (item) + 1);
}
