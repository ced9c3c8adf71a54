/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "expand-gemv": where the device prefers it, the product of a vector and a matrix that is computed from
 * narrower values (weights of 8 bits and their scales, for example) becomes multiplications and a sum. They are fused
 * with what computes the matrix, so that each of its elements is computed where it is multiplied, and takes the time of
 * reading the narrower values.
 *
 * Products with several vectors would compute the matrix for each of them.
 */

#include "passes/canonicalize.h"
#include "passes/constant.h"
#include "passes/dot/dot.h"
#include "passes/effects.h"
#include "passes/shapes.h"

/* The most operations from the matrix to the narrower values, and the least elements of a matrix: others stay in the L1
 * cache. */
enum { MAX_DEPTH = 16, MIN_ELEMENTS = 16384 };

/* Parts of a matrix, enough for several threads, and the least rows of one: sums are written and read again for each
 * part. */
enum { MAX_PARTS = 8, MIN_ROWS = 128, NO_PARTS = GHLO_MAX_RANK };

/* Whether @value, which only one operation uses, is computed from as many elements of a narrower type. */
static gboolean
is_widened (const GhloIrValue *value,
            gsize              count,
            guint              depth)
{
  const GhloIrOp *op = value->op;

  if (op == NULL || op->n_results != 1 || depth == 0 || !ghlo_ir_value_has_one_use (value)
      || ghlo_type_count (value->type) != count)
    return FALSE;
  if (op->kind == GHLO_OP_STABLEHLO_CONVERT)
    {
      const GhloIrType *from = ghlo_ir_op_operand (op, 0)->type;

      return ghlo_element_info (from->element_type)->bits < ghlo_element_info (value->type->element_type)->bits
             || is_widened (ghlo_ir_op_operand (op, 0), count, depth - 1);
    }
  if (op->kind != GHLO_OP_STABLEHLO_RESHAPE && op->kind != GHLO_OP_STABLEHLO_TRANSPOSE
      && !ghlo_pass_is_elementwise (op))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    if (is_widened (ghlo_ir_op_operand (op, i), count, depth - 1))
      return TRUE;

  return FALSE;
}

/* The number of vectors of that side. */
static gint64
count_vectors (const GhloDot *dot,
               guint          side)
{
  const GhloIrType *type = dot->operands[side]->type;
  gint64 n = 1;

  for (guint i = 0; i < type->rank; i++)
    if (ghlo_dot_is_free (dot, side, i))
      n *= type->dimensions[i];

  return n;
}

/* Whether sums in f32 or f64 are those of the product. */
static gboolean
keeps_precision (const GhloIrOp *op)
{
  const GhloElementType type = op->results[0].type->element_type;

  for (guint i = 0; i < 2; i++)
    {
      const GhloElementType operand = ghlo_ir_op_operand (op, i)->type->element_type;

      if (!ghlo_element_type_is_float (operand)
          || (operand == GHLO_ELEMENT_TYPE_F64) != (type == GHLO_ELEMENT_TYPE_F64))
        return FALSE;
    }

  return ghlo_element_type_is_float (type) && ghlo_ir_op_get (op, "algorithm") == NULL;
}

/* A matrix as it is computed, in front of a reshape that merges dimensions of it (groups that share a scale, for
 * example): dimension i of the product's operand is that of dimensions [first[i], first[i + 1]). */
typedef struct
{
  GhloIrValue *value;
  guint        first[GHLO_MAX_RANK + 1];
  guint        parts;                    /* the dimension that counts parts, or NO_PARTS */
} Matrix;

static void
find_matrix (const GhloDot *dot,
             guint          side,
             Matrix        *matrix)
{
  GhloIrValue *value = dot->operands[side];

  *matrix = (Matrix) { .value = value, .parts = NO_PARTS };
  if (value->op->kind == GHLO_OP_STABLEHLO_RESHAPE
      && ghlo_shape_is_split (value->type, ghlo_ir_op_operand (value->op, 0)->type, matrix->first))
    matrix->value = ghlo_ir_op_operand (value->op, 0);
  else
    for (guint i = 0; i <= value->type->rank; i++)
      matrix->first[i] = i;
}

