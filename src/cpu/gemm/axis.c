/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Merges dimensions into runs.
 */

#include "cpu/gemm/axis.h"

#include "base/ghlo-error.h"
#include "base/sizes.h"

/* The dimensions from index @first on, the innermost ones, are one run. */
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

gboolean
ghlo_cpu_axis_init (GhloCpuAxis   *self,
                    const gint64  *sizes,
                    const gint64  *strides,
                    guint          rank,
                    GError       **error)
{
  gint64 index[GHLO_MAX_RANK] = { 0 };
  guint first = find_inner (sizes, strides, rank, &self->inner);
  gint64 at = 0, n = 1;

  self->stride = rank > 0 ? strides[rank - 1] : 0;
  self->outer = NULL;
  for (guint i = 0; i < first; i++)
    n *= sizes[i];
  self->count = n * self->inner;
  if (first == 0 || self->count == 0)
    return TRUE;

  self->outer = g_try_new (gint64, (gsize) n);
  if (self->outer == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                   "no memory for a table of the %" G_GINT64_FORMAT " places of a tensor's lines", n);
      return FALSE;
    }
  for (gint64 i = 0; i < n; i++)
    {
      self->outer[i] = at;
      for (guint d = first; d > 0; d--)
        {
          at += strides[d - 1];
          if (++index[d - 1] < sizes[d - 1])
            break;
          at -= sizes[d - 1] * strides[d - 1];
          index[d - 1] = 0;
        }
    }

  return TRUE;
}

void
ghlo_cpu_axis_clear (GhloCpuAxis *self)
{
  g_clear_pointer (&self->outer, g_free);
}
