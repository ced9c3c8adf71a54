/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Texts in arrays.
 */

#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* For qsort () and g_ptr_array_sort (), over pointers to texts: by their bytes. */
static inline int
ghlo_text_compare (gconstpointer a,
                   gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

G_END_DECLS
