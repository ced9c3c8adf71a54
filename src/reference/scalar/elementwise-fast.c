/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plain loops for the most frequent operations on f32, f64 and i32, so that they
 * are bound by memory rather than by calls. They give the same bits as the scalar
 * functions.
 */

#include "reference/scalar/elementwise.h"

#include <math.h>

#include "reference/scalar/scalar.h"

#define LOOP_2(name, operand_type, outcome_type, expression) \
  static void \
  name (const GhloRefScalarOp *op, const guint8 *const *operands, guint8 *result, gsize n) \
  { \
    const operand_type *lhs = (gconstpointer) operands[0], *rhs = (gconstpointer) operands[1]; \
    outcome_type *out = (gpointer) result; \
    for (gsize i = 0; i < n; i++) \
      { \
        const operand_type x = lhs[i], y = rhs[i]; \
        out[i] = (outcome_type) (expression); \
      } \
  }

#define LOOP_1(name, operand_type, outcome_type, expression) \
  static void \
  name (const GhloRefScalarOp *op, const guint8 *const *operands, guint8 *result, gsize n) \
  { \
    const operand_type *in = (gconstpointer) operands[0]; \
    outcome_type *out = (gpointer) result; \
    for (gsize i = 0; i < n; i++) \
      { \
        const operand_type x = in[i]; \
        out[i] = (outcome_type) (expression); \
      } \
  }

