/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "reshape": merges reshapes, transposes, broadcasts and iotas. A broadcast that does not change the number of
 * elements is a reshape or a transpose, and a transpose that only moves dimensions of size 1 is a reshape.
 */

#include "passes/reshape.h"

#include "passes/constant.h"
#include "passes/shapes.h"
#include "passes/canonicalize.h"

/* The definer of @op's first operand. */
static GhloIrOp *
inner_of (const GhloIrOp *op)
{
  return ghlo_ir_op_operand (op, 0)->op;
}

static gboolean
transpose_to_reshape (GhloRewriter *self,
                      GhloIrOp     *op)
{
  const gint64 *permutation = ghlo_op_get_permutation (op);

  return permutation != NULL && ghlo_permutation_is_reshape (permutation, ghlo_ir_op_operand (op, 0)->type)
         && ghlo_rewrite_replace (self, op, ghlo_make_reshape (self, ghlo_ir_op_operand (op, 0),
                                                               op->results[0].type));
}

/* transpose (reshape (x)) becomes reshape (transpose (x)) where the reshape only adds and drops ones: its other
 * dimensions are those of x. */
static gboolean
transpose_of_reshape (GhloRewriter *self,
                      GhloIrOp     *op)
{
  const gint64 *permutation = ghlo_op_get_permutation (op);
  const GhloIrOp *reshape = inner_of (op);
  gint64 map[GHLO_MAX_RANK], back[GHLO_MAX_RANK], own[GHLO_MAX_RANK];
  GhloIrValue *source;
  guint n = 0;

  if (permutation == NULL || !ghlo_op_is_reshape (reshape))
    return FALSE;
  source = ghlo_ir_op_operand (reshape, 0);
  if (!ghlo_shape_match_ones (source->type, reshape->results[0].type, map))
    return FALSE;

  for (guint i = 0; i < reshape->results[0].type->rank; i++)
    back[i] = -1;
  for (guint i = 0; i < source->type->rank; i++)
    if (map[i] >= 0)
      back[map[i]] = i;
  /* The dimensions of x in their new order, then its ones. */
  for (guint i = 0; i < op->results[0].type->rank; i++)
    if (back[permutation[i]] >= 0)
      own[n++] = back[permutation[i]];
  for (guint i = 0; i < source->type->rank; i++)
    if (map[i] < 0)
      own[n++] = i;

  return ghlo_rewrite_replace (self, op, ghlo_make_reshape (self, ghlo_make_transpose (self, source, own),
                                                            op->results[0].type));
}

/* A transpose of a broadcast is a broadcast to other dimensions. */
static gboolean
transpose_of_broadcast (GhloRewriter *self,
                        GhloIrOp     *op)
{
  const gint64 *permutation = ghlo_op_get_permutation (op), *dimensions = ghlo_op_get_broadcast (inner_of (op));
  gint64 inverse[GHLO_MAX_RANK], both[GHLO_MAX_RANK];
  GhloIrValue *source;

  if (permutation == NULL || dimensions == NULL)
    return FALSE;
  source = ghlo_ir_op_operand (inner_of (op), 0);
  ghlo_permutation_invert (permutation, op->results[0].type->rank, inverse);
  for (guint i = 0; i < source->type->rank; i++)
    both[i] = inverse[dimensions[i]];

  return ghlo_rewrite_replace (self, op, ghlo_make_broadcast (self, source, both, op->results[0].type));
}

static GhloIrValue *
make_iota (GhloRewriter     *self,
           const GhloIrType *type,
           gint64            dimension)
{
  return ghlo_make (self, GHLO_OP_STABLEHLO_IOTA, type, NULL, 0,
                    &(GhloIrNamedAttr) { "iota_dimension", ghlo_ir_attr_i64 (self->module, dimension) }, 1);
}

/* The dimension along which a plain iota counts, if it is larger than 1, else -1. */
static gint64
counted_dimension (const GhloIrOp *op)
{
  gint64 dimension;

  if (op == NULL || op->kind != GHLO_OP_STABLEHLO_IOTA || !ghlo_type_is_plain (op->results[0].type))
    return -1;
  dimension = ghlo_ir_op_get_int (op, "iota_dimension", -1);

  return op->results[0].type->dimensions[dimension] > 1 ? dimension : -1;
}

