/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a program: lays out its scratch, and walks the parallel points and the tree of blocks at each of them, or at a
 * strip of them.
 */

#include "cpu/strips/strips-private.h"

#include <string.h>

static void run_blocks (GhloCpuStripRun         *run,
                        const GhloCpuStripBlock *block,
                        guint                    end);

/* Offsets of the parts of the scratch in front of the temporaries; each begins on a cache line. */
typedef struct
{
  gsize offsets, positions, inside, slots, temporaries, end;
} Layout;

static Layout
layout_of (const GhloCpuStrips *self)
{
  gsize bytes = self->strips_size;
  Layout layout;

  layout.offsets = ghlo_cpu_strip_reserve (&bytes, self->strip * sizeof (gint64));
  layout.positions = ghlo_cpu_strip_reserve (&bytes, self->strip * sizeof (gint64));
  layout.inside = ghlo_cpu_strip_reserve (&bytes, self->strip);
  layout.slots = ghlo_cpu_strip_reserve (&bytes, self->n_slots * sizeof (guint8 *));
  layout.temporaries = ghlo_cpu_strip_reserve (&bytes, self->n_temporaries * sizeof (GhloCpuStripTemporary));
  layout.end = bytes;

  return layout;
}

/* Computes the bytes and the row-major strides of a temporary; FALSE where it is too large. */
static gboolean
measure_temporary (const GhloCpuStrips *self,
                   const gint64        *extents,
                   guint                number,
                   gint64              *strides,
                   gsize               *bytes)
{
  const gsize lanes = self->lanes == GHLO_KERNEL_NONE ? 1 : self->strip;

  *bytes = lanes * ghlo_element_info (self->temporaries[number].type)->size;
  for (guint i = self->n_axes; i-- > 0;)
    {
      strides[i] = 0;
      if ((self->temporaries[number].axes & 1u << i) == 0)
        continue;
      strides[i] = (gint64) *bytes;
      if (__builtin_mul_overflow (*bytes, (gsize) extents[i], bytes) || *bytes > G_MAXSIZE / 2)
        return FALSE;
    }

  return TRUE;
}

gsize
ghlo_cpu_strips_scratch (const GhloCpuStrips *self,
                         const gint64        *extents)
{
  gsize total = layout_of (self).end;

  for (guint i = 0; i < self->n_temporaries; i++)
    {
      gint64 strides[GHLO_KERNEL_MAX_AXES];
      gsize bytes;

      if (self->places[i] != i)
        continue;
      if (!measure_temporary (self, extents != NULL ? extents : self->extents, i, strides, &bytes)
          || __builtin_add_overflow (total, (bytes + 127) & ~(gsize) 63, &total))
        return G_MAXSIZE;
    }

  return total;
}

static void
begin (GhloCpuStripRun *run)
{
  const GhloCpuStrips *self = run->program;
  const Layout layout = layout_of (self);
  gsize bytes = layout.end;

  run->offsets = (gpointer) (run->scratch + layout.offsets);
  run->positions = (gpointer) (run->scratch + layout.positions);
  run->inside = run->scratch + layout.inside;
  run->slots = (gpointer) (run->scratch + layout.slots);
  run->temporaries = (gpointer) (run->scratch + layout.temporaries);
  for (guint i = 0; i < self->n_slots; i++)
    {
      const GhloCpuStripSlot *slot = &g_array_index (self->slots, GhloCpuStripSlot, i);

      run->slots[i] = (slot->is_constant ? self->constants->data : run->scratch) + slot->offset;
    }
  for (guint i = 0; i < self->n_temporaries; i++)
    {
      GhloCpuStripTemporary *temporary = &run->temporaries[i];

      measure_temporary (self, run->extents, i, temporary->strides, &temporary->bytes);
      /* The extra cache line keeps temporaries whose sizes are powers of two at different page offsets. */
      if (self->places[i] == i)
        temporary->data = run->scratch + ghlo_cpu_strip_reserve (&bytes, temporary->bytes + 64);
    }
  for (guint i = 0; i < self->n_temporaries; i++)
    run->temporaries[i].data = run->temporaries[self->places[i]].data;
}

/* Copies the temporary @from to @to, which spans the same axes, at the current coordinates of the enclosing loops. */
static void
copy_temporary (GhloCpuStripRun *run,
                guint            to,
                guint            from)
{
  const guint spanned = run->program->temporaries[to].axes, fixed = spanned & run->loops, rest = spanned & ~run->loops;
  gsize bytes = run->temporaries[to].bytes;
  guint8 axes[GHLO_KERNEL_MAX_AXES];
  guint n = 0, inner = 0;

  /* Everything behind the last axis of a loop is contiguous. */
  if (fixed != 0)
    {
      inner = ghlo_kernel_last_axis (fixed);
      bytes = (gsize) run->temporaries[to].strides[inner];
    }
  for (guint i = 0; i < inner; i++)
    if ((rest & 1u << i) != 0)
      axes[n++] = (guint8) i;
  for (guint i = 0; i < run->program->n_axes; i++)
    if ((rest & 1u << i) != 0)
      run->point[i] = 0;
  do
    memcpy (ghlo_cpu_strip_temporary (run, to), ghlo_cpu_strip_temporary (run, from), bytes);
  while (ghlo_cpu_strip_next (run, axes, n));
}