/* Splits dimension @dimension of @type into @n_parts and the rest. */
static const GhloIrType *
split_type (GhloRewriter     *self,
            const GhloIrType *type,
            guint             dimension,
            gint64            n_parts)
{
  gint64 dimensions[GHLO_MAX_RANK];

  for (guint i = 0; i < type->rank; i++)
    dimensions[i + (i > dimension)] = type->dimensions[i];
  dimensions[dimension] = n_parts;
  dimensions[dimension + 1] = type->dimensions[dimension] / n_parts;

  return ghlo_make_type (self, type, dimensions, type->rank + 1);
}

static GhloIrValue *
split_broadcast (GhloRewriter *self,
                 GhloIrOp     *op,
                 guint         dimension,
                 gint64        n_parts)
{
  const gint64 *dimensions = ghlo_op_get_broadcast (op);
  GhloIrValue *operand = ghlo_ir_op_operand (op, 0);
  const GhloIrType *type = split_type (self, op->results[0].type, dimension, n_parts), *from = operand->type;
  gint64 places[GHLO_MAX_RANK];
  guint n = 0;

  for (guint i = 0; i < from->rank; i++)
    {
      const gboolean is_split = dimensions[i] == dimension && from->dimensions[i] > 1;

      places[n++] = dimensions[i] + (dimensions[i] > dimension);
      if (is_split)
        {
          operand = ghlo_make_reshape (self, operand, split_type (self, from, i, n_parts));
          places[n++] = dimension + 1;
        }
    }

  return ghlo_make_broadcast (self, operand, places, type);
}

/* Whether @value is computed, for no other use, by an operation that can be applied to another shape. */
static gboolean
is_applied (const GhloIrValue *value)
{
  const GhloIrOp *op = value->op;

  return op != NULL && op->n_results == 1 && ghlo_ir_value_has_one_use (value)
         && (op->kind == GHLO_OP_STABLEHLO_CONVERT || ghlo_pass_is_elementwise (op));
}

/* Whether no view is between the operations that @value is computed by, and they are not too many one behind the
 * other. */
static gboolean
can_split (const GhloIrValue *value,
           guint              depth)
{
  const GhloIrOp *op = value->op;

  if (!is_applied (value))
    return op == NULL || (op->kind != GHLO_OP_STABLEHLO_RESHAPE && op->kind != GHLO_OP_STABLEHLO_TRANSPOSE);
  for (guint i = 0; i < op->n_operands; i++)
    if (depth == 0 || !can_split (ghlo_ir_op_operand (op, i), depth - 1))
      return FALSE;

  return TRUE;
}

/* @value with its dimension @dimension split into @n_parts and the rest, as are the values that it is computed from:
 * between operations that are fused there is no reshape. */
static GhloIrValue *
split (GhloRewriter *self,
       GhloIrValue  *value,
       guint         dimension,
       gint64        n_parts)
{
  const GhloIrType *type = split_type (self, value->type, dimension, n_parts);
  GhloIrOp *op = value->op;
  g_autofree GhloIrValue **operands = NULL;
  GhloScalar scalar;

  if (ghlo_value_get_splat (value, &scalar))
    return ghlo_make_splat (self, type, scalar);
  if (op != NULL && op->kind == GHLO_OP_STABLEHLO_BROADCAST_IN_DIM)
    return split_broadcast (self, op, dimension, n_parts);
  if (!is_applied (value))
    return ghlo_make_reshape (self, value, type);

  operands = g_new (GhloIrValue *, op->n_operands);
  for (guint i = 0; i < op->n_operands; i++)
    {
      operands[i] = ghlo_ir_op_operand (op, i);
      if (operands[i]->type->rank == value->type->rank)
        operands[i] = split (self, operands[i], dimension, n_parts);
    }

  return ghlo_make_like (self, op, operands, type);
}

