/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Assigns strips of scratch memory to slots. A strip becomes free for another slot with elements of the same size
 * after the last instruction that reads it; a CALL may reuse it for its own result, since loops may overwrite their
 * operands. Strips written by the prologue live for the whole line, and those read by groups until all groups are
 * done.
 */

#include "cpu/strips/strips-private.h"

#include "base/sizes.h"

typedef struct
{
  GhloCpuStrips *self;
  gsize          bytes, length;
  guint         *last_reads;    /* by slot */
  guint8        *is_assigned;   /* by slot */
  GArray        *free_strips[GHLO_CPU_N_STRIP_SIZES];
} Assigner;

/* Sizes are rounded up, so that each piece begins on a cache line of its own. */
gsize
ghlo_cpu_strip_reserve (gsize *bytes,
                        gsize  size)
{
  gsize offset = *bytes;

  *bytes += ghlo_size_align (size);

  return offset;
}

static GhloCpuStripSlot *
slot_of (const Assigner *self,
         guint           slot)
{
  return &g_array_index (self->self->slots, GhloCpuStripSlot, slot);
}

static GhloCpuStripInstruction *
instruction_of (const Assigner *self,
                guint           number)
{
  return &g_array_index (self->self->instructions, GhloCpuStripInstruction, number);
}

static void
assign_strip (Assigner *self,
              guint     number)
{
  GhloCpuStripSlot *slot;
  GArray *strips;

  if (number == GHLO_KERNEL_NONE || self->is_assigned[number] || !slot_of (self, number)->has_strip)
    return;
  slot = slot_of (self, number);
  strips = self->free_strips[slot->log2_size];
  self->is_assigned[number] = TRUE;
  if (strips->len > 0)
    {
      slot->offset = g_array_index (strips, gsize, strips->len - 1);
      g_array_set_size (strips, strips->len - 1);
    }
  else
    /* The extra cache line avoids equal page offsets, which would make loads wait for earlier stores. */
    slot->offset = ghlo_cpu_strip_reserve (&self->bytes, (self->length << slot->log2_size) + 64);
}

static gboolean
has_access (const GhloCpuStripInstruction *instruction)
{
  return instruction->kind == GHLO_CPU_STRIP_LOAD || instruction->kind == GHLO_CPU_STRIP_INSIDE
         || instruction->kind == GHLO_CPU_STRIP_STORE || instruction->kind == GHLO_CPU_STRIP_SET_DESTINATION;
}

/* Calls @func for each slot that the instruction @number reads. */
static void
for_each_read (Assigner *self,
               guint     number,
               guint     at,
               void    (*func) (Assigner *self, guint slot, guint at))
{
  const GhloCpuStripInstruction *instruction = instruction_of (self, number);

  for (guint i = 0; i < 3; i++)
    if (instruction->operands[i] != GHLO_KERNEL_NONE)
      func (self, instruction->operands[i], at);
  if (has_access (instruction))
    {
      const GhloCpuStripAccess *access = ghlo_cpu_strip_access (self->self, instruction->index);

      for (guint i = 0; i < access->n_terms; i++)
        if (access->terms[i].slot != GHLO_KERNEL_NONE)
          func (self, access->terms[i].slot, at);
    }
}

static void
mark (Assigner *self,
      guint     slot,
      guint     at)
{
  self->last_reads[slot] = MAX (self->last_reads[slot], at);
}

/* Frees the strip of the slot @number if @at is its last read. */
static void
free_strip (Assigner *self,
            guint     number,
            guint     at)
{
  GhloCpuStripSlot *slot = slot_of (self, number);

  if (!slot->has_strip || !self->is_assigned[number] || self->last_reads[number] != at)
    return;
  self->last_reads[number] = G_MAXUINT;
  g_array_append_val (self->free_strips[slot->log2_size], slot->offset);
}

/* Instructions are numbered from 1 in the order of the lists. Groups run repeatedly: slots that they use without
 * writing them count as read at the end of the groups. */
