/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Executables, made by a client.
 */

#pragma once

#include "compiler/executable-core.h"
#include "ghlo-executable.h"

G_BEGIN_DECLS

/* Takes @core over, and a reference to @program. */
GhloExecutable *ghlo_executable_new (GhloExecutableCore *core,
                                     GhloProgram        *program);

/* What workers know; NULL for an object that no client made. */
GhloExecutableCore   *ghlo_executable_get_core (GhloExecutable *self);

/* A reference for a call that is being made; INVALID_ARGUMENT where there is none. */
GhloExecutableCore   *ghlo_executable_dup_core (GhloExecutable *self,
                                                GError        **error);

/* The value of @buffer as input @index of a program; INVALID_ARGUMENT for what is
 * no buffer, was released, or does not fit. */
GhloValue      *ghlo_executable_take_input   (GhloExecutableCore *core,
                                              GhloBuffer         *buffer,
                                              guint               index,
                                              GError            **error);

G_END_DECLS
