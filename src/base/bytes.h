/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bytes whose number comes from outside: where memory does not suffice that is an error,
 * and not the end of the process as with GLib's own functions.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* NULL with an OUT_OF_MEMORY error. */
GBytes *ghlo_bytes_copy (gconstpointer   data,
                         gsize           n_bytes,
                         GError        **error);

G_END_DECLS
