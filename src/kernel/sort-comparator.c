/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recognises comparators of sort. A key is an argument, or its real or imaginary part. Before floats are compared,
 * selects may replace both zeros by one zero and every NaN by the same NaN, as JAX does.
 */

#include "kernel/sort-comparator.h"

#include <math.h>
#include <string.h>

enum { MAX_DEPTH = 8 };

/* A value in the region that is computed from a single argument. */
typedef struct
{
  guint           operand, side;        /* side 0 is the first of the two elements being compared */
  guint           part;                 /* 1: the imaginary part */
  GhloElementType type;                 /* of the operand */
  gboolean        zero_equal, nan_equal;
  guint64         nan_bits;
} Side;

/* A comparison of the two sides of a key. */
typedef struct
{
  Side        key;
  const char *direction;                /* as if side 0 were the left operand */
  gboolean    total;
} Comparison;

static gboolean
read_constant (const GhloIrValue *value,
               double            *number,
               guint64           *bits)
{
  const GhloIrAttr *attr = value->op != NULL && value->op->kind == GHLO_OP_STABLEHLO_CONSTANT
                           ? ghlo_ir_op_get (value->op, "value") : NULL;
  gsize size;

  if (attr == NULL || attr->kind != GHLO_IR_ATTR_DENSE || value->type->rank != 0
      || !ghlo_element_type_is_float (value->type->element_type))
    return FALSE;
  size = ghlo_element_info (value->type->element_type)->size;
  if (g_bytes_get_size (attr->dense.bytes) < size)
    return FALSE;
  *number = ghlo_ir_dense_get (attr, 0).f;
  *bits = 0;
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  memcpy (bits, g_bytes_get_data (attr->dense.bytes, NULL), size);
#else
  memcpy ((guint8 *) bits + sizeof (*bits) - size, g_bytes_get_data (attr->dense.bytes, NULL), size);
#endif

  return TRUE;
}

static gboolean
is_total (const GhloIrOp *compare)
{
  return ghlo_ir_op_get_int (compare, "compare_type", 0)
         == ghlo_ir_enum_from_word (GHLO_IR_ENUM_COMPARISON_TYPE, "TOTALORDER");
}

/* Returns whether @op compares in that direction, without the total order of floats. */
static gboolean
is_compare (const GhloIrOp *op,
            const char     *direction)
{
  return op != NULL && op->kind == GHLO_OP_STABLEHLO_COMPARE && !is_total (op)
         && g_strcmp0 (ghlo_ir_enum_word (ghlo_ir_op_get (op, "comparison_direction")), direction) == 0;
}

static gboolean
same_element (const Side *a,
              const Side *b)
{
  return a->operand == b->operand && a->side == b->side && a->part == b->part;
}

static gboolean read_side (const GhloIrBlock *block,
                           const GhloIrValue *value,
                           guint              depth,
                           Side              *side);

/* Returns whether @op compares the element from which @side is computed with zero. */
static gboolean
is_zero_test (const GhloIrBlock *block,
              const GhloIrOp    *op,
              guint              depth,
              const Side        *side)
{
  Side tested;
  double number;
  guint64 bits;

  for (guint i = 0; is_compare (op, "EQ") && i < 2; i++)
    if (read_constant (ghlo_ir_op_operand (op, i), &number, &bits))
      return number == 0 && read_side (block, ghlo_ir_op_operand (op, 1 - i), depth, &tested)
             && same_element (&tested, side);

  return FALSE;
}

/* Returns whether @op compares the element from which @side is computed with itself. */
static gboolean
is_nan_test (const GhloIrBlock *block,
             const GhloIrOp    *op,
             guint              depth,
             const Side        *side)
{
  Side a, b;

  return is_compare (op, "NE") && read_side (block, ghlo_ir_op_operand (op, 0), depth, &a)
         && read_side (block, ghlo_ir_op_operand (op, 1), depth, &b) && same_element (&a, &b)
         && same_element (&a, side) && !a.nan_equal && !b.nan_equal;
}

