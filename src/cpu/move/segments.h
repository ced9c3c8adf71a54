/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A result that is put together of copies, none of which writes where another does:
 * concatenations, paddings, tensors with a slice replaced. All pieces are shared out
 * among threads at the same time.
 */

#pragma once

#include "base/view.h"
#include "cpu/move/copy.h"

G_BEGIN_DECLS

typedef struct
{
  GhloCpuCopy copy;
  guint       operand;      /* where from */
  gint64      from, to;     /* bytes from the operand's and the result's first element */
  gsize       end;          /* parts of this piece and of all before it */
} GhloCpuSegment;

typedef struct
{
  guint          n;
  gsize          n_bytes;
  double         nanoseconds;
  GhloCpuSegment pieces[];
} GhloCpuSegments;

static inline gsize
ghlo_cpu_segments_size (guint most)
{
  return sizeof (GhloCpuSegments) + most * sizeof (GhloCpuSegment);
}

void     ghlo_cpu_segments_init       (GhloCpuSegments     *self);
/* @sizes elements of @operand, whose strides are @from, to the result. */
void     ghlo_cpu_segments_add        (GhloCpuSegments *self,
                                       const GhloView  *result,
                                       const gint64    *sizes,
                                       guint            operand,
                                       const gint64    *from,
                                       gint64           from_at,
                                       gint64           to_at);
/* Of the result all but the box of @sizes at @starts, from a tensor of its shape whose
 * strides are @from. At most 2 pieces for each dimension. */
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
