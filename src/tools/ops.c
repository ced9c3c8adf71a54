/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo ops`: the op table with what each executor can do of it, as a table, as
 * Markdown for the documentation, or as JSON.
 */

#include "tools/tool.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "reference/kernel.h"

/* The row for operations that are not known is none of those that are. */
static gboolean
is_known (GhloIrOpKind kind)
{
  return kind != GHLO_OP_INVALID && kind != GHLO_OP_UNREGISTERED;
}

/* What the reference executor makes of an operation. Functions, terminators and
 * symbols are not run by a kernel but are part of how programs run. */
static const char *
reference_state (GhloIrOpKind kind)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);

  if (ghlo_ref_kernel (kind) != NULL)
    return "yes";
  if (spec->traits & (GHLO_IR_TRAIT_TERMINATOR | GHLO_IR_TRAIT_SYMBOL))
    return "structure";

  return "no";
}

static void
print_markdown (void)
{
  puts ("| operation | what it does | verified | reference |\n|---|---|---|---|");
  for (guint kind = 0; kind < GHLO_N_OPS; kind++)
    {
      const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);

      if (!is_known (kind))
        continue;
      printf ("| `%s` | %s | yes | %s |\n", spec->name, spec->summary, reference_state (kind));
    }
}

static void
print_table (void)
{
  guint n = 0;

  for (guint kind = 0; kind < GHLO_N_OPS; kind++)
    {
      const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);

      if (!is_known (kind))
        continue;
      printf ("%-38s %-10s %s\n", spec->name, reference_state (kind), spec->summary);
      n += strcmp (reference_state (kind), "no") != 0 ? 1 : 0;
    }
  printf ("%u operations run on the reference device\n", n);
}

static void
print_json (void)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *text = NULL;

  json_builder_begin_array (builder);
  for (guint kind = 0; kind < GHLO_N_OPS; kind++)
    {
      const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);

      if (!is_known (kind))
        continue;
      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "name");
      json_builder_add_string_value (builder, spec->name);
      json_builder_set_member_name (builder, "summary");
      json_builder_add_string_value (builder, spec->summary);
      json_builder_set_member_name (builder, "reference");
      json_builder_add_string_value (builder, reference_state (kind));
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  root = json_builder_get_root (builder);
  json_generator_set_root (generator, root);
  json_generator_set_pretty (generator, TRUE);
  text = json_generator_to_data (generator, NULL);
  puts (text);
}

int
ghlo_tool_ops (int    argc,
               char **argv)
{
  gboolean json = FALSE, markdown = FALSE;
  int status;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON", NULL },
    { "markdown", 0, 0, G_OPTION_ARG_NONE, &markdown, "Print a Markdown table", NULL },
    G_OPTION_ENTRY_NULL
  };

  if (!ghlo_tool_parse_options ("ops", entries, &argc, &argv, &status))
    return status;
  if (json)
    print_json ();
  else if (markdown)
    print_markdown ();
  else
    print_table ();

  return GHLO_TOOL_OK;
}
