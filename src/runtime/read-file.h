/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the contents of files of any size. Running out of memory is an error here, while GIO's own functions abort
 * the process. Sources without an end, such as devices, and named pipes without a writer are refused.
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The most bytes that are read from a source of unknown size, such as a pipe or a device. */
#define GHLO_READ_LIMIT ((gsize) 1 << 30)

/* Returns NULL with an OUT_OF_MEMORY error, with a DATA error for a source that is endless or changes during the read,
 * or with an error of GIO. */
GBytes *ghlo_read_file (GFile         *file,
                        GCancellable  *cancellable,     /* nullable */
                        GError       **error);
/* The same for a local file; messages show @path as given. */
GBytes *ghlo_read_path (const char    *path,
                        GCancellable  *cancellable,     /* nullable */
                        GError       **error);
/* The same for an open descriptor, from its current position; waits as long as its writer takes. */
GBytes *ghlo_read_descriptor (int          fd,
                              const char  *name,      /* the name in messages */
                              GError     **error);

G_END_DECLS
