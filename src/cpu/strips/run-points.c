/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a block of points: the loops over its axes, strips along the innermost of them or across parallel points, and
 * the parts and chains of its folds.
 */

#include "cpu/strips/strips-private.h"

#include <string.h>

static gsize
size_of (GhloCpuStripRange range)
{
  return range.end - range.first;
}

/* The number of lanes of an accumulator. */
static gsize
width_of (const GhloCpuStripRun   *run,
          const GhloCpuStripBlock *block)
{
  return block->is_along ? 1 : run->n_lanes;
}

static void
set_left (GhloCpuStripRun         *run,
          const GhloCpuStripBlock *block,
          gsize                    chain)
{
  for (guint i = block->block.first_fold; i < block->block.first_fold + (guint) block->block.n_folds; i++)
    {
      const GhloCpuStripFold *it = &run->program->folds[i];

      run->slots[it->left] = run->scratch + it->accumulators + ((chain * width_of (run, block)) << it->log2_size);
    }
}

/* Runs what depends on folds, for a strip of @n points along the lanes' axis, at most n_chains points at a time. */
static void
run_groups (GhloCpuStripRun         *run,
            const GhloCpuStripBlock *block,
            gsize                    n)
{
  const gsize n_chains = block->block.n_chains;
  gsize chain = (gsize) run->point[block->lanes] & (n_chains - 1);

  for (gsize done = 0; done < n; chain = 0)
    {
      gsize m = MIN (n - done, n_chains - chain);

      set_left (run, block, chain);
      ghlo_cpu_strip_execute (run, block->groups, block, done, m);
      done += m;
    }
}

/* Runs a line of strips along the innermost axis. */
static void
run_along (GhloCpuStripRun         *run,
           const GhloCpuStripBlock *block,
           gint64                   begin,
           gint64                   end)
{
  const gsize n_instructions = 1 + size_of (block->body) + size_of (block->groups);

  run->point[block->lanes] = begin;
  run->splat = (gsize) MIN (end - begin, (gint64) run->program->strip);
  ghlo_cpu_strip_execute (run, block->prologue, block, 0, 1);
  for (gint64 i = begin; i < end;)
    {
      gsize n = (gsize) MIN (end - i, (gint64) run->program->strip);

      if (ghlo_cpu_strip_stops (run, n * n_instructions))
        return;
      run->point[block->lanes] = i;
      ghlo_cpu_strip_execute (run, block->body, block, 0, n);
      if (size_of (block->groups) > 0)
        run_groups (run, block, n);
      ghlo_cpu_strip_execute (run, block->last, block, 0, n);
      i += (gint64) n;
    }
}

/* Runs one point of the block for a strip of parallel points, or for a single one. */
static void
run_across (GhloCpuStripRun         *run,
            const GhloCpuStripBlock *block)
{
  const gsize n = run->n_lanes;

  if (ghlo_cpu_strip_stops (run, n * (1 + size_of (block->body))))
    return;
  if (block->block.n_folds > 0)
    {
      guint last = ghlo_kernel_last_axis (block->block.axes);

      set_left (run, block, (gsize) run->point[last] & (block->block.n_chains - 1u));
    }
  run->splat = n;
  ghlo_cpu_strip_execute (run, block->prologue, block, 0, 1);
  ghlo_cpu_strip_execute (run, block->body, block, 0, n);
  ghlo_cpu_strip_execute (run, block->last, block, 0, n);
}

gboolean
ghlo_cpu_strip_next (GhloCpuStripRun *run,
                     const guint8    *axes,
                     guint            n)
{
  for (guint i = n; i-- > 0;)
    {
      if (++run->point[axes[i]] < run->extents[axes[i]])
        return TRUE;
      run->point[axes[i]] = 0;
    }

  return FALSE;
}

/* Runs all points whose coordinate on the first axis is in [@begin, @end). */
static void
run_range (GhloCpuStripRun         *run,
           const GhloCpuStripBlock *block,
           gint64                   begin,
           gint64                   end)
{
  gboolean is_one = block->n_axes == 0;

  for (guint i = 0; i < block->n_axes; i++)
    run->point[block->axes[i]] = 0;
  if (!is_one)
    run->point[block->axes[0]] = begin;
  do
    {
      if (!block->is_along)
        run_across (run, block);
      else if (is_one)
        run_along (run, block, begin, end);
      else
        run_along (run, block, 0, run->extents[block->lanes]);
      if (run->is_stopped)
        return;
      if (!is_one && !ghlo_cpu_strip_next (run, block->axes + 1, block->n_axes - 1)
          && ++run->point[block->axes[0]] >= end)
        return;
    }
  while (!is_one);
}

