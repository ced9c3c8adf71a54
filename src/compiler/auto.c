/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The choice depends on the program, on the known rates of the devices (runtime/rates.h), and on which devices
 * were found.
 */

#include "compiler/auto.h"

#include "compiler/estimate.h"
#include "runtime/rates-cache.h"

/* Searching for GPUs takes up to a third of a second, once per process (330 ms when measured cold). A program that
 * takes the CPU less than this many seconds would have to run a thousand times to make up for it. */
#define WORTH_LOOKING 300e-6

static gboolean
rates_equal (const GhloDeviceRates *a,
             const GhloDeviceRates *b)
{
  for (guint i = 0; i < GHLO_N_PRODUCT_RATES; i++)
    if (a->products[i] != b->products[i])
      return FALSE;

  return a->bytes == b->bytes && a->scalars == b->scalars && a->uploads == b->uploads && a->downloads == b->downloads
         && a->run == b->run && a->step == b->step;
}

/* Whether the rates that the device states are those that `ghlo calibrate` measured. */
static gboolean
is_calibrated (GhloDeviceCore *device)
{
  GhloDeviceRates measured;

  return device->identity != NULL && ghlo_rates_recall (device->identity, &measured)
         && rates_equal (&measured, device->rates);
}

/* Appends "0.21 ms (calibrated)", or "140 µs (guessed)". */
static void
append_time (GString        *text,
             GhloDeviceCore *device,
             double          seconds)
{
  if (seconds < 1e-3)
    g_string_append_printf (text, "%.3g µs", seconds * 1e6);
  else if (seconds < 1)
    g_string_append_printf (text, "%.3g ms", seconds * 1e3);
  else
    g_string_append_printf (text, "%.3g s", seconds);
  g_string_append (text, is_calibrated (device) ? " (calibrated)" : " (guessed)");
}

/* The GPU among @devices on which the program is estimated to finish first; NULL where there is none. */
static GhloDeviceCore *
find_gpu (GPtrArray      *devices,
          GhloDeviceCore *host,
          const GhloIrOp *function,
          double         *least)
{
  GhloDeviceCore *best = NULL;

  for (guint i = 0; i < devices->len; i++)
    {
      GhloDeviceCore *device = devices->pdata[i];
      double seconds;

      if (!device->is_gpu || ghlo_device_core_is_lost (device))
        continue;
      seconds = ghlo_estimate_run (device, host, function);
      if (seconds >= 0 && (best == NULL || seconds < *least))
        {
          best = device;
          *least = seconds;
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
  double own = ghlo_estimate_run (host, host, function), other = -1;

  devices = ghlo_devices_list_gpus (own >= WORTH_LOOKING);
  gpu = own >= 0 ? find_gpu (devices, host, function, &other) : NULL;
  chosen = gpu != NULL && other < own ? gpu : host;
  text = g_string_new (chosen->names[0]);
  if (own < 0)
    {
      g_string_append (text, ", since the time of a run cannot be estimated: a shape is dynamic, or calls are "
                             "nested too deeply");
      *reason = g_string_free (g_steal_pointer (&text), FALSE);
      return chosen;
    }
  g_string_append (text, " is estimated to take ");
  append_time (text, chosen, chosen == host ? own : other);
  if (gpu == NULL && own < WORTH_LOOKING)
    g_string_append (text, ", too short to search for a GPU");
  else if (gpu == NULL)
    g_string_append (text, ", and there is no GPU for it");
  else
    {
      GhloDeviceCore *second = chosen == host ? gpu : host;

      g_string_append_printf (text, ", %s ", second->names[0]);
      append_time (text, second, chosen == host ? other : own);
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
