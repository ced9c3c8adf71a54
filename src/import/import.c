/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The importer's entry point, which recognises a program's format by its first bytes.
 */

#include "import/import.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "base/text.h"
#include "base/foreign-format.h"
#include "import/exported/exported.h"

static const guint8 bytecode_magic[] = { 'M', 'L', 0xef, 'R' };

static gboolean
is_bytecode (const guint8 *data,
             gsize         size)
{
  return size >= sizeof bytecode_magic && memcmp (data, bytecode_magic, sizeof bytecode_magic) == 0;
}

/* Whether data of no other format may be text, which has no zero bytes. */
static gboolean
begins_as_text (const guint8 *data,
                gsize         size)
{
  return data == NULL || memchr (data, '\0', MIN (size, 64)) == NULL;
}

gboolean
ghlo_import_is_text (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  return !is_bytecode (data, size) && !ghlo_exported_is (data, size);
}

static GhloIrModule *
import_exported (GBytes            *bytes,
                 GhloImportFlags    flags,
                 GhloDiagnostics   *diagnostics,
                 const GhloMonitor *monitor,
                 GhloImportSource  *source)
{
  g_autoptr (GBytes) artifact = NULL;
  g_autoptr (GhloExported) exported = ghlo_exported_read (bytes, &artifact, diagnostics);
  GhloIrModule *module;

  if (exported == NULL)
    return NULL;
  module = ghlo_import_bytecode (artifact, flags, diagnostics, monitor, source);
  if (module != NULL)
    {
      ghlo_exported_bind_platform (exported, module);
      ghlo_exported_name_values (exported, module);
    }
  if (source != NULL)
    {
      source->format = GHLO_PROGRAM_FORMAT_JAX_EXPORT;
      source->exported = g_steal_pointer (&exported);
    }

  return module;
}

GhloIrModule *
ghlo_import (GBytes            *bytes,
             GhloImportFlags    flags,
             GhloDiagnostics   *diagnostics,
             const GhloMonitor *monitor,
             GhloImportSource  *source)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  const char *foreign;

  if (source != NULL)
    *source = (GhloImportSource) { .format = GHLO_PROGRAM_FORMAT_TEXT };
  if (is_bytecode (data, size))
    return ghlo_import_bytecode (bytes, flags, diagnostics, monitor, source);
  if (ghlo_exported_is (data, size))
    return import_exported (bytes, flags, diagnostics, monitor, source);
  foreign = data != NULL ? ghlo_foreign_format_describe (data, size) : NULL;
  if (foreign != NULL)
    {
      ghlo_diagnostics_add (diagnostics, GHLO_SEVERITY_ERROR, GHLO_ERROR_PARSE, 0, 0,
                            "expected a StableHLO program as text, as MLIR bytecode or as a file of jax.export, "
                            "found %s", foreign);
      return NULL;
    }
  if (begins_as_text (data, size))
    {
      const char *text = data != NULL ? (const char *) data : "";
      gsize bom = ghlo_text_bom (text, size);

      return ghlo_import_text (text + bom, size - bom, flags, diagnostics, monitor);
    }

  ghlo_diagnostics_add (diagnostics, GHLO_SEVERITY_ERROR, GHLO_ERROR_PARSE, 0, 0,
                        "at byte %" G_GSIZE_FORMAT ": expected a program as text, as MLIR bytecode or as a file of "
                        "jax.export, found other data", (gsize) ((const guint8 *) memchr (data, '\0', size) - data));

  return NULL;
}

void
ghlo_import_source_clear (GhloImportSource *source)
{
  g_clear_pointer (&source->producer, g_free);
  g_clear_pointer (&source->exported, ghlo_exported_free);
}
