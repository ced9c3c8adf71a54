/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops over coordinates, and loops over points by vectors: whole vectors first, then the remainder. With constant
 * bounds the remainder is emitted as straight-line code. Otherwise it is one masked vector where the processor has
 * masks, and else a loop over single points.
 */

#include "cpu/llvm/emit-llvm.h"

GhloEmitLoop
ghlo_emit_begin_loop (Emitter  *self,
                      Value     begin,
                      Value     end,
                      gboolean  is_certain)
{
  LLVMBasicBlockRef from = LLVMGetInsertBlock (self->builder);
  GhloEmitLoop loop = {
    .body = ghlo_emit_add_block (self),
    .exit = ghlo_emit_add_block (self),
    .end = end,
  };

  if (is_certain)
    LLVMBuildBr (self->builder, loop.body);
  else
    LLVMBuildCondBr (self->builder, LLVMBuildICmp (self->builder, LLVMIntSLT, begin, end, ""), loop.body, loop.exit);
  LLVMPositionBuilderAtEnd (self->builder, loop.body);
  loop.index = LLVMBuildPhi (self->builder, self->i64, "");
  LLVMAddIncoming (loop.index, &begin, &from, 1);

  return loop;
}

void
ghlo_emit_end_loop (Emitter      *self,
                    GhloEmitLoop  loop,
                    Value         step)
{
  Value next = LLVMBuildAdd (self->builder, loop.index, step, "");
  LLVMBasicBlockRef from = LLVMGetInsertBlock (self->builder);

  LLVMSetNSW (next, TRUE);
  LLVMBuildCondBr (self->builder, LLVMBuildICmp (self->builder, LLVMIntSLT, next, loop.end, ""), loop.body, loop.exit);
  LLVMAddIncoming (loop.index, &next, &from, 1);
  LLVMPositionBuilderAtEnd (self->builder, loop.exit);
}

GhloEmitLoop
ghlo_emit_begin_pieces (Emitter *self,
                        Value    begin,
                        Value    end,
                        Value    length,
                        Value   *piece_end)
{
  GhloEmitLoop loop = ghlo_emit_begin_loop (self, begin, end, FALSE);
  Value left;

  ghlo_emit_stop (self);
  left = LLVMBuildSub (self->builder, end, loop.index, "");
  left = LLVMBuildSelect (self->builder, LLVMBuildICmp (self->builder, LLVMIntSLT, left, length, ""), left, length, "");
  *piece_end = LLVMBuildAdd (self->builder, loop.index, left, "");

  return loop;
}

/* A range of the lanes' axis that is being emitted. */
typedef struct
{
  Emitter               *self;
  const GhloKernelBlock *block;         /* block of the points; NULL: all blocks */
  gboolean               has_accesses;
  guint                  n;
  GhloEmitVector         func;
  gpointer               data;
} Range;

/* Emits one vector whose first lane is at @index. */
static void
emit_vector (const Range *range,
             Value        index,
             guint        number,
             Value        mask)
{
  Emitter *self = range->self;

  self->point[self->lanes] = index;
  self->fixed |= 1u << self->lanes;
  self->mask = mask;
  range->func (self, range->data, number);
  self->mask = NULL;
  self->fixed &= ~(1u << self->lanes);
}

static Value
move (const Range *range,
      Value        index,
      guint        number)
{
  Emitter *self = range->self;

  return LLVMBuildAdd (self->builder, index, ghlo_emit_i64 (self, (gint64) number * self->width), "");
}

static void
emit_whole (Emitter  *self,
            gpointer  data,
            Value     index)
{
  const Range *range = data;

  for (guint i = 0; i < range->n; i++)
    emit_vector (range, move (range, index, i), i, NULL);
}

/* Emits a loop of whole iterations of all n vectors, from @begin to @end. */
static void
emit_wholes (const Range *range,
             Value        begin,
             Value        end,
             gboolean     is_certain)
{
  Emitter *self = range->self;
  const gint64 step = (gint64) self->width * range->n;
  GhloEmitCut *cuts = g_new (GhloEmitCut, GHLO_EMIT_MAX_CUTS);
  const guint n = range->has_accesses ? ghlo_emit_find_cuts (self, range->block, self->lanes, step, cuts) : 0;

  if (n > 0)
    ghlo_emit_cut_loop (self, cuts, n, begin, end, step, emit_whole, (gpointer) range);
  else
    {
      GhloEmitLoop loop = ghlo_emit_begin_loop (self, begin, end, is_certain);

      emit_whole (self, (gpointer) range, loop.index);
      ghlo_emit_end_loop (self, loop, ghlo_emit_i64 (self, step));
    }
  g_free (cuts);
}

