/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rules about operations that only move elements: those that move nothing, pairs that cancel or combine into one, and
 * slices of concatenations and broadcasts.
 */

#include "passes/canonicalize.h"

#include <string.h>

#include "passes/constant.h"
#include "passes/shapes.h"

/* The maximum number of operands that merging gives a concatenation; it bounds the work on chains of them. */
enum { MAX_OPERANDS = 64 };

static gboolean
reshape_twice (GhloRewriter *self,
               GhloIrOp     *op)
{
  const GhloIrOp *inner = ghlo_ir_op_operand (op, 0)->op;

  return ghlo_op_is_reshape (op) && ghlo_op_is_reshape (inner)
         && ghlo_rewrite_replace (self, op, ghlo_make_reshape (self, ghlo_ir_op_operand (inner, 0),
                                                               op->results[0].type));
}

static gboolean
transpose_nothing (GhloRewriter *self,
                   GhloIrOp     *op)
{
  const gint64 *permutation = ghlo_op_get_permutation (op);

  return permutation != NULL && ghlo_permutation_is_identity (permutation, op->results[0].type->rank)
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (op, 0));
}

static gboolean
transpose_twice (GhloRewriter *self,
                 GhloIrOp     *op)
{
  const GhloIrOp *inner = ghlo_ir_op_operand (op, 0)->op;
  const gint64 *first = ghlo_op_get_permutation (inner), *second = ghlo_op_get_permutation (op);
  guint rank = op->results[0].type->rank;
  g_autofree gint64 *both = g_new (gint64, rank + 1);

  if (first == NULL || second == NULL)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    both[i] = first[second[i]];

  return ghlo_rewrite_replace (self, op, ghlo_make_transpose (self, ghlo_ir_op_operand (inner, 0), both));
}

static gboolean
broadcast_to_same (GhloRewriter *self,
                   GhloIrOp     *op)
{
  const gint64 *dimensions = ghlo_op_get_broadcast (op);

  return dimensions != NULL && ghlo_permutation_is_identity (dimensions, ghlo_ir_op_operand (op, 0)->type->rank)
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (op, 0));
}

/* Flags the dimensions in which a reverse has an effect; FALSE when there are none. */
static gboolean
reversed_dimensions (const GhloIrOp *op,
                     gboolean       *reversed)
{
  const GhloIrType *type = op->results[0].type;
  gboolean any = FALSE;
  gsize n;
  const gint64 *dimensions = ghlo_ir_op_get_ints (op, "dimensions", &n);

  memset (reversed, 0, GHLO_MAX_RANK * sizeof (gboolean));
  for (gsize i = 0; i < n; i++)
    if (type->dimensions[dimensions[i]] != 1)
      any = reversed[dimensions[i]] = TRUE;

  return any;
}

static GhloIrValue *
make_reverse (GhloRewriter   *self,
              GhloIrValue    *operand,
              const gboolean *reversed)
{
  gint64 dimensions[GHLO_MAX_RANK];
  gsize n = 0;

  for (guint i = 0; i < operand->type->rank; i++)
    if (reversed[i])
      dimensions[n++] = i;
  if (n == 0)
    return operand;

  return ghlo_make (self, GHLO_OP_STABLEHLO_REVERSE, operand->type, &operand, 1,
                    &(GhloIrNamedAttr) { "dimensions", ghlo_ir_attr_i64s (self->module, dimensions, n) }, 1);
}

/* Reversing dimensions of size 1, or twice. */
static gboolean
reverse_less (GhloRewriter *self,
              GhloIrOp     *op)
{
  GhloIrValue *operand = ghlo_ir_op_operand (op, 0);
  gboolean reversed[GHLO_MAX_RANK], inner_reversed[GHLO_MAX_RANK];

  if (!ghlo_type_is_plain (operand->type))
    return FALSE;
  if (!reversed_dimensions (op, reversed))
    return ghlo_rewrite_replace (self, op, operand);
  if (operand->op == NULL || operand->op->kind != GHLO_OP_STABLEHLO_REVERSE)
    return FALSE;
  reversed_dimensions (operand->op, inner_reversed);
  for (guint i = 0; i < operand->type->rank; i++)
    reversed[i] = !reversed[i] != !inner_reversed[i];

  return ghlo_rewrite_replace (self, op, make_reverse (self, ghlo_ir_op_operand (operand->op, 0), reversed));
}

