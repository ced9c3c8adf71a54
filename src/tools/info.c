/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo info`: what a program takes, gives and consists of.
 */

#include "tools/tool.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "ir/cost.h"

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

/* What the program must at least do. */
static void
add_cost (JsonBuilder        *builder,
          const GhloIrModule *module,
          const GhloIrOp     *entry)
{
  GhloIrCost cost;

  ghlo_ir_cost (module, entry, &cost);
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

/* The program as JSON; the text form is made of the same. */
static JsonNode *
describe (GhloIrModule *module)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  GhloIrOp *entry = ghlo_ir_module_get_entry (module);
  const char *name = ghlo_ir_op_get_string (module->op, "sym_name");
  g_autofree Census *census = g_new0 (Census, 1);

  count_region (&module->op->regions[0], census);
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "form");
  json_builder_add_string_value (builder, "text");
  json_builder_set_member_name (builder, "name");
  if (name != NULL)
    json_builder_add_string_value (builder, name);
  else
    json_builder_add_null_value (builder);
  json_builder_set_member_name (builder, "entry");
  if (entry != NULL)
    {
      const GhloIrType *type = ghlo_ir_op_get (entry, "function_type")->type;

      json_builder_add_string_value (builder, ghlo_ir_op_get_string (entry, "sym_name"));
      add_types (builder, "inputs", type->members, type->rank);
      add_types (builder, "outputs", type->members + type->rank, type->n_results);
    }
  else
    {
      json_builder_add_null_value (builder);
    }
  json_builder_set_member_name (builder, "functions");
  json_builder_add_int_value (builder, census->n_functions);
  json_builder_set_member_name (builder, "operations");
  json_builder_add_int_value (builder, census->n_ops);
  json_builder_set_member_name (builder, "constant_bytes");
  json_builder_add_int_value (builder, census->constant_bytes);
  if (entry != NULL)
    add_cost (builder, module, entry);
  json_builder_set_member_name (builder, "operation_counts");
  json_builder_begin_object (builder);
  for (guint kind = 1; kind < GHLO_N_OPS; kind++)
    if (census->counts[kind] > 0)
      {
        json_builder_set_member_name (builder, ghlo_ir_op_spec (kind)->name);
        json_builder_add_int_value (builder, census->counts[kind]);
      }
  json_builder_end_object (builder);
  json_builder_end_object (builder);

  return json_builder_get_root (builder);
}

static void
print_list (const char *title,
            JsonArray  *list)
{
  for (guint i = 0; i < json_array_get_length (list); i++)
    printf ("%-10s %u: %s\n", i == 0 ? title : "", i, json_array_get_string_element (list, i));
}

static void
print_text (JsonObject *info)
{
  JsonObject *counts = json_object_get_object_member (info, "operation_counts");
  JsonObjectIter iter;
  const char *name;
  JsonNode *count;

  printf ("%-10s %s\n", "form", json_object_get_string_member (info, "form"));
  if (!json_object_get_null_member (info, "name"))
    printf ("%-10s %s\n", "name", json_object_get_string_member (info, "name"));
  if (!json_object_get_null_member (info, "entry"))
    {
      printf ("%-10s @%s\n", "entry", json_object_get_string_member (info, "entry"));
      print_list ("inputs", json_object_get_array_member (info, "inputs"));
      print_list ("outputs", json_object_get_array_member (info, "outputs"));
    }
  printf ("%-10s %" G_GINT64_FORMAT " in %" G_GINT64_FORMAT " functions, %" G_GINT64_FORMAT " bytes of constants\n",
          "operations", json_object_get_int_member (info, "operations"), json_object_get_int_member (info, "functions"),
          json_object_get_int_member (info, "constant_bytes"));
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
  module = ghlo_tool_load (argv[1]);
  if (module == NULL)
    return GHLO_TOOL_FAILED;

  info = describe (module);
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
