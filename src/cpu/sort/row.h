/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorting of one line of elements, of one operand or of several that move together.
 * Elements lie adjacent.
 */

#pragma once

#include "cpu/sort/comparator.h"
#include "cpu/sort/numbers.h"

G_BEGIN_DECLS

/* Keys whose ranks are sorted by at once, 64 bits of them at most. */
typedef struct
{
  guint first, n, bits;
} GhloCpuSortGroup;

typedef struct
{
  GhloCpuSortComparator  comparator;
  gsize                  n;              /* elements */
  guint                  n_operands;
  const guint           *sizes;          /* of an element of each; borrowed */
  guint                  most_size;
  gboolean               values;         /* elements are no more than their one key */
  GhloCpuSortGroup       groups[GHLO_CPU_SORT_MAX_KEYS];   /* the last one sorts first */
  guint                  n_groups;
  guint                  n_parts;        /* that are sorted apart and then merged; a power of two */
  gsize                  scratch;        /* bytes */
  double                 nanoseconds;    /* on one thread, about */
} GhloCpuSortLine;

/* After the comparator was read, and the fields up to sizes were set. */
gboolean ghlo_cpu_sort_line_init (GhloCpuSortLine       *self,
                                  guint                  n_parts);
/* A line of each operand; to[i] may be from[i]. FALSE when cancelled. */
gboolean ghlo_cpu_sort_line_run  (const GhloCpuSortLine *self,
                                  const guint8 *const   *from,
                                  guint8 *const         *to,
                                  gpointer               scratch,
                                  const GhloMonitor     *monitor);

/* Elements of @size bytes: to[i] = from[places[i]]. */
void     ghlo_cpu_sort_fetch     (guint                  size,
                                  const guint8          *from,
                                  guint8                *to,
                                  const guint32         *places,
                                  gsize                  n);

G_END_DECLS
