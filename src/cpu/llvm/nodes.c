/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Emits nodes: leaves, and floating-point arithmetic. Nothing is contracted or reassociated.
 */

#include "cpu/llvm/emit-llvm.h"

#include <math.h>

#include "base/bits.h"

static Value
call_float (Emitter    *self,
            const char *name,
            Value       a,
            Value       b)
{
  Type type = LLVMTypeOf (a);

  return ghlo_emit_intrinsic (self, name, &type, 1, (Value[]) { a, b }, b != NULL ? 2 : 1);
}

/* A floating-point constant of the type of @like. */
static Value
real (Emitter *self,
      double   value,
      Value    like)
{
  Type type = LLVMTypeOf (like);

  if (!ghlo_emit_is_vector (like))
    return LLVMConstReal (type, value);

  return ghlo_emit_widen (self, LLVMConstReal (LLVMGetElementType (type), value));
}

/* Rounds to the nearest integer where there is no instruction for that: adding 2^23 (f32) or 2^52 (f64) to a smaller
 * number rounds its fraction away. */
static Value
round_by_adding (Emitter         *self,
                 GhloElementType  type,
                 Value            a)
{
  LLVMBuilderRef builder = self->builder;
  Value large = real (self, type == GHLO_ELEMENT_TYPE_F32 ? 0x1p23 : 0x1p52, a);
  Value magnitude = call_float (self, "llvm.fabs", a, NULL), rounded;

  rounded = LLVMBuildFSub (builder, LLVMBuildFAdd (builder, magnitude, large, ""), large, "");
  rounded = call_float (self, "llvm.copysign", rounded, a);

  return LLVMBuildSelect (builder, LLVMBuildFCmp (builder, LLVMRealOLT, magnitude, large, ""), rounded, a, "");
}

static Value
emit_rounding (Emitter         *self,
               GhloNodeKind     kind,
               GhloElementType  type,
               Value            a)
{
  LLVMBuilderRef builder = self->builder;
  Value from, rounded, moved, one = real (self, 1, a);

  if (self->target->has_rounding)
    return call_float (self, kind == GHLO_NODE_FLOOR ? "llvm.floor"
                             : kind == GHLO_NODE_CEIL ? "llvm.ceil"
                             : kind == GHLO_NODE_TRUNCATE ? "llvm.trunc" : "llvm.roundeven", a, NULL);
  from = kind == GHLO_NODE_TRUNCATE ? call_float (self, "llvm.fabs", a, NULL) : a;
  rounded = round_by_adding (self, type, from);
  if (kind == GHLO_NODE_ROUND_NEAREST_EVEN)
    return rounded;
  if (kind == GHLO_NODE_CEIL)
    moved = LLVMBuildSelect (builder, LLVMBuildFCmp (builder, LLVMRealOLT, rounded, from, ""),
                             LLVMBuildFAdd (builder, rounded, one, ""), rounded, "");
  else
    moved = LLVMBuildSelect (builder, LLVMBuildFCmp (builder, LLVMRealOGT, rounded, from, ""),
                             LLVMBuildFSub (builder, rounded, one, ""), rounded, "");

  /* A result of zero keeps the sign of the operand. */
  return call_float (self, "llvm.copysign", moved, a);
}

