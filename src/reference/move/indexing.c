/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The index vectors of gather and scatter.
 */

#include "reference/move/indexing.h"

#include "reference/scalar/numbers.h"

#include <string.h>

static gboolean
check_batching (GhloRefIndices  *self,
                GhloRefCall     *call,
                const GhloValue *indexed,
                const GhloValue *indices,
                GError         **error)
{
  const GhloRefIndexNumbers *numbers = &self->numbers;

  for (gsize i = 0; i < numbers->n_batching; i++)
    {
      gint64 d = numbers->batching[i];
      gint64 from = numbers->index_batching[i];

      if (d < 0 || d >= ghlo_ref_rank (indexed) || from < 0 || from >= ghlo_ref_rank (indices)
          || from == numbers->vector_dimension)
        return ghlo_ref_fail (call, error, "expected batching dimensions of both tensors");
      if (ghlo_ref_dims (indexed)[d] != ghlo_ref_dims (indices)[from])
        return ghlo_ref_fail (call, error, "expected batching dimensions of one size, found %" G_GINT64_FORMAT
                              " and %" G_GINT64_FORMAT, ghlo_ref_dims (indexed)[d], ghlo_ref_dims (indices)[from]);
      self->batch_position[i] = (guint) (from < numbers->vector_dimension ? from : from - 1);
    }
  return TRUE;
}

gboolean
ghlo_ref_indices_init (GhloRefIndices            *self,
                       GhloRefCall               *call,
                       const GhloRefIndexNumbers *numbers,
                       const GhloValue           *indexed,
                       const GhloValue           *indices,
                       GError                   **error)
{
  guint rank = ghlo_ref_rank (indices);
  gint64 strides[GHLO_MAX_RANK];
  gint64 vector;

  self->numbers = *numbers;
  if (numbers->vector_dimension < 0 || numbers->vector_dimension > rank)
    return ghlo_ref_fail (call, error, "expected an index vector dimension of at most %u, found %" G_GINT64_FORMAT,
                          rank, numbers->vector_dimension);
  vector = numbers->vector_dimension < rank ? ghlo_ref_dims (indices)[numbers->vector_dimension] : 1;
  if (vector != (gint64) numbers->n_map || numbers->n_map > GHLO_MAX_RANK || numbers->n_batching > GHLO_MAX_RANK)
    return ghlo_ref_fail (call, error, "expected index vectors of %" G_GSIZE_FORMAT " parts, found %" G_GINT64_FORMAT,
                          numbers->n_map, vector);
  for (gsize i = 0; i < numbers->n_map; i++)
    if (numbers->map[i] < 0 || numbers->map[i] >= ghlo_ref_rank (indexed))
      return ghlo_ref_fail (call, error, "expected indexed dimensions below %u, found %" G_GINT64_FORMAT,
                            ghlo_ref_rank (indexed), numbers->map[i]);
  if (!check_batching (self, call, indexed, indices, error))
    return FALSE;

  memset (strides, 0, sizeof (strides));
  if (indices->n_elements > 0)
    ghlo_ref_strides (ghlo_ref_dims (indices), rank, strides);
  for (guint i = 0; i < rank; i++)
    if (i == numbers->vector_dimension)
      self->vector_stride = strides[i];
    else
      {
        self->dimensions[self->rank] = ghlo_ref_dims (indices)[i];
        self->strides[self->rank++] = strides[i];
      }
  self->indices = ghlo_ref_read_indices (call, indices, error);
  return self->indices != NULL;
}

void
ghlo_ref_indices_clear (GhloRefIndices *self)
{
  g_clear_pointer (&self->indices, g_free);
}

void
ghlo_ref_indices_get (const GhloRefIndices *self,
                      const gint64         *position,
                      guint                 indexed_rank,
                      gint64               *start)
{
  gint64 at = 0;

  memset (start, 0, indexed_rank * sizeof (gint64));
  for (guint i = 0; i < self->rank; i++)
    at += position[i] * self->strides[i];
  for (gsize i = 0; i < self->numbers.n_map; i++)
    start[self->numbers.map[i]] = self->indices[at + (gint64) i * self->vector_stride];
  for (gsize i = 0; i < self->numbers.n_batching; i++)
    start[self->numbers.batching[i]] = position[self->batch_position[i]];
}
