/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The keys that a comparator of sort compares, read from its region: each key decides where
 * those before it are equal.
 */

#pragma once

#include "ir/module.h"
#include "kernel/sort-key.h"

G_BEGIN_DECLS

enum { GHLO_SORT_MAX_KEYS = 32 };

typedef struct
{
  GhloSortKey keys[GHLO_SORT_MAX_KEYS];      /* the most significant first */
  guint       n_keys;
  /* The comparator is true of equal elements (LE or GE), so that sorting reverses their order. */
  gboolean    reverses_equal;
} GhloSortComparator;

/* FALSE when the comparator does anything else than compare keys, or compares a type without
 * keys. */
gboolean ghlo_sort_comparator_read (GhloSortComparator *self,
                                    const GhloIrOp     *sort);

G_END_DECLS
