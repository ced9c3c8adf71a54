/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The choice depends on the program, on the known rates of the devices (runtime/rates.h), and on which devices
 * were found.
 */

#include "compiler/auto.h"

#include "compiler/estimate.h"
#include "runtime/cache-item.h"

/* Searching for GPUs takes up to a third of a second, once per process (330 ms when measured cold). A program that
 * takes the CPU less than this many seconds would have to run a thousand times to make up for it. */
#define WORTH_LOOKING 300e-6

/* Appends "0.21 ms (calibrated)", or "140 µs (guessed, refined by 12 runs)". */
static void
append_time (GString            *text,
             const GhloEstimate *estimate)
{
  const double seconds = estimate->seconds;

  if (seconds < 1e-3)
    g_string_append_printf (text, "%.3g µs", seconds * 1e6);
  else if (seconds < 1)
    g_string_append_printf (text, "%.3g ms", seconds * 1e3);
  else
    g_string_append_printf (text, "%.3g s", seconds);
  g_string_append (text, estimate->rates.is_calibrated ? " (calibrated" : " (guessed");
  if (estimate->rates.n_runs > 0)
    g_string_append_printf (text, ", refined by %" G_GUINT64_FORMAT " runs", estimate->rates.n_runs);
  g_string_append_c (text, ')');
}

/* The GPU among @devices on which the program is estimated to finish first; NULL where there is none. */
static GhloDeviceCore *
find_gpu (GPtrArray      *devices,
          GhloDeviceCore *host,
          const GhloIrOp *function,
          GhloEstimate   *least)
{
  GhloDeviceCore *best = NULL;

  for (guint i = 0; i < devices->len; i++)
    {
      GhloDeviceCore *device = devices->pdata[i];
      GhloEstimate estimate;

      if (!device->is_gpu || ghlo_device_core_is_lost (device))
        continue;
      ghlo_estimate_run (device, host, function, &estimate);
      if (estimate.seconds >= 0 && (best == NULL || estimate.seconds < least->seconds))
        {
          best = device;
          *least = estimate;
        }
    }

  return best;
}

static GhloDeviceCore *
choose (GhloDeviceCore  *host,
        const GhloIrOp  *function,
        char           **reason)
{
  g_autoptr (GPtrArray) devices = NULL;
  g_autoptr (GString) text = NULL;
  GhloDeviceCore *gpu, *chosen;
  GhloEstimate own, other;

  ghlo_estimate_run (host, host, function, &own);
  devices = ghlo_devices_list_gpus (own.seconds >= WORTH_LOOKING);
  gpu = own.seconds >= 0 ? find_gpu (devices, host, function, &other) : NULL;
  chosen = gpu != NULL && other.seconds < own.seconds ? gpu : host;
  text = g_string_new (chosen->names[0]);
  if (own.seconds < 0)
    {
      g_string_append (text, ", since the time of a run cannot be estimated: a shape is dynamic, or calls are "
                             "nested too deeply");
      *reason = g_string_free (g_steal_pointer (&text), FALSE);
      return chosen;
    }
  g_string_append (text, " is estimated to take ");
  append_time (text, chosen == host ? &own : &other);
  if (gpu == NULL && own.seconds < WORTH_LOOKING)
    g_string_append (text, ", too short to search for a GPU");
  else if (gpu == NULL)
    g_string_append (text, ", and there is no GPU for it");
  else
    {
      g_string_append_printf (text, ", %s ", chosen == host ? gpu->names[0] : host->names[0]);
      append_time (text, chosen == host ? &other : &own);
    }
  *reason = g_string_free (g_steal_pointer (&text), FALSE);

  return chosen;
}

char *
ghlo_auto_describe (const char *reason,
                    char       *plan)
{
  g_autofree char *text = plan;

  return reason == NULL || plan == NULL ? g_steal_pointer (&text) : g_strdup_printf ("auto: %s\n%s", reason, plan);
}

GhloDeviceCore *
ghlo_auto_choose (const char          *name,
                  const GhloIrModule  *module,
                  char               **reason,
                  GError             **error)
{
  GhloDeviceCore *device = ghlo_devices_choose (name, error);
  const GhloIrOp *function = ghlo_ir_module_get_entry (module);

  *reason = NULL;
  if (device == NULL || !ghlo_devices_is_auto (name) || function == NULL || ghlo_ir_func_get_body (function) == NULL)
    return device;
  /* Most machines have no GPU, and skip the estimate. */
  if (ghlo_devices_may_have_gpu ())
    return choose (device, function, reason);
  *reason = g_strdup_printf ("%s, since there is no GPU", device->names[0]);

  return device;
}

GhloRunWatch *
ghlo_auto_watch (GhloPrepared       *prepared,
                 const GhloIrModule *module)
{
  GhloDeviceCore *device = ghlo_prepared_get_device (prepared), *host = ghlo_devices_get_default ();
  const GhloIrOp *function = ghlo_ir_module_get_entry (module);
  GhloRunFigures figures;
  GhloEstimate estimate;

  if ((device != host && !device->is_gpu) || function == NULL || !ghlo_cache_keeps_items ()
      || !ghlo_devices_may_have_gpu ())
    return NULL;
  /* Functions of the application also count as steps of the fallback. */
  if (!ghlo_prepared_measure (prepared, &figures) || figures.n_fallback_steps > 0)
    return NULL;
  ghlo_estimate_run (device, host, function, &estimate);

  return estimate.seconds >= 0 && estimate.is_exact
         ? ghlo_run_watch_new (device, &estimate.amounts, estimate.others) : NULL;
}
