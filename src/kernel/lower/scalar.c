/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elementwise operations as nodes. Most are one node of the same name; the others are composed here, in the way in
 * which the reference executor computes them.
 */

#include "kernel/lower/lowering.h"

#include "base/bits.h"
#include "kernel/expand.h"
#include "kernel/scalar.h"

#include <math.h>

#define NONE GHLO_LOWER_NONE
#define I1   GHLO_ELEMENT_TYPE_I1
#define NODE(kind, type, a, b, c) ghlo_lower_node (self, GHLO_NODE_##kind, type, a, b, c)

/* The scalar operations that are a single node. */
static const guint8 nodes[GHLO_N_SCALARS] = {
#define SAME(ID) [GHLO_SCALAR_##ID] = GHLO_NODE_##ID,
  SAME (ADD) SAME (AND) SAME (MAXIMUM) SAME (MINIMUM) SAME (MULTIPLY) SAME (OR) SAME (XOR) SAME (ABS) SAME (ATAN2)
  SAME (CBRT) SAME (CEIL) SAME (COSINE) SAME (DIVIDE) SAME (EXPONENTIAL)
  SAME (EXPONENTIAL_MINUS_ONE) SAME (FLOOR) SAME (LOG) SAME (LOGISTIC) SAME (LOG_PLUS_ONE) SAME (NEGATE) SAME (NOT)
  SAME (POWER) SAME (REMAINDER) SAME (ROUND_NEAREST_EVEN) SAME (RSQRT) SAME (SELECT) SAME (SHIFT_LEFT)
  SAME (SINE) SAME (SQRT) SAME (SUBTRACT) SAME (TAN) SAME (TANH) SAME (ACOS) SAME (ACOSH) SAME (ASIN) SAME (ASINH)
  SAME (ATAN) SAME (ATANH) SAME (COSH) SAME (DIGAMMA) SAME (ERF) SAME (ERFC) SAME (ERF_INV) SAME (LGAMMA) SAME (SINH)
  SAME (BESSEL_I1E) SAME (POLYGAMMA) SAME (ZETA)
#undef SAME
};

static GhloElementType
bits_type (GhloElementType type,
           gboolean        is_signed)
{
  static const GhloElementType types[2][4] = {
    { GHLO_ELEMENT_TYPE_UI8, GHLO_ELEMENT_TYPE_UI16, GHLO_ELEMENT_TYPE_UI32, GHLO_ELEMENT_TYPE_UI64 },
    { GHLO_ELEMENT_TYPE_I8, GHLO_ELEMENT_TYPE_I16, GHLO_ELEMENT_TYPE_I32, GHLO_ELEMENT_TYPE_I64 },
  };

  return types[is_signed != FALSE][g_bit_storage (ghlo_element_info (type)->size) - 1];
}

/* Returns @value with its bits reinterpreted as another type of the same width. */
static guint32
bitcast (GhloLowering    *self,
         GhloElementType  type,
         guint32          value)
{
  if (value == NONE || ghlo_expr (self, value)->type == type)
    return value;

  return NODE (BITCAST, type, value, NONE, NONE);
}

static guint32
shift_right (GhloLowering    *self,
             GhloElementType  type,
             const guint32   *operands,
             gboolean         is_signed)
{
  GhloElementType shifted = bits_type (type, is_signed);
  guint32 value = bitcast (self, shifted, operands[0]), count = bitcast (self, shifted, operands[1]);

  return bitcast (self, type, NODE (SHIFT_RIGHT, shifted, value, count, NONE));
}

/* Returns @value, an integer operand of @op, with zeros above the bits of its element type. */
static guint32
bits_of_element (GhloLowering    *self,
                 const GhloIrOp  *op,
                 GhloElementType  type,
                 guint32          value)
{
  const GhloElementInfo *info = ghlo_element_info (ghlo_ir_op_operand (op, 0)->type->element_type);

  return info->bits < ghlo_element_info (type)->bits
           ? NODE (AND, type, value, ghlo_lower_constant (self, type, ghlo_low_bits (info->bits)), NONE) : value;
}

static guint32
make_logical_shift (GhloLowering    *self,
                    const GhloIrOp  *op,
                    GhloElementType  type,
                    const guint32   *operands)
{
  const guint32 shifted[] = { bits_of_element (self, op, type, operands[0]), operands[1] };

  return shift_right (self, type, shifted, FALSE);
}

static guint32
make_popcnt (GhloLowering    *self,
             const GhloIrOp  *op,
             GhloElementType  type,
             const guint32   *operands)
{
  return NODE (POPCNT, type, bits_of_element (self, op, type, operands[0]), NONE, NONE);
}

