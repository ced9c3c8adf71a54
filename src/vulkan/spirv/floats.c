/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nodes on floats, and conversions. Signs are bits, so that those of zeros and NaNs are what kernels say, whatever a
 * device makes of them.
 */

#include "vulkan/spirv/emit-private.h"

#include <math.h>

static Id
bits_of (Spirv           *self,
         GhloElementType  type,
         Id               value)
{
  return CODE (SpvOpBitcast, ghlo_spirv_integer_type (self, ghlo_element_info (type)->bits), value);
}

/* @value with bits changed by @op and @mask. */
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

/* A NaN where one is, -0 before +0: equal numbers but zeros have equal bits. */
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

static Id
emit_rounding (Spirv        *self,
               GhloNodeKind  kind,
               Id            type,
               Id            a)
{
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
exact (Spirv *self,
       SpvOp  op,
       Id     a,
       Id     b)
{
  Id type = ghlo_spirv_type (self, GHLO_ELEMENT_TYPE_F64);

  return ghlo_spirv_exact (self, CODE (op, type, a, b));
}

/* What rounding left of @sum = @a + @b (Knuth's two-sum). */
static Id
rounded_off (Spirv *self,
             Id     sum,
             Id     a,
             Id     b)
{
  Id from_b = exact (self, SpvOpFSub, sum, a), from_a = exact (self, SpvOpFSub, sum, from_b);

  return exact (self, SpvOpFAdd, exact (self, SpvOpFSub, a, from_a), exact (self, SpvOpFSub, b, from_b));
}

/* @sum + @rest, of which the last bit is set where it is not exact: what is rounded from it to half as many bits is
 * rounded once (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
 * odd"). */
static Id
round_to_odd (Spirv *self,
              Id     sum,
              Id     rest)
{
  const Id f64 = ghlo_spirv_type (self, GHLO_ELEMENT_TYPE_F64), zero = ghlo_spirv_real (self, GHLO_ELEMENT_TYPE_F64, 0);
  Id bits = bits_of (self, GHLO_ELEMENT_TYPE_F64, sum), one = ghlo_spirv_u64 (self, 1), is_even, moves, is_up, moved;

  is_even = CODE (SpvOpIEqual, self->boolean, CODE (SpvOpBitwiseAnd, self->u64, bits, one), ghlo_spirv_u64 (self, 0));
  moves = CODE (SpvOpLogicalAnd, self->boolean, is_even, CODE (SpvOpFOrdNotEqual, self->boolean, rest, zero));
  is_up = CODE (SpvOpLogicalEqual, self->boolean, CODE (SpvOpFOrdGreaterThan, self->boolean, rest, zero),
                CODE (SpvOpFOrdGreaterThan, self->boolean, sum, zero));
  moved = ghlo_spirv_select (self, self->u64, is_up, one, ghlo_spirv_u64 (self, G_MAXUINT64));
  moved = CODE (SpvOpBitcast, f64, CODE (SpvOpIAdd, self->u64, bits, moved));

  return ghlo_spirv_select (self, f64, moves, moved, sum);
}

static Id
emit_fma (Spirv           *self,
          GhloElementType  element_type,
          const Id        *operands)
{
  const Id type = ghlo_spirv_type (self, element_type);
  Id wide[3], f64, product, sum;

  if (element_type == GHLO_ELEMENT_TYPE_F64 || self->floats.fuses[0])
    return ghlo_spirv_exact (self, GLSL (Fma, type, operands[0], operands[1], operands[2]));
  f64 = ghlo_spirv_type (self, GHLO_ELEMENT_TYPE_F64);
  for (guint i = 0; i < 3; i++)
    wide[i] = CODE (SpvOpFConvert, f64, operands[i]);
  product = exact (self, SpvOpFMul, wide[0], wide[1]);
  sum = exact (self, SpvOpFAdd, product, wide[2]);
  sum = round_to_odd (self, sum, rounded_off (self, sum, product, wide[2]));

  return CODE (SpvOpFConvert, type, sum);
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
      return ghlo_spirv_exact (self, CODE (SpvOpFAdd, type, a, b));
    case GHLO_NODE_SUBTRACT:
      return ghlo_spirv_exact (self, CODE (SpvOpFSub, type, a, b));
    case GHLO_NODE_MULTIPLY:
      return ghlo_spirv_exact (self, CODE (SpvOpFMul, type, a, b));
    case GHLO_NODE_DIVIDE:
      return ghlo_spirv_exact (self, CODE (SpvOpFDiv, type, a, b));
    case GHLO_NODE_FMA:
      return emit_fma (self, element_type, operands);
    case GHLO_NODE_MINIMUM:
    case GHLO_NODE_MAXIMUM:
      return emit_extreme (self, element_type, kind == GHLO_NODE_MAXIMUM, a, b);
    case GHLO_NODE_NEGATE:
      return change_bits (self, SpvOpBitwiseXor, element_type, a, sign_bit (element_type));
    case GHLO_NODE_ABS:
      return change_bits (self, SpvOpBitwiseAnd, element_type, a, ~sign_bit (element_type));
    case GHLO_NODE_SQRT:
      return ghlo_spirv_exact (self, GLSL (Sqrt, type, a));
    case GHLO_NODE_FLOOR:
    case GHLO_NODE_CEIL:
    case GHLO_NODE_TRUNCATE:
    case GHLO_NODE_ROUND_NEAREST_EVEN:
      return emit_rounding (self, kind, type, a);
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

/* The integer of @to that is nearest to @value cut off; 0 for NaN. The instruction sees nothing that does not fit. */
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

  return CODE (is_signed ? SpvOpSConvert : SpvOpUConvert, type, value);
}
