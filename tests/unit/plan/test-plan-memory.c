/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory of a plan's runs: outputs in the caller's memory and in that of inputs, allocations that fail, runs that
 * allocate nothing but their outputs, and an arena for each of concurrent runs.
 */

#include "../count-allocations.h"
#include "../limit-memory.h"
#include "../reference/kernel-programs.h"
#include "plan-programs.h"

#include "base/debug.h"
#include "compiler/devices.h"
#include "cpu/device.h"
#include "execute/run-plan.h"

/* A value larger than any memory: the run reports the error. */
static void
test_huge (void)
{
  static const char *const programs[] = {
    "func.func @main() -> tensor<2305843009213693952xi64> {\n"
    "  %0 = stablehlo.iota dim = 0 : tensor<2305843009213693952xi64>\n"
    "  return %0 : tensor<2305843009213693952xi64>\n}\n",
    "func.func @main() -> tensor<i8> {\n"
    "  %0 = stablehlo.iota dim = 0 : tensor<9223372036854775807xi8>\n"
    "  %1 = stablehlo.slice %0 [0:1] : (tensor<9223372036854775807xi8>) -> tensor<1xi8>\n"
    "  %2 = stablehlo.reshape %1 : (tensor<1xi8>) -> tensor<i8>\n  return %2 : tensor<i8>\n}\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autoptr (GhloIrModule) module = parse (programs[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloPrepared) prepared = ghlo_devices_prepare (ghlo_devices_find ("cpu"), module,
                                                                ghlo_ir_module_get_entry (module), NULL, &error);
      GhloValue *found = NULL;

      g_assert_no_error (error);
      g_assert_false (ghlo_prepared_run (prepared, NULL, NULL, 0, &found, NULL, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
    }
}

/* Failing allocations are errors of the run, whatever computes: outputs, arenas, and constants and results of the
 * reference executor. */
static void
test_limited (void)
{
  static const char *const devices[] = { "cpu", "reference" };
  static const char *const programs[] = {
    "func.func @main() -> tensor<1099511627776xi8> {\n"
    "  %0 = stablehlo.constant dense<1> : tensor<1099511627776xi8>\n"
    "  return %0 : tensor<1099511627776xi8>\n}\n",
    "func.func @main() -> tensor<1099511627776xi8> {\n"
    "  %0 = stablehlo.iota dim = 0 : tensor<1099511627776xi8>\n"
    "  return %0 : tensor<1099511627776xi8>\n}\n",
    "func.func @main() -> tensor<f32> {\n"
    "  %0 = stablehlo.iota dim = 0 : tensor<274877906944xf32>\n"
    "  %1 = stablehlo.sine %0 : tensor<274877906944xf32>\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0]"
    " : (tensor<274877906944xf32>, tensor<f32>) -> tensor<f32>\n  return %2 : tensor<f32>\n}\n",
    "func.func @main() -> tensor<1099511627778xi8> {\n"
    "  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi8>\n"
    "  %z = stablehlo.constant dense<0> : tensor<i8>\n"
    "  %1 = stablehlo.pad %0, %z, low = [0], high = [1099511627776], interior = [0]"
    " : (tensor<2xi8>, tensor<i8>) -> tensor<1099511627778xi8>\n"
    "  return %1 : tensor<1099511627778xi8>\n}\n",
  };

  if (!limit_memory_in_subprocess ())
    return;

  ghlo_memory_set_limit (G_MAXSIZE / 2);
  limit_memory (256 << 20);
  for (guint i = 0; i < G_N_ELEMENTS (devices) * G_N_ELEMENTS (programs); i++)
    {
      GhloDeviceCore *device = ghlo_devices_find (devices[i / G_N_ELEMENTS (programs)]);
      g_autoptr (GhloIrModule) module = parse (programs[i % G_N_ELEMENTS (programs)]);
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloPrepared) prepared = NULL;
      GhloValue *found = NULL;

      prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error);
      g_assert_no_error (error);
      g_assert_false (ghlo_prepared_run (prepared, NULL, NULL, 0, &found, NULL, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
      g_assert_nonnull (strstr (error->message, "cannot allocate "));
    }
}

/* A donated value's memory holds the result, at the same address, run after run. */
static void
test_carried (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<1000xf32>, %b: tensor<1000xf32>) -> tensor<1000xf32> {\n"
    "  %0 = stablehlo.add %a, %b : tensor<1000xf32>\n"
    "  return %0 : tensor<1000xf32>\n"
    "}\n";
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  const GhloRunOptions options = { .donated_inputs = (const guint[]) { 0 } };
  g_autoptr (GhloValue) a = new_random ("tensor<1000xf32>", -1, 1), one = new_random ("tensor<1000xf32>", 1, 1.001);
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module),
                                                            NULL, &error);
  const guint8 *address = a->data;
  float first = ((float *) (gpointer) a->data)[7];

  g_assert_no_error (error);
  for (guint i = 0; i < 1000; i++)
    {
      GhloValue *output = NULL;

      g_assert_true (ghlo_prepared_run (prepared, &options, (GhloValue *[]) { a, one }, 2, &output, NULL, NULL));
      g_assert_true (output == a && a->data == address);
      ghlo_value_unref (output);
    }
  g_assert_cmpfloat_with_epsilon (((float *) (gpointer) a->data)[7],
                                  first + 1000 * ((float *) (gpointer) one->data)[7], 0.1);
}

