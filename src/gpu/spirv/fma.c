/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FMAs that are rounded once, composed of separately rounded operations, for devices whose own FMAs are rounded
 * twice.
 *
 * For f32 this is a product and a sum in f64, rounded to odd. For f64 it is a function of the module that computes with
 * significands: their product becomes an exact sum of two numbers (Dekker), and so does its sum with the third operand
 * (Knuth); the sum of the remainders is rounded to odd. That leaves a single rounding, which is done on integers if the
 * result is subnormal.
 */

#include "gpu/spirv/emit-private.h"

#define F64 GHLO_ELEMENT_TYPE_F64

/* Of f64; exponents are biased. */
enum { FRACTION_BITS = 52, BIAS = 1023, EXPONENT_MASK = 0x7ff };

static const guint64 exponent_bits = G_GUINT64_CONSTANT (0x7ff) << FRACTION_BITS, sign_bit = (guint64) 1 << 63;

static Id
real (Spirv  *self,
      double  value)
{
  return ghlo_spirv_real (self, F64, value);
}

static Id
exact (Spirv *self,
       SpvOp  op,
       Id     a,
       Id     b)
{
  Id type = ghlo_spirv_type (self, F64);

  return ghlo_spirv_exact (self, CODE (op, type, a, b));
}

static Id
integer (Spirv *self,
         SpvOp  op,
         Id     a,
         Id     b)
{
  return CODE (op, self->u64, a, b);
}

/* The same with a constant. */
static Id
integer_with (Spirv   *self,
              SpvOp    op,
              Id       a,
              guint64  b)
{
  Id number = ghlo_spirv_u64 (self, b);

  return integer (self, op, a, number);
}

static Id
test (Spirv *self,
      SpvOp  op,
      Id     a,
      Id     b)
{
  return CODE (op, self->boolean, a, b);
}

static Id
choose (Spirv   *self,
        Id       condition,
        guint64  if_true,
        guint64  if_false)
{
  Id a = ghlo_spirv_u64 (self, if_true), b = ghlo_spirv_u64 (self, if_false);

  return ghlo_spirv_select (self, self->u64, condition, a, b);
}

static Id
bits_of (Spirv *self,
         Id     value)
{
  return CODE (SpvOpBitcast, self->u64, value);
}

static Id
of_bits (Spirv *self,
         Id     bits)
{
  Id type = ghlo_spirv_type (self, F64);

  return CODE (SpvOpBitcast, type, bits);
}

/* Returns the rounding error of @sum = @a + @b (Knuth's two-sum). */
static Id
rounded_off (Spirv *self,
             Id     sum,
             Id     a,
             Id     b)
{
  Id from_b = exact (self, SpvOpFSub, sum, a), from_a = exact (self, SpvOpFSub, sum, from_b);
  Id rest_a = exact (self, SpvOpFSub, a, from_a), rest_b = exact (self, SpvOpFSub, b, from_b);

  return exact (self, SpvOpFAdd, rest_a, rest_b);
}

/* Whether two numbers other than 0 have the same sign. */
static Id
have_one_sign (Spirv *self,
               Id     a,
               Id     b)
{
  Id zero = real (self, 0), is_a = test (self, SpvOpFOrdGreaterThan, a, zero);

  return test (self, SpvOpLogicalEqual, is_a, test (self, SpvOpFOrdGreaterThan, b, zero));
}

/* Returns @sum + @rest rounded to odd, i.e. with the last bit set if it is inexact, so that rounding it further to
 * fewer bits yields a single rounding (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved
 * algorithms using rounding to odd"). */
static Id
round_to_odd (Spirv *self,
              Id     sum,
              Id     rest)
{
  Id bits = bits_of (self, sum), last = integer_with (self, SpvOpBitwiseAnd, bits, 1), moves, moved;

  moves = test (self, SpvOpIEqual, last, ghlo_spirv_u64 (self, 0));
  moves = test (self, SpvOpLogicalAnd, moves, test (self, SpvOpFOrdNotEqual, rest, real (self, 0)));
  moved = choose (self, have_one_sign (self, rest, sum), 1, G_MAXUINT64);
  moved = of_bits (self, integer (self, SpvOpIAdd, bits, moved));

  return ghlo_spirv_select (self, ghlo_spirv_type (self, F64), moves, moved, sum);
}

