/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The body of scatter-direct.comp: one invocation per update.
 */

#include "common.glsl"
#include "scatter.glsl"

/* Whether items may share elements, which are integers of 32 bits that are combined in any order. */
layout (constant_id = 3) const uint IS_ATOMIC = 0;

layout (buffer_reference, std430, buffer_reference_align = 4) buffer I32 { int value; };

void
combine_atomically (uint64_t to, uint update)
{
  switch (KIND)
    {
    case COMBINE_ADD:
      atomicAdd (U32 (to).value, update);
      break;
    case COMBINE_AND:
      atomicAnd (U32 (to).value, update);
      break;
    case COMBINE_OR:
      atomicOr (U32 (to).value, update);
      break;
    case COMBINE_XOR:
      atomicXor (U32 (to).value, update);
      break;
    case COMBINE_MINIMUM:
      if (CLASS == COMBINE_SIGNED)
        atomicMin (I32 (to).value, int (update));
      else
        atomicMin (U32 (to).value, update);
      break;
    case COMBINE_MAXIMUM:
      if (CLASS == COMBINE_SIGNED)
        atomicMax (I32 (to).value, int (update));
      else
        atomicMax (U32 (to).value, update);
      break;
    }
}

void
main ()
{
  uint64_t point = first + gl_GlobalInvocationID.x, item, to, update, inner_to, inner_update;

  if (point >= table.head[END] || is_off (table.head[FLAG]))
    return;
  item = divide (point, table.n_inner);
  if (!locate (uint (item), to, update))
    return;
  locate_inner (point - item * table.n_inner, inner_to, inner_update);
  to += table.to + inner_to;
  update += table.updates + inner_update;
  if (KIND == COMBINE_ASSIGN)
    copy_element (update, to, SIZE);
  else if (IS_ATOMIC != 0)
    combine_atomically (to, load_u32 (update));
  else
    store_unsigned (to, SIZE, combine (load_unsigned (to, SIZE), load_unsigned (update, SIZE)));
}