static guint32
make_leading_zeros (GhloLowering    *self,
                    const GhloIrOp  *op,
                    GhloElementType  type,
                    const guint32   *operands)
{
  const GhloElementInfo *info = ghlo_element_info (ghlo_ir_op_operand (op, 0)->type->element_type);
  guint32 zeros = NODE (COUNT_LEADING_ZEROS, type, bits_of_element (self, op, type, operands[0]), NONE, NONE);
  guint unused = ghlo_element_info (type)->bits - info->bits;

  return unused > 0 ? NODE (SUBTRACT, type, zeros, ghlo_lower_constant (self, type, unused), NONE) : zeros;
}

/* The whole product of small integers fits into a byte. */
static guint32
make_multiply_high (GhloLowering    *self,
                    const GhloIrOp  *op,
                    GhloElementType  type,
                    const guint32   *operands)
{
  GhloElementType element = op->results[0].type->element_type;

  if (!ghlo_lower_is_small (element))
    return NODE (MULTIPLY_HIGH, type, operands[0], operands[1], NONE);

  return NODE (SHIFT_RIGHT, type, NODE (MULTIPLY, type, operands[0], operands[1], NONE),
               ghlo_lower_constant (self, type, ghlo_element_info (element)->bits), NONE);
}

/* The highest bit of a small integer is its sign here, also where the type is unsigned. */
static guint32
make_arithmetic_shift (GhloLowering    *self,
                       const GhloIrOp  *op,
                       GhloElementType  type,
                       const guint32   *operands)
{
  guint unused = ghlo_element_info (type)->bits - ghlo_element_info (op->results[0].type->element_type)->bits;
  guint32 distance = ghlo_lower_constant (self, type, unused), shifted[] = { operands[0], operands[1] };

  if (unused > 0 && ghlo_node_types (type) == GHLO_NODE_TYPES_U)
    {
      shifted[0] = NODE (SHIFT_LEFT, type, operands[0], distance, NONE);
      shifted[0] = shift_right (self, type, (guint32[]) { shifted[0], distance }, TRUE);
    }

  return shift_right (self, type, shifted, TRUE);
}

static guint32
make_clamp (GhloLowering    *self,
            const GhloIrOp  *op,
            GhloElementType  type,
            const guint32   *operands)
{
  return NODE (MINIMUM, type, NODE (MAXIMUM, type, operands[1], operands[0], NONE), operands[2], NONE);
}

GhloNodeKind
ghlo_lower_comparison (const GhloIrOp *op)
{
  static const GhloNodeKind directions[] = { GHLO_NODE_EQUAL, GHLO_NODE_NOT_EQUAL, GHLO_NODE_GREATER_EQUAL,
                                             GHLO_NODE_GREATER, GHLO_NODE_LESS_EQUAL, GHLO_NODE_LESS };
  enum { TOTALORDER = 2 };
  GhloElementType type = ghlo_ir_op_operand (op, 0)->type->element_type;
  gint64 direction = ghlo_ir_op_get_int (op, "comparison_direction", 0);
  gboolean is_total = ghlo_element_type_is_float (type) && ghlo_ir_op_get_int (op, "compare_type", 0) == TOTALORDER;

  return !is_total && direction >= 0 && direction < (gint64) G_N_ELEMENTS (directions) ? directions[direction]
         : GHLO_N_NODES;
}

static guint32
make_compare (GhloLowering    *self,
              const GhloIrOp  *op,
              GhloElementType  type,
              const guint32   *operands)
{
  GhloNodeKind node = ghlo_lower_comparison (op);

  if (node == GHLO_N_NODES)
    return ghlo_lower_refuse (self, "kernels do not support comparison in the total order");

  return ghlo_lower_node (self, node, I1, operands[0], operands[1], NONE);
}

static guint32
make_convert (GhloLowering    *self,
              const GhloIrOp  *op,
              GhloElementType  type,
              const guint32   *operands)
{
  return ghlo_lower_convert (self, ghlo_ir_op_operand (op, 0)->type->element_type, op->results[0].type->element_type,
                             operands[0]);
}

/* Returns @number as a constant of any type. */
static guint32
small (GhloLowering    *self,
       GhloElementType  type,
       gint64           number)
{
  if (ghlo_node_types (type) == GHLO_NODE_TYPES_F)
    return ghlo_lower_float (self, type, (double) number);

  return ghlo_lower_constant (self, type, (guint64) number & ghlo_low_bits (ghlo_element_info (type)->bits));
}

