/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nodes on floats, and conversions. Signs are handled as bits, so that the signs of zeros and NaNs are correct whatever
 * the device's own instructions do.
 */

#include "gpu/spirv/emit-private.h"

#include <math.h>

static Id
bits_of (Spirv           *self,
         GhloElementType  type,
         Id               value)
{
  return CODE (SpvOpBitcast, ghlo_spirv_integer_type (self, ghlo_element_info (type)->bits), value);
}

/* Returns @value with its bits combined with @mask by @op. */
static Id
change_bits (Spirv           *self,
             SpvOp            op,
             GhloElementType  type,
             Id               value,
             guint64          mask)
{
  const guint n_bits = ghlo_element_info (type)->bits;
  Id bits = CODE (op, ghlo_spirv_integer_type (self, n_bits), bits_of (self, type, value),
                  ghlo_spirv_integer (self, n_bits, mask));

  return CODE (SpvOpBitcast, ghlo_spirv_type (self, type), bits);
}

static guint64
sign_bit (GhloElementType type)
{
  return (guint64) 1 << (ghlo_element_info (type)->bits - 1);
}

/* Returns NaN if an operand is NaN, and orders -0 before +0: other than zeros, numbers that compare equal have equal
 * bits. */
static Id
emit_extreme (Spirv           *self,
              GhloElementType  type,
              gboolean         is_maximum,
              Id               a,
              Id               b)
{
  const Id float_type = ghlo_spirv_type (self, type);
  const Id integer = ghlo_spirv_integer_type (self, ghlo_element_info (type)->bits);
  Id is_equal = CODE (SpvOpFOrdEqual, self->boolean, a, b);
  Id is_less = CODE (is_maximum ? SpvOpFOrdGreaterThan : SpvOpFOrdLessThan, self->boolean, a, b);
  Id is_nan = CODE (SpvOpFUnordNotEqual, self->boolean, a, a);
  Id both = CODE (is_maximum ? SpvOpBitwiseAnd : SpvOpBitwiseOr, integer, bits_of (self, type, a),
                  bits_of (self, type, b));
  Id first = CODE (SpvOpLogicalOr, self->boolean, is_nan, is_less), result;

  result = ghlo_spirv_select (self, float_type, first, a, b);

  return ghlo_spirv_select (self, float_type, is_equal, CODE (SpvOpBitcast, float_type, both), result);
}

/* Returns the same integer, but hides its origin from compilers that fold constants inexactly. */
static Id
hide_bits (Spirv *self,
           guint  n_bits,
           Id     value)
{
  const Id integer = ghlo_spirv_integer_type (self, n_bits);

  if (self->floats.folds_exactly)
    return value;

  return CODE (SpvOpBitwiseXor, integer, value,
               n_bits < 64 ? CODE (SpvOpUConvert, integer, self->zero) : self->zero);
}

/* The same for a float. */
static Id
hide (Spirv           *self,
      GhloElementType  type,
      Id               value)
{
  if (self->floats.folds_exactly)
    return value;
  value = hide_bits (self, ghlo_element_info (type)->bits, bits_of (self, type, value));

  return CODE (SpvOpBitcast, ghlo_spirv_type (self, type), value);
}

/* Rounds to the nearest integer by adding and subtracting the smallest power of two from which on all floats are
 * integers, then corrects by one if the result is beyond @a. The sign is that of @a, even for zeros. */
