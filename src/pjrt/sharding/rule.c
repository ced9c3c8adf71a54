/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of rules by operation. Operations without an entry that are not elementwise have no rule.
 */

#include "pjrt/sharding/rule.h"

#include <string.h>

#include "base/sizes.h"

void
ghlo_pjrt_rule_init (GhloPjrtRule *self)
{
  *self = (GhloPjrtRule) {
    .ranks = g_array_new (FALSE, TRUE, sizeof (guint)),
    .factors = g_array_new (FALSE, FALSE, sizeof (GhloPjrtFactor)),
    .dimensions = g_array_new (FALSE, FALSE, sizeof (int)),
  };
}

void
ghlo_pjrt_rule_clear (GhloPjrtRule *self)
{
  g_clear_pointer (&self->ranks, g_array_unref);
  g_clear_pointer (&self->factors, g_array_unref);
  g_clear_pointer (&self->dimensions, g_array_unref);
}

static void
begin (GhloPjrtRule *self,
       guint         n_operands,
       guint         n_results)
{
  self->n_operands = n_operands;
  self->n_tensors = n_operands + n_results;
  g_array_set_size (self->ranks, 0);
  g_array_set_size (self->factors, 0);
  g_array_set_size (self->dimensions, 0);
  g_array_set_size (self->ranks, self->n_tensors);
}

int *
ghlo_pjrt_rule_add (GhloPjrtRule       *self,
                    gint64              size,
                    GhloPjrtFactorKind  kind)
{
  const GhloPjrtFactor factor = { size, kind };
  const guint at = self->dimensions->len;
  int *by_tensor;

  g_array_append_val (self->factors, factor);
  g_array_set_size (self->dimensions, at + self->n_tensors);
  by_tensor = &g_array_index (self->dimensions, int, at);
  for (guint i = 0; i < self->n_tensors; i++)
    by_tensor[i] = GHLO_PJRT_NO_DIMENSION;

  return by_tensor;
}

void
ghlo_pjrt_rule_identity (GhloPjrtRule     *self,
                         const GhloIrType *type,
                         guint             n_operands,
                         guint             n_results)
{
  begin (self, n_operands, n_results);
  for (guint i = 0; i < self->n_tensors; i++)
    g_array_index (self->ranks, guint, i) = type->rank;
  for (guint dimension = 0; dimension < type->rank; dimension++)
    ghlo_pjrt_rule_add_everywhere (self, dimension, type->dimensions[dimension], GHLO_PJRT_PASS_THROUGH);
}

void
ghlo_pjrt_rule_add_everywhere (GhloPjrtRule       *self,
                               guint               dimension,
                               gint64              size,
                               GhloPjrtFactorKind  kind)
{
  int *by_tensor = ghlo_pjrt_rule_add (self, size, kind);

  for (guint i = 0; i < self->n_tensors; i++)
    if (g_array_index (self->ranks, guint, i) > dimension)
      by_tensor[i] = (int) dimension;
}

/* The rule for tensors of the result's shape; operands of other shapes, such as scalars, do not take part. */
static void
elementwise (GhloPjrtRule   *self,
             const GhloIrOp *op)
{
  const GhloIrType *type = op->results[0].type;

  for (guint i = 0; i < op->n_operands; i++)
    if (ghlo_pjrt_operand_type (op, i)->rank != type->rank
        || (type->rank > 0 && memcmp (ghlo_pjrt_operand_type (op, i)->dimensions, type->dimensions,
                                      type->rank * sizeof (gint64)) != 0))
      g_array_index (self->ranks, guint, i) = 0;
  for (guint i = 0; i < type->rank; i++)
    ghlo_pjrt_rule_add_everywhere (self, i, type->dimensions[i], GHLO_PJRT_PASS_THROUGH);
}

/* A dimension of the same size in the operand and the result corresponds; @changed is the kind of all other
 * dimensions. */
static void
by_size (GhloPjrtRule       *self,
         const GhloIrOp     *op,
         GhloPjrtFactorKind  changed)
{
  const GhloIrType *type = ghlo_pjrt_operand_type (op, 0), *result = op->results[0].type;

  for (guint i = 0; i < type->rank; i++)
    ghlo_pjrt_rule_add_everywhere (self, i, type->dimensions[i],
                                   type->dimensions[i] == result->dimensions[i] ? GHLO_PJRT_PASS_THROUGH : changed);
}

