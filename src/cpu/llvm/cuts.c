/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds ranges of coordinates in which guards hold at every point, or fail at every point, so that the code there
 * needs no checks. Where all guards depend on one axis only, as in a pad or a concatenation, their bounds are
 * constants, and each range between two bounds is a cut. Otherwise, as for windows, there is a single cut, in which
 * all guards hold.
 */

#include "cpu/llvm/emit-llvm.h"

#include <string.h>

#include "base/sizes.h"

/* Offsets, ends and reaches are limited to this, so that sums of them do not overflow. */
#define LARGE ((gint64) 1 << 40)
enum { LARGE_STRIDE = 1 << 16 };

/* A guard, as a condition on one axis. */
typedef struct
{
  guint  term;
  gint64 stride;                /* along the axis */
  gint64 low, high;             /* least and greatest contribution of the axes whose coordinates are not known yet */
  gint64 end;                   /* exclusive upper bound of positions */
} Guard;

typedef struct
{
  guint    n;
  guint    n_others;            /* guards that depend on more than the axis */
  Guard    guards[GHLO_EMIT_MAX_GUARDS];
} Guards;

/* Marks the open guards of the access @number, unless another of its guards is known to fail. */
static void
mark_terms (const Emitter *self,
            guint          number,
            guint8        *is_used)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  const guint end = access->first_term + access->n_terms;

  for (guint i = access->first_term; i < end; i++)
    if (self->guards[i] == GHLO_EMIT_GUARD_FAILS)
      return;
  for (guint i = access->first_term; i < end; i++)
    is_used[i] = self->guards[i] == GHLO_EMIT_GUARD_OPEN;
}

/* Marks the terms of everything that @block loads and stores; NULL: all blocks. */
static void
find_used (const Emitter         *self,
           const GhloKernelBlock *block,
           guint8                *is_used)
{
  const GhloKernel *kernel = self->kernel;
  const guint first = block != NULL ? block->first_node : 0, end = block != NULL ? block->end_node : kernel->n_nodes;
  const guint first_store = block != NULL ? block->first_store : 0;
  const guint end_store = block != NULL ? first_store + block->n_stores : kernel->n_stores;

  for (guint i = first; i < end; i++)
    if (kernel->nodes[i].kind == GHLO_NODE_LOAD || kernel->nodes[i].kind == GHLO_NODE_INSIDE)
      mark_terms (self, kernel->nodes[i].index, is_used);
  for (guint i = first_store; i < end_store; i++)
    if (kernel->stores[i].access != GHLO_KERNEL_NONE)
      mark_terms (self, kernel->stores[i].access, is_used);
}

/* Finds how far the coordinate of @axis may exceed the one in self->point, or 0 where that is not known. FALSE where
 * there is no bound below LARGE. */
static gboolean
get_reach (const Emitter *self,
           guint          axis,
           gint64        *reach)
{
  *reach = 0;
  if ((self->fixed & 1u << axis) != 0)
    *reach = axis == self->lanes ? self->width - 1 : 0;
  else if (LLVMIsConstant (self->extents[axis]))
    *reach = LLVMConstIntGetSExtValue (self->extents[axis]) - 1;
  else
    return FALSE;

  return *reach < LARGE;
}

/* FALSE where the term @number is not a guard, or its bounds are not known or too large. */
static gboolean
read_guard (const Emitter *self,
            guint          number,
            guint          axis,
            Guard         *guard)
{
  const GhloKernelTerm *term = &self->kernel->terms[number];

  *guard = (Guard) { .term = number, .stride = axis != GHLO_KERNEL_NONE ? term->strides[axis] : 0 };
  if (term->clamps || term->node != GHLO_KERNEL_NONE || ABS (term->offset) > LARGE
      || __builtin_mul_overflow (term->end, term->step, &guard->end) || guard->end > LARGE)
    return FALSE;
  for (guint i = 0; i < self->kernel->n_axes; i++)
    {
      gint64 reach;

      if (term->strides[i] == 0)
        continue;
      if (ABS (term->strides[i]) > LARGE_STRIDE)
        return FALSE;
      if (i == axis)
        continue;
      if (!get_reach (self, i, &reach))
        return FALSE;
      guard->low += MIN (term->strides[i], 0) * reach;
      guard->high += MAX (term->strides[i], 0) * reach;
    }

  return TRUE;
}

