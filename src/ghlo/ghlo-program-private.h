/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The internal interface of programs: objects that wrap a module, which is no
 * longer changed.
 */

#pragma once

#include "base/diagnostics.h"
#include "base/monitor.h"
#include "ghlo-program.h"
#include "import/import.h"

G_BEGIN_DECLS

/* Takes ownership of @module. @source is nullable; a program without a source counts as text. */
GhloProgram  *ghlo_program_new         (GhloIrModule           *module,
                                        const GhloImportSource *source);

/* The module with a reference, for the arguments of a call. INVALID_ARGUMENT when @self is not a program, or
 * was created without a module. */
GhloIrModule *ghlo_program_take_module (GhloProgram  *self,
                                        GError      **error);

/* Prints a copy of the module, since printing numbers values in the module, which other threads may be
 * reading. NULL when cancelled. */
char         *ghlo_program_write_text  (GhloIrModule       *module,
                                        GhloTextFlags       flags,
                                        const GhloMonitor  *monitor,
                                        GError            **error);

G_END_DECLS