/* Calls the C function for FMA; operands and result go through memory. */
static Value
call_fma (Emitter         *self,
          GhloElementType  type,
          const Value     *operands)
{
  const guint is_f64 = type == GHLO_ELEMENT_TYPE_F64;
  const gsize field = is_f64 ? G_STRUCT_OFFSET (GhloCodeCall, fma_f64) : G_STRUCT_OFFSET (GhloCodeCall, fma_f32);
  const guint n = ghlo_emit_is_vector (operands[0]) ? self->width : 1;
  Type parameters[] = { self->pointer, self->pointer, self->pointer, self->pointer, self->i64 };
  Type function_type = LLVMFunctionType (LLVMVoidTypeInContext (self->context), parameters, 5, FALSE);
  Type widest = LLVMArrayType2 (self->i64, GHLO_SCHEDULE_MAX_WIDTH);
  Value arguments[5], function;

  for (guint i = 0; i < 4; i++)
    {
      if (self->operands[is_f64][i] == NULL)
        self->operands[is_f64][i] = ghlo_emit_variable (self, widest);
      arguments[i] = self->operands[is_f64][i];
      if (i > 0)
        LLVMSetAlignment (LLVMBuildStore (self->builder, operands[i - 1], arguments[i]), 8);
    }
  arguments[4] = ghlo_emit_i64 (self, n);
  function = LLVMBuildLoad2 (self->builder, self->pointer,
                             ghlo_emit_byte_address (self, self->call, ghlo_emit_i64 (self, (gint64) field)), "");
  LLVMBuildCall2 (self->builder, function_type, function, arguments, 5, "");
  function = LLVMBuildLoad2 (self->builder, LLVMTypeOf (operands[0]), arguments[0], "");
  LLVMSetAlignment (function, 8);

  return function;
}

Value
ghlo_emit_fma (Emitter         *self,
               GhloElementType  type,
               Value            a,
               Value            b,
               Value            c)
{
  Value operands[] = { a, b, c };
  Type types;

  if (ghlo_emit_is_vector (a) || ghlo_emit_is_vector (b) || ghlo_emit_is_vector (c))
    for (guint i = 0; i < 3; i++)
      operands[i] = ghlo_emit_widen (self, operands[i]);
  if (!self->target->has_fma)
    return call_fma (self, type, operands);
  types = LLVMTypeOf (operands[0]);

  return ghlo_emit_intrinsic (self, "llvm.fma", &types, 1, operands, 3);
}

/* The extreme of one register of numbers. VRANGE orders zeros by their sign, but prefers numbers to NaN. */
static Value
emit_range (Emitter         *self,
            GhloElementType  type,
            gboolean         is_maximum,
            Value            a,
            Value            b)
{
  const gboolean is_f32 = type == GHLO_ELEMENT_TYPE_F32;
  /* The operation, and that the sign is the result's. */
  Value operation = LLVMConstInt (self->i32, is_maximum ? 5 : 4, FALSE);
  Value all = LLVMConstAllOnes (LLVMIntTypeInContext (self->context, is_f32 ? 16 : 8));
  Value rounding = LLVMConstInt (self->i32, 4, FALSE);
  Value arguments[] = { a, b, operation, LLVMGetPoison (LLVMTypeOf (a)), all, rounding };
  Value range = ghlo_emit_intrinsic (self, is_f32 ? "llvm.x86.avx512.mask.range.ps.512"
                                                  : "llvm.x86.avx512.mask.range.pd.512", NULL, 0, arguments, 6);

  return LLVMBuildSelect (self->builder, LLVMBuildFCmp (self->builder, LLVMRealUNO, a, b, ""),
                          LLVMBuildFAdd (self->builder, a, b, ""), range, "");
}

/* The number that @value has in all lanes; NaN where that is not known. */
static double
find_number (Value value)
{
  LLVMBool is_inexact;

  if (!LLVMIsConstant (value))
    return NAN;
  if (ghlo_emit_is_vector (value))
    value = LLVMGetAggregateElement (value, 0);

  return LLVMIsAConstantFP (value) != NULL ? LLVMConstRealGetDouble (value, &is_inexact) : NAN;
}

/* The extreme of numbers and a bound that is known, or NULL. A comparison with the bound is false for NaN, which passes
 * on, and for a zero, whose sign has to be that of the result: adding 0 to -0 makes it 0. x86 selects by a comparison
 * in one instruction. */
