/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Executes instructions, and a block of points: its axes, strips along the innermost of them or across
 * parallel points, and the parts and chains of its folds.
 */

#include "cpu/strips/strips-private.h"

#include <string.h>

guint8 *
ghlo_cpu_strip_temporary (const GhloCpuStripRun *run,
                          guint                  number)
{
  const GhloCpuStripTemporary *temporary = &run->temporaries[number];
  guint8 *place = temporary->data;

  for (guint axes = run->program->temporaries[number].axes; axes != 0; axes &= axes - 1)
    {
      guint axis = (guint) __builtin_ctz (axes);

      place += temporary->strides[axis] * run->point[axis];
    }

  return place;
}

/* The scratch that the strip of @slot has. */
static guint8 *
strip_of (const GhloCpuStripRun *run,
          guint                  slot)
{
  return run->scratch + g_array_index (run->program->slots, GhloCpuStripSlot, slot).offset;
}

static void
fill (const GhloCpuStripRun         *run,
      const GhloCpuStripInstruction *load,
      guint8                        *to,
      gsize                          bytes)
{
  if (load->operands[0] == GHLO_KERNEL_NONE)
    memset (to, 0, bytes);
  else if (to != run->slots[load->operands[0]])
    memcpy (to, run->slots[load->operands[0]], bytes);
}

static void
move (const GhloCpuStripRun *run,
      guint                  size_row,
      const guint8          *from,
      gint64                 from_stride,
      guint8                *to,
      gint64                 to_stride,
      gsize                  n)
{
  const gint64 size = (gint64) 1 << size_row;

  if (from_stride == size && to_stride == size)
    memcpy (to, from, n << size_row);
  else
    run->routines->strided[size_row] (from, from_stride, to, to_stride, n);
}

static void
load (GhloCpuStripRun               *run,
      const GhloCpuStripInstruction *instruction,
      gsize                          n)
{
  const GhloCpuStripAccess *access = ghlo_cpu_strip_access (run->program, instruction->which);
  const guint row = access->size_row;
  guint8 *to = strip_of (run, instruction->result), *from;
  gsize begin, end;

  if (access->is_general)
    {
      from = ghlo_cpu_strip_locate_each (run, access, n);
      fill (run, instruction, to, n << row);
      run->routines->gathers[row] (from, run->offsets, run->inside, to, n);
      run->slots[instruction->result] = to;
      return;
    }
  from = ghlo_cpu_strip_locate (run, access, n, &begin, &end);
  if (begin == 0 && end == n && !instruction->is_copied && (n == 1 || access->lane == (gint64) 1 << row))
    {
      run->slots[instruction->result] = from;
      return;
    }
  if (begin > 0 || end < n)
    fill (run, instruction, to, n << row);
  if (begin < end)
    move (run, row, from + (gint64) begin * access->lane, access->lane, to + (begin << row), (gint64) 1 << row, end - begin);
  run->slots[instruction->result] = to;
}

static void
inside (GhloCpuStripRun               *run,
        const GhloCpuStripInstruction *instruction,
        gsize                          n)
{
  const GhloCpuStripAccess *access = ghlo_cpu_strip_access (run->program, instruction->which);
  guint8 *to = run->slots[instruction->result];
  gsize begin, end;

  if (access->is_general)
    {
      ghlo_cpu_strip_locate_each (run, access, n);
      memcpy (to, run->inside, n);
      return;
    }
  ghlo_cpu_strip_locate (run, access, n, &begin, &end);
  memset (to, 0, n);
  memset (to + begin, 1, end - begin);
}

static void
store (GhloCpuStripRun               *run,
       const GhloCpuStripInstruction *instruction,
       gsize                          n)
{
  const GhloCpuStripAccess *access = ghlo_cpu_strip_access (run->program, instruction->which);
  const guint row = access->size_row;
  const guint8 *from = run->slots[instruction->operands[0]];
  gsize begin, end;
  guint8 *to;

  if (access->is_general)
    {
      to = ghlo_cpu_strip_locate_each (run, access, n);
      run->routines->scatters[row] (to, run->offsets, run->inside, from, n);
      return;
    }
  to = ghlo_cpu_strip_locate (run, access, n, &begin, &end);
  if (begin < end && to != from)
    move (run, row, from + (begin << row), (gint64) 1 << row, to + (gint64) begin * access->lane, access->lane, end - begin);
}

static void
aim (GhloCpuStripRun               *run,
     const GhloCpuStripInstruction *instruction,
     gsize                          n)
{
  const GhloCpuStripAccess *access = ghlo_cpu_strip_access (run->program, instruction->which);
  gsize begin = 1, end = 0;
  guint8 *to = NULL;

  if (!access->is_general)
    to = ghlo_cpu_strip_locate (run, access, n, &begin, &end);
  run->slots[instruction->result] = begin == 0 && end == n && (n == 1 || access->lane == (gint64) 1 << access->size_row)
                                      ? to : strip_of (run, instruction->result);
}