typedef struct
{
  const gint64 *start, *limit, *strides;
} Cut;

static gboolean
get_cut (const GhloIrOp *op,
         Cut            *cut)
{
  guint rank;

  if (op == NULL || op->kind != GHLO_OP_STABLEHLO_SLICE || !ghlo_type_is_plain (op->results[0].type)
      || !ghlo_type_is_plain (ghlo_ir_op_operand (op, 0)->type))
    return FALSE;
  rank = op->results[0].type->rank;
  cut->start = ghlo_op_get_dims (op, "start_indices", rank);
  cut->limit = ghlo_op_get_dims (op, "limit_indices", rank);
  cut->strides = ghlo_op_get_dims (op, "strides", rank);

  return cut->start != NULL && cut->limit != NULL && cut->strides != NULL;
}

/* A slice of all of a plain tensor. Equal types suffice, since a stride above 1 would shrink the result. */
static gboolean
slice_of_everything (GhloRewriter *self,
                     GhloIrOp     *op)
{
  Cut cut;

  return get_cut (op, &cut) && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (op, 0));
}

static gboolean
slice_of_slice (GhloRewriter *self,
                GhloIrOp     *op)
{
  const GhloIrType *type = op->results[0].type;
  const GhloIrOp *inner = ghlo_ir_op_operand (op, 0)->op;
  gint64 start[GHLO_MAX_RANK], limit[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];
  Cut outer, first;

  if (!get_cut (op, &outer) || !get_cut (inner, &first))
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    {
      gint64 n = type->dimensions[i];

      /* The start of an empty slice may lie beyond the end. */
      if (n == 0)
        {
          start[i] = limit[i] = 0;
          strides[i] = 1;
          continue;
        }
      start[i] = first.start[i] + outer.start[i] * first.strides[i];
      if (__builtin_mul_overflow (first.strides[i], outer.strides[i], &strides[i]))
        {
          if (n > 1)
            return FALSE;
          strides[i] = 1;
        }
      limit[i] = start[i] + (n - 1) * strides[i] + 1;
    }

  return ghlo_rewrite_replace (self, op, ghlo_make_slice (self, ghlo_ir_op_operand (inner, 0), start, limit, strides));
}

/* Where each operand of a concatenation ends, cached; NULL unless all operands are plain. A cached entry stays valid
 * because operands may change but their types do not. */
static const gint64 *
operand_ends (GhloRewriter   *self,
              const GhloIrOp *whole,
              gint64          dimension)
{
  gint64 *ends = g_hash_table_lookup (self->operand_ends, whole);
  gint64 end = 0;

  if (ends == NULL)
    {
      ends = g_new (gint64, whole->n_operands + 1);
      for (guint i = 0; i < whole->n_operands && end >= 0; i++)
        {
          const GhloIrType *type = ghlo_ir_op_operand (whole, i)->type;

          end = ghlo_type_is_plain (type) ? end + type->dimensions[dimension] : -1;
          ends[i] = end;
        }
      ends[whole->n_operands] = end;
      g_hash_table_insert (self->operand_ends, (gpointer) whole, ends);
    }

  return ends[whole->n_operands] >= 0 ? ends : NULL;
}

/* The first operand that ends after @place. */
static guint
find_operand (const gint64 *ends,
              guint         n,
              gint64        place)
{
  guint low = 0, high = n - 1;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (ends[middle] > place)
        high = middle;
      else
        low = middle + 1;
    }

  return low;
}

