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

/* What workers know; NULL for an object that no client made. */
GhloCompiled   *ghlo_executable_get_compiled (GhloExecutable *self);

/* A reference for a call that is being made; INVALID_ARGUMENT where there is none. */
GhloCompiled   *ghlo_executable_dup_compiled (GhloExecutable  *self,
                                              GError         **error);

/* The value of @buffer as input @index of a program; INVALID_ARGUMENT for what is
 * no buffer, was released, or does not fit. */
GhloValue      *ghlo_executable_take_input   (GhloCompiled  *compiled,
                                              GhloBuffer    *buffer,
                                              guint          index,
                                              GError       **error);

G_END_DECLS