/* From one lane of a temporary to the next. */
static gint64
temporary_lane (const GhloCpuStripRun   *run,
                const GhloCpuStripBlock *block,
                guint                    number,
                guint                    size_row)
{
  return block->is_along ? run->temporaries[number].strides[block->lanes] : (gint64) 1 << size_row;
}

static void
read_temporary (GhloCpuStripRun               *run,
                const GhloCpuStripInstruction *instruction,
                const GhloCpuStripBlock       *block,
                gsize                          n)
{
  const guint row = g_array_index (run->program->slots, GhloCpuStripSlot, instruction->result).size_row;
  const gint64 lane = temporary_lane (run, block, instruction->which, row);
  guint8 *from = ghlo_cpu_strip_temporary (run, instruction->which), *to;

  if (n == 1 || lane == (gint64) 1 << row)
    {
      run->slots[instruction->result] = from;
      return;
    }
  to = run->slots[instruction->result] = strip_of (run, instruction->result);
  move (run, row, from, lane, to, (gint64) 1 << row, n);
}

static void
keep (GhloCpuStripRun               *run,
      const GhloCpuStripInstruction *instruction,
      const GhloCpuStripBlock       *block,
      gsize                          n)
{
  const guint8 *from = run->slots[instruction->operands[0]];
  guint8 *to = ghlo_cpu_strip_temporary (run, instruction->which);

  if (to != from)
    move (run, instruction->size_row, from, (gint64) 1 << instruction->size_row, to,
          temporary_lane (run, block, instruction->which, instruction->size_row), n);
}

static void
aim_keep (GhloCpuStripRun               *run,
          const GhloCpuStripInstruction *instruction,
          const GhloCpuStripBlock       *block,
          gsize                          n)
{
  gint64 lane = temporary_lane (run, block, instruction->which, instruction->size_row);

  run->slots[instruction->result] = n == 1 || lane == (gint64) 1 << instruction->size_row
                                      ? ghlo_cpu_strip_temporary (run, instruction->which)
                                      : strip_of (run, instruction->result);
}

static void
fold (GhloCpuStripRun               *run,
      const GhloCpuStripInstruction *instruction,
      const GhloCpuStripBlock       *block,
      gsize                          n)
{
  const guint8 *operands[2] = {
    run->slots[instruction->operands[0]],
    instruction->n_operands > 1 ? run->slots[instruction->operands[1]] : NULL,
  };
  const gsize n_chains = block->block.n_chains;

  instruction->loop.fold (operands, run->scratch + run->program->folds[instruction->which].accumulators, n, n_chains,
                          (gsize) run->point[block->lanes] & (n_chains - 1));
}

static void
execute_other (GhloCpuStripRun               *run,
               const GhloCpuStripInstruction *instruction,
               const GhloCpuStripBlock       *block,
               gsize                          n)
{
  switch ((GhloCpuStripKind) instruction->kind)
    {
    case GHLO_CPU_STRIP_SPLAT:
      instruction->loop.splat (run->slots[instruction->operands[0]], run->slots[instruction->result],
                               block->lanes == GHLO_KERNEL_NONE ? 1 : MIN (run->program->strip, run->splat));
      break;
    case GHLO_CPU_STRIP_AXIS:
      instruction->loop.ramp (run->point[instruction->which], run->slots[instruction->result], n);
      break;
    case GHLO_CPU_STRIP_EXTENT:
      instruction->loop.ramp (run->extents[instruction->which], run->slots[instruction->result], 1);
      break;
    case GHLO_CPU_STRIP_LOAD:
      load (run, instruction, n);
      break;
    case GHLO_CPU_STRIP_INSIDE:
      inside (run, instruction, n);
      break;
    case GHLO_CPU_STRIP_READ:
      read_temporary (run, instruction, block, n);
      break;
    case GHLO_CPU_STRIP_AIM:
      aim (run, instruction, n);
      break;
    case GHLO_CPU_STRIP_AIM_KEEP:
      aim_keep (run, instruction, block, n);
      break;
    case GHLO_CPU_STRIP_STORE:
      store (run, instruction, n);
      break;
    case GHLO_CPU_STRIP_KEEP:
      keep (run, instruction, block, n);
      break;
    case GHLO_CPU_STRIP_FOLD:
      fold (run, instruction, block, n);
      break;
    case GHLO_CPU_STRIP_CALL:
    case GHLO_CPU_STRIP_UPDATE:
    default:
      g_assert_not_reached ();
    }
}