static Id
compose_rounding (Spirv           *self,
                  GhloNodeKind     kind,
                  GhloElementType  element_type,
                  Id               a)
{
  const Id type = ghlo_spirv_type (self, element_type);
  const Id integer = ghlo_spirv_integer_type (self, ghlo_element_info (element_type)->bits);
  const Id limit = ghlo_spirv_real (self, element_type, element_type == GHLO_ELEMENT_TYPE_F64 ? 0x1p52 : 0x1p23);
  const gboolean is_ceil = kind == GHLO_NODE_CEIL, is_truncated = kind == GHLO_NODE_TRUNCATE;
  Id size = change_bits (self, SpvOpBitwiseAnd, element_type, a, ~sign_bit (element_type));
  Id sign = CODE (SpvOpBitwiseAnd, integer, bits_of (self, element_type, a),
                  ghlo_spirv_integer (self, ghlo_element_info (element_type)->bits, sign_bit (element_type)));
  Id result, next, is_beyond, has_fractions;

  result = ghlo_spirv_exact (self, CODE (SpvOpFAdd, type, hide (self, element_type, size), limit));
  result = ghlo_spirv_exact (self, CODE (SpvOpFSub, type, hide (self, element_type, result), limit));
  if (!is_truncated)
    result = CODE (SpvOpBitcast, type, CODE (SpvOpBitwiseOr, integer, bits_of (self, element_type, result), sign));
  if (kind != GHLO_NODE_ROUND_NEAREST_EVEN)
    {
      next = ghlo_spirv_real (self, element_type, is_ceil ? 1 : -1);
      next = ghlo_spirv_exact (self, CODE (SpvOpFAdd, type, result, next));
      is_beyond = CODE (is_ceil ? SpvOpFOrdLessThan : SpvOpFOrdGreaterThan, self->boolean, result,
                        is_truncated ? size : a);
      result = ghlo_spirv_select (self, type, is_beyond, next, result);
      result = CODE (SpvOpBitcast, type, CODE (SpvOpBitwiseOr, integer, bits_of (self, element_type, result), sign));
    }
  has_fractions = CODE (SpvOpFOrdLessThan, self->boolean, size, limit);

  return ghlo_spirv_select (self, type, has_fractions, result, a);
}

static Id
emit_rounding (Spirv           *self,
               GhloNodeKind     kind,
               GhloElementType  element_type,
               Id               a)
{
  const Id type = ghlo_spirv_type (self, element_type);

  if (!self->floats.rounds[element_type == GHLO_ELEMENT_TYPE_F64])
    return compose_rounding (self, kind, element_type, a);
  switch (kind)
    {
    case GHLO_NODE_FLOOR:
      return GLSL (Floor, type, a);
    case GHLO_NODE_CEIL:
      return GLSL (Ceil, type, a);
    case GHLO_NODE_TRUNCATE:
      return GLSL (Trunc, type, a);
    default:
      return GLSL (RoundEven, type, a);
    }
}

static Id
emit_exact (Spirv           *self,
            SpvOp            op,
            GhloElementType  type,
            Id               a,
            Id               b)
{
  return ghlo_spirv_exact (self, CODE (op, ghlo_spirv_type (self, type), a, b));
}

/* Moves @root to the adjacent number where that is nearer to the square root of @a, which must not be subnormal or
 * close to it. All products here are exact, and so is the remainder that the FMA computes. A square root is never
 * halfway between two numbers. */
static Id
choose_root (Spirv           *self,
             GhloElementType  type,
             Id               a,
             Id               root)
{
  const guint n_bits = ghlo_element_info (type)->bits;
  const Id float_type = ghlo_spirv_type (self, type), integer = ghlo_spirv_integer_type (self, n_bits);
  Id one = ghlo_spirv_integer (self, n_bits, 1), bits = bits_of (self, type, root);
  Id above = CODE (SpvOpBitcast, float_type, CODE (SpvOpIAdd, integer, bits, one));
  Id below = CODE (SpvOpBitcast, float_type, CODE (SpvOpISub, integer, bits, one));
  Id minus = change_bits (self, SpvOpBitwiseXor, type, root, sign_bit (type));
  Id rest = ghlo_spirv_fma (self, type, (const Id[]) { minus, root, a }), up, down;

  up = emit_exact (self, SpvOpFMul, type, root, emit_exact (self, SpvOpFSub, type, above, root));
  down = emit_exact (self, SpvOpFMul, type, root, emit_exact (self, SpvOpFSub, type, below, root));
  root = ghlo_spirv_select (self, float_type, CODE (SpvOpFOrdGreaterThan, self->boolean, rest, up), above, root);

  return ghlo_spirv_select (self, float_type, CODE (SpvOpFOrdLessThanEqual, self->boolean, rest, down), below, root);
}

/* Brings the device's root within one ULP by a Newton step, then corrects it. Small operands are first scaled up by an
 * even power of two. */
