/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Small matrix products: sums of left × right by FMA, in the order of the inner axes, each from zero on. Where lanes
 * are columns, left is a single number; where they are parallel points, both factors are strips.
 */

#include "cpu/strips/strips-private.h"

#include <string.h>

/* A strip of a factor; a single number where it is the same in all lanes, or there is only one lane. */
typedef struct
{
  const guint8 *data;
  gboolean      is_single;
} Factor;

static guint
list_axes (const GhloCpuStripRun *run,
           guint                  bits,
           guint                  but,
           guint8                *axes)
{
  guint n = 0;

  for (guint i = 0; i < run->program->n_axes; i++)
    if ((bits & 1u << i) != 0 && i != but)
      axes[n++] = (guint8) i;

  return n;
}

static Factor
find_factor (const GhloCpuStripRun   *run,
             const GhloCpuStripBlock *block,
             const GhloKernelFactor  *factor,
             guint                    access,
             guint                    log2_size,
             guint8                  *strip,
             gsize                    n)
{
  const guint8 *from;
  gint64 lane;

  if (access == GHLO_KERNEL_NONE)
    {
      from = ghlo_cpu_strip_temporary (run, factor->temporary);
      lane = block->is_along ? run->temporaries[factor->temporary].strides[block->lanes] : (gint64) 1 << log2_size;
    }
  else
    {
      const GhloCpuStripAccess *it = ghlo_cpu_strip_access (run->program, access);

      from = (const guint8 *) run->buffers[it->buffer] + ghlo_cpu_strip_add_up (run, &it->sum, it->offset);
      lane = it->lane;
    }
  if (lane == (gint64) 1 << log2_size || n == 1)
    return (Factor) { from, n == 1 };
  if (lane == 0)
    return (Factor) { from, TRUE };
  run->routines->strided[log2_size] (from, lane, strip, (gint64) 1 << log2_size, n);

  return (Factor) { strip, FALSE };
}

/* @sums += left × right at one point of the inner axes. */
static void
add_products (const GhloCpuStripRun   *run,
              const GhloCpuStripBlock *block,
              guint                    log2_size,
              guint8                  *sums,
              gsize                    n)
{
  guint8 *strips[2] = { run->scratch + block->strips[0], run->scratch + block->strips[1] };
  Factor left = find_factor (run, block, &block->block.left, block->left, log2_size, strips[0], n);
  Factor right = find_factor (run, block, &block->block.right, block->right, log2_size, strips[1], n);

  if (left.is_single && right.is_single && n > 1)
    {
      run->routines->splats[log2_size] (right.data, strips[1], n);
      right.data = strips[1];
    }
  if (left.is_single)
    block->product ((const guint8 *[]) { left.data, right.data }, sums, n, NULL);
  else if (right.is_single)
    block->product ((const guint8 *[]) { right.data, left.data }, sums, n, NULL);
  else
    block->fma ((const guint8 *[]) { left.data, right.data, sums }, sums, n, NULL);
}

static void
run_strip (GhloCpuStripRun         *run,
           const GhloCpuStripBlock *block,
           guint                    log2_size,
           gsize                    n)
{
  const gint64 size = (gint64) 1 << log2_size;
  const gint64 lane = block->is_along ? run->temporaries[block->block.result].strides[block->lanes] : size;
  guint8 *result = ghlo_cpu_strip_temporary (run, block->block.result);
  guint8 *sums = lane == size ? result : run->scratch + block->strips[2];
  guint8 inner[GHLO_KERNEL_MAX_AXES];
  guint n_inner = list_axes (run, block->block.inner, GHLO_KERNEL_NONE, inner);

  memset (sums, 0, n << log2_size);
  for (guint i = 0; i < n_inner; i++)
    run->point[inner[i]] = 0;
  do
    {
      if (ghlo_cpu_strip_stops (run, n))
        return;
      add_products (run, block, log2_size, sums, n);
    }
  while (ghlo_cpu_strip_next (run, inner, n_inner));
  if (sums != result)
    run->routines->strided[log2_size] (sums, size, result, lane, n);
}

void
ghlo_cpu_strip_run_product (GhloCpuStripRun         *run,
                            const GhloCpuStripBlock *block)
{
  const guint log2_size = ghlo_element_info (run->program->temporaries[block->block.result].type)->size == 4 ? 2 : 3;
  const gint64 extent = block->is_along ? run->extents[block->lanes] : 0;
  guint8 axes[GHLO_KERNEL_MAX_AXES];
  guint n_axes = list_axes (run, block->block.rows | block->block.columns, block->lanes, axes);

  for (guint i = 0; i < n_axes; i++)
    run->point[axes[i]] = 0;
  do
    {
      if (!block->is_along)
        run_strip (run, block, log2_size, run->n_lanes);
      for (gint64 i = 0; i < extent && !run->is_stopped; i += run->program->strip)
        {
          run->point[block->lanes] = i;
          run_strip (run, block, log2_size, (gsize) MIN (extent - i, (gint64) run->program->strip));
        }
    }
  while (!run->is_stopped && ghlo_cpu_strip_next (run, axes, n_axes));
}
