/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From bytes to a module that was verified.
 */

#pragma once

#include "base/diagnostics.h"
#include "base/monitor.h"
#include "import/import.h"

G_BEGIN_DECLS

/* Reads and verifies; what is wrong goes to @diagnostics, whose source is @bytes.
 * @source may be NULL; else the caller clears it. NULL for a program with an error,
 * or with @error set when there is no judging it. */
GhloIrModule *ghlo_read_module (GBytes            *bytes,
                                GhloDiagnostics   *diagnostics,
                                const GhloMonitor *monitor,
                                GhloImportSource  *source,
                                GError           **error);
/* The same where nobody wants more than the first error: it has that set whenever it gives NULL. @name: as messages are
 * to show the program. */
GhloIrModule *ghlo_read_program (GBytes            *bytes,
                                 const char        *name,
                                 const GhloMonitor *monitor,
                                 GhloImportSource  *source,
                                 GError           **error);

G_END_DECLS
