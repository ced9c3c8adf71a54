/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Solves triangular systems with one right-hand side in long doubles, for those whose intermediate results exceed the
 * range of their own type.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

/* op (a), in the order in which it is walked. Elements outside of the triangle are not read, nor is a unit
 * diagonal. */
typedef struct
{
  GhloElementType type;              /* a float or complex type, of all operands */
  gint64          n;
  gint64          row, column;       /* strides in bytes */
  gboolean        lower, unit, conjugate;
} GhloCpuTriangle;

/* Whether all @n numbers, which are @step bytes apart, are finite. */
gboolean ghlo_cpu_vector_is_finite        (GhloElementType        type,
                                           gint64                 n,
                                           const guint8          *vector,
                                           gint64                 step);
gboolean ghlo_cpu_triangle_is_finite      (const GhloCpuTriangle *self,
                                           const guint8          *a);
/* Bytes, a multiple of 64. */
gsize    ghlo_cpu_substitute_scratch_size (gint64                 n);
/* Solves op (a) x = b; each number is rounded once when stored to @x. @b_step and @x_step are the bytes from one
 * number to the next. FALSE, with nothing done, where a number of @b is not finite. */
gboolean ghlo_cpu_substitute              (const GhloCpuTriangle *self,
                                           const guint8          *a,
                                           const guint8          *b,
                                           gint64                 b_step,
                                           guint8                *x,
                                           gint64                 x_step,
                                           gpointer               scratch);

G_END_DECLS
