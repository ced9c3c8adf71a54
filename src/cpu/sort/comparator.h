/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The keys that a comparator of sort compares, read from its region: each key decides where
 * those before it are equal.
 */

#pragma once

#include "cpu/sort/keys.h"
#include "ir/module.h"

G_BEGIN_DECLS

enum { GHLO_CPU_SORT_MAX_KEYS = 32 };

typedef struct
{
  GhloCpuSortKey keys[GHLO_CPU_SORT_MAX_KEYS];   /* the most significant first */
  guint          n_keys;
  /* The comparator is true of equal elements (LE or GE), so that sorting reverses their order. */
  gboolean       reverses_equal;
} GhloCpuSortComparator;

/* FALSE when the comparator does anything else than compare keys, or compares a type without
 * keys. */
gboolean ghlo_cpu_sort_comparator_read (GhloCpuSortComparator *self,
                                        const GhloIrOp        *sort);

G_END_DECLS
