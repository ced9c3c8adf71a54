/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Types, constants, and helpers for all parts of the emitter. Each type declares the capability that it needs.
 */

#include "gpu/spirv/emit-private.h"

#include "base/bits.h"

Id
ghlo_spirv_integer_type (Spirv *self,
                         guint  bits)
{
  static const SpvCapability capabilities[] = { SpvCapabilityInt8, SpvCapabilityInt16, SpvCapabilityShader,
                                                SpvCapabilityInt64 };

  ghlo_spirv_capability (self->builder, capabilities[g_bit_nth_msf (bits, -1) - 3]);

  return ghlo_spirv_unique (self->builder, SpvOpTypeInt, 0, GHLO_SPIRV_WORDS (bits, 0));
}

Id
ghlo_spirv_type (Spirv           *self,
                 GhloElementType  type)
{
  if (type == GHLO_ELEMENT_TYPE_I1)
    return self->boolean;
  if (ghlo_node_types (type) != GHLO_NODE_TYPES_F)
    return ghlo_spirv_integer_type (self, ghlo_element_info (type)->bits);
  if (type == GHLO_ELEMENT_TYPE_F64)
    ghlo_spirv_capability (self->builder, SpvCapabilityFloat64);

  return ghlo_spirv_unique (self->builder, SpvOpTypeFloat, 0, GHLO_SPIRV_WORDS (ghlo_element_info (type)->bits));
}

Id
ghlo_spirv_pointer_type (Spirv           *self,
                         SpvStorageClass  class,
                         Id               type)
{
  return ghlo_spirv_unique (self->builder, SpvOpTypePointer, 0, GHLO_SPIRV_WORDS (class, type));
}

Id
ghlo_spirv_integer (Spirv   *self,
                    guint    bits,
                    guint64  value)
{
  Id type = ghlo_spirv_integer_type (self, bits);

  if (bits < 64)
    value &= ((guint64) 1 << bits) - 1;

  return ghlo_spirv_unique (self->builder, SpvOpConstant, type,
                            (const guint32[]) { (guint32) value, (guint32) (value >> 32) }, bits == 64 ? 2 : 1);
}

Id
ghlo_spirv_u64 (Spirv   *self,
                guint64  value)
{
  return ghlo_spirv_integer (self, 64, value);
}

Id
ghlo_spirv_constant (Spirv           *self,
                     GhloElementType  type,
                     guint64          bits)
{
  if (type == GHLO_ELEMENT_TYPE_I1)
    return ghlo_spirv_unique (self->builder, bits != 0 ? SpvOpConstantTrue : SpvOpConstantFalse, self->boolean, NULL,
                              0);
  if (ghlo_node_types (type) != GHLO_NODE_TYPES_F)
    return ghlo_spirv_integer (self, ghlo_element_info (type)->bits, bits);

  return ghlo_spirv_unique (self->builder, SpvOpConstant, ghlo_spirv_type (self, type),
                            (const guint32[]) { (guint32) bits, (guint32) (bits >> 32) },
                            type == GHLO_ELEMENT_TYPE_F64 ? 2 : 1);
}

Id
ghlo_spirv_real (Spirv           *self,
                 GhloElementType  type,
                 double           value)
{
  return ghlo_spirv_constant (self, type, type == GHLO_ELEMENT_TYPE_F64 ? ghlo_bits_of_double (value)
                                                                        : ghlo_bits_of_float ((float) value));
}

Id
ghlo_spirv_variable (Spirv *self,
                     Id     type)
{
  Id pointer = ghlo_spirv_pointer_type (self, SpvStorageClassFunction, type);
  Id variable = ghlo_spirv_new_id (self->builder);

  ghlo_spirv_add (self->builder, GHLO_SPIRV_FUNCTION, SpvOpVariable,
                  GHLO_SPIRV_WORDS (pointer, variable, SpvStorageClassFunction));

  return variable;
}

Id
ghlo_spirv_select (Spirv *self,
                   Id     type,
                   Id     condition,
                   Id     if_true,
                   Id     if_false)
{
  /* NVIDIA's compiler (driver 580) miscompiles some selections between booleans. */
  if (type == self->boolean)
    return CODE (SpvOpLogicalOr, type, CODE (SpvOpLogicalAnd, type, condition, if_true),
                 CODE (SpvOpLogicalAnd, type, CODE (SpvOpLogicalNot, type, condition), if_false));

  return CODE (SpvOpSelect, type, condition, if_true, if_false);
}

Id
ghlo_spirv_exact (Spirv *self,
                  Id     result)
{
  ghlo_spirv_add (self->builder, GHLO_SPIRV_DECORATIONS, SpvOpDecorate,
                  GHLO_SPIRV_WORDS (result, SpvDecorationNoContraction));

  return result;
}

Id
ghlo_spirv_sum (Spirv        *self,
                Id            base,
                gint64        offset,
                const gint64 *strides)
{
  guint64 constant = (guint64) offset;
  Id sum = base;

  for (guint i = 0; i < self->kernel->n_axes; i++)
    if (strides[i] != 0)
      {
        const gboolean is_unrolled = self->unrolled.first != 0 && self->unrolled.axis == i;
        Id part = CODE (SpvOpIMul, self->u64, is_unrolled ? self->unrolled.first : self->point[i],
                        ghlo_spirv_u64 (self, (guint64) strides[i]));

        if (is_unrolled)
          constant += (guint64) strides[i] * self->unrolled.number * self->unrolled.step;
        sum = sum != 0 ? CODE (SpvOpIAdd, self->u64, sum, part) : part;
      }
  if (sum == 0)
    return ghlo_spirv_u64 (self, constant);

  return constant != 0 ? CODE (SpvOpIAdd, self->u64, sum, ghlo_spirv_u64 (self, constant)) : sum;
}
