/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The SHA-256 digest of bytes. It tells programs apart, and detects damage in serialized executables.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

enum { GHLO_DIGEST_SIZE = 32 };

static inline void
ghlo_digest (gconstpointer data,
             gsize         size,
             guint8        result[GHLO_DIGEST_SIZE])
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize n = GHLO_DIGEST_SIZE;

  g_checksum_update (checksum, data, size);
  g_checksum_get_digest (checksum, result, &n);
}

G_END_DECLS
