/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A tensor in memory as an execution step reads or writes it: an address, and a stride for each dimension. Reshapes,
 * slices, transposes, reversals and broadcasts of a dense tensor are views of it. The size of a view is at most
 * GHLO_MAX_TENSOR_BYTES, even if each dimension of size 0 were of size 1.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

typedef struct
{
  guint8          *data;          /* the element at index 0 of every dimension; borrowed */
  GhloElementType  element_type;
  guint            rank;
  const gint64    *dimensions;    /* rank entries; borrowed */
  const gint64    *strides;       /* bytes from one index to the next; may be 0 or negative; borrowed */
  gboolean         is_persistent; /* the elements are a constant's, or an input's of the whole program, which callers
                                     keep passing: a copy in another order may be kept between runs */
  gconstpointer    packed;        /* the elements in the order in which the step of an operand wants them (see
                                     GhloStepPacking in device/step.h); NULL: there is no such copy; borrowed */
} GhloView;

static inline gint64
ghlo_view_count (const GhloView *self)
{
  gint64 n = 1;

  for (guint i = 0; i < self->rank; i++)
    n *= self->dimensions[i];

  return n;
}

/* Whether the view is row-major without gaps. Dimensions of at most one element may have any stride. */
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
