/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A tensor somewhere in memory, as a step reads or writes it: an address and a
 * stride for each dimension. Reshapes, slices, transposes, reversals and broadcasts
 * of a dense tensor are views of it. Its bytes, and those that it would have with a
 * dimension of one element in place of one of none, are at most GHLO_MAX_TENSOR_BYTES.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

typedef struct
{
  guint8          *data;          /* the element at index 0 in every dimension; borrowed */
  GhloElementType  element_type;
  guint            rank;
  const gint64    *dimensions;    /* rank of them; borrowed */
  const gint64    *strides;       /* bytes from one index to the next; may be 0 or negative; borrowed */
} GhloView;

static inline gint64
ghlo_view_count (const GhloView *self)
{
  gint64 n = 1;

  for (guint i = 0; i < self->rank; i++)
    n *= self->dimensions[i];

  return n;
}

/* Row-major without gaps; dimensions of at most one element may have any stride. */
static inline gboolean
ghlo_view_is_dense (const GhloView *self)
{
  gint64 stride = ghlo_element_info (self->element_type)->size;

  for (guint i = self->rank; i > 0; i--)
    {
      if (self->dimensions[i - 1] > 1 && self->strides[i - 1] != stride)
        return FALSE;
      stride *= MAX (self->dimensions[i - 1], 1);
    }

  return TRUE;
}

G_END_DECLS
