/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs from the inside: an object over a module that nobody changes any more.
 */

#pragma once

#include "base/diagnostics.h"
#include "base/monitor.h"
#include "ghlo-program.h"
#include "import/import.h"

G_BEGIN_DECLS

/* Takes the reference over; @source may be NULL for what counts as text. */
GhloProgram  *ghlo_program_new         (GhloIrModule           *module,
                                        const GhloImportSource *source);

/* The module, for a call that is being made; INVALID_ARGUMENT for what is no
 * program, or one that was made without text. */
GhloIrModule *ghlo_program_take_module (GhloProgram  *self,
                                        GError      **error);

/* The text of a copy, since printing numbers things in the module, which others may be
 * reading. NULL when cancelled. */
char         *ghlo_program_write_text  (GhloIrModule       *module,
                                        GhloTextFlags       flags,
                                        const GhloMonitor  *monitor,
                                        GError            **error);

G_END_DECLS
