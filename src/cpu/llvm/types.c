/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types, constants, and helpers that every part of the emitter builds code with.
 */

#include "cpu/llvm/emit-llvm.h"

#include <string.h>

Type
ghlo_emit_type (Emitter         *self,
                GhloElementType  type)
{
  switch (ghlo_node_types (type))
    {
    case GHLO_NODE_TYPES_F:
      return type == GHLO_ELEMENT_TYPE_F32 ? LLVMFloatTypeInContext (self->context)
                                           : LLVMDoubleTypeInContext (self->context);
    default:
      return LLVMIntTypeInContext (self->context, ghlo_element_info (type)->bits);
    }
}

Type
ghlo_emit_memory_type (Emitter         *self,
                       GhloElementType  type)
{
  return type == GHLO_ELEMENT_TYPE_I1 ? self->i8 : ghlo_emit_type (self, type);
}

Type
ghlo_emit_vector (Emitter *self,
                  Type     type)
{
  return self->width > 1 ? LLVMVectorType (type, self->width) : type;
}

gboolean
ghlo_emit_is_vector (Value value)
{
  return LLVMGetTypeKind (LLVMTypeOf (value)) == LLVMVectorTypeKind;
}

Type
ghlo_emit_type_like (Emitter *self,
                     Type     type,
                     Value    value)
{
  return ghlo_emit_is_vector (value) ? LLVMVectorType (type, LLVMGetVectorSize (LLVMTypeOf (value))) : type;
}

static Value
splat_constant (Value value,
                guint n)
{
  Value lanes[GHLO_SCHEDULE_MAX_WIDTH];

  for (guint i = 0; i < n; i++)
    lanes[i] = value;

  return LLVMConstVector (lanes, n);
}

Value
ghlo_emit_widen (Emitter *self,
                 Value    value)
{
  Type vector = ghlo_emit_vector (self, LLVMTypeOf (value));
  Value one;

  if (self->width == 1 || ghlo_emit_is_vector (value))
    return value;
  if (LLVMIsConstant (value))
    return splat_constant (value, self->width);
  one = LLVMBuildInsertElement (self->builder, LLVMGetPoison (vector), value, ghlo_emit_i64 (self, 0), "");

  return LLVMBuildShuffleVector (self->builder, one, LLVMGetPoison (vector),
                                 splat_constant (LLVMConstNull (self->i32), self->width), "");
}

void
ghlo_emit_widen_pair (Emitter *self,
                      Value   *a,
                      Value   *b)
{
  if (!ghlo_emit_is_vector (*a) && !ghlo_emit_is_vector (*b))
    return;
  *a = ghlo_emit_widen (self, *a);
  *b = ghlo_emit_widen (self, *b);
}

Value
ghlo_emit_i64 (Emitter *self,
               gint64   value)
{
  return LLVMConstInt (self->i64, (guint64) value, TRUE);
}

Value
ghlo_emit_constant (Emitter         *self,
                    GhloElementType  type,
                    guint64          bits)
{
  Type integer = LLVMIntTypeInContext (self->context, ghlo_element_info (type)->bits);

  return LLVMConstBitCast (LLVMConstInt (integer, bits, FALSE), ghlo_emit_type (self, type));
}

Value
ghlo_emit_integer (Emitter *self,
                   Type     type,
                   gint64   value,
                   Value    like)
{
  Value constant = LLVMConstInt (type, (guint64) value, TRUE);

  return ghlo_emit_is_vector (like) ? splat_constant (constant, LLVMGetVectorSize (LLVMTypeOf (like))) : constant;
}

Value
ghlo_emit_steps (Emitter *self,
                 Type     type,
                 gint64   step)
{
  Value lanes[GHLO_SCHEDULE_MAX_WIDTH];

  g_assert (self->width > 0);
  for (guint i = 0; i < self->width; i++)
    lanes[i] = LLVMConstInt (type, (guint64) step * i, TRUE);

  return self->width > 1 ? LLVMConstVector (lanes, self->width) : lanes[0];
}

