/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One function for each class of types. Floats are computed in their own type: computing f32 in f64 would round a
 * multiply-add twice. This file is compiled without contraction.
 */

#include "kernel/evaluate.h"

#include "base/bits.h"

#include <math.h>
#include <string.h>

static guint64
evaluate_integer (GhloNodeKind    kind,
                  GhloElementType type,
                  const guint64  *operands)
{
  const guint n_bits = ghlo_element_info (type)->bits;
  const gboolean is_signed = ghlo_element_info (type)->element_class == GHLO_ELEMENT_CLASS_SIGNED;
  const guint64 a = operands[0], b = operands[1];
  const gint64 x = ghlo_node_to_integer (type, a), y = ghlo_node_to_integer (type, b);
  const gboolean is_less = is_signed ? x < y : a < b;

  switch (kind)
    {
    case GHLO_NODE_ADD:
      return a + b;
    case GHLO_NODE_SUBTRACT:
      return a - b;
    case GHLO_NODE_MULTIPLY:
      return a * b;
    case GHLO_NODE_MULTIPLY_HIGH:
      return is_signed ? (guint64) ((__int128) x * y >> n_bits) : (guint64) ((unsigned __int128) a * b >> n_bits);
    case GHLO_NODE_DIVIDE:
      if (b == 0)
        return G_MAXUINT64;
      return !is_signed ? a / b : y == -1 ? -a : (guint64) (x / y);
    case GHLO_NODE_REMAINDER:
      if (b == 0)
        return a;
      return !is_signed ? a % b : y == -1 ? 0 : (guint64) (x % y);
    case GHLO_NODE_MINIMUM:
      return is_less ? a : b;
    case GHLO_NODE_MAXIMUM:
      return is_less ? b : a;
    case GHLO_NODE_NEGATE:
      return -a;
    case GHLO_NODE_ABS:
      return is_signed && x < 0 ? -a : a;
    case GHLO_NODE_AND:
      return a & b;
    case GHLO_NODE_OR:
      return a | b;
    case GHLO_NODE_XOR:
      return a ^ b;
    case GHLO_NODE_NOT:
      return ~a;
    case GHLO_NODE_SHIFT_LEFT:
      return b < n_bits ? a << b : 0;
    case GHLO_NODE_SHIFT_RIGHT:
      return is_signed ? (guint64) (x >> MIN (b, n_bits - 1)) : b < n_bits ? a >> b : 0;
    case GHLO_NODE_COUNT_LEADING_ZEROS:
      return a == 0 ? n_bits : (guint) __builtin_clzll (a) - (64 - n_bits);
    case GHLO_NODE_POPCNT:
      return (guint) __builtin_popcountll (a);
    case GHLO_NODE_EQUAL:
      return a == b;
    case GHLO_NODE_NOT_EQUAL:
      return a != b;
    case GHLO_NODE_LESS:
      return is_less;
    case GHLO_NODE_LESS_EQUAL:
      return is_less || a == b;
    case GHLO_NODE_GREATER:
      return !is_less && a != b;
    case GHLO_NODE_GREATER_EQUAL:
      return !is_less;
    default:
      g_assert_not_reached ();
    }
}

