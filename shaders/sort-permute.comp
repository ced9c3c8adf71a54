#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes elements in sorted order, or their indices if there is no operand.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"
#include "sort.glsl"

void
main ()
{
  uint64_t point = first + gl_GlobalInvocationID.x;
  uint64_t row, outer, line;
  uint place, element;

  if (point >= table.head[END] || is_off (table.head[FLAG]))
    return;
  row = divide (point, table.inner);
  outer = divide (row, table.n_kept);
  line = outer * table.inner + point - row * table.inner;
  place = uint (row - outer * table.n_kept);
  element = element_of (order_at (line, place));
  if (table.from != 0)
    copy_element (table.from + element_at (line, element, table.n) * SIZE, table.to + point * SIZE, SIZE);
  else
    store_u32 (table.to + point * 4, element);
}