/* For floats, zeros keep their sign and NaN is passed on. */
static guint32
make_sign (GhloLowering    *self,
           const GhloIrOp  *op,
           GhloElementType  type,
           const guint32   *operands)
{
  guint32 x = operands[0], zero = small (self, type, 0);
  guint32 rest = ghlo_node_types (type) == GHLO_NODE_TYPES_F ? x : zero;

  if (ghlo_node_types (type) != GHLO_NODE_TYPES_U)
    rest = NODE (SELECT, type, NODE (LESS, I1, x, zero, NONE), small (self, type, -1), rest);

  return NODE (SELECT, type, NODE (GREATER, I1, x, zero, NONE), small (self, type, 1), rest);
}

static guint32
make_round_away (GhloLowering    *self,
                 const GhloIrOp  *op,
                 GhloElementType  type,
                 const guint32   *operands)
{
  GhloElementType bits = bits_type (type, FALSE);
  guint32 sign = ghlo_lower_constant (self, bits, (guint64) 1 << (ghlo_element_info (type)->bits - 1));
  guint32 magnitude = NODE (ABS, type, operands[0], NONE, NONE), whole = NODE (TRUNCATE, type, magnitude, NONE, NONE);
  guint32 rest = NODE (SUBTRACT, type, magnitude, whole, NONE);
  guint32 is_up = NODE (GREATER_EQUAL, I1, rest, ghlo_lower_float (self, type, 0.5), NONE);
  guint32 more = NODE (SELECT, type, is_up, ghlo_lower_float (self, type, 1), ghlo_lower_float (self, type, 0));

  sign = NODE (AND, bits, bitcast (self, bits, operands[0]), sign, NONE);
  whole = bitcast (self, bits, NODE (ADD, type, whole, more, NONE));

  return bitcast (self, type, NODE (OR, bits, whole, sign, NONE));
}

static guint32
make_is_finite (GhloLowering    *self,
                const GhloIrOp  *op,
                GhloElementType  type,
                const guint32   *operands)
{
  return NODE (LESS, I1, NODE (ABS, type, operands[0], NONE, NONE), ghlo_lower_float (self, type, INFINITY), NONE);
}

static guint32
make_is_inf (GhloLowering    *self,
             const GhloIrOp  *op,
             GhloElementType  type,
             const guint32   *operands)
{
  return NODE (EQUAL, I1, NODE (ABS, type, operands[0], NONE, NONE), ghlo_lower_float (self, type, INFINITY), NONE);
}

static guint32
make_is_pos_inf (GhloLowering    *self,
                 const GhloIrOp  *op,
                 GhloElementType  type,
                 const guint32   *operands)
{
  return NODE (EQUAL, I1, operands[0], ghlo_lower_float (self, type, INFINITY), NONE);
}

static guint32
make_is_neg_inf (GhloLowering    *self,
                 const GhloIrOp  *op,
                 GhloElementType  type,
                 const guint32   *operands)
{
  return NODE (EQUAL, I1, operands[0], ghlo_lower_float (self, type, -INFINITY), NONE);
}

static guint32
make_square (GhloLowering    *self,
             const GhloIrOp  *op,
             GhloElementType  type,
             const guint32   *operands)
{
  return NODE (MULTIPLY, type, operands[0], operands[0], NONE);
}

typedef guint32 (*Make) (GhloLowering    *self,
                         const GhloIrOp  *op,
                         GhloElementType  type,         /* of the operands' nodes */
                         const guint32   *operands);

/* The scalar operations that are several nodes. */
static const Make makes[GHLO_N_SCALARS] = {
  [GHLO_SCALAR_CLAMP] = make_clamp,
  [GHLO_SCALAR_COMPARE] = make_compare,
  [GHLO_SCALAR_CONVERT] = make_convert,
  [GHLO_SCALAR_COUNT_LEADING_ZEROS] = make_leading_zeros,
  [GHLO_SCALAR_IS_FINITE] = make_is_finite,
  [GHLO_SCALAR_IS_INF] = make_is_inf,
  [GHLO_SCALAR_IS_NEG_INF] = make_is_neg_inf,
  [GHLO_SCALAR_IS_POS_INF] = make_is_pos_inf,
  [GHLO_SCALAR_MULHI] = make_multiply_high,
  [GHLO_SCALAR_NEXT_AFTER] = ghlo_lower_next_after,
  [GHLO_SCALAR_POPCNT] = make_popcnt,
  [GHLO_SCALAR_REDUCE_PRECISION] = ghlo_lower_reduce_precision,
  [GHLO_SCALAR_ROUND_NEAREST_AFZ] = make_round_away,
  [GHLO_SCALAR_SHIFT_RIGHT_ARITHMETIC] = make_arithmetic_shift,
  [GHLO_SCALAR_SHIFT_RIGHT_LOGICAL] = make_logical_shift,
  [GHLO_SCALAR_SIGN] = make_sign,
  [GHLO_SCALAR_SQUARE] = make_square,
};