static Value
emit_bound (Emitter  *self,
            gboolean  is_maximum,
            Value     a,
            Value     b)
{
  LLVMBuilderRef builder = self->builder;
  Value bound = isnan (find_number (a)) ? b : a, x = bound == a ? b : a;
  const double number = find_number (bound);

  if (self->target->has_extremes || isnan (number) || (!is_maximum && number == 0 && signbit (number)))
    return NULL;
  if (is_maximum && number == 0 && !signbit (number))
    x = LLVMBuildFAdd (builder, x, bound, "");

  return LLVMBuildSelect (builder, LLVMBuildFCmp (builder, is_maximum ? LLVMRealOGT : LLVMRealOLT, bound, x, ""), bound,
                          x, "");
}

static Value
emit_extreme (Emitter         *self,
              GhloElementType  type,
              gboolean         is_maximum,
              Value            a,
              Value            b)
{
  const guint lanes = self->target->vector_bytes / ghlo_element_info (type)->size;
  const guint n = ghlo_emit_is_vector (a) ? LLVMGetVectorSize (LLVMTypeOf (a)) / lanes : 0;
  Value parts[GHLO_SCHEDULE_MAX_WIDTH], bounded = emit_bound (self, is_maximum, a, b);

  if (bounded != NULL)
    return bounded;
  if (!self->target->has_range || n == 0)
    return call_float (self, is_maximum ? "llvm.maximum" : "llvm.minimum", a, b);
  for (guint i = 0; i < n; i++)
    parts[i] = emit_range (self, type, is_maximum, ghlo_emit_take_lanes (self, a, i * lanes, lanes),
                           ghlo_emit_take_lanes (self, b, i * lanes, lanes));

  return ghlo_emit_join (self, parts, n, lanes);
}

static Value
emit_float (Emitter         *self,
            GhloNodeKind     kind,
            GhloElementType  type,
            Value            a,
            Value            b)
{
  LLVMBuilderRef builder = self->builder;

  switch (kind)
    {
    case GHLO_NODE_ADD:
      return LLVMBuildFAdd (builder, a, b, "");
    case GHLO_NODE_SUBTRACT:
      return LLVMBuildFSub (builder, a, b, "");
    case GHLO_NODE_MULTIPLY:
      return LLVMBuildFMul (builder, a, b, "");
    case GHLO_NODE_DIVIDE:
      return LLVMBuildFDiv (builder, a, b, "");
    case GHLO_NODE_MINIMUM:
    case GHLO_NODE_MAXIMUM:
      return emit_extreme (self, type, kind == GHLO_NODE_MAXIMUM, a, b);
    case GHLO_NODE_NEGATE:
      return LLVMBuildFNeg (builder, a, "");
    case GHLO_NODE_ABS:
      return call_float (self, "llvm.fabs", a, NULL);
    case GHLO_NODE_SQRT:
      return call_float (self, "llvm.sqrt", a, NULL);
    case GHLO_NODE_FLOOR:
    case GHLO_NODE_CEIL:
    case GHLO_NODE_TRUNCATE:
    case GHLO_NODE_ROUND_NEAREST_EVEN:
      return emit_rounding (self, kind, type, a);
    case GHLO_NODE_EQUAL:
      return LLVMBuildFCmp (builder, LLVMRealOEQ, a, b, "");
    case GHLO_NODE_NOT_EQUAL:
      return LLVMBuildFCmp (builder, LLVMRealUNE, a, b, "");
    case GHLO_NODE_LESS:
      return LLVMBuildFCmp (builder, LLVMRealOLT, a, b, "");
    case GHLO_NODE_LESS_EQUAL:
      return LLVMBuildFCmp (builder, LLVMRealOLE, a, b, "");
    case GHLO_NODE_GREATER:
      return LLVMBuildFCmp (builder, LLVMRealOGT, a, b, "");
    case GHLO_NODE_GREATER_EQUAL:
      return LLVMBuildFCmp (builder, LLVMRealOGE, a, b, "");
    default:
      g_assert_not_reached ();
    }
}

/* Whether the quiet bit of node @number is set where it is NaN. Arithmetic sees to that, unless LLVM drops it, such as
 * a multiplication by 1. */
