/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads MLIR bytecode into a module.
 */

#include "import/bytecode/reader.h"
#include "import/returns.h"

/* The information that the file gives about itself. */
static void
describe (const GhloBytecodeReader *reader,
          GhloImportSource         *source)
{
  static const GhloIrVersion none = { 0, 0, 0 };

  *source = (GhloImportSource) {
    .format = reader->has_vhlo || ghlo_ir_version_compare (reader->artifact_version, none) > 0
              ? GHLO_PROGRAM_FORMAT_PORTABLE_ARTIFACT : GHLO_PROGRAM_FORMAT_BYTECODE,
    .producer = reader->producer != NULL ? g_utf8_make_valid (reader->producer, -1) : NULL,
    .bytecode_version = reader->version,
    .version = reader->artifact_version,
  };
}

GhloIrModule *
ghlo_import_bytecode (GBytes            *bytes,
                      GhloImportFlags    flags,
                      GhloDiagnostics   *diagnostics,
                      const GhloMonitor *monitor,
                      GhloImportSource  *source)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new (diagnostics->file_name);
  GhloBytecodeReader reader = {
    .bytes = bytes,
    .module = module,
    .diagnostics = diagnostics,
    .monitor = monitor,
    .flags = flags,
  };
  const guint8 *data;
  gsize size;

  module->is_binary = TRUE;
  data = g_bytes_get_data (bytes, &size);
  reader.file.data = data != NULL ? data : (const guint8 *) "";
  reader.file.end = reader.file.data + size;
  if (ghlo_bytecode_open (&reader))
    module->op = ghlo_bytecode_read_ir (&reader);
  if (source != NULL)
    describe (&reader, source);
  ghlo_bytecode_close (&reader);

  if (module->op == NULL)
    return NULL;
  ghlo_import_drop_returns (module);

  return g_steal_pointer (&module);
}
