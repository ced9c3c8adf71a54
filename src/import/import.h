/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From text to a module. Parsing reports all errors that it can tell apart; the
 * module it gives is whole but not verified (ghlo_ir_verify does that).
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_IMPORT_DEFAULT            = 0,
  GHLO_IMPORT_ALLOW_UNREGISTERED = 1 << 0,  /* keep operations of dialects that are not known */
} GhloImportFlags;

/* NULL when an error was added to @diagnostics (whose source must be @text), or
 * @monitor was cancelled. @text need not be NUL-terminated or valid UTF-8. Text
 * without a module operation of its own is wrapped into one. */
GhloIrModule *ghlo_import_text (const char        *text,
                                gsize              length,
                                GhloImportFlags    flags,
                                GhloDiagnostics   *diagnostics,
                                const GhloMonitor *monitor);

/* One attribute, type or "value : type" as in a command line ("dense<1> :
 * tensor<2xi32>"), made in @module. NULL when malformed, with @error set. */
const GhloIrAttr *ghlo_import_attribute (GhloIrModule *module,
                                         const char   *text,
                                         GError      **error);
const GhloIrType *ghlo_import_type      (GhloIrModule *module,
                                         const char   *text,
                                         GError      **error);

G_END_DECLS