/* Returns the node for operands of @type, or GHLO_N_NODES. */
static GhloNodeKind
find_node (GhloScalarKind  kind,
           GhloElementType type)
{
  const GhloNodeSpec *spec;
  GhloNodeKind node = nodes[kind];

  if (node == GHLO_NODE_REMAINDER && ghlo_node_types (type) == GHLO_NODE_TYPES_F)
    node = GHLO_NODE_REMAINDER_FLOAT;
  spec = ghlo_node_spec (node);

  if (node == 0 || (spec->operand_types & ghlo_node_types (type)) == 0)
    return GHLO_N_NODES;

  return spec->role == GHLO_NODE_FUNCTION && ghlo_kernel_expansion (node, type) == NULL ? GHLO_N_NODES : node;
}

/* Returns the scalar operation that @op is on values of @type, or INVALID. */
static GhloScalarKind
find_scalar (const GhloIrOp  *op,
             GhloElementType  type)
{
  GhloScalarKind kind = ghlo_scalar_of (op->kind);

  return kind != GHLO_SCALAR_INVALID ? ghlo_scalar_on (kind, ghlo_element_info (type)->element_class) : kind;
}

const char *
ghlo_lower_scalar_obstacle (const GhloIrOp *op)
{
  const GhloIrType *values = op->n_operands > 0 ? ghlo_ir_op_operand (op, op->n_operands - 1)->type : NULL;
  GhloElementType type = values != NULL ? ghlo_lower_type (values->element_type) : GHLO_ELEMENT_TYPE_INVALID;
  GhloScalarKind kind;

  if (type == GHLO_ELEMENT_TYPE_INVALID)
    return "kernels do not support its element type";
  if (ghlo_lower_has_complex (op))
    return ghlo_lower_complex_obstacle (op);
  kind = find_scalar (op, type);

  return kind != GHLO_SCALAR_INVALID && (makes[kind] != NULL || find_node (kind, type) != GHLO_N_NODES) ? NULL
         : "kernels do not support this operation";
}

guint32
ghlo_lower_combine (GhloLowering    *self,
                    GhloCombiner     combiner,
                    GhloElementType  type,
                    guint32          a,
                    guint32          b)
{
  GhloNodeKind node = find_node (ghlo_combiner_scalar (combiner), type);

  if (node == GHLO_N_NODES)
    return ghlo_lower_refuse (self, "kernels do not support its reduction");

  return ghlo_lower_node (self, node, type, a, b, NONE);
}

guint32
ghlo_lower_scalar (GhloLowering   *self,
                   const GhloIrOp *op,
                   const guint32  *operands)
{
  const GhloIrType *values = ghlo_ir_op_operand (op, op->n_operands - 1)->type;
  GhloElementType type = ghlo_lower_type (values->element_type), result = op->results[0].type->element_type;
  const char *obstacle = ghlo_lower_scalar_obstacle (op);
  GhloScalarKind kind;
  guint32 value;

  if (values->quantization != NULL || op->results[0].type->quantization != NULL || ghlo_lower_has_complex (op))
    obstacle = "kernels do not support its element type";
  if (obstacle != NULL)
    return ghlo_lower_refuse (self, obstacle);
  kind = find_scalar (op, type);
  if (makes[kind] != NULL)
    value = makes[kind] (self, op, type, operands);
  else
    value = ghlo_lower_node (self, find_node (kind, type), type, operands[0], op->n_operands > 1 ? operands[1] : NONE,
                             op->n_operands > 2 ? operands[2] : NONE);

  /* For most types, exact results already are numbers of the type, and so are integers that a narrow float holds. */
  if (kind == GHLO_SCALAR_CONVERT && ghlo_node_types (type) != GHLO_NODE_TYPES_F && result != I1
      && ghlo_element_info (result)->element_class == GHLO_ELEMENT_CLASS_FLOAT
      && ghlo_lower_holds_integers (result, values->element_type))
    return value;

  return value == NONE || (ghlo_scalar_spec (kind)->is_exact && ghlo_lower_is_closed (result))
           ? value : ghlo_lower_round (self, result, value);
}