/* The instructions of @range for @n lanes, which are those from @shift on of what are whole strips. */
static void
execute (GhloCpuStripRun         *run,
         GhloCpuStripRange        range,
         const GhloCpuStripBlock *block,
         gsize                    shift,
         gsize                    n)
{
  const GhloCpuStripSlot *slots = (gconstpointer) run->program->slots->data;
  const GhloCpuStripInstruction *instructions = (gconstpointer) run->program->instructions->data;

  for (guint i = range.first; i < range.end; i++)
    {
      const GhloCpuStripInstruction *it = &instructions[i];
      const guint8 *operands[3];

      if (it->kind != GHLO_CPU_STRIP_CALL && it->kind != GHLO_CPU_STRIP_UPDATE)
        {
          execute_other (run, it, block, n);
          continue;
        }
      for (guint j = 0; j < it->n_operands; j++)
        {
          operands[j] = run->slots[it->operands[j]];
          if ((it->shifts & 1u << j) != 0)
            operands[j] += shift << slots[it->operands[j]].size_row;
        }
      if (it->kind == GHLO_CPU_STRIP_UPDATE)
        memcpy (run->slots[run->program->folds[it->which].left], operands[0], n << it->size_row);
      else
        it->loop.call (operands, run->slots[it->result] + ((it->shifts & 8) != 0 ? shift << slots[it->result].size_row : 0),
                       n, NULL);
    }
}

static gsize
size_of (GhloCpuStripRange range)
{
  return range.end - range.first;
}

/* The number of lanes that an accumulator has. */
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

      run->slots[it->left] = run->scratch + it->accumulators + ((chain * width_of (run, block)) << it->size_row);
    }
}

/* What depends on folds along a strip of @n points, as many points at a time as there are chains. */
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
      execute (run, block->groups, block, done, m);
      done += m;
    }
}

/* Strips along the innermost axis. */
static void
run_along (GhloCpuStripRun         *run,
           const GhloCpuStripBlock *block,
           gint64                   begin,
           gint64                   end)
{
  const gsize n_instructions = 1 + size_of (block->body) + size_of (block->groups);

  run->point[block->lanes] = begin;
  run->splat = (gsize) MIN (end - begin, (gint64) run->program->strip);
  execute (run, block->prologue, block, 0, 1);
  for (gint64 i = begin; i < end;)
    {
      gsize n = (gsize) MIN (end - i, (gint64) run->program->strip);

      if (ghlo_cpu_strip_stops (run, n * n_instructions))
        return;
      run->point[block->lanes] = i;
      execute (run, block->body, block, 0, n);
      if (size_of (block->groups) > 0)
        run_groups (run, block, n);
      execute (run, block->last, block, 0, n);
      i += (gint64) n;
    }
}

/* A strip of parallel points, or a single one. */
static void
run_across (GhloCpuStripRun         *run,
            const GhloCpuStripBlock *block)
{
  const gsize n = run->n_lanes;

  if (ghlo_cpu_strip_stops (run, n * (1 + size_of (block->body))))
    return;
  if (block->block.n_folds > 0)
    {
      guint last = 31 - (guint) __builtin_clz (block->block.axes);

      set_left (run, block, (gsize) run->point[last] & (block->block.n_chains - 1u));
    }
  run->splat = n;
  execute (run, block->prologue, block, 0, 1);
  execute (run, block->body, block, 0, n);
  execute (run, block->last, block, 0, n);
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

/* All points whose coordinate of the first axis is within [@begin, @end). */
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

      run->routines->splats[it->size_row] ((const guint8 *) &it->identity, run->scratch + it->accumulators,
                                           block->block.n_chains * width_of (run, block));
    }
}

/* Merges @n partial folds each: those from @left on, and those from @right on. */
static void
merge (GhloCpuStripRun         *run,
       const GhloCpuStripBlock *block,
       gboolean                 is_whole,
       gsize                    distance,
       gsize                    n)
{
  const gsize most = block->lanes == GHLO_KERNEL_NONE ? 1 : run->program->strip;

  for (gsize done = 0; done < n; done += most)
    {
      for (guint i = block->block.first_fold; i < block->block.first_fold + (guint) block->block.n_folds; i++)
        {
          const GhloCpuStripFold *it = &run->program->folds[i];
          guint8 *accumulators = run->scratch + it->accumulators + (done << it->size_row);

          run->slots[it->left] = is_whole ? run->scratch + it->whole + (done << it->size_row) : accumulators;
          run->slots[it->right] = accumulators + (distance << it->size_row);
        }
      execute (run, block->merge, block, 0, MIN (most, n - done));
    }
}

/* The accumulators become the whole, or are merged into it. */
static void
end_part (GhloCpuStripRun         *run,
          const GhloCpuStripBlock *block,
          gboolean                 is_first)
{
  const gsize width = width_of (run, block);

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

      memcpy (run->scratch + it->whole, run->scratch + it->accumulators, width << it->size_row);
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

      memcpy (ghlo_cpu_strip_temporary (run, it->temporary), run->scratch + it->whole, width_of (run, block) << it->size_row);
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
