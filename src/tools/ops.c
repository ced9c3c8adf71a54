/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo ops`: prints the op table with the support of each executor, as a table, as
 * Markdown for the documentation, or as JSON.
 */

#include "tools/tool.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"
#include "reference/kernel.h"

/* Excludes the rows that stand for unknown operations. */
static gboolean
is_known (GhloIrOpKind kind)
{
  return kind != GHLO_OP_INVALID && kind != GHLO_OP_UNREGISTERED;
}

/* The reference executor's support for an operation. Functions, terminators and symbols have no kernel but
 * determine how programs run. */
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

/* How a device executes operations of a kind: by "steps" of its own, as part of its "plan", or on the
 * "reference" executor, which also takes over when the steps decline. Looked up in the device's table by the
 * kind alone. */
static const char *
device_state (GhloDeviceCore *device,
              GhloIrOpKind    kind)
{
  const GhloIrOp op = { .kind = kind };

  if (strcmp (reference_state (kind), "structure") == 0)
    return "structure";
  if (ghlo_device_core_find_step (device, &op, NULL) != NULL)
    return "steps";
  if (device->klass->find_step != NULL && ghlo_step_plan_implements (kind))
    return "plan";

  return strcmp (reference_state (kind), "yes") == 0 ? "reference" : "no";
}

/* The devices that have steps of their own. The others match the reference executor's column. */
static GPtrArray *
list_devices (void)
{
  GPtrArray *devices = ghlo_devices_list ();

  for (guint i = devices->len; i-- > 0;)
    if (((const GhloDeviceCore *) devices->pdata[i])->klass->find_step == NULL)
      g_ptr_array_remove_index (devices, i);

  return devices;
}

static void
print_markdown (void)
{
  g_autoptr (GPtrArray) devices = list_devices ();

  printf ("| operation | what it does | verified | reference |");
  for (guint i = 0; i < devices->len; i++)
    printf (" %s |", ((GhloDeviceCore *) devices->pdata[i])->names[0]);
  printf ("\n|---|---|---|---|");
  for (guint i = 0; i < devices->len; i++)
    printf ("---|");
  printf ("\n");
  for (guint kind = 0; kind < GHLO_N_OPS; kind++)
    {
      const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);

      if (!is_known (kind))
        continue;
      printf ("| `%s` | %s | yes | %s |", spec->name, spec->summary, reference_state (kind));
      for (guint i = 0; i < devices->len; i++)
        printf (" %s |", device_state (devices->pdata[i], kind));
      printf ("\n");
    }
}

static void
print_table (void)
{
  g_autoptr (GPtrArray) devices = list_devices ();
  g_autofree guint *n_steps = g_new0 (guint, devices->len + 1);
  guint n = 0;

  printf ("%-38s %-10s", "operation", "reference");
  for (guint i = 0; i < devices->len; i++)
    printf (" %-10s", ((GhloDeviceCore *) devices->pdata[i])->names[0]);
  printf (" what it does\n");
  for (guint kind = 0; kind < GHLO_N_OPS; kind++)
    {
      const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);

      if (!is_known (kind))
        continue;
      printf ("%-38s %-10s", spec->name, reference_state (kind));
      for (guint i = 0; i < devices->len; i++)
        {
          const char *state = device_state (devices->pdata[i], kind);

          printf (" %-10s", state);
          n_steps[i] += strcmp (state, "steps") == 0 ? 1 : 0;
        }
      printf (" %s\n", spec->summary);
      n += strcmp (reference_state (kind), "no") != 0 ? 1 : 0;
    }
  for (guint i = 0; i < devices->len; i++)
    printf ("%u operations have steps on the device %s\n", n_steps[i],
            ((GhloDeviceCore *) devices->pdata[i])->names[0]);
  printf ("%u operations run on the reference device\n", n);
}

static void
print_json (void)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GPtrArray) devices = ghlo_devices_list ();
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
      json_builder_set_member_name (builder, "devices");
      json_builder_begin_object (builder);
      for (guint i = 0; i < devices->len; i++)
        {
          json_builder_set_member_name (builder, ((GhloDeviceCore *) devices->pdata[i])->names[0]);
          json_builder_add_string_value (builder, device_state (devices->pdata[i], kind));
        }
      json_builder_end_object (builder);
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