/* A tensor in the test's own memory. */
static GhloValue *
new_over (const char *type,
          guint8     *memory,
          gsize       size)
{
  g_autoptr (GhloTensorType) tensor_type = ghlo_tensor_type_parse (type, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_static (memory, size);

  return ghlo_value_new_for_bytes (tensor_type, bytes, NULL);
}

/* One run with an output requested in that memory. Returns whether the plan writes there directly; the result must
 * be right either way. */
static gboolean
is_reached (const char  *text,
            GhloValue  **inputs,
            guint        n_inputs,
            GhloValue   *memory)
{
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  const GhloRunOptions options = { .targets = &memory };
  g_auto (Program) program = { NULL };
  GhloValue *expected, *found;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = NULL;
  gboolean reached;

  prepare (&program, text);
  run_program (&program, inputs, n_inputs, &expected, NULL, &error);
  g_assert_no_error (error);
  prepared = ghlo_devices_prepare (device, program.module, ghlo_ir_module_get_entry (program.module), NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ghlo_prepared_run (prepared, &options, inputs, n_inputs, &found, NULL, &error));
  g_assert_cmpmem (found->data, found->n_bytes, expected->data, expected->n_bytes);
  reached = found == memory;
  ghlo_value_unref (found);
  ghlo_value_unref (expected);

  return reached;
}

/* An output is written to the caller's memory from the first step on if nothing that the plan reads lies there, and
 * if the memory is aligned for any element. */
static void
test_targets (void)
{
  static const char two_steps[] =
    "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
    "  %0 = stablehlo.add %a, %a : tensor<8xf32>\n"
    "  %1 = stablehlo.multiply %0, %a : tensor<8xf32>\n"
    "  return %1 : tensor<8xf32>\n"
    "}\n";
  static const char identity[] =
    "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
    "  return %a : tensor<8xf32>\n"
    "}\n";
  static const char dynamic[] =
    "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %0 = stablehlo.add %a, %a : tensor<?xf32>\n"
    "  return %0 : tensor<?xf32>\n"
    "}\n";
  guint8 room[160] __attribute__ ((aligned (64))) = { 0 };
  g_autoptr (GhloValue) a = new_over ("tensor<8xf32>", room + 64, 32);
  /* Guarded memory is always the device's own. */
  const gboolean direct = !ghlo_debug_has (GHLO_DEBUG_GUARD);

  for (guint offset = 0; offset <= 128; offset += 4)
    {
      g_autoptr (GhloValue) memory = new_over ("tensor<8xf32>", room + offset, 32);

      g_assert_true (is_reached (two_steps, &a, 1, memory)
                     == (direct && offset % 16 == 0 && (offset <= 32 || offset >= 96)));
      g_assert_false (is_reached (identity, &a, 1, memory));
      g_assert_false (is_reached (dynamic, &a, 1, memory));
    }
}

/* A constant may lie in the caller's memory, to which the caller must not write. */
static void
test_target_constant (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
    "  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>\n"
    "  %0 = stablehlo.add %a, %c : tensor<8xf32>\n"
    "  return %0 : tensor<8xf32>\n"
    "}\n";
  g_autoptr (GhloValue) a = new_random ("tensor<8xf32>", -1, 1), memory = NULL;
  const GhloRunOptions options = { .targets = &memory };
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloRunPlan) self = ghlo_run_plan_new (ghlo_cpu_device (), module, ghlo_ir_module_get_entry (module),
                                                    &(GhloPrepareOptions) { NULL }, NULL, &error);
  const GhloStepPlan *plan;
  GhloValue *output;
  gsize size;

  g_assert_no_error (error);
  plan = ghlo_run_plan_get_plan (self);
  for (guint i = 0; i < plan->n_buffers && memory == NULL; i++)
    if (plan->buffers[i].kind == GHLO_STEP_BUFFER_CONSTANT)
      memory = new_over ("tensor<8xf32>", (guint8 *) g_bytes_get_data (plan->buffers[i].bytes, &size), 32);
  g_assert_nonnull (memory);
  g_assert_true (ghlo_run_plan_run (self, &options, &a, &output, NULL, &error));
  g_assert_true (output != memory);
  ghlo_value_unref (output);
}

