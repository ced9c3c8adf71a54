/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which nodes represent values of which element types. Floats narrower than f32 are f32 nodes that hold a number of
 * the narrow type: each operation on them is rounded to it. Integers narrower than a byte are bytes, as in buffers, and
 * each operation on them is wrapped. Complex numbers are two nodes.
 */

#include "kernel/lower/lowering.h"

/* The types in which nodes compute with elements and as which they load them; for narrow floats also the
 * conversions. */
typedef struct
{
  GhloElementType number, stored;
  GhloNodeKind    from, to;             /* equal for types that are not narrow floats */
} Representation;

#define SAME(ID)              [GHLO_ELEMENT_TYPE_##ID] = { GHLO_ELEMENT_TYPE_##ID, GHLO_ELEMENT_TYPE_##ID, 0, 0 }
#define AS(ID, node)          [GHLO_ELEMENT_TYPE_##ID] = { GHLO_ELEMENT_TYPE_##node, GHLO_ELEMENT_TYPE_##node, 0, 0 }
#define NARROW(ID, stored)    [GHLO_ELEMENT_TYPE_##ID] = { GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_##stored, \
                                                           GHLO_NODE_FROM_##ID, GHLO_NODE_TO_##ID }

/* Missing rows are 0, which is INVALID. */
static const Representation representations[] = {
  SAME (I1), SAME (I8), SAME (I16), SAME (I32), SAME (I64), SAME (UI8), SAME (UI16), SAME (UI32), SAME (UI64),
  SAME (F32), SAME (F64),
  AS (I2, I8), AS (I4, I8), AS (UI2, UI8), AS (UI4, UI8),
  AS (COMPLEX_F32, F32), AS (COMPLEX_F64, F64),
  NARROW (BF16, UI16), NARROW (F16, UI16),
  NARROW (F4E2M1FN, UI8), NARROW (F6E2M3FN, UI8), NARROW (F6E3M2FN, UI8), NARROW (F8E3M4, UI8), NARROW (F8E4M3, UI8),
  NARROW (F8E4M3B11FNUZ, UI8), NARROW (F8E4M3FN, UI8), NARROW (F8E4M3FNUZ, UI8), NARROW (F8E5M2, UI8),
  NARROW (F8E5M2FNUZ, UI8), NARROW (F8E8M0FNU, UI8),
};

/* Returns NULL where @type is not a narrow float. */
static const Representation *
find_narrow (GhloElementType type)
{
  return type < G_N_ELEMENTS (representations) && representations[type].from != representations[type].to
         ? &representations[type] : NULL;
}

GhloElementType
ghlo_lower_type (GhloElementType type)
{
  return type < G_N_ELEMENTS (representations) ? representations[type].number : GHLO_ELEMENT_TYPE_INVALID;
}

GhloElementType
ghlo_lower_stored (GhloElementType type)
{
  return type < G_N_ELEMENTS (representations) ? representations[type].stored : GHLO_ELEMENT_TYPE_INVALID;
}

gboolean
ghlo_lower_is_small (GhloElementType type)
{
  return ghlo_element_type_is_integer (type) && ghlo_element_info (type)->bits < 8;
}

gboolean
ghlo_lower_is_closed (GhloElementType type)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  if (ghlo_lower_is_small (type))
    return FALSE;

  return find_narrow (type) == NULL || info->specials == GHLO_FLOAT_IEEE
         || (info->specials == GHLO_FLOAT_FINITE && info->bits == 8);
}

guint32
ghlo_lower_decode (GhloLowering    *self,
                   GhloElementType  type,
                   guint32          stored)
{
  const Representation *narrow = find_narrow (type);

  if (stored == GHLO_LOWER_NONE || narrow == NULL)
    return stored;
  if (ghlo_expr (self, stored)->kind == GHLO_NODE_CONSTANT)
    return ghlo_lower_float (self, GHLO_ELEMENT_TYPE_F32,
                             ghlo_float_from_bits (type, ghlo_expr (self, stored)->bits));

  return ghlo_lower_node (self, narrow->from, GHLO_ELEMENT_TYPE_F32, stored, GHLO_LOWER_NONE, GHLO_LOWER_NONE);
}

