/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Folds transposes, reshapes of ones and repeated batches around dot_general. Batching and contracting dimensions can
 * be permuted by listing them otherwise, but free dimensions cannot.
 */

#include "passes/fold-transposes.h"

#include <string.h>

#include "passes/constant.h"
#include "passes/dot/dot.h"
#include "passes/shapes.h"
#include "passes/walk.h"

enum { LHS = GHLO_DOT_LHS, RHS = GHLO_DOT_RHS };

/* The result type that the dimension numbers give. */
static const GhloIrType *
result_type (GhloRewriter     *self,
             const GhloDot    *dot,
             const GhloIrType *element)
{
  gint64 dimensions[2 * GHLO_MAX_RANK];
  guint n = 0;

  for (guint i = 0; i < dot->n_batch; i++)
    dimensions[n++] = dot->operands[LHS]->type->dimensions[dot->batch[LHS][i]];
  for (guint side = LHS; side <= RHS; side++)
    for (guint i = 0; i < dot->operands[side]->type->rank; i++)
      if (ghlo_dot_is_free (dot, side, i))
        dimensions[n++] = dot->operands[side]->type->dimensions[i];

  return ghlo_make_type (self, element, dimensions, n);
}

/* Precisions are listed in the order of the operands. */
static const GhloIrAttr *
swap_pair (GhloRewriter     *self,
           const GhloIrAttr *attr)
{
  if (attr == NULL || attr->length != 2)
    return attr;

  return ghlo_ir_attr_array (self->module, (const GhloIrAttr *[]) { attr->children[1], attr->children[0] }, 2);
}

/* The corresponding field of the other side, rhs_… for lhs_… and vice versa; any other field itself. */
static guint
other_field (const GhloIrStructSpec *spec,
             guint                   field)
{
  const char *name = spec->fields[field].name;
  const char *other = g_str_has_prefix (name, "lhs_") ? "rhs_" : g_str_has_prefix (name, "rhs_") ? "lhs_" : NULL;

  for (guint i = 0; other != NULL && i < spec->n_fields; i++)
    if (g_str_has_prefix (spec->fields[i].name, other) && strcmp (spec->fields[i].name + 4, name + 4) == 0)
      return i;

  return field;
}

static const GhloIrAttr *
swap_algorithm (GhloRewriter     *self,
                const GhloIrAttr *attr)
{
  const GhloIrStructSpec *spec = &ghlo_ir_struct_specs[GHLO_IR_STRUCT_DOT_ALGORITHM];
  g_autofree const GhloIrAttr **fields = g_new (const GhloIrAttr *, spec->n_fields);

  if (attr == NULL || attr->kind != GHLO_IR_ATTR_STRUCT)
    return attr;
  for (guint i = 0; i < spec->n_fields; i++)
    fields[i] = attr->children[other_field (spec, i)];

  return ghlo_ir_attr_struct (self->module, GHLO_IR_STRUCT_DOT_ALGORITHM, fields);
}

/* @like gives the precision and the element type; the sides were swapped since if @is_swapped. */
static GhloIrValue *
make_dot (GhloRewriter   *self,
          const GhloDot  *dot,
          const GhloIrOp *like,
          gboolean        is_swapped)
{
  const GhloIrAttr *precision = ghlo_ir_op_get (like, "precision_config");
  const GhloIrAttr *algorithm = ghlo_ir_op_get (like, "algorithm");
  GhloIrNamedAttr attributes[3];
  gsize n = 0;

  if (is_swapped)
    {
      precision = swap_pair (self, precision);
      algorithm = swap_algorithm (self, algorithm);
    }
  attributes[n++] = (GhloIrNamedAttr) {
    "dot_dimension_numbers",
    ghlo_ir_attr_struct (self->module, GHLO_IR_STRUCT_DOT, (const GhloIrAttr *[]) {
      ghlo_ir_attr_i64s (self->module, dot->batch[LHS], dot->n_batch),
      ghlo_ir_attr_i64s (self->module, dot->batch[RHS], dot->n_batch),
      ghlo_ir_attr_i64s (self->module, dot->contracting[LHS], dot->n_contracting),
      ghlo_ir_attr_i64s (self->module, dot->contracting[RHS], dot->n_contracting),
    }),
  };
  if (precision != NULL)
    attributes[n++] = (GhloIrNamedAttr) { "precision_config", precision };
  if (algorithm != NULL)
    attributes[n++] = (GhloIrNamedAttr) { "algorithm", algorithm };

  return ghlo_make (self, like->kind, result_type (self, dot, like->results[0].type), dot->operands, 2, attributes, n);
}

