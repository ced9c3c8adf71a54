/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What tells this build of the library from every other one: a version says too
 * little where code is being worked on.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In hexadecimal; NULL where the linker left no id. */
const char *ghlo_build_id (void);

G_END_DECLS