static gboolean
is_quiet (const GhloKernel *kernel,
          guint             number)
{
  const GhloKernelNode *node = &kernel->nodes[number];

  switch ((GhloNodeKind) node->kind)
    {
    case GHLO_NODE_SQRT:
      return TRUE;
    case GHLO_NODE_CONSTANT:
      return !isnan (ghlo_float_of_bits ((guint32) node->bits));
    case GHLO_NODE_ADD:
    case GHLO_NODE_SUBTRACT:
    case GHLO_NODE_MULTIPLY:
    case GHLO_NODE_DIVIDE:
      if (kernel->nodes[node->operands[0]].kind != GHLO_NODE_CONSTANT
          && kernel->nodes[node->operands[1]].kind != GHLO_NODE_CONSTANT)
        return TRUE;
      G_GNUC_FALLTHROUGH;
    case GHLO_NODE_MINIMUM:
    case GHLO_NODE_MAXIMUM:
      return is_quiet (kernel, node->operands[0]) && is_quiet (kernel, node->operands[1]);
    default:
      return FALSE;
    }
}

/* Takes the upper halves of 32-bit lanes. */
static Value
emit_upper_halves (Emitter *self,
                   Value    bits)
{
  Type half = LLVMInt16TypeInContext (self->context), type = ghlo_emit_type_like (self, half, bits);
  const guint n = ghlo_emit_is_vector (bits) ? LLVMGetVectorSize (type) : 1;
  Value lanes[GHLO_SCHEDULE_MAX_WIDTH], halves;

  /* One permutation of two registers (VPERMT2W). */
  if (self->target->vector_bytes == 64 && n == 32)
    {
      for (guint i = 0; i < n; i++)
        lanes[i] = LLVMConstInt (self->i32, 2 * i + 1, FALSE);
      halves = LLVMBuildBitCast (self->builder, bits, LLVMVectorType (half, 2 * n), "");

      return LLVMBuildShuffleVector (self->builder, halves, LLVMGetPoison (LLVMTypeOf (halves)),
                                     LLVMConstVector (lanes, n), "");
    }
  bits = LLVMBuildLShr (self->builder, bits, ghlo_emit_integer (self, self->i32, 16, bits), "");

  return LLVMBuildTrunc (self->builder, bits, type, "");
}

/* Rounds f32 to bf16: adds half of the last place, or a little less where that is even. A NaN stays, with the quiet bit
 * in its upper half. */
static Value
emit_to_bf16 (Emitter              *self,
              const GhloKernelNode *node,
              Value                 x)
{
  enum { LAST_PLACE = 1 << 16, HALF_PLACE = 1 << 15, QUIET = 1 << 22 };
  LLVMBuilderRef builder = self->builder;
  Value bits = LLVMBuildBitCast (builder, x, ghlo_emit_type_like (self, self->i32, x), ""), odd, more, nan = bits;

  odd = LLVMBuildAnd (builder, bits, ghlo_emit_integer (self, self->i32, LAST_PLACE, bits), "");
  odd = LLVMBuildICmp (builder, LLVMIntNE, odd, ghlo_emit_integer (self, self->i32, 0, bits), "");
  more = LLVMBuildSelect (builder, odd, ghlo_emit_integer (self, self->i32, HALF_PLACE, bits),
                          ghlo_emit_integer (self, self->i32, HALF_PLACE - 1, bits), "");
  if (!is_quiet (self->kernel, node->operands[0]))
    nan = LLVMBuildOr (builder, bits, ghlo_emit_integer (self, self->i32, QUIET, bits), "");
  bits = LLVMBuildSelect (builder, LLVMBuildFCmp (builder, LLVMRealORD, x, x, ""),
                          LLVMBuildAdd (builder, bits, more, ""), nan, "");

  return emit_upper_halves (self, bits);
}

