/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops and folds of the LLVM emitter. A range of the vector axis is a main loop of
 * unroll × width, what vectors are left, and a masked rest; with bounds that are known
 * all of it is laid out ahead, without a branch.
 */

#include "llvm-emit-private.h"

#include <string.h>

typedef LLVMValueRef Value;

/* Does @n_chunks vectors side by side, the first of them at @index. */
typedef void (*ChunkFunc) (Emitter  *self,
                           gpointer  data,
                           Value     index,
                           gint64    chunk,
                           guint     n_chunks,
                           Value     mask,
                           gboolean  vector);

typedef struct
{
  LLVMBasicBlockRef body, exit;
  Value             index, limit;
  Value             carried[SPIKE_MAX_INSTANCES * GHLO_KERNEL_MAX_ACCUMULATORS * 16];
  guint             n_carried;
} Loop;

static Value
number (Emitter *self,
        gint64   value)
{
  return LLVMConstInt (self->i64, value, TRUE);
}

/* From @begin while below @limit. With @known it runs once at least, else the caller
 * carries nothing. */
static Loop *
loop_begin (Emitter *self,
            Value    begin,
            Value    limit,
            gboolean known,
            Value   *carried,
            guint    n_carried)
{
  Loop *loop = g_new0 (Loop, 1);
  LLVMBasicBlockRef from = LLVMGetInsertBlock (self->builder);

  loop->body = LLVMAppendBasicBlockInContext (self->context, self->function, "");
  loop->exit = LLVMAppendBasicBlockInContext (self->context, self->function, "");
  loop->limit = limit;
  loop->n_carried = n_carried;
  if (known)
    LLVMBuildBr (self->builder, loop->body);
  else
    LLVMBuildCondBr (self->builder, LLVMBuildICmp (self->builder, LLVMIntSLT, begin, limit, ""), loop->body,
                     loop->exit);
  LLVMPositionBuilderAtEnd (self->builder, loop->body);
  loop->index = LLVMBuildPhi (self->builder, self->i64, "");
  LLVMAddIncoming (loop->index, &begin, &from, 1);
  for (guint i = 0; i < n_carried; i++)
    {
      loop->carried[i] = LLVMBuildPhi (self->builder, LLVMTypeOf (carried[i]), "");
      LLVMAddIncoming (loop->carried[i], &carried[i], &from, 1);
      carried[i] = loop->carried[i];
    }

  return loop;
}

static void
loop_end (Emitter *self,
          Loop    *loop,
          gint64   step,
          Value   *carried)
{
  Value next = LLVMBuildAdd (self->builder, loop->index, number (self, step), "");
  LLVMBasicBlockRef from = LLVMGetInsertBlock (self->builder);

  LLVMSetNSW (next, TRUE);
  LLVMBuildCondBr (self->builder, LLVMBuildICmp (self->builder, LLVMIntSLT, next, loop->limit, ""), loop->body,
                   loop->exit);
  LLVMAddIncoming (loop->index, &next, &from, 1);
  for (guint i = 0; i < loop->n_carried; i++)
    LLVMAddIncoming (loop->carried[i], &carried[i], &from, 1);
  LLVMPositionBuilderAtEnd (self->builder, loop->exit);
  g_free (loop);
}

static Value
constant_mask (Emitter *self,
               gint64   n)
{
  Value lanes[256];

  for (guint i = 0; i < self->schedule->width; i++)
    lanes[i] = LLVMConstInt (LLVMInt1TypeInContext (self->context), i < n, FALSE);

  return LLVMConstVector (lanes, self->schedule->width);
}

/* [0, extent) of the vector axis. */
static void
static_range (Emitter   *self,
              gint64     extent,
              ChunkFunc  func,
              gpointer   data,
              Value     *carried,
              guint      n_carried)
{
  guint width = self->schedule->width, unroll = self->schedule->unroll;
  gint64 step = (gint64) width * unroll, main = extent / step * step, left = (extent - main) / width;
  gint64 rest = extent % width, at = main / width;

  if (main == step)
    func (self, data, number (self, 0), 0, unroll, NULL, TRUE);
  else if (main > 0)
    {
      Loop *loop = loop_begin (self, number (self, 0), number (self, main), TRUE, carried, n_carried);

      func (self, data, loop->index, -1, unroll, NULL, TRUE);
      loop_end (self, loop, step, carried);
    }
  if (left > 0)
    func (self, data, number (self, main), at, left, NULL, TRUE);
  if (rest > 0)
    func (self, data, number (self, extent - rest), at + left, 1, constant_mask (self, rest), TRUE);
}