/* The suffix @f selects the functions of the math library for @T. */
#define EVALUATE_FLOAT(name, T, f, to_bits, of_bits, sign_bit) \
  static guint64 \
  evaluate_##name (GhloNodeKind   kind, \
                   const guint64 *operands) \
  { \
    const T a = of_bits (operands[0]), b = of_bits (operands[1]); \
    const gboolean is_negative = (operands[0] & sign_bit) != 0; \
    \
    switch (kind) \
      { \
      case GHLO_NODE_ADD: \
        return to_bits (a + b); \
      case GHLO_NODE_SUBTRACT: \
        return to_bits (a - b); \
      case GHLO_NODE_MULTIPLY: \
        return to_bits (a * b); \
      case GHLO_NODE_DIVIDE: \
        return to_bits (a / b); \
      case GHLO_NODE_FMA: \
        return to_bits (fma##f (a, b, of_bits (operands[2]))); \
      case GHLO_NODE_MINIMUM: \
        return a != a ? operands[0] : b != b ? operands[1] : a == b ? operands[!is_negative] : operands[a > b]; \
      case GHLO_NODE_MAXIMUM: \
        return a != a ? operands[0] : b != b ? operands[1] : a == b ? operands[is_negative] : operands[a < b]; \
      case GHLO_NODE_NEGATE: \
        return operands[0] ^ sign_bit; \
      case GHLO_NODE_ABS: \
        return operands[0] & ~sign_bit; \
      case GHLO_NODE_SQRT: \
        return to_bits (sqrt##f (a)); \
      case GHLO_NODE_FLOOR: \
        return to_bits (floor##f (a)); \
      case GHLO_NODE_CEIL: \
        return to_bits (ceil##f (a)); \
      case GHLO_NODE_TRUNCATE: \
        return to_bits (trunc##f (a)); \
      case GHLO_NODE_ROUND_NEAREST_EVEN: \
        return to_bits (nearbyint##f (a)); \
      case GHLO_NODE_EQUAL: \
        return a == b; \
      case GHLO_NODE_NOT_EQUAL: \
        return a != b; \
      case GHLO_NODE_LESS: \
        return a < b; \
      case GHLO_NODE_LESS_EQUAL: \
        return a <= b; \
      case GHLO_NODE_GREATER: \
        return a > b; \
      case GHLO_NODE_GREATER_EQUAL: \
        return a >= b; \
      default: \
        g_assert_not_reached (); \
      } \
  }

EVALUATE_FLOAT (f32, float, f, ghlo_bits_of_float, ghlo_float_of_bits, G_GUINT64_CONSTANT (0x80000000))
EVALUATE_FLOAT (f64, double, , ghlo_bits_of_double, ghlo_double_of_bits, G_GUINT64_CONSTANT (0x8000000000000000))

/* Truncates @value and saturates it to the range of @type; 0 for NaN. */
static guint64
integer_of_double (GhloElementType type,
                   double          value)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  gboolean is_signed = info->element_class == GHLO_ELEMENT_CLASS_SIGNED;
  double limit = ldexp (1, info->bits - is_signed);

  if (value != value)
    return 0;
  if (value >= limit)
    return ghlo_low_bits (info->bits - is_signed);
  if (!is_signed)
    return value > 0 ? (guint64) value : 0;

  return value <= -limit ? (guint64) 1 << (info->bits - 1) : (guint64) (gint64) value;
}

static guint64
convert (GhloElementType to,
         GhloElementType from,
         guint64         bits)
{
  gboolean is_unsigned = ghlo_element_info (from)->element_class != GHLO_ELEMENT_CLASS_SIGNED;
  gint64 integer = ghlo_node_to_integer (from, bits);

  if (ghlo_node_types (from) == GHLO_NODE_TYPES_F)
    {
      double value = from == GHLO_ELEMENT_TYPE_F32 ? ghlo_float_of_bits (bits) : ghlo_double_of_bits (bits);

      if (to == GHLO_ELEMENT_TYPE_I1)
        return value != 0;
      if (to == GHLO_ELEMENT_TYPE_F32)
        return ghlo_bits_of_float ((float) value);
      return to == GHLO_ELEMENT_TYPE_F64 ? ghlo_bits_of_double (value) : integer_of_double (to, value);
    }
  if (to == GHLO_ELEMENT_TYPE_I1)
    return bits != 0;
  if (to == GHLO_ELEMENT_TYPE_F32)
    return ghlo_bits_of_float (is_unsigned ? (float) bits : (float) integer);
  if (to == GHLO_ELEMENT_TYPE_F64)
    return ghlo_bits_of_double (is_unsigned ? (double) bits : (double) integer);

  return (guint64) integer;
}

guint64
ghlo_node_evaluate (GhloNodeKind     kind,
                    GhloElementType  type,
                    GhloElementType  operand_type,
                    const guint64   *operands)
{
  guint64 result;

  if (kind == GHLO_NODE_SELECT)
    return operands[operands[0] ? 1 : 2];
  if (kind == GHLO_NODE_BITCAST)
    return operands[0];
  if (kind == GHLO_NODE_CONVERT)
    result = convert (type, operand_type, operands[0]);
  else if (operand_type == GHLO_ELEMENT_TYPE_F32)
    result = evaluate_f32 (kind, operands);
  else if (operand_type == GHLO_ELEMENT_TYPE_F64)
    result = evaluate_f64 (kind, operands);
  else
    result = evaluate_integer (kind, operand_type, operands);

  return ghlo_node_cut (type, result);
}

guint64
ghlo_node_load (GhloElementType type,
                gconstpointer   place)
{
  guint8 byte;
  guint16 half;
  guint32 word;
  guint64 bits;

  switch (ghlo_element_info (type)->size)
    {
    case 1:
      memcpy (&byte, place, sizeof byte);
      bits = byte;
      break;
    case 2:
      memcpy (&half, place, sizeof half);
      bits = half;
      break;
    case 4:
      memcpy (&word, place, sizeof word);
      bits = word;
      break;
    default:
      memcpy (&bits, place, sizeof bits);
      break;
    }

  return ghlo_node_cut (type, bits);
}

void
ghlo_node_store (GhloElementType type,
                 gpointer        place,
                 guint64         bits)
{
  const guint8 byte = (guint8) bits;
  const guint16 half = (guint16) bits;
  const guint32 word = (guint32) bits;

  switch (ghlo_element_info (type)->size)
    {
    case 1:
      memcpy (place, &byte, sizeof byte);
      break;
    case 2:
      memcpy (place, &half, sizeof half);
      break;
    case 4:
      memcpy (place, &word, sizeof word);
      break;
    default:
      memcpy (place, &bits, sizeof bits);
      break;
    }
}