#define COMPARE(suffix, type) \
  LOOP_2 (eq_##suffix, type, guint8, x == y) \
  LOOP_2 (ne_##suffix, type, guint8, x != y) \
  LOOP_2 (ge_##suffix, type, guint8, x >= y) \
  LOOP_2 (gt_##suffix, type, guint8, x > y) \
  LOOP_2 (le_##suffix, type, guint8, x <= y) \
  LOOP_2 (lt_##suffix, type, guint8, x < y)

/* For maximum and minimum: the sum of unordered values is NaN, and equal values can differ only in the sign of zero. */
#define FLOATS(suffix, type) \
  LOOP_2 (add_##suffix, type, type, x + y) \
  LOOP_2 (subtract_##suffix, type, type, x - y) \
  LOOP_2 (multiply_##suffix, type, type, x * y) \
  LOOP_2 (divide_##suffix, type, type, x / y) \
  LOOP_2 (maximum_##suffix, type, type, x > y ? x : x < y ? y : x != y ? x + y : signbit (x) ? y : x) \
  LOOP_2 (minimum_##suffix, type, type, x < y ? x : x > y ? y : x != y ? x + y : signbit (x) ? x : y) \
  LOOP_1 (negate_##suffix, type, type, -x) \
  COMPARE (suffix, type)

FLOATS (f32, float)
FLOATS (f64, double)
LOOP_2 (add_i32, guint32, guint32, x + y)
LOOP_2 (subtract_i32, guint32, guint32, x - y)
LOOP_2 (multiply_i32, guint32, guint32, x * y)
LOOP_2 (maximum_i32, gint32, gint32, MAX (x, y))
LOOP_2 (minimum_i32, gint32, gint32, MIN (x, y))
LOOP_1 (negate_i32, guint32, guint32, -x)
COMPARE (i32, gint32)
LOOP_1 (convert_f32_f64, float, double, x)
LOOP_1 (convert_f64_f32, double, float, x)
LOOP_1 (convert_i32_f32, gint32, float, x)
LOOP_1 (convert_i32_f64, gint32, double, x)
LOOP_1 (convert_i1_f32, guint8, float, x)
LOOP_1 (convert_i1_i32, guint8, gint32, x)

#define SELECT(suffix, type) \
  static void \
  select_##suffix (const GhloRefScalarOp *op, const guint8 *const *operands, guint8 *result, gsize n) \
  { \
    const guint8 *pred = operands[0]; \
    const type *on_true = (gconstpointer) operands[1], *on_false = (gconstpointer) operands[2]; \
    type *out = (gpointer) result; \
    for (gsize i = 0; i < n; i++) \
      out[i] = pred[i] ? on_true[i] : on_false[i]; \
  }

SELECT (8, guint8)
SELECT (16, guint16)
SELECT (32, guint32)
SELECT (64, guint64)

static GhloRefFastLoop
select_loop (const GhloRefScalarOp *op)
{
  switch (ghlo_element_info (op->result_type)->size)
    {
    case 1:
      return select_8;
    case 2:
      return select_16;
    case 4:
      return select_32;
    default:
      return op->result_type != GHLO_ELEMENT_TYPE_COMPLEX_F32 && ghlo_element_info (op->result_type)->size == 8
               ? select_64 : NULL;
    }
}

typedef struct
{
  GhloElementType from, to;
  GhloRefFastLoop loop;
} Conversion;

static GhloRefFastLoop
convert_loop (const GhloRefScalarOp *op)
{
  static const Conversion conversions[] = {
    { GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64, convert_f32_f64 },
    { GHLO_ELEMENT_TYPE_F64, GHLO_ELEMENT_TYPE_F32, convert_f64_f32 },
    { GHLO_ELEMENT_TYPE_I32, GHLO_ELEMENT_TYPE_F32, convert_i32_f32 },
    { GHLO_ELEMENT_TYPE_I32, GHLO_ELEMENT_TYPE_F64, convert_i32_f64 },
    { GHLO_ELEMENT_TYPE_I1, GHLO_ELEMENT_TYPE_F32, convert_i1_f32 },
    { GHLO_ELEMENT_TYPE_I1, GHLO_ELEMENT_TYPE_I32, convert_i1_i32 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (conversions); i++)
    if (conversions[i].from == op->operand_type && conversions[i].to == op->result_type)
      return conversions[i].loop;

  return NULL;
}

typedef struct
{
  GhloRefFastLoop on_f32, on_f64, on_i32;
} Loops;

#define LOOPS(ID, name) [GHLO_SCALAR_##ID] = { name##_f32, name##_f64, name##_i32 }

static GhloRefFastLoop
arithmetic_loop (const GhloRefScalarOp *op)
{
  static const Loops loops[GHLO_N_SCALARS] = {
    LOOPS (ADD, add),
    LOOPS (MAXIMUM, maximum),
    LOOPS (MINIMUM, minimum),
    LOOPS (MULTIPLY, multiply),
    LOOPS (NEGATE, negate),
    LOOPS (SUBTRACT, subtract),
    [GHLO_SCALAR_DIVIDE] = { divide_f32, divide_f64, NULL },
  };

  switch (op->operand_type)
    {
    case GHLO_ELEMENT_TYPE_F32:
      return loops[op->kind].on_f32;
    case GHLO_ELEMENT_TYPE_F64:
      return loops[op->kind].on_f64;
    case GHLO_ELEMENT_TYPE_I32:
      return loops[op->kind].on_i32;
    default:
      return NULL;
    }
}

#define COMPARISONS(suffix) \
  { eq_##suffix, ne_##suffix, ge_##suffix, gt_##suffix, le_##suffix, lt_##suffix }

static GhloRefFastLoop
compare_loop (const GhloRefScalarOp *op)
{
  static const GhloRefFastLoop f32[] = COMPARISONS (f32), f64[] = COMPARISONS (f64), i32[] = COMPARISONS (i32);
  const gint64 direction = op->compare.direction;

  if (direction < 0 || direction > GHLO_REF_COMPARE_LT || op->compare.type == GHLO_REF_COMPARE_TOTALORDER)
    return NULL;

  switch (op->operand_type)
    {
    case GHLO_ELEMENT_TYPE_F32:
      return f32[direction];
    case GHLO_ELEMENT_TYPE_F64:
      return f64[direction];
    case GHLO_ELEMENT_TYPE_I32:
      return i32[direction];
    default:
      return NULL;
    }
}

GhloRefFastLoop
ghlo_ref_fast_loop (const GhloRefScalarOp *op)
{
  switch (op->kind)
    {
    case GHLO_SCALAR_COMPARE:
      return compare_loop (op);
    case GHLO_SCALAR_CONVERT:
      return convert_loop (op);
    case GHLO_SCALAR_SELECT:
      return select_loop (op);
    default:
      return arithmetic_loop (op);
    }
}
