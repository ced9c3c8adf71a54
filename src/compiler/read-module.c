/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From bytes to a verified module: the common part of load, parse and check. Runs on workers.
 */

#include "compiler/read-module.h"

#include "base/ghlo-error.h"
#include "ir/verify/verify.h"

GhloIrModule *
ghlo_read_module (GBytes            *bytes,
                  GhloDiagnostics   *diagnostics,
                  const GhloMonitor *monitor,
                  GhloImportSource  *source,
                  GError           **error)
{
  g_autoptr (GhloIrModule) module = ghlo_import (bytes, GHLO_IMPORT_DEFAULT, diagnostics, monitor, source);

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

GhloIrModule *
ghlo_read_program (GBytes            *bytes,
                   const char        *name,
                   const GhloMonitor *monitor,
                   GhloImportSource  *source,
                   GError           **error)
{
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new (name, text != NULL ? text : "", size);
  g_autoptr (GError) local_error = NULL;
  GhloIrModule *module = ghlo_read_module (bytes, diagnostics, monitor, source, &local_error);

  if (module != NULL)
    return module;
  if (local_error != NULL)
    g_propagate_error (error, g_steal_pointer (&local_error));
  else if (ghlo_diagnostics_to_error (diagnostics, error))
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s: the program could not be read, for an unknown reason",
                 diagnostics->file_name);

  return NULL;
}
