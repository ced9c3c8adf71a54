/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which form a program is in, told by its first bytes.
 */

#include "import/import.h"

#include <string.h>

#include "import/exported.h"

static const guint8 bytecode_magic[] = { 'M', 'L', 0xef, 'R' };

static gboolean
is_bytecode (const guint8 *data,
             gsize         size)
{
  return size >= sizeof bytecode_magic && memcmp (data, bytecode_magic, sizeof bytecode_magic) == 0;
}

gboolean
ghlo_import_is_text (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  return !is_bytecode (data, size) && !ghlo_exported_is (data, size);
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
  g_autoptr (GBytes) artifact = NULL;
  g_autoptr (GhloExported) exported = NULL;
  GhloIrModule *module;

  if (source != NULL)
    *source = (GhloImportSource) { .format = GHLO_PROGRAM_FORMAT_TEXT };
  if (is_bytecode (data, size))
    return ghlo_import_bytecode (bytes, flags, diagnostics, monitor, source);
  if (!ghlo_exported_is (data, size))
    return ghlo_import_text (data != NULL ? (const char *) data : "", size, flags, diagnostics, monitor);

  exported = ghlo_exported_read (bytes, &artifact, diagnostics);
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

void
ghlo_import_source_clear (GhloImportSource *source)
{
  g_clear_pointer (&source->producer, g_free);
  g_clear_pointer (&source->exported, ghlo_exported_free);
}
