/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory that is counted against the limit of the process. The counters
 * themselves are read and set through value.h.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Zeroed memory aligned to 64 bytes, never NULL on success (also for no bytes).
 * OUT_OF_MEMORY names @size when the limit or the system refuses it. */
gpointer ghlo_memory_alloc       (gsize        size,
                                  GError     **error);
void     ghlo_memory_free        (gpointer     memory,
                                  gsize        size);
/* "512", "64K", "16M", "2G" (powers of 1024, either case, "B" or "iB" may
 * follow); FALSE when @string is none of these or too large. */
gboolean ghlo_memory_parse_limit (const char  *string,
                                  gsize       *limit);

G_END_DECLS