Value
ghlo_emit_intrinsic (Emitter     *self,
                     const char  *name,
                     const Type  *types,
                     guint        n_types,
                     const Value *arguments,
                     guint        n_arguments)
{
  unsigned id = LLVMLookupIntrinsicID (name, strlen (name));
  Value function = LLVMGetIntrinsicDeclaration (self->module, id, (Type *) types, n_types);

  return LLVMBuildCall2 (self->builder, LLVMGlobalGetValueType (function), function, (Value *) arguments,
                         n_arguments, "");
}

Value
ghlo_emit_and (Emitter *self,
               Value    a,
               Value    b)
{
  if (a == NULL || b == NULL)
    return a == NULL ? b : a;
  ghlo_emit_widen_pair (self, &a, &b);

  return LLVMBuildAnd (self->builder, a, b, "");
}

Value
ghlo_emit_select (Emitter *self,
                  Value    condition,
                  Value    if_true,
                  Value    if_false)
{
  if (ghlo_emit_is_vector (condition))
    {
      if_true = ghlo_emit_widen (self, if_true);
      if_false = ghlo_emit_widen (self, if_false);
    }
  else
    ghlo_emit_widen_pair (self, &if_true, &if_false);

  return LLVMBuildSelect (self->builder, condition, if_true, if_false, "");
}

Value
ghlo_emit_clamp (Emitter *self,
                 Value    value,
                 Value    least,
                 Value    greatest)
{
  Type type = LLVMTypeOf (value);

  value = ghlo_emit_intrinsic (self, "llvm.smax", &type, 1, (Value[]) { value, least }, 2);

  return ghlo_emit_intrinsic (self, "llvm.smin", &type, 1, (Value[]) { value, greatest }, 2);
}

Value
ghlo_emit_lanes_from_to (Emitter *self,
                         Value    from,
                         Value    to)
{
  LLVMBuilderRef builder = self->builder;
  Value zero = ghlo_emit_i64 (self, 0), width = ghlo_emit_i64 (self, self->width), lanes, n;

  from = ghlo_emit_clamp (self, from, zero, width);
  to = ghlo_emit_clamp (self, to, from, width);
  n = LLVMBuildTrunc (builder, LLVMBuildSub (builder, to, from, ""), self->i32, "");
  from = LLVMBuildTrunc (builder, from, self->i32, "");
  lanes = LLVMBuildSub (builder, ghlo_emit_steps (self, self->i32, 1), ghlo_emit_widen (self, from), "");

  return LLVMBuildICmp (builder, LLVMIntULT, lanes, ghlo_emit_widen (self, n), "");
}

Value
ghlo_emit_take_lanes (Emitter *self,
                      Value    value,
                      guint    first,
                      guint    n)
{
  Value lanes[GHLO_SCHEDULE_MAX_WIDTH];

  if (n == 1)
    return LLVMBuildExtractElement (self->builder, value, ghlo_emit_i64 (self, first), "");
  if (n == LLVMGetVectorSize (LLVMTypeOf (value)))
    return value;
  for (guint i = 0; i < n; i++)
    lanes[i] = LLVMConstInt (self->i32, first + i, FALSE);

  return LLVMBuildShuffleVector (self->builder, value, LLVMGetPoison (LLVMTypeOf (value)), LLVMConstVector (lanes, n),
                                 "");
}

LLVMBasicBlockRef
ghlo_emit_add_block (Emitter *self)
{
  return LLVMAppendBasicBlockInContext (self->context, self->function, "");
}

Value
ghlo_emit_variable (Emitter *self,
                    Type     type)
{
  return LLVMBuildAlloca (self->entry, type, "");
}

Value
ghlo_emit_byte_address (Emitter *self,
                        Value    base,
                        Value    offset)
{
  return LLVMBuildGEP2 (self->builder, self->i8, base, &offset, 1, "");
}

Value
ghlo_emit_sum (Emitter      *self,
               gint64        offset,
               const gint64 *strides)
{
  Value sum = ghlo_emit_i64 (self, offset);

  for (guint i = 0; i < self->kernel->n_axes; i++)
    if (strides[i] != 0)
      {
        Value part = LLVMBuildMul (self->builder, self->point[i], ghlo_emit_i64 (self, strides[i]), "");

        sum = LLVMBuildAdd (self->builder, sum, part, "");
      }

  return sum;
}