/* For slices and paddings at constant positions. */
static void
moved (GhloPjrtRule   *self,
       const GhloIrOp *op)
{
  by_size (self, op, GHLO_PJRT_NEEDS_COMMUNICATION);
}

static void
slice_anywhere (GhloPjrtRule   *self,
                const GhloIrOp *op)
{
  by_size (self, op, GHLO_PJRT_BLOCKED);
}

static void
update_slice (GhloPjrtRule   *self,
              const GhloIrOp *op)
{
  const GhloIrType *type = ghlo_pjrt_operand_type (op, 0), *update = ghlo_pjrt_operand_type (op, 1);

  for (guint i = 0; i < type->rank; i++)
    {
      int *by_tensor = ghlo_pjrt_rule_add (self, type->dimensions[i], GHLO_PJRT_PASS_THROUGH);

      by_tensor[0] = by_tensor[op->n_operands] = (int) i;
      if (type->dimensions[i] == update->dimensions[i])
        by_tensor[1] = (int) i;
    }
}

static void
broadcast (GhloPjrtRule   *self,
           const GhloIrOp *op)
{
  const GhloIrType *type = ghlo_pjrt_operand_type (op, 0), *result = op->results[0].type;
  gsize n;
  g_autofree gint64 *dimensions = ghlo_ir_op_dup_ints (op, "broadcast_dimensions", &n);

  for (guint i = 0; i < result->rank; i++)
    {
      int *by_tensor = ghlo_pjrt_rule_add (self, result->dimensions[i], GHLO_PJRT_PASS_THROUGH);

      by_tensor[1] = (int) i;
      for (gsize j = 0; j < n; j++)
        if (dimensions[j] == (gint64) i && type->dimensions[j] == result->dimensions[i])
          by_tensor[0] = (int) j;
    }
}

static void
broadcast_leading (GhloPjrtRule   *self,
                   const GhloIrOp *op)
{
  const GhloIrType *result = op->results[0].type;
  const guint n_new = result->rank - ghlo_pjrt_operand_type (op, 0)->rank;

  for (guint i = 0; i < result->rank; i++)
    {
      int *by_tensor = ghlo_pjrt_rule_add (self, result->dimensions[i], GHLO_PJRT_PASS_THROUGH);

      by_tensor[1] = (int) i;
      if (i >= n_new)
        by_tensor[0] = (int) (i - n_new);
    }
}

static void
transpose (GhloPjrtRule   *self,
           const GhloIrOp *op)
{
  const GhloIrType *result = op->results[0].type;
  gsize n;
  g_autofree gint64 *permutation = ghlo_ir_op_dup_ints (op, "permutation", &n);

  for (guint i = 0; i < result->rank; i++)
    {
      int *by_tensor = ghlo_pjrt_rule_add (self, result->dimensions[i], GHLO_PJRT_PASS_THROUGH);

      by_tensor[0] = (int) permutation[i];
      by_tensor[1] = (int) i;
    }
}

/* All dimensions correspond, except for those in @list. */
static void
all_but (GhloPjrtRule   *self,
         const GhloIrOp *op,
         const gint64   *list,
         gsize           n)
{
  const GhloIrType *type = op->results[0].type;

  for (guint i = 0; i < type->rank; i++)
    ghlo_pjrt_rule_add_everywhere (self, i, type->dimensions[i],
                                   ghlo_dims_contain (list, n, i) ? GHLO_PJRT_NEEDS_COMMUNICATION
                                                                  : GHLO_PJRT_PASS_THROUGH);
}

static void
reverse (GhloPjrtRule   *self,
         const GhloIrOp *op)
{
  gsize n;
  g_autofree gint64 *dimensions = ghlo_ir_op_dup_ints (op, "dimensions", &n);

  all_but (self, op, dimensions, n);
}

