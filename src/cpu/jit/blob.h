/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Machine code as one block of bytes (a "blob") that runs at any address that is a multiple of GHLO_CODE_ALIGNMENT: a
 * header, followed by the code and constants of one function. A blob is made from an object file without a linker.
 * The disk cache stores blobs, and they are mapped unchanged.
 *
 * Objects and blobs may come from damaged files, so everything in them is checked. The code itself cannot be checked;
 * blobs are therefore only read from the user's own folder.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* On some processors code depends on its offset within a page. This is the smallest page size in use. */
enum { GHLO_CODE_ALIGNMENT = 4096 };

/* The most bytes that all sections of an object may take together. */
enum { GHLO_CODE_MAX_SIZE = 16 << 20 };

/* All fields are little-endian, as is every processor that machine code is made for. */
typedef struct
{
  char    magic[8];
  guint32 machine;      /* e_machine of ELF */
  guint32 entry;        /* offset of the function from the start of the header */
  guint32 size;         /* bytes of the whole blob, header included */
  guint32 alignment;    /* required by the contents; at most GHLO_CODE_ALIGNMENT */
  guint8  reserved[40]; /* always 0 */
} GhloCodeHeader;

/* Returns the blob for @object, an ELF64 relocatable file whose function is named "kernel". Fails with UNSUPPORTED
 * where the object has something that a blob cannot hold (external symbols, absolute addresses, writable data), and
 * with DATA where @object is not such a file. */
GBytes   *ghlo_code_flatten    (GBytes          *object,
                                GError         **error);
/* Reads the header of a blob made by ghlo_code_flatten () for any machine. FALSE with DATA where @blob is
 * malformed. */
gboolean  ghlo_code_read_header (GBytes         *blob,
                                 GhloCodeHeader *header,
                                 GError        **error);

G_END_DECLS