/* The parts of a number: its signed significand, with a magnitude in [1, 2), and its exponent, normalized for subnormal
 * numbers too. */
typedef struct
{
  Id significand, exponent, is_finite, is_zero;
} Parts;

static Id
exponent_of (Spirv *self,
             Id     bits)
{
  return integer_with (self, SpvOpBitwiseAnd, integer_with (self, SpvOpShiftRightLogical, bits, FRACTION_BITS),
                       EXPONENT_MASK);
}

static Parts
decompose (Spirv *self,
           Id     value)
{
  Id bits = bits_of (self, value), exponent = exponent_of (self, bits), larger, is_small;
  Parts parts;

  parts.is_finite = test (self, SpvOpINotEqual, exponent, ghlo_spirv_u64 (self, EXPONENT_MASK));
  parts.is_zero = test (self, SpvOpFOrdEqual, value, real (self, 0));
  is_small = test (self, SpvOpIEqual, exponent, ghlo_spirv_u64 (self, 0));
  larger = bits_of (self, exact (self, SpvOpFMul, value, real (self, 0x1p64)));
  bits = ghlo_spirv_select (self, self->u64, is_small, larger, bits);
  parts.exponent = integer (self, SpvOpISub, exponent_of (self, bits), choose (self, is_small, 64, 0));
  bits = integer_with (self, SpvOpBitwiseAnd, bits, ~exponent_bits);
  parts.significand = of_bits (self, integer_with (self, SpvOpBitwiseOr, bits, (guint64) BIAS << FRACTION_BITS));

  return parts;
}

/* Returns the upper half of a significand's bits, rounded to nearest. Products of halves are exact. */
static Id
upper_half (Spirv *self,
            Id     value)
{
  const guint64 unit = (guint64) 1 << 27;
  Id bits = integer_with (self, SpvOpIAdd, bits_of (self, value), unit / 2);

  return of_bits (self, integer_with (self, SpvOpBitwiseAnd, bits, ~(unit - 1)));
}

/* Returns the rounding error of @product = @a × @b (Dekker). */
static Id
rounded_off_product (Spirv *self,
                     Id     product,
                     Id     a,
                     Id     b)
{
  Id a_high = upper_half (self, a), a_low = exact (self, SpvOpFSub, a, a_high);
  Id b_high = upper_half (self, b), b_low = exact (self, SpvOpFSub, b, b_high);
  Id rest = exact (self, SpvOpFSub, product, exact (self, SpvOpFMul, a_high, b_high));

  rest = exact (self, SpvOpFSub, rest, exact (self, SpvOpFMul, a_low, b_high));
  rest = exact (self, SpvOpFSub, rest, exact (self, SpvOpFMul, a_high, b_low));

  return exact (self, SpvOpFSub, exact (self, SpvOpFMul, a_low, b_low), rest);
}

/* Returns the bits, without the sign, of the subnormal number nearest to @value × 2^(scale - BIAS), where @exponent, at
 * most 0, is the biased exponent of that product. @rest is the rounding error of @value. */
static Id
round_subnormal (Spirv *self,
                 Id     value,
                 Id     rest,
                 Id     exponent)
{
  Id zero = ghlo_spirv_u64 (self, 0), one = ghlo_spirv_u64 (self, 1), most = ghlo_spirv_u64 (self, 63);
  Id n, bits, half, more;

  /* More bits are shifted out than in here, so the sign of the rest is all that matters of it. If a shift would be too
   * wide, all bits together are less than half of the least number. */
  bits = integer_with (self, SpvOpBitwiseAnd, bits_of (self, value), ((guint64) 1 << FRACTION_BITS) - 1);
  bits = integer_with (self, SpvOpBitwiseOr, bits, (guint64) 1 << FRACTION_BITS);
  bits = integer_with (self, SpvOpShiftLeftLogical, bits, 9);
  more = choose (self, have_one_sign (self, rest, value), 1, G_MAXUINT64);
  more = ghlo_spirv_select (self, self->u64, test (self, SpvOpFOrdEqual, rest, real (self, 0)), zero, more);
  bits = integer (self, SpvOpIAdd, bits, more);
  n = integer (self, SpvOpISub, ghlo_spirv_u64 (self, 10), exponent);
  n = ghlo_spirv_select (self, self->u64, test (self, SpvOpSLessThan, n, most), n, most);
  n = ghlo_spirv_select (self, self->u64, test (self, SpvOpSGreaterThan, n, one), n, one);
  half = integer (self, SpvOpShiftLeftLogical, one, integer_with (self, SpvOpISub, n, 1));
  more = integer_with (self, SpvOpBitwiseAnd, integer (self, SpvOpShiftRightLogical, bits, n), 1);
  bits = integer (self, SpvOpIAdd, bits, integer (self, SpvOpIAdd, more, integer_with (self, SpvOpISub, half, 1)));

  return integer (self, SpvOpShiftRightLogical, bits, n);
}