Value
ghlo_emit_primitive (Emitter              *self,
                     const GhloKernelNode *node,
                     const Value          *operands)
{
  GhloElementType type = ghlo_kernel_operand_type (self->kernel, node);
  Type half = LLVMHalfTypeInContext (self->context);
  Value a = operands[0], b = operands[1];

  switch ((GhloNodeKind) node->kind)
    {
    case GHLO_NODE_SELECT:
      return ghlo_emit_select (self, a, b, operands[2]);
    case GHLO_NODE_CONVERT:
      return ghlo_emit_convert (self, node->type, type, a);
    case GHLO_NODE_BITCAST:
      return LLVMBuildBitCast (self->builder, a, ghlo_emit_type_like (self, ghlo_emit_type (self, node->type), a), "");
    case GHLO_NODE_FMA:
      return ghlo_emit_fma (self, type, a, b, operands[2]);
    case GHLO_NODE_FROM_F16:
      a = LLVMBuildBitCast (self->builder, a, ghlo_emit_type_like (self, half, a), "");
      return LLVMBuildFPExt (self->builder, a, ghlo_emit_type_like (self, ghlo_emit_type (self, node->type), a), "");
    case GHLO_NODE_TO_F16:
      a = LLVMBuildFPTrunc (self->builder, a, ghlo_emit_type_like (self, half, a), "");
      return LLVMBuildBitCast (self->builder, a, ghlo_emit_type_like (self, ghlo_emit_type (self, node->type), a), "");
    case GHLO_NODE_TO_BF16:
      return emit_to_bf16 (self, node, a);
    default:
      break;
    }
  if (b != NULL)
    ghlo_emit_widen_pair (self, &a, &b);

  return ghlo_node_types (type) == GHLO_NODE_TYPES_F ? emit_float (self, node->kind, type, a, b)
                                                     : ghlo_emit_integer_node (self, node->kind, type, a, b);
}

/* The coordinate on @axis in each lane. */
static Value
emit_coordinate (Emitter         *self,
                 guint            axis,
                 GhloElementType  type)
{
  Type integer = ghlo_emit_type (self, type);
  Value first = LLVMBuildIntCast2 (self->builder, self->point[axis], integer, FALSE, "");

  if (axis != self->lanes || self->width == 1)
    return first;

  return LLVMBuildAdd (self->builder, ghlo_emit_widen (self, first), ghlo_emit_steps (self, integer, 1), "");
}

static Value
emit_leaf (Emitter              *self,
           const GhloKernelNode *node)
{
  switch ((GhloNodeKind) node->kind)
    {
    case GHLO_NODE_CONSTANT:
      return ghlo_emit_constant (self, node->type, node->bits);
    case GHLO_NODE_AXIS:
      return emit_coordinate (self, node->index, node->type);
    case GHLO_NODE_EXTENT:
      return LLVMBuildIntCast2 (self->builder, self->extents[node->index], ghlo_emit_type (self, node->type), FALSE,
                                "");
    case GHLO_NODE_LOAD:
      return ghlo_emit_load (self, node->index,
                             node->operands[0] != GHLO_KERNEL_NONE ? self->values[node->operands[0]] : NULL);
    case GHLO_NODE_INSIDE:
      return ghlo_emit_inside (self, node->index);
    case GHLO_NODE_TEMPORARY:
      return ghlo_emit_get (self, node->index);
    case GHLO_NODE_LEFT:
      return self->left[node->index];
    case GHLO_NODE_RIGHT:
      return self->right[node->index];
    default:
      g_assert_not_reached ();
    }
}

void
ghlo_emit_node (Emitter *self,
                guint    number)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];
  Value operands[3] = { NULL };

  if (ghlo_node_spec (node->kind)->role == GHLO_NODE_LEAF)
    {
      self->values[number] = emit_leaf (self, node);
      return;
    }
  for (guint i = 0; i < ghlo_node_spec (node->kind)->n_operands; i++)
    operands[i] = self->values[node->operands[i]];
  self->values[number] = ghlo_emit_primitive (self, node, operands);
}

void
ghlo_emit_nodes (Emitter *self,
                 guint    first,
                 guint    end)
{
  for (guint i = first; i < end; i++)
    ghlo_emit_node (self, i);
}