/* The greatest begin + i × step that is not above end. */
static Value
last_step (Emitter *self,
           Value    begin,
           Value    end,
           gint64   step)
{
  Value n = LLVMBuildSub (self->builder, end, begin, "");

  n = LLVMBuildSub (self->builder, n, LLVMBuildSRem (self->builder, n, number (self, step), ""), "");

  return LLVMBuildAdd (self->builder, begin, n, "");
}

/* [begin, end) of the vector axis, which is parallel. */
static void
dynamic_range (Emitter   *self,
               Value      begin,
               Value      end,
               ChunkFunc  func,
               gpointer   data)
{
  guint width = self->schedule->width, unroll = self->schedule->unroll;
  Value middle = last_step (self, begin, end, (gint64) width * unroll), last = last_step (self, begin, end, width);
  Loop *loop = loop_begin (self, begin, middle, FALSE, NULL, 0);
  gboolean mask = self->schedule->tail == GHLO_TAIL_MASK;

  func (self, data, loop->index, -1, unroll, NULL, TRUE);
  loop_end (self, loop, (gint64) width * unroll, NULL);
  if (unroll > 1)
    {
      loop = loop_begin (self, middle, last, FALSE, NULL, 0);
      func (self, data, loop->index, -1, 1, NULL, TRUE);
      loop_end (self, loop, width, NULL);
    }
  loop = loop_begin (self, last, end, FALSE, NULL, 0);
  if (mask)
    {
      Value lanes = LLVMBuildAdd (self->builder, spike_llvm_widen (self, loop->index), spike_llvm_iota (self), "");

      func (self, data, loop->index, -1, 1,
            LLVMBuildICmp (self->builder, LLVMIntSLT, lanes, spike_llvm_widen (self, end), ""), TRUE);
    }
  else
    func (self, data, loop->index, -1, 1, NULL, FALSE);
  loop_end (self, loop, mask ? width : 1, NULL);
}

typedef struct
{
  const GhloKernelStage *stage;
  const Copy            *points;        /* one for each instance; their axes are the parallel ones */
  guint                  n_points;
  guint                  n_chunks;      /* side by side: accumulators of each instance */
  gboolean               lanes;         /* the vector axis is an inner one and the stage runs over it */
  Value                  at[GHLO_KERNEL_MAX_AXES];
  Value                  folded[SPIKE_MAX_INSTANCES * GHLO_KERNEL_MAX_ACCUMULATORS * 16];
} StageState;

/* folded[instance][chunk][accumulator] */
static Value *
find_folded (StageState *state,
             guint       point,
             guint       chunk)
{
  return &state->folded[(point * state->n_chunks + chunk) * state->stage->n_accumulators];
}

/* left = merge of left and right, of all accumulators. */
static void
merge (Emitter               *self,
       const GhloKernelStage *stage,
       Copy                  *copy,
       Value                 *left,
       const Value           *right)
{
  guint n = stage->n_accumulators;

  memcpy (copy->left, left, n * sizeof *left);
  memcpy (copy->right, right, n * sizeof *right);
  for (guint i = stage->first_merge; i < stage->end; i++)
    copy->values[i] = spike_llvm_node (self, copy, i);
  for (guint i = 0; i < n; i++)
    left[i] = copy->values[stage->accumulators[i].merged];
}

/* Lanes that the mask leaves out keep what they had. */
static void
update (Emitter               *self,
        const GhloKernelStage *stage,
        Copy                  *copy,
        Value                 *folded)
{
  for (guint i = 0; i < stage->n_accumulators; i++)
    {
      Value updated = copy->values[stage->accumulators[i].updated];

      if (copy->mask != NULL)
        updated = LLVMBuildSelect (self->builder, copy->mask, updated, folded[i], "");
      folded[i] = updated;
    }
}

