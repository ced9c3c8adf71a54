/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Helpers for strings: a comparison for sorting, and the byte order mark.
 */

#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* For qsort () and g_ptr_array_sort () on pointers to strings: compares their bytes. */
static inline int
ghlo_text_compare (gconstpointer a,
                   gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Returns the length in bytes of the byte order mark that some editors put before UTF-8; 0 when there is none. */
static inline gsize
ghlo_text_bom (const char *text,
               gsize       length)
{
  return length >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

G_END_DECLS
