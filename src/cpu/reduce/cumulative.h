/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops of cumulative reductions over numbers of one arithmetic. The number of elements
 * alone decides the order in which they are combined, however threads share them.
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

/* The reduction of a row so far: of the chunks before the current one, and within that. */
typedef struct
{
  GhloCpuNumberValue before, inside;
  gboolean           begun;         /* inside holds a number */
} GhloCpuCarry;

typedef struct
{
  /* Replaces each of @numbers by the reduction of it and all before it, or where @backward
   * is TRUE of it and all after it. */
  void (*row)     (gpointer            numbers,
                   gsize               n,
                   gboolean            backward,
                   GhloCpuCarry       *carry);
  /* The same for @n_rows adjacent rows of @n numbers each, in the order of the numbers. */
  void (*rows)    (gpointer                  numbers,
                   gsize                     n,
                   gsize                     n_rows,
                   gboolean                  backward,
                   const GhloCpuNumberValue *start);
  /* Changes @carry as row() does, and leaves the numbers alone. */
  void (*total)   (gconstpointer       numbers,
                   gsize               n,
                   gboolean            backward,
                   GhloCpuCarry       *carry);
  /* Ends a chunk: its reduction becomes part of carry->before. */
  void (*close)   (GhloCpuCarry       *carry);
  /* to[i] = to[i] op numbers[i] */
  void (*combine) (gpointer            to,
                   gconstpointer       numbers,
                   gsize               n);
} GhloCpuCumulativeLoops;

/* NULL where there are none; there are loops for the arithmetics f32, f64 and i64. A NaN stays
 * NaN, and -0 is below +0. @is_unsigned: the elements are unsigned integers. */
const GhloCpuCumulativeLoops *ghlo_cpu_cumulative_loops (GhloCpuArithmetic arithmetic,
                                                         GhloCombiner      combiner,
                                                         gboolean          is_unsigned);

G_END_DECLS
