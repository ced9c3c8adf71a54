/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops of elementwise operations and reductions over lines of adjacent elements, one
 * for each operation and type of numbers, compiled once for each level of processors
 * (level.h). They need no alignment, and a result may lie exactly over an operand.
 */

#pragma once

#include "base/element.h"
#include "kernel/scalar-kinds.h"

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

/* What a loop computes: a scalar operation, or one of these. Comparisons write I1. Of floats
 * they are those of IEEE 754; the total order is one of their bits as signed integers. COPY,
 * SELECT and REDUCE_PRECISION, whose detail is a GhloCpuPrecision, are by the size of elements
 * alone and stand in the rows of U8 to U64 and, but for the last, of C128; COMPLEX stands in the
 * row of the parts. Operations that are others on booleans stand under those in the row of I1. */
typedef enum
{
  GHLO_CPU_ELEMENTWISE_COPY = GHLO_N_SCALARS,
  GHLO_CPU_ELEMENTWISE_EQ,
  GHLO_CPU_ELEMENTWISE_LE,
  GHLO_CPU_ELEMENTWISE_LT,
  GHLO_CPU_ELEMENTWISE_NE,
  GHLO_CPU_ELEMENTWISE_TOTAL_LE,
  GHLO_CPU_ELEMENTWISE_TOTAL_LT,
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

/* Combines *accumulator with a line of @n numbers, in an order that depends on @n and on
 * the processor's level alone. */
typedef void (*GhloCpuReduceFunc) (const guint8 *from,
                                   gsize         n,
                                   guint8       *accumulator);

typedef struct
{
  const GhloCpuElementwiseFunc *loops[GHLO_CPU_N_NUMBERS];         /* by GhloScalarKind and GhloCpuElementwiseOp */
  GhloCpuElementwiseFunc        casts[GHLO_CPU_N_NUMBERS][GHLO_CPU_N_TARGETS];  /* none to the same number */
  GhloCpuReduceFunc             folds[GHLO_CPU_N_NUMBERS][GHLO_N_COMBINERS];       /* none of complex numbers */
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