/* Cuts a matrix whose columns are summed into parts of its rows, whose sums are added, so that a thread reads adjacent
 * memory. */
static void
cut_rows (GhloRewriter  *self,
          const GhloDot *dot,
          guint          side,
          Matrix        *matrix)
{
  const GhloIrType *type = matrix->value->type;
  guint first = type->rank, rank = dot->operands[side]->type->rank;
  gint64 n_rows = 1, n_parts = MAX_PARTS;

  for (guint i = 0; i < dot->n_contracting; i++)
    for (guint k = matrix->first[dot->contracting[side][i]]; k < matrix->first[dot->contracting[side][i] + 1]; k++)
      {
        first = MIN (first, k);
        n_rows *= type->dimensions[k];
        if (k + 1 == type->rank)
          return;
      }
  if (first == type->rank || type->rank == GHLO_MAX_RANK)
    return;
  while (n_parts > 1 && (type->dimensions[first] % n_parts != 0 || n_rows / n_parts < MIN_ROWS))
    n_parts /= 2;
  if (n_parts == 1 || !can_split (matrix->value, MAX_DEPTH))
    return;

  matrix->value = split (self, matrix->value, first, n_parts);
  matrix->parts = first;
  for (guint i = 0; i <= rank; i++)
    matrix->first[i] += matrix->first[i] > first;
}

/* The matrix's dimension that dimension @i of the vector, which is not free, is multiplied with. */
static gint64
find_counterpart (const GhloDot *dot,
                  guint          side,
                  gint64         i)
{
  guint j = 0;

  for (guint k = 0; k < dot->n_batch; k++)
    if (dot->batch[side][k] == i)
      return dot->batch[1 - side][k];
  while (dot->contracting[side][j] != i)
    j++;

  return dot->contracting[1 - side][j];
}

/* Appends the matrix's dimensions that are dimension @i of the operand. */
static void
append (const Matrix *matrix,
        gint64        i,
        gint64       *dimensions,
        gsize        *n)
{
  for (guint k = matrix->first[i]; k < matrix->first[i + 1]; k++)
    dimensions[(*n)++] = k;
}

/* The vector, on that side, broadcast to the type of the matrix. */
static GhloIrValue *
spread_vector (GhloRewriter     *self,
               const GhloDot    *dot,
               guint             side,
               const Matrix     *matrix,
               const GhloIrType *type)
{
  GhloIrValue *vector = dot->operands[side];
  gint64 kept[GHLO_MAX_RANK], places[GHLO_MAX_RANK];
  gsize n = 0;

  for (guint i = 0; i < vector->type->rank; i++)
    if (!ghlo_dot_is_free (dot, side, i))
      append (matrix, find_counterpart (dot, side, i), places, &n);
  for (gsize i = 0; i < n; i++)
    kept[i] = type->dimensions[places[i]];
  vector = ghlo_make_reshape (self, vector, ghlo_make_type (self, vector->type, kept, n));
  vector = ghlo_make_convert (self, vector, type->element_type);

  return ghlo_make_broadcast (self, vector, places, type);
}

static GhloIrValue *
make_sum (GhloRewriter *self,
          GhloIrValue  *values,
          const gint64 *dimensions,
          gsize         n_dimensions)
{
  GhloIrValue *zero = ghlo_make_number (self, ghlo_make_type (self, values->type, NULL, 0), 0);

  return ghlo_make_reduce (self, GHLO_OP_STABLEHLO_ADD, values, zero, dimensions, n_dimensions);
}

/* Sums @products over @dimensions, each part for itself where there are parts. */
static GhloIrValue *
add_up (GhloRewriter *self,
        GhloIrValue  *products,
        guint         parts,
        const gint64 *dimensions,
        gsize         n_dimensions)
{
  gint64 inner[GHLO_MAX_RANK], part = parts;
  gsize n_inner = 0;

  if (parts == NO_PARTS)
    return make_sum (self, products, dimensions, n_dimensions);
  for (gsize i = 0; i < n_dimensions; i++)
    if (dimensions[i] != part)
      inner[n_inner++] = dimensions[i];
  for (gsize i = 0; i < n_inner; i++)
    part -= inner[i] < parts;

  return make_sum (self, make_sum (self, products, inner, n_inner), &part, 1);
}

