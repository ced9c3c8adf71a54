/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/bytes.h"

#include <string.h>

#include "base/ghlo-error.h"

GBytes *
ghlo_bytes_copy (gconstpointer   data,
                 gsize           n_bytes,
                 GError        **error)
{
  gpointer copy;

  if (n_bytes == 0)
    return g_bytes_new_static ("", 0);
  copy = g_try_malloc (n_bytes);
  if (copy == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                   "expected memory for a copy of %" G_GSIZE_FORMAT " bytes, found less", n_bytes);
      return NULL;
    }

  return g_bytes_new_take (memcpy (copy, data, n_bytes), n_bytes);
}
