/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The role that an operation may have in a group, from the op table's traits and the lists here.
 */

#include "passes/fuse/fuse-role.h"

#include "passes/constant.h"
#include "passes/effects.h"
#include "passes/shapes.h"
#include "passes/walk.h"

/* The maximum rank of a value, and the maximum number of operations in the body of a reduction. */
enum { MAX_RANK = 32, MAX_BODY = 32 };

/* Elementwise operations that take far longer than moving an element does. */
static const gboolean is_function[GHLO_N_OPS] = {
  [GHLO_OP_STABLEHLO_ATAN2] = TRUE,
  [GHLO_OP_STABLEHLO_CBRT] = TRUE,
  [GHLO_OP_STABLEHLO_COSINE] = TRUE,
  [GHLO_OP_STABLEHLO_EXPONENTIAL] = TRUE,
  [GHLO_OP_STABLEHLO_EXPONENTIAL_MINUS_ONE] = TRUE,
  [GHLO_OP_STABLEHLO_LOG] = TRUE,
  [GHLO_OP_STABLEHLO_LOGISTIC] = TRUE,
  [GHLO_OP_STABLEHLO_LOG_PLUS_ONE] = TRUE,
  [GHLO_OP_STABLEHLO_POWER] = TRUE,
  [GHLO_OP_STABLEHLO_REMAINDER] = TRUE,
  [GHLO_OP_STABLEHLO_RSQRT] = TRUE,
  [GHLO_OP_STABLEHLO_SINE] = TRUE,
  [GHLO_OP_STABLEHLO_TAN] = TRUE,
  [GHLO_OP_STABLEHLO_TANH] = TRUE,
  [GHLO_OP_CHLO_ACOS] = TRUE,
  [GHLO_OP_CHLO_ACOSH] = TRUE,
  [GHLO_OP_CHLO_ASIN] = TRUE,
  [GHLO_OP_CHLO_ASINH] = TRUE,
  [GHLO_OP_CHLO_ASIN_ACOS_KERNEL] = TRUE,
  [GHLO_OP_CHLO_ATAN] = TRUE,
  [GHLO_OP_CHLO_ATANH] = TRUE,
  [GHLO_OP_CHLO_BESSEL_I1E] = TRUE,
  [GHLO_OP_CHLO_COSH] = TRUE,
  [GHLO_OP_CHLO_DIGAMMA] = TRUE,
  [GHLO_OP_CHLO_ERF] = TRUE,
  [GHLO_OP_CHLO_ERFC] = TRUE,
  [GHLO_OP_CHLO_ERF_INV] = TRUE,
  [GHLO_OP_CHLO_LGAMMA] = TRUE,
  [GHLO_OP_CHLO_POLYGAMMA] = TRUE,
  [GHLO_OP_CHLO_SINH] = TRUE,
  [GHLO_OP_CHLO_ZETA] = TRUE,
};

static gboolean
suits (const GhloIrType *type)
{
  if (!ghlo_type_is_plain (type) || type->rank > MAX_RANK)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    if (type->dimensions[i] == 0)
      return FALSE;

  return TRUE;
}

static gboolean
has_types_that_suit (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!suits (ghlo_ir_op_operand (op, i)->type))
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (!suits (op->results[i].type))
      return FALSE;

  return TRUE;
}

static gboolean
is_elementwise (const GhloIrOp *op)
{
  return ghlo_pass_is_elementwise (op) && op->n_results == 1 && op->n_regions == 0;
}

/* Whether the reduction's body is a computation on scalars that uses nothing from outside. */
static gboolean
is_scalar_body (const GhloIrOp *reduce)
{
  const GhloIrBlock *body = ghlo_ir_op_region_block (reduce, 0);
  const GhloIrOp *end = body != NULL ? ghlo_pass_terminator (body) : NULL;
  guint n = 0;

  if (end == NULL || end->n_operands != reduce->n_results)
    return FALSE;
  for (const GhloIrOp *op = body->first; op != end; op = op->next)
    {
      gboolean is_scalar = is_elementwise (op) || op->kind == GHLO_OP_STABLEHLO_CONSTANT;

      if (!is_scalar || ++n > MAX_BODY || !has_types_that_suit (op) || op->results[0].type->rank > 0)
        return FALSE;
    }

  return ghlo_pass_is_closed (reduce);
}

/* GHLO_FUSE_ROLE_REDUCE where a reduced dimension is larger than 1; reducing only dimensions of size 1 does
 * not count. */
