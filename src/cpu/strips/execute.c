/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Executes instructions. A load of contiguous elements copies nothing: its slot points into the buffer. A slot whose
 * destination is set points to where its value will be stored, if the lanes there are contiguous and in bounds.
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

/* The scratch memory of the strip of @slot. */
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
      guint                  log2_size,
      const guint8          *from,
      gint64                 from_stride,
      guint8                *to,
      gint64                 to_stride,
      gsize                  n)
{
  const gint64 size = (gint64) 1 << log2_size;

  if (from_stride == size && to_stride == size)
    memcpy (to, from, n << log2_size);
  else
    run->routines->strided[log2_size] (from, from_stride, to, to_stride, n);
}

static void
load (GhloCpuStripRun               *run,
      const GhloCpuStripInstruction *instruction,
      gsize                          n)
{
  const GhloCpuStripAccess *access = ghlo_cpu_strip_access (run->program, instruction->index);
  const guint log2_size = access->log2_size;
  guint8 *to = strip_of (run, instruction->result), *from;
  gsize begin, end;

  if (access->is_general)
    {
      from = ghlo_cpu_strip_locate_each (run, access, n);
      fill (run, instruction, to, n << log2_size);
      run->routines->gathers[log2_size] (from, run->offsets, run->inside, to, n);
      run->slots[instruction->result] = to;
      return;
    }
  from = ghlo_cpu_strip_locate (run, access, n, &begin, &end);
  if (begin == 0 && end == n && !instruction->is_copied && (n == 1 || access->lane == (gint64) 1 << log2_size))
    {
      run->slots[instruction->result] = from;
      return;
    }
  if (begin > 0 || end < n)
    fill (run, instruction, to, n << log2_size);
  if (begin < end)
    move (run, log2_size, from + (gint64) begin * access->lane, access->lane, to + (begin << log2_size),
          (gint64) 1 << log2_size, end - begin);
  run->slots[instruction->result] = to;
}

static void
inside (GhloCpuStripRun               *run,
        const GhloCpuStripInstruction *instruction,
        gsize                          n)
{
  const GhloCpuStripAccess *access = ghlo_cpu_strip_access (run->program, instruction->index);
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
  const GhloCpuStripAccess *access = ghlo_cpu_strip_access (run->program, instruction->index);
  const guint log2_size = access->log2_size;
  const guint8 *from = run->slots[instruction->operands[0]];
  gsize begin, end;
  guint8 *to;

  if (access->is_general)
    {
      to = ghlo_cpu_strip_locate_each (run, access, n);
      run->routines->scatters[log2_size] (to, run->offsets, run->inside, from, n);
      return;
    }
  to = ghlo_cpu_strip_locate (run, access, n, &begin, &end);
  if (begin == end)
    return;
  /* Lanes out of bounds have no address, so compare the address of a lane in bounds to see whether the value was
   * computed in place. */
  from += begin << log2_size;
  to += (gint64) begin * access->lane;
  if (to != from)
    move (run, log2_size, from, (gint64) 1 << log2_size, to, access->lane, end - begin);
}

static void
set_destination (GhloCpuStripRun               *run,
                 const GhloCpuStripInstruction *instruction,
                 gsize                          n)
{
  const GhloCpuStripAccess *access = ghlo_cpu_strip_access (run->program, instruction->index);
  const gboolean is_contiguous = n == 1 || access->lane == (gint64) 1 << access->log2_size;
  gsize begin = 1, end = 0;
  guint8 *to = NULL;

  if (!access->is_general)
    to = ghlo_cpu_strip_locate (run, access, n, &begin, &end);
  run->slots[instruction->result] = begin == 0 && end == n && is_contiguous ? to : strip_of (run, instruction->result);
}

/* Bytes from one lane of a temporary to the next. */
static gint64
temporary_lane (const GhloCpuStripRun   *run,
                const GhloCpuStripBlock *block,
                guint                    number,
                guint                    log2_size)
{
  return block->is_along ? run->temporaries[number].strides[block->lanes] : (gint64) 1 << log2_size;
}

