/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From text or bytecode to a module, and back to bytecode. Reading reports all
 * errors that it can tell apart; the module it gives is whole but not verified
 * (ghlo_ir_verify does that).
 */

#pragma once

#include "ir/module.h"
#include "ir/version.h"

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

/* What a program was read from. */
typedef struct
{
  GhloProgramFormat    format;
  char                *producer;          /* of bytecode, "StableHLO_v1.17.0"; else NULL */
  guint                bytecode_version;
  GhloIrVersion        version;           /* of a portable artifact; else 0.0.0 */
  struct _GhloExported *exported;         /* of a file of jax.export; else NULL */
} GhloImportSource;

/* Any form, told by the first bytes. Constants may be slices of @bytes, at any
 * alignment, and hold references to it. @source may be NULL; else the caller
 * clears it. @diagnostics' source must be the data of @bytes. */
GhloIrModule *ghlo_import              (GBytes            *bytes,
                                        GhloImportFlags    flags,
                                        GhloDiagnostics   *diagnostics,
                                        const GhloMonitor *monitor,
                                        GhloImportSource  *source);
void          ghlo_import_source_clear (GhloImportSource  *source);
/* Whether @bytes would be read as text, which is what other forms are not. */
gboolean      ghlo_import_is_text      (GBytes            *bytes);
/* MLIR bytecode alone. */
GhloIrModule *ghlo_import_bytecode     (GBytes            *bytes,
                                        GhloImportFlags    flags,
                                        GhloDiagnostics   *diagnostics,
                                        const GhloMonitor *monitor,
                                        GhloImportSource  *source);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloImportSource, ghlo_import_source_clear)

typedef enum
{
  GHLO_EXPORT_DEFAULT         = 0,
  GHLO_EXPORT_STRIP_LOCATIONS = 1 << 0,
} GhloExportFlags;

/* @module, which was verified, as a portable artifact that readers of @target and
 * all later versions understand. NULL with @error set: UNSUPPORTED, naming an
 * operation and the version it needs, when @target cannot hold the program. What it
 * needs is made in @module, which must be the caller's alone: a copy, or one that
 * nobody else reads. */
GBytes       *ghlo_export_artifact     (GhloIrModule      *module,
                                        GhloIrVersion      target,
                                        GhloExportFlags    flags,
                                        const GhloMonitor *monitor,
                                        GError           **error);

/* One attribute, type or "value : type" as in a command line ("dense<1> :
 * tensor<2xi32>"), made in @module. NULL when malformed, with @error set. */
const GhloIrAttr *ghlo_import_attribute (GhloIrModule *module,
                                         const char   *text,
                                         GError      **error);
const GhloIrType *ghlo_import_type      (GhloIrModule *module,
                                         const char   *text,
                                         GError      **error);

G_END_DECLS