static gboolean
transpose_of_iota (GhloRewriter *self,
                   GhloIrOp     *op)
{
  const gint64 *permutation = ghlo_op_get_permutation (op);
  gint64 dimension = counted_dimension (inner_of (op)), inverse[GHLO_MAX_RANK];

  if (permutation == NULL || dimension < 0)
    return FALSE;
  ghlo_permutation_invert (permutation, op->results[0].type->rank, inverse);

  return ghlo_rewrite_replace (self, op, make_iota (self, op->results[0].type, inverse[dimension]));
}

static gboolean
broadcast_of_iota (GhloRewriter *self,
                   GhloIrOp     *op)
{
  const gint64 *dimensions = ghlo_op_get_broadcast (op);
  gint64 dimension = counted_dimension (inner_of (op));

  return dimensions != NULL && dimension >= 0
         && ghlo_rewrite_replace (self, op, make_iota (self, op->results[0].type, dimensions[dimension]));
}

static gboolean
reshape_of_iota (GhloRewriter *self,
                 GhloIrOp     *op)
{
  gint64 dimension = counted_dimension (inner_of (op)), map[GHLO_MAX_RANK];

  return dimension >= 0 && ghlo_op_is_reshape (op)
         && ghlo_shape_match_ones (inner_of (op)->results[0].type, op->results[0].type, map)
         && ghlo_rewrite_replace (self, op, make_iota (self, op->results[0].type, map[dimension]));
}

/* A broadcast that repeats nothing; it may permute the dimensions. */
static gboolean
broadcast_of_same_size (GhloRewriter *self,
                        GhloIrOp     *op)
{
  const gint64 *dimensions = ghlo_op_get_broadcast (op);
  GhloIrValue *operand = ghlo_ir_op_operand (op, 0);
  gint64 permutation[GHLO_MAX_RANK];
  guint n = 0;

  if (dimensions == NULL || ghlo_type_count (operand->type) != ghlo_type_count (op->results[0].type)
      || ghlo_type_count (operand->type) == 0)
    return FALSE;
  /* The operand's dimensions in the order in which the result has them. */
  for (guint d = 0; d < op->results[0].type->rank; d++)
    for (guint i = 0; i < operand->type->rank; i++)
      if (dimensions[i] == d)
        permutation[n++] = i;
  if (!ghlo_permutation_is_identity (permutation, n))
    operand = ghlo_make_transpose (self, operand, permutation);

  return ghlo_rewrite_replace (self, op, ghlo_make_reshape (self, operand, op->results[0].type));
}

static gboolean
broadcast_twice (GhloRewriter *self,
                 GhloIrOp     *op)
{
  const gint64 *outer = ghlo_op_get_broadcast (op), *inner = ghlo_op_get_broadcast (inner_of (op));
  gint64 both[GHLO_MAX_RANK];
  GhloIrValue *source;

  if (outer == NULL || inner == NULL)
    return FALSE;
  source = ghlo_ir_op_operand (inner_of (op), 0);
  for (guint i = 0; i < source->type->rank; i++)
    both[i] = outer[inner[i]];

  return ghlo_rewrite_replace (self, op, ghlo_make_broadcast (self, source, both, op->results[0].type));
}

static gboolean
broadcast_of_transpose (GhloRewriter *self,
                        GhloIrOp     *op)
{
  const gint64 *dimensions = ghlo_op_get_broadcast (op), *permutation = ghlo_op_get_permutation (inner_of (op));
  gint64 both[GHLO_MAX_RANK];

  if (dimensions == NULL || permutation == NULL)
    return FALSE;
  for (guint i = 0; i < ghlo_ir_op_operand (op, 0)->type->rank; i++)
    both[permutation[i]] = dimensions[i];

  return ghlo_rewrite_replace (self, op, ghlo_make_broadcast (self, ghlo_ir_op_operand (inner_of (op), 0), both,
                                                              op->results[0].type));
}

/* Maps each one of @source to a dimension of the result that is not taken, which may have any size. FALSE when there
 * are too few of those. */
static gboolean
place_ones (const GhloIrType *source,
            const GhloIrType *result,
            gint64           *map)
{
  gboolean taken[GHLO_MAX_RANK] = { FALSE };
  guint d = 0;

  for (guint i = 0; i < source->rank; i++)
    if (map[i] >= 0)
      taken[map[i]] = TRUE;
  for (guint i = 0; i < source->rank; i++)
    if (map[i] < 0)
      {
        while (d < result->rank && taken[d])
          d++;
        if (d == result->rank)
          return FALSE;
        map[i] = d++;
      }

  return TRUE;
}

static gboolean
has_ones (const GhloIrType *type)
{
  for (guint i = 0; i < type->rank; i++)
    if (type->dimensions[i] == 1)
      return TRUE;

  return FALSE;
}