static void
carry (GhloCpuStripRun         *run,
       const GhloCpuStripBlock *block,
       gboolean                 is_next)
{
  for (guint i = 0; i < block->block.n_carries; i++)
    {
      const GhloKernelCarry *it = &run->program->carries[block->block.first_carry + i];
      const guint from = is_next ? it->next : it->first;

      if (run->program->places[from] != it->temporary)
        copy_temporary (run, it->temporary, from);
    }
}

static void
run_loop (GhloCpuStripRun         *run,
          const GhloCpuStripBlock *block)
{
  const guint axis = ghlo_kernel_last_axis (block->block.axes), loops = run->loops;

  carry (run, block, FALSE);
  run->loops |= block->block.axes;
  for (gint64 i = 0; i < run->extents[axis] && !run->is_stopped; i++)
    {
      run->point[axis] = i;
      run_blocks (run, block + 1, block->block.end);
      carry (run, block, TRUE);
    }
  run->loops = loops;
}

static void
run_while (GhloCpuStripRun         *run,
           const GhloCpuStripBlock *block)
{
  carry (run, block, FALSE);
  for (;;)
    {
      run_blocks (run, block + 1, block->block.body);
      if (ghlo_cpu_strip_stops (run, 64) || *ghlo_cpu_strip_temporary (run, block->block.predicate) == 0)
        return;
      run_blocks (run, &run->program->blocks[block->block.body], block->block.end);
      carry (run, block, TRUE);
    }
}

static void
run_if (GhloCpuStripRun         *run,
        const GhloCpuStripBlock *block)
{
  gboolean is_true = *ghlo_cpu_strip_temporary (run, block->block.predicate) != 0;

  if (is_true)
    run_blocks (run, block + 1, block->block.end);
  carry (run, block, is_true);
}

/* Runs @block and its siblings up to block @end. */
static void
run_blocks (GhloCpuStripRun         *run,
            const GhloCpuStripBlock *block,
            guint                    end)
{
  static void (*const functions[GHLO_N_BLOCKS]) (GhloCpuStripRun *run, const GhloCpuStripBlock *block) = {
    [GHLO_BLOCK_POINTS] = ghlo_cpu_strip_run_points,
    [GHLO_BLOCK_LOOP] = run_loop,
    [GHLO_BLOCK_WHILE] = run_while,
    [GHLO_BLOCK_IF] = run_if,
    [GHLO_BLOCK_PRODUCT] = ghlo_cpu_strip_run_product,
  };
  const GhloCpuStripBlock *blocks = run->program->blocks;

  for (; block < blocks + end && !run->is_stopped; block = blocks + block->block.end)
    functions[block->block.kind] (run, block);
}

/* Lists the parallel axes, outermost first, but with that of the lanes last. */
static guint
parallel_axes (const GhloCpuStrips *self,
               guint8              *axes)
{
  guint n = 0;

  for (guint i = 0; i < self->n_parallel; i++)
    if (i != self->lanes)
      axes[n++] = (guint8) i;
  if (self->lanes != GHLO_KERNEL_NONE)
    axes[n++] = (guint8) self->lanes;

  return n;
}

gboolean
ghlo_cpu_strips_run (const GhloCpuStrips *self,
                     const gint64        *extents,
                     gpointer const      *buffers,
                     gint64               first,
                     gint64               end,
                     gpointer             scratch,
                     const GhloMonitor   *monitor)
{
  GhloCpuStripRun run = {
    .program = self, .routines = ghlo_cpu_strip_routines (), .buffers = buffers, .scratch = scratch, .n_lanes = 1,
    .cancellable = monitor != NULL ? monitor->cancellable : NULL,
  };
  guint8 axes[GHLO_KERNEL_MAX_AXES];
  guint n_axes = parallel_axes (self, axes);
  gint64 rest = first;

  memcpy (run.extents, extents != NULL ? extents : self->extents, self->n_axes * sizeof (gint64));
  begin (&run);
  for (guint i = n_axes; i-- > 0; rest /= run.extents[axes[i]])
    run.point[axes[i]] = rest % run.extents[axes[i]];
  run.is_stopped = run.cancellable != NULL && g_cancellable_is_cancelled (run.cancellable);
  while (first < end && !run.is_stopped)
    {
      if (self->lanes != GHLO_KERNEL_NONE)
        run.n_lanes = (gsize) MIN (MIN (end - first, (gint64) self->strip),
                                   run.extents[self->lanes] - run.point[self->lanes]);
      run_blocks (&run, self->blocks, self->n_blocks);
      first += (gint64) run.n_lanes;
      if (n_axes > 0)
        run.point[axes[n_axes - 1]] += (gint64) run.n_lanes - 1;
      ghlo_cpu_strip_next (&run, axes, n_axes);
    }

  return !run.is_stopped;
}
