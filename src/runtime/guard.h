/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory blocks that detect errors, for GHLO_DEBUG=guard. Each block lies between two protected pages, as close to
 * the upper one as its alignment allows. The bytes left over on both sides are filled with a pattern that is
 * checked on free. Uninitialised blocks are filled with the pattern, and freed blocks stay protected for a while.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define GHLO_GUARD_PATTERN 0xfb

/* Returns a block aligned to 64 bytes, or NULL when the system refuses. */
gpointer ghlo_guard_alloc (gsize     size,
                           gboolean  zeroed);
/* Logs a critical message when the pattern was overwritten. */
void     ghlo_guard_free  (gpointer  memory,
                           gsize     size);

G_END_DECLS
