/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops and branches in SPIR-V's structured form, in which each declares its merge block at its head.
 */

#include "gpu/spirv/emit-private.h"

static SpirvLoop
begin_loop (Spirv              *self,
            Id                  begin,
            Id                  end,
            SpvLoopControlMask  control)
{
  GhloSpirvBuilder *b = self->builder;
  SpirvLoop loop = { .variable = ghlo_spirv_variable (self, self->u64), .head = ghlo_spirv_new_id (b),
                     .next = ghlo_spirv_new_id (b), .exit = ghlo_spirv_new_id (b) };
  Id test = ghlo_spirv_new_id (b), body = ghlo_spirv_new_id (b), goes_on;

  STATEMENT (SpvOpStore, loop.variable, begin);
  STATEMENT (SpvOpBranch, loop.head);
  STATEMENT (SpvOpLabel, loop.head);
  STATEMENT (SpvOpLoopMerge, loop.exit, loop.next, control);
  STATEMENT (SpvOpBranch, test);
  STATEMENT (SpvOpLabel, test);
  loop.index = CODE (SpvOpLoad, self->u64, loop.variable);
  goes_on = CODE (SpvOpSLessThan, self->boolean, loop.index, end);
  STATEMENT (SpvOpBranchConditional, goes_on, body, loop.exit);
  STATEMENT (SpvOpLabel, body);

  return loop;
}

SpirvLoop
ghlo_spirv_begin_loop (Spirv *self,
                       Id     begin,
                       Id     end)
{
  return begin_loop (self, begin, end, SpvLoopControlMaskNone);
}

SpirvLoop
ghlo_spirv_begin_large_loop (Spirv *self,
                             Id     begin,
                             Id     end)
{
  return begin_loop (self, begin, end, SpvLoopControlDontUnrollMask);
}

void
ghlo_spirv_end_loop (Spirv     *self,
                     SpirvLoop  loop,
                     Id         step)
{
  Id index;

  STATEMENT (SpvOpBranch, loop.next);
  STATEMENT (SpvOpLabel, loop.next);
  index = CODE (SpvOpIAdd, self->u64, loop.index, step);
  STATEMENT (SpvOpStore, loop.variable, index);
  STATEMENT (SpvOpBranch, loop.head);
  STATEMENT (SpvOpLabel, loop.exit);
}

Id
ghlo_spirv_begin_if (Spirv *self,
                     Id     condition)
{
  Id then = ghlo_spirv_new_id (self->builder), exit = ghlo_spirv_new_id (self->builder);

  STATEMENT (SpvOpSelectionMerge, exit, SpvSelectionControlMaskNone);
  STATEMENT (SpvOpBranchConditional, condition, then, exit);
  STATEMENT (SpvOpLabel, then);

  return exit;
}

void
ghlo_spirv_end_if (Spirv *self,
                   Id     exit)
{
  if (exit == 0)
    return;
  STATEMENT (SpvOpBranch, exit);
  STATEMENT (SpvOpLabel, exit);
}

/* Emits the points from @begin to @end in iterations of @n. Returns the coordinate of the first point that is left
 * over. */
static Id
unroll_range (Spirv          *self,
              guint           axis,
              Id              begin,
              Id              end,
              guint64         step,
              guint           n,
              SpirvPointFunc  func,
              gpointer        data)
{
  Id last = CODE (SpvOpISub, self->u64, end, ghlo_spirv_u64 (self, (n - 1) * step));
  SpirvLoop loop = ghlo_spirv_begin_large_loop (self, begin, last);

  self->unrolled = (SpirvUnrolled) { .first = loop.index, .step = step, .n = n, .axis = axis };
  for (guint i = 0; i < n; i++)
    {
      ghlo_spirv_unroll_point (self, i);
      func (self, data);
    }
  self->unrolled = (SpirvUnrolled) { 0 };
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, n * step));

  return CODE (SpvOpLoad, self->u64, loop.variable);
}

void
ghlo_spirv_range (Spirv          *self,
                  guint           axis,
                  Id              begin,
                  Id              end,
                  guint64         step,
                  guint           n_unrolled,
                  SpirvPointFunc  func,
                  gpointer        data)
{
  SpirvLoop loop;

  if (n_unrolled > 0)
    begin = unroll_range (self, axis, begin, end, step, n_unrolled, func, data);
  loop = ghlo_spirv_begin_loop (self, begin, end);
  self->point[axis] = loop.index;
  func (self, data);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, step));
}