static void
load_temporary (GhloCpuStripRun               *run,
                const GhloCpuStripInstruction *instruction,
                const GhloCpuStripBlock       *block,
                gsize                          n)
{
  const guint log2_size = g_array_index (run->program->slots, GhloCpuStripSlot, instruction->result).log2_size;
  const gint64 lane = temporary_lane (run, block, instruction->index, log2_size);
  guint8 *from = ghlo_cpu_strip_temporary (run, instruction->index), *to;

  if (!instruction->is_copied && (n == 1 || lane == (gint64) 1 << log2_size))
    {
      run->slots[instruction->result] = from;
      return;
    }
  to = run->slots[instruction->result] = strip_of (run, instruction->result);
  move (run, log2_size, from, lane, to, (gint64) 1 << log2_size, n);
}

static void
store_temporary (GhloCpuStripRun               *run,
                 const GhloCpuStripInstruction *instruction,
                 const GhloCpuStripBlock       *block,
                 gsize                          n)
{
  const guint8 *from = run->slots[instruction->operands[0]];
  guint8 *to = ghlo_cpu_strip_temporary (run, instruction->index);

  if (to != from)
    move (run, instruction->log2_size, from, (gint64) 1 << instruction->log2_size, to,
          temporary_lane (run, block, instruction->index, instruction->log2_size), n);
}

static void
set_temporary_destination (GhloCpuStripRun               *run,
                           const GhloCpuStripInstruction *instruction,
                           const GhloCpuStripBlock       *block,
                           gsize                          n)
{
  gint64 lane = temporary_lane (run, block, instruction->index, instruction->log2_size);

  run->slots[instruction->result] = n == 1 || lane == (gint64) 1 << instruction->log2_size
                                      ? ghlo_cpu_strip_temporary (run, instruction->index)
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

  instruction->loop.fold (operands, run->scratch + run->program->folds[instruction->index].accumulators, n, n_chains,
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
      instruction->loop.ramp (run->point[instruction->index], run->slots[instruction->result], n);
      break;
    case GHLO_CPU_STRIP_EXTENT:
      instruction->loop.ramp (run->extents[instruction->index], run->slots[instruction->result], 1);
      break;
    case GHLO_CPU_STRIP_LOAD:
      load (run, instruction, n);
      break;
    case GHLO_CPU_STRIP_INSIDE:
      inside (run, instruction, n);
      break;
    case GHLO_CPU_STRIP_LOAD_TEMPORARY:
      load_temporary (run, instruction, block, n);
      break;
    case GHLO_CPU_STRIP_SET_DESTINATION:
      set_destination (run, instruction, n);
      break;
    case GHLO_CPU_STRIP_SET_TEMPORARY_DESTINATION:
      set_temporary_destination (run, instruction, block, n);
      break;
    case GHLO_CPU_STRIP_STORE:
      store (run, instruction, n);
      break;
    case GHLO_CPU_STRIP_STORE_TEMPORARY:
      store_temporary (run, instruction, block, n);
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

/* Returns operand @j, @shift points further on if the instruction shifts it. */
static inline const guint8 *
find_operand (const GhloCpuStripRun         *run,
              const GhloCpuStripInstruction *it,
              guint                          j,
              gsize                          shift)
{
  const GhloCpuStripSlot *slots = (gconstpointer) run->program->slots->data;
  const guint8 *operand = run->slots[it->operands[j]];

  return (it->shifts & 1u << j) != 0 ? operand + (shift << slots[it->operands[j]].log2_size) : operand;
}

void
ghlo_cpu_strip_execute (GhloCpuStripRun         *run,
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
      gsize moved;

      if (it->kind != GHLO_CPU_STRIP_CALL && it->kind != GHLO_CPU_STRIP_UPDATE)
        {
          execute_other (run, it, block, n);
          continue;
        }
      if (it->kind == GHLO_CPU_STRIP_UPDATE)
        {
          memcpy (run->slots[run->program->folds[it->index].left], find_operand (run, it, 0, shift),
                  n << it->log2_size);
          continue;
        }
      for (guint j = 0; j < it->n_operands; j++)
        operands[j] = find_operand (run, it, j, shift);
      moved = (it->shifts & 8) != 0 ? shift << slots[it->result].log2_size : 0;
      it->loop.call (operands, run->slots[it->result] + moved, n, NULL);
    }
}
