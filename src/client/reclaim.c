/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Releases references on a worker where dropping the last one may free a lot of memory.
 */

#include "client/reclaim.h"

#include "client/workers.h"

/* Freeing less than this takes well under a millisecond. */
#define LARGE_MODULE ((gsize) 1 << 20)

static gboolean
is_large (const GhloIrModule *module)
{
  return ghlo_ir_module_get_size (module) > LARGE_MODULE;
}

void
ghlo_reclaim_module (GhloIrModule *module)
{
  if (is_large (module))
    ghlo_workers_free (module, (GDestroyNotify) ghlo_ir_module_unref);
  else
    ghlo_ir_module_unref (module);
}

void
ghlo_reclaim_executable (GhloExecutableCore *executable)
{
  if (is_large (executable->module))
    ghlo_workers_free (executable, (GDestroyNotify) ghlo_executable_core_unref);
  else
    ghlo_executable_core_unref (executable);
}
