/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops of elementwise operations and reductions over rows of adjacent numbers, one for each operation and number
 * type, compiled once for each instruction set level (level.h). They need no alignment, and the result may be in the
 * place of an operand.
 */

#pragma once

#include "base/element.h"
#include "cpu/isa/level.h"
#include "kernel/scalar-kinds.h"

G_BEGIN_DECLS

/* The types of numbers that loops compute in. f16 and bf16 are computed in f32. */
typedef enum
{
  GHLO_CPU_NUMBER_I1,       /* bytes; any value but 0 is read as true, and true is written as 1 */
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
  /* For casts to f16 and bf16: f32 rounded to odd, that is, truncated, with the last bit set where the number was
   * inexact. Rounding the result again then gives the same as rounding once. */
  GHLO_CPU_NUMBER_F32_ODD = GHLO_CPU_N_NUMBERS,
  GHLO_CPU_N_TARGETS
} GhloCpuNumber;

/* The operations of loops besides those of GhloScalarKind. Comparisons write I1. Those of floats follow IEEE 754; the
 * total order compares the bits of floats as signed integers. COPY, SELECT and REDUCE_PRECISION, whose detail is a
 * GhloCpuPrecision, depend only on the size of elements: they are in the rows of U8 to U64, the first two also in
 * that of C128. COMPLEX is in the row of its parts' type. FMA is rounded once at every level. An operation that on
 * booleans is another one (addition is OR) is in the row of I1 under that other one. */
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

/* @detail is a parameter of some operations. */
typedef void (*GhloCpuElementwiseFunc) (const guint8 *const *operands,
                                        guint8              *result,
                                        gsize                n,
                                        gconstpointer        detail);

/* Rounding of a float to fewer bits. Magnitudes are the bits without the sign. */
typedef struct
{
  guint   dropped;      /* bits removed at the end of the mantissa */
  guint64 infinity;
  guint64 nan;          /* replaces NaN; 0 where NaN is kept */
  guint64 most;         /* larger magnitudes become infinity */
  guint64 least;        /* smaller magnitudes become 0 */
} GhloCpuPrecision;

/* Combines *accumulator with @n adjacent numbers, in an order that depends on @n only. */
typedef void (*GhloCpuReduceFunc) (const guint8 *from,
                                   gsize         n,
                                   guint8       *accumulator);

/* A scan of @rows rows of @columns adjacent elements; rows are @from_row and @to_row bytes apart. @sums has the
 * reduction of each column so far, in numbers, and is changed. @to, which may be @from or NULL, gets the reductions up
 * to each row; with @before, which only operations have whose order counts, they are combined with its numbers. */
typedef struct
{
  const guint8 *from;
  guint8       *to;
  gint64        from_row, to_row;
  gsize         rows, columns;
  guint8       *sums;
  const guint8 *before;
} GhloCpuScan;

typedef void (*GhloCpuScanFunc) (const GhloCpuScan *scan);

typedef struct
{
  const GhloCpuElementwiseFunc *loops[GHLO_CPU_N_NUMBERS];  /* indexed by GhloScalarKind and GhloCpuElementwiseOp */
  /* Indexed by GhloNodeKind: a FUNCTION of operands of that number type, where it is composed of nodes. */
  const GhloCpuElementwiseFunc *functions[GHLO_CPU_N_NUMBERS];
  GhloCpuElementwiseFunc        casts[GHLO_CPU_N_NUMBERS][GHLO_CPU_N_TARGETS];     /* NULL for the same type */
  GhloCpuReduceFunc             reductions[GHLO_CPU_N_NUMBERS][GHLO_N_COMBINERS];  /* NULL for complex numbers */
  GhloCpuScanFunc               scans[GHLO_CPU_N_NUMBERS][GHLO_N_COMBINERS];       /* of numbers; likewise */
  GhloCpuScanFunc               bf16_scans[GHLO_N_COMBINERS];      /* of bf16 in f32, that only reduce: to is NULL */
  GhloCpuScanFunc               wide_sum;                                          /* the scan of f32 in f64 */
} GhloCpuElementwiseRoutines;

/* The loops of ghlo_cpu_level (), and those of any level up to the processor's own. Missing loops are NULL. */
const GhloCpuElementwiseRoutines *ghlo_cpu_elementwise_routines      (void);
void                              ghlo_cpu_elementwise_routines_init (GhloCpuElementwiseRoutines *self,
                                                                      GhloCpuLevel                level);

static inline guint
ghlo_cpu_number_size (GhloCpuNumber number)
{
  static const guint8 sizes[] = { 1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16, 4 };

  return sizes[number];
}

G_END_DECLS
