/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How an update changes an element, as given by a region of two scalars: it replaces the element, or is combined with
 * it. Each result is rounded to the element's type.
 */

#pragma once

#include "cpu/isa/routines.h"
#include "kernel/scalar.h"

G_BEGIN_DECLS

typedef struct
{
  GhloElementType            type;
  GhloCombiner               combiner;     /* NONE: the update replaces the element */
  gboolean                   is_ordered;   /* the order of updates affects the result */
  double                     nanoseconds;  /* approximate, per element */
  const GhloCpuCombineLoops *loops;        /* nullable */
} GhloCpuCombine;

/* FALSE where @block is another computation, or has no loop for elements of @type. */
gboolean ghlo_cpu_combine_init   (GhloCpuCombine       *self,
                                  const GhloIrBlock    *block,
                                  GhloElementType       type);
/* Applies @n updates to @n distinct elements; strides are in bytes. */
void     ghlo_cpu_combine_row    (const GhloCpuCombine *self,
                                  guint8               *to,
                                  gint64                to_stride,
                                  const guint8         *from,
                                  gint64                from_stride,
                                  gsize                 n);
/* The same for each of @n_rows rows at @offsets from @to, with updates at @others from @from, in order. */
void     ghlo_cpu_combine_rows   (const GhloCpuCombine *self,
                                  guint8               *to,
                                  gint64                to_stride,
                                  const gint64         *offsets,
                                  const guint8         *from,
                                  gint64                from_stride,
                                  const gint64         *others,
                                  gsize                 n_rows,
                                  gsize                 n);
/* Applies @n updates, at @others from @from, to elements at @offsets from @to, in order; elements may occur
 * repeatedly. Updates with offset GHLO_CPU_OUT_OF_BOUNDS are skipped. */
void     ghlo_cpu_combine_points (const GhloCpuCombine *self,
                                  guint8               *to,
                                  const gint64         *offsets,
                                  const guint8         *from,
                                  const gint64         *others,
                                  gsize                 n);

G_END_DECLS
