/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From bytes to a module that was verified: what load, parse and check have in
 * common. Runs on workers.
 */

#include "ghlo-program-private.h"

#include <string.h>

#include "ghlo-workers-private.h"
#include "import/import.h"
#include "ir/verify.h"

/* Freeing less than this takes well under a millisecond. */
#define LARGE_MODULE ((gsize) 1 << 20)

/* The first bytes of a portable artifact: "ML", "ï", "R". */
static const guint8 bytecode_magic[] = { 'M', 'L', 0xef, 'R' };

static gboolean
is_bytecode (const guint8 *data,
             gsize         size)
{
  return size >= sizeof bytecode_magic && memcmp (data, bytecode_magic, sizeof bytecode_magic) == 0;
}

GhloIrModule *
ghlo_program_read_module (GBytes             *bytes,
                          GhloDiagnostics    *diagnostics,
                          const GhloMonitor  *monitor,
                          GError            **error)
{
  g_autoptr (GhloIrModule) module = NULL;
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);

  if (is_bytecode ((const guint8 *) text, size))
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "%s: expected a program as text, found MLIR bytecode, which this version does not read",
                   diagnostics->file_name);
      return NULL;
    }

  module = ghlo_import_text (text != NULL ? text : "", size, GHLO_IMPORT_DEFAULT, diagnostics, monitor);
  if (ghlo_monitor_cancelled (monitor, error))
    return NULL;
  if (module == NULL || diagnostics->n_errors > 0)
    return NULL;
  if (!ghlo_ir_verify (module, diagnostics, monitor))
    {
      ghlo_monitor_cancelled (monitor, error);
      return NULL;
    }

  return g_steal_pointer (&module);
}

gboolean
ghlo_program_is_large (const GhloIrModule *module)
{
  return ghlo_ir_module_get_size (module) > LARGE_MODULE;
}

void
ghlo_program_drop_module (GhloIrModule *module)
{
  if (ghlo_program_is_large (module))
    ghlo_workers_free (module, (GDestroyNotify) ghlo_ir_module_unref);
  else
    ghlo_ir_module_unref (module);
}
