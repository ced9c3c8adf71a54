/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Machine code as one piece of bytes that runs wherever it is put, at a multiple of
 * GHLO_CODE_ALIGNMENT: a header, and behind it the code and the constants of one function. It is
 * made of an object file without a linker, is what the cache on disk keeps, and is mapped as it is.
 *
 * Objects and blobs may come from damaged files: whatever is in them is checked. What the code
 * itself does is not, so that blobs are taken from the user's own folder alone.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Offsets within pages are part of the code on some processors: this is the smallest page that there is. */
enum { GHLO_CODE_ALIGNMENT = 4096 };

/* Of an object's sections together. */
enum { GHLO_CODE_MAX_SIZE = 16 << 20 };

/* Little-endian, as are all processors that there is code for. */
typedef struct
{
  char    magic[8];
  guint32 machine;      /* e_machine of ELF */
  guint32 entry;        /* where the function begins, from the header on */
  guint32 size;         /* of all of it */
  guint32 alignment;    /* of what is within, at most GHLO_CODE_ALIGNMENT */
  guint8  reserved[40]; /* 0 */
} GhloCodeHeader;

/* The blob of @object, an ELF64 relocatable file whose function is named "kernel". UNSUPPORTED where it has what a
 * blob cannot: symbols from outside, addresses, data that is written; DATA where it is no such file. */
GBytes   *ghlo_code_flatten    (GBytes          *object,
                                GError         **error);
/* The header of what ghlo_code_flatten () made, for any machine; FALSE with DATA otherwise. */
gboolean  ghlo_code_read_header (GBytes         *blob,
                                 GhloCodeHeader *header,
                                 GError        **error);

G_END_DECLS