static Value
constant_mask (Emitter *self,
               gint64   n)
{
  Value lanes[GHLO_SCHEDULE_MAX_WIDTH];

  for (guint i = 0; i < self->width; i++)
    lanes[i] = LLVMConstInt (self->i1, i < n, FALSE);

  return LLVMConstVector (lanes, self->width);
}

/* Emits [0, extent) where the extent is a constant. */
static void
emit_known (const Range *range,
            gint64       extent)
{
  Emitter *self = range->self;
  const gint64 step = (gint64) self->width * range->n, whole = extent / step * step;

  if (whole == step)
    emit_whole (self, (gpointer) range, ghlo_emit_i64 (self, 0));
  else if (whole > 0)
    emit_wholes (range, ghlo_emit_i64 (self, 0), ghlo_emit_i64 (self, whole), TRUE);
  for (guint i = 0; whole + (gint64) i * self->width < extent; i++)
    {
      gint64 left = extent - whole - (gint64) i * self->width;

      emit_vector (range, ghlo_emit_i64 (self, extent - left), i,
                   left < self->width ? constant_mask (self, left) : NULL);
    }
}

/* The mask of lanes from @index on that are below @end, and at or above @begin (nullable). */
static Value
variable_mask (Emitter *self,
               Value    index,
               Value    begin,
               Value    end)
{
  Value from = begin != NULL ? LLVMBuildSub (self->builder, begin, index, "") : ghlo_emit_i64 (self, 0);

  return ghlo_emit_lanes_from_to (self, from, LLVMBuildSub (self->builder, end, index, ""));
}

/* Emits the remainder [index, end), which is shorter than one vector or empty. */
static void
emit_rest (const Range *range,
           Value        index,
           Value        end)
{
  Emitter *self = range->self;
  const guint width = self->width;
  GhloEmitLoop loop = ghlo_emit_begin_loop (self, index, end, FALSE);

  if (self->has_masks)
    {
      emit_vector (range, loop.index, 0, variable_mask (self, loop.index, NULL, end));
      ghlo_emit_end_loop (self, loop, ghlo_emit_i64 (self, width));
      return;
    }
  self->width = 1;
  emit_vector (range, loop.index, 0, NULL);
  self->width = width;
  ghlo_emit_end_loop (self, loop, ghlo_emit_i64 (self, 1));
}

/* Emits [begin, end). Where the range has several vectors, @begin is a multiple of one iteration's points. */
static void
emit_unknown (const Range *range,
              Value        begin,
              Value        end)
{
  Emitter *self = range->self;
  LLVMBuilderRef builder = self->builder;
  Value step = ghlo_emit_i64 (self, (gint64) self->width * range->n), whole, middle;

  whole = LLVMBuildSub (builder, end, begin, "");
  whole = LLVMBuildSub (builder, whole, LLVMBuildSRem (builder, whole, step, ""), "");
  middle = LLVMBuildAdd (builder, begin, whole, "");
  emit_wholes (range, begin, middle, FALSE);
  if (self->width == 1 && range->n == 1)
    return;
  if (range->n == 1)
    {
      emit_rest (range, middle, end);
      return;
    }
  for (guint i = 0; i < range->n; i++)
    {
      Value index = move (range, middle, i);

      emit_vector (range, index, i, variable_mask (self, index, NULL, end));
    }
}

/* Iterations begin at multiples of their number of points, which @begin need not be. Lanes outside of the range are
 * masked. */
static void
emit_unaligned (const Range *range,
                Value        begin,
                Value        end)
{
  Emitter *self = range->self;
  Value step = ghlo_emit_i64 (self, (gint64) self->width * range->n);
  Value first = LLVMBuildSub (self->builder, begin, LLVMBuildSRem (self->builder, begin, step, ""), "");
  GhloEmitLoop loop = ghlo_emit_begin_loop (self, first, end, FALSE);

  for (guint i = 0; i < range->n; i++)
    {
      Value index = move (range, loop.index, i);

      emit_vector (range, index, i, variable_mask (self, index, begin, end));
    }
  ghlo_emit_end_loop (self, loop, step);
}