guint32
ghlo_lower_encode (GhloLowering    *self,
                   GhloElementType  type,
                   guint32          value)
{
  const Representation *narrow = find_narrow (type);

  if (value == GHLO_LOWER_NONE || narrow == NULL)
    return value;
  /* If the value has just been decoded, its encoded form still exists. */
  if (ghlo_expr (self, value)->kind == narrow->from)
    return ghlo_expr (self, value)->operands[0];
  if (ghlo_expr (self, value)->kind == GHLO_NODE_CONSTANT)
    {
      double number = ghlo_float_from_bits (ghlo_expr (self, value)->type, ghlo_expr (self, value)->bits);

      return ghlo_lower_constant (self, narrow->stored, ghlo_float_to_bits (type, number));
    }

  return ghlo_lower_node (self, narrow->to, narrow->stored, value, GHLO_LOWER_NONE, GHLO_LOWER_NONE);
}

/* Copies the sign bit of a small integer, or zeros, into the rest of the byte. */
static guint32
wrap (GhloLowering    *self,
      GhloElementType  type,
      guint32          value)
{
  GhloElementType number = ghlo_lower_type (type);
  guint32 unused = ghlo_lower_constant (self, number, 8 - ghlo_element_info (type)->bits);

  value = ghlo_lower_node (self, GHLO_NODE_SHIFT_LEFT, number, value, unused, GHLO_LOWER_NONE);

  return ghlo_lower_node (self, GHLO_NODE_SHIFT_RIGHT, number, value, unused, GHLO_LOWER_NONE);
}

guint32
ghlo_lower_round (GhloLowering    *self,
                  GhloElementType  type,
                  guint32          value)
{
  if (ghlo_lower_is_small (type))
    return wrap (self, type, value);

  return ghlo_lower_decode (self, type, ghlo_lower_encode (self, type, value));
}

GhloElementType
ghlo_kernel_stored_type (GhloElementType type)
{
  return ghlo_element_type_is_complex (type) ? GHLO_ELEMENT_TYPE_INVALID : ghlo_lower_stored (type);
}

/* Converts @node to type @to. */
static guint
convert (GhloKernelBuilder *builder,
         guint              node,
         GhloElementType    from,
         GhloElementType    to)
{
  if (from == to)
    return node;

  return ghlo_kernel_add_node (builder, GHLO_NODE_CONVERT, to, node, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE);
}

guint
ghlo_kernel_add_number (GhloKernelBuilder *builder,
                        GhloElementType    type,
                        guint              stored,
                        GhloElementType    as)
{
  const Representation *narrow = find_narrow (type);

  if (narrow != NULL)
    stored = ghlo_kernel_add_node (builder, narrow->from, GHLO_ELEMENT_TYPE_F32, stored, GHLO_KERNEL_NONE,
                                   GHLO_KERNEL_NONE);

  return convert (builder, stored, ghlo_lower_type (type), as);
}

static guint
add_wrapped (GhloKernelBuilder *builder,
             GhloElementType    type,
             guint              node)
{
  GhloElementType stored = ghlo_lower_stored (type);
  guint unused = ghlo_kernel_add_constant (builder, stored, 8 - ghlo_element_info (type)->bits);

  node = ghlo_kernel_add_node (builder, GHLO_NODE_SHIFT_LEFT, stored, node, unused, GHLO_KERNEL_NONE);

  return ghlo_kernel_add_node (builder, GHLO_NODE_SHIFT_RIGHT, stored, node, unused, GHLO_KERNEL_NONE);
}

guint
ghlo_kernel_add_element (GhloKernelBuilder *builder,
                         GhloElementType    type,
                         guint              number,
                         GhloElementType    from)
{
  const Representation *narrow = find_narrow (type);

  if (ghlo_lower_is_small (type))
    return add_wrapped (builder, type, convert (builder, number, from, ghlo_lower_stored (type)));
  if (narrow == NULL)
    return convert (builder, number, from, type);

  return ghlo_kernel_add_node (builder, narrow->to, narrow->stored, number, GHLO_KERNEL_NONE, GHLO_KERNEL_NONE);
}
