/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arithmetic of booleans and of signed and unsigned integers, in 64 bits, wrapped
 * to the width of the type. Cases that the specification leaves open follow XLA: a
 * quotient by zero has all bits set, a remainder by zero is the dividend, and the
 * smallest integer divided by -1 is itself.
 */

#include "reference/scalar/scalar.h"

static inline guint
width_of (const GhloRefScalarOp *op)
{
  return ghlo_element_info (op->operand_type)->bits;
}

static inline GhloScalar
signed_result (const GhloRefScalarOp *op,
               guint64                value)
{
  guint unused = 64 - width_of (op);

  return (GhloScalar) { .i = (gint64) (value << unused) >> unused };
}

static inline GhloScalar
unsigned_result (const GhloRefScalarOp *op,
                 guint64                value)
{
  guint unused = 64 - width_of (op);

  return (GhloScalar) { .u = value << unused >> unused };
}

/* The bits of a signed or unsigned value, zero-extended. */
static inline guint64
bits_of (const GhloRefScalarOp *op,
         guint64                value)
{
  return unsigned_result (op, value).u;
}

#define INTEGER(name, type, member, result, expression) \
  static GhloScalar \
  name (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    const type x = operands[0].member; \
    return result (op, expression); \
  }

#define INTEGER_2(name, type, member, result, expression) \
  static GhloScalar \
  name (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    const type x = operands[0].member, y = operands[1].member; \
    return result (op, expression); \
  }

