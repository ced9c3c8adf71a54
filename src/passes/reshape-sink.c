/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Moves layout changes down past computations: an elementwise operation whose operands were all reshaped
 * (transposed, broadcast) in the same way is computed before that, and its result is reshaped. Scalars and splats
 * are recreated in the earlier shape. Each element is computed from the same elements as before; below a broadcast,
 * fewer elements are computed.
 */

#include "passes/reshape.h"

#include "passes/constant.h"
#include "passes/effects.h"
#include "passes/shapes.h"
#include "passes/walk.h"

enum { MAX_OPERANDS = GHLO_RESHAPE_MAX_OPERANDS };

/* An operation and the layout change that its operands have in common. */
typedef struct
{
  GhloRewriter     *rewriter;
  GhloIrOp         *op;
  const GhloIrOp   *layout;         /* the reshape, transpose or broadcast that defines one of the operands */
  const GhloIrType *shape;          /* the shape before it */
  GhloIrValue      *operands[MAX_OPERANDS];
} Sinking;

static gboolean
takes_scalars (const GhloIrOp *op)
{
  return (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_BROADCASTS_SCALARS) != 0;
}

gboolean
ghlo_reshape_is_simple (const GhloIrOp *op)
{
  if (!ghlo_pass_is_elementwise (op))
    return FALSE;
  if (op->n_results != 1 || op->n_regions != 0 || op->n_operands == 0 || op->n_operands > MAX_OPERANDS
      || !ghlo_type_is_plain (op->results[0].type))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrType *type = ghlo_ir_op_operand (op, i)->type;

      if (!ghlo_type_is_plain (type)
          || !(ghlo_shape_equal (type, op->results[0].type) || (takes_scalars (op) && type->rank == 0)))
        return FALSE;
    }

  return TRUE;
}

/* Whether all elements are equal: a splat, a broadcast scalar, or a scalar. */
static gboolean
is_uniform (const GhloIrValue *value)
{
  const GhloIrOp *op = value->op;
  GhloScalar scalar;

  return value->type->rank == 0 || ghlo_value_get_splat (value, &scalar)
         || (ghlo_op_get_broadcast (op) != NULL && ghlo_ir_op_operand (op, 0)->type->rank == 0);
}

static gboolean
is_layout (const GhloIrOp *op)
{
  return ghlo_op_is_reshape (op) || ghlo_op_get_permutation (op) != NULL
         || (ghlo_op_get_broadcast (op) != NULL && ghlo_ir_op_operand (op, 0)->type->rank > 0);
}

/* Whether @other changes its operand in the same way as the layout changes its own. */
static gboolean
is_alike (const Sinking  *self,
          const GhloIrOp *other)
{
  const GhloIrOp *layout = self->layout;

  if (other == NULL || other->kind != layout->kind || !is_layout (other)
      || !ghlo_shape_equal (ghlo_ir_op_operand (other, 0)->type, self->shape))
    return FALSE;
  for (guint i = 0; i < ghlo_ir_op_get_spec (layout)->n_attributes; i++)
    if (other->attributes[i] != layout->attributes[i])
      return FALSE;

  return TRUE;
}

/* Whether @value is a broadcast or an iota that can be recreated without the transposition. */
static gboolean
can_untranspose (const GhloIrValue *value,
                 const GhloIrOp    *user)
{
  return value->op != NULL && ghlo_pass_only_user (value, user)
         && (value->op->kind == GHLO_OP_STABLEHLO_IOTA || ghlo_op_get_broadcast (value->op) != NULL);
}

/* The element type of @type in the shape before the layout change. */
static const GhloIrType *
earlier_type (const Sinking    *self,
              const GhloIrType *type)
{
  return ghlo_make_type_of (self->rewriter, type->element_type, self->shape);
}

static GhloIrValue *
make_uniform (const Sinking *self,
              GhloIrValue   *value)
{
  const GhloIrType *type = earlier_type (self, value->type);
  GhloScalar scalar;

  if (value->type->rank == 0 && takes_scalars (self->op))
    return value;
  if (ghlo_value_get_splat (value, &scalar))
    return ghlo_make_splat (self->rewriter, type, scalar);

  return ghlo_make_broadcast (self->rewriter, ghlo_ir_op_operand (value->op, 0), NULL, type);
}