/* Replaces the operand of @side by @operand, of which it is a permutation, and adapts the dimension numbers. Gets in
 * @order the new position of each free dimension among the free ones, and returns their number. */
static guint
follow_permutation (GhloDot      *dot,
                    guint         side,
                    GhloIrValue  *operand,
                    const gint64 *permutation,
                    gint64       *order)
{
  gint64 moved[GHLO_MAX_RANK];
  guint n = 0;

  for (guint i = 0; i < operand->type->rank; i++)
    if (ghlo_dot_is_free (dot, side, i))
      moved[n++] = permutation[i];
  for (guint i = 0; i < n; i++)
    {
      order[i] = 0;
      for (guint j = 0; j < n; j++)
        order[i] += moved[j] < moved[i];
    }
  for (guint i = 0; i < dot->n_batch; i++)
    dot->batch[side][i] = permutation[dot->batch[side][i]];
  for (guint i = 0; i < dot->n_contracting; i++)
    dot->contracting[side][i] = permutation[dot->contracting[side][i]];
  dot->operands[side] = operand;

  return n;
}

/* Free dimensions in another order make a transpose of the result necessary. This pays where the result is smaller than
 * the operand, or where the transpose only moves ones. */
static gboolean
permuted_operand (GhloRewriter *self,
                  GhloIrOp     *op)
{
  gint64 permutation[GHLO_MAX_RANK], order[GHLO_MAX_RANK], result_order[2 * GHLO_MAX_RANK];
  GhloIrValue *operand, *result;
  guint first, n_free, rank = op->results[0].type->rank;
  GhloDot dot;

  if (!ghlo_dot_read (op, &dot))
    return FALSE;
  for (guint side = LHS; side <= RHS; side++)
    {
      const GhloIrType *type = dot.operands[side]->type, *made;
      GhloDot changed = dot;

      if (!ghlo_find_permuted (dot.operands[side], permutation, &operand))
        continue;
      n_free = follow_permutation (&changed, side, operand, permutation, order);
      first = dot.n_batch + (side == RHS ? ghlo_dot_n_free (&dot, LHS) : 0);
      for (guint i = 0; i < rank; i++)
        result_order[i] = i;
      for (guint i = 0; i < n_free; i++)
        result_order[first + i] = first + order[i];
      made = result_type (self, &changed, op->results[0].type);
      if (!ghlo_permutation_is_reshape (result_order, made)
          && ghlo_type_count (made) >= ghlo_type_count (type))
        continue;
      result = make_dot (self, &changed, op, FALSE);
      if (!ghlo_permutation_is_identity (result_order, rank))
        result = ghlo_make_transpose (self, result, result_order);
      return ghlo_rewrite_replace (self, op, result);
    }

  return FALSE;
}

/* Drops pair @index of the batching or contracting dimensions; both dimensions are ones. */
static void
drop_pair (gint64 lists[2][GHLO_MAX_RANK],
           guint *n,
           guint  index)
{
  (*n)--;
  for (guint side = LHS; side <= RHS; side++)
    memmove (&lists[side][index], &lists[side][index + 1], (*n - index) * sizeof (gint64));
}

/* Renumbers the dimensions of @side for the operand of the reshape. A dimension that the operand lacks is a one: its
 * pair is dropped on both sides. */
static void
follow_reshape (const gint64 *map,
                guint         side,
                gint64        lists[2][GHLO_MAX_RANK],
                guint        *n)
{
  for (guint i = *n; i > 0; i--)
    if (map[lists[side][i - 1]] < 0)
      drop_pair (lists, n, i - 1);
    else
      lists[side][i - 1] = map[lists[side][i - 1]];
}

