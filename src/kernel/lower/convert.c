/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversions between element types, each rounded once.
 */

#include "kernel/lower/lowering.h"

#include "base/bits.h"

#define NONE GHLO_LOWER_NONE
#define I1   GHLO_ELEMENT_TYPE_I1
#define NODE(kind, type, a, b, c) ghlo_lower_node (self, GHLO_NODE_##kind, type, a, b, c)

gboolean
ghlo_lower_holds_integers (GhloElementType to,
                           GhloElementType from)
{
  const GhloElementInfo *integer = ghlo_element_info (from), *info = ghlo_element_info (to);
  gint bits = integer->bits - (integer->element_class == GHLO_ELEMENT_CLASS_SIGNED);

  return info->specials != GHLO_FLOAT_E8M0 && bits <= MIN (info->mantissa_bits + 1, info->bias);
}

/* Returns 64-bit integer @value as f64, such that rounding it to a float of at most 16 bits is the same as rounding the
 * integer: from 2^53 on, its last 12 bits are replaced by a single one. */
static guint32
sticky_f64 (GhloLowering    *self,
            GhloElementType  type,
            guint32          value)
{
  enum { DROPPED = 12 };
  guint32 zero = ghlo_lower_constant (self, type, 0), low = ghlo_lower_constant (self, type, ghlo_low_bits (DROPPED));
  guint32 rest = NODE (AND, type, value, low, NONE), size = value, is_small, sticky;

  sticky = NODE (SELECT, type, NODE (EQUAL, I1, rest, zero, NONE), zero,
                 ghlo_lower_constant (self, type, (guint64) 1 << DROPPED));
  sticky = NODE (OR, type, NODE (XOR, type, value, rest, NONE), sticky, NONE);
  /* The magnitude of the least integer, a power of two, wraps and counts as small. */
  if (ghlo_node_types (type) == GHLO_NODE_TYPES_S)
    size = NODE (ABS, type, value, NONE, NONE);
  is_small = NODE (LESS, I1, size, ghlo_lower_constant (self, type, (guint64) 1 << 53), NONE);

  return NODE (CONVERT, GHLO_ELEMENT_TYPE_F64, NODE (SELECT, type, is_small, value, sticky), NONE, NONE);
}

/* Rounded once: f32 and f64 hold the smaller integers. */
static guint32
integer_to_narrow (GhloLowering    *self,
                   GhloElementType  from,
                   GhloElementType  to,
                   guint32          value)
{
  GhloElementType type = ghlo_lower_type (from);

  if (ghlo_lower_holds_integers (to, from))
    return NODE (CONVERT, GHLO_ELEMENT_TYPE_F32, value, NONE, NONE);
  if (ghlo_lower_holds_integers (GHLO_ELEMENT_TYPE_F32, from))
    return ghlo_lower_round (self, to, NODE (CONVERT, GHLO_ELEMENT_TYPE_F32, value, NONE, NONE));
  if (ghlo_lower_holds_integers (GHLO_ELEMENT_TYPE_F64, from))
    return ghlo_lower_round (self, to, NODE (CONVERT, GHLO_ELEMENT_TYPE_F64, value, NONE, NONE));

  return ghlo_lower_round (self, to, sticky_f64 (self, type, value));
}

/* Integers wrap. Floats are cut off to a byte's range, and then to that of the type. */
static guint32
convert_to_small (GhloLowering    *self,
                  GhloElementType  from,
                  GhloElementType  to,
                  guint32          value)
{
  GhloElementType type = ghlo_lower_type (from), number = ghlo_lower_type (to);
  guint32 byte = type == number ? value : NODE (CONVERT, number, value, NONE, NONE), limits[2];

  if (ghlo_node_types (type) != GHLO_NODE_TYPES_F)
    return ghlo_lower_round (self, to, byte);
  for (guint i = 0; i < 2; i++)
    limits[i] = ghlo_lower_constant (self, number, ghlo_element_limit (to, i).u & ghlo_low_bits (8));

  return NODE (MINIMUM, number, NODE (MAXIMUM, number, byte, limits[0], NONE), limits[1], NONE);
}

guint32
ghlo_lower_convert (GhloLowering    *self,
                    GhloElementType  from,
                    GhloElementType  to,
                    guint32          value)
{
  GhloElementType type = ghlo_lower_type (from), number = ghlo_lower_type (to);

  if (from == to)
    return value;
  if (number == GHLO_ELEMENT_TYPE_INVALID)
    return ghlo_lower_refuse (self, "kernels do not support the element type that it converts to");
  if (ghlo_lower_is_small (to))
    return convert_to_small (self, from, to, value);
  if (ghlo_lower_stored (to) != number)
    return ghlo_node_types (type) == GHLO_NODE_TYPES_F ? ghlo_lower_round (self, to, value)
           : integer_to_narrow (self, from, to, value);

  return type == number ? value : ghlo_lower_node (self, GHLO_NODE_CONVERT, number, value, NONE, NONE);
}
