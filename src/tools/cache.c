/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo cache`: shows and clears what compilations have stored on disk.
 */

#include "tools/json.h"
#include "tools/tool.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "compiler/cache-entry.h"
#include "runtime/cache-item.h"
#include "runtime/cache.h"

/* For each kind of item that executors store, its description and the JSON member for its title. */
static const struct
{
  const char *words;
  const char *member;
} items[GHLO_CACHE_N_ITEMS] = {
  [GHLO_CACHE_CODE] = { "machine code of the kernel", "kernel" },
  [GHLO_CACHE_PIPELINE] = { "compiled pipeline for", "pipeline" },
  [GHLO_CACHE_MEASUREMENT] = { "measured arithmetic of", "measurement" },
  [GHLO_CACHE_RATES] = { "measured rates of", "rates" },
};

/* Prints the contents of one file. Of a damaged file nothing more is known. */
static void
print_file (const GhloCacheFile *file)
{
  g_auto (GhloCacheEntrySummary) summary = { 0 };
  g_autoptr (GDateTime) used = g_date_time_new_from_unix_local (file->used / G_USEC_PER_SEC);
  g_autofree char *when = used != NULL ? g_date_time_format (used, "%F %T") : g_strdup ("");
  g_autoptr (GBytes) bytes = ghlo_cache_peek (file->name);
  GhloCacheItem item;
  g_autofree char *title = bytes != NULL ? ghlo_cache_item_summarize (bytes, &item) : NULL;

  printf ("%s %10" G_GUINT64_FORMAT " %s", file->name, file->size, when);
  if (title != NULL)
    printf ("  %s %s\n", items[item].words, title);
  else if (bytes != NULL && ghlo_cache_entry_summarize (bytes, &summary))
    printf ("  %s, for %s: %" G_GUINT64_FORMAT " operations of %" G_GUINT64_FORMAT ", in %.1f ms\n", summary.program,
            summary.device, summary.n_ops_after, summary.n_ops_before, summary.microseconds / 1e3);
  else
    puts ("  damaged");
}

static void
add_file (JsonBuilder         *builder,
          const GhloCacheFile *file)
{
  g_auto (GhloCacheEntrySummary) summary = { 0 };
  g_autoptr (GBytes) bytes = ghlo_cache_peek (file->name);
  GhloCacheItem item;
  g_autofree char *title = bytes != NULL ? ghlo_cache_item_summarize (bytes, &item) : NULL;
  gboolean whole = title == NULL && bytes != NULL && ghlo_cache_entry_summarize (bytes, &summary);

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "name");
  json_builder_add_string_value (builder, file->name);
  ghlo_tool_json_add_int (builder, "size", file->size);
  ghlo_tool_json_add_int (builder, "used", file->used / G_USEC_PER_SEC);
  if (title != NULL)
    {
      json_builder_set_member_name (builder, items[item].member);
      json_builder_add_string_value (builder, title);
    }
  if (whole)
    {
      json_builder_set_member_name (builder, "program");
      json_builder_add_string_value (builder, summary.program);
      json_builder_set_member_name (builder, "device");
      json_builder_add_string_value (builder, summary.device);
      ghlo_tool_json_add_int (builder, "operations_before", summary.n_ops_before);
      ghlo_tool_json_add_int (builder, "operations_after", summary.n_ops_after);
      ghlo_tool_json_add_int (builder, "microseconds", summary.microseconds);
    }
  json_builder_end_object (builder);
}

static void
print_json (GPtrArray *files)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *text = NULL;

  json_builder_begin_array (builder);
  for (guint i = 0; i < files->len; i++)
    add_file (builder, files->pdata[i]);
  json_builder_end_array (builder);
  root = json_builder_get_root (builder);
  text = json_to_string (root, TRUE);
  puts (text);
}

static int
failed (const GError *error)
{
  ghlo_tool_error ("%s", error->message);

  return GHLO_TOOL_FAILED;
}

static int
list_files (gboolean json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) files = ghlo_cache_list (&error);

  if (files == NULL)
    return failed (error);
  if (json)
    print_json (files);
  else
    for (guint i = 0; i < files->len; i++)
      print_file (files->pdata[i]);

  return GHLO_TOOL_OK;
}

static int
print_size (gboolean json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) files = ghlo_cache_list (&error);
  guint64 size = 0;

  if (files == NULL)
    return failed (error);
  for (guint i = 0; i < files->len; i++)
    size += ((const GhloCacheFile *) files->pdata[i])->size;
  if (json)
    printf ("{ \"files\": %u, \"bytes\": %" G_GUINT64_FORMAT ", \"limit\": %" G_GUINT64_FORMAT " }\n", files->len, size,
            GHLO_CACHE_MAX_SIZE);
  else
    printf ("%u files, %" G_GUINT64_FORMAT " bytes of at most %" G_GUINT64_FORMAT "\n", files->len, size,
            GHLO_CACHE_MAX_SIZE);

  return GHLO_TOOL_OK;
}

static int
print_path (gboolean json)
{
  puts (ghlo_cache_get_path ());

  return GHLO_TOOL_OK;
}

static int
clear (gboolean json)
{
  g_autoptr (GError) error = NULL;

  return ghlo_cache_clear (&error) ? GHLO_TOOL_OK : failed (error);
}

static const struct
{
  const char *name;
  int       (*run) (gboolean json);
} verbs[] = {
  { "list", list_files },
  { "clear", clear },
  { "path", print_path },
  { "size", print_size },
};

int
ghlo_tool_cache (int    argc,
                 char **argv)
{
  gboolean json = FALSE;
  const char *verb;
  int status;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON", NULL },
    G_OPTION_ENTRY_NULL
  };

  if (!ghlo_tool_parse_options ("cache", entries, &argc, &argv, &status))
    return status;
  verb = argc > 1 ? argv[1] : "list";
  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (strcmp (verb, verbs[i].name) == 0)
      return verbs[i].run (json);
  ghlo_tool_error ("expected list, clear, path or size, found '%s'", verb);

  return GHLO_TOOL_USAGE;
}
