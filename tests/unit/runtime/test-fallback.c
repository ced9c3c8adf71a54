/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operations that a plan's fallback runs: the memory that they keep, its accounting, and what they receive about a
 * run.
 */

#include "../reference/kernel-programs.h"

#include "compiler/devices.h"
#include "cpu/device.h"
#include "execute/run-plan.h"

/* The text before and after an operand. */
typedef struct
{
  const char *before, *after;
} Operation;

static const Operation
  permute = { "\"stablehlo.collective_permute\"(",
              ") {source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>" },
  negate = { "stablehlo.negate ", "" },
  call = { "func.call @called(", ") : (tensor<4xf32>) -> tensor<4xf32>" },
  custom_call = { "stablehlo.custom_call @mhlo.erf(",
                  ") {called_computations = [@called]} : (tensor<4xf32>) -> tensor<4xf32>" };

/* Appends a function @name with a chain of @n operations. */
static void
append_chain (GString    *text,
              const char *name,
              Operation   op,
              guint       n)
{
  g_string_append_printf (text, "func.func @%s(%%v0: tensor<4xf32>) -> tensor<4xf32> {\n", name);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%v%u = %s%%v%u%s%s\n", i + 1, op.before, i, op.after,
                            op.after[0] == '\0' ? ": tensor<4xf32>" : "");
  g_string_append_printf (text, "  return %%v%u : tensor<4xf32>\n}\n", n);
}

/* A chain of @n_ops operations, next to another one of @n_beside. */
static GhloIrModule *
make_program (Operation op,
              guint     n_ops,
              guint     n_beside)
{
  g_autoptr (GString) text = g_string_new (NULL);

  append_chain (text, "main", op, n_ops);
  append_chain (text, "called", permute, 1);
  append_chain (text, "beside", negate, n_beside);

  return parse (text->str);
}

/* The memory kept for a program, which equals what the process' account counts. */
static GhloRunFigures
measure (Operation op,
         guint     n_ops,
         guint     n_beside)
{
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  g_autoptr (GhloIrModule) module = make_program (op, n_ops, n_beside);
  g_autoptr (GError) error = NULL;
  gsize used = ghlo_memory_get_used ();
  GhloPrepared *prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error);
  GhloRunFigures figures;

  g_assert_no_error (error);
  ghlo_prepared_measure (prepared, &figures);
  g_assert_cmpuint (figures.n_fallback_steps, ==, n_ops);
  g_assert_cmpuint (figures.prepared_bytes, >, 500);
  g_assert_cmpuint (ghlo_memory_get_used () - used, ==, figures.prepared_bytes);
  ghlo_prepared_free (prepared);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);

  return figures;
}

/* The bytes kept for the operations that reference steps run. */
static gsize
prepared_bytes (Operation op,
                guint     n_ops,
                guint     n_beside)
{
  GhloRunFigures figures = measure (op, n_ops, n_beside);

  return figures.prepared_bytes - figures.plan_bytes;
}

/* Each step keeps little memory. */
static void
test_sizes (void)
{
  gsize one = prepared_bytes (permute, 1, 1), many = prepared_bytes (permute, 1001, 1);

  g_assert_cmpuint (one, <, 8000);
  g_assert_cmpuint (many - one, >, 1000 * 500);
  g_assert_cmpuint (many - one, <, 1000 * 2000);
}

/* An operation in a function that is called repeatedly is prepared once. */
static void
test_calls (void)
{
  g_assert_cmpuint (prepared_bytes (call, 1000, 1), ==, prepared_bytes (call, 1, 1));
}

/* Unreferenced functions cost nothing, referenced ones are kept once. */
static void
test_symbols (void)
{
  gsize one = prepared_bytes (custom_call, 1, 1), many = prepared_bytes (custom_call, 201, 1);

  g_assert_cmpuint (prepared_bytes (custom_call, 201, 4000), ==, many);
  g_assert_cmpuint (many - one, <, 200 * 2500);
}

/* Preparing stays within the process' limit; all memory of a refused program is freed. */
static void
test_limit (void)
{
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  g_autoptr (GhloIrModule) module = make_program (permute, 1000, 1);
  gsize limit = ghlo_memory_get_limit (), used = ghlo_memory_get_used ();
  gsize needed = measure (permute, 1000, 1).prepared_bytes;
  GhloPrepared *prepared;

  for (gsize room = 0; room < needed; room += 1 + needed / 40)
    {
      g_autoptr (GError) error = NULL;

      ghlo_memory_set_limit (used + room);
      prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error);
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
      g_assert_null (prepared);
      g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
    }
  ghlo_memory_set_limit (used + needed);
  prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, NULL);
  g_assert_nonnull (prepared);
  ghlo_prepared_free (prepared);
  ghlo_memory_set_limit (limit);
}

