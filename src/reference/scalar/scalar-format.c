/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operations on the representation of numbers: conversions between element types,
 * rounding to fewer bits, and the next representable value. Every conversion rounds
 * once, to nearest even. Conversion of floats to integers saturates; NaN becomes
 * zero.
 */

#include "base/bits.h"
#include "reference/scalar/scalar.h"

#include <math.h>

enum { DOUBLE_DIGITS = 53 };

static inline GhloScalar
rounded (const GhloRefScalarOp *op,
         double                 value)
{
  GhloScalar scalar = { .f = value };

  if (op->result_type == GHLO_ELEMENT_TYPE_F64)
    return scalar;
  if (op->result_type == GHLO_ELEMENT_TYPE_F32)
    return (GhloScalar) { .f = (float) value };

  return ghlo_element_round (op->result_type, scalar);
}

static inline GhloScalar
rounded_complex (const GhloRefScalarOp *op,
                 double                 re,
                 double                 im)
{
  if (op->result_type == GHLO_ELEMENT_TYPE_COMPLEX_F32)
    return (GhloScalar) { .c = { ghlo_ref_round_f32 (re), ghlo_ref_round_f32 (im) } };

  return (GhloScalar) { .c = { re, im } };
}

/* Converts an integer of up to 64 bits to a double, for formats with at most 51 bits. Bits that the double
 * cannot hold are kept as one sticky bit (rounding to odd), so that the second rounding gives the same
 * result as a single one. */
static double
unsigned_to_odd (guint64 value)
{
  int excess = 64 - DOUBLE_DIGITS;
  guint64 rest;

  if (value < (guint64) 1 << DOUBLE_DIGITS)
    return (double) value;

  excess -= __builtin_clzll (value);
  rest = value & (((guint64) 1 << excess) - 1);

  return ldexp ((double) ((value >> excess) | (rest != 0)), excess);
}

static inline double
unsigned_to_real (const GhloRefScalarOp *op,
                  guint64                value)
{
  GhloElementType part = ghlo_element_type_real_part (op->result_type);

  return part == GHLO_ELEMENT_TYPE_F64 ? (double) value : unsigned_to_odd (value);
}

static inline double
signed_to_real (const GhloRefScalarOp *op,
                gint64                 value)
{
  return value < 0 ? -unsigned_to_real (op, -(guint64) value) : unsigned_to_real (op, (guint64) value);
}

static inline GhloScalar
wrapped (const GhloRefScalarOp *op,
         guint64                value)
{
  const GhloElementInfo *info = ghlo_element_info (op->result_type);
  guint unused = 64 - info->bits;

  if (info->element_class == GHLO_ELEMENT_CLASS_SIGNED)
    return (GhloScalar) { .i = (gint64) (value << unused) >> unused };

  return (GhloScalar) { .u = value << unused >> unused };
}

static GhloScalar
saturated (const GhloRefScalarOp *op,
           double                 value)
{
  const GhloElementInfo *info = ghlo_element_info (op->result_type);
  gboolean is_signed = info->element_class == GHLO_ELEMENT_CLASS_SIGNED;
  guint value_bits = info->bits - is_signed;
  double limit = ldexp (1.0, value_bits);

  if (isnan (value))
    return (GhloScalar) { .i = 0 };
  if (value >= limit)
    return (GhloScalar) { .u = G_MAXUINT64 >> (64 - value_bits) };
  if (!is_signed)
    return (GhloScalar) { .u = value <= 0 ? 0 : (guint64) value };
  if (value <= -limit)
    return (GhloScalar) { .i = -(gint64) (G_MAXUINT64 >> (64 - value_bits)) - 1 };

  return (GhloScalar) { .i = (gint64) value };
}

/* Conversions from booleans and integers. */
#define FROM_INTEGER(from, member, to_real) \
  static GhloScalar \
  from##_to_boolean (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    return ghlo_ref_scalar_bool (operands[0].member != 0); \
  } \
  static GhloScalar \
  from##_to_integer (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    return wrapped (op, (guint64) operands[0].member); \
  } \
  static GhloScalar \
  from##_to_float (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    return rounded (op, to_real (op, operands[0].member)); \
  } \
  static GhloScalar \
  from##_to_complex (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    return rounded_complex (op, to_real (op, operands[0].member), 0.0); \
  }

/* Conversions from floats and complex numbers. Only complex results take the imaginary part. */
#define FROM_REAL(from, re, im) \
  static GhloScalar \
  from##_to_boolean (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    return ghlo_ref_scalar_bool (re != 0); \
  } \
  static GhloScalar \
  from##_to_integer (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    return saturated (op, re); \
  } \
  static GhloScalar \
  from##_to_float (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    return rounded (op, re); \
  } \
  static GhloScalar \
  from##_to_complex (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    return rounded_complex (op, re, im); \
  }

FROM_INTEGER (signed, i, signed_to_real)
FROM_INTEGER (unsigned, u, unsigned_to_real)
FROM_REAL (float, operands[0].f, 0.0)
FROM_REAL (complex, operands[0].c.re, operands[0].c.im)

