/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo calibrate`: measures the rates of devices, which the automatic choice of a
 * device relies on.
 */

#include "tools/json.h"
#include "tools/tool.h"

#include <json-glib/json-glib.h>

#include "compiler/calibrate.h"
#include "runtime/cache-item.h"
#include "runtime/cache.h"
#include "runtime/rates-cache.h"

static void
print_rates (const GhloDeviceCore  *device,
             const GhloDeviceRates *rates)
{
  printf ("%-12s %s\n", device->names[0], device->title);
  for (guint i = 0; i < GHLO_RATES_N_FIELDS; i++)
    if (ghlo_rates_get (rates, i) > 0)
      printf ("  %-16s %8.3g %s\n", ghlo_rates_fields[i].name, ghlo_rates_get (rates, i), ghlo_rates_fields[i].unit);
}

static void
add_rates (JsonBuilder           *builder,
           const GhloDeviceCore  *device,
           const GhloDeviceRates *rates)
{
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "device");
  json_builder_add_string_value (builder, device->names[0]);
  ghlo_tool_json_add_rates (builder, "rates", rates);
  json_builder_end_object (builder);
}

/* Stores the rates. FALSE when they cannot be read back as a program would. */
static gboolean
keep (GhloDeviceCore         *device,
      const GhloDeviceRates  *rates,
      GError                **error)
{
  GhloDeviceRates kept;

  ghlo_rates_keep (device->identity, device->title, rates);
  if (ghlo_rates_recall (device->identity, &kept))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "the measured rates could not be stored in %s",
               ghlo_cache_get_path ());

  return FALSE;
}

static gboolean
calibrate (GhloDeviceCore   *device,
           GhloDeviceRates  *rates,
           GError          **error)
{
  g_autofree char *label = g_strdup_printf ("measuring %s", device->names[0]);
  GhloToolProgress progress;
  gboolean ok;

  ghlo_tool_progress_init (&progress, label);
  ok = ghlo_calibrate (device, rates, &progress.monitor, error);
  ghlo_tool_progress_end (&progress);
  ok = ok && keep (device, rates, error);
  if (!ok)
    g_prefix_error (error, "%s: ", device->names[0]);

  return ok;
}

/* The device of that name; without a name, the CPU and all real GPUs. Prints an error and returns NULL when
 * there is no such device. */
static GPtrArray *
find_devices (const char *name)
{
  g_autoptr (GPtrArray) all = name == NULL ? ghlo_devices_list () : g_ptr_array_new ();
  g_autoptr (GPtrArray) devices = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  GhloDeviceCore *device = name != NULL ? ghlo_devices_choose (name, &error) : NULL;

  if (name != NULL && device == NULL)
    {
      ghlo_tool_error ("%s", error->message);
      return NULL;
    }
  if (device != NULL && device->identity == NULL)
    {
      ghlo_tool_error ("expected a device that has rates, found '%s', which is only used when it is requested by name",
                       device->names[0]);
      return NULL;
    }
  if (device != NULL)
    g_ptr_array_add (devices, device);
  for (guint i = 0; i < all->len; i++)
    {
      GhloDeviceCore *one = all->pdata[i];

      if (one->identity != NULL && (one->is_gpu || ghlo_device_core_is_host (one)))
        g_ptr_array_add (devices, one);
    }

  return g_steal_pointer (&devices);
}

/* FALSE when a device fails, after printing an error. The other devices are measured nevertheless. */
static gboolean
calibrate_all (GPtrArray   *devices,
               JsonBuilder *builder)      /* nullable: print text instead */
{
  gboolean ok = TRUE;

  for (guint i = 0; i < devices->len; i++)
    {
      GhloDeviceCore *device = devices->pdata[i];
      g_autoptr (GError) error = NULL;
      GhloDeviceRates rates;

      if (!calibrate (device, &rates, &error))
        {
          ghlo_tool_error ("%s", error->message);
          ok = FALSE;
        }
      else if (builder != NULL)
        add_rates (builder, device, &rates);
      else
        print_rates (device, &rates);
    }

  return ok;
}

int
ghlo_tool_calibrate (int    argc,
                     char **argv)
{
  gboolean json = FALSE, ok;
  g_autofree char *name = NULL, *text = NULL;
  g_autoptr (GPtrArray) devices = NULL;
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  int status;
  const GOptionEntry entries[] = {
    { "device", 'd', 0, G_OPTION_ARG_STRING, &name, "The device to measure (the CPU and all real GPUs)", "NAME" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON", NULL },
    G_OPTION_ENTRY_NULL
  };

  if (!ghlo_tool_parse_options ("calibrate", entries, &argc, &argv, &status))
    return status;
  if (!ghlo_cache_keeps_items ())
    {
      ghlo_tool_error ("GHLO_CACHE turns off the cache on disk, where rates are stored: run the command without it");
      return GHLO_TOOL_FAILED;
    }
  devices = find_devices (name);
  if (devices == NULL)
    return GHLO_TOOL_USAGE;
  json_builder_begin_array (builder);
  ok = calibrate_all (devices, json ? builder : NULL);
  json_builder_end_array (builder);
  root = json_builder_get_root (builder);
  text = json_to_string (root, TRUE);
  if (json)
    puts (text);

  return ok ? GHLO_TOOL_OK : GHLO_TOOL_FAILED;
}