static void
emit_part (const Range *range,
           Value        begin,
           Value        end,
           gint64       alignment)
{
  const gint64 step = (gint64) range->self->width * range->n;

  if (begin == NULL && LLVMIsConstant (end))
    emit_known (range, LLVMConstIntGetSExtValue (end));
  else if (begin == NULL)
    emit_unknown (range, ghlo_emit_i64 (range->self, 0), end);
  else if (alignment % step == 0)
    emit_unknown (range, begin, end);
  else
    emit_unaligned (range, begin, end);
}

void
ghlo_emit_range (Emitter        *self,
                 Value           begin,
                 Value           end,
                 GhloEmitVector  func,
                 gpointer        data)
{
  const Range range = { .self = self, .has_accesses = TRUE, .n = 1, .func = func, .data = data };

  emit_part (&range, begin, end, self->width);
}

void
ghlo_emit_vectors (Emitter            *self,
                   const GhloEmitNest *nest,
                   Value               begin,
                   Value               end,
                   gint64              alignment)
{
  const Range range = { self, nest->block, nest->block != NULL, nest->n, nest->func, nest->data };

  emit_part (&range, begin, end, alignment);
}

GhloEmitLanes
ghlo_emit_enter (Emitter *self,
                 guint    axis,
                 guint    width)
{
  const GhloEmitLanes saved = { self->width, self->lanes, self->mask };

  if (self->schedule->lanes != GHLO_KERNEL_NONE)
    return saved;
  self->lanes = axis;
  self->width = axis == GHLO_KERNEL_NONE ? 1 : width;
  self->mask = NULL;

  return saved;
}

guint
ghlo_emit_choose_width (Emitter *self,
                        guint    axis)
{
  guint width = self->schedule->width;

  if (axis != GHLO_KERNEL_NONE && LLVMIsConstant (self->extents[axis]))
    while (width > 1 && width / 2 >= LLVMConstIntGetSExtValue (self->extents[axis]))
      width /= 2;

  return width;
}

void
ghlo_emit_leave (Emitter       *self,
                 GhloEmitLanes  saved)
{
  self->width = saved.width;
  self->lanes = saved.lanes;
  self->mask = saved.mask;
}

/* Iterations of a loop of the kernel between two checks, a power of two: a check takes some 50 ns, an iteration at most
 * some 100 µs, since loops inside it check for themselves. */
enum { ITERATIONS = 128 };

void
ghlo_emit_stop_at (Emitter *self,
                   Value    iteration)
{
  LLVMBuilderRef builder = self->builder;
  LLVMBasicBlockRef checks = ghlo_emit_add_block (self), goes_on = ghlo_emit_add_block (self);
  Value rest = LLVMBuildAnd (builder, iteration, ghlo_emit_i64 (self, ITERATIONS - 1), "");

  LLVMBuildCondBr (builder, LLVMBuildICmp (builder, LLVMIntEQ, rest, ghlo_emit_i64 (self, 0), ""), checks, goes_on);
  LLVMPositionBuilderAtEnd (builder, checks);
  ghlo_emit_stop (self);
  LLVMBuildBr (builder, goes_on);
  LLVMPositionBuilderAtEnd (builder, goes_on);
}

void
ghlo_emit_stop (Emitter *self)
{
  LLVMBuilderRef builder = self->builder;
  LLVMBasicBlockRef stopped = ghlo_emit_add_block (self);
  LLVMBasicBlockRef goes_on = ghlo_emit_add_block (self);
  Type type = LLVMFunctionType (self->i32, &self->pointer, 1, FALSE);
  Value fields[2], stops;
  const gsize offsets[] = { G_STRUCT_OFFSET (GhloCodeCall, stops), G_STRUCT_OFFSET (GhloCodeCall, data) };

  for (guint i = 0; i < 2; i++)
    fields[i] = LLVMBuildLoad2 (builder, self->pointer,
                                ghlo_emit_byte_address (self, self->call, ghlo_emit_i64 (self, (gint64) offsets[i])),
                                "");
  stops = LLVMBuildCall2 (builder, type, fields[0], &fields[1], 1, "");
  LLVMBuildCondBr (builder, LLVMBuildICmp (builder, LLVMIntNE, stops, LLVMConstNull (self->i32), ""), stopped,
                   goes_on);
  LLVMPositionBuilderAtEnd (builder, stopped);
  LLVMBuildRet (builder, LLVMConstNull (self->i32));
  LLVMPositionBuilderAtEnd (builder, goes_on);
}