/* Operations that give the same bits for signed and unsigned operands. */
#define MODULAR(name, expression) \
  INTEGER (name##_signed, guint64, u, signed_result, expression) \
  INTEGER (name##_unsigned, guint64, u, unsigned_result, expression)
#define MODULAR_2(name, expression) \
  INTEGER_2 (name##_signed, guint64, u, signed_result, expression) \
  INTEGER_2 (name##_unsigned, guint64, u, unsigned_result, expression)
/* Operations with the same expression for signed and unsigned numbers. */
#define ORDERED_2(name, expression) \
  INTEGER_2 (name##_signed, gint64, i, signed_result, expression) \
  INTEGER_2 (name##_unsigned, guint64, u, unsigned_result, expression)

static inline gint64
divide_signed_64 (gint64 x,
                  gint64 y)
{
  if (y == 0)
    return -1;

  /* x / y would trap for the smallest integer. */
  return y == -1 ? (gint64) -(guint64) x : x / y;
}

static inline gint64
remainder_signed_64 (gint64 x,
                     gint64 y)
{
  if (y == 0)
    return x;

  return y == -1 ? 0 : x % y;
}

static guint64
power_64 (guint64 base,
          guint64 exponent)
{
  guint64 result = 1;

  for (; exponent != 0; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;

  return result;
}

/* A negative power of an integer is a fraction, which truncates to zero unless the base is 1 or -1. */
static guint64
power_signed_64 (gint64 base,
                 gint64 exponent)
{
  if (exponent >= 0)
    return power_64 ((guint64) base, (guint64) exponent);
  if (base == 1)
    return 1;
  if (base == -1)
    return exponent & 1 ? -(guint64) 1 : 1;

  return 0;
}

static inline guint64
high_half_signed (const GhloRefScalarOp *op,
                  gint64                 x,
                  gint64                 y)
{
  return (guint64) (((__int128) x * y) >> width_of (op));
}

static inline guint64
high_half_unsigned (const GhloRefScalarOp *op,
                    guint64                x,
                    guint64                y)
{
  return (guint64) (((unsigned __int128) x * y) >> width_of (op));
}

static inline guint64
shift_left_64 (const GhloRefScalarOp *op,
               guint64                x,
               guint64                y)
{
  guint64 shift = bits_of (op, y);

  return shift >= width_of (op) ? 0 : x << shift;
}

static inline guint64
shift_right_64 (const GhloRefScalarOp *op,
                guint64                x,
                guint64                y)
{
  guint64 shift = bits_of (op, y);

  return shift >= width_of (op) ? 0 : bits_of (op, x) >> shift;
}

static inline guint64
shift_right_arithmetic_64 (const GhloRefScalarOp *op,
                           guint64                x,
                           guint64                y)
{
  guint64 shift = MIN (bits_of (op, y), width_of (op) - 1);

  return (guint64) (signed_result (op, x).i >> shift);
}

static inline guint64
leading_zeros_64 (const GhloRefScalarOp *op,
                  guint64                x)
{
  guint64 bits = bits_of (op, x);

  return bits == 0 ? width_of (op) : width_of (op) - (64 - __builtin_clzll (bits));
}

MODULAR_2 (add, x + y)
MODULAR_2 (subtract, x - y)
MODULAR_2 (multiply, x * y)
MODULAR_2 (and, x & y)
MODULAR_2 (or, x | y)
MODULAR_2 (xor, x ^ y)
MODULAR_2 (shift_left, shift_left_64 (op, x, y))
MODULAR_2 (shift_right_logical, shift_right_64 (op, x, y))
MODULAR_2 (shift_right_arithmetic, shift_right_arithmetic_64 (op, x, y))
MODULAR (negate, -x)
MODULAR (not, ~x)
MODULAR (popcnt, __builtin_popcountll (bits_of (op, x)))
MODULAR (count_leading_zeros, leading_zeros_64 (op, x))
ORDERED_2 (maximum, x > y ? x : y)
ORDERED_2 (minimum, x < y ? x : y)
INTEGER_2 (divide_signed, gint64, i, signed_result, divide_signed_64 (x, y))
INTEGER_2 (divide_unsigned, guint64, u, unsigned_result, y == 0 ? G_MAXUINT64 : x / y)
INTEGER_2 (remainder_signed, gint64, i, signed_result, remainder_signed_64 (x, y))
INTEGER_2 (remainder_unsigned, guint64, u, unsigned_result, y == 0 ? x : x % y)
INTEGER_2 (power_signed, gint64, i, signed_result, power_signed_64 (x, y))
INTEGER_2 (power_unsigned, guint64, u, unsigned_result, power_64 (x, y))
INTEGER_2 (mulhi_signed, gint64, i, signed_result, high_half_signed (op, x, y))
INTEGER_2 (mulhi_unsigned, guint64, u, unsigned_result, high_half_unsigned (op, x, y))
INTEGER (abs_signed, gint64, i, signed_result, x < 0 ? -(guint64) x : (guint64) x)
INTEGER (sign_signed, gint64, i, signed_result, (x > 0) - (x < 0))

static GhloScalar
compare_signed (const GhloRefScalarOp *op,
                const GhloScalar      *operands)
{
  const gint64 x = operands[0].i, y = operands[1].i;

  return ghlo_ref_compare_result (op->compare.direction, x < y, x == y, x > y);
}

static GhloScalar
compare_unsigned (const GhloRefScalarOp *op,
                  const GhloScalar      *operands)
{
  const guint64 x = operands[0].u, y = operands[1].u;

  return ghlo_ref_compare_result (op->compare.direction, x < y, x == y, x > y);
}

static GhloScalar
clamp_signed (const GhloRefScalarOp *op,
              const GhloScalar      *operands)
{
  return (GhloScalar) { .i = MIN (MAX (operands[1].i, operands[0].i), operands[2].i) };
}

static GhloScalar
clamp_unsigned (const GhloRefScalarOp *op,
                const GhloScalar      *operands)
{
  return (GhloScalar) { .u = MIN (MAX (operands[1].u, operands[0].u), operands[2].u) };
}

static GhloScalar
boolean_and (const GhloRefScalarOp *op,
             const GhloScalar      *operands)
{
  return (GhloScalar) { .i = operands[0].i & operands[1].i };
}

static GhloScalar
boolean_or (const GhloRefScalarOp *op,
            const GhloScalar      *operands)
{
  return (GhloScalar) { .i = operands[0].i | operands[1].i };
}

static GhloScalar
boolean_xor (const GhloRefScalarOp *op,
             const GhloScalar      *operands)
{
  return (GhloScalar) { .i = operands[0].i ^ operands[1].i };
}

static GhloScalar
boolean_not (const GhloRefScalarOp *op,
             const GhloScalar      *operands)
{
  return (GhloScalar) { .i = !operands[0].i };
}

typedef struct
{
  GhloRefScalarFunc on_boolean;
  GhloRefScalarFunc on_signed;
  GhloRefScalarFunc on_unsigned;
} IntegerRow;

#define ROW(ID, name) [GHLO_SCALAR_##ID] = { NULL, name##_signed, name##_unsigned }
#define ROW_OF_SIGNED(ID, name) [GHLO_SCALAR_##ID] = { NULL, name##_signed, NULL }
#define ROW_WITH_BOOLEAN(ID, boolean, name) [GHLO_SCALAR_##ID] = { boolean, name##_signed, name##_unsigned }

static const IntegerRow rows[GHLO_N_SCALARS] = {
  ROW (ADD, add),
  ROW (COUNT_LEADING_ZEROS, count_leading_zeros),
  ROW (DIVIDE, divide),
  ROW (MAXIMUM, maximum),
  ROW (MINIMUM, minimum),
  ROW (MULTIPLY, multiply),
  ROW (NEGATE, negate),
  ROW (POPCNT, popcnt),
  ROW (POWER, power),
  ROW (REMAINDER, remainder),
  ROW (SHIFT_LEFT, shift_left),
  ROW (SHIFT_RIGHT_ARITHMETIC, shift_right_arithmetic),
  ROW (SHIFT_RIGHT_LOGICAL, shift_right_logical),
  ROW (SUBTRACT, subtract),
  ROW (MULHI, mulhi),
  ROW_OF_SIGNED (ABS, abs),
  ROW_OF_SIGNED (SIGN, sign),
  ROW_WITH_BOOLEAN (AND, boolean_and, and),
  ROW_WITH_BOOLEAN (CLAMP, clamp_signed, clamp),
  ROW_WITH_BOOLEAN (COMPARE, compare_signed, compare),
  ROW_WITH_BOOLEAN (NOT, boolean_not, not),
  ROW_WITH_BOOLEAN (OR, boolean_or, or),
  ROW_WITH_BOOLEAN (XOR, boolean_xor, xor),
};

GhloRefScalarFunc
ghlo_ref_integer_func (GhloScalarKind   kind,
                       GhloElementClass element_class)
{
  const IntegerRow *row = &rows[kind];

  switch (element_class)
    {
    case GHLO_ELEMENT_CLASS_BOOLEAN:
      return row->on_boolean;
    case GHLO_ELEMENT_CLASS_SIGNED:
      return row->on_signed;
    case GHLO_ELEMENT_CLASS_UNSIGNED:
      return row->on_unsigned;
    default:
      return NULL;
    }
}
