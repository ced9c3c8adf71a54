/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops and branches, in the form that SPIR-V asks for: each says at its head where its ways meet again.
 */

#include "vulkan/spirv/emit-private.h"

SpirvLoop
ghlo_spirv_begin_loop (Spirv *self,
                       Id     begin,
                       Id     end)
{
  GhloSpirvBuilder *b = self->builder;
  SpirvLoop loop = { .variable = ghlo_spirv_variable (self, self->u64), .head = ghlo_spirv_new_id (b),
                     .next = ghlo_spirv_new_id (b), .exit = ghlo_spirv_new_id (b) };
  Id test = ghlo_spirv_new_id (b), body = ghlo_spirv_new_id (b), goes_on;

  STATEMENT (SpvOpStore, loop.variable, begin);
  STATEMENT (SpvOpBranch, loop.head);
  STATEMENT (SpvOpLabel, loop.head);
  STATEMENT (SpvOpLoopMerge, loop.exit, loop.next, SpvLoopControlMaskNone);
  STATEMENT (SpvOpBranch, test);
  STATEMENT (SpvOpLabel, test);
  loop.index = CODE (SpvOpLoad, self->u64, loop.variable);
  goes_on = CODE (SpvOpSLessThan, self->boolean, loop.index, end);
  STATEMENT (SpvOpBranchConditional, goes_on, body, loop.exit);
  STATEMENT (SpvOpLabel, body);

  return loop;
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
  STATEMENT (SpvOpBranch, exit);
  STATEMENT (SpvOpLabel, exit);
}

void
ghlo_spirv_nest (Spirv   *self,
                 guint    axes,
                 Id       begin,
                 Id       end,
                 void   (*func) (Spirv *self, gpointer data),
                 gpointer data)
{
  const guint axis = (guint) __builtin_ctz (axes | 1u << GHLO_KERNEL_MAX_AXES);
  SpirvLoop loop;

  if (axes == 0)
    {
      func (self, data);
      return;
    }
  loop = ghlo_spirv_begin_loop (self, begin != 0 ? begin : ghlo_spirv_u64 (self, 0),
                                end != 0 ? end : self->extents[axis]);
  self->point[axis] = loop.index;
  ghlo_spirv_nest (self, axes & (axes - 1), 0, 0, func, data);
  ghlo_spirv_end_loop (self, loop, ghlo_spirv_u64 (self, 1));
}
