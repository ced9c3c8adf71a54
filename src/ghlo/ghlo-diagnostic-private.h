/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Diagnostics as workers make them, and as objects.
 */

#pragma once

#include <gio/gio.h>

#include "base/diagnostics.h"
#include "ghlo-diagnostic.h"

G_BEGIN_DECLS

typedef struct _GhloDiagnosticList GhloDiagnosticList;

/* Takes all that a list model of diagnostics needs out of @diagnostics, whose
 * source may go afterwards. */
GhloDiagnosticList *ghlo_diagnostic_list_new      (const GhloDiagnostics *diagnostics);
void                ghlo_diagnostic_list_free     (GhloDiagnosticList    *self);
/* Takes the list over. */
GListModel         *ghlo_diagnostic_list_to_model (GhloDiagnosticList    *self);

G_END_DECLS
