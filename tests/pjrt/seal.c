/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recomputes checksums, where the bytes are long enough to contain them.
 */

#include "seal.h"

#include <string.h>

#include "compiler/digest.h"

/* Both formats begin with a magic and a checksum. PJRT's continues with the length of the compile options, a
 * fingerprint and the options, which the checksum covers, and with the library's format. */
enum { MAGIC = 8, HEAD = MAGIC + GHLO_DIGEST_SIZE, FINGERPRINT = 33, OPTIONS = HEAD + sizeof (guint64) + FINGERPRINT };

static gsize
seal_library (guint8 *bytes,
              gsize   size)
{
  if (size < HEAD)
    return size;
  ghlo_digest (bytes + HEAD, size - HEAD, bytes + MAGIC);

  return HEAD;
}

gsize
seal_executable (guint8 *bytes,
                 gsize   size)
{
  guint64 length;
  gsize head;

  if (size < MAGIC || memcmp (bytes, "GHLOPJR", MAGIC - 1) != 0)
    return seal_library (bytes, size);
  if (size < OPTIONS)
    return size;
  memcpy (&length, bytes + HEAD, sizeof length);
  length = GUINT64_FROM_LE (length);
  if (length > size - OPTIONS)
    return size;
  head = OPTIONS + (gsize) length;
  ghlo_digest (bytes + HEAD, head - HEAD, bytes + MAGIC);

  return head + seal_library (bytes + head, size - head);
}
