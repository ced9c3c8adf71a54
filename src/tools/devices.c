/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo devices`: lists the devices that programs can run on.
 */

#include "tools/json.h"
#include "tools/tool.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <unistd.h>

static guint64
total_memory (GhloDeviceCore *device)
{
  GhloMemoryUse use;

  ghlo_device_core_measure_memory (device, &use);

  return use.total;
}

static void
add_string (JsonBuilder *builder,
            const char  *name,
            const char  *value)     /* nullable */
{
  json_builder_set_member_name (builder, name);
  if (value != NULL)
    json_builder_add_string_value (builder, value);
  else
    json_builder_add_null_value (builder);
}

static void
add_strings (JsonBuilder       *builder,
             const char        *name,
             const char *const *values)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; values[i] != NULL; i++)
    json_builder_add_string_value (builder, values[i]);
  json_builder_end_array (builder);
}

/* The machine's physical memory in bytes. */
static gint64
machine_memory (void)
{
  return (gint64) sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGESIZE);
}

static void
add_fact (JsonBuilder              *builder,
          const GhloDeviceProperty *fact)
{
  if (fact->words != NULL)
    add_strings (builder, fact->name, (const char *const *) fact->words);
  else
    ghlo_tool_json_add_int (builder, fact->name, (gint64) fact->number);
}

static void
add_device (JsonBuilder    *builder,
            GhloDeviceCore *device)
{
  g_autoptr (GArray) facts = ghlo_device_core_list_properties (device);
  const GhloDeviceRates *rates = device->rates;

  json_builder_begin_object (builder);
  add_string (builder, "name", device->names[0]);
  add_strings (builder, "names", device->names);
  add_string (builder, "kind", device->klass->name);
  add_string (builder, "title", device->title);
  add_string (builder, "driver", device->driver);
  add_string (builder, "model", device->model);
  add_string (builder, "vector_level", device->vector_level);
  add_strings (builder, "features", device->features);
  ghlo_tool_json_add_int (builder, "memory", (gint64) total_memory (device));
  if (ghlo_device_core_is_host (device))
    ghlo_tool_json_add_int (builder, "machine_memory", machine_memory ());
  if (rates != NULL)
    ghlo_tool_json_add_rates (builder, "rates", rates);
  for (guint i = 0; i < facts->len; i++)
    add_fact (builder, &g_array_index (facts, GhloDeviceProperty, i));
  json_builder_end_object (builder);
}

static void
print_words (const char        *label,
             const char *const *words)
{
  g_autofree char *text = g_strjoinv (", ", (char **) words);

  printf ("  %-10s %s\n", label, *text != '\0' ? text : "none");
}

static void
print_fact (const GhloDeviceProperty *fact)
{
  g_autofree char *size = g_format_size_full (fact->number, G_FORMAT_SIZE_IEC_UNITS);

  if (fact->words != NULL)
    print_words (fact->label, (const char *const *) fact->words);
  else if (fact->is_bytes)
    printf ("  %-10s %s\n", fact->label, size);
  else
    printf ("  %-10s %" G_GUINT64_FORMAT "\n", fact->label, fact->number);
}

static void
print_device (GhloDeviceCore *device)
{
  g_autoptr (GArray) facts = ghlo_device_core_list_properties (device);
  g_autofree char *limit = g_format_size_full (total_memory (device), G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *machine = g_format_size_full (machine_memory (), G_FORMAT_SIZE_IEC_UNITS);

  printf ("%-12s %s, %s\n", device->names[0], device->title, device->driver);
  print_words ("names", device->names);
  printf ("  %-10s %s\n", "kind", device->klass->name);
  if (device->model != NULL)
    printf ("  %-10s %s\n", "model", device->model);
  if (device->vector_level != NULL)
    printf ("  %-10s %s\n", "vectors", device->vector_level);
  if (ghlo_device_core_is_host (device))
    printf ("  %-10s %s, of which programs may use %s\n", "memory", machine, limit);
  else
    printf ("  %-10s %s\n", "memory", limit);
  print_words ("features", device->features);
  for (guint i = 0; i < facts->len; i++)
    print_fact (&g_array_index (facts, GhloDeviceProperty, i));
}

int
ghlo_tool_devices (int    argc,
                   char **argv)
{
  gboolean json = FALSE;
  g_autoptr (GPtrArray) devices = NULL;
  g_autoptr (JsonBuilder) builder = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *text = NULL, *reason = NULL;
  int status;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON", NULL },
    G_OPTION_ENTRY_NULL
  };

  if (!ghlo_tool_parse_options ("devices", entries, &argc, &argv, &status))
    return status;

  devices = ghlo_devices_list ();
  builder = json_builder_new ();
  json_builder_begin_array (builder);
  for (guint i = 0; i < devices->len; i++)
    {
      GhloDeviceCore *device = devices->pdata[i];

      if (json)
        add_device (builder, device);
      else
        print_device (device);
    }
  reason = ghlo_devices_explain (NULL);
  /* Behind the devices, where both go to one terminal. */
  fflush (stdout);
  if (reason != NULL)
    fprintf (stderr, "%s\n", reason);
  if (!json)
    return GHLO_TOOL_OK;
  json_builder_end_array (builder);
  root = json_builder_get_root (builder);
  text = json_to_string (root, TRUE);
  puts (text);

  return GHLO_TOOL_OK;
}
