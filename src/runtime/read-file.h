/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The contents of files of any size: where memory does not suffice that is an error, and
 * not the end of the process as with GIO's own functions. What has no end, as a device, or
 * no beginning, as a named pipe that nothing writes to, is refused.
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Bytes that are read at most where nothing says how many there are, as of a pipe or a device. */
#define GHLO_READ_LIMIT ((gsize) 1 << 30)

/* NULL with an OUT_OF_MEMORY error, a DATA error for what is endless or changes meanwhile, or
 * one of GIO's. */
GBytes *ghlo_read_file (GFile         *file,
                        GCancellable  *cancellable,     /* nullable */
                        GError       **error);
/* The same of a local file; messages show @path as it is. */
GBytes *ghlo_read_path (const char    *path,
                        GCancellable  *cancellable,     /* nullable */
                        GError       **error);
/* The same of what is open, from where it is on; it waits for as long as its writer takes. */
GBytes *ghlo_read_descriptor (int          fd,
                              const char  *name,      /* as messages show it */
                              GError     **error);

G_END_DECLS
