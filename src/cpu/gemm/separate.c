/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The copy is dense. Its dimensions are the batches, and behind them the others in their order in memory, so that what
 * was a matrix with adjacent rows or columns stays one.
 */

#include "cpu/gemm/separate.h"

#include "base/sizes.h"

enum { MAX_BYTES = 1 << 28 };     /* of a copy */

/* A dimension of the tensor. */
typedef struct
{
  gint64   size;
  gint64  *stride;                /* in the problem; in bytes */
  gboolean is_batch;
} Place;

typedef struct
{
  Place    places[3 * GHLO_MAX_RANK];
  guint    n;
  gboolean is_empty;
} Tensor;

static gint64
length_of (const Place *place)
{
  return ABS (*place->stride);
}

/* Adds dimensions that have several elements each, in decreasing order of strides, batches first. */
static void
add_places (Tensor               *self,
            GhloCpuGemmDimension *dimensions,
            guint                 n,
            gsize                 offset,
            gboolean              is_batch)
{
  for (guint i = 0; i < n; i++)
    {
      Place place = { dimensions[i].size, G_STRUCT_MEMBER_P (&dimensions[i], offset), is_batch };
      guint at = self->n;

      self->is_empty = self->is_empty || place.size == 0;
      if (place.size <= 1 || *place.stride == 0)
        continue;
      for (; at > 0 && self->places[at - 1].is_batch == is_batch
             && length_of (&self->places[at - 1]) < length_of (&place); at--)
        self->places[at] = self->places[at - 1];
      self->places[at] = place;
      self->n++;
    }
}

static void
read_tensor (Tensor             *self,
             GhloCpuGemmProblem *problem,
             gsize               offset)
{
  self->n = 0;
  self->is_empty = FALSE;
  add_places (self, problem->batch, problem->n_batch, offset, TRUE);
  if (offset != G_STRUCT_OFFSET (GhloCpuGemmDimension, rhs))
    add_places (self, problem->rows, problem->n_rows, offset, FALSE);
  if (offset != G_STRUCT_OFFSET (GhloCpuGemmDimension, lhs))
    add_places (self, problem->columns, problem->n_columns, offset, FALSE);
  if (offset != G_STRUCT_OFFSET (GhloCpuGemmDimension, result))
    add_places (self, problem->contracted, problem->n_contracted, offset, FALSE);
}

/* Whether the last batch dimension has a smaller stride than the last one of the others. */
static gboolean
alternates (const Tensor *self)
{
  const Place *last = &self->places[MAX (self->n, 1) - 1];

  if (self->is_empty || self->n > GHLO_MAX_RANK)
    return FALSE;
  for (guint i = 1; i < self->n; i++)
    if (self->places[i - 1].is_batch && !self->places[i].is_batch)
      return length_of (&self->places[i - 1]) < length_of (last);

  return FALSE;
}

gboolean
ghlo_cpu_batches_alternate (const GhloCpuGemmProblem *problem,
                            gsize                     offset)
{
  Tensor tensor;

  read_tensor (&tensor, (GhloCpuGemmProblem *) problem, offset);

  return alternates (&tensor);
}

/* The bytes of a dense copy of elements of @size bytes; 0 where it is too large, or larger than the operand. */
static gsize
find_size (const Tensor *self,
           gsize         size)
{
  gsize bytes = size, span = size;

  for (guint i = 0; i < self->n; i++)
    {
      gsize reach;

      if (!ghlo_size_mul (&bytes, bytes, (gsize) self->places[i].size) || bytes > MAX_BYTES
          || !ghlo_size_mul (&reach, (gsize) length_of (&self->places[i]), (gsize) self->places[i].size - 1)
          || !ghlo_size_add (&span, span, reach))
        return 0;
    }

  return bytes <= span ? bytes : 0;
}

GhloCpuSeparation *
ghlo_cpu_separate_batches (GhloCpuGemmProblem *problem,
                           gsize               offset)
{
  const GhloElementType type = offset == G_STRUCT_OFFSET (GhloCpuGemmDimension, lhs) ? problem->lhs_type
                                                                                     : problem->rhs_type;
  gint64 sizes[GHLO_MAX_RANK], from[GHLO_MAX_RANK], to[GHLO_MAX_RANK];
  gint64 stride = ghlo_element_info (type)->size;
  g_autofree GhloCpuSeparation *self = NULL;
  Tensor tensor;
  gsize size;

  read_tensor (&tensor, problem, offset);
  size = alternates (&tensor) ? find_size (&tensor, (gsize) stride) : 0;
  if (size == 0)
    return NULL;
  for (guint i = tensor.n; i > 0; i--)
    {
      sizes[i - 1] = tensor.places[i - 1].size;
      from[i - 1] = *tensor.places[i - 1].stride;
      to[i - 1] = stride;
      stride *= sizes[i - 1];
    }
  self = g_new (GhloCpuSeparation, 1);
  self->size = ghlo_size_align (size);
  if (!ghlo_cpu_copy_init (&self->copy, tensor.n, sizes, type, from, type, to))
    return NULL;
  for (guint i = 0; i < tensor.n; i++)
    *tensor.places[i].stride = to[i];

  return g_steal_pointer (&self);
}