static void
concatenate (GhloPjrtRule   *self,
             const GhloIrOp *op)
{
  const gint64 dimension = ghlo_ir_op_get_int (op, "dimension", 0);

  all_but (self, op, &dimension, 1);
}

/* When there is no dimension other than the sorted one, it cannot be sharded at all. */
static void
sort (GhloPjrtRule   *self,
      const GhloIrOp *op)
{
  const GhloIrType *type = ghlo_pjrt_operand_type (op, 0);
  gint64 sorted = ghlo_ir_op_get_int (op, "dimension", -1);
  GhloPjrtFactorKind kind = GHLO_PJRT_BLOCKED;

  if (sorted < 0)
    sorted += type->rank;
  for (guint i = 0; i < type->rank; i++)
    if ((gint64) i != sorted && type->dimensions[i] != 1)
      kind = GHLO_PJRT_NEEDS_COMMUNICATION;
  for (guint i = 0; i < type->rank; i++)
    ghlo_pjrt_rule_add_everywhere (self, i, type->dimensions[i], (gint64) i == sorted ? kind : GHLO_PJRT_PASS_THROUGH);
}

static void
bitcast (GhloPjrtRule   *self,
         const GhloIrOp *op)
{
  const GhloIrType *type = ghlo_pjrt_operand_type (op, 0), *result = op->results[0].type;

  for (guint i = 0; i < MIN (type->rank, result->rank); i++)
    ghlo_pjrt_rule_add_everywhere (self, i, type->dimensions[i], GHLO_PJRT_PASS_THROUGH);
}

/* The output has factors of its own; the states are not sharded. */
static void
rng_bit_generator (GhloPjrtRule   *self,
                   const GhloIrOp *op)
{
  const GhloIrType *type = op->results[1].type;

  for (guint i = 0; i < type->rank; i++)
    ghlo_pjrt_rule_add (self, type->dimensions[i], GHLO_PJRT_PASS_THROUGH)[2] = (int) i;
}

/* Operands and results correspond, except for the dimensions along which parts are exchanged. */
static void
exchange (GhloPjrtRule   *self,
          const GhloIrOp *op)
{
  const GhloIrType *type = ghlo_pjrt_operand_type (op, 0), *result = op->results[0].type;
  const gint64 exchanged[] = {
    ghlo_ir_op_get_int (op, "all_gather_dim", -1), ghlo_ir_op_get_int (op, "scatter_dimension", -1),
    ghlo_ir_op_get_int (op, "split_dimension", -1), ghlo_ir_op_get_int (op, "concat_dimension", -1),
  };

  for (guint i = 0; i < MIN (type->rank, result->rank); i++)
    if (!ghlo_dims_contain (exchanged, G_N_ELEMENTS (exchanged), i))
      ghlo_pjrt_rule_add_everywhere (self, i, type->dimensions[i], GHLO_PJRT_PASS_THROUGH);
}

typedef void (*RuleFunc) (GhloPjrtRule   *self,
                          const GhloIrOp *op);