/* Nodes go one by one over all copies, so that independent work stands side by side. */
static void
stage_chunks (Emitter  *self,
              gpointer  data,
              Value     index,
              gint64    chunk,
              guint     n_chunks,
              Value     mask,
              gboolean  vector)
{
  StageState *state = data;
  const GhloKernelStage *stage = state->stage;
  guint n = state->n_points * n_chunks;
  g_autofree Copy *copies = g_new0 (Copy, n);
  g_autofree Value **folded = g_new0 (Value *, n);

  for (guint i = 0; i < n; i++)
    {
      Copy *copy = &copies[i];

      *copy = state->points[i / n_chunks];
      for (guint j = 0; j < self->kernel->n_axes; j++)
        if (stage->axes >> j & 1)
          copy->axes[j] = state->at[j];
      if (!state->lanes)
        continue;
      copy->vector = TRUE;
      copy->mask = mask;
      copy->chunk = chunk < 0 ? -1 : chunk + i % n_chunks;
      copy->axes[self->schedule->vector_axis] =
        LLVMBuildAdd (self->builder, index, number (self, (gint64) (i % n_chunks) * self->schedule->width), "");
    }
  for (guint i = 0; i < n; i++)
    {
      folded[i] = find_folded (state, i / n_chunks, (MAX (chunk, 0) + i % n_chunks) % state->n_chunks);
      memcpy (copies[i].left, folded[i], stage->n_accumulators * sizeof (Value));
    }
  for (guint node = stage->first; node < stage->first_merge; node++)
    for (guint i = 0; i < n; i++)
      copies[i].values[node] = spike_llvm_node (self, &copies[i], node);
  for (guint store = 0; store < stage->n_stores; store++)
    for (guint i = 0; i < n; i++)
      spike_llvm_store (self, &copies[i], &stage->stores[store]);
  for (guint i = 0; i < n; i++)
    update (self, stage, &copies[i], folded[i]);
}

static void
stage_axes (Emitter    *self,
            StageState *state,
            guint       axis)
{
  gint64 extent = axis < self->kernel->n_axes ? self->kernel->axes[axis].extent : 0;
  guint n = state->n_points * state->n_chunks * state->stage->n_accumulators;
  Loop *loop;

  if (axis == self->kernel->n_axes)
    stage_chunks (self, state, NULL, 0, 1, NULL, FALSE);
  else if (!(state->stage->axes >> axis & 1))
    stage_axes (self, state, axis + 1);
  else if (axis == self->schedule->vector_axis)
    static_range (self, extent, stage_chunks, state, state->folded, n);
  else if (extent == 1)
    {
      state->at[axis] = number (self, 0);
      stage_axes (self, state, axis + 1);
    }
  else
    {
      loop = loop_begin (self, number (self, 0), number (self, extent), TRUE, state->folded, n);
      state->at[axis] = loop->index;
      stage_axes (self, state, axis + 1);
      loop_end (self, loop, 1, state->folded);
    }
}

/* The upper half of the lanes merged into the lower, until one is left. */
static void
fold_lanes (Emitter    *self,
            StageState *state,
            Copy       *copy,
            Value      *folded)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext (self->context);
  guint n = state->stage->n_accumulators;

  for (guint half = self->schedule->width / 2; half > 0; half /= 2)
    {
      Value upper[GHLO_KERNEL_MAX_ACCUMULATORS], lower[GHLO_KERNEL_MAX_ACCUMULATORS], lanes[2][128];

      for (guint i = 0; i < half; i++)
        {
          lanes[0][i] = LLVMConstInt (i32, i, FALSE);
          lanes[1][i] = LLVMConstInt (i32, half + i, FALSE);
        }
      for (guint i = 0; i < n; i++)
        {
          Value poison = LLVMGetPoison (LLVMTypeOf (folded[i]));

          lower[i] = LLVMBuildShuffleVector (self->builder, folded[i], poison, LLVMConstVector (lanes[0], half), "");
          upper[i] = LLVMBuildShuffleVector (self->builder, folded[i], poison, LLVMConstVector (lanes[1], half), "");
        }
      merge (self, state->stage, copy, lower, upper);
      memcpy (folded, lower, n * sizeof *folded);
    }
  for (guint i = 0; i < n; i++)
    folded[i] = LLVMBuildExtractElement (self->builder, folded[i], number (self, 0), "");
}

static void
finish_folds (Emitter    *self,
              StageState *state)
{
  guint n = state->stage->n_accumulators;

  for (guint point = 0; point < state->n_points; point++)
    {
      g_autofree Copy *copy = g_memdup2 (&state->points[point], sizeof *copy);
      Value *folded = find_folded (state, point, 0);

      copy->mask = NULL;
      for (guint half = state->n_chunks / 2; half > 0; half /= 2)
        for (guint i = 0; i < half; i++)
          merge (self, state->stage, copy, folded + i * n, folded + (i + half) * n);
      if (state->lanes)
        fold_lanes (self, state, copy, folded);
      for (guint i = 0; i < n; i++)
        self->registers[copy->instance][state->stage->accumulators[i].temporary][0] = folded[i];
    }
}

