/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Positions are read in runs along their last dimension: for each part of the index vectors, a run of indices is
 * converted to 64 bits and added to the offsets.
 */

#include "cpu/move/indexer.h"

#include <string.h>

typedef struct
{
  const gint64 *window, *dropped, *map, *batching, *index_batching;
  gsize         n_window, n_dropped, n_map, n_batching, n_index_batching;
  gint64        vector;
} Numbers;

static gboolean
read_numbers (Numbers                    *self,
              const GhloIrAttr           *numbers,
              const GhloCpuIndexerFields *fields,
              const GhloView             *indexed,
              const GhloView             *indices,
              const GhloView             *other)
{
  gint64 vector_size;

  self->window = ghlo_ir_struct_get_dims (numbers, fields->window, &self->n_window);
  self->dropped = ghlo_ir_struct_get_dims (numbers, fields->dropped, &self->n_dropped);
  self->map = ghlo_ir_struct_get_dims (numbers, fields->map, &self->n_map);
  self->batching = ghlo_ir_struct_get_dims (numbers, fields->batching, &self->n_batching);
  self->index_batching = ghlo_ir_struct_get_dims (numbers, fields->index_batching, &self->n_index_batching);
  self->vector = ghlo_ir_struct_get_int (numbers, "index_vector_dim");
  if (self->vector < 0 || self->vector > indices->rank || self->n_batching != self->n_index_batching
      || self->n_map > GHLO_MAX_RANK || self->n_window + self->n_dropped + self->n_batching != indexed->rank
      || other->rank != self->n_window + indices->rank - (self->vector < indices->rank))
    return FALSE;
  vector_size = self->vector < indices->rank ? indices->dimensions[self->vector] : 1;
  for (gsize i = 0; i < self->n_map; i++)
    if (self->map[i] < 0 || self->map[i] >= indexed->rank)
      return FALSE;

  return vector_size == (gint64) self->n_map;
}

static void
push_position (GhloCpuIndexer *self,
               gint64          size,
               gint64          index,
               gint64          direct,
               gint64          other)
{
  guint last = self->rank - 1;

  if (size == 1)
    return;
  if (self->rank > 0 && self->index[last] == size * index && self->direct[last] == size * direct
      && self->other[last] == size * other)
    {
      size *= self->sizes[last];
      self->rank--;
    }
  self->sizes[self->rank] = size;
  self->index[self->rank] = index;
  self->direct[self->rank] = direct;
  self->other[self->rank] = other;
  self->rank++;
}

static gboolean
make_positions (GhloCpuIndexer *self,
                const Numbers  *numbers,
                const GhloView *indexed,
                const GhloView *indices,
                const GhloView *other)
{
  gboolean leads = TRUE, is_empty = FALSE;
  guint o = 0;

  self->n_positions = self->n_batches = 1;
  for (guint i = 0; i < indices->rank; i++)
    {
      gint64 size = indices->dimensions[i], direct = 0;
      gboolean is_batch = FALSE;

      if (i == numbers->vector)
        continue;
      while (ghlo_dims_contain (numbers->window, numbers->n_window, o))
        o++;
      for (gsize b = 0; b < numbers->n_batching; b++)
        if (numbers->index_batching[b] == i)
          {
            gint64 d = numbers->batching[b];

            if (d < 0 || d >= indexed->rank || indexed->dimensions[d] != size)
              return FALSE;
            direct = indexed->strides[d];
            is_batch = TRUE;
          }
      if (o >= other->rank || other->dimensions[o] != size)
        return FALSE;
      is_empty = is_empty || size == 0;
      if (!is_empty)
        push_position (self, size, indices->strides[i], size == 1 ? 0 : direct, other->strides[o]);
      self->n_positions *= (gsize) size;
      leads = leads && is_batch;
      self->n_batches *= leads ? (gsize) size : 1;
      o++;
    }

  return TRUE;
}

/* Finds the window's dimensions in the other tensor, and the dimension of the indexed tensor that corresponds to
 * each. */
static gboolean
make_window (GhloCpuIndexer *self,
             const Numbers  *numbers,
             const GhloView *indexed,
             const GhloView *other)
{
  guint n_positions = 0, rank = other->rank - (guint) numbers->n_window, d = 0;

  for (guint o = 0; o < other->rank; o++)
    if (ghlo_dims_contain (numbers->window, numbers->n_window, o))
      {
        while (d < indexed->rank && (ghlo_dims_contain (numbers->dropped, numbers->n_dropped, d)
                                     || ghlo_dims_contain (numbers->batching, numbers->n_batching, d)))
          d++;
        if (d >= indexed->rank || other->dimensions[o] > indexed->dimensions[d])
          return FALSE;
        self->window[self->n_window++] = (GhloCpuWindow) {
          .dimension = d, .size = other->dimensions[o], .indexed = indexed->strides[d], .other = other->strides[o],
          .mapped = ghlo_dims_contain (numbers->map, numbers->n_map, d),
        };
        if (n_positions == 0)
          self->n_leading = self->n_window;
        else if (n_positions < rank)
          self->is_mixed = TRUE;
        d++;
      }
    else
      n_positions++;
  if (rank == 0)
    self->n_leading = 0;

  return TRUE;
}

