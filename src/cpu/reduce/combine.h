/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How an update becomes part of an element, as regions of two scalars say: assigned, or
 * combined with it. Each time the result is rounded to the element's type.
 */

#pragma once

#include "base/element.h"
#include "kernel/scalar.h"

G_BEGIN_DECLS

typedef struct _GhloCpuCombine GhloCpuCombine;

/* @n elements that differ, any bytes apart. */
typedef void (*GhloCpuCombineLineFunc)   (const GhloCpuCombine *self,
                                          guint8               *to,
                                          gint64                to_stride,
                                          const guint8         *from,
                                          gint64                from_stride,
                                          gsize                 n);
/* One after the other; an offset of GHLO_CPU_OUT_OF_BOUNDS is left out. */
typedef void (*GhloCpuCombinePointsFunc) (const GhloCpuCombine *self,
                                          guint8               *to,
                                          const gint64         *offsets,
                                          const guint8         *from,
                                          const gint64         *others,
                                          gsize                 n);

struct _GhloCpuCombine
{
  GhloElementType          type;
  GhloCombiner             combiner;     /* NONE: the update takes the element's place */
  gboolean                 is_ordered;   /* the order of updates changes the result */
  double                   nanoseconds;  /* of one element, about */
  GhloCpuCombineLineFunc   line;
  GhloCpuCombinePointsFunc points;
};

/* FALSE when @block is another computation, or none for elements of @type. */
gboolean ghlo_cpu_combine_init (GhloCpuCombine    *self,
                                const GhloIrBlock *block,
                                GhloElementType    type);

G_END_DECLS
