/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks of elements: unsigned numbers in the order in which a comparator puts the elements.
 * Elements that compare equal have the same rank.
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
} GhloCpuSortKey;

/* Sets the remaining fields from the operand's type, after offset, descending, partial,
 * zero_equal, nan_equal and nan_bits were set. FALSE when elements of the type have no ranks. */
gboolean ghlo_cpu_sort_key_init   (GhloCpuSortKey       *self,
                                   GhloElementType       type);

static inline guint
ghlo_cpu_sort_key_bits (const GhloCpuSortKey *self)
{
  return 8 * self->size;
}

enum { GHLO_CPU_SORT_CHUNK = 256 };

/* The ranks of @n elements, at most GHLO_CPU_SORT_CHUNK, which are @stride bytes apart, or of
 * those at @positions (nullable) times @stride. Where @below is set, the ranks that are there
 * already become the upper bits. TRUE when an element is not ordered. */
gboolean ghlo_cpu_sort_key_rank   (const GhloCpuSortKey *self,
                                   const guint8         *from,
                                   gint64                stride,
                                   const guint32        *positions,
                                   gsize                 n,
                                   gboolean              below,
                                   guint64              *ranks);

/* Whether floats of 2 bytes or more with different bits may have the same rank. */
static inline gboolean
ghlo_cpu_sort_key_is_lossy (const GhloCpuSortKey *self)
{
  return self->is_float && (self->zero_equal || self->nan_equal || self->partial);
}

/* The bits of a part of 2 bytes or more with this rank; where several have it, those of +0 or
 * nan_bits. */
guint64  ghlo_cpu_sort_key_unrank (const GhloCpuSortKey *self,
                                   guint64               rank);

G_END_DECLS