gboolean
ghlo_cpu_indexer_init (GhloCpuIndexer             *self,
                       const GhloIrAttr           *attr,
                       const GhloCpuIndexerFields *fields,
                       const GhloView             *indexed,
                       const GhloView             *indices,
                       const GhloView             *other,
                       gboolean                    clamps)
{
  Numbers numbers;

  *self = (GhloCpuIndexer) { .clamps = clamps };
  if (!ghlo_cpu_reader_init (&self->reader, indices->element_type, GHLO_CPU_I64)
      || !read_numbers (&numbers, attr, fields, indexed, indices, other)
      || !make_positions (self, &numbers, indexed, indices, other)
      || !make_window (self, &numbers, indexed, other))
    return FALSE;

  self->n_map = (guint) numbers.n_map;
  self->part_stride = self->n_map > 1 ? indices->strides[numbers.vector] : 0;
  for (guint i = 0; i < self->n_map; i++)
    {
      gint64 d = numbers.map[i];
      gint64 size = 1;

      for (guint k = 0; k < self->n_window; k++)
        if (self->window[k].dimension == d)
          size = self->window[k].size;
      self->map[i] = d;
      self->limits[i] = indexed->dimensions[d] - size;
      self->strides[i] = indexed->dimensions[d] > 1 ? indexed->strides[d] : 0;
      if (self->limits[i] < 0)
        return FALSE;
    }

  return TRUE;
}

/* Computes the byte offsets of a position in the three tensors, and its index in the last dimension. */
static void
decode (const GhloCpuIndexer *self,
        gsize                 position,
        gint64               *index,
        gint64               *direct,
        gint64               *other,
        gint64               *along)
{
  *index = *direct = *other = *along = 0;
  for (guint d = self->rank; d > 0; d--)
    {
      gint64 at = (gint64) (position % (gsize) self->sizes[d - 1]);

      position /= (gsize) self->sizes[d - 1];
      *index += at * self->index[d - 1];
      *direct += at * self->direct[d - 1];
      *other += at * self->other[d - 1];
      if (d == self->rank)
        *along = at;
    }
}

/* Replaces indices that exceed a gint64 by the greatest gint64. */
static void
saturate (const GhloCpuIndexer *self,
          gint64               *numbers,
          gsize                 n)
{
  if (self->reader.type == GHLO_ELEMENT_TYPE_UI64)
    for (gsize i = 0; i < n; i++)
      numbers[i] = numbers[i] < 0 ? G_MAXINT64 : numbers[i];
}

/* Reads a run along the last dimension. */
static void
read_run (const GhloCpuIndexer *self,
          const guint8         *indices,
          gsize                 n,
          gint64               *offsets)
{
  gint64 stride = self->rank > 0 ? self->index[self->rank - 1] : (gint64) self->reader.size;
  GhloCpuIndexFunc add_indices = self->clamps ? ghlo_cpu_routines ()->clamp_indices
                                              : ghlo_cpu_routines ()->check_indices;
  gint64 numbers[GHLO_CPU_INDEXER_BLOCK] __attribute__ ((aligned (64)));

  for (guint i = 0; i < self->n_map; i++)
    {
      ghlo_cpu_read_row (&self->reader, indices + (gint64) i * self->part_stride, stride, numbers, n);
      saturate (self, numbers, n);
      add_indices (numbers, n, self->limits[i], self->strides[i], offsets);
    }
}

void
ghlo_cpu_indexer_read (const GhloCpuIndexer *self,
                       const guint8         *indices,
                       gsize                 first,
                       gsize                 n,
                       gint64               *offsets,
                       gint64               *others)
{
  while (n > 0)
    {
      guint last = self->rank - 1;
      gint64 index, direct, other, along;
      gsize run;

      decode (self, first, &index, &direct, &other, &along);
      run = self->rank > 0 ? MIN (n, (gsize) (self->sizes[last] - along)) : 1;
      ghlo_cpu_routines ()->count (offsets, run, direct, self->rank > 0 ? self->direct[last] : 0);
      if (others != NULL)
        ghlo_cpu_routines ()->count (others, run, other, self->rank > 0 ? self->other[last] : 0);
      read_run (self, indices + index, run, offsets);
      first += run;
      n -= run;
      offsets += run;
      others = others != NULL ? others + run : NULL;
    }
}

void
ghlo_cpu_indexer_start (const GhloCpuIndexer *self,
                        const guint8         *indices,
                        gsize                 position,
                        gint64               *starts,
                        gint64               *direct,
                        gint64               *other)
{
  gint64 index, along;

  decode (self, position, &index, direct, other, &along);
  for (guint i = 0; i < self->n_map; i++)
    {
      ghlo_cpu_read_row (&self->reader, indices + index + (gint64) i * self->part_stride,
                         (gint64) self->reader.size, &starts[i], 1);
      saturate (self, &starts[i], 1);
    }
}
