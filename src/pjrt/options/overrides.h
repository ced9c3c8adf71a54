/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a caller sets besides by names of XLA's DebugOptions (xla/xla.proto), JAX's compiler_options: those that have a
 * counterpart here are heeded, and all others that are called xla_ are another compiler's and passed over.
 */

#pragma once

#include "pjrt/compile-options.h"

G_BEGIN_DECLS

/* @entry: one of CompileOptionsProto's map env_option_overrides. FALSE with @error set for a name that cannot be XLA's,
 * or a value that is none of its option's; and without for what is no entry. */
gboolean ghlo_pjrt_override_read (GhloPjrtCompileOptions  *options,
                                  GhloPjrtCursor           entry,
                                  GError                 **error);

G_END_DECLS
