/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops of cumulative reductions over numbers of one arithmetic. Their order is fixed by
 * the number of elements alone, and not by who runs them.
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

/* What a line came to so far: before the chunk that it stands in, and in that chunk. */
typedef struct
{
  GhloCpuNumberValue before, inside;
  gboolean           begun;         /* there is something inside */
} GhloCpuCarry;

typedef struct
{
  /* @numbers become what they and those before them come to; or where @backward is TRUE
   * those after them. */
  void (*line)  (gpointer            numbers,
                 gsize               n,
                 gboolean            backward,
                 GhloCpuCarry       *carry);
  /* The same of @n_lines adjacent lines of @n numbers each, one number after the other. */
  void (*lines) (gpointer                  numbers,
                 gsize                     n,
                 gsize                     n_lines,
                 gboolean                  backward,
                 const GhloCpuNumberValue *start);
  /* Only what @carry becomes by it. */
  void (*total) (gconstpointer       numbers,
                 gsize               n,
                 gboolean            backward,
                 GhloCpuCarry       *carry);
  /* What @carry comes to becomes what is before the next chunk. */
  void (*close) (GhloCpuCarry       *carry);
  /* to[i] = to[i] op numbers[i] */
  void (*rows)  (gpointer            to,
                 gconstpointer       numbers,
                 gsize               n);
} GhloCpuCumulativeLoops;

/* NULL where there are none; arithmetics are those of f32, f64 and i64. Of floats NaN stays,
 * and -0 is below +0. @is_unsigned: of unsigned integers. */
const GhloCpuCumulativeLoops *ghlo_cpu_cumulative_loops (GhloCpuArithmetic arithmetic,
                                                         GhloCombiner      combiner,
                                                         gboolean          is_unsigned);

G_END_DECLS
