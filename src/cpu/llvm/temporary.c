/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Temporaries. One that spans no axis is a variable in the frame, a scalar or a vector with a value for each lane.
 * The others lie in the scratch, row-major over the axes that they span; where lanes are parallel points, each of
 * their elements is a vector.
 */

#include "cpu/llvm/emit-llvm.h"

/* Whether lanes are parallel points. */
static gboolean
is_across (const Emitter *self)
{
  return self->schedule->lanes != GHLO_KERNEL_NONE;
}

static Value
find_variable (Emitter *self,
               guint    number)
{
  Type type = ghlo_emit_type (self, self->kernel->temporaries[number].type);
  guint is_wide = is_across (self) && self->width > 1;
  Value *variable = &self->variables[is_wide][number];

  if (*variable == NULL)
    *variable = ghlo_emit_variable (self, is_wide ? ghlo_emit_vector (self, type) : type);

  return *variable;
}

GhloEmitPlace
ghlo_emit_column_place (Emitter *self,
                        guint    number)
{
  const GhloElementType type = self->kernel->temporaries[number].type;
  const gint64 size = ghlo_element_info (type)->size;
  GhloEmitPlace place = { .memory = self->kernel->n_buffers, .type = type, .stride = self->width > 1 ? size : 0 };
  Value column = LLVMBuildSub (self->builder, self->point[self->lanes], self->first_column, "");

  place.base = ghlo_emit_byte_address (self, self->places[number],
                                       LLVMBuildMul (self->builder, column, ghlo_emit_i64 (self, size), ""));

  return place;
}

/* The place of the current point's element of the temporary @number. */
static GhloEmitPlace
find_element (Emitter *self,
              guint    number)
{
  const GhloKernelTemporary *temporary = &self->kernel->temporaries[number];
  const guint size = ghlo_element_info (temporary->type)->size;
  GhloEmitPlace place = { .memory = self->kernel->n_buffers, .type = temporary->type };
  Value stride, offset;

  if (self->first_column != NULL)
    return ghlo_emit_column_place (self, number);
  stride = ghlo_emit_i64 (self, is_across (self) ? (gint64) size * self->schedule->width : size);
  offset = ghlo_emit_i64 (self, 0);
  if (is_across (self) && self->width > 1)
    place.stride = size;
  for (guint i = self->kernel->n_axes; i-- > 0;)
    {
      if ((temporary->axes & 1u << i) == 0)
        continue;
      offset = LLVMBuildAdd (self->builder, offset, LLVMBuildMul (self->builder, self->point[i], stride, ""), "");
      if (i == self->lanes && self->width > 1 && LLVMIsConstant (stride))
        place.stride = LLVMConstIntGetSExtValue (stride);
      else if (i == self->lanes && self->width > 1)
        place.offsets = LLVMBuildMul (self->builder, ghlo_emit_steps (self, self->i64, 1),
                                      ghlo_emit_widen (self, stride), "");
      stride = LLVMBuildMul (self->builder, stride, self->extents[i], "");
    }
  place.base = ghlo_emit_byte_address (self, self->places[number], offset);

  return place;
}

Value
ghlo_emit_get (Emitter *self,
               guint    number)
{
  const GhloKernelTemporary *temporary = &self->kernel->temporaries[number];
  GhloEmitPlace place;

  if (temporary->axes == 0 && self->first_column == NULL)
    {
      Value variable = find_variable (self, number);

      return LLVMBuildLoad2 (self->builder, LLVMGetAllocatedType (variable), variable, "");
    }
  place = find_element (self, number);

  return ghlo_emit_read (self, &place, NULL);
}

void
ghlo_emit_set (Emitter *self,
               guint    number,
               Value    value)
{
  const GhloKernelTemporary *temporary = &self->kernel->temporaries[number];
  GhloEmitPlace place;

  if (temporary->axes == 0 && self->first_column == NULL)
    {
      Value variable = find_variable (self, number);

      LLVMBuildStore (self->builder, is_across (self) ? ghlo_emit_widen (self, value) : value, variable);
      return;
    }
  place = find_element (self, number);
  ghlo_emit_write (self, &place, value);
}
