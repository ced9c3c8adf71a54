/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The module that makes machine code (cpu/emit/emit.h), a library of its own. Whether there is one, and which, is known
 * without opening it: that costs tens of milliseconds, and is done when there is a kernel to compile.
 */

#pragma once

#include "cpu/emit/emit.h"

G_BEGIN_DECLS

/* What tells this emitter's code from that of others, "" where nothing does. NULL where there is no module, or where
 * GHLO_DISABLE names "llvm". */
const char        *ghlo_code_module_id   (void);
/* Opens the module at the first call; for threads that compile. UNSUPPORTED where there is none, or none that can be
 * opened. */
const GhloEmitter *ghlo_code_module_open (GError            **error);

/* Where the module is, for who has it apart from the library: what the first call says holds, before there is a
 * kernel. */
void               ghlo_code_module_set_path (const char    *path);

/* For tests: @emitter in the module's place, where nobody compiles; NULL for the module again. */
void               ghlo_code_module_set  (const GhloEmitter  *emitter,
                                          const char         *id);

G_END_DECLS
