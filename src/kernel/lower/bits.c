/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operations on the bits of floats: the next number in a direction, and rounding to fewer bits. They support only
 * formats with infinities and two zeros, in which adjacent numbers have adjacent bits.
 */

#include "kernel/lower/lowering.h"

#include "base/bits.h"

#include <math.h>

#define NONE GHLO_LOWER_NONE
#define I1   GHLO_ELEMENT_TYPE_I1
#define NODE(kind, type, a, b, c) ghlo_lower_node (self, GHLO_NODE_##kind, type, a, b, c)

/* Returns the unsigned type of the bits; INVALID for other formats. */
static GhloElementType
bits_of_format (GhloElementType type)
{
  switch (type)
    {
    case GHLO_ELEMENT_TYPE_BF16:
    case GHLO_ELEMENT_TYPE_F16:
      return GHLO_ELEMENT_TYPE_UI16;
    case GHLO_ELEMENT_TYPE_F32:
      return GHLO_ELEMENT_TYPE_UI32;
    case GHLO_ELEMENT_TYPE_F64:
      return GHLO_ELEMENT_TYPE_UI64;
    default:
      return GHLO_ELEMENT_TYPE_INVALID;
    }
}

/* Narrow floats are stored as integers. */
static guint32
to_bits (GhloLowering    *self,
         GhloElementType  type,
         guint32          value)
{
  if (ghlo_lower_stored (type) != ghlo_lower_type (type))
    return ghlo_lower_encode (self, type, value);

  return NODE (BITCAST, bits_of_format (type), value, NONE, NONE);
}

static guint32
from_bits (GhloLowering    *self,
           GhloElementType  type,
           guint32          bits)
{
  if (ghlo_lower_stored (type) != ghlo_lower_type (type))
    return ghlo_lower_decode (self, type, bits);

  return NODE (BITCAST, type, bits, NONE, NONE);
}

static guint32
whole (GhloLowering    *self,
       GhloElementType  type,
       guint64          value)
{
  return ghlo_lower_constant (self, type, value & ghlo_low_bits (ghlo_element_info (type)->bits));
}

/* Moves away from zero by one if x < 0 equals y < x, else towards zero; from zero, to the least number with y's
 * sign. */
guint32
ghlo_lower_next_after (GhloLowering    *self,
                       const GhloIrOp  *op,
                       GhloElementType  type,
                       const guint32   *operands)
{
  GhloElementType format = ghlo_ir_op_operand (op, 0)->type->element_type, bits_type = bits_of_format (format);
  guint32 x = operands[0], y = operands[1], zero = ghlo_lower_float (self, type, 0), x_bits, y_bits, moved, least;

  if (bits_type == GHLO_ELEMENT_TYPE_INVALID)
    return ghlo_lower_refuse (self, "kernels do not support bit operations on its element type");
  x_bits = to_bits (self, format, x);
  y_bits = to_bits (self, format, y);
  moved = NODE (EQUAL, I1, NODE (LESS, I1, x, zero, NONE), NODE (LESS, I1, y, x, NONE), NONE);
  moved = NODE (SELECT, bits_type, moved, whole (self, bits_type, 1), whole (self, bits_type, G_MAXUINT64));
  moved = NODE (ADD, bits_type, x_bits, moved, NONE);
  least = NODE (AND, bits_type, y_bits,
                whole (self, bits_type, (guint64) 1 << (ghlo_element_info (bits_type)->bits - 1)), NONE);
  least = NODE (OR, bits_type, least, whole (self, bits_type, 1), NONE);
  moved = NODE (SELECT, bits_type, NODE (EQUAL, I1, x, zero, NONE), least, moved);
  moved = from_bits (self, format, NODE (SELECT, bits_type, NODE (EQUAL, I1, x, y, NONE), y_bits, moved));
  moved = NODE (SELECT, type, NODE (EQUAL, I1, y, y, NONE), moved, y);

  return NODE (SELECT, type, NODE (EQUAL, I1, x, x, NONE), moved, x);
}

/* Rounds the bits @size of a magnitude to nearest even, clearing the last @dropped bits. */
static guint32
round_off (GhloLowering    *self,
           GhloElementType  bits_type,
           guint32          size,
           guint            dropped)
{
  guint32 count = whole (self, bits_type, dropped), is_odd, half;

  if (dropped == 0)
    return size;
  is_odd = NODE (AND, bits_type, NODE (SHIFT_RIGHT, bits_type, size, count, NONE), whole (self, bits_type, 1), NONE);
  half = NODE (ADD, bits_type, is_odd, whole (self, bits_type, ((guint64) 1 << (dropped - 1)) - 1), NONE);
  size = NODE (SHIFT_RIGHT, bits_type, NODE (ADD, bits_type, size, half, NONE), count, NONE);

  return NODE (SHIFT_LEFT, bits_type, size, count, NONE);
}

/* Returns infinity above, and zero below the normal numbers with @exponent_bits, which are fewer than those of the
 * format. */
static guint32
limit_exponent (GhloLowering          *self,
                const GhloElementInfo *info,
                GhloElementType        bits_type,
                guint32                size,
                gint64                 exponent_bits)
{
  guint64 one = ghlo_low_bits (info->exponent_bits - 1), room = ghlo_low_bits ((guint) MAX (exponent_bits, 1) - 1);
  guint64 infinity = ghlo_low_bits (info->exponent_bits) << info->mantissa_bits;
  guint32 beyond = whole (self, bits_type, (one + room + 1) << info->mantissa_bits);
  guint32 least = whole (self, bits_type, (one - room + 1) << info->mantissa_bits);
  guint32 is_less = NODE (LESS, I1, size, beyond, NONE);
  guint32 large = NODE (SELECT, bits_type, is_less, size, whole (self, bits_type, infinity));

  return NODE (SELECT, bits_type, NODE (LESS, I1, size, least, NONE), whole (self, bits_type, 0), large);
}

guint32
ghlo_lower_reduce_precision (GhloLowering    *self,
                             const GhloIrOp  *op,
                             GhloElementType  type,
                             const guint32   *operands)
{
  GhloElementType format = ghlo_ir_op_operand (op, 0)->type->element_type, bits_type = bits_of_format (format);
  const GhloElementInfo *info = ghlo_element_info (format);
  gint64 exponent_bits = ghlo_ir_op_get_int (op, "exponent_bits", 0);
  gint64 mantissa_bits = ghlo_ir_op_get_int (op, "mantissa_bits", 0);
  guint32 x = operands[0], nan = mantissa_bits > 0 ? x : ghlo_lower_float (self, type, INFINITY), bits, sign, size;

  if (bits_type == GHLO_ELEMENT_TYPE_INVALID)
    return ghlo_lower_refuse (self, "kernels do not support bit operations on its element type");
  bits = to_bits (self, format, x);
  sign = whole (self, bits_type, (guint64) 1 << (info->bits - 1));
  size = NODE (AND, bits_type, bits, NODE (NOT, bits_type, sign, NONE, NONE), NONE);
  sign = NODE (AND, bits_type, bits, sign, NONE);
  if (mantissa_bits < info->mantissa_bits)
    size = round_off (self, bits_type, size, info->mantissa_bits - (guint) MAX (mantissa_bits, 0));
  if (exponent_bits < info->exponent_bits)
    size = limit_exponent (self, info, bits_type, size, exponent_bits);

  return NODE (SELECT, type, NODE (EQUAL, I1, x, x, NONE),
               from_bits (self, format, NODE (OR, bits_type, size, sign, NONE)), nan);
}
