/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The body of scatter-atomic.comp: integers that are combined in any order. A workgroup combines the updates of a small
 * result in shared memory first.
 */

#include "common.glsl"
#include "scatter.glsl"

/* Elements of the result, if it is small, or 1. */
layout (constant_id = 3) const uint BINS = 1;

#ifdef WITH_64
#define NUMBER uint64_t
#define SIGNED_NUMBER int64_t
#define ALIGNMENT 8
#else
#define NUMBER uint
#define SIGNED_NUMBER int
#define ALIGNMENT 4
#endif

layout (buffer_reference, std430, buffer_reference_align = ALIGNMENT) buffer Number { NUMBER value; };
layout (buffer_reference, std430, buffer_reference_align = ALIGNMENT) buffer SignedNumber { SIGNED_NUMBER value; };

#ifndef WITH_64
shared uint bins[BINS];

/* Signed numbers are shifted in shared memory, so that they have the order of unsigned ones. */
uint
shift_sign (uint number)
{
  bool is_ordered = KIND == COMBINE_MINIMUM || KIND == COMBINE_MAXIMUM;

  return is_ordered && CLASS == COMBINE_SIGNED ? number ^ 0x80000000 : number;
}

void
combine_in_bin (uint bin, uint update)
{
  switch (KIND)
    {
    case COMBINE_ADD:
      atomicAdd (bins[bin], update);
      break;
    case COMBINE_AND:
      atomicAnd (bins[bin], update);
      break;
    case COMBINE_OR:
      atomicOr (bins[bin], update);
      break;
    case COMBINE_XOR:
      atomicXor (bins[bin], update);
      break;
    case COMBINE_MINIMUM:
      atomicMin (bins[bin], shift_sign (update));
      break;
    case COMBINE_MAXIMUM:
      atomicMax (bins[bin], shift_sign (update));
      break;
    }
}
#endif

void
combine_in_memory (uint64_t to, NUMBER update)
{
  switch (KIND)
    {
    case COMBINE_ADD:
      atomicAdd (Number (to).value, update);
      break;
    case COMBINE_AND:
      atomicAnd (Number (to).value, update);
      break;
    case COMBINE_OR:
      atomicOr (Number (to).value, update);
      break;
    case COMBINE_XOR:
      atomicXor (Number (to).value, update);
      break;
    case COMBINE_MINIMUM:
      if (CLASS == COMBINE_SIGNED)
        atomicMin (SignedNumber (to).value, SIGNED_NUMBER (update));
      else
        atomicMin (Number (to).value, update);
      break;
    case COMBINE_MAXIMUM:
      if (CLASS == COMBINE_SIGNED)
        atomicMax (SignedNumber (to).value, SIGNED_NUMBER (update));
      else
        atomicMax (Number (to).value, update);
      break;
    }
}

#ifndef WITH_64
/* Combines the updates of the active invocations of a subgroup. */
uint
combine_all (uint update)
{
  switch (KIND)
    {
    case COMBINE_ADD:
      return subgroupAdd (update);
    case COMBINE_AND:
      return subgroupAnd (update);
    case COMBINE_OR:
      return subgroupOr (update);
    case COMBINE_XOR:
      return subgroupXor (update);
    case COMBINE_MINIMUM:
      return shift_sign (subgroupMin (shift_sign (update)));
    default:
      return shift_sign (subgroupMax (shift_sign (update)));
    }
}
#endif

/* Those of a subgroup that update the same element as the first one do so together, since most may. */
void
combine_in_subgroup (uint64_t to, NUMBER update)
{
#ifdef WITH_64
  combine_in_memory (to, update);
#else
  uvec2 address = unpackUint2x32 (to), elected = subgroupBroadcastFirst (address);

  if (address != elected)
    combine_in_memory (to, update);
  else
    {
      update = combine_all (update);
      if (subgroupElect ())
        combine_in_memory (to, update);
    }
#endif
}

void
main ()
{
  uint64_t n_points = table.n_items * table.n_inner;
  uint self = gl_LocalInvocationID.x;

  if (is_off (table.head[FLAG]))
    return;
#ifndef WITH_64
  for (uint bin = self; BINS > 1 && bin < BINS; bin += GROUP)
    bins[bin] = KIND == COMBINE_AND || KIND == COMBINE_MINIMUM ? 0xffffffff : 0;
  barrier ();
#endif
  for (uint64_t point = (first + gl_WorkGroupID.x) * GROUP + self; point < n_points; point += table.n_groups * GROUP)
    {
      uint64_t item = divide (point, table.n_inner), to, update, inner_to, inner_update;

      if (!locate (uint (item), to, update))
        continue;
      locate_inner (point - item * table.n_inner, inner_to, inner_update);
      to += inner_to;
      update += table.updates + inner_update;
#ifndef WITH_64
      if (BINS > 1)
        combine_in_bin (uint (to / SIZE), load_u32 (update));
      else
#endif
        combine_in_subgroup (table.to + to, NUMBER (load_unsigned (update, SIZE)));
    }
#ifndef WITH_64
  barrier ();
  for (uint bin = self; BINS > 1 && bin < BINS; bin += GROUP)
    if (bins[bin] != (KIND == COMBINE_AND || KIND == COMBINE_MINIMUM ? 0xffffffff : 0))
      combine_in_memory (table.to + bin * SIZE, shift_sign (bins[bin]));
#endif
}