/* Returns the number nearest to (@value + @rest) × 2^(@scale - BIAS), where @rest is the rounding error of @value. */
static Id
put_together (Spirv *self,
              Id     value,
              Id     rest,
              Id     scale)
{
  Id bits = bits_of (self, value), zero = ghlo_spirv_u64 (self, 0), exponent, sign, small, large, result, raised;

  raised = integer_with (self, SpvOpISub, scale, BIAS);
  exponent = integer (self, SpvOpIAdd, exponent_of (self, bits), raised);
  sign = integer_with (self, SpvOpBitwiseAnd, bits, sign_bit);
  small = integer (self, SpvOpBitwiseOr, sign, round_subnormal (self, value, rest, exponent));
  large = integer_with (self, SpvOpBitwiseOr, sign, exponent_bits);
  result = integer (self, SpvOpIAdd, bits, integer_with (self, SpvOpShiftLeftLogical, raised, FRACTION_BITS));
  result = ghlo_spirv_select (self, self->u64,
                              test (self, SpvOpSLessThan, exponent, ghlo_spirv_u64 (self, EXPONENT_MASK)), result,
                              large);
  result = ghlo_spirv_select (self, self->u64, test (self, SpvOpSGreaterThan, exponent, zero), result, small);
  result = ghlo_spirv_select (self, self->u64, test (self, SpvOpFOrdEqual, value, real (self, 0)), zero, result);

  return of_bits (self, result);
}

/* Computes a finite sum whose product is not 0. The product has scale 1, and the addend is scaled relative to it. If
 * they differ so much that only the sign of the smaller one matters, its scale is clamped. */
static Id
emit_finite (Spirv       *self,
             const Parts *parts)
{
  enum { LARGE = 60, SMALL = -120, NONE = -4096 };
  const Id f64 = ghlo_spirv_type (self, F64), a = parts[0].significand, b = parts[1].significand;
  Id below = ghlo_spirv_u64 (self, (guint64) (gint64) NONE), least = ghlo_spirv_u64 (self, (guint64) (gint64) SMALL);
  Id most = ghlo_spirv_u64 (self, LARGE), exponent, relative, scale, product, addend, sum, of_sum, of_product, rest;
  Id result;

  scale = integer_with (self, SpvOpISub, integer (self, SpvOpIAdd, parts[0].exponent, parts[1].exponent), BIAS);
  exponent = ghlo_spirv_select (self, self->u64, parts[2].is_zero, below, parts[2].exponent);
  relative = integer (self, SpvOpISub, exponent, scale);
  scale = ghlo_spirv_select (self, self->u64, test (self, SpvOpSGreaterThan, relative, most),
                             integer_with (self, SpvOpISub, exponent, LARGE), scale);
  relative = ghlo_spirv_select (self, self->u64, test (self, SpvOpSLessThan, relative, most), relative, most);
  relative = ghlo_spirv_select (self, self->u64, test (self, SpvOpSGreaterThan, relative, least), relative, least);
  relative = integer_with (self, SpvOpShiftLeftLogical, integer_with (self, SpvOpIAdd, relative, BIAS), FRACTION_BITS);
  addend = exact (self, SpvOpFMul, parts[2].significand, of_bits (self, relative));
  addend = ghlo_spirv_select (self, f64, parts[2].is_zero, real (self, 0), addend);
  product = exact (self, SpvOpFMul, a, b);
  sum = exact (self, SpvOpFAdd, product, addend);
  of_sum = rounded_off (self, sum, product, addend);
  of_product = rounded_off_product (self, product, a, b);
  rest = exact (self, SpvOpFAdd, of_sum, of_product);
  rest = round_to_odd (self, rest, rounded_off (self, rest, of_sum, of_product));
  result = exact (self, SpvOpFAdd, sum, rest);

  return put_together (self, result, exact (self, SpvOpFSub, rest, exact (self, SpvOpFSub, result, sum)), scale);
}

