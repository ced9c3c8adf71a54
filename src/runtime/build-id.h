/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A string that differs between builds of the library. Versions are too coarse during development.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the build id in hexadecimal; NULL where the linker wrote none. */
const char *ghlo_build_id              (void);
/* Returns the build id of another library, which is read but not loaded; free it with g_free (). NULL where the file
 * has none. */
char       *ghlo_build_id_read         (const char    *path);

G_END_DECLS
