/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Extracts from the region of a sort the keys that its comparator compares. Each key decides where all keys before
 * it are equal.
 */

#pragma once

#include "ir/module.h"
#include "kernel/sort-key.h"

G_BEGIN_DECLS

enum { GHLO_SORT_MAX_KEYS = 32 };

typedef struct
{
  GhloSortKey keys[GHLO_SORT_MAX_KEYS];      /* the most significant one first */
  guint       n_keys;
  /* The comparator is true for equal elements (LE or GE), so sorting reverses their order. */
  gboolean    reverses_equal;
} GhloSortComparator;

/* Returns FALSE when the comparator does more than compare keys, or compares a type that has no ranks. */
gboolean ghlo_sort_comparator_read (GhloSortComparator *self,
                                    const GhloIrOp     *sort);

G_END_DECLS