/* Reads a select that replaces zeros or NaN by a constant. */
static gboolean
read_select (const GhloIrBlock *block,
             const GhloIrOp    *select,
             guint              depth,
             Side              *side)
{
  const GhloIrOp *test = ghlo_ir_op_operand (select, 0)->op;
  double number;
  guint64 bits;

  if (!read_constant (ghlo_ir_op_operand (select, 1), &number, &bits)
      || !read_side (block, ghlo_ir_op_operand (select, 2), depth, side))
    return FALSE;
  if (number == 0 && is_zero_test (block, test, depth, side))
    {
      side->zero_equal = TRUE;
      return TRUE;
    }
  if (!isnan (number) || side->nan_equal || !is_nan_test (block, test, depth, side))
    return FALSE;
  side->nan_equal = TRUE;
  side->nan_bits = bits;

  return TRUE;
}

static gboolean
read_side (const GhloIrBlock *block,
           const GhloIrValue *value,
           guint              depth,
           Side              *side)
{
  const GhloIrOp *op = value->op;

  if (depth == 0 || value->type->kind != GHLO_IR_TYPE_TENSOR || value->type->rank != 0
      || value->type->quantization != NULL)
    return FALSE;
  if (op == NULL)
    {
      *side = (Side) { .operand = value->index / 2, .side = value->index % 2, .type = value->type->element_type };
      return value->block == block;
    }
  if (op->kind == GHLO_OP_STABLEHLO_SELECT)
    return read_select (block, op, depth - 1, side);
  if (op->kind != GHLO_OP_STABLEHLO_REAL && op->kind != GHLO_OP_STABLEHLO_IMAG)
    return FALSE;

  if (!read_side (block, ghlo_ir_op_operand (op, 0), 1, side) || !ghlo_element_type_is_complex (side->type))
    return FALSE;
  side->part = op->kind == GHLO_OP_STABLEHLO_IMAG;

  return TRUE;
}

static gboolean
same_key (const Side *a,
          const Side *b)
{
  return a->operand == b->operand && a->part == b->part && a->zero_equal == b->zero_equal
         && a->nan_equal == b->nan_equal && a->nan_bits == b->nan_bits;
}

static gboolean
read_comparison (const GhloIrBlock *block,
                 const GhloIrValue *value,
                 Comparison        *self)
{
  static const char *const swapped[][2] = {
    { "LT", "GT" }, { "GT", "LT" }, { "LE", "GE" }, { "GE", "LE" }, { "EQ", "EQ" }, { "NE", "NE" },
  };
  const GhloIrOp *op = value->op;
  const GhloIrType *type;
  Side right;

  if (op == NULL || op->kind != GHLO_OP_STABLEHLO_COMPARE
      || !read_side (block, ghlo_ir_op_operand (op, 0), MAX_DEPTH, &self->key)
      || !read_side (block, ghlo_ir_op_operand (op, 1), MAX_DEPTH, &right) || !same_key (&self->key, &right)
      || self->key.side == right.side)
    return FALSE;
  type = ghlo_ir_op_operand (op, 0)->type;
  if (ghlo_element_type_is_complex (type->element_type))
    return FALSE;
  self->total = is_total (op);
  self->direction = ghlo_ir_enum_word (ghlo_ir_op_get (op, "comparison_direction"));
  for (guint i = 0; self->key.side == 1 && i < G_N_ELEMENTS (swapped); i++)
    if (g_str_equal (self->direction, swapped[i][0]))
      {
        self->direction = swapped[i][1];
        break;
      }

  return TRUE;
}

static gboolean
is_strict (const Comparison *self)
{
  return g_str_equal (self->direction, "LT") || g_str_equal (self->direction, "GT");
}

/* Returns whether @value compares the key of @first in that direction. */
static gboolean
compares_same (const GhloIrBlock *block,
               const GhloIrValue *value,
               const Comparison  *first,
               const char        *direction)
{
  Comparison other;

  return read_comparison (block, value, &other) && g_str_equal (other.direction, direction)
         && same_key (&other.key, &first->key) && other.total == first->total;
}