/* A slice that lies within one operand of a concatenation. */
static gboolean
slice_of_concatenate (GhloRewriter *self,
                      GhloIrOp     *op)
{
  const GhloIrOp *whole = ghlo_ir_op_operand (op, 0)->op;
  gint64 start[GHLO_MAX_RANK], limit[GHLO_MAX_RANK], dimension, offset;
  guint rank = op->results[0].type->rank, index;
  const gint64 *ends;
  Cut cut;

  if (whole == NULL || whole->kind != GHLO_OP_STABLEHLO_CONCATENATE || whole->n_operands == 0
      || !get_cut (op, &cut) || ghlo_type_count (op->results[0].type) == 0)
    return FALSE;
  dimension = ghlo_ir_op_get_int (whole, "dimension", 0);
  ends = operand_ends (self, whole, dimension);
  if (ends == NULL)
    return FALSE;
  index = find_operand (ends, whole->n_operands, cut.start[dimension]);
  if (cut.limit[dimension] > ends[index])
    return FALSE;

  offset = index > 0 ? ends[index - 1] : 0;
  memcpy (start, cut.start, rank * sizeof (gint64));
  memcpy (limit, cut.limit, rank * sizeof (gint64));
  start[dimension] -= offset;
  limit[dimension] -= offset;

  return ghlo_rewrite_replace (self, op, ghlo_make_slice (self, ghlo_ir_op_operand (whole, index), start, limit,
                                                          cut.strides));
}

/* A slice of a broadcast is a broadcast of a slice. */
static gboolean
slice_of_broadcast (GhloRewriter *self,
                    GhloIrOp     *op)
{
  const GhloIrOp *broadcast = ghlo_ir_op_operand (op, 0)->op;
  const gint64 *dimensions = ghlo_op_get_broadcast (broadcast);
  gint64 start[GHLO_MAX_RANK], limit[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];
  GhloIrValue *operand;
  gboolean is_cut = FALSE;
  Cut cut;

  if (dimensions == NULL || !get_cut (op, &cut))
    return FALSE;
  operand = ghlo_ir_op_operand (broadcast, 0);
  for (guint i = 0; i < operand->type->rank; i++)
    {
      gint64 size = operand->type->dimensions[i], d = dimensions[i];
      gboolean repeats = size == 1;

      start[i] = repeats ? 0 : cut.start[d];
      limit[i] = repeats ? 1 : cut.limit[d];
      strides[i] = repeats ? 1 : cut.strides[d];
      is_cut |= start[i] != 0 || limit[i] != size || strides[i] != 1;
    }
  if (is_cut)
    operand = ghlo_make_slice (self, operand, start, limit, strides);

  return ghlo_rewrite_replace (self, op, ghlo_make_broadcast (self, operand, dimensions, op->results[0].type));
}

/* Padding by nothing, padding of an empty tensor, or negative padding, which is a slice. */
static gboolean
pad_less (GhloRewriter *self,
          GhloIrOp     *op)
{
  GhloIrValue *operand = ghlo_ir_op_operand (op, 0), *value = ghlo_ir_op_operand (op, 1);
  const GhloIrType *type = op->results[0].type;
  const gint64 *low = ghlo_op_get_dims (op, "edge_padding_low", type->rank);
  const gint64 *high = ghlo_op_get_dims (op, "edge_padding_high", type->rank);
  const gint64 *interior = ghlo_op_get_dims (op, "interior_padding", type->rank);
  gint64 start[GHLO_MAX_RANK], limit[GHLO_MAX_RANK], ones[GHLO_MAX_RANK];

  if (!ghlo_type_is_plain (operand->type) || !ghlo_type_is_plain (type) || low == NULL || high == NULL
      || interior == NULL)
    return FALSE;
  if (ghlo_type_count (operand->type) == 0)
    return ghlo_rewrite_replace (self, op, ghlo_make_broadcast (self, value, NULL, type));
  for (guint i = 0; i < type->rank; i++)
    {
      if (low[i] > 0 || high[i] > 0 || (interior[i] != 0 && operand->type->dimensions[i] > 1))
        return FALSE;
      start[i] = -low[i];
      limit[i] = operand->type->dimensions[i] + high[i];
      ones[i] = 1;
      if (start[i] > limit[i])
        return FALSE;
    }

  return ghlo_rewrite_replace (self, op, ghlo_make_slice (self, operand, start, limit, ones));
}

/* The union of @first and @second, slices of one tensor, as one slice; NULL unless @second continues @first along
 * the dimension. */
