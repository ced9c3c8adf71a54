/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nodes on integers and booleans, and conversions. Division by zero and shifts by too many bits are undefined in
 * LLVM: operands are replaced by safe ones, and the result that kernels define is selected instead.
 */

#include "cpu/llvm/emit-llvm.h"

#include <math.h>

static Value
like (Emitter         *self,
      GhloElementType  type,
      gint64           value,
      Value            other)
{
  return ghlo_emit_integer (self, ghlo_emit_type (self, type), value, other);
}

static Value
emit_division (Emitter         *self,
               GhloElementType  type,
               gboolean         is_signed,
               gboolean         is_remainder,
               Value            a,
               Value            b)
{
  LLVMBuilderRef builder = self->builder;
  Value zero = like (self, type, 0, a), one = like (self, type, 1, a), minus = like (self, type, -1, a);
  Value is_zero = LLVMBuildICmp (builder, LLVMIntEQ, b, zero, ""), is_special = is_zero, result, special;

  /* The least integer divided by -1 overflows, so division by -1 becomes a negation. */
  if (is_signed)
    is_special = LLVMBuildOr (builder, is_zero, LLVMBuildICmp (builder, LLVMIntEQ, b, minus, ""), "");
  b = LLVMBuildSelect (builder, is_special, one, b, "");
  if (is_remainder)
    {
      result = is_signed ? LLVMBuildSRem (builder, a, b, "") : LLVMBuildURem (builder, a, b, "");
      return LLVMBuildSelect (builder, is_zero, a, result, "");
    }
  result = is_signed ? LLVMBuildSDiv (builder, a, b, "") : LLVMBuildUDiv (builder, a, b, "");
  if (!is_signed)
    return LLVMBuildSelect (builder, is_zero, minus, result, "");
  special = LLVMBuildSelect (builder, is_zero, minus, LLVMBuildNeg (builder, a, ""), "");

  return LLVMBuildSelect (builder, is_special, special, result, "");
}

static Value
emit_shift (Emitter         *self,
            GhloElementType  type,
            gboolean         is_signed,
            gboolean         is_left,
            Value            a,
            Value            b)
{
  LLVMBuilderRef builder = self->builder;
  guint n_bits = ghlo_element_info (type)->bits;
  Value fits = LLVMBuildICmp (builder, LLVMIntULT, b, like (self, type, n_bits, b), "");
  Value zero = like (self, type, 0, a), count;

  if (!is_left && is_signed)
    return LLVMBuildAShr (builder, a, LLVMBuildSelect (builder, fits, b, like (self, type, n_bits - 1, b), ""), "");
  count = LLVMBuildSelect (builder, fits, b, zero, "");

  return LLVMBuildSelect (builder, fits,
                          is_left ? LLVMBuildShl (builder, a, count, "") : LLVMBuildLShr (builder, a, count, ""), zero,
                          "");
}

static Value
emit_multiply_high (Emitter         *self,
                    GhloElementType  type,
                    gboolean         is_signed,
                    Value            a,
                    Value            b)
{
  LLVMBuilderRef builder = self->builder;
  guint n_bits = ghlo_element_info (type)->bits;
  Type wide = LLVMIntTypeInContext (self->context, 2 * n_bits), wides = ghlo_emit_type_like (self, wide, a);
  Value product;

  a = is_signed ? LLVMBuildSExt (builder, a, wides, "") : LLVMBuildZExt (builder, a, wides, "");
  b = is_signed ? LLVMBuildSExt (builder, b, wides, "") : LLVMBuildZExt (builder, b, wides, "");
  product = LLVMBuildLShr (builder, LLVMBuildMul (builder, a, b, ""), ghlo_emit_integer (self, wide, n_bits, a), "");

  return LLVMBuildTrunc (builder, product, ghlo_emit_type_like (self, ghlo_emit_type (self, type), a), "");
}

static Value
emit_unary (Emitter    *self,
            const char *name,
            Value       a,
            gboolean    has_flag)
{
  Type type = LLVMTypeOf (a);

  return ghlo_emit_intrinsic (self, name, &type, 1, (Value[]) { a, LLVMConstNull (self->i1) }, 1 + has_flag);
}

static Value
emit_extreme (Emitter         *self,
              GhloElementType  type,
              gboolean         is_signed,
              gboolean         is_maximum,
              Value            a,
              Value            b)
{
  static const char *const names[2][2] = { { "llvm.umin", "llvm.umax" }, { "llvm.smin", "llvm.smax" } };
  Type types = LLVMTypeOf (a);

  if (type == GHLO_ELEMENT_TYPE_I1)
    return is_maximum ? LLVMBuildOr (self->builder, a, b, "") : LLVMBuildAnd (self->builder, a, b, "");

  return ghlo_emit_intrinsic (self, names[is_signed][is_maximum], &types, 1, (Value[]) { a, b }, 2);
}

