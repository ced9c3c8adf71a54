/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which nodes stand for values of which element types. Values of f16 and bf16 are nodes of f32
 * that hold a number of the narrow type: each operation on them is rounded to it.
 */

#include "kernel/lower/private.h"

GhloElementType
ghlo_lower_type (GhloElementType type)
{
  if (type == GHLO_ELEMENT_TYPE_F16 || type == GHLO_ELEMENT_TYPE_BF16)
    return GHLO_ELEMENT_TYPE_F32;

  return ghlo_node_types (type) != 0 ? type : GHLO_ELEMENT_TYPE_INVALID;
}

GhloElementType
ghlo_lower_stored (GhloElementType type)
{
  if (type == GHLO_ELEMENT_TYPE_F16 || type == GHLO_ELEMENT_TYPE_BF16)
    return GHLO_ELEMENT_TYPE_UI16;

  return ghlo_node_types (type) != 0 ? type : GHLO_ELEMENT_TYPE_INVALID;
}

guint32
ghlo_lower_decode (GhloLowering    *self,
                   GhloElementType  type,
                   guint32          stored)
{
  if (stored == GHLO_LOWER_NONE || ghlo_lower_type (type) == ghlo_lower_stored (type))
    return stored;
  if (ghlo_item (self, stored)->kind == GHLO_NODE_CONSTANT)
    return ghlo_lower_float (self, GHLO_ELEMENT_TYPE_F32,
                             ghlo_float_from_bits (type, ghlo_item (self, stored)->bits));

  return ghlo_lower_node (self, type == GHLO_ELEMENT_TYPE_F16 ? GHLO_NODE_FROM_F16 : GHLO_NODE_FROM_BF16,
                          GHLO_ELEMENT_TYPE_F32, stored, GHLO_LOWER_NONE, GHLO_LOWER_NONE);
}

guint32
ghlo_lower_encode (GhloLowering    *self,
                   GhloElementType  type,
                   guint32          value)
{
  GhloNodeKind from = type == GHLO_ELEMENT_TYPE_F16 ? GHLO_NODE_FROM_F16 : GHLO_NODE_FROM_BF16;

  if (value == GHLO_LOWER_NONE || ghlo_lower_type (type) == ghlo_lower_stored (type))
    return value;
  /* What was decoded just now is still there. */
  if (ghlo_item (self, value)->kind == from)
    return ghlo_item (self, value)->operands[0];
  if (ghlo_item (self, value)->kind == GHLO_NODE_CONSTANT)
    {
      double number = ghlo_float_from_bits (ghlo_item (self, value)->type, ghlo_item (self, value)->bits);

      return ghlo_lower_constant (self, GHLO_ELEMENT_TYPE_UI16, ghlo_float_to_bits (type, number));
    }

  return ghlo_lower_node (self, type == GHLO_ELEMENT_TYPE_F16 ? GHLO_NODE_TO_F16 : GHLO_NODE_TO_BF16,
                          GHLO_ELEMENT_TYPE_UI16, value, GHLO_LOWER_NONE, GHLO_LOWER_NONE);
}

guint32
ghlo_lower_round (GhloLowering    *self,
                  GhloElementType  type,
                  guint32          value)
{
  return ghlo_lower_decode (self, type, ghlo_lower_encode (self, type, value));
}
