/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops of elementwise operations and reductions over rows of adjacent numbers, one
 * for each operation and type of number, compiled once for each level of processors
 * (level.h). They need no alignment, and a result may have the address of an operand.
 */

#pragma once

#include "base/element.h"
#include "kernel/scalar-kinds.h"

G_BEGIN_DECLS

/* The types of number that loops compute in. f16 and bf16 are computed in f32. */
typedef enum
{
  GHLO_CPU_NUMBER_I1,       /* bytes; all but 0 are read as true, which is written as 1 */
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

/* The operations that loops compute besides those of GhloScalarKind. Comparisons write I1; those
 * of floats follow IEEE 754, and the total order compares floats' bits as signed integers. COPY,
 * SELECT and REDUCE_PRECISION, whose detail is a GhloCpuPrecision, depend on the size of elements
 * alone: they stand in the rows of U8 to U64, the first two also in that of C128. COMPLEX stands
 * in the row of its parts' type. FMA is rounded once at every level. An operation that is another one on booleans (addition is OR)
 * stands in the row of I1 under the other one. */
typedef enum
{
  GHLO_CPU_ELEMENTWISE_COPY = GHLO_N_SCALARS,
  GHLO_CPU_ELEMENTWISE_EQ,
  GHLO_CPU_ELEMENTWISE_FMA,
  GHLO_CPU_ELEMENTWISE_LE,
  GHLO_CPU_ELEMENTWISE_LT,
  GHLO_CPU_ELEMENTWISE_NE,
  GHLO_CPU_ELEMENTWISE_TOTAL_LE,
  GHLO_CPU_ELEMENTWISE_TOTAL_LT,
  GHLO_CPU_ELEMENTWISE_TRUNCATE,
  GHLO_CPU_N_ELEMENTWISE
} GhloCpuElementwiseOp;

/* @detail: a parameter of some operations. */
typedef void (*GhloCpuElementwiseFunc) (const guint8 *const *operands,
                                        guint8              *result,
                                        gsize                n,
                                        gconstpointer        detail);

/* Rounding of a float to fewer bits. Magnitudes are the bits without the sign. */
typedef struct
{
  guint   dropped;      /* bits cut off at the end of the mantissa */
  guint64 infinity;
  guint64 nan;          /* replaces NaN; 0 where NaN stays */
  guint64 most;         /* greater magnitudes become infinite */
  guint64 least;        /* smaller magnitudes become 0 */
} GhloCpuPrecision;

/* Combines *accumulator with @n adjacent numbers, in an order that depends on @n and on the
 * processor's level alone. */
typedef void (*GhloCpuReduceFunc) (const guint8 *from,
                                   gsize         n,
                                   guint8       *accumulator);

typedef struct
{
  const GhloCpuElementwiseFunc *loops[GHLO_CPU_N_NUMBERS];  /* each by GhloScalarKind and GhloCpuElementwiseOp */
  /* By GhloNodeKind: a FUNCTION of operands of that type of number, where it is made of nodes. */
  const GhloCpuElementwiseFunc *functions[GHLO_CPU_N_NUMBERS];
  GhloCpuElementwiseFunc        casts[GHLO_CPU_N_NUMBERS][GHLO_CPU_N_TARGETS];     /* none to the same type */
  GhloCpuReduceFunc             reductions[GHLO_CPU_N_NUMBERS][GHLO_N_COMBINERS];  /* none of complex numbers */
} GhloCpuElementwiseRoutines;

/* The loops of ghlo_cpu_level (). A missing loop is NULL. */
const GhloCpuElementwiseRoutines *ghlo_cpu_elementwise_routines (void);

static inline guint
ghlo_cpu_number_size (GhloCpuNumber number)
{
  static const guint8 sizes[] = { 1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16, 4 };

  return sizes[number];
}

G_END_DECLS
