/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The internal interface of executables, which clients create.
 */

#pragma once

#include "compiler/executable-core.h"
#include "ghlo-executable.h"

G_BEGIN_DECLS

/* Takes ownership of @core and a reference to @program. */
GhloExecutable *ghlo_executable_new (GhloExecutableCore *core,
                                     GhloProgram        *program);

/* The state that workers use; NULL for an object that was not created by a client. */
GhloExecutableCore   *ghlo_executable_get_core (GhloExecutable *self);

/* The core with a reference, for the arguments of a call. INVALID_ARGUMENT when there is none. */
GhloExecutableCore   *ghlo_executable_dup_core (GhloExecutable *self,
                                                GError        **error);

/* The value of @buffer, with a reference, as input @index of a program. INVALID_ARGUMENT when @buffer is not
 * a buffer, was released, or does not fit. */
GhloValue      *ghlo_executable_take_input   (GhloExecutableCore *core,
                                              GhloBuffer         *buffer,
                                              guint               index,
                                              GError            **error);

G_END_DECLS
