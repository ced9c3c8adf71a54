/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Triangular systems with one right-hand side in long doubles, for those whose
 * intermediate results exceed the range of LAPACK's own type.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

/* op (a) as it is walked; what is outside of the triangle is not read, nor is a unit diagonal. */
typedef struct
{
  GhloElementType type;              /* floats or complex numbers, of everything */
  gint64          n;
  gint64          row, column;       /* strides in bytes */
  gboolean        lower, unit, conjugate;
} GhloCpuTriangle;

gboolean ghlo_cpu_triangle_is_finite      (const GhloCpuTriangle *self,
                                           const guint8          *a);
/* Bytes, in a multiple of 64. */
gsize    ghlo_cpu_substitute_scratch_size (gint64                 n);
/* op (a) x = b, each rounded once on its way into @x; @step is bytes from one number of @b, and
 * of @x, to the next. FALSE, and nothing done, where a number of @b is not finite. */
gboolean ghlo_cpu_substitute              (const GhloCpuTriangle *self,
                                           const guint8          *a,
                                           const guint8          *b,
                                           gint64                 b_step,
                                           guint8                *x,
                                           gint64                 x_step,
                                           gpointer               scratch);

G_END_DECLS
