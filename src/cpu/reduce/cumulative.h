/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops of cumulative reductions over numbers of one arithmetic. The order in which elements are combined depends
 * only on their number, however threads share them.
 */

#pragma once

#include "cpu/isa/routines.h"
#include "kernel/scalar-kinds.h"

G_BEGIN_DECLS

/* A number of any arithmetic. */
typedef union
{
  float   f32;
  double  f64;
  guint64 i64;
} GhloCpuNumberValue;

/* The reduction of a row so far: of the chunks before the current one, and of the current chunk. */
typedef struct
{
  GhloCpuNumberValue before, inside;
  gboolean           begun;         /* inside holds a value */
} GhloCpuCarry;

typedef struct
{
  /* Replaces each of @numbers by the reduction of it and all numbers before it; with @backward, of it and all numbers
   * after it. */
  void (*row)     (gpointer            numbers,
                   gsize               n,
                   gboolean            backward,
                   GhloCpuCarry       *carry);
  /* The same for @n_rows adjacent rows of @n numbers each, strictly in the order of the numbers. */
  void (*rows)    (gpointer                  numbers,
                   gsize                     n,
                   gsize                     n_rows,
                   gboolean                  backward,
                   const GhloCpuNumberValue *start);
  /* Changes @carry as row() does, but leaves the numbers alone. */
  void (*total)   (gconstpointer       numbers,
                   gsize               n,
                   gboolean            backward,
                   GhloCpuCarry       *carry);
  /* Ends a chunk: merges its reduction into carry->before. */
  void (*close)   (GhloCpuCarry       *carry);
  /* to[i] = to[i] op numbers[i] */
  void (*combine) (gpointer            to,
                   gconstpointer       numbers,
                   gsize               n);
} GhloCpuCumulativeLoops;

/* NULL where there are none; there are loops for f32, f64 and i64. NaN stays NaN, and -0 is below +0. @is_unsigned:
 * the elements are unsigned integers. */
const GhloCpuCumulativeLoops *ghlo_cpu_cumulative_loops (GhloCpuArithmetic arithmetic,
                                                         GhloCombiner      combiner,
                                                         gboolean          is_unsigned);

G_END_DECLS