static void
do_points (Spirv          *self,
           SpirvNest       nest,
           SpirvPointFunc  func,
           gpointer        data)
{
  const guint axis = (guint) __builtin_ctz (nest.axes | 1u << GHLO_KERNEL_MAX_AXES);
  const gboolean is_last = (nest.axes & (nest.axes - 1)) == 0;
  Id begin = nest.begin != 0 ? nest.begin : ghlo_spirv_u64 (self, 0), end;
  SpirvLoop loop;

  if (nest.axes == 0)
    {
      func (self, data);
      return;
    }
  if (is_last && nest.stride > 0)
    {
      Id rest = CODE (SpvOpISub, self->u64, self->lane, begin);

      rest = CODE (SpvOpBitwiseAnd, self->u64, rest, ghlo_spirv_u64 (self, nest.stride - 1));
      begin = CODE (SpvOpIAdd, self->u64, begin, rest);
    }
  end = nest.end != 0 ? nest.end : self->extents[axis];
  if (is_last)
    {
      ghlo_spirv_range (self, axis, begin, end, MAX (nest.stride, 1), nest.n_unrolled, func, data);
      return;
    }
  loop = ghlo_spirv_begin_loop (self, begin, end);
  self->point[axis] = loop.index;
  do_points (self, (SpirvNest) { nest.axes & (nest.axes - 1), 0, 0, nest.stride, nest.n_unrolled }, func, data);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, 1));
}

/* Invocations with an index of at least the stride have no points. */
void
ghlo_spirv_nest (Spirv          *self,
                 SpirvNest       nest,
                 SpirvPointFunc  func,
                 gpointer        data)
{
  Id exit = 0;

  if (nest.stride > 0 && nest.stride < self->group)
    exit = ghlo_spirv_begin_if (self, CODE (SpvOpULessThan, self->boolean, self->lane,
                                            ghlo_spirv_u64 (self, nest.stride)));
  do_points (self, nest, func, data);
  ghlo_spirv_end_if (self, exit);
}

SpirvUnrolled
ghlo_spirv_unroll_all (const Spirv *self,
                       guint        axis)
{
  return (SpirvUnrolled) { .first = self->lane, .step = self->group, .axis = axis };
}

Id
ghlo_spirv_unroll_point (Spirv *self,
                         guint  number)
{
  SpirvUnrolled *unrolled = &self->unrolled;
  const guint64 begin = number * unrolled->step;

  unrolled->number = number;
  self->point[unrolled->axis] = begin == 0 ? unrolled->first : CODE (SpvOpIAdd, self->u64, unrolled->first,
                                                                     ghlo_spirv_u64 (self, begin));
  if (unrolled->n > 0 || begin + unrolled->step <= (guint64) self->kernel->axes[unrolled->axis].extent)
    return 0;

  return CODE (SpvOpULessThan, self->boolean, self->point[unrolled->axis], self->extents[unrolled->axis]);
}

/* Unrolls all points of an invocation. */
static void
unroll_points (Spirv          *self,
               guint           axis,
               guint           n,
               SpirvPointFunc  func,
               gpointer        data)
{
  self->unrolled = ghlo_spirv_unroll_all (self, axis);
  for (guint i = 0; i < n; i++)
    {
      Id inside = ghlo_spirv_unroll_point (self, i), exit = inside != 0 ? ghlo_spirv_begin_if (self, inside) : 0;

      func (self, data);
      ghlo_spirv_end_if (self, exit);
    }
  self->unrolled = (SpirvUnrolled) { 0 };
}

void
ghlo_spirv_spread (Spirv          *self,
                   guint           axes,
                   guint           n_unrolled,
                   SpirvPointFunc  func,
                   gpointer        data)
{
  const guint stride = axes != 0 ? self->group : 1;

  if (n_unrolled > 0)
    unroll_points (self, ghlo_kernel_last_axis (axes), n_unrolled, func, data);
  else
    ghlo_spirv_nest (self, (SpirvNest) { axes, 0, 0, self->lane != 0 ? stride : 0, 0 }, func, data);
}

static void
add_barrier (Spirv *self,
             guint  memory)
{
  Id scope = ghlo_spirv_integer (self, 32, SpvScopeWorkgroup);

  if (self->lane != 0)
    STATEMENT (SpvOpControlBarrier, scope, scope,
               ghlo_spirv_integer (self, 32, SpvMemorySemanticsAcquireReleaseMask | memory));
}

void
ghlo_spirv_barrier (Spirv *self)
{
  add_barrier (self, SpvMemorySemanticsWorkgroupMemoryMask | SpvMemorySemanticsUniformMemoryMask);
}

void
ghlo_spirv_shared_barrier (Spirv *self)
{
  add_barrier (self, SpvMemorySemanticsWorkgroupMemoryMask);
}
