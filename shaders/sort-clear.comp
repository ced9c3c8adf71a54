#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Resets the flags that mark lines with unordered elements.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "sort.glsl"

void
main ()
{
  uint64_t line = first + gl_GlobalInvocationID.x;

  if (line < table.n_lines && !is_off (table.head[FLAG]))
    store_u32 (table.flags + line * 4, 0);
}
