/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops of elementwise operations and reductions over lines of adjacent elements, one
 * for each operation and type of numbers, compiled once for each level of processors
 * (level.h). They need no alignment, and a result may lie exactly over an operand.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

/* What is computed in. f16 and bf16 are computed in f32. */
typedef enum
{
  GHLO_CPU_NUMBER_I1,       /* bytes; what is not 0 is true, 1 is written */
  GHLO_CPU_NUMBER_S8,
  GHLO_CPU_NUMBER_S16,
  GHLO_CPU_NUMBER_S32,
  GHLO_CPU_NUMBER_S64,
  GHLO_CPU_NUMBER_U8,
  GHLO_CPU_NUMBER_U16,
  GHLO_CPU_NUMBER_U32,
  GHLO_CPU_NUMBER_U64,
  GHLO_CPU_NUMBER_F32,
  GHLO_CPU_NUMBER_F64,
  GHLO_CPU_NUMBER_C64,      /* pairs of f32 */
  GHLO_CPU_NUMBER_C128,
  GHLO_CPU_N_NUMBERS,
  /* For casts to f16 and bf16: f32 with the last bit set where the number was cut off
   * (rounding to odd), so that rounding it again gives what rounding once would. */
  GHLO_CPU_NUMBER_F32_ODD = GHLO_CPU_N_NUMBERS,
  GHLO_CPU_N_TARGETS
} GhloCpuNumber;

/* Comparisons write I1. Of floats they are those of IEEE 754; the total order is one of
 * their bits as signed integers. COPY and SELECT are by the size of elements alone and
 * stand in the rows of U8 to U64 and C128. */
typedef enum
{
  GHLO_CPU_ELEMENTWISE_ABS,
  GHLO_CPU_ELEMENTWISE_ADD,
  GHLO_CPU_ELEMENTWISE_AND,
  GHLO_CPU_ELEMENTWISE_CEIL,
  GHLO_CPU_ELEMENTWISE_CLAMP,          /* the least, the numbers, the most */
  GHLO_CPU_ELEMENTWISE_COMPLEX,        /* in the row of the parts */
  GHLO_CPU_ELEMENTWISE_COPY,
  GHLO_CPU_ELEMENTWISE_COUNT_LEADING_ZEROS,
  GHLO_CPU_ELEMENTWISE_DIVIDE,
  GHLO_CPU_ELEMENTWISE_EQ,
  GHLO_CPU_ELEMENTWISE_FLOOR,
  GHLO_CPU_ELEMENTWISE_IS_FINITE,
  GHLO_CPU_ELEMENTWISE_LE,
  GHLO_CPU_ELEMENTWISE_LT,
  GHLO_CPU_ELEMENTWISE_MAXIMUM,
  GHLO_CPU_ELEMENTWISE_MINIMUM,
  GHLO_CPU_ELEMENTWISE_MULTIPLY,
  GHLO_CPU_ELEMENTWISE_NE,
  GHLO_CPU_ELEMENTWISE_NEGATE,
  GHLO_CPU_ELEMENTWISE_NOT,
  GHLO_CPU_ELEMENTWISE_OR,
  GHLO_CPU_ELEMENTWISE_POPCNT,
  GHLO_CPU_ELEMENTWISE_POWER,
  GHLO_CPU_ELEMENTWISE_REDUCE_PRECISION,   /* in the rows of U16 to U64; the detail is a GhloCpuPrecision */
  GHLO_CPU_ELEMENTWISE_REMAINDER,
  GHLO_CPU_ELEMENTWISE_ROUND_NEAREST_AFZ,
  GHLO_CPU_ELEMENTWISE_ROUND_NEAREST_EVEN,
  GHLO_CPU_ELEMENTWISE_RSQRT,
  GHLO_CPU_ELEMENTWISE_SELECT,
  GHLO_CPU_ELEMENTWISE_SHIFT_LEFT,
  GHLO_CPU_ELEMENTWISE_SHIFT_RIGHT_ARITHMETIC,
  GHLO_CPU_ELEMENTWISE_SHIFT_RIGHT_LOGICAL,
  GHLO_CPU_ELEMENTWISE_SIGN,
  GHLO_CPU_ELEMENTWISE_SQRT,
  GHLO_CPU_ELEMENTWISE_SUBTRACT,
  GHLO_CPU_ELEMENTWISE_TOTAL_LE,
  GHLO_CPU_ELEMENTWISE_TOTAL_LT,
  GHLO_CPU_ELEMENTWISE_XOR,
  GHLO_CPU_N_ELEMENTWISE
} GhloCpuElementwiseOp;

/* @detail is what some loops want to know besides. */
typedef void (*GhloCpuElementwiseFunc) (const guint8 *const *operands,
                                        guint8              *result,
                                        gsize                n,
                                        gconstpointer        detail);

/* Rounding of a float's bits to fewer of them. Magnitudes are bits without the sign. */
typedef struct
{
  guint   dropped;      /* bits of the mantissa, at the end */
  guint64 infinity;
  guint64 nan;          /* what NaN becomes, if anything; else 0 */
  guint64 most;         /* greater ones become infinite */
  guint64 least;        /* lesser ones become 0 */
} GhloCpuPrecision;

typedef enum
{
  GHLO_CPU_REDUCTION_ADD,
  GHLO_CPU_REDUCTION_AND,
  GHLO_CPU_REDUCTION_MAXIMUM,
  GHLO_CPU_REDUCTION_MINIMUM,
  GHLO_CPU_REDUCTION_MULTIPLY,
  GHLO_CPU_REDUCTION_OR,
  GHLO_CPU_REDUCTION_XOR,
  GHLO_CPU_N_REDUCTIONS
} GhloCpuReduction;

/* Combines *accumulator with a line of @n numbers, in an order that depends on @n and on
 * the processor's level alone. */
typedef void (*GhloCpuReduceFunc) (const guint8 *from,
                                   gsize         n,
                                   guint8       *accumulator);

typedef struct
{
  const GhloCpuElementwiseFunc *loops[GHLO_CPU_N_NUMBERS];                      /* by GhloCpuElementwiseOp */
  GhloCpuElementwiseFunc        casts[GHLO_CPU_N_NUMBERS][GHLO_CPU_N_TARGETS];  /* none to the same number */
  GhloCpuReduceFunc             folds[GHLO_CPU_N_NUMBERS][GHLO_CPU_N_REDUCTIONS];  /* none of complex numbers */
} GhloCpuElementwiseRoutines;

/* Those of ghlo_cpu_level (). A loop that is missing is NULL. */
const GhloCpuElementwiseRoutines *ghlo_cpu_elementwise_routines (void);

static inline guint
ghlo_cpu_number_size (GhloCpuNumber number)
{
  static const guint8 sizes[] = { 1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16, 4 };

  return sizes[number];
}

G_END_DECLS