/* Matches or (first, and (equal, rest)), with operands in any order. */
static const GhloIrValue *
split_or (const GhloIrBlock *block,
          const GhloIrOp    *op,
          Comparison        *first)
{
  for (guint i = 0; i < 2; i++)
    {
      const GhloIrOp *both = ghlo_ir_op_operand (op, 1 - i)->op;

      if (both == NULL || both->kind != GHLO_OP_STABLEHLO_AND
          || !read_comparison (block, ghlo_ir_op_operand (op, i), first) || !is_strict (first))
        continue;
      for (guint j = 0; j < 2; j++)
        if (compares_same (block, ghlo_ir_op_operand (both, j), first, "EQ"))
          return ghlo_ir_op_operand (both, 1 - j);
    }

  return NULL;
}

/* Matches select (equal, rest, first), or select (different, first, rest). */
static const GhloIrValue *
split_select (const GhloIrBlock *block,
              const GhloIrOp    *op,
              Comparison        *first)
{
  static const char *const tests[] = { "NE", "EQ" };

  for (guint i = 0; i < 2; i++)
    if (read_comparison (block, ghlo_ir_op_operand (op, 1 + i), first) && is_strict (first)
        && compares_same (block, ghlo_ir_op_operand (op, 0), first, tests[i]))
      return ghlo_ir_op_operand (op, 2 - i);

  return NULL;
}

/* Finds the comparison that decides first; *@rest decides where its keys are equal. */
static gboolean
read_first (const GhloIrBlock  *block,
            const GhloIrValue  *value,
            Comparison         *first,
            const GhloIrValue **rest)
{
  *rest = NULL;
  if (value->op == NULL)
    return FALSE;
  if (value->op->kind == GHLO_OP_STABLEHLO_COMPARE)
    return read_comparison (block, value, first) && strchr ("LG", first->direction[0]) != NULL;
  if (value->op->kind == GHLO_OP_STABLEHLO_OR)
    *rest = split_or (block, value->op, first);
  else if (value->op->kind == GHLO_OP_STABLEHLO_SELECT)
    *rest = split_select (block, value->op, first);

  return *rest != NULL;
}

static gboolean
add_key (GhloSortComparator *self,
         const Comparison   *comparison,
         const GhloIrOp     *sort)
{
  const Side *side = &comparison->key;
  GhloSortKey *key = &self->keys[self->n_keys];
  gboolean is_float = ghlo_element_type_is_float (ghlo_element_type_real_part (side->type));
  const GhloIrType *type;

  if (self->n_keys == GHLO_SORT_MAX_KEYS || side->operand >= sort->n_operands)
    return FALSE;
  type = ghlo_ir_op_operand (sort, side->operand)->type;
  if (type->element_type != side->type || type->quantization != NULL)
    return FALSE;

  self->n_keys++;
  *key = (GhloSortKey) {
    .operand = side->operand,
    .offset = side->part * ghlo_element_info (side->type)->size / 2,
    .descending = comparison->direction[0] == 'G',
    .partial = is_float && !comparison->total,
    .zero_equal = side->zero_equal || (is_float && !comparison->total),
    .nan_equal = side->nan_equal,
    .nan_bits = side->nan_bits,
  };

  return ghlo_sort_key_init (key, side->type);
}

gboolean
ghlo_sort_comparator_read (GhloSortComparator *self,
                           const GhloIrOp     *sort)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (sort, 0);
  const GhloIrValue *rest;
  Comparison comparison = { .direction = "LT" };

  self->n_keys = 0;
  if (block == NULL || block->last == NULL || block->last->n_operands != 1
      || block->n_arguments != 2 * sort->n_operands)
    return FALSE;
  for (const GhloIrValue *value = ghlo_ir_op_operand (block->last, 0); value != NULL; value = rest)
    if (!read_first (block, value, &comparison, &rest) || !add_key (self, &comparison, sort))
      return FALSE;
  self->reverses_equal = comparison.direction[1] == 'E';

  return TRUE;
}
