/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From bytes to a verified module.
 */

#pragma once

#include "base/diagnostics.h"
#include "base/monitor.h"
#include "import/import.h"

G_BEGIN_DECLS

/* Reads and verifies a program; problems are added to @diagnostics, whose source is @bytes. @source may be NULL;
 * otherwise the caller clears it. NULL for a program with errors, or with @error set when the program could not
 * be checked. */
GhloIrModule *ghlo_read_module (GBytes            *bytes,
                                GhloDiagnostics   *diagnostics,
                                const GhloMonitor *monitor,
                                GhloImportSource  *source,
                                GError           **error);
/* The same for callers that only need the first problem: @error is set whenever this returns NULL. @name is the
 * program's name in messages. */
GhloIrModule *ghlo_read_program (GBytes            *bytes,
                                 const char        *name,
                                 const GhloMonitor *monitor,
                                 GhloImportSource  *source,
                                 GError           **error);

G_END_DECLS
