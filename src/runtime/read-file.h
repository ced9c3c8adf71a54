/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The contents of files of any size: where memory does not suffice that is an error, and
 * not the end of the process as with GIO's own functions.
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* NULL with an OUT_OF_MEMORY error, or one of GIO's. */
GBytes *ghlo_read_file (GFile         *file,
                        GCancellable  *cancellable,     /* nullable */
                        GError       **error);

G_END_DECLS
