/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Diagnostics as plain records, which workers create, and as objects.
 */

#pragma once

#include <gio/gio.h>

#include "base/diagnostics.h"
#include "ghlo-diagnostic.h"

G_BEGIN_DECLS

typedef struct _GhloDiagnosticList GhloDiagnosticList;

/* Copies everything that a list model of diagnostics needs from @diagnostics, so that its source text may be
 * freed afterwards. */
GhloDiagnosticList *ghlo_diagnostic_list_new      (const GhloDiagnostics *diagnostics);
void                ghlo_diagnostic_list_free     (GhloDiagnosticList    *self);
/* Takes ownership of the list. */
GListModel         *ghlo_diagnostic_list_to_model (GhloDiagnosticList    *self);

G_END_DECLS
