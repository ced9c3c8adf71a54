/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Executables, made by a client.
 */

#pragma once

#include "ghlo-compiled-private.h"
#include "ghlo-executable.h"

G_BEGIN_DECLS

/* Takes @compiled over, and references to the objects. */
GhloExecutable *ghlo_executable_new (GhloCompiled *compiled,
                                     GhloProgram  *program,
                                     GhloDevice   *device);

G_END_DECLS
