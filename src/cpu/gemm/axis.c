/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Merges dimensions into runs, and runs into runs of runs.
 */

#include "cpu/gemm/axis.h"

/* Returns the index from which on the innermost dimensions are one run, and the run's steps in *@count. */
static guint
find_inner (const gint64 *sizes,
            const gint64 *strides,
            guint         rank,
            gint64       *count)
{
  guint first = rank > 0 ? rank - 1 : 0;

  *count = rank > 0 ? sizes[rank - 1] : 1;
  while (first > 0 && strides[first - 1] == *count * strides[rank - 1])
    *count *= sizes[--first];

  return first;
}

guint
ghlo_cpu_axis_factors (const gint64 *sizes,
                       const gint64 *strides,
                       guint         rank)
{
  guint n = 1;
  gint64 count;

  while (rank > 0 && (rank = find_inner (sizes, strides, rank, &count)) > 0)
    n++;

  return n;
}

void
ghlo_cpu_axis_init (GhloCpuAxis  *self,
                    const gint64 *sizes,
                    const gint64 *strides,
                    guint         rank)
{
  guint left = find_inner (sizes, strides, rank, &self->inner);

  self->stride = rank > 0 ? strides[rank - 1] : 0;
  self->outer = NULL;
  self->n_outer = 0;
  self->count = self->inner;
  for (guint i = 0; i < left; i++)
    self->count *= sizes[i];
  if (left == 0 || self->count == 0)
    return;

  self->outer = g_new (GhloCpuAxisFactor, ghlo_cpu_axis_factors (sizes, strides, left));
  while (left > 0)
    {
      GhloCpuAxisFactor *factor = &self->outer[self->n_outer++];

      factor->stride = strides[left - 1];
      left = find_inner (sizes, strides, left, &factor->size);
    }
}

void
ghlo_cpu_axis_clear (GhloCpuAxis *self)
{
  g_clear_pointer (&self->outer, g_free);
}
