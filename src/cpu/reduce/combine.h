/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How an update changes an element, as a region of two scalars says: it replaces the
 * element, or is combined with it. Each result is rounded to the element's type.
 */

#pragma once

#include "base/element.h"
#include "kernel/scalar.h"

G_BEGIN_DECLS

typedef struct _GhloCpuCombine GhloCpuCombine;

/* @n updates of @n different elements, at strides in bytes. */
typedef void (*GhloCpuCombineRowFunc)    (const GhloCpuCombine *self,
                                          guint8               *to,
                                          gint64                to_stride,
                                          const guint8         *from,
                                          gint64                from_stride,
                                          gsize                 n);
/* @n updates, at @others from @from, of elements at @offsets from @to, in order; elements may
 * repeat. Updates whose offset is GHLO_CPU_OUT_OF_BOUNDS are left out. */
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
  double                   nanoseconds;  /* approximate, for one element */
  GhloCpuCombineRowFunc    row;
  GhloCpuCombinePointsFunc points;
};

/* FALSE when @block is another computation, or one that elements of @type have no loop for. */
gboolean ghlo_cpu_combine_init (GhloCpuCombine    *self,
                                const GhloIrBlock *block,
                                GhloElementType    type);

G_END_DECLS