static Id
compose_root (Spirv           *self,
              GhloElementType  element_type,
              Id               a)
{
  const gboolean is_f64 = element_type == GHLO_ELEMENT_TYPE_F64;
  const Id type = ghlo_spirv_type (self, element_type), one = ghlo_spirv_real (self, element_type, 1);
  Id limit = ghlo_spirv_real (self, element_type, is_f64 ? 0x1p-900 : 0x1p-60);
  Id is_small = CODE (SpvOpFOrdLessThan, self->boolean, a, limit), zero = ghlo_spirv_real (self, element_type, 0);
  Id infinity = ghlo_spirv_real (self, element_type, INFINITY), scale, root, half, rest, is_plain;
  Id rough = ghlo_spirv_exact (self, GLSL (Sqrt, type, a));

  is_plain = CODE (SpvOpLogicalAnd, self->boolean, CODE (SpvOpFOrdGreaterThan, self->boolean, a, zero),
                   CODE (SpvOpFOrdLessThan, self->boolean, a, infinity));
  scale = ghlo_spirv_real (self, element_type, is_f64 ? 0x1p200 : 0x1p64);
  a = emit_exact (self, SpvOpFMul, element_type, a, ghlo_spirv_select (self, type, is_small, scale, one));
  root = ghlo_spirv_exact (self, GLSL (Sqrt, type, a));
  half = emit_exact (self, SpvOpFDiv, element_type, ghlo_spirv_real (self, element_type, 0.5), root);
  rest = ghlo_spirv_fma (self, element_type, (const Id[]) {
    change_bits (self, SpvOpBitwiseXor, element_type, root, sign_bit (element_type)), root, a });
  root = ghlo_spirv_fma (self, element_type, (const Id[]) { rest, half, root });
  root = choose_root (self, element_type, a, root);
  scale = ghlo_spirv_real (self, element_type, is_f64 ? 0x1p-100 : 0x1p-32);
  root = emit_exact (self, SpvOpFMul, element_type, root, ghlo_spirv_select (self, type, is_small, scale, one));

  return ghlo_spirv_select (self, type, is_plain, root, rough);
}

/* Emits arithmetic whose results are rounded. */
static Id
emit_arithmetic (Spirv           *self,
                 GhloNodeKind     kind,
                 GhloElementType  element_type,
                 const Id        *operands)
{
  static const SpvOp ops[] = {
    [GHLO_NODE_ADD] = SpvOpFAdd, [GHLO_NODE_SUBTRACT] = SpvOpFSub, [GHLO_NODE_MULTIPLY] = SpvOpFMul,
    [GHLO_NODE_DIVIDE] = SpvOpFDiv,
  };
  const guint n = ghlo_node_spec (kind)->n_operands;
  Id hidden[3];

  for (guint i = 0; i < n; i++)
    hidden[i] = hide (self, element_type, operands[i]);
  if (kind == GHLO_NODE_FMA)
    return ghlo_spirv_fma (self, element_type, hidden);

  return ghlo_spirv_exact (self, CODE (ops[kind], ghlo_spirv_type (self, element_type), hidden[0], hidden[1]));
}

/* Returns the root of 1 / @size, which must not be negative: infinity for 0, which Vulkan leaves undefined, and 0 for
 * infinity. */
static Id
invert_root (Spirv *self,
             Id     size)
{
  const GhloElementType f32 = GHLO_ELEMENT_TYPE_F32;
  const Id type = ghlo_spirv_type (self, f32);
  Id zero = ghlo_spirv_real (self, f32, 0), infinity = ghlo_spirv_real (self, f32, INFINITY);
  Id root = ghlo_spirv_exact (self, GLSL (InverseSqrt, type, size)), other;

  root = ghlo_spirv_select (self, type, CODE (SpvOpFOrdEqual, self->boolean, size, zero), infinity, root);
  other = ghlo_spirv_select (self, type, CODE (SpvOpFOrdEqual, self->boolean, size, infinity), zero, size);

  return ghlo_spirv_select (self, type, CODE (SpvOpFOrdLessThan, self->boolean, size, infinity), root, other);
}

/* The midpoint between two bf16 numbers has 9 significant bits, and its product with a bf16 number 17, which is never a
 * number of 8 bits. So a quotient differs from any midpoint by at least 2^-17 of it, and this one is accurate to 2^-20.
 * The first product lies on the same side of the number as the second does of the first, so neither overflows nor
 * underflows unnecessarily. Subnormal quotients may be midpoints, so this is only for devices that flush them. */
static Id
narrow_quotient (Spirv *self,
                 Id     a,
                 Id     b)
{
  const GhloElementType f32 = GHLO_ELEMENT_TYPE_F32;
  Id root = invert_root (self, change_bits (self, SpvOpBitwiseAnd, f32, b, ~sign_bit (f32)));
  Id quotient = emit_exact (self, SpvOpFMul, f32, emit_exact (self, SpvOpFMul, f32, a, root), root);
  Id sign = CODE (SpvOpBitwiseAnd, self->u32, bits_of (self, f32, b), ghlo_spirv_integer (self, 32, sign_bit (f32)));

  sign = CODE (SpvOpBitwiseXor, self->u32, bits_of (self, f32, quotient), sign);

  return CODE (SpvOpBitcast, ghlo_spirv_type (self, f32), sign);
}

