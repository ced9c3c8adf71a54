/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo devices`: what programs can run on.
 */

#include "tools/tool.h"

#include <json-glib/json-glib.h>
#include <stdio.h>

static const struct
{
  const char *name, *kind, *summary;
} devices[] = {
  { "reference", "reference", "every operation, one scalar at a time; slow and exact" },
};

int
ghlo_tool_devices (int    argc,
                   char **argv)
{
  gboolean json = FALSE;
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
  if (!json)
    {
      for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
        printf ("%-10s %s\n", devices[i].name, devices[i].summary);
      return GHLO_TOOL_OK;
    }

  builder = json_builder_new ();
  json_builder_begin_array (builder);
  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "name");
      json_builder_add_string_value (builder, devices[i].name);
      json_builder_set_member_name (builder, "kind");
      json_builder_add_string_value (builder, devices[i].kind);
      json_builder_set_member_name (builder, "summary");
      json_builder_add_string_value (builder, devices[i].summary);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  root = json_builder_get_root (builder);
  text = json_to_string (root, TRUE);
  puts (text);

  return GHLO_TOOL_OK;
}
