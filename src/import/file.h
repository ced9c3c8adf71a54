/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Maps large program files instead of reading them: constants, which are slices of the file, only take memory once
 * they are used. Changes by other processes show through a mapping. The file is therefore checked again after
 * reading; if another process truncates it in place, this process is terminated (docs/guides/formats.md).
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Files of at most this many bytes are read instead. */
#define GHLO_IMPORT_FILE_LIMIT ((gsize) 64 << 20)

typedef struct
{
  GBytes   *bytes;        /* of a mapped file, or what the caller read itself */
  gboolean  is_mapped;    /* the fields below are then valid and describe the file as it was opened */
  int       fd;
  gint64    size;
  gint64    seconds;      /* time of its last modification */
  gint64    nanoseconds;
} GhloImportFile;

/* The message for a file that changed; the error is DATA. */
#define GHLO_IMPORT_FILE_CHANGED \
  "expected a file that stays as it is, found it changed while it was read: load it again, and replace a file by " \
  "renaming a new one over it"

/* Maps the file at @path, privately and read-only. Returns FALSE and does nothing if it is not a regular file of more
 * than @limit bytes or cannot be mapped. The caller then reads it as any other file, which reports errors. */
gboolean ghlo_import_file_map         (GhloImportFile       *self,
                                       const char           *path,
                                       gsize                 limit);
/* Whether a mapped file has changed since it was opened, so
 * that data read from it and errors found in it are invalid. */
gboolean ghlo_import_file_has_changed (const GhloImportFile *self);
/* Drops the reference to the bytes, which may live on elsewhere. */
void     ghlo_import_file_clear       (GhloImportFile       *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloImportFile, ghlo_import_file_clear)

G_END_DECLS