static GhloFuseRole
role_of_reduce (const GhloIrOp *op)
{
  const GhloIrType *type = op->n_operands > 0 ? ghlo_ir_op_operand (op, 0)->type : NULL;
  gsize n;
  const gint64 *dimensions = ghlo_ir_op_get_ints (op, "dimensions", &n);

  if (type == NULL || op->n_operands != 2 * op->n_results || !is_scalar_body (op))
    return GHLO_FUSE_ROLE_NONE;
  for (guint i = 1; i < op->n_results; i++)
    if (!ghlo_shape_equal (ghlo_ir_op_operand (op, i)->type, type))
      return GHLO_FUSE_ROLE_NONE;
  for (gsize i = 0; i < n; i++)
    if (type->dimensions[dimensions[i]] > 1)
      return GHLO_FUSE_ROLE_REDUCE;

  return GHLO_FUSE_ROLE_NONE;
}

static GhloFuseRole
role_of_reshape (const GhloIrOp *op)
{
  gint64 map[MAX_RANK];

  return ghlo_shape_match_ones (ghlo_ir_op_operand (op, 0)->type, op->results[0].type, map) ? GHLO_FUSE_ROLE_RESHAPE
                                                                                          : GHLO_FUSE_ROLE_NONE;
}

/* A conversion with several readers is computed by each of them, where this does not increase the bytes read. */
static GhloFuseRole
role_of_convert (const GhloIrOp *op)
{
  const GhloIrUse *use = op->results[0].uses;
  gsize from = ghlo_element_info (ghlo_ir_op_operand (op, 0)->type->element_type)->size;

  return use != NULL && use->next != NULL && from <= ghlo_element_info (op->results[0].type->element_type)->size
           ? GHLO_FUSE_ROLE_CONVERT : GHLO_FUSE_ROLE_ELEMENTWISE;
}

/* Bitcasts between types of whole bytes are views. */
static GhloFuseRole
role_of_bitcast (const GhloIrOp *op)
{
  guint from = ghlo_element_info (ghlo_ir_op_operand (op, 0)->type->element_type)->bits;
  guint to = ghlo_element_info (op->results[0].type->element_type)->bits;

  return from % 8 != 0 || to % 8 != 0 ? GHLO_FUSE_ROLE_INDEX : GHLO_FUSE_ROLE_NONE;
}

static GhloFuseRole
role_by_kind (const GhloIrOp *op)
{
  GhloScalar scalar;

  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_CONSTANT:
      return ghlo_value_get_splat (&op->results[0], &scalar) ? GHLO_FUSE_ROLE_LEAF : GHLO_FUSE_ROLE_NONE;
    case GHLO_OP_STABLEHLO_IOTA:
      return GHLO_FUSE_ROLE_LEAF;
    case GHLO_OP_STABLEHLO_BROADCAST_IN_DIM:
      return GHLO_FUSE_ROLE_BROADCAST;
    case GHLO_OP_STABLEHLO_RESHAPE:
      return role_of_reshape (op);
    case GHLO_OP_STABLEHLO_TRANSPOSE:
    case GHLO_OP_STABLEHLO_SLICE:
    case GHLO_OP_STABLEHLO_REVERSE:
      return GHLO_FUSE_ROLE_MOVE;
    case GHLO_OP_STABLEHLO_PAD:
    case GHLO_OP_STABLEHLO_CONCATENATE:
      return GHLO_FUSE_ROLE_INDEX;
    case GHLO_OP_STABLEHLO_DYNAMIC_SLICE:
    case GHLO_OP_STABLEHLO_GATHER:
      return GHLO_FUSE_ROLE_START;
    case GHLO_OP_STABLEHLO_REDUCE:
      return role_of_reduce (op);
    case GHLO_OP_STABLEHLO_CONVERT:
      return role_of_convert (op);
    case GHLO_OP_STABLEHLO_BITCAST_CONVERT:
      return role_of_bitcast (op);
    case GHLO_OP_STABLEHLO_CONVOLUTION:
    case GHLO_OP_STABLEHLO_DOT:
    case GHLO_OP_STABLEHLO_DOT_GENERAL:
      return GHLO_FUSE_ROLE_PRODUCT;
    default:
      if (!is_elementwise (op))
        return GHLO_FUSE_ROLE_NONE;
      return is_function[op->kind] ? GHLO_FUSE_ROLE_FUNCTION : GHLO_FUSE_ROLE_ELEMENTWISE;
    }
}

GhloFuseRole
ghlo_fuse_role_of (const GhloIrOp *op)
{
  return has_types_that_suit (op) ? role_by_kind (op) : GHLO_FUSE_ROLE_NONE;
}

gboolean
ghlo_fuse_role_is_cheap (GhloFuseRole role)
{
  return role != GHLO_FUSE_ROLE_NONE && role != GHLO_FUSE_ROLE_FUNCTION && role != GHLO_FUSE_ROLE_REDUCE
         && role != GHLO_FUSE_ROLE_PRODUCT;
}