/* The allocations of ten runs, after earlier runs have filled caches and the pool. */
static guint
count_runs (GhloPrepared         *prepared,
            const GhloRunOptions *options,
            GhloValue           **inputs,
            guint                 n_inputs,
            guint                 n_outputs)
{
  GhloValue *outputs[4];
  guint before = 0;

  for (guint i = 0; i < 20; i++)
    {
      if (i == 10)
        before = count_own_allocations ();
      g_assert_true (ghlo_prepared_run (prepared, options, inputs, n_inputs, outputs, NULL, NULL));
      for (guint k = 0; k < n_outputs; k++)
        ghlo_value_unref (outputs[k]);
    }

  return count_own_allocations () - before;
}

/* Memory of the test's own for each output. */
static void
make_targets (GhloPrepared *prepared,
              GhloValue   **inputs,
              guint         n_inputs,
              GhloValue   **targets,
              guint         n_outputs)
{
  g_assert_true (ghlo_prepared_run (prepared, NULL, inputs, n_inputs, targets, NULL, NULL));
  for (guint i = 0; i < n_outputs; i++)
    {
      g_autoptr (GhloValue) output = targets[i];
      g_autoptr (GBytes) bytes = g_bytes_new (output->data, output->n_bytes);

      targets[i] = ghlo_value_new_for_bytes (output->type, bytes, NULL);
    }
}

/* A run allocates its outputs and nothing else, whatever it computes; and nothing at all when the caller provides
 * their memory. */
