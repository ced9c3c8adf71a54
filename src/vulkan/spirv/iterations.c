/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How often an invocation goes round loops: those of blocks, of the chains and parts of their folds, and of what is
 * carried from one iteration of a loop to the next.
 */

#include "vulkan/spirv/spirv.h"

#include <math.h>

/* Those of a nest of loops over @axes, around @inner each; the last look at a condition counts. */
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

static double
count_points (const GhloKernelBlock *block,
              const gint64          *extents)
{
  const gint64 extent = block->axes != 0 ? extents[__builtin_ctz (block->axes)] : 1;
  const double n_parts = block->split > 0 ? (double) (extent / block->split + 1) : 1;

  return count_nest (extents, block->axes, 0) + n_parts * 3 * block->n_chains;
}

static double
count_blocks (const GhloKernel *kernel,
              const gint64     *extents,
              guint             first,
              guint             end)
{
  double n = 0;

  for (guint i = first; i < end; i = kernel->blocks[i].end)
    {
      const GhloKernelBlock *block = &kernel->blocks[i];

      switch ((GhloBlockKind) block->kind)
        {
        case GHLO_BLOCK_POINTS:
          n += count_points (block, extents);
          break;
        case GHLO_BLOCK_LOOP:
        case GHLO_BLOCK_WHEN:
          n += count_nest (extents, block->axes, count_blocks (kernel, extents, i + 1, block->end));
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
ghlo_spirv_count_iterations (const GhloKernel *kernel,
                             const gint64     *extents)
{
  return count_blocks (kernel, extents, 0, kernel->n_blocks);
}
