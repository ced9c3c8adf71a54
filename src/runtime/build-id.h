/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What tells this build of the library from every other one: a version says too
 * little where code is being worked on.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In hexadecimal; NULL where the linker left no id. */
const char *ghlo_build_id              (void);
/* The same of another library, which is read and not opened; to be freed by g_free (). NULL where the file is none. */
char       *ghlo_build_id_read         (const char    *path);

G_END_DECLS
