/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nodes on integers and booleans. Instructions that count bits or yield the upper half of a product exist for 32 bits
 * only, so other widths are composed. Division by zero and oversized shifts are undefined in SPIR-V, so such operands
 * are replaced.
 */

#include "gpu/spirv/emit-private.h"

/* Extends with zeros or the sign, or truncates. */
static Id
resize (Spirv    *self,
        guint     to,
        guint     from,
        gboolean  is_signed,
        Id        value)
{
  if (to == from)
    return value;

  return CODE (is_signed ? SpvOpSConvert : SpvOpUConvert, ghlo_spirv_integer_type (self, to), value);
}

static Id
emit_division (Spirv    *self,
               guint     bits,
               gboolean  is_signed,
               gboolean  is_remainder,
               Id        a,
               Id        b)
{
  Id type = ghlo_spirv_integer_type (self, bits), zero = ghlo_spirv_integer (self, bits, 0);
  Id one = ghlo_spirv_integer (self, bits, 1), minus = ghlo_spirv_integer (self, bits, G_MAXUINT64);
  Id is_zero = CODE (SpvOpIEqual, self->boolean, b, zero), is_minus = 0, is_special = is_zero, result;

  /* The least integer divided by -1 overflows, so division by -1 is a negation. */
  if (is_signed)
    {
      is_minus = CODE (SpvOpIEqual, self->boolean, b, minus);
      is_special = CODE (SpvOpLogicalOr, self->boolean, is_zero, is_minus);
    }
  b = ghlo_spirv_select (self, type, is_special, one, b);
  result = CODE (is_signed ? SpvOpSDiv : SpvOpUDiv, type, a, b);
  if (is_remainder)
    {
      /* Vulkan leaves OpSRem of negative numbers undefined. */
      result = CODE (SpvOpISub, type, a, CODE (SpvOpIMul, type, result, b));
      return ghlo_spirv_select (self, type, is_zero, a, result);
    }
  if (is_signed)
    result = ghlo_spirv_select (self, type, is_minus, CODE (SpvOpSNegate, type, a), result);

  return ghlo_spirv_select (self, type, is_zero, minus, result);
}

static Id
emit_shift (Spirv    *self,
            guint     bits,
            gboolean  is_signed,
            gboolean  is_left,
            Id        a,
            Id        b)
{
  Id type = ghlo_spirv_integer_type (self, bits), zero = ghlo_spirv_integer (self, bits, 0);
  Id fits = CODE (SpvOpULessThan, self->boolean, b, ghlo_spirv_integer (self, bits, bits));

  if (!is_left && is_signed)
    return CODE (SpvOpShiftRightArithmetic, type, a,
                 ghlo_spirv_select (self, type, fits, b, ghlo_spirv_integer (self, bits, bits - 1)));
  b = ghlo_spirv_select (self, type, fits, b, zero);

  return ghlo_spirv_select (self, type, fits,
                            CODE (is_left ? SpvOpShiftLeftLogical : SpvOpShiftRightLogical, type, a, b), zero);
}

static Id
shift_right (Spirv *self,
             Id     value,
             guint  n)
{
  return CODE (SpvOpShiftRightLogical, self->u64, value, ghlo_spirv_u64 (self, n));
}

static Id
low_half (Spirv *self,
          Id     value)
{
  return CODE (SpvOpBitwiseAnd, self->u64, value, ghlo_spirv_u64 (self, G_MAXUINT32));
}

/* Returns the upper half of a product of unsigned 64-bit integers, from products of halves. */
static Id
multiply_high_64 (Spirv *self,
                  Id     a,
                  Id     b)
{
  Id a_low = low_half (self, a), a_high = shift_right (self, a, 32);
  Id b_low = low_half (self, b), b_high = shift_right (self, b, 32), middle, other;

  middle = CODE (SpvOpIMul, self->u64, a_high, b_low);
  middle = CODE (SpvOpIAdd, self->u64, middle, shift_right (self, CODE (SpvOpIMul, self->u64, a_low, b_low), 32));
  other = CODE (SpvOpIMul, self->u64, a_low, b_high);
  other = CODE (SpvOpIAdd, self->u64, other, low_half (self, middle));
  other = CODE (SpvOpIAdd, self->u64, shift_right (self, middle, 32), shift_right (self, other, 32));

  return CODE (SpvOpIAdd, self->u64, CODE (SpvOpIMul, self->u64, a_high, b_high), other);
}