static void
test_allocations (void)
{
  static const struct
  {
    const char *text;
    const char *types[2];
    guint       n_inputs, n_outputs;
  } rows[] = {
    { views, { "tensor<6x8xf32>", "tensor<4x10xf32>" }, 2, 1 },
    { crossing, { "tensor<4x4xf32>", "tensor<i32>" }, 2, 3 },
    { nested, { "tensor<8xf32>", "tensor<i1>" }, 2, 2 },
  };
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  /* Guarded blocks need additional bookkeeping. */
  const gboolean guarded = ghlo_debug_has (GHLO_DEBUG_GUARD);

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      g_autoptr (GhloIrModule) module = parse (rows[r].text);
      g_autoptr (GhloPrepared) prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module),
                                                                NULL, NULL);
      GhloValue *inputs[2], *targets[4];
      const GhloRunOptions options = { .targets = targets };

      for (guint i = 0; i < rows[r].n_inputs; i++)
        inputs[i] = new_random (rows[r].types[i], 0, 2);
      if (!guarded)
        g_assert_cmpuint (count_runs (prepared, NULL, inputs, rows[r].n_inputs, rows[r].n_outputs), <=,
                          10 * rows[r].n_outputs);
      make_targets (prepared, inputs, rows[r].n_inputs, targets, rows[r].n_outputs);
      if (!guarded)
        g_assert_cmpuint (count_runs (prepared, &options, inputs, rows[r].n_inputs, rows[r].n_outputs), ==, 0);
      for (guint i = 0; i < rows[r].n_inputs; i++)
        ghlo_value_unref (inputs[i]);
      for (guint i = 0; i < rows[r].n_outputs; i++)
        ghlo_value_unref (targets[i]);
    }
}

/* Large enough to be split among the workers. */
static const char split[] =
  "func.func @main(%x: tensor<1000000xf32>, %y: tensor<1000000xf32>) -> (tensor<1000000xf32>, tensor<f32>) {\n"
  "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
  "  %0 = stablehlo.multiply %x, %y : tensor<1000000xf32>\n"
  "  %1 = stablehlo.subtract %0, %y : tensor<1000000xf32>\n"
  "  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000000xf32>, "
  "tensor<f32>) -> tensor<f32>\n"
  "  return %1, %2 : tensor<1000000xf32>, tensor<f32>\n"
  "}\n";

typedef struct
{
  GhloPrepared *prepared;      /* on the CPU */
  GhloValue    *inputs[2], *expected[2];
  guint         n_runs;
} Shared;

static gpointer
run_again (gpointer data)
{
  Shared *shared = data;

  for (guint i = 0; i < shared->n_runs; i++)
    {
      GhloValue *found[2];

      g_assert_true (ghlo_prepared_run (shared->prepared, NULL, shared->inputs, 2, found, NULL, NULL));
      for (guint k = 0; k < 2; k++)
        {
          g_assert_cmpmem (found[k]->data, found[k]->n_bytes, shared->expected[k]->data, shared->expected[k]->n_bytes);
          ghlo_value_unref (found[k]);
        }
    }

  return NULL;
}

/* Eight threads run one plan concurrently, each in an arena of its own; the results are those of a single run. */
static void
test_threads (void)
{
  static const struct
  {
    const char *text, *types[2];
    guint       n_runs;
  } rows[] = {
    { nested, { "tensor<8xf32>", "tensor<i1>" }, 200 },
    { split, { "tensor<1000000xf32>", "tensor<1000000xf32>" }, 5 },
  };
  GhloDeviceCore *device = ghlo_devices_find ("cpu");

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      g_autoptr (GhloIrModule) module = parse (rows[r].text);
      Shared shared = { .n_runs = rows[r].n_runs };
      GThread *threads[8];

      shared.prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, NULL);
      for (guint i = 0; i < 2; i++)
        shared.inputs[i] = new_random (rows[r].types[i], 0, 2);
      g_assert_true (ghlo_prepared_run (shared.prepared, NULL, shared.inputs, 2, shared.expected, NULL, NULL));
      for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
        threads[i] = g_thread_new (NULL, run_again, &shared);
      for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
        g_thread_join (threads[i]);
      for (guint i = 0; i < 2; i++)
        {
          ghlo_value_unref (shared.inputs[i]);
          ghlo_value_unref (shared.expected[i]);
        }
      ghlo_prepared_free (shared.prepared);
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plan/huge", test_huge);
  g_test_add_func ("/plan/limited", test_limited);
  g_test_add_func ("/plan/carried", test_carried);
  g_test_add_func ("/plan/targets", test_targets);
  g_test_add_func ("/plan/target-constant", test_target_constant);
  g_test_add_func ("/plan/allocations", test_allocations);
  g_test_add_func ("/plan/threads", test_threads);

  return g_test_run ();
}
