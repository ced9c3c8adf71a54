/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a compilation did to a program.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include <glib-object.h>

#include "ghlo-version-macros.h"

G_BEGIN_DECLS

#define GHLO_TYPE_COMPILE_REPORT (ghlo_compile_report_get_type ())

typedef struct _GhloCompileReport GhloCompileReport;

GHLO_AVAILABLE_IN_1_0
GType               ghlo_compile_report_get_type                (void) G_GNUC_CONST;
GHLO_AVAILABLE_IN_1_0
GhloCompileReport  *ghlo_compile_report_ref                     (GhloCompileReport       *self);
GHLO_AVAILABLE_IN_1_0
void                ghlo_compile_report_unref                   (GhloCompileReport       *self);
GHLO_AVAILABLE_IN_1_0
guint64             ghlo_compile_report_get_n_operations_before (const GhloCompileReport *self);
GHLO_AVAILABLE_IN_1_0
guint64             ghlo_compile_report_get_n_operations_after  (const GhloCompileReport *self);
GHLO_AVAILABLE_IN_1_0
guint               ghlo_compile_report_get_n_rounds            (const GhloCompileReport *self);
GHLO_AVAILABLE_IN_1_0
double              ghlo_compile_report_get_time                (const GhloCompileReport *self);
GHLO_AVAILABLE_IN_1_0
const char * const *ghlo_compile_report_get_passes              (const GhloCompileReport *self);
GHLO_AVAILABLE_IN_1_0
guint               ghlo_compile_report_get_n_runs              (const GhloCompileReport *self,
                                                                 const char              *pass);
GHLO_AVAILABLE_IN_1_0
guint64             ghlo_compile_report_get_n_changes           (const GhloCompileReport *self,
                                                                 const char              *pass);
GHLO_AVAILABLE_IN_1_0
double              ghlo_compile_report_get_pass_time           (const GhloCompileReport *self,
                                                                 const char              *pass);
GHLO_AVAILABLE_IN_1_0
char               *ghlo_compile_report_to_string               (const GhloCompileReport *self)
  G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCompileReport, ghlo_compile_report_unref)

G_END_DECLS