static void
mark_reads (Assigner                *self,
            const GhloCpuStripRange *ranges,
            guint                    n_ranges,
            guint                    groups)
{
  g_autofree guint8 *is_grouped = g_new0 (guint8, self->self->slots->len);

  for (guint i = ranges[groups].first; i < ranges[groups].end; i++)
    if (instruction_of (self, i)->result != GHLO_KERNEL_NONE && (instruction_of (self, i)->shifts & 8) == 0)
      is_grouped[instruction_of (self, i)->result] = TRUE;
  for (guint i = 0; i < n_ranges; i++)
    for (guint j = ranges[i].first; j < ranges[i].end; j++)
      for_each_read (self, j, j + 1, mark);
  for (guint i = ranges[groups].first; i < ranges[groups].end; i++)
    {
      const GhloCpuStripInstruction *instruction = instruction_of (self, i);

      for (guint j = 0; j < 3; j++)
        if (instruction->operands[j] != GHLO_KERNEL_NONE && !is_grouped[instruction->operands[j]])
          mark (self, instruction->operands[j], ranges[groups].end);
      if (instruction->result != GHLO_KERNEL_NONE && !is_grouped[instruction->result])
        mark (self, instruction->result, ranges[groups].end);
    }
}

static void
assign_list (Assigner                *self,
             const GhloCpuStripRange *range)
{
  for (guint i = range->first; i < range->end; i++)
    {
      const GhloCpuStripInstruction *instruction = instruction_of (self, i);
      gboolean is_call = instruction->kind == GHLO_CPU_STRIP_CALL;

      if (is_call)
        for_each_read (self, i, i + 1, free_strip);
      /* The destination that is set belongs to the CALL that follows, and is assigned there. */
      if (instruction->kind != GHLO_CPU_STRIP_SET_DESTINATION
          && instruction->kind != GHLO_CPU_STRIP_SET_TEMPORARY_DESTINATION)
        assign_strip (self, instruction->result);
      if (!is_call)
        for_each_read (self, i, i + 1, free_strip);
    }
}

static gsize
assign (Assigner                *self,
        const GhloCpuStripBlock *block)
{
  const GhloCpuStripRange ranges[] = { block->body, block->groups, block->last };
  const GhloCpuStripRange merges[] = { block->merge, { 0, 0 } };
  const gsize length = self->length;
  gsize bytes;

  for (guint i = block->prologue.first; i < block->prologue.end; i++)
    {
      self->length = instruction_of (self, i)->kind == GHLO_CPU_STRIP_SPLAT ? length : 8;
      assign_strip (self, instruction_of (self, i)->result);
    }
  self->length = length;
  mark_reads (self, ranges, 3, 1);
  /* Slots of the prologue are never freed. Whole strips that groups write are assigned ahead, as all groups share
   * them. */
  for (guint i = block->prologue.first; i < block->prologue.end; i++)
    if (instruction_of (self, i)->result != GHLO_KERNEL_NONE)
      self->last_reads[instruction_of (self, i)->result] = G_MAXUINT;
  for (guint i = block->groups.first; i < block->groups.end; i++)
    if ((instruction_of (self, i)->shifts & 8) != 0)
      assign_strip (self, instruction_of (self, i)->result);
  for (guint i = 0; i < 3; i++)
    assign_list (self, &ranges[i]);
  bytes = self->bytes;
  for (guint i = 0; i < GHLO_CPU_N_STRIP_SIZES; i++)
    g_array_set_size (self->free_strips[i], 0);
  self->bytes = 0;
  mark_reads (self, merges, 1, 1);
  assign_list (self, &merges[0]);

  return MAX (bytes, self->bytes);
}

void
ghlo_cpu_strip_assign (GhloCpuStrips           *self,
                       const GhloCpuStripBlock *block,
                       gsize                   *bytes)
{
  g_autofree guint *last_reads = g_new0 (guint, self->slots->len);
  g_autofree guint8 *is_assigned = g_new0 (guint8, self->slots->len);
  /* Single points are merged one element at a time as well, so short strips are enough. */
  Assigner assigner = {
    .self = self, .last_reads = last_reads, .is_assigned = is_assigned,
    .length = block->lanes == GHLO_KERNEL_NONE ? 8 : self->strip,
  };
  gsize needed;

  for (guint i = 0; i < GHLO_CPU_N_STRIP_SIZES; i++)
    assigner.free_strips[i] = g_array_new (FALSE, FALSE, sizeof (gsize));
  needed = assign (&assigner, block);
  *bytes = MAX (*bytes, needed);
  for (guint i = 0; i < GHLO_CPU_N_STRIP_SIZES; i++)
    g_array_unref (assigner.free_strips[i]);
}