gboolean
ghlo_spirv_shortens_quotient (const Spirv *self,
                              guint        kind)
{
  return kind != 0 && self->floats.shortens_quotients
         && (kind != GHLO_QUOTIENT_IS_NARROW || !self->floats.keeps_subnormals[0]);
}

/* The square of the root of 1 / b is within 9 ULP of 1 / b, since Vulkan allows 2 ULP for the root
 * (test-kernel-quotients relies on this); after a Newton step few results are off, by 1 ULP. The error of the quotient
 * is then corrected by the remainder of its product with b. NVIDIA's driver calls a function for each quotient, one
 * after the other: tanh of 4096² elements took 77 µs that way, and takes 5 this way (H200). */
Id
ghlo_spirv_short_quotient (Spirv        *self,
                           GhloQuotient  kind,
                           Id            a,
                           Id            b)
{
  const GhloElementType f32 = GHLO_ELEMENT_TYPE_F32;
  const Id type = ghlo_spirv_type (self, f32);
  Id root, inverse, minus, quotient, error;

  if (kind == GHLO_QUOTIENT_IS_NARROW)
    return narrow_quotient (self, a, b);
  root = ghlo_spirv_exact (self, GLSL (InverseSqrt, type, b));
  inverse = ghlo_spirv_exact (self, CODE (SpvOpFMul, type, root, root));
  if (kind == GHLO_QUOTIENT_IS_APPROXIMATE)
    return ghlo_spirv_exact (self, CODE (SpvOpFMul, type, a, inverse));
  minus = CODE (SpvOpFNegate, type, b);
  error = ghlo_spirv_fma (self, f32, (const Id[]) { minus, inverse, ghlo_spirv_real (self, f32, 1) });
  inverse = ghlo_spirv_fma (self, f32, (const Id[]) { error, inverse, inverse });
  quotient = ghlo_spirv_exact (self, CODE (SpvOpFMul, type, a, inverse));
  error = ghlo_spirv_fma (self, f32, (const Id[]) { minus, quotient, a });

  return ghlo_spirv_fma (self, f32, (const Id[]) { error, inverse, quotient });
}

Id
ghlo_spirv_float_node (Spirv           *self,
                       GhloNodeKind     kind,
                       GhloElementType  element_type,
                       const Id        *operands)
{
  const Id type = ghlo_spirv_type (self, element_type), a = operands[0], b = operands[1];

  switch (kind)
    {
    case GHLO_NODE_ADD:
    case GHLO_NODE_SUBTRACT:
    case GHLO_NODE_MULTIPLY:
    case GHLO_NODE_DIVIDE:
    case GHLO_NODE_FMA:
      return emit_arithmetic (self, kind, element_type, operands);
    case GHLO_NODE_MINIMUM:
    case GHLO_NODE_MAXIMUM:
      return emit_extreme (self, element_type, kind == GHLO_NODE_MAXIMUM, a, b);
    case GHLO_NODE_NEGATE:
      return change_bits (self, SpvOpBitwiseXor, element_type, a, sign_bit (element_type));
    case GHLO_NODE_ABS:
      return change_bits (self, SpvOpBitwiseAnd, element_type, a, ~sign_bit (element_type));
    case GHLO_NODE_SQRT:
      return self->floats.takes_roots[element_type == GHLO_ELEMENT_TYPE_F64]
             ? ghlo_spirv_exact (self, GLSL (Sqrt, type, a)) : compose_root (self, element_type, a);
    case GHLO_NODE_FLOOR:
    case GHLO_NODE_CEIL:
    case GHLO_NODE_TRUNCATE:
    case GHLO_NODE_ROUND_NEAREST_EVEN:
      return emit_rounding (self, kind, element_type, a);
    case GHLO_NODE_EQUAL:
      return CODE (SpvOpFOrdEqual, self->boolean, a, b);
    case GHLO_NODE_NOT_EQUAL:
      return CODE (SpvOpFUnordNotEqual, self->boolean, a, b);
    case GHLO_NODE_LESS:
      return CODE (SpvOpFOrdLessThan, self->boolean, a, b);
    case GHLO_NODE_LESS_EQUAL:
      return CODE (SpvOpFOrdLessThanEqual, self->boolean, a, b);
    case GHLO_NODE_GREATER:
      return CODE (SpvOpFOrdGreaterThan, self->boolean, a, b);
    case GHLO_NODE_GREATER_EQUAL:
      return CODE (SpvOpFOrdGreaterThanEqual, self->boolean, a, b);
    default:
      g_assert_not_reached ();
    }
}

