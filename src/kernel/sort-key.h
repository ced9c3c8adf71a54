/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks of elements: unsigned numbers in the order in which a comparator puts the elements.
 * Elements that compare equal have the same rank. The bits of floats and signed integers are flipped so that they are
 * ordered as unsigned numbers; ranks of one byte come from a table.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

/* How a comparator compares elements of one operand. */
typedef struct
{
  guint    operand;
  guint    offset;          /* bytes in an element before the part that is compared */
  guint    element_size;
  guint    size;            /* of the part that is compared */
  gboolean is_float, is_signed;
  gboolean descending;
  gboolean partial;         /* NaN is not ordered: it alone has rank 0 */
  gboolean zero_equal;      /* -0 and +0 are equal */
  gboolean nan_equal;       /* all NaN are equal, with the rank of nan_bits */
  guint64  nan_bits;
  guint64  infinity;        /* the bits of a float's infinity; greater magnitudes are NaN */
  guint8   ranks[256];      /* of each value of a part of one byte */
} GhloSortKey;

/* Sets the remaining fields from the operand's type, after offset, descending, partial,
 * zero_equal, nan_equal and nan_bits were set. FALSE when elements of the type have no ranks. */
gboolean ghlo_sort_key_init (GhloSortKey     *self,
                             GhloElementType  type);

static inline guint
ghlo_sort_key_bits (const GhloSortKey *self)
{
  return 8 * self->size;
}

/* Whether floats of 2 bytes or more with different bits may have the same rank. */
static inline gboolean
ghlo_sort_key_is_lossy (const GhloSortKey *self)
{
  return self->is_float && (self->zero_equal || self->nan_equal || self->partial);
}

G_END_DECLS