/* Returns by how much the unsigned upper half of @a × @b exceeds the signed one due to the sign of @a: @b if @a is
 * negative. */
static Id
excess (Spirv *self,
        Id     a,
        Id     b)
{
  Id is_negative = CODE (SpvOpSLessThan, self->boolean, a, ghlo_spirv_u64 (self, 0));

  return ghlo_spirv_select (self, self->u64, is_negative, b, ghlo_spirv_u64 (self, 0));
}

static Id
emit_multiply_high (Spirv    *self,
                    guint     bits,
                    gboolean  is_signed,
                    Id        a,
                    Id        b)
{
  Id product;

  if (bits == 64)
    {
      product = multiply_high_64 (self, a, b);
      if (!is_signed)
        return product;
      product = CODE (SpvOpISub, self->u64, product, excess (self, a, b));
      return CODE (SpvOpISub, self->u64, product, excess (self, b, a));
    }
  product = CODE (SpvOpIMul, self->u64, resize (self, 64, bits, is_signed, a), resize (self, 64, bits, is_signed, b));

  return resize (self, bits, 64, FALSE, shift_right (self, product, bits));
}

/* Counts the leading zeros of 32 bits. */
static Id
count_zeros_32 (Spirv *self,
                Id     a)
{
  /* Index of the highest bit that is set, or -1. */
  Id highest = GLSL (FindUMsb, self->u32, a);

  return CODE (SpvOpISub, self->u32, ghlo_spirv_integer (self, 32, 31), highest);
}

static Id
upper_word (Spirv *self,
            Id     a)
{
  return resize (self, 32, 64, FALSE, shift_right (self, a, 32));
}

static Id
emit_count_zeros (Spirv *self,
                  guint  bits,
                  Id     a)
{
  Id high, low, is_zero, n;

  if (bits < 64)
    {
      n = CODE (SpvOpISub, self->u32, count_zeros_32 (self, resize (self, 32, bits, FALSE, a)),
                ghlo_spirv_integer (self, 32, 32 - bits));
      return resize (self, bits, 32, FALSE, n);
    }
  high = upper_word (self, a);
  low = CODE (SpvOpIAdd, self->u32, count_zeros_32 (self, resize (self, 32, 64, FALSE, a)),
              ghlo_spirv_integer (self, 32, 32));
  is_zero = CODE (SpvOpIEqual, self->boolean, high, ghlo_spirv_integer (self, 32, 0));
  n = ghlo_spirv_select (self, self->u32, is_zero, low, count_zeros_32 (self, high));

  return resize (self, 64, 32, FALSE, n);
}

static Id
emit_popcnt (Spirv *self,
             guint  bits,
             Id     a)
{
  Id n = CODE (SpvOpBitCount, self->u32, resize (self, 32, bits, FALSE, a));

  if (bits == 64)
    n = CODE (SpvOpIAdd, self->u32, n, CODE (SpvOpBitCount, self->u32, upper_word (self, a)));

  return resize (self, bits, 32, FALSE, n);
}

static Id
emit_extreme (Spirv    *self,
              Id        type,
              gboolean  is_signed,
              gboolean  is_maximum,
              Id        a,
              Id        b)
{
  Id is_less = CODE (is_signed ? SpvOpSLessThan : SpvOpULessThan, self->boolean, a, b);

  return is_maximum ? ghlo_spirv_select (self, type, is_less, b, a) : ghlo_spirv_select (self, type, is_less, a, b);
}

/* For booleans, false is less than true. */
static Id
emit_boolean (Spirv        *self,
              GhloNodeKind  kind,
              Id            a,
              Id            b)
{
  const Id type = self->boolean;

  switch (kind)
    {
    case GHLO_NODE_NOT:
      return CODE (SpvOpLogicalNot, type, a);
    case GHLO_NODE_AND:
    case GHLO_NODE_MINIMUM:
      return CODE (SpvOpLogicalAnd, type, a, b);
    case GHLO_NODE_OR:
    case GHLO_NODE_MAXIMUM:
      return CODE (SpvOpLogicalOr, type, a, b);
    case GHLO_NODE_XOR:
    case GHLO_NODE_NOT_EQUAL:
      return CODE (SpvOpLogicalNotEqual, type, a, b);
    case GHLO_NODE_EQUAL:
      return CODE (SpvOpLogicalEqual, type, a, b);
    case GHLO_NODE_LESS:
      return CODE (SpvOpLogicalAnd, type, CODE (SpvOpLogicalNot, type, a), b);
    case GHLO_NODE_LESS_EQUAL:
      return CODE (SpvOpLogicalOr, type, CODE (SpvOpLogicalNot, type, a), b);
    case GHLO_NODE_GREATER:
      return CODE (SpvOpLogicalAnd, type, a, CODE (SpvOpLogicalNot, type, b));
    case GHLO_NODE_GREATER_EQUAL:
      return CODE (SpvOpLogicalOr, type, a, CODE (SpvOpLogicalNot, type, b));
    default:
      g_assert_not_reached ();
    }
}