/* A device that forwards to the reference executor, and records the options of each run. */
static GhloRunOptions received[2];
static guint n_runs;

static gboolean
start_and_tell (gpointer               prepared,
                const GhloRunOptions  *options,
                GhloValue *const      *inputs,
                gsize                  n_inputs,
                GhloValue            **outputs,
                GhloFence            **fence,
                const GhloMonitor     *monitor,
                GError               **error)
{
  g_assert_cmpuint (n_runs, <, G_N_ELEMENTS (received));
  received[n_runs++] = *options;

  return ghlo_reference_device ()->klass->whole_programs->start (prepared, options, inputs, n_inputs, outputs, fence,
                                                                 monitor, error);
}

static void
ignore_print (gpointer         data,
              const char      *name,
              const GhloValue *value)
{
}

/* A step gets the options of the whole run, but not the program's inputs and outputs. */
static void
test_options (void)
{
  GhloWholeProgramClass programs = *ghlo_reference_device ()->klass->whole_programs;
  const GhloDeviceCoreClass klass = { .name = "fallback", .whole_programs = &programs };
  static const char *const names[] = { "fallback", NULL };
  GhloDeviceCore fallback = { .klass = &klass, .names = names };
  g_autoptr (GhloValue) x = new_random ("tensor<4xf32>", -1, 1), target = new_random ("tensor<4xf32>", -1, 1);
  gint64 time = 0;
  const GhloRunOptions options = { .probe_directory = "somewhere", .print = ignore_print, .print_data = &n_runs,
                                   .donated_inputs = (const guint[]) { 0 }, .targets = &target,
                                   .fallback_time = &time };
  g_autoptr (GhloIrModule) module = make_program (permute, 2, 1);
  g_autoptr (GhloRunPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  GhloValue *output = NULL;

  programs.start = start_and_tell;
  plan = ghlo_run_plan_new (ghlo_cpu_device (), module, ghlo_ir_module_get_entry (module),
                            &(GhloPrepareOptions) { .fallback = &fallback }, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ghlo_run_plan_run (plan, &options, &x, &output, NULL, &error));
  ghlo_value_unref (output);
  g_assert_cmpuint (n_runs, ==, 2);
  for (guint i = 0; i < n_runs; i++)
    {
      g_assert_cmpstr (received[i].probe_directory, ==, "somewhere");
      g_assert_true (received[i].print == ignore_print && received[i].print_data == &n_runs);
      g_assert_null (received[i].donated_inputs);
      g_assert_null (received[i].targets);
      g_assert_null (received[i].fallback_time);
    }
}

static void
append_name (gpointer         data,
             const char      *name,
             const GhloValue *value)
{
  g_string_append_printf (data, "%s ", name);
}

/* A value is printed under the name that it has in the program. */
static void
test_printed_names (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %twice = stablehlo.add %a, %a : tensor<4xf32>\n"
    "  interpreter.print %a : tensor<4xf32>\n"
    "  interpreter.print %twice : tensor<4xf32>\n"
    "  return %twice : tensor<4xf32>\n"
    "}\n";
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  g_autoptr (GString) names = g_string_new (NULL);
  const GhloRunOptions options = { .print = append_name, .print_data = names };
  g_autoptr (GhloValue) a = new_random ("tensor<4xf32>", -1, 1);
  g_autoptr (GhloIrModule) module = parse (text);
  GhloPrepared *prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, NULL);
  GhloValue *output = NULL;

  g_assert_true (ghlo_prepared_run (prepared, &options, &a, 1, &output, NULL, NULL));
  g_assert_cmpstr (names->str, ==, "a twice ");
  ghlo_value_unref (output);
  ghlo_prepared_free (prepared);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/fallback/sizes", test_sizes);
  g_test_add_func ("/fallback/calls", test_calls);
  g_test_add_func ("/fallback/symbols", test_symbols);
  g_test_add_func ("/fallback/limit", test_limit);
  g_test_add_func ("/fallback/options", test_options);
  g_test_add_func ("/fallback/printed-names", test_printed_names);

  return g_test_run ();
}
