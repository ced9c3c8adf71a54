/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a comparator of sort compares, read from its region: one key, or several of
 * which each next one decides where those before are equal.
 */

#pragma once

#include "cpu/sort/keys.h"
#include "ir/module.h"

G_BEGIN_DECLS

enum { GHLO_CPU_SORT_MAX_KEYS = 32 };

typedef struct
{
  GhloCpuSortKey keys[GHLO_CPU_SORT_MAX_KEYS];   /* the first one counts most */
  guint          n_keys;
  /* It calls an element before one that it is equal to, so that equal ones end up in the
   * reverse of their order. */
  gboolean       reverses_equal;
} GhloCpuSortComparator;

/* FALSE when it compares in some other way, or what has no order here. */
gboolean ghlo_cpu_sort_comparator_read (GhloCpuSortComparator *self,
                                        const GhloIrOp        *sort);

G_END_DECLS