#define CONVERSIONS(from) \
  { \
    [GHLO_ELEMENT_CLASS_BOOLEAN] = from##_to_boolean, \
    [GHLO_ELEMENT_CLASS_SIGNED] = from##_to_integer, \
    [GHLO_ELEMENT_CLASS_UNSIGNED] = from##_to_integer, \
    [GHLO_ELEMENT_CLASS_FLOAT] = from##_to_float, \
    [GHLO_ELEMENT_CLASS_COMPLEX] = from##_to_complex, \
  }

GhloRefScalarFunc
ghlo_ref_convert_func (GhloElementType from,
                       GhloElementType to)
{
  enum { N_CLASSES = GHLO_ELEMENT_CLASS_COMPLEX + 1 };
  static const GhloRefScalarFunc conversions[N_CLASSES][N_CLASSES] = {
    [GHLO_ELEMENT_CLASS_BOOLEAN] = CONVERSIONS (unsigned),
    [GHLO_ELEMENT_CLASS_SIGNED] = CONVERSIONS (signed),
    [GHLO_ELEMENT_CLASS_UNSIGNED] = CONVERSIONS (unsigned),
    [GHLO_ELEMENT_CLASS_FLOAT] = CONVERSIONS (float),
    [GHLO_ELEMENT_CLASS_COMPLEX] = CONVERSIONS (complex),
  };

  return conversions[ghlo_element_info (from)->element_class][ghlo_element_info (to)->element_class];
}

/* Rounds the mantissa within the bits of the format. A carry increments the exponent, and subnormals round
 * the same way. */
static guint64
round_mantissa (const GhloElementInfo *info,
                guint64                magnitude,
                gint64                 mantissa_bits)
{
  guint dropped;
  guint64 half, rest;

  if (mantissa_bits >= info->mantissa_bits)
    return magnitude;

  dropped = info->mantissa_bits - (guint) MAX (mantissa_bits, 0);
  half = (guint64) 1 << (dropped - 1);
  rest = magnitude & ghlo_low_bits (dropped);
  magnitude >>= dropped;
  magnitude += rest > half || (rest == half && (magnitude & 1));

  return magnitude << dropped;
}

GhloScalar
ghlo_ref_reduce_precision (const GhloRefScalarOp *op,
                           const GhloScalar      *operands)
{
  const GhloElementInfo *info = ghlo_element_info (op->operand_type);
  gint64 exponent_bits = op->reduce_precision.exponent_bits, mantissa_bits = op->reduce_precision.mantissa_bits;
  double x = operands[0].f;
  guint64 sign_bit = (guint64) 1 << (info->bits - 1);
  guint64 bits, sign, magnitude, exponent;

  if (isnan (x))
    return rounded (op, mantissa_bits > 0 ? x : INFINITY);
  if (info->specials == GHLO_FLOAT_E8M0)
    sign_bit = 0;

  bits = ghlo_float_to_bits (op->operand_type, x);
  sign = bits & sign_bit;
  magnitude = round_mantissa (info, bits ^ sign, mantissa_bits);

  if (isfinite (x) && exponent_bits < info->exponent_bits)
    {
      /* The biased exponent of 1 is the format's bias. The exponents of the reduced format reach as far as
       * its own bias on either side of it. Its subnormals become zero. */
      guint64 one = ghlo_low_bits (info->exponent_bits - 1);
      guint64 room = ghlo_low_bits ((guint) MAX (exponent_bits, 1) - 1);

      exponent = magnitude >> info->mantissa_bits;
      if (exponent > one + room)
        return rounded (op, sign ? -INFINITY : INFINITY);
      if (exponent <= one - room)
        return rounded (op, sign ? -0.0 : 0.0);
    }

  return (GhloScalar) { .f = ghlo_float_from_bits (op->operand_type, sign | magnitude) };
}

GhloScalar
ghlo_ref_next_after (const GhloRefScalarOp *op,
                     const GhloScalar      *operands)
{
  const GhloElementInfo *info = ghlo_element_info (op->operand_type);
  double x = operands[0].f, y = operands[1].f;
  guint64 sign_bit = (guint64) 1 << (info->bits - 1);
  guint64 bits, sign;

  if (isnan (x) || isnan (y))
    return rounded (op, NAN);
  if (x == y)
    return operands[1];

  if (info->specials == GHLO_FLOAT_E8M0)
    sign_bit = 0;

  bits = ghlo_float_to_bits (op->operand_type, x);
  if (x == 0)
    bits = (ghlo_float_to_bits (op->operand_type, y) & sign_bit) | 1;
  else
    bits += (x < 0) == (y < x) ? 1 : -1;

  /* A format without a negative zero uses the bits of -0 for NaN. */
  sign = bits & sign_bit;
  if (bits == sign && info->specials == GHLO_FLOAT_FNUZ)
    return (GhloScalar) { .f = 0.0 };

  return (GhloScalar) { .f = ghlo_float_from_bits (op->operand_type, bits) };
}