/* Emits the body of the function on three f64. */
static Id
emit_wide (Spirv    *self,
           const Id *operands)
{
  const Id f64 = ghlo_spirv_type (self, F64);
  Id factors, all, is_plain, product, plain, infinite;
  Parts parts[3];

  for (guint i = 0; i < 3; i++)
    parts[i] = decompose (self, operands[i]);
  factors = test (self, SpvOpLogicalAnd, parts[0].is_finite, parts[1].is_finite);
  all = test (self, SpvOpLogicalAnd, factors, parts[2].is_finite);
  is_plain = test (self, SpvOpLogicalOr, parts[0].is_zero, parts[1].is_zero);
  is_plain = test (self, SpvOpLogicalOr, is_plain, CODE (SpvOpLogicalNot, self->boolean, all));
  product = exact (self, SpvOpFMul, operands[0], operands[1]);
  plain = exact (self, SpvOpFAdd, product, operands[2]);
  /* The product of finite numbers counts as less than an infinity, even where it overflows. */
  infinite = test (self, SpvOpLogicalAnd, factors, CODE (SpvOpLogicalNot, self->boolean, parts[2].is_finite));
  plain = ghlo_spirv_select (self, f64, infinite, operands[2], plain);

  return ghlo_spirv_select (self, f64, is_plain, plain, emit_finite (self, parts));
}

static void
make_function (Spirv *self)
{
  const Id f64 = ghlo_spirv_type (self, F64);
  Id type = ghlo_spirv_unique (self->builder, SpvOpTypeFunction, 0, GHLO_SPIRV_WORDS (f64, f64, f64, f64));
  Id label = ghlo_spirv_new_id (self->builder), operands[3], result;

  ghlo_spirv_builder_toggle_section (self->builder);
  self->wide_fma = CODE (SpvOpFunction, f64, SpvFunctionControlMaskNone, type);
  for (guint i = 0; i < 3; i++)
    operands[i] = ghlo_spirv_code (self->builder, SpvOpFunctionParameter, f64, NULL, 0);
  STATEMENT (SpvOpLabel, label);
  result = emit_wide (self, operands);
  STATEMENT (SpvOpReturnValue, result);
  ghlo_spirv_add (self->builder, GHLO_SPIRV_CODE, SpvOpFunctionEnd, NULL, 0);
  ghlo_spirv_builder_toggle_section (self->builder);
}

static Id
emit_narrow (Spirv    *self,
             const Id *operands)
{
  const Id f32 = ghlo_spirv_type (self, GHLO_ELEMENT_TYPE_F32), f64 = ghlo_spirv_type (self, F64);
  Id wide[3], product, sum;

  for (guint i = 0; i < 3; i++)
    wide[i] = CODE (SpvOpFConvert, f64, operands[i]);
  product = exact (self, SpvOpFMul, wide[0], wide[1]);
  sum = exact (self, SpvOpFAdd, product, wide[2]);
  sum = round_to_odd (self, sum, rounded_off (self, sum, product, wide[2]));

  return CODE (SpvOpFConvert, f32, sum);
}

Id
ghlo_spirv_fma (Spirv           *self,
                GhloElementType  element_type,
                const Id        *operands)
{
  const Id type = ghlo_spirv_type (self, element_type);

  if (self->floats.fuses[element_type == F64])
    return ghlo_spirv_exact (self, GLSL (Fma, type, operands[0], operands[1], operands[2]));
  if (element_type != F64)
    return emit_narrow (self, operands);
  if (self->wide_fma == 0)
    make_function (self);

  return CODE (SpvOpFunctionCall, type, self->wide_fma, operands[0], operands[1], operands[2]);
}
