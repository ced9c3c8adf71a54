/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads text or bytecode into a module and writes bytecode. Reading reports as many independent errors as it can. The
 * module is complete but not verified; that is ghlo_ir_verify ()'s task.
 */

#pragma once

#include "ir/module.h"
#include "ir/version.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_IMPORT_DEFAULT            = 0,
  GHLO_IMPORT_ALLOW_UNREGISTERED = 1 << 0,  /* keep operations of unknown dialects */
  GHLO_IMPORT_KEEP_ELEMENTS      = 1 << 1,  /* keep sparse constants and those whose elements were elided, as text; only
                                               for programs that are printed: passes and executors need elements */
} GhloImportFlags;

/* Returns NULL if an error was added to @diagnostics (whose source must be @text) or @monitor was cancelled. @text
 * need not be NUL-terminated or valid UTF-8. Text without a module operation of its own is wrapped into one. */
GhloIrModule *ghlo_import_text (const char        *text,
                                gsize              length,
                                GhloImportFlags    flags,
                                GhloDiagnostics   *diagnostics,
                                const GhloMonitor *monitor);

/* Describes the source of a program. */
typedef struct
{
  GhloProgramFormat    format;
  char                *producer;          /* of bytecode: "StableHLO_v1.17.0"; else NULL */
  guint                bytecode_version;
  GhloIrVersion        version;           /* of a portable artifact; else 0.0.0 */
  struct _GhloExported *exported;         /* of a file of jax.export; else NULL */
} GhloImportSource;

/* Reads any format, which it recognises by the first bytes. Constants may be
 * slices of @bytes, at any alignment, and hold references to @bytes. If @source is
 * not NULL, the caller clears it. @diagnostics' source must be the data of @bytes. */
GhloIrModule *ghlo_import              (GBytes            *bytes,
                                        GhloImportFlags    flags,
                                        GhloDiagnostics   *diagnostics,
                                        const GhloMonitor *monitor,
                                        GhloImportSource  *source);
void          ghlo_import_source_clear (GhloImportSource  *source);
/* Whether @bytes would be read as text, the format of anything that is not recognised as another one. */
gboolean      ghlo_import_is_text      (GBytes            *bytes);
/* The same for MLIR bytecode only. */
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

/* Writes @module, which must be verified, as a portable artifact that readers of @target and of all later versions
 * understand. Returns NULL with @error set if that fails; UNSUPPORTED names an operation that @target cannot express
 * and the version that it needs. The function creates attributes in @module, so the caller must own it exclusively: a
 * copy, or a module that no other thread reads. */
GBytes       *ghlo_export_artifact     (GhloIrModule      *module,
                                        GhloIrVersion      target,
                                        GhloExportFlags    flags,
                                        const GhloMonitor *monitor,
                                        GError           **error);

/* Parse one attribute, type or "value : type" as in a command line ("dense<1> : tensor<2xi32>"), created in @module.
 * Return NULL with @error set if the text is malformed. */
const GhloIrAttr *ghlo_import_attribute (GhloIrModule *module,
                                         const char   *text,
                                         GError      **error);
const GhloIrType *ghlo_import_type      (GhloIrModule *module,
                                         const char   *text,
                                         GError      **error);

G_END_DECLS
