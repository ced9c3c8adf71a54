/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Further compile options that a caller sets by the names of XLA's DebugOptions (xla/xla.proto); in JAX,
 * compiler_options. Options with a counterpart in the library are applied; all other options whose names begin with
 * xla_ belong to another compiler and are ignored.
 */

#pragma once

#include "pjrt/compile-options.h"

G_BEGIN_DECLS

/* Reads an entry of CompileOptionsProto's map env_option_overrides. Returns FALSE with @error set for a name that
 * cannot be XLA's or a value that is invalid for its option, and FALSE without an error when @entry is malformed. */
gboolean ghlo_pjrt_override_read (GhloPjrtCompileOptions  *options,
                                  GhloPjrtCursor           entry,
                                  GError                 **error);

G_END_DECLS
