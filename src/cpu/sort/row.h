/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorts one row of adjacent elements, of one operand or of several whose elements are permuted alike.
 */

#pragma once

#include "cpu/sort/keys.h"
#include "cpu/sort/numbers.h"
#include "kernel/sort-comparator.h"

G_BEGIN_DECLS

/* Keys that are sorted by at once, or bits of a key's ranks from bit @shift on. */
typedef struct
{
  guint first, n, bits, shift;
} GhloCpuSortGroup;

/* The numbers that a row is sorted as: ranks, or records, which have the position of the element below the rank. */
typedef struct
{
  guint    width;             /* GHLO_CPU_SORT_32 and so on */
  guint    low;               /* lowest bit of the rank */
  gboolean records;
} GhloCpuSortNumbers;

/* Offsets in the scratch. */
typedef struct
{
  gsize numbers, spare, positions, old_positions, copy;
} GhloCpuSortLayout;

typedef struct
{
  GhloSortComparator comparator;
  gsize              n;               /* elements */
  guint              n_operands;
  const guint       *sizes;           /* bytes of an element of each operand; borrowed */
  guint              most_size;
  GhloCpuRank        ranks[GHLO_SORT_MAX_KEYS];     /* for each key */
  gboolean           values;          /* the only key is the whole element, so that elements can be told from ranks */
  GhloCpuSortGroup   all;             /* all keys */
  /* The least significant first; each has at most 64 bits together with positions. */
  GhloCpuSortGroup   groups[2 * GHLO_SORT_MAX_KEYS];
  guint              n_groups;
  guint              n_parts;         /* parts that are sorted separately and then merged; a power of two */
  GhloCpuSortLayout  layout;
  gsize              scratch;         /* bytes */
  double             nanoseconds;     /* approximate, on one thread */
} GhloCpuSortRow;

/* Called after the comparator was read and the fields up to sizes were set. FALSE where the row is too long. */
gboolean ghlo_cpu_sort_row_init (GhloCpuSortRow *self,
                                 guint           n_parts);
/* Whether a row is sorted by counting its bytes: long rows, and those whose bytes become ranks by a table. */
gboolean ghlo_cpu_sort_row_counts (const GhloCpuSortRow *self);
/* Sorts a row of each operand; to[i] may be from[i]. FALSE when cancelled. */
gboolean ghlo_cpu_sort_row_run  (const GhloCpuSortRow *self,
                                 const guint8 *const  *from,
                                 guint8 *const        *to,
                                 gpointer              scratch,
                                 const GhloMonitor    *monitor);

/* The numbers for sorting @n elements by a group of keys, with their positions if @records. */
GhloCpuSortNumbers ghlo_cpu_sort_numbers (const GhloCpuSortGroup *group,
                                          gboolean                records,
                                          gsize                   n);

/* to[i] = from[positions[i]], for elements of @size bytes. */
void     ghlo_cpu_sort_fetch     (guint          size,
                                  const guint8  *from,
                                  guint8        *to,
                                  const guint32 *positions,
                                  gsize          n);

G_END_DECLS