static gboolean
is_of_axis (const GhloKernelTerm *term,
            guint                 axis)
{
  for (guint i = 0; i < GHLO_KERNEL_MAX_AXES; i++)
    if (i != axis && term->strides[i] != 0)
      return FALSE;

  return TRUE;
}

/* The position with @axis (may be GHLO_KERNEL_NONE) and all axes whose coordinates are not known at 0. */
static Value
find_base (Emitter     *self,
           const Guard *guard,
           guint        axis)
{
  const GhloKernelTerm *term = &self->kernel->terms[guard->term];
  gint64 strides[GHLO_KERNEL_MAX_AXES];

  for (guint i = 0; i < GHLO_KERNEL_MAX_AXES; i++)
    strides[i] = i != axis && (self->fixed & 1u << i) != 0 ? term->strides[i] : 0;

  return ghlo_emit_sum (self, term->offset, strides);
}

static Value
least (Emitter *self,
       Value    a,
       Value    b)
{
  return LLVMBuildSelect (self->builder, LLVMBuildICmp (self->builder, LLVMIntSLT, a, b, ""), a, b, "");
}

static Value
greatest (Emitter *self,
          Value    a,
          Value    b)
{
  return LLVMBuildSelect (self->builder, LLVMBuildICmp (self->builder, LLVMIntSGT, a, b, ""), a, b, "");
}

/* ⌈@value / @by⌉; where that is not positive, some number below 1. */
static Value
divide_up (Emitter *self,
           Value    value,
           gint64   by)
{
  if (by == 1)
    return value;

  return LLVMBuildSDiv (self->builder, LLVMBuildAdd (self->builder, value, ghlo_emit_i64 (self, by - 1), ""),
                        ghlo_emit_i64 (self, by), "");
}

/* Narrows @cut to the range in which @guard holds. */
static void
narrow (Emitter     *self,
        const Guard *guard,
        guint        axis,
        GhloEmitCut *cut)
{
  Value base = find_base (self, guard, axis), begin, end;

  begin = LLVMBuildSub (self->builder, ghlo_emit_i64 (self, -guard->low), base, "");
  begin = divide_up (self, begin, guard->stride);
  end = LLVMBuildSub (self->builder, ghlo_emit_i64 (self, guard->end - guard->high), base, "");
  end = divide_up (self, end, guard->stride);
  cut->begin = cut->begin == NULL ? begin : greatest (self, cut->begin, begin);
  cut->end = cut->end == NULL ? end : least (self, cut->end, end);
  cut->guards[guard->term] = GHLO_EMIT_GUARD_HOLDS;
}

/* Where @guard, which depends on one axis only, begins to hold, and where it ends. */
static void
get_bounds (const Emitter *self,
            const Guard   *guard,
            gint64        *begin,
            gint64        *end)
{
  const gint64 offset = self->kernel->terms[guard->term].offset;

  *begin = offset >= 0 ? 0 : ghlo_ceil_div (-offset, guard->stride);
  *end = offset >= guard->end ? 0 : ghlo_ceil_div (guard->end - offset, guard->stride);
}