Value
ghlo_emit_integer_node (Emitter         *self,
                        GhloNodeKind     kind,
                        GhloElementType  type,
                        Value            a,
                        Value            b)
{
  LLVMBuilderRef builder = self->builder;
  const gboolean is_signed = ghlo_node_types (type) == GHLO_NODE_TYPES_S;

  switch (kind)
    {
    case GHLO_NODE_ADD:
      return LLVMBuildAdd (builder, a, b, "");
    case GHLO_NODE_SUBTRACT:
      return LLVMBuildSub (builder, a, b, "");
    case GHLO_NODE_MULTIPLY:
      return LLVMBuildMul (builder, a, b, "");
    case GHLO_NODE_MULTIPLY_HIGH:
      return emit_multiply_high (self, type, is_signed, a, b);
    case GHLO_NODE_DIVIDE:
    case GHLO_NODE_REMAINDER:
      return emit_division (self, type, is_signed, kind == GHLO_NODE_REMAINDER, a, b);
    case GHLO_NODE_MINIMUM:
    case GHLO_NODE_MAXIMUM:
      return emit_extreme (self, type, is_signed, kind == GHLO_NODE_MAXIMUM, a, b);
    case GHLO_NODE_NEGATE:
      return LLVMBuildNeg (builder, a, "");
    case GHLO_NODE_ABS:
      return is_signed ? emit_unary (self, "llvm.abs", a, TRUE) : a;
    case GHLO_NODE_AND:
      return LLVMBuildAnd (builder, a, b, "");
    case GHLO_NODE_OR:
      return LLVMBuildOr (builder, a, b, "");
    case GHLO_NODE_XOR:
      return LLVMBuildXor (builder, a, b, "");
    case GHLO_NODE_NOT:
      return LLVMBuildNot (builder, a, "");
    case GHLO_NODE_SHIFT_LEFT:
    case GHLO_NODE_SHIFT_RIGHT:
      return emit_shift (self, type, is_signed, kind == GHLO_NODE_SHIFT_LEFT, a, b);
    case GHLO_NODE_COUNT_LEADING_ZEROS:
      return emit_unary (self, "llvm.ctlz", a, TRUE);
    case GHLO_NODE_POPCNT:
      return emit_unary (self, "llvm.ctpop", a, FALSE);
    case GHLO_NODE_EQUAL:
      return LLVMBuildICmp (builder, LLVMIntEQ, a, b, "");
    case GHLO_NODE_NOT_EQUAL:
      return LLVMBuildICmp (builder, LLVMIntNE, a, b, "");
    case GHLO_NODE_LESS:
      return LLVMBuildICmp (builder, is_signed ? LLVMIntSLT : LLVMIntULT, a, b, "");
    case GHLO_NODE_LESS_EQUAL:
      return LLVMBuildICmp (builder, is_signed ? LLVMIntSLE : LLVMIntULE, a, b, "");
    case GHLO_NODE_GREATER:
      return LLVMBuildICmp (builder, is_signed ? LLVMIntSGT : LLVMIntUGT, a, b, "");
    case GHLO_NODE_GREATER_EQUAL:
      return LLVMBuildICmp (builder, is_signed ? LLVMIntSGE : LLVMIntUGE, a, b, "");
    default:
      g_assert_not_reached ();
    }
}

static Value
real_like (Emitter         *self,
           GhloElementType  type,
           double           number,
           Value            other)
{
  Value constant = ghlo_emit_constant (self, type, ghlo_float_to_bits (type, number));

  return ghlo_emit_is_vector (other) ? ghlo_emit_widen (self, constant) : constant;
}

/* Truncates; the result is the nearest integer where the float is out of range, and 0 for NaN. LLVM's intrinsic for
 * this becomes instructions for single elements on x86. */
