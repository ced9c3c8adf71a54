/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Environment variables of the library. A program that runs with more rights than who started it (setuid, setgid, or
 * file capabilities) ignores them, since they come from somebody who must not direct it.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether the environment comes from somebody with the program's own rights. */
gboolean    ghlo_environment_is_trusted (void);
/* NULL where the variable is not set or the environment is not trusted. */
const char *ghlo_environment_get        (const char *name);

G_END_DECLS