static void
emit_stage (Emitter               *self,
            const GhloKernelStage *stage,
            const Copy            *points,
            guint                  n_points)
{
  g_autofree StageState *state = g_new0 (StageState, 1);
  guint axis = self->schedule->vector_axis;

  state->stage = stage;
  state->points = points;
  state->n_points = n_points;
  state->lanes = !self->kernel->axes[axis].parallel && stage->axes >> axis & 1;
  state->n_chunks = state->lanes ? self->schedule->unroll : 1;
  for (guint i = 0; i < n_points * state->n_chunks; i++)
    for (guint j = 0; j < stage->n_accumulators; j++)
      {
        const GhloKernelAccumulator *accumulator = &stage->accumulators[j];
        Value identity = spike_llvm_constant (self, accumulator->type, accumulator->identity);

        state->folded[i * stage->n_accumulators + j] = state->lanes || points[0].vector
                                                         ? spike_llvm_widen (self, identity) : identity;
      }
  stage_axes (self, state, 0);
  if (stage->n_accumulators > 0)
    finish_folds (self, state);
}

static void
emit_stages (Emitter *self,
             Copy    *points,
             guint    n_points)
{
  for (guint i = 0; i < self->kernel->n_stages; i++)
    emit_stage (self, &self->kernel->stages[i], points, n_points);
}

/* Points side by side along @axis: vectors of a vector axis, or the rows of a tile. */
static void
emit_points (Emitter     *self,
             const Value *at,
             guint        axis,
             Value        index,
             guint        n,
             gint64       step,
             Value        mask,
             gboolean     vector)
{
  g_autofree Copy *points = g_new0 (Copy, n);

  for (guint i = 0; i < n; i++)
    {
      memcpy (points[i].axes, at, sizeof points[i].axes);
      points[i].axes[axis] = LLVMBuildAdd (self->builder, index, number (self, i * step), "");
      points[i].mask = mask;
      points[i].vector = vector;
      points[i].instance = i;
    }
  emit_stages (self, points, n);
}

typedef struct
{
  const Value *at;
} Outer;

static void
parallel_chunks (Emitter  *self,
                 gpointer  data,
                 Value     index,
                 gint64    chunk,
                 guint     n_chunks,
                 Value     mask,
                 gboolean  vector)
{
  Outer *outer = data;

  emit_points (self, outer->at, self->schedule->vector_axis, index, n_chunks, self->schedule->width, mask, vector);
}

/* Loops over the parallel axes from @axis on; @at has those before it. */
static void
emit_axis (Emitter *self,
           guint    axis,
           Value   *at)
{
  gboolean split = self->schedule->axes[axis].unit == GHLO_UNIT_THREAD;
  gboolean innermost = axis + 1 == self->kernel->n_axes || !self->kernel->axes[axis + 1].parallel;
  Value begin = split ? LLVMGetParam (self->function, 1) : number (self, 0);
  Value end = split ? LLVMGetParam (self->function, 2) : number (self, self->kernel->axes[axis].extent);
  guint tile = self->schedule->axes[axis].tile;
  Loop *loop;

  if (axis == self->schedule->vector_axis)
    {
      Outer outer = { at };

      if (split)
        dynamic_range (self, begin, end, parallel_chunks, &outer);
      else
        static_range (self, self->kernel->axes[axis].extent, parallel_chunks, &outer, NULL, 0);
      return;
    }
  if (innermost && tile > 1)
    {
      Value middle = last_step (self, begin, end, tile);

      loop = loop_begin (self, begin, middle, FALSE, NULL, 0);
      emit_points (self, at, axis, loop->index, tile, 1, NULL, FALSE);
      loop_end (self, loop, tile, NULL);
      begin = middle;
    }
  loop = loop_begin (self, begin, end, FALSE, NULL, 0);
  at[axis] = loop->index;
  if (innermost)
    emit_points (self, at, axis, loop->index, 1, 1, NULL, FALSE);
  else
    emit_axis (self, axis + 1, at);
  loop_end (self, loop, 1, NULL);
}