/* Reshapes the operand to drop its ones; the other dimensions keep their order. */
static GhloIrValue *
drop_ones (GhloRewriter *self,
           GhloIrValue  *operand,
           gint64       *map)
{
  const GhloIrType *type = operand->type;
  gint64 dimensions[GHLO_MAX_RANK];
  guint n = 0;

  for (guint i = 0; i < type->rank; i++)
    if (type->dimensions[i] != 1)
      {
        dimensions[n] = type->dimensions[i];
        map[n++] = map[i];
      }

  return ghlo_make_reshape (self, operand, ghlo_make_type (self, type, dimensions, n));
}

/* A broadcast of a reshape that only adds and drops ones. */
static gboolean
broadcast_of_reshape (GhloRewriter *self,
                      GhloIrOp     *op)
{
  const gint64 *dimensions = ghlo_op_get_broadcast (op);
  const GhloIrOp *reshape = inner_of (op);
  gint64 map[GHLO_MAX_RANK];
  GhloIrValue *source;

  if (dimensions == NULL || !ghlo_op_is_reshape (reshape))
    return FALSE;
  source = ghlo_ir_op_operand (reshape, 0);
  if (!ghlo_shape_match_ones (source->type, reshape->results[0].type, map))
    return FALSE;
  for (guint i = 0; i < source->type->rank; i++)
    map[i] = map[i] >= 0 ? dimensions[map[i]] : -1;
  /* Where the result has no room for the ones, another reshape drops all of them, unless this reshape does
   * so already. */
  if (!place_ones (source->type, op->results[0].type, map))
    {
      if (!has_ones (reshape->results[0].type))
        return FALSE;
      source = drop_ones (self, source, map);
    }

  return ghlo_rewrite_replace (self, op, ghlo_make_broadcast (self, source, map, op->results[0].type));
}

/* A reshape of a broadcast that only adds and drops ones. */
static gboolean
reshape_of_broadcast (GhloRewriter *self,
                      GhloIrOp     *op)
{
  const GhloIrOp *broadcast = inner_of (op);
  const gint64 *dimensions = ghlo_op_get_broadcast (broadcast);
  gint64 map[GHLO_MAX_RANK], both[GHLO_MAX_RANK];
  GhloIrValue *source;

  if (dimensions == NULL || !ghlo_op_is_reshape (op)
      || !ghlo_shape_match_ones (broadcast->results[0].type, op->results[0].type, map))
    return FALSE;
  source = ghlo_ir_op_operand (broadcast, 0);
  for (guint i = 0; i < source->type->rank; i++)
    both[i] = map[dimensions[i]];
  if (!place_ones (source->type, op->results[0].type, both))
    return FALSE;

  return ghlo_rewrite_replace (self, op, ghlo_make_broadcast (self, source, both, op->results[0].type));
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_TRANSPOSE, transpose_to_reshape },
  { GHLO_OP_STABLEHLO_TRANSPOSE, transpose_of_reshape },
  { GHLO_OP_STABLEHLO_TRANSPOSE, transpose_of_broadcast },
  { GHLO_OP_STABLEHLO_TRANSPOSE, transpose_of_iota },
  { GHLO_OP_STABLEHLO_BROADCAST_IN_DIM, broadcast_of_same_size },
  { GHLO_OP_STABLEHLO_BROADCAST_IN_DIM, broadcast_of_iota },
  { GHLO_OP_STABLEHLO_BROADCAST_IN_DIM, broadcast_twice },
  { GHLO_OP_STABLEHLO_BROADCAST_IN_DIM, broadcast_of_transpose },
  { GHLO_OP_STABLEHLO_BROADCAST_IN_DIM, broadcast_of_reshape },
  { GHLO_OP_STABLEHLO_RESHAPE, reshape_of_iota },
  { GHLO_OP_STABLEHLO_RESHAPE, reshape_of_broadcast },
  { GHLO_OP_STABLEHLO_REDUCE, ghlo_reshape_reduce },
  { GHLO_OP_INVALID, ghlo_reshape_sink },
};

gboolean
ghlo_pass_reshape (GhloIrModule     *module,
                   GhloPassContext  *context,
                   GError          **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (GhloRuleRow));

  g_array_append_vals (all, ghlo_canonicalize_moves.rows, ghlo_canonicalize_moves.n_rows);
  g_array_append_vals (all, rows, G_N_ELEMENTS (rows));

  return ghlo_rewrite_module (module, context, (gconstpointer) all->data, all->len, error);
}
