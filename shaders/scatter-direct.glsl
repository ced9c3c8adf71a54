/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The body of scatter-direct.comp: one invocation per update.
 */

#include "common.glsl"
#include "scatter.glsl"

/* Whether only the last item at a place counts, whose number is there. */
layout (constant_id = 3) const uint IS_ELECTED = 0;

void
main ()
{
  uint64_t point = first + gl_GlobalInvocationID.x, item, to, update, inner_to, inner_update;

  if (point >= table.head[END] || is_off (table.head[FLAG]))
    return;
  item = divide (point, table.n_inner);
  if (!locate (uint (item), to, update)
      || (IS_ELECTED != 0 && load_u32 (table.keys + divide (to, table.unit) * 4) != uint (item) + 1))
    return;
  locate_inner (point - item * table.n_inner, inner_to, inner_update);
  to += table.to + inner_to;
  update += table.updates + inner_update;
  if (KIND == COMBINE_ASSIGN)
    copy_element (update, to, SIZE);
  else
    store_unsigned (to, SIZE, combine (load_unsigned (to, SIZE), load_unsigned (update, SIZE)));
}