static void
add_attribute (Emitter    *self,
               Value       function,
               guint       index,
               const char *name)
{
  guint kind = LLVMGetEnumAttributeKindForName (name, strlen (name));

  LLVMAddAttributeAtIndex (function, index, LLVMCreateEnumAttribute (self->context, kind, 0));
}

static Value
add_function (Emitter     *self,
              const char  *name,
              LLVMTypeRef  type,
              const char  *cpu,
              const char  *features)
{
  Value function = LLVMAddFunction (self->module, name, type);
  g_autofree char *bits = g_strdup_printf ("%u", self->schedule->width * 32);

  LLVMAddTargetDependentFunctionAttr (function, "target-cpu", cpu);
  LLVMAddTargetDependentFunctionAttr (function, "target-features", features);
  LLVMAddTargetDependentFunctionAttr (function, "prefer-vector-width", bits);
  add_attribute (self, function, LLVMAttributeFunctionIndex, "nounwind");
  LLVMPositionBuilderAtEnd (self->builder, LLVMAppendBasicBlockInContext (self->context, function, ""));

  return function;
}

/* The kernel takes its buffers as parameters, since only those can be said not to
 * overlap; the function that callers see takes them from the table. */
static void
emit_entry (Emitter     *self,
            const char  *name,
            LLVMTypeRef  type,
            const char  *cpu,
            const char  *features)
{
  LLVMTypeRef parameters[] = { self->pointer, self->pointer, self->i64, self->i64 };
  LLVMTypeRef nothing = LLVMVoidTypeInContext (self->context);
  Value arguments[3 + GHLO_KERNEL_MAX_BUFFERS];
  Value entry = add_function (self, name, LLVMFunctionType (nothing, parameters, 4, FALSE), cpu, features);

  for (guint i = 0; i < 3; i++)
    arguments[i] = LLVMGetParam (entry, i + 1);
  for (guint i = 0; i < self->kernel->n_buffers; i++)
    {
      Value at = number (self, i), from = LLVMGetParam (entry, 0);

      from = LLVMBuildGEP2 (self->builder, self->pointer, from, &at, 1, "");
      arguments[3 + i] = LLVMBuildLoad2 (self->builder, self->pointer, from, "");
    }
  LLVMBuildCall2 (self->builder, type, self->function, arguments, 3 + self->kernel->n_buffers, "");
  LLVMBuildRetVoid (self->builder);
}

void
ghlo_llvm_emit (LLVMModuleRef       module,
                const GhloKernel   *kernel,
                const GhloSchedule *schedule,
                const char         *name,
                const char         *cpu,
                const char         *features)
{
  g_autofree Emitter *self = g_new0 (Emitter, 1);
  LLVMContextRef context = LLVMGetModuleContext (module);
  LLVMTypeRef parameters[3 + GHLO_KERNEL_MAX_BUFFERS], type;
  Value at[GHLO_KERNEL_MAX_AXES] = { NULL };
  g_autofree char *inner = g_strconcat (name, ".body", NULL);

  self->kernel = kernel;
  self->schedule = schedule;
  self->context = context;
  self->module = module;
  self->builder = LLVMCreateBuilderInContext (context);
  self->i64 = LLVMInt64TypeInContext (context);
  self->pointer = LLVMPointerTypeInContext (context, 0);
  ghlo_schedule_scratch (schedule, kernel, self->scratch_offsets);
  for (guint i = 0; i < 3 + kernel->n_buffers; i++)
    parameters[i] = i == 1 || i == 2 ? self->i64 : self->pointer;
  type = LLVMFunctionType (LLVMVoidTypeInContext (context), parameters, 3 + kernel->n_buffers, FALSE);
  self->function = add_function (self, inner, type, cpu, features);
  LLVMSetLinkage (self->function, LLVMInternalLinkage);
  self->scratch = LLVMGetParam (self->function, 0);
  add_attribute (self, self->function, 1, "noalias");
  for (guint i = 0; i < kernel->n_buffers; i++)
    {
      self->buffers[i] = LLVMGetParam (self->function, 3 + i);
      add_attribute (self, self->function, 4 + i, "noalias");
      if (!kernel->buffers[i].written)
        add_attribute (self, self->function, 4 + i, "readonly");
    }
  emit_axis (self, 0, at);
  LLVMBuildRetVoid (self->builder);
  emit_entry (self, name, type, cpu, features);
  LLVMDisposeBuilder (self->builder);
}
