/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A table of results by two keys, so that each is made once: programs may refer to a
 * large attribute, type or resource any number of times, in a few bytes each.
 */

#pragma once

#include "ir/arena.h"

G_BEGIN_DECLS

/* Zeroed it is empty. */
typedef struct
{
  GhloIrArena       arena;
  GhloIrInternTable table;
} GhloImportMemo;

/* The slot for @a and @b, which are compared as pointers; a new one has NULL. Its
 * address does not change. */
gpointer *ghlo_import_memo_at    (GhloImportMemo *self,
                                  gconstpointer   a,
                                  gconstpointer   b);
void      ghlo_import_memo_clear (GhloImportMemo *self);

G_END_DECLS