/* A reshape of an operand that adds or drops ones: the ones are not contracted, and a reshape of the result restores
 * them there. */
static gboolean
reshaped_operand (GhloRewriter *self,
                  GhloIrOp     *op)
{
  gint64 map[GHLO_MAX_RANK];
  GhloDot dot;

  if (!ghlo_dot_read (op, &dot))
    return FALSE;
  for (guint side = LHS; side <= RHS; side++)
    {
      GhloIrValue *operand = dot.operands[side], *source;

      if (!ghlo_op_is_reshape (operand->op))
        continue;
      source = ghlo_ir_op_operand (operand->op, 0);
      if (!ghlo_shape_match_ones (operand->type, source->type, map))
        continue;
      dot.operands[side] = source;
      follow_reshape (map, side, dot.batch, &dot.n_batch);
      follow_reshape (map, side, dot.contracting, &dot.n_contracting);
      if (dot.operands[LHS]->type->rank + dot.operands[RHS]->type->rank > GHLO_MAX_RANK)
        return FALSE;
      return ghlo_rewrite_replace (self, op, ghlo_make_reshape (self, make_dot (self, &dot, op, FALSE),
                                                                op->results[0].type));
    }

  return FALSE;
}

/* Whether the operand is a broadcast that only repeats along batching dimensions; @repeated tells for each of these
 * whether it is repeated. */
static gboolean
repeats_batches (const GhloDot *dot,
                 guint          side,
                 gboolean      *repeated)
{
  const GhloIrOp *broadcast = dot->operands[side]->op;
  const gint64 *dimensions = ghlo_op_get_broadcast (broadcast);
  const GhloIrType *type = dot->operands[side]->type, *source;
  guint n = 0, n_repeated = 0;

  if (dimensions == NULL)
    return FALSE;
  source = ghlo_ir_op_operand (broadcast, 0)->type;
  for (guint i = 0; i < dot->n_batch; i++)
    {
      repeated[i] = !ghlo_dims_contain (dimensions, source->rank, dot->batch[side][i]);
      n_repeated += repeated[i];
    }
  for (guint i = 0; i < type->rank; i++)
    if (n < source->rank && dimensions[n] == i && source->dimensions[n] == type->dimensions[i])
      n++;

  return n == source->rank && n_repeated > 0 && n + n_repeated == type->rank;
}

/* Maps the dimensions of the result before to those of the result after: a batching dimension that is dropped becomes a
 * free dimension of the other side. */
static void
find_result_order (const GhloDot  *before,
                   const GhloDot  *after,
                   guint           other,
                   const gboolean *repeated,
                   gint64         *order)
{
  guint n_kept = 0, n = 0, place = after->n_batch + (other == RHS ? ghlo_dot_n_free (after, LHS) : 0);
  gint64 map[GHLO_MAX_RANK];

  for (guint i = 0; i < before->operands[other]->type->rank; i++)
    map[i] = ghlo_dot_is_free (after, other, i) ? place++ : -1;
  for (guint i = 0; i < before->n_batch; i++)
    order[n++] = repeated[i] ? map[before->batch[other][i]] : n_kept++;
  for (guint side = LHS; side <= RHS; side++)
    {
      guint first = after->n_batch + (side == RHS ? ghlo_dot_n_free (after, LHS) : 0);

      for (guint i = 0; i < before->operands[side]->type->rank; i++)
        if (ghlo_dot_is_free (before, side, i))
          order[n++] = side == other ? map[i] : first++;
    }
}