Id
ghlo_spirv_integer_node (Spirv           *self,
                         GhloNodeKind     kind,
                         GhloElementType  element_type,
                         const Id        *operands)
{
  const gboolean is_signed = ghlo_node_types (element_type) == GHLO_NODE_TYPES_S;
  const guint bits = ghlo_element_info (element_type)->bits;
  const Id type = ghlo_spirv_type (self, element_type), a = operands[0], b = operands[1];

  if (element_type == GHLO_ELEMENT_TYPE_I1)
    return emit_boolean (self, kind, a, b);
  switch (kind)
    {
    case GHLO_NODE_ADD:
      return CODE (SpvOpIAdd, type, a, b);
    case GHLO_NODE_SUBTRACT:
      return CODE (SpvOpISub, type, a, b);
    case GHLO_NODE_MULTIPLY:
      return CODE (SpvOpIMul, type, a, b);
    case GHLO_NODE_MULTIPLY_HIGH:
      return emit_multiply_high (self, bits, is_signed, a, b);
    case GHLO_NODE_DIVIDE:
    case GHLO_NODE_REMAINDER:
      return emit_division (self, bits, is_signed, kind == GHLO_NODE_REMAINDER, a, b);
    case GHLO_NODE_MINIMUM:
    case GHLO_NODE_MAXIMUM:
      return emit_extreme (self, type, is_signed, kind == GHLO_NODE_MAXIMUM, a, b);
    case GHLO_NODE_NEGATE:
      return CODE (SpvOpSNegate, type, a);
    case GHLO_NODE_ABS:
      return is_signed ? ghlo_spirv_select (self, type,
                                            CODE (SpvOpSLessThan, self->boolean, a, ghlo_spirv_integer (self, bits, 0)),
                                            CODE (SpvOpSNegate, type, a), a)
                       : a;
    case GHLO_NODE_AND:
      return CODE (SpvOpBitwiseAnd, type, a, b);
    case GHLO_NODE_OR:
      return CODE (SpvOpBitwiseOr, type, a, b);
    case GHLO_NODE_XOR:
      return CODE (SpvOpBitwiseXor, type, a, b);
    case GHLO_NODE_NOT:
      return CODE (SpvOpNot, type, a);
    case GHLO_NODE_SHIFT_LEFT:
    case GHLO_NODE_SHIFT_RIGHT:
      return emit_shift (self, bits, is_signed, kind == GHLO_NODE_SHIFT_LEFT, a, b);
    case GHLO_NODE_COUNT_LEADING_ZEROS:
      return emit_count_zeros (self, bits, a);
    case GHLO_NODE_POPCNT:
      return emit_popcnt (self, bits, a);
    case GHLO_NODE_EQUAL:
      return CODE (SpvOpIEqual, self->boolean, a, b);
    case GHLO_NODE_NOT_EQUAL:
      return CODE (SpvOpINotEqual, self->boolean, a, b);
    case GHLO_NODE_LESS:
      return CODE (is_signed ? SpvOpSLessThan : SpvOpULessThan, self->boolean, a, b);
    case GHLO_NODE_LESS_EQUAL:
      return CODE (is_signed ? SpvOpSLessThanEqual : SpvOpULessThanEqual, self->boolean, a, b);
    case GHLO_NODE_GREATER:
      return CODE (is_signed ? SpvOpSGreaterThan : SpvOpUGreaterThan, self->boolean, a, b);
    case GHLO_NODE_GREATER_EQUAL:
      return CODE (is_signed ? SpvOpSGreaterThanEqual : SpvOpUGreaterThanEqual, self->boolean, a, b);
    default:
      g_assert_not_reached ();
    }
}
