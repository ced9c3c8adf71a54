/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo devices`: what programs can run on.
 */

#include "tools/json.h"
#include "tools/tool.h"

#include <json-glib/json-glib.h>
#include <stdio.h>

static void
add_string (JsonBuilder *builder,
            const char  *name,
            const char  *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
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

static void
add_device (JsonBuilder    *builder,
            GhloDeviceCore *device)
{
  json_builder_begin_object (builder);
  add_string (builder, "name", device->names[0]);
  add_strings (builder, "names", device->names);
  add_string (builder, "kind", device->klass->name);
  add_string (builder, "title", device->title);
  add_string (builder, "driver", device->driver);
  add_strings (builder, "features", device->features);
  ghlo_tool_json_add_int (builder, "memory", (gint64) device->klass->get_memory (device));
  json_builder_end_object (builder);
}

int
ghlo_tool_devices (int    argc,
                   char **argv)
{
  gboolean json = FALSE;
  g_autoptr (GPtrArray) devices = NULL;
  g_autoptr (JsonBuilder) builder = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *text = NULL;
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
        printf ("%-12s %s, %s\n", device->names[0], device->title, device->driver);
    }
  if (!json)
    return GHLO_TOOL_OK;
  json_builder_end_array (builder);
  root = json_builder_get_root (builder);
  text = json_to_string (root, TRUE);
  puts (text);

  return GHLO_TOOL_OK;
}