static GhloIrValue *
join_slices (GhloRewriter *self,
             GhloIrValue  *first,
             GhloIrValue  *second,
             gint64        dimension)
{
  gint64 limit[GHLO_MAX_RANK];
  Cut a, b;

  if (!get_cut (first->op, &a) || !get_cut (second->op, &b)
      || ghlo_ir_op_operand (first->op, 0) != ghlo_ir_op_operand (second->op, 0))
    return NULL;
  for (guint i = 0; i < first->type->rank; i++)
    {
      if (a.strides[i] != 1 || b.strides[i] != 1)
        return NULL;
      if (i == dimension ? b.start[i] != a.limit[i] : (a.start[i] != b.start[i] || a.limit[i] != b.limit[i]))
        return NULL;
      limit[i] = b.limit[i];
    }

  return ghlo_make_slice (self, ghlo_ir_op_operand (first->op, 0), a.start, limit, a.strides);
}

/* A concatenation with empty operands, other concatenations, or adjacent slices of one tensor. */
static gboolean
concatenate_less (GhloRewriter *self,
                  GhloIrOp     *op)
{
  g_autoptr (GPtrArray) operands = g_ptr_array_new ();
  gint64 dimension = ghlo_ir_op_get_int (op, "dimension", 0);
  gboolean changed = FALSE;

  if (!ghlo_type_is_plain (op->results[0].type))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    {
      GhloIrValue *operand = ghlo_ir_op_operand (op, i);
      const GhloIrOp *inner = operand->op;
      GhloIrValue *last = operands->len > 0 ? g_ptr_array_index (operands, operands->len - 1) : NULL, *joined;

      if (!ghlo_type_is_plain (operand->type))
        return FALSE;
      if (operand->type->dimensions[dimension] == 0)
        changed = TRUE;
      else if (inner != NULL && inner->kind == GHLO_OP_STABLEHLO_CONCATENATE
               && ghlo_ir_op_get_int (inner, "dimension", 0) == dimension
               && inner->n_operands + operands->len + op->n_operands - i <= MAX_OPERANDS)
        {
          for (guint j = 0; j < inner->n_operands; j++)
            g_ptr_array_add (operands, ghlo_ir_op_operand (inner, j));
          changed = TRUE;
        }
      else if (last != NULL && (joined = join_slices (self, last, operand, dimension)) != NULL)
        {
          operands->pdata[operands->len - 1] = joined;
          changed = TRUE;
        }
      else
        g_ptr_array_add (operands, operand);
    }
  if (operands->len == 1)
    return ghlo_rewrite_replace (self, op, g_ptr_array_index (operands, 0));
  if (!changed || operands->len == 0)
    return FALSE;

  return ghlo_rewrite_replace (self, op,
                               ghlo_make (self, op->kind, op->results[0].type, (GhloIrValue *const *) operands->pdata,
                                          operands->len,
                                          &(GhloIrNamedAttr) { "dimension", ghlo_ir_op_get (op, "dimension") }, 1));
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_RESHAPE, ghlo_rewrite_to_operand },
  { GHLO_OP_STABLEHLO_RESHAPE, reshape_twice },
  { GHLO_OP_STABLEHLO_TRANSPOSE, transpose_nothing },
  { GHLO_OP_STABLEHLO_TRANSPOSE, transpose_twice },
  { GHLO_OP_STABLEHLO_BROADCAST_IN_DIM, broadcast_to_same },
  { GHLO_OP_STABLEHLO_REVERSE, reverse_less },
  { GHLO_OP_STABLEHLO_SLICE, slice_of_everything },
  { GHLO_OP_STABLEHLO_SLICE, slice_of_slice },
  { GHLO_OP_STABLEHLO_SLICE, slice_of_concatenate },
  { GHLO_OP_STABLEHLO_SLICE, slice_of_broadcast },
  { GHLO_OP_STABLEHLO_PAD, pad_less },
  { GHLO_OP_STABLEHLO_CONCATENATE, concatenate_less },
};

const GhloRuleGroup ghlo_canonicalize_moves = { rows, G_N_ELEMENTS (rows) };
