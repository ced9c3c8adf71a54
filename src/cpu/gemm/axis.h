/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One axis of a matrix that lies in a tensor: where its steps are. Dimensions of
 * the tensor that follow each other in equal steps are one run; runs follow each
 * other in equal steps too, or are runs of runs. What is kept of an axis depends on
 * the tensor's rank alone, never on its size.
 */

#pragma once

#include "base/sizes.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 size;
  gint64 stride;    /* bytes */
} GhloCpuAxisFactor;

typedef struct
{
  gint64             count;
  gint64             inner;     /* steps of a run; count where there is one run */
  gint64             stride;    /* bytes, within a run */
  GhloCpuAxisFactor *outer;     /* owned; of runs, innermost first; NULL where there is one */
  guint              n_outer;
} GhloCpuAxis;

/* How many runs @rank dimensions of @sizes, outermost first, with strides in bytes
 * fall into, as factors: 1 when all of them are one run. */
guint ghlo_cpu_axis_factors (const gint64 *sizes,
                             const gint64 *strides,
                             guint         rank);
void  ghlo_cpu_axis_init    (GhloCpuAxis  *self,
                             const gint64 *sizes,
                             const gint64 *strides,
                             guint         rank);
void  ghlo_cpu_axis_clear   (GhloCpuAxis  *self);

static inline gboolean
ghlo_cpu_axis_is_uniform (const GhloCpuAxis *self)
{
  return self->n_outer == 0;
}

/* Bytes to step @index. */
static inline gint64
ghlo_cpu_axis_at (const GhloCpuAxis *self,
                  gint64             index)
{
  gint64 at, run;

  if (self->n_outer == 0)
    return index * self->stride;

  at = index % self->inner * self->stride;
  run = index / self->inner;
  for (guint i = 0; i + 1 < self->n_outer; i++)
    {
      at += run % self->outer[i].size * self->outer[i].stride;
      run /= self->outer[i].size;
    }

  return at + run * self->outer[self->n_outer - 1].stride;
}

/* A place on the way along an axis, without a division at each step. */
typedef struct
{
  gint64 at;                      /* bytes to the step */
  gint64 left;                    /* steps of the run from this one on */
  gint64 index[GHLO_MAX_RANK];    /* of the run, in each factor but the outermost */
} GhloCpuAxisCursor;

static inline void
ghlo_cpu_axis_cursor_init (GhloCpuAxisCursor *self,
                           const GhloCpuAxis *axis,
                           gint64             index)
{
  gint64 run;

  if (axis->n_outer == 0)
    {
      self->at = index * axis->stride;
      self->left = axis->count - index;
      return;
    }
  self->at = index % axis->inner * axis->stride;
  self->left = axis->inner - index % axis->inner;
  run = index / axis->inner;
  for (guint i = 0; i + 1 < axis->n_outer; i++)
    {
      self->index[i] = run % axis->outer[i].size;
      self->at += self->index[i] * axis->outer[i].stride;
      run /= axis->outer[i].size;
    }
  self->at += run * axis->outer[axis->n_outer - 1].stride;
}

/* To the first step of the next run; from the last one nowhere. */
static inline void
ghlo_cpu_axis_cursor_next_run (GhloCpuAxisCursor *self,
                               const GhloCpuAxis *axis)
{
  self->at -= (axis->inner - self->left) * axis->stride;
  self->left = axis->inner;
  for (guint i = 0; i < axis->n_outer; i++)
    {
      self->at += axis->outer[i].stride;
      if (i + 1 == axis->n_outer || ++self->index[i] < axis->outer[i].size)
        return;
      self->at -= axis->outer[i].size * axis->outer[i].stride;
      self->index[i] = 0;
    }
}

/* Within the run and to what follows it: @n is not above what is left. */
static inline void
ghlo_cpu_axis_cursor_skip (GhloCpuAxisCursor *self,
                           const GhloCpuAxis *axis,
                           gint64             n)
{
  self->at += n * axis->stride;
  self->left -= n;
  if (self->left == 0)
    ghlo_cpu_axis_cursor_next_run (self, axis);
}

static inline void
ghlo_cpu_axis_cursor_next (GhloCpuAxisCursor *self,
                           const GhloCpuAxis *axis)
{
  ghlo_cpu_axis_cursor_skip (self, axis, 1);
}

/* The first step after @index that is in another run, or @end. */
static inline gint64
ghlo_cpu_axis_run_end (const GhloCpuAxis *self,
                       gint64             index,
                       gint64             end)
{
  return self->n_outer == 0 ? end : MIN (end, (index / self->inner + 1) * self->inner);
}

G_END_DECLS
