/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What has been made of two things, so that it is made once: programs refer to a large
 * attribute, type or resource as often as they like, in a few bytes each time.
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

/* The place of what is kept of @a and @b, which are compared as pointers; NULL stands in
 * a new one. It stays where it is. */
gpointer *ghlo_import_memo_at    (GhloImportMemo *self,
                                  gconstpointer   a,
                                  gconstpointer   b);
void      ghlo_import_memo_clear (GhloImportMemo *self);

G_END_DECLS