static GhloIrValue *
make_untransposed (const Sinking *self,
                   GhloIrValue   *value)
{
  const gint64 *permutation = ghlo_op_get_permutation (self->layout);
  const gint64 *dimensions = ghlo_op_get_broadcast (value->op);
  const GhloIrType *type = earlier_type (self, value->type);
  gint64 map[GHLO_MAX_RANK], counted;

  if (dimensions == NULL)
    {
      counted = permutation[ghlo_ir_op_get_int (value->op, "iota_dimension", 0)];
      return ghlo_make (self->rewriter, GHLO_OP_STABLEHLO_IOTA, type, NULL, 0,
                        &(GhloIrNamedAttr) { "iota_dimension",
                                             ghlo_ir_attr_i64 (self->rewriter->module, counted) }, 1);
    }
  for (guint i = 0; i < ghlo_ir_op_operand (value->op, 0)->type->rank; i++)
    map[i] = permutation[dimensions[i]];

  return ghlo_make_broadcast (self->rewriter, ghlo_ir_op_operand (value->op, 0), map, type);
}

/* Finds the layout change to be moved: that of the first operand that has one. */
static gboolean
find_layout (Sinking *self)
{
  for (guint i = 0; i < self->op->n_operands && self->layout == NULL; i++)
    {
      GhloIrValue *operand = ghlo_ir_op_operand (self->op, i);

      if (!is_uniform (operand) && is_layout (operand->op))
        self->layout = operand->op;
    }
  if (self->layout != NULL)
    self->shape = ghlo_ir_op_operand (self->layout, 0)->type;

  return self->layout != NULL;
}

static gboolean
all_alike (const Sinking *self)
{
  gboolean transposes = self->layout->kind == GHLO_OP_STABLEHLO_TRANSPOSE;

  for (guint i = 0; i < self->op->n_operands; i++)
    {
      GhloIrValue *operand = ghlo_ir_op_operand (self->op, i);

      if (!is_uniform (operand) && !is_alike (self, operand->op)
          && !(transposes && can_untranspose (operand, self->op)))
        return FALSE;
    }

  return TRUE;
}

/* Moving a reshape costs nothing. Moving a broadcast pays when fewer elements are computed. Moving a transpose pays
 * when no user of the earlier transposes is left and the bytes to be moved do not increase. */
static gboolean
is_profitable (const Sinking *self)
{
  const GhloIrType *result = self->op->results[0].type;
  gsize bytes = 0;

  switch (self->layout->kind)
    {
    case GHLO_OP_STABLEHLO_RESHAPE:
      return TRUE;
    case GHLO_OP_STABLEHLO_BROADCAST_IN_DIM:
      return ghlo_type_count (self->shape) < ghlo_type_count (result);
    default:
      break;
    }
  for (guint i = 0; i < self->op->n_operands; i++)
    {
      GhloIrValue *operand = ghlo_ir_op_operand (self->op, i);

      if (!is_alike (self, operand->op))
        continue;
      if (!ghlo_pass_only_user (operand, self->op))
        return FALSE;
      bytes += ghlo_element_info (operand->type->element_type)->size;
    }

  return ghlo_element_info (result->element_type)->size <= bytes;
}

gboolean
ghlo_reshape_sink (GhloRewriter *rewriter,
                   GhloIrOp     *op)
{
  Sinking self = { .rewriter = rewriter, .op = op };
  GhloIrValue *result;

  if (!ghlo_reshape_is_simple (op) || !find_layout (&self) || !all_alike (&self) || !is_profitable (&self))
    return FALSE;

  for (guint i = 0; i < op->n_operands; i++)
    {
      GhloIrValue *operand = ghlo_ir_op_operand (op, i);

      if (is_uniform (operand))
        self.operands[i] = make_uniform (&self, operand);
      else if (is_alike (&self, operand->op))
        self.operands[i] = ghlo_ir_op_operand (operand->op, 0);
      else
        self.operands[i] = make_untransposed (&self, operand);
    }
  result = ghlo_make_like (rewriter, op, self.operands, earlier_type (&self, op->results[0].type));

  return ghlo_rewrite_replace (rewriter, op, ghlo_make_like (rewriter, self.layout, &result, op->results[0].type));
}
