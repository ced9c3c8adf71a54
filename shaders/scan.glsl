/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums over the invocations of a workgroup.
 */

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

shared uint subgroup_sums[SUBGROUPS];

/* Returns the number of this invocation, as subgroups count them. */
uint
invocation ()
{
  return gl_SubgroupID * SUBGROUP + gl_SubgroupInvocationID;
}

/* Returns the sum over the invocations before this one, which is number @self. */
uint
sum_before (uint self, uint value, out uint total)
{
  uint subgroup = self / SUBGROUP, sum = subgroupInclusiveAdd (value), before = sum - value;

  barrier ();
  if (self % SUBGROUP == SUBGROUP - 1)
    subgroup_sums[subgroup] = sum;
  barrier ();
  total = 0;
  for (uint i = 0; i < SUBGROUPS; i++)
    {
      before += i < subgroup ? subgroup_sums[i] : 0;
      total += subgroup_sums[i];
    }

  return before;
}