/* Sums the products, and brings the sums into the order of the result. */
static GhloIrValue *
sum_products (GhloRewriter  *self,
              const GhloDot *dot,
              guint          side,
              const Matrix  *matrix,
              GhloIrValue   *products)
{
  const GhloIrType *type = products->type;
  gint64 summed[GHLO_MAX_RANK], kept[GHLO_MAX_RANK], numbers[GHLO_MAX_RANK], number = 0;
  gsize n_summed = 0, n_kept = 0;
  GhloIrValue *sum;

  for (guint i = 0; i < dot->n_contracting; i++)
    append (matrix, dot->contracting[side][i], summed, &n_summed);
  for (guint i = 0; i < dot->n_batch; i++)
    append (matrix, dot->batch[side][i], kept, &n_kept);
  for (guint i = 0; i < dot->operands[side]->type->rank; i++)
    if (ghlo_dot_is_free (dot, side, i))
      append (matrix, i, kept, &n_kept);
  sum = add_up (self, products, matrix->parts, summed, n_summed);
  for (guint i = 0; i < type->rank; i++)
    if (!ghlo_dims_contain (summed, n_summed, i))
      numbers[i] = number++;
  for (gsize i = 0; i < n_kept; i++)
    kept[i] = numbers[kept[i]];

  return ghlo_permutation_is_identity (kept, n_kept) ? sum : ghlo_make_transpose (self, sum, kept);
}

/* Which side is a matrix that is computed, with a vector on the other; GHLO_DOT_RHS + 1: neither. */
static guint
find_side (const GhloDot *dot)
{
  guint side = GHLO_DOT_LHS;

  for (; side <= GHLO_DOT_RHS; side++)
    {
      const gsize count = ghlo_type_count (dot->operands[side]->type);

      if (count >= MIN_ELEMENTS && count_vectors (dot, 1 - side) == 1
          && is_widened (dot->operands[side], count, MAX_DEPTH))
        break;
    }

  return side;
}

static gboolean
expand (GhloRewriter *self,
        GhloIrOp     *op)
{
  const GhloIrType *result = op->results[0].type, *type;
  const GhloElementType wide = result->element_type == GHLO_ELEMENT_TYPE_F64 ? GHLO_ELEMENT_TYPE_F64
                                                                             : GHLO_ELEMENT_TYPE_F32;
  GhloIrValue *value;
  Matrix matrix;
  GhloDot dot;
  guint side;

  if (!ghlo_dot_read (op, &dot) || !keeps_precision (op) || (side = find_side (&dot)) > GHLO_DOT_RHS
      || ghlo_rewrite_is_declined (self, GHLO_FUSION_EXPAND_GEMV, op))
    return FALSE;

  find_matrix (&dot, side, &matrix);
  cut_rows (self, &dot, side, &matrix);
  type = ghlo_make_type_of (self, wide, matrix.value->type);
  value = ghlo_make_convert (self, matrix.value, wide);
  value = ghlo_make_binary (self, GHLO_OP_STABLEHLO_MULTIPLY, value,
                            spread_vector (self, &dot, 1 - side, &matrix, type));
  value = sum_products (self, &dot, side, &matrix, value);
  value = ghlo_make_convert (self, value, result->element_type);

  return ghlo_rewrite_replace (self, op, ghlo_make_reshape (self, value, result));
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_DOT_GENERAL, expand },
};

gboolean
ghlo_pass_expand_gemv (GhloIrModule     *module,
                       GhloPassContext  *context,
                       GError          **error)
{
  return ghlo_rewrite_module (module, context, rows, G_N_ELEMENTS (rows), error);
}