/* Truncates @value, clamped to the range of @to; 0 for NaN. The instruction itself only gets values that fit. */
static Id
integer_of_float (Spirv           *self,
                  GhloElementType  to,
                  GhloElementType  from,
                  Id               value)
{
  const gboolean is_signed = ghlo_node_types (to) == GHLO_NODE_TYPES_S;
  const guint bits = ghlo_element_info (to)->bits;
  const Id type = ghlo_spirv_type (self, to), float_type = ghlo_spirv_type (self, from);
  const double limit = ldexp (1, (int) (bits - is_signed));
  Id zero = ghlo_spirv_real (self, from, 0), least, greatest, fits, is_high, result;
  guint64 most = is_signed ? sign_bit (to) - 1 : G_MAXUINT64;

  is_high = CODE (SpvOpFOrdGreaterThanEqual, self->boolean, value, ghlo_spirv_real (self, from, limit));
  least = ghlo_spirv_real (self, from, is_signed ? -limit : 0);
  greatest = ghlo_spirv_integer (self, bits, most);
  fits = CODE (SpvOpFOrdGreaterThan, self->boolean, value, least);
  fits = CODE (SpvOpLogicalAnd, self->boolean, fits, CODE (SpvOpLogicalNot, self->boolean, is_high));
  result = CODE (is_signed ? SpvOpConvertFToS : SpvOpConvertFToU, type,
                 ghlo_spirv_select (self, float_type, fits, value, zero));
  result = ghlo_spirv_select (self, type, is_high, greatest, result);
  if (!is_signed)
    return result;

  return ghlo_spirv_select (self, type, CODE (SpvOpFOrdLessThanEqual, self->boolean, value, least),
                            ghlo_spirv_integer (self, bits, sign_bit (to)), result);
}

static Id
convert_float (Spirv           *self,
               GhloElementType  to,
               GhloElementType  from,
               Id               value)
{
  if (to == GHLO_ELEMENT_TYPE_I1)
    return CODE (SpvOpFUnordNotEqual, self->boolean, value, ghlo_spirv_real (self, from, 0));
  if (ghlo_node_types (to) != GHLO_NODE_TYPES_F)
    return integer_of_float (self, to, from, value);

  return to == from ? value : CODE (SpvOpFConvert, ghlo_spirv_type (self, to), value);
}

Id
ghlo_spirv_convert (Spirv           *self,
                    GhloElementType  to,
                    GhloElementType  from,
                    Id               value)
{
  const gboolean is_signed = ghlo_node_types (from) == GHLO_NODE_TYPES_S;
  const gboolean is_float = ghlo_node_types (to) == GHLO_NODE_TYPES_F;
  const Id type = ghlo_spirv_type (self, to);

  if (ghlo_node_types (from) == GHLO_NODE_TYPES_F)
    return convert_float (self, to, from, value);
  if (to == from)
    return value;
  if (from == GHLO_ELEMENT_TYPE_I1)
    return ghlo_spirv_select (self, type, value,
                              is_float ? ghlo_spirv_real (self, to, 1) : ghlo_spirv_constant (self, to, 1),
                              is_float ? ghlo_spirv_real (self, to, 0) : ghlo_spirv_constant (self, to, 0));
  if (to == GHLO_ELEMENT_TYPE_I1)
    return CODE (SpvOpINotEqual, self->boolean, value, ghlo_spirv_constant (self, from, 0));
  if (is_float)
    return CODE (is_signed ? SpvOpConvertSToF : SpvOpConvertUToF, type, value);
  if (ghlo_element_info (to)->bits == ghlo_element_info (from)->bits)
    return value;
  value = CODE (is_signed ? SpvOpSConvert : SpvOpUConvert, type, value);

  /* Mesa 22.3 miscompares values that it knows to be extended from 32 bits with constants. */
  return is_signed && from == GHLO_ELEMENT_TYPE_I32 && ghlo_element_info (to)->bits == 64 ? hide_bits (self, 64, value)
                                                                                          : value;
}
