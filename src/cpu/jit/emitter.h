/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The module that makes machine code (cpu/llvm/emit.h), a shared library of its own. Whether it exists, and its build
 * ID, are known without opening it. Opening it takes tens of milliseconds and is put off until there is a kernel to
 * compile.
 */

#pragma once

#include "cpu/llvm/emit.h"

G_BEGIN_DECLS

/* An ID that distinguishes this emitter's code from that of others; "" where there is none. NULL where there is no
 * module, or where GHLO_DISABLE names "llvm". */
const char        *ghlo_code_module_id   (void);
/* Opens the module at the first call; meant for threads that compile. UNSUPPORTED where there is no module, or it
 * cannot be opened. */
const GhloEmitter *ghlo_code_module_open (GError            **error);

/* Sets the path of the module, for applications that ship it apart from the library. Has to be called before the
 * first kernel is used; only the first call has an effect. */
void               ghlo_code_module_set_path (const char    *path);

/* For tests: replaces the module by @emitter, while nobody compiles; NULL restores the module. */
void               ghlo_code_module_set  (const GhloEmitter  *emitter,
                                          const char         *id);

G_END_DECLS
