/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From bytes to a module that was verified: what load, parse and check have in
 * common. Runs on workers.
 */

#include "compiler/read-module.h"

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