static int
compare_bounds (gconstpointer a,
                gconstpointer b)
{
  const gint64 *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* Cuts at all bounds of @guards; leaves out ranges shorter than @least_length. */
static guint
find_pieces (Emitter      *self,
             const Guards *guards,
             gint64        least_length,
             GhloEmitCut  *cuts)
{
  gint64 bounds[2 * GHLO_EMIT_MAX_GUARDS + 2] = { 0, LARGE };
  guint n_bounds = 2, n = 0;

  for (guint i = 0; i < guards->n; i++, n_bounds += 2)
    get_bounds (self, &guards->guards[i], &bounds[n_bounds], &bounds[n_bounds + 1]);
  qsort (bounds, n_bounds, sizeof *bounds, compare_bounds);
  for (guint i = 0; i + 1 < n_bounds && n < GHLO_EMIT_MAX_CUTS; i++)
    {
      GhloEmitCut *cut = &cuts[n];

      if (bounds[i + 1] - bounds[i] < least_length)
        continue;
      cut->begin = ghlo_emit_i64 (self, bounds[i]);
      cut->end = ghlo_emit_i64 (self, bounds[i + 1]);
      for (guint j = 0; j < guards->n; j++)
        {
          gint64 begin, end;

          get_bounds (self, &guards->guards[j], &begin, &end);
          cut->guards[guards->guards[j].term] = bounds[i] >= begin && bounds[i] < end ? GHLO_EMIT_GUARD_HOLDS
                                                                                      : GHLO_EMIT_GUARD_FAILS;
        }
      n++;
    }

  return n;
}

guint
ghlo_emit_find_cuts (Emitter               *self,
                     const GhloKernelBlock *block,
                     guint                  axis,
                     gint64                 step,
                     GhloEmitCut           *cuts)
{
  guint8 is_used[GHLO_KERNEL_MAX_TERMS] = { 0 };
  Guards guards = { 0 };

  memset (cuts, 0, GHLO_EMIT_MAX_CUTS * sizeof *cuts);
  if (!self->has_cuts || (self->schedule->cuts & 1u << axis) == 0)
    return 0;
  find_used (self, block, is_used);
  for (guint i = 0; i < self->kernel->n_terms && guards.n < GHLO_EMIT_MAX_GUARDS; i++)
    {
      Guard *guard = &guards.guards[guards.n];

      if (!is_used[i] || self->kernel->terms[i].strides[axis] <= 0 || !read_guard (self, i, axis, guard))
        continue;
      guards.n_others += !is_of_axis (&self->kernel->terms[i], axis);
      guards.n++;
    }
  if (guards.n == 0)
    return 0;
  if (guards.n_others == 0)
    return find_pieces (self, &guards, step, cuts);
  for (guint i = 0; i < guards.n; i++)
    narrow (self, &guards.guards[i], axis, &cuts[0]);

  return 1;
}

/* The one parallel axis that @term depends on, or GHLO_KERNEL_NONE. */
static guint
only_axis (const Emitter        *self,
           const GhloKernelTerm *term)
{
  for (guint i = 0; i < self->kernel->n_parallel; i++)
    if (term->strides[i] > 0 && is_of_axis (term, i))
      return i;

  return GHLO_KERNEL_NONE;
}

/* Collects guards that depend on parallel axes whose coordinates are known, and not on the lanes' axis. Returns the
 * axis that all of them depend on alone, or GHLO_KERNEL_NONE. */
static guint
find_outer (const Emitter *self,
            Guards        *guards)
{
  const guint known = self->fixed & self->schedule->cuts;
  guint8 is_used[GHLO_KERNEL_MAX_TERMS] = { 0 };
  guint axis = GHLO_KERNEL_NONE;

  find_used (self, NULL, is_used);
  for (guint i = 0; i < self->kernel->n_terms && guards->n < GHLO_EMIT_MAX_GUARDS; i++)
    {
      const GhloKernelTerm *term = &self->kernel->terms[i];
      guint axes = 0;

      for (guint j = 0; j < self->kernel->n_axes; j++)
        if (term->strides[j] != 0)
          axes |= 1u << j;
      if (!is_used[i] || (axes & known) == 0
          || (self->schedule->lanes != GHLO_KERNEL_NONE && (axes & 1u << self->schedule->lanes) != 0)
          || !read_guard (self, i, GHLO_KERNEL_NONE, &guards->guards[guards->n]))
        continue;
      if (guards->n == 0)
        axis = only_axis (self, term);
      else if (axis != only_axis (self, term))
        axis = GHLO_KERNEL_NONE;
      guards->n++;
    }

  return axis;
}

/* The condition that all @guards hold, whatever the coordinates that are not known. */
static Value
all_hold (Emitter      *self,
          const Guards *guards,
          GhloEmitCut  *cut)
{
  Value holds = NULL;

  for (guint i = 0; i < guards->n; i++)
    {
      const Guard *guard = &guards->guards[i];
      Value base = find_base (self, guard, GHLO_KERNEL_NONE), low, high;

      low = LLVMBuildICmp (self->builder, LLVMIntSGE, base, ghlo_emit_i64 (self, -guard->low), "");
      high = LLVMBuildICmp (self->builder, LLVMIntSLT, base, ghlo_emit_i64 (self, guard->end - guard->high), "");
      holds = ghlo_emit_and (self, holds, ghlo_emit_and (self, low, high));
      cut->guards[guard->term] = GHLO_EMIT_GUARD_HOLDS;
    }

  return holds;
}

/* The last condition is NULL where the versions cover all points. */
static guint
find_versions (Emitter     *self,
               GhloEmitCut *cuts,
               Value       *conditions)
{
  Guards guards = { 0 };
  const guint axis = find_outer (self, &guards);
  guint n;

  memset (cuts, 0, GHLO_EMIT_MAX_CUTS * sizeof *cuts);
  if (guards.n == 0)
    return 0;
  if (axis == GHLO_KERNEL_NONE)
    {
      conditions[0] = all_hold (self, &guards, &cuts[0]);
      return 1;
    }
  for (guint i = 0; i < guards.n; i++)
    guards.guards[i].stride = self->kernel->terms[guards.guards[i].term].strides[axis];
  n = find_pieces (self, &guards, 1, cuts);
  for (guint i = 0; i < n; i++)
    conditions[i] = LLVMBuildAnd (self->builder,
                                  LLVMBuildICmp (self->builder, LLVMIntSGE, self->point[axis], cuts[i].begin, ""),
                                  LLVMBuildICmp (self->builder, LLVMIntSLT, self->point[axis], cuts[i].end, ""), "");
  /* Together the pieces cover the whole axis, unless there are too many. */
  if (n < GHLO_EMIT_MAX_CUTS)
    conditions[n - 1] = NULL;

  return n;
}

/* Adds what @cut knows to self->guards, after saving them in @saved. */
static void
learn (Emitter           *self,
       const GhloEmitCut *cut,
       guint8            *saved)
{
  memcpy (saved, self->guards, sizeof self->guards);
  for (guint i = 0; i < self->kernel->n_terms; i++)
    if (cut->guards[i] != GHLO_EMIT_GUARD_OPEN)
      self->guards[i] = cut->guards[i];
}

/* Emits @func with what @cut knows of guards. */
static void
emit_known (Emitter           *self,
            const GhloEmitCut *cut,
            GhloEmitPoint      func,
            gpointer           data,
            Value              index)
{
  guint8 saved[sizeof self->guards];

  learn (self, cut, saved);
  func (self, data, index);
  memcpy (self->guards, saved, sizeof saved);
}

/* Emits @func without such knowledge and without further cuts. */
static void
emit_open (Emitter       *self,
           GhloEmitPoint  func,
           gpointer       data)
{
  self->has_cuts = FALSE;
  func (self, data, NULL);
  self->has_cuts = TRUE;
}

void
ghlo_emit_versions (Emitter       *self,
                    GhloEmitPoint  func,
                    gpointer       data)
{
  g_autofree GhloEmitCut *cuts = g_new (GhloEmitCut, GHLO_EMIT_MAX_CUTS);
  Value conditions[GHLO_EMIT_MAX_CUTS];
  const guint n = find_versions (self, cuts, conditions);
  LLVMBasicBlockRef exit = ghlo_emit_add_block (self);

  for (guint i = 0; i < n && conditions[i] != NULL; i++)
    {
      LLVMBasicBlockRef known = ghlo_emit_add_block (self), next = ghlo_emit_add_block (self);

      LLVMBuildCondBr (self->builder, conditions[i], known, next);
      LLVMPositionBuilderAtEnd (self->builder, known);
      emit_known (self, &cuts[i], func, data, NULL);
      LLVMBuildBr (self->builder, exit);
      LLVMPositionBuilderAtEnd (self->builder, next);
    }
  if (n == 0)
    func (self, data, NULL);
  else if (conditions[n - 1] == NULL)
    emit_known (self, &cuts[n - 1], func, data, NULL);
  else
    emit_open (self, func, data);
  LLVMBuildBr (self->builder, exit);
  LLVMPositionBuilderAtEnd (self->builder, exit);
}

/* Loops while a whole step of @step fits into @cut, from the coordinate in the variable @place on. */
static void
emit_cut (Emitter           *self,
          const GhloEmitCut *cut,
          Value              place,
          Value              end,
          Value              step,
          GhloEmitPoint      func,
          gpointer           data)
{
  LLVMBuilderRef builder = self->builder;
  LLVMBasicBlockRef body = ghlo_emit_add_block (self), exit = ghlo_emit_add_block (self);
  Value last = LLVMBuildSub (builder, least (self, cut->end, end), step, ""), index, enters;

  index = LLVMBuildLoad2 (builder, self->i64, place, "");
  enters = LLVMBuildAnd (builder, LLVMBuildICmp (builder, LLVMIntSGE, index, cut->begin, ""),
                         LLVMBuildICmp (builder, LLVMIntSLE, index, last, ""), "");
  LLVMBuildCondBr (builder, enters, body, exit);
  LLVMPositionBuilderAtEnd (builder, body);
  index = LLVMBuildLoad2 (builder, self->i64, place, "");
  emit_known (self, cut, func, data, index);
  index = LLVMBuildAdd (builder, index, step, "");
  LLVMBuildStore (builder, index, place);
  LLVMBuildCondBr (builder, LLVMBuildICmp (builder, LLVMIntSLE, index, last, ""), body, exit);
  LLVMPositionBuilderAtEnd (builder, exit);
}

void
ghlo_emit_cut_loop (Emitter           *self,
                    const GhloEmitCut *cuts,
                    guint              n_cuts,
                    Value              begin,
                    Value              end,
                    gint64             step,
                    GhloEmitPoint      func,
                    gpointer           data)
{
  LLVMBuilderRef builder = self->builder;
  LLVMBasicBlockRef head = ghlo_emit_add_block (self), open = ghlo_emit_add_block (self);
  LLVMBasicBlockRef exit = ghlo_emit_add_block (self);
  Value place = ghlo_emit_variable (self, self->i64), steps = ghlo_emit_i64 (self, step), index;

  LLVMBuildStore (builder, begin, place);
  LLVMBuildCondBr (builder, LLVMBuildICmp (builder, LLVMIntSLT, begin, end, ""), head, exit);
  LLVMPositionBuilderAtEnd (builder, head);
  for (guint i = 0; i < n_cuts; i++)
    emit_cut (self, &cuts[i], place, end, steps, func, data);
  index = LLVMBuildLoad2 (builder, self->i64, place, "");
  LLVMBuildCondBr (builder, LLVMBuildICmp (builder, LLVMIntSLT, index, end, ""), open, exit);
  LLVMPositionBuilderAtEnd (builder, open);
  func (self, data, index);
  index = LLVMBuildAdd (builder, index, steps, "");
  LLVMBuildStore (builder, index, place);
  LLVMBuildCondBr (builder, LLVMBuildICmp (builder, LLVMIntSLT, index, end, ""), head, exit);
  LLVMPositionBuilderAtEnd (builder, exit);
}
