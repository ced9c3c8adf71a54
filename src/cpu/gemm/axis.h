/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One axis of a matrix that lies in a tensor: where its steps are. Dimensions of
 * the tensor that follow each other in equal steps are one run; an axis made of
 * several runs keeps where each begins.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64  count;
  gint64  inner;    /* steps of a run; count where there is one run */
  gint64  stride;   /* bytes, within a run */
  gint64 *outer;    /* owned; bytes to each run, NULL where there is one */
} GhloCpuAxis;

/* How many runs @rank dimensions of @sizes, outermost first, with strides in bytes
 * fall into, as factors: 1 when all of them are one run. */
guint    ghlo_cpu_axis_factors (const gint64  *sizes,
                                const gint64  *strides,
                                guint          rank);
gboolean ghlo_cpu_axis_init    (GhloCpuAxis   *self,
                                const gint64  *sizes,
                                const gint64  *strides,
                                guint          rank,
                                GError       **error);
void     ghlo_cpu_axis_clear   (GhloCpuAxis   *self);

static inline gboolean
ghlo_cpu_axis_is_uniform (const GhloCpuAxis *self)
{
  return self->outer == NULL;
}

/* Bytes to step @index. */
static inline gint64
ghlo_cpu_axis_at (const GhloCpuAxis *self,
                  gint64             index)
{
  if (self->outer == NULL)
    return index * self->stride;

  return self->outer[index / self->inner] + index % self->inner * self->stride;
}

/* The first step after @index that is in another run, or @end. */
static inline gint64
ghlo_cpu_axis_run_end (const GhloCpuAxis *self,
                       gint64             index,
                       gint64             end)
{
  return self->outer == NULL ? end : MIN (end, (index / self->inner + 1) * self->inner);
}

G_END_DECLS
