/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo info`: prints the inputs, outputs and contents of a program.
 */

#include "tools/json.h"
#include "tools/tool.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "compiler/signature.h"
#include "import/exported/exported.h"
#include "ir/cost.h"

/* Indexed by GhloProgramFormat. */
static const char *const format_names[] = {
  [GHLO_PROGRAM_FORMAT_TEXT] = "text",
  [GHLO_PROGRAM_FORMAT_PORTABLE_ARTIFACT] = "portable-artifact",
  [GHLO_PROGRAM_FORMAT_BYTECODE] = "bytecode",
  [GHLO_PROGRAM_FORMAT_JAX_EXPORT] = "jax-export",
};

typedef struct
{
  guint   counts[GHLO_N_OPS];
  guint   n_ops;
  guint   n_functions;
  gsize   constant_bytes;
} Census;

static void
count_region (const GhloIrRegion *region,
              Census             *census)
{
  for (const GhloIrBlock *block = region->first; block != NULL; block = block->next)
    for (const GhloIrOp *op = block->first; op != NULL; op = op->next)
      {
        const GhloIrAttr *value = op->kind == GHLO_OP_STABLEHLO_CONSTANT ? ghlo_ir_op_get (op, "value") : NULL;

        census->counts[op->kind]++;
        census->n_ops++;
        census->n_functions += op->kind == GHLO_OP_FUNC_FUNC ? 1 : 0;
        if (value != NULL && value->kind == GHLO_IR_ATTR_DENSE)
          census->constant_bytes += g_bytes_get_size (value->dense.bytes);
        for (guint i = 0; i < op->n_regions; i++)
          count_region (&op->regions[i], census);
      }
}

static void
add_types (JsonBuilder             *builder,
           const char              *name,
           const GhloIrType *const *types,
           guint                    n)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *type = ghlo_ir_type_to_string (types[i]);

      json_builder_add_string_value (builder, type);
    }
  json_builder_end_array (builder);
}

/* Text that another tool wrote may not be valid UTF-8, which JSON requires. */
static void
add_text (JsonBuilder *builder,
          const char  *text)
{
  g_autofree char *valid = text != NULL ? g_utf8_make_valid (text, -1) : NULL;

  if (valid != NULL)
    json_builder_add_string_value (builder, valid);
  else
    json_builder_add_null_value (builder);
}

static void
add_string (JsonBuilder *builder,
            const char  *member,
            const char  *text)
{
  json_builder_set_member_name (builder, member);
  add_text (builder, text);
}

/* Adds the names of inputs and outputs; null for those that the program does not name. */
static void
add_names (JsonBuilder      *builder,
           const GhloIrOp   *entry,
           const GhloIrType *type)
{
  json_builder_set_member_name (builder, "input_names");
  json_builder_begin_array (builder);
  for (guint i = 0; i < type->rank; i++)
    add_text (builder, ghlo_signature_input_name (entry, i));
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "output_names");
  json_builder_begin_array (builder);
  for (guint i = 0; i < type->n_results; i++)
    add_text (builder, ghlo_signature_output_name (entry, i));
  json_builder_end_array (builder);
}

/* For each argument, whether the program takes it. */
static gboolean *
find_kept (const GhloExported *exported,
           guint               n)
{
  gboolean *kept = g_new0 (gboolean, n + 1);

  for (guint i = 0; i < exported->n_kept_inputs; i++)
    if (exported->kept_inputs[i] < n)
      kept[exported->kept_inputs[i]] = TRUE;

  return kept;
}

/* Adds the leaves of the results, or those of the arguments and whether the program takes them. */
static void
add_leaves (JsonBuilder        *builder,
            const char         *member,
            const GhloExported *exported,
            gboolean            are_inputs)
{
  char **paths = are_inputs ? exported->input_paths : exported->output_paths;
  char **types = are_inputs ? exported->input_types : exported->output_types;
  guint n_types = types != NULL ? g_strv_length (types) : 0;
  guint n = paths != NULL ? g_strv_length (paths) : 0;
  g_autofree gboolean *kept = find_kept (exported, n);

  json_builder_set_member_name (builder, member);
  json_builder_begin_array (builder);
  for (guint i = 0; i < n; i++)
    {
      json_builder_begin_object (builder);
      add_string (builder, "path", paths[i]);
      add_string (builder, "type", i < n_types ? types[i] : NULL);
      if (are_inputs)
        {
          json_builder_set_member_name (builder, "kept");
          json_builder_add_boolean_value (builder, kept[i]);
        }
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_exported (JsonBuilder        *builder,
              const GhloExported *exported)
{
  json_builder_set_member_name (builder, "jax_export");
  json_builder_begin_object (builder);
  add_string (builder, "function", exported->function_name);
  json_builder_set_member_name (builder, "platforms");
  json_builder_begin_array (builder);
  for (guint i = 0; exported->platforms != NULL && exported->platforms[i] != NULL; i++)
    {
      g_autofree char *platform = g_utf8_make_valid (exported->platforms[i], -1);

      json_builder_add_string_value (builder, platform);
    }
  json_builder_end_array (builder);
  ghlo_tool_json_add_int (builder, "calling_convention", exported->calling_convention);
  ghlo_tool_json_add_int (builder, "devices", exported->n_devices);
  add_leaves (builder, "arguments", exported, TRUE);
  add_leaves (builder, "results", exported, FALSE);
  add_string (builder, "arguments_tree", exported->input_tree);
  add_string (builder, "results_tree", exported->output_tree);
  json_builder_end_object (builder);
}

static void
add_source (JsonBuilder            *builder,
            const GhloImportSource *source)
{
  g_autofree char *version = g_strdup_printf ("%u.%u.%u", source->version.major, source->version.minor,
                                              source->version.patch);

  add_string (builder, "form", format_names[source->format]);
  if (source->format == GHLO_PROGRAM_FORMAT_TEXT)
    return;
  if (source->format != GHLO_PROGRAM_FORMAT_BYTECODE)
    add_string (builder, "artifact_version", version);
  add_string (builder, "producer", source->producer);
  ghlo_tool_json_add_int (builder, "bytecode_version", source->bytecode_version);
  if (source->exported != NULL)
    add_exported (builder, source->exported);
}

/* Adds a lower bound of the work of a run. */
static void
add_cost (JsonBuilder    *builder,
          const GhloIrOp *entry)
{
  GhloIrCost cost;

  ghlo_ir_cost (entry, &cost);
  json_builder_set_member_name (builder, "cost");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "product_operations");
  json_builder_add_double_value (builder, cost.product_operations);
  json_builder_set_member_name (builder, "scalar_operations");
  json_builder_add_double_value (builder, cost.scalar_operations);
  json_builder_set_member_name (builder, "bytes");
  json_builder_add_double_value (builder, cost.bytes);
  json_builder_set_member_name (builder, "exact");
  json_builder_add_boolean_value (builder, cost.exact);
  json_builder_end_object (builder);
}

/* Describes the program as JSON. The text output is derived from it. */
static JsonNode *
describe (GhloIrModule           *module,
          const GhloImportSource *source)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  GhloIrOp *entry = ghlo_ir_module_get_entry (module);
  g_autofree Census *census = g_new0 (Census, 1);

  count_region (&module->op->regions[0], census);
  json_builder_begin_object (builder);
  add_source (builder, source);
  add_string (builder, "name", ghlo_ir_op_get_string (module->op, "sym_name"));
  json_builder_set_member_name (builder, "entry");
  if (entry != NULL)
    {
      const GhloIrType *type = ghlo_ir_op_get (entry, "function_type")->type;

      json_builder_add_string_value (builder, ghlo_ir_op_get_string (entry, "sym_name"));
      add_types (builder, "inputs", type->members, type->rank);
      add_types (builder, "outputs", type->members + type->rank, type->n_results);
      add_names (builder, entry, type);
    }
  else
    {
      json_builder_add_null_value (builder);
    }
  ghlo_tool_json_add_int (builder, "functions", census->n_functions);
  ghlo_tool_json_add_int (builder, "operations", census->n_ops);
  ghlo_tool_json_add_int (builder, "constant_bytes", census->constant_bytes);
  if (entry != NULL)
    add_cost (builder, entry);
  json_builder_set_member_name (builder, "operation_counts");
  json_builder_begin_object (builder);
  for (guint kind = 1; kind < GHLO_N_OPS; kind++)
    if (census->counts[kind] > 0)
      ghlo_tool_json_add_int (builder, ghlo_ir_op_spec (kind)->name, census->counts[kind]);
  json_builder_end_object (builder);
  json_builder_end_object (builder);

  return json_builder_get_root (builder);
}

static void
print_cost (JsonObject *cost)
{
  printf ("%-10s %.4g operations in products, %.4g others, %.4g bytes%s\n", "cost",
          json_object_get_double_member (cost, "product_operations"),
          json_object_get_double_member (cost, "scalar_operations"), json_object_get_double_member (cost, "bytes"),
          json_object_get_boolean_member (cost, "exact") ? "" : " (at least: not all shapes and loops are known)");
}

static void
print_list (const char *title,
            JsonArray  *types,
            JsonArray  *names)
{
  for (guint i = 0; i < json_array_get_length (types); i++)
    {
      const char *name = json_array_get_null_element (names, i) ? NULL : json_array_get_string_element (names, i);

      printf ("%-10s %u: %s%s%s\n", i == 0 ? title : "", i, name != NULL ? name : "", name != NULL ? ": " : "",
              json_array_get_string_element (types, i));
    }
}

static void
print_strings (const char *title,
               JsonArray  *list)
{
  printf ("%-10s ", title);
  for (guint i = 0; i < json_array_get_length (list); i++)
    printf ("%s%s", i > 0 ? ", " : "", json_array_get_string_element (list, i));
  putchar ('\n');
}

static const char *
get_string (JsonObject *object,
            const char *member)
{
  return json_object_get_string_member_with_default (object, member, "");
}

/* Prints lines such as "[0]['w']: f32[2,3]", with JAX's own names of arguments and types. */
static void
print_leaves (const char *title,
              JsonArray  *leaves)
{
  for (guint i = 0; i < json_array_get_length (leaves); i++)
    {
      JsonObject *leaf = json_array_get_object_element (leaves, i);
      const char *path = get_string (leaf, "path");

      printf ("%-10s %s%s%s%s\n", i == 0 ? title : "", path, *path != '\0' ? ": " : "", get_string (leaf, "type"),
              json_object_get_boolean_member_with_default (leaf, "kept", TRUE) ? "" : " (unused)");
    }
}

static void
print_source (JsonObject *info)
{
  JsonObject *exported;

  printf ("%-10s %s\n", "form", get_string (info, "form"));
  if (json_object_has_member (info, "artifact_version"))
    printf ("%-10s %s\n", "version", get_string (info, "artifact_version"));
  if (json_object_has_member (info, "producer"))
    printf ("%-10s %s, bytecode %" G_GINT64_FORMAT "\n", "producer", get_string (info, "producer"),
            json_object_get_int_member (info, "bytecode_version"));
  if (!json_object_has_member (info, "jax_export"))
    return;

  exported = json_object_get_object_member (info, "jax_export");
  printf ("%-10s %s, calling convention %" G_GINT64_FORMAT ", devices: %" G_GINT64_FORMAT "\n", "function",
          get_string (exported, "function"), json_object_get_int_member (exported, "calling_convention"),
          json_object_get_int_member (exported, "devices"));
  print_strings ("platforms", json_object_get_array_member (exported, "platforms"));
  print_leaves ("arguments", json_object_get_array_member (exported, "arguments"));
  print_leaves ("results", json_object_get_array_member (exported, "results"));
}

static void
print_text (JsonObject *info)
{
  JsonObject *counts = json_object_get_object_member (info, "operation_counts");
  JsonObjectIter iter;
  const char *name;
  JsonNode *count;

  print_source (info);
  if (!json_object_get_null_member (info, "name"))
    printf ("%-10s %s\n", "name", json_object_get_string_member (info, "name"));
  if (!json_object_get_null_member (info, "entry"))
    {
      printf ("%-10s @%s\n", "entry", json_object_get_string_member (info, "entry"));
      print_list ("inputs", json_object_get_array_member (info, "inputs"),
                  json_object_get_array_member (info, "input_names"));
      print_list ("outputs", json_object_get_array_member (info, "outputs"),
                  json_object_get_array_member (info, "output_names"));
    }
  printf ("%-10s %" G_GINT64_FORMAT " in %" G_GINT64_FORMAT " functions, %" G_GINT64_FORMAT " bytes of constants\n",
          "operations", json_object_get_int_member (info, "operations"), json_object_get_int_member (info, "functions"),
          json_object_get_int_member (info, "constant_bytes"));
  if (json_object_has_member (info, "cost"))
    print_cost (json_object_get_object_member (info, "cost"));
  json_object_iter_init_ordered (&iter, counts);
  while (json_object_iter_next_ordered (&iter, &name, &count))
    printf ("%10" G_GINT64_FORMAT " %s\n", json_node_get_int (count), name);
}

int
ghlo_tool_info (int    argc,
                char **argv)
{
  gboolean json = FALSE;
  g_autoptr (GhloIrModule) module = NULL;
  g_auto (GhloImportSource) source = { 0 };
  g_autoptr (JsonNode) info = NULL;
  int status;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON", NULL },
    G_OPTION_ENTRY_NULL
  };

  if (!ghlo_tool_parse_options ("info", entries, &argc, &argv, &status))
    return status;
  if (argc != 2)
    {
      ghlo_tool_error ("expected one FILE, found %d; \"ghlo info --help\" tells more", argc - 1);
      return GHLO_TOOL_USAGE;
    }
  module = ghlo_tool_load (argv[1], &source);
  if (module == NULL)
    return GHLO_TOOL_FAILED;

  info = describe (module, &source);
  if (json)
    {
      g_autofree char *text = json_to_string (info, TRUE);

      puts (text);
    }
  else
    {
      print_text (json_node_get_object (info));
    }

  return GHLO_TOOL_OK;
}
