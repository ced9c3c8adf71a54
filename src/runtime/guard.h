/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks of memory that find mistakes, for GHLO_DEBUG=guard: each lies between two
 * protected pages, as close to the upper one as its alignment allows, and what is left
 * over beside it is filled with a pattern that is checked on free. Uninitialised
 * blocks are full of the pattern, freed ones are protected for a while.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define GHLO_GUARD_PATTERN 0xfb

/* Aligned to 64 bytes; NULL when the system refuses. */
gpointer ghlo_guard_alloc (gsize     size,
                           gboolean  zeroed);
/* A pattern that was written over is a critical message of the log domain. */
void     ghlo_guard_free  (gpointer  memory,
                           gsize     size);

G_END_DECLS
