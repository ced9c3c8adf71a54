/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of byte ranges whose size comes from outside. Unlike with GLib's own functions, which end the process when
 * memory runs out, that is reported as an error here.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns NULL with an OUT_OF_MEMORY error when there is not enough memory. Transfer full. */
GBytes *ghlo_bytes_copy (gconstpointer   data,
                         gsize           n_bytes,
                         GError        **error);

G_END_DECLS
