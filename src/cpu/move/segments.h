/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A result that is composed of several copies ("segments") that do not overlap: concatenations, paddings, and tensors
 * with a slice replaced. Threads share all segments at once.
 */

#pragma once

#include "base/view.h"
#include "cpu/move/copy.h"

G_BEGIN_DECLS

typedef struct
{
  GhloCpuCopy copy;
  guint       operand;      /* index of the operand that is copied */
  gint64      from, to;     /* offsets in bytes from the first element of the operand, and of the result */
  gsize       end;          /* number of parts of this segment and all segments before it */
} GhloCpuSegment;

typedef struct
{
  guint          n;
  gsize          n_bytes;
  double         nanoseconds;
  GhloCpuSegment segments[];
} GhloCpuSegments;

static inline gsize
ghlo_cpu_segments_size (guint most)
{
  return sizeof (GhloCpuSegments) + most * sizeof (GhloCpuSegment);
}

void     ghlo_cpu_segments_init       (GhloCpuSegments     *self);
/* Adds a copy of a box of @sizes from @operand, whose strides are @from, to the result. */
void     ghlo_cpu_segments_add        (GhloCpuSegments *self,
                                       const GhloView  *result,
                                       const gint64    *sizes,
                                       guint            operand,
                                       const gint64    *from,
                                       gint64           from_at,
                                       gint64           to_at);
/* Adds copies of everything in the result except the box of @sizes at @starts, from a tensor with the result's shape
 * and strides @from. Adds at most 2 segments for each dimension. */
void     ghlo_cpu_segments_add_around (GhloCpuSegments *self,
                                       const GhloView  *result,
                                       const gint64    *starts,
                                       const gint64    *sizes,
                                       guint            operand,
                                       const gint64    *from);
/* FALSE when cancelled. */
gboolean ghlo_cpu_segments_run        (const GhloCpuSegments *self,
                                       const GhloView        *operands,
                                       guint8                *result,
                                       const GhloMonitor     *monitor);

G_END_DECLS
