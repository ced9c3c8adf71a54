/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bounds how many iterations of loops an invocation executes: of blocks, of the chains and parts of their folds, and of
 * values carried from one iteration to the next.
 */

#include "gpu/spirv/spirv.h"

#include <math.h>
#include <string.h>

/* Returns the iterations of a nest of loops over @axes around @inner iterations each. The final evaluation of a
 * condition counts as well. */
static double
count_nest (const gint64 *extents,
            guint         axes,
            double        inner)
{
  for (guint i = GHLO_KERNEL_MAX_AXES; i-- > 0;)
    if ((axes >> i & 1) != 0)
      inner = ((double) extents[i] + 1) * (1 + inner);

  return inner;
}

/* A workgroup that computes a point shares out the last axis; in a part that is computed separately, the first axis is
 * shorter. */
static double
count_points (const GhloKernelBlock   *block,
              const gint64            *extents,
              const GhloSpirvSchedule *schedule)
{
  const guint first = (guint) __builtin_ctz (block->axes | 1u << GHLO_KERNEL_MAX_AXES);
  const guint last = ghlo_kernel_last_axis (block->axes);
  const guint group = ghlo_spirv_group (schedule), stride = block->n_folds > 0 ? MIN (block->n_chains, group) : group;
  gint64 of_part[GHLO_KERNEL_MAX_AXES];
  double n_parts = 1;

  if (block->axes == 0)
    return 3 * block->n_chains;
  memcpy (of_part, extents, sizeof of_part);
  if (block->split > 0)
    {
      const gint64 n = extents[first] / block->split + 1;

      n_parts = schedule->parts == GHLO_SPIRV_PARTS_SEPARATE ? 1 : (double) n;
      of_part[first] = MIN (extents[first], block->split);
    }
  if (schedule->workgroup_per_point)
    of_part[last] = of_part[last] / stride + 1;

  return n_parts * (1 + count_nest (of_part, block->axes, 0) + 3 * block->n_chains);
}

static double
count_blocks (const GhloKernel        *kernel,
              const gint64            *extents,
              const GhloSpirvSchedule *schedule,
              guint                    first,
              guint                    end)
{
  double n = 0;

  for (guint i = first; i < end; i = kernel->blocks[i].end)
    {
      const GhloKernelBlock *block = &kernel->blocks[i];

      switch ((GhloBlockKind) block->kind)
        {
        case GHLO_BLOCK_POINTS:
          n += count_points (block, extents, schedule);
          break;
        case GHLO_BLOCK_LOOP:
        case GHLO_BLOCK_IF:
          n += count_nest (extents, block->axes, count_blocks (kernel, extents, schedule, i + 1, block->end));
          break;
        case GHLO_BLOCK_PRODUCT:
          n += count_nest (extents, block->rows | block->columns, count_nest (extents, block->inner, 0));
          break;
        case GHLO_BLOCK_WHILE:
        case GHLO_N_BLOCKS:
        default:
          return INFINITY;
        }
      for (guint j = block->first_carry; j < block->first_carry + (guint) block->n_carries; j++)
        n += 2 * count_nest (extents, kernel->temporaries[kernel->carries[j].temporary].axes, 0);
    }

  return n;
}

double
ghlo_spirv_count_iterations (const GhloKernel        *kernel,
                             const gint64            *extents,
                             const GhloSpirvSchedule *schedule)
{
  if (schedule->parts == GHLO_SPIRV_PARTS_SEPARATE)
    return count_points (ghlo_spirv_block_of_parts (kernel), extents, schedule);
  if (schedule->parts == GHLO_SPIRV_PARTS_MERGED)
    return (double) ghlo_spirv_count_parts (kernel, extents)
           + count_blocks (kernel, extents, schedule, ghlo_spirv_block_of_parts (kernel)->end, kernel->n_blocks);

  return count_blocks (kernel, extents, schedule, 0, kernel->n_blocks);
}
