/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A table of results by two keys, so that each result is computed once. A program may refer to a large attribute,
 * type or resource any number of times in a few bytes each.
 */

#pragma once

#include "ir/arena.h"

G_BEGIN_DECLS

/* Empty when zeroed. */
typedef struct
{
  GhloIrArena       arena;
  GhloIrInternTable table;
} GhloImportMemo;

/* Returns the slot for @a and @b, which are compared as
 * pointers. A new slot contains NULL. Its address never changes. */
gpointer *ghlo_import_memo_at    (GhloImportMemo *self,
                                  gconstpointer   a,
                                  gconstpointer   b);
void      ghlo_import_memo_clear (GhloImportMemo *self);

G_END_DECLS
