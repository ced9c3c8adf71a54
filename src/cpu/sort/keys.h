/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks of elements: unsigned numbers that are ordered as a comparator orders the
 * elements. Elements that it calls equal have one rank.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

/* How a comparator looks at one operand. */
typedef struct
{
  guint    operand;
  guint    offset;          /* of the part that is compared in an element: the imaginary one's */
  guint    element_size;
  guint    size;            /* of the part */
  gboolean is_float, is_signed;
  gboolean descending;
  gboolean partial;         /* NaN is neither below nor above nor equal: its rank is 0, and nothing else's */
  gboolean zero_equal;      /* -0 and +0 are */
  gboolean nan_equal;       /* all NaN are, and rank as nan_bits */
  guint64  nan_bits;
  guint64  infinity;        /* of a float; magnitudes above it are NaN */
  guint8   ranks[256];      /* of each pattern of a part of one byte */
} GhloCpuSortKey;

/* After offset, descending and what follows it are set, the rest from the operand's
 * type. FALSE when it has no order; of a complex type the offset says which part. */
gboolean ghlo_cpu_sort_key_init   (GhloCpuSortKey       *self,
                                   GhloElementType       type);

static inline guint
ghlo_cpu_sort_key_bits (const GhloCpuSortKey *self)
{
  return 8 * self->size;
}

enum { GHLO_CPU_SORT_CHUNK = 256 };

/* The ranks of @n elements, no more than a chunk, that lie @stride bytes apart, or at
 * @places (nullable) times that. Where @below they go under the ranks that are there
 * already. TRUE when one of them is not ordered. */
gboolean ghlo_cpu_sort_key_rank   (const GhloCpuSortKey *self,
                                   const guint8         *from,
                                   gint64                stride,
                                   const guint32        *places,
                                   gsize                 n,
                                   gboolean              below,
                                   guint64              *ranks);

/* A float of 2 bytes or more whose ranks do not tell apart what its bits do. */
static inline gboolean
ghlo_cpu_sort_key_is_lossy (const GhloCpuSortKey *self)
{
  return self->is_float && (self->zero_equal || self->nan_equal || self->partial);
}

/* The bits that a part of 2 bytes or more with this rank has; of lossy ones the canonical. */
guint64  ghlo_cpu_sort_key_unrank (const GhloCpuSortKey *self,
                                   guint64               rank);

G_END_DECLS
