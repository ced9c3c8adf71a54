/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One finding of a check of a program.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include "ghlo-enums.h"
#include "ghlo-error.h"

G_BEGIN_DECLS

#define GHLO_TYPE_DIAGNOSTIC (ghlo_diagnostic_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloDiagnostic, ghlo_diagnostic, GHLO, DIAGNOSTIC, GObject)

GHLO_AVAILABLE_IN_1_0
GhloSeverity  ghlo_diagnostic_get_severity (GhloDiagnostic *self);
GHLO_AVAILABLE_IN_1_0
GhloError     ghlo_diagnostic_get_code     (GhloDiagnostic *self);
GHLO_AVAILABLE_IN_1_0
const char   *ghlo_diagnostic_get_file     (GhloDiagnostic *self);
GHLO_AVAILABLE_IN_1_0
guint         ghlo_diagnostic_get_line     (GhloDiagnostic *self);
GHLO_AVAILABLE_IN_1_0
guint         ghlo_diagnostic_get_column   (GhloDiagnostic *self);
GHLO_AVAILABLE_IN_1_0
const char   *ghlo_diagnostic_get_message  (GhloDiagnostic *self);
GHLO_AVAILABLE_IN_1_0
const char   *ghlo_diagnostic_get_excerpt  (GhloDiagnostic *self);
GHLO_AVAILABLE_IN_1_0
char         *ghlo_diagnostic_to_string    (GhloDiagnostic *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