static Value
saturate (Emitter         *self,
          GhloElementType  to,
          GhloElementType  from,
          Value            value)
{
  LLVMBuilderRef builder = self->builder;
  const guint n_bits = ghlo_element_info (to)->bits;
  const gboolean is_signed = ghlo_node_types (to) == GHLO_NODE_TYPES_S;
  const double end = ldexp (1, (int) n_bits - is_signed);
  Value first = real_like (self, from, is_signed ? -end : 0, value);
  Value is_low = LLVMBuildFCmp (builder, LLVMRealULT, value, first, "");        /* or NaN */
  Value is_high = LLVMBuildFCmp (builder, LLVMRealOGE, value, real_like (self, from, end, value), "");
  Value is_odd = LLVMBuildOr (builder, is_low, is_high, ""), result, least;
  Type type = ghlo_emit_type_like (self, ghlo_emit_type (self, to), value);

  result = LLVMBuildSelect (builder, is_odd, LLVMConstNull (LLVMTypeOf (value)), value, "");
  result = is_signed ? LLVMBuildFPToSI (builder, result, type, "") : LLVMBuildFPToUI (builder, result, type, "");
  result = LLVMBuildSelect (builder, is_high, like (self, to, (gint64) ghlo_element_limit (to, TRUE).u, result),
                            result, "");
  least = like (self, to, (gint64) ghlo_element_limit (to, FALSE).u, result);
  is_low = LLVMBuildFCmp (builder, LLVMRealOLT, value, first, "");

  return is_signed ? LLVMBuildSelect (builder, is_low, least, result, "") : result;
}

/* The same for integers of 8 and 16 bits, whose limits f32 has: the float is brought between them before it is
 * converted, as i32, for which vectors have an instruction. */
static Value
saturate_small (Emitter         *self,
                GhloElementType  to,
                GhloElementType  from,
                Value            value)
{
  LLVMBuilderRef builder = self->builder;
  const gboolean is_signed = ghlo_node_types (to) == GHLO_NODE_TYPES_S;
  const double end = ldexp (1, (int) ghlo_element_info (to)->bits - is_signed);
  Value first = real_like (self, from, is_signed ? -end : 0, value), last = real_like (self, from, end - 1, value);
  Value is_number = LLVMBuildFCmp (builder, LLVMRealORD, value, value, ""), result;

  /* These are one instruction each; NaN becomes the first. */
  result = LLVMBuildSelect (builder, LLVMBuildFCmp (builder, LLVMRealOGT, value, first, ""), value, first, "");
  result = LLVMBuildSelect (builder, LLVMBuildFCmp (builder, LLVMRealOLT, result, last, ""), result, last, "");
  result = LLVMBuildFPToSI (builder, result, ghlo_emit_type_like (self, self->i32, value), "");
  if (is_signed)
    result = LLVMBuildSelect (builder, is_number, result, LLVMConstNull (LLVMTypeOf (result)), "");

  return LLVMBuildTrunc (builder, result, ghlo_emit_type_like (self, ghlo_emit_type (self, to), value), "");
}

static Value
convert_float (Emitter         *self,
               GhloElementType  to,
               GhloElementType  from,
               Value            value)
{
  Type type = ghlo_emit_type_like (self, ghlo_emit_type (self, to), value);

  if (ghlo_node_types (to) == GHLO_NODE_TYPES_F)
    return to == from ? value
           : to == GHLO_ELEMENT_TYPE_F64 ? LLVMBuildFPExt (self->builder, value, type, "")
                                         : LLVMBuildFPTrunc (self->builder, value, type, "");
  if (to == GHLO_ELEMENT_TYPE_I1)
    return LLVMBuildFCmp (self->builder, LLVMRealUNE, value, LLVMConstNull (LLVMTypeOf (value)), "");

  return (ghlo_element_info (to)->bits < 32 ? saturate_small : saturate) (self, to, from, value);
}

Value
ghlo_emit_convert (Emitter         *self,
                   GhloElementType  to,
                   GhloElementType  from,
                   Value            value)
{
  LLVMBuilderRef builder = self->builder;
  Type type = ghlo_emit_type_like (self, ghlo_emit_type (self, to), value);
  gboolean is_signed = ghlo_node_types (from) == GHLO_NODE_TYPES_S;
  guint to_bits = ghlo_element_info (to)->bits, from_bits = ghlo_element_info (from)->bits;

  if (ghlo_node_types (from) == GHLO_NODE_TYPES_F)
    return convert_float (self, to, from, value);
  if (to == GHLO_ELEMENT_TYPE_I1)
    return LLVMBuildICmp (builder, LLVMIntNE, value, LLVMConstNull (LLVMTypeOf (value)), "");
  if (ghlo_node_types (to) == GHLO_NODE_TYPES_F)
    return is_signed ? LLVMBuildSIToFP (builder, value, type, "") : LLVMBuildUIToFP (builder, value, type, "");
  if (to_bits <= from_bits)
    return to_bits == from_bits ? value : LLVMBuildTrunc (builder, value, type, "");

  return is_signed ? LLVMBuildSExt (builder, value, type, "") : LLVMBuildZExt (builder, value, type, "");
}
