/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which form a program is in, told by its first bytes.
 */

#include "import/import.h"

#include <string.h>

#include "import/exported.h"

GhloIrModule *
ghlo_import (GBytes            *bytes,
             GhloImportFlags    flags,
             GhloDiagnostics   *diagnostics,
             const GhloMonitor *monitor,
             GhloImportSource  *source)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autoptr (GBytes) artifact = NULL;
  g_autoptr (GhloExported) exported = NULL;
  GhloIrModule *module;

  if (source != NULL)
    *source = (GhloImportSource) { .format = GHLO_PROGRAM_FORMAT_TEXT };
  if (size >= 4 && memcmp (data, "ML\xefR", 4) == 0)
    return ghlo_import_bytecode (bytes, flags, diagnostics, monitor, source);
  if (!ghlo_exported_is (data, size))
    return ghlo_import_text (data != NULL ? (const char *) data : "", size, flags, diagnostics, monitor);

  exported = ghlo_exported_read (bytes, &artifact, diagnostics);
  if (exported == NULL)
    return NULL;
  module = ghlo_import_bytecode (artifact, flags, diagnostics, monitor, source);
  if (source != NULL)
    {
      source->format = GHLO_PROGRAM_FORMAT_JAX_EXPORT;
      source->exported = g_steal_pointer (&exported);
    }

  return module;
}

void
ghlo_import_source_clear (GhloImportSource *source)
{
  g_clear_pointer (&source->producer, g_free);
  g_clear_pointer (&source->exported, ghlo_exported_free);
}