static void
begin_folds (GhloCpuStripRun         *run,
             const GhloCpuStripBlock *block)
{
  for (guint i = block->block.first_fold; i < block->block.first_fold + (guint) block->block.n_folds; i++)
    {
      const GhloCpuStripFold *it = &run->program->folds[i];

      run->routines->splats[it->log2_size] ((const guint8 *) &it->identity, run->scratch + it->accumulators,
                                            block->block.n_chains * width_of (run, block));
    }
}

/* Merges the @n accumulators that begin @distance lanes behind the first one into the first @n, or with @is_part
 * into the merged parts so far. */
static void
merge (GhloCpuStripRun         *run,
       const GhloCpuStripBlock *block,
       gboolean                 is_part,
       gsize                    distance,
       gsize                    n)
{
  const gsize most = block->lanes == GHLO_KERNEL_NONE ? 1 : run->program->strip;

  for (gsize done = 0; done < n; done += most)
    {
      for (guint i = block->block.first_fold; i < block->block.first_fold + (guint) block->block.n_folds; i++)
        {
          const GhloCpuStripFold *it = &run->program->folds[i];
          guint8 *accumulators = run->scratch + it->accumulators + (done << it->log2_size);

          run->slots[it->left] = is_part ? run->scratch + it->merged + (done << it->log2_size) : accumulators;
          run->slots[it->right] = accumulators + (distance << it->log2_size);
        }
      ghlo_cpu_strip_execute (run, block->merge, block, 0, MIN (most, n - done));
    }
}

/* Merges the chains into one, and that into the merged parts so far; the first part is copied. */
static void
end_part (GhloCpuStripRun         *run,
          const GhloCpuStripBlock *block,
          gboolean                 is_first)
{
  const gsize width = width_of (run, block);

  if (block->is_halved)
    for (guint i = block->block.first_fold; i < block->block.first_fold + (guint) block->block.n_folds; i++)
      run->program->folds[i].halve (run->scratch + run->program->folds[i].accumulators, block->block.n_chains);
  else
    for (gsize n = block->block.n_chains / 2; n > 0; n /= 2)
      merge (run, block, FALSE, n * width, n * width);
  if (!is_first)
    {
      merge (run, block, TRUE, 0, width);
      return;
    }
  for (guint i = block->block.first_fold; i < block->block.first_fold + (guint) block->block.n_folds; i++)
    {
      const GhloCpuStripFold *it = &run->program->folds[i];

      memcpy (run->scratch + it->merged, run->scratch + it->accumulators, width << it->log2_size);
    }
}

static void
run_folds (GhloCpuStripRun         *run,
           const GhloCpuStripBlock *block)
{
  const gint64 extent = run->extents[__builtin_ctz (block->block.axes)];
  const gint64 split = block->block.split > 0 ? MIN (block->block.split, extent) : extent;

  for (gint64 begin = 0; begin < extent && !run->is_stopped; begin += MIN (split, extent - begin))
    {
      begin_folds (run, block);
      run_range (run, block, begin, begin + MIN (split, extent - begin));
      end_part (run, block, begin == 0);
    }
  for (guint i = block->block.first_fold; i < block->block.first_fold + (guint) block->block.n_folds; i++)
    {
      const GhloCpuStripFold *it = &run->program->folds[i];

      memcpy (ghlo_cpu_strip_temporary (run, it->temporary), run->scratch + it->merged,
              width_of (run, block) << it->log2_size);
    }
}

void
ghlo_cpu_strip_run_points (GhloCpuStripRun         *run,
                           const GhloCpuStripBlock *block)
{
  if (block->block.n_folds > 0)
    run_folds (run, block);
  else
    run_range (run, block, 0, block->block.axes != 0 ? run->extents[__builtin_ctz (block->block.axes)] : 1);
}
