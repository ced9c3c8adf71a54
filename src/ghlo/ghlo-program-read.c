/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From bytes to a module that was verified: what load, parse and check have in
 * common. Runs on workers.
 */

#include "ghlo-program-private.h"

#include "ghlo-workers-private.h"
#include "ir/verify/verify.h"

/* Freeing less than this takes well under a millisecond. */
#define LARGE_MODULE ((gsize) 1 << 20)

GhloIrModule *
ghlo_program_read_module (GBytes             *bytes,
                          GhloDiagnostics    *diagnostics,
                          const GhloMonitor  *monitor,
                          GhloImportSource   *source,
                          GError            **error)
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
