/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One axis of a matrix that is stored in a tensor, and the address of each of its steps. Dimensions of the tensor
 * that follow each other with one stride form a run. Runs follow each other with one stride too, or form runs of
 * runs. The size of this description depends on the tensor's rank only, never on its dimensions.
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
  gint64             inner;     /* steps of a run; count where there is a single run */
  gint64             stride;    /* bytes, within a run */
  GhloCpuAxisFactor *outer;     /* owned; strides and counts of runs, innermost first; NULL for a single run */
  guint              n_outer;
} GhloCpuAxis;

/* Returns the number of factors that @rank dimensions of @sizes merge into; 1 where all of them are one run. @sizes
 * and @strides (in bytes) list the outermost dimension first. */
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

/* The offset of step @index in bytes. */
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

/* A position on an axis; advances without a division per step. */
typedef struct
{
  gint64 at;                      /* offset of the current step in bytes */
  gint64 left;                    /* steps left in the run, this one included */
  gint64 index[GHLO_MAX_RANK];    /* index of the run, in each factor but the outermost */
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

/* Moves to the first step of the next run. After the last run the cursor is not valid. */
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

/* Advances by @n steps, which is at most what is left of the run. */
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

/* The first step after @index that belongs to another run, or @end. */
static inline gint64
ghlo_cpu_axis_run_end (const GhloCpuAxis *self,
                       gint64             index,
                       gint64             end)
{
  return self->n_outer == 0 ? end : MIN (end, (index / self->inner + 1) * self->inner);
}

G_END_DECLS
