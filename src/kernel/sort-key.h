/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks of elements: unsigned numbers in the order in which a comparator sorts the elements. Elements that compare
 * equal have the same rank. The bits of floats and signed integers are flipped so that they sort as unsigned
 * numbers; ranks of one-byte elements come from a table.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

/* How a comparator compares elements of one operand. */
typedef struct
{
  guint    operand;
  guint    offset;          /* bytes before the part of an element that is compared */
  guint    element_size;
  guint    size;            /* bytes of that part */
  gboolean is_float, is_signed;
  gboolean descending;
  gboolean partial;         /* NaN is unordered: only NaN has rank 0 */
  gboolean zero_equal;      /* -0 and +0 are equal */
  gboolean nan_equal;       /* all NaN are equal, with the rank of nan_bits */
  guint64  nan_bits;
  guint64  infinity;        /* the bits of positive infinity; greater magnitudes are NaN */
  guint8   ranks[256];      /* for parts of one byte: the rank of each value */
} GhloSortKey;

/* Sets the remaining fields from the operand's type. offset, descending, partial, zero_equal, nan_equal and nan_bits
 * must be set. Returns FALSE when elements of the type have no ranks. */
gboolean ghlo_sort_key_init (GhloSortKey     *self,
                             GhloElementType  type);

static inline guint
ghlo_sort_key_bits (const GhloSortKey *self)
{
  return 8 * self->size;
}

/* Returns whether floats of 2 bytes or more with different bits may have the same rank. */
static inline gboolean
ghlo_sort_key_is_lossy (const GhloSortKey *self)
{
  return self->is_float && (self->zero_equal || self->nan_equal || self->partial);
}

G_END_DECLS