static const RuleFunc rules[GHLO_N_OPS] = {
  [GHLO_OP_SDY_SHARDING_CONSTRAINT] = elementwise,
  [GHLO_OP_CHLO_TOP_K] = slice_anywhere,
  [GHLO_OP_STABLEHLO_ALL_GATHER] = exchange,
  [GHLO_OP_STABLEHLO_ALL_REDUCE] = exchange,
  [GHLO_OP_STABLEHLO_ALL_TO_ALL] = exchange,
  [GHLO_OP_STABLEHLO_BATCH_NORM_INFERENCE] = ghlo_pjrt_rule_batch_norm,
  [GHLO_OP_STABLEHLO_BITCAST_CONVERT] = bitcast,
  [GHLO_OP_STABLEHLO_BROADCAST] = broadcast_leading,
  [GHLO_OP_STABLEHLO_BROADCAST_IN_DIM] = broadcast,
  [GHLO_OP_STABLEHLO_CHOLESKY] = ghlo_pjrt_rule_matrices,
  [GHLO_OP_STABLEHLO_CLAMP] = elementwise,
  [GHLO_OP_STABLEHLO_COLLECTIVE_BROADCAST] = exchange,
  [GHLO_OP_STABLEHLO_COLLECTIVE_PERMUTE] = exchange,
  [GHLO_OP_STABLEHLO_CONCATENATE] = concatenate,
  [GHLO_OP_STABLEHLO_CONVOLUTION] = ghlo_pjrt_rule_convolution,
  [GHLO_OP_STABLEHLO_DOT] = ghlo_pjrt_rule_dot,
  [GHLO_OP_STABLEHLO_DOT_GENERAL] = ghlo_pjrt_rule_dot_general,
  [GHLO_OP_STABLEHLO_DYNAMIC_SLICE] = slice_anywhere,
  [GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE] = update_slice,
  [GHLO_OP_STABLEHLO_FFT] = ghlo_pjrt_rule_fft,
  [GHLO_OP_STABLEHLO_GATHER] = ghlo_pjrt_rule_gather,
  [GHLO_OP_STABLEHLO_MAP] = elementwise,
  [GHLO_OP_STABLEHLO_PAD] = moved,
  [GHLO_OP_STABLEHLO_REDUCE] = ghlo_pjrt_rule_reduce,
  [GHLO_OP_STABLEHLO_REDUCE_WINDOW] = ghlo_pjrt_rule_reduce_window,
  [GHLO_OP_STABLEHLO_REDUCE_SCATTER] = exchange,
  [GHLO_OP_STABLEHLO_RESHAPE] = ghlo_pjrt_rule_reshape,
  [GHLO_OP_STABLEHLO_REVERSE] = reverse,
  [GHLO_OP_STABLEHLO_RNG_BIT_GENERATOR] = rng_bit_generator,
  [GHLO_OP_STABLEHLO_SCATTER] = ghlo_pjrt_rule_scatter,
  [GHLO_OP_STABLEHLO_SELECT] = elementwise,
  [GHLO_OP_STABLEHLO_SLICE] = moved,
  [GHLO_OP_STABLEHLO_SORT] = sort,
  [GHLO_OP_STABLEHLO_TRANSPOSE] = transpose,
  [GHLO_OP_STABLEHLO_TRIANGULAR_SOLVE] = ghlo_pjrt_rule_triangular_solve,
};

/* Sets @rank to the rank of a tensor of static shape, or to 0 for a token. Returns FALSE for other types. */
static gboolean
get_rank (const GhloIrType *type,
          guint            *rank)
{
  const gboolean is_tensor = ghlo_ir_type_is_tensor (type);

  *rank = is_tensor ? type->rank : 0;

  return is_tensor ? ghlo_ir_type_has_static_shape (type) : type->kind == GHLO_IR_TYPE_TOKEN;
}

/* Begins the rule of @op. Returns FALSE when @op has tensors without a static shape. */
static gboolean
begin_op (GhloPjrtRule   *self,
          const GhloIrOp *op)
{
  begin (self, op->n_operands, op->n_results);
  for (guint i = 0; i < self->n_tensors; i++)
    {
      const GhloIrType *type = i < op->n_operands ? ghlo_pjrt_operand_type (op, i)
                                                  : op->results[i - op->n_operands].type;

      if (!get_rank (type, &g_array_index (self->ranks, guint, i)))
        return FALSE;
    }

  return TRUE;
}

static RuleFunc
find_rule (const GhloIrOp *op)
{
  if (rules[op->kind] != NULL)
    return rules[op->kind];
  if (op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL)
    return ghlo_pjrt_call_is_elementwise (op) ? elementwise : NULL;

  return (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_ELEMENTWISE) != 0 && op->n_results == 1 ? elementwise : NULL;
}

gboolean
ghlo_pjrt_rule_read (GhloPjrtRule   *self,
                     GhloIrModule   *module,
                     const GhloIrOp *op)
{
  const GhloIrAttr *attribute = op->n_discardable > 0 ? ghlo_ir_op_get (op, "sdy.sharding_rule") : NULL;
  const RuleFunc rule = find_rule (op);

  if ((rule == NULL && attribute == NULL) || !begin_op (self, op))
    return FALSE;
  if (attribute != NULL)
    return ghlo_pjrt_rule_read_attribute (self, module, attribute);
  rule (self, op);

  return TRUE;
}
