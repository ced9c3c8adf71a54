/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Large files of programs, mapped instead of read: their constants, which are
 * slices of the file, then take memory only as far as they are used. A mapping
 * shows what others do to the file; so it is looked at again after reading, and
 * whoever shortens it in place ends the process (docs/guides/formats.md).
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Files of up to so many bytes are read. */
#define GHLO_IMPORT_FILE_LIMIT ((gsize) 64 << 20)

typedef struct
{
  GBytes   *bytes;        /* of a mapped file, or what a caller read itself */
  gboolean  is_mapped;    /* then what follows holds, as of when the file was opened */
  int       fd;
  gint64    size;
  gint64    seconds;      /* of its last change */
  gint64    nanoseconds;
} GhloImportFile;

/* What is said of a file that changed; the error is DATA. */
#define GHLO_IMPORT_FILE_CHANGED \
  "expected a file that stays as it is, found it changed while it was read: load it again, and replace files by " \
  "writing others and renaming them"

/* Maps the file at @path, privately and for reading. FALSE, with nothing done, when
 * it is no regular file of more than @limit bytes or cannot be mapped: then it is
 * to be read as any file, which has the errors. */
gboolean ghlo_import_file_map         (GhloImportFile       *self,
                                       const char           *path,
                                       gsize                 limit);
/* Whether a mapped file is no longer what it was when it was opened, so that what
 * was read from it, or found wrong with it, counts for nothing. */
gboolean ghlo_import_file_has_changed (const GhloImportFile *self);
/* Gives up the reference to the bytes, which may live on elsewhere. */
void     ghlo_import_file_clear       (GhloImportFile       *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloImportFile, ghlo_import_file_clear)

G_END_DECLS