/* One matrix for all batches: the batches become rows of one product, where the result has them in that order. */
static gboolean
repeated_operand (GhloRewriter *self,
                  GhloIrOp     *op)
{
  gboolean repeated[GHLO_MAX_RANK];
  gint64 order[2 * GHLO_MAX_RANK], map[GHLO_MAX_RANK];
  GhloIrValue *result;
  GhloDot dot, changed;

  if (!ghlo_dot_read (op, &dot))
    return FALSE;
  for (guint side = LHS; side <= RHS; side++)
    {
      guint n = 0;

      if (!repeats_batches (&dot, side, repeated))
        continue;
      changed = dot;
      changed.operands[side] = ghlo_ir_op_operand (dot.operands[side]->op, 0);
      for (guint i = 0; i < dot.operands[side]->type->rank; i++)
        map[i] = -1;
      for (guint i = 0; i < changed.operands[side]->type->rank; i++)
        map[ghlo_op_get_broadcast (dot.operands[side]->op)[i]] = i;
      for (guint i = 0; i < dot.n_batch; i++)
        if (!repeated[i])
          {
            changed.batch[side][n] = map[dot.batch[side][i]];
            changed.batch[1 - side][n++] = dot.batch[1 - side][i];
          }
      changed.n_batch = n;
      for (guint i = 0; i < dot.n_contracting; i++)
        changed.contracting[side][i] = map[dot.contracting[side][i]];
      find_result_order (&dot, &changed, 1 - side, repeated, order);
      if (!ghlo_permutation_is_reshape (order, result_type (self, &changed, op->results[0].type)))
        continue;
      result = make_dot (self, &changed, op, FALSE);
      if (!ghlo_permutation_is_identity (order, op->results[0].type->rank))
        result = ghlo_make_transpose (self, result, order);
      return ghlo_rewrite_replace (self, op, result);
    }

  return FALSE;
}

/* Whether the @n entries of @permutation are @first, @first + 1, … */
static gboolean
counts_from (const gint64 *permutation,
             gint64        first,
             guint         n)
{
  for (guint i = 0; i < n; i++)
    if (permutation[i] != first + i)
      return FALSE;

  return TRUE;
}

/* A transpose of a product: it may reorder the batching dimensions, and swap the two sides. */
static gboolean
transposed_result (GhloRewriter *self,
                   GhloIrOp     *op)
{
  const gint64 *permutation = ghlo_op_get_permutation (op);
  const GhloIrOp *product = permutation != NULL ? ghlo_ir_op_operand (op, 0)->op : NULL;
  gboolean is_swapped;
  guint left, right;
  GhloDot dot, changed;

  if (product == NULL || !ghlo_dot_read (product, &dot) || !ghlo_pass_only_user (&product->results[0], op))
    return FALSE;
  left = ghlo_dot_n_free (&dot, LHS);
  right = ghlo_dot_n_free (&dot, RHS);
  changed = dot;
  for (guint i = 0; i < dot.n_batch; i++)
    {
      if (permutation[i] >= dot.n_batch)
        return FALSE;
      for (guint side = LHS; side <= RHS; side++)
        changed.batch[side][i] = dot.batch[side][permutation[i]];
    }
  permutation += dot.n_batch;
  is_swapped = !counts_from (permutation, dot.n_batch, left + right);
  if (is_swapped)
    {
      if (!counts_from (permutation, dot.n_batch + left, right)
          || !counts_from (permutation + right, dot.n_batch, left))
        return FALSE;
      for (guint side = LHS; side <= RHS; side++)
        {
          changed.operands[side] = dot.operands[1 - side];
          memcpy (changed.contracting[side], dot.contracting[1 - side], sizeof dot.contracting[0]);
        }
      for (guint i = 0; i < dot.n_batch; i++)
        {
          gint64 batch = changed.batch[LHS][i];

          changed.batch[LHS][i] = changed.batch[RHS][i];
          changed.batch[RHS][i] = batch;
        }
    }

  return ghlo_rewrite_replace (self, op, make_dot (self, &changed, product, is_swapped));
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_DOT_GENERAL, permuted_operand },
  { GHLO_OP_STABLEHLO_DOT_GENERAL, reshaped_operand },
  { GHLO_OP_STABLEHLO_DOT_GENERAL, repeated_operand },
  { GHLO_OP_STABLEHLO_TRANSPOSE, transposed_result },
};

const GhloRuleGroup ghlo_fold_dot = { rows, G_N_ELEMENTS (rows) };
