/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plans for a device with memory of its own: which values are transferred and how often, where loops keep their carried
 * values, that results are the reference executor's, and that failures are reported and leak nothing. Random programs
 * are tested in random/test-random-programs.c.
 */

#include "../reference/kernel-programs.h"

#include "compiler/devices.h"
#include "cpu/device.h"
#include "cpu/steps.h"
#include "discrete-device.h"
#include "plan/cost.h"
#include "runtime/place.h"

static GhloPrepared *
prepare_discrete (const char *text)
{
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  GhloPrepared *prepared = ghlo_devices_prepare (discrete_device (), module, ghlo_ir_module_get_entry (module), NULL,
                                                 &error);

  g_assert_no_error (error);

  return prepared;
}

/* The plan contains each part of a line the given number of times; the list ends with NULL. */
typedef struct
{
  const char *part;
  guint       n;
} Expected;

static void
assert_plan (GhloPrepared   *prepared,
             const Expected *expected)
{
  g_autofree char *printed = ghlo_prepared_describe (prepared);

  for (; expected->part != NULL; expected++)
    {
      guint n = 0;

      for (const char *p = strstr (printed, expected->part); p != NULL; p = strstr (p + 1, expected->part))
        n++;
      if (n != expected->n)
        g_error ("expected \"%s\" %u times in\n%s", expected->part, expected->n, printed);
    }
}

/* @text gives the reference executor's results on the device, with the given numbers of uploads and downloads by the
 * steps of a run. */
static void
assert_runs (const char       *text,
             GhloValue *const *inputs,
             guint             n_inputs,
             guint             n_outputs,
             guint             n_uploads,
             guint             n_downloads,
             const Expected   *plan)
{
  g_autoptr (GhloPrepared) prepared = prepare_discrete (text);
  GhloValue *expected[4], *found[4], *placed[4];
  g_autoptr (GError) error = NULL;

  assert_plan (prepared, plan);
  run_text (text, (GhloValue **) inputs, n_inputs, expected);
  for (guint i = 0; i < n_inputs; i++)
    placed[i] = ghlo_value_place (inputs[i], discrete_device (), NULL, NULL);
  for (guint round = 0; round < 2; round++)
    {
      discrete.n_uploads = discrete.n_downloads = 0;
      g_assert_true (ghlo_prepared_run (prepared, NULL, placed, n_inputs, found, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (discrete.n_uploads, ==, n_uploads);
      g_assert_cmpuint (discrete.n_downloads, ==, n_downloads);
      for (guint i = 0; i < n_outputs; i++)
        {
          g_assert_true (ghlo_value_get_device (found[i]) == discrete_device ());
          g_assert_true (ghlo_value_fetch (found[i], NULL, NULL));
          g_assert_cmpmem (found[i]->data, found[i]->n_bytes, expected[i]->data, expected[i]->n_bytes);
        }
      ghlo_values_clear (found, n_outputs);
    }
  ghlo_values_clear (expected, n_outputs);
  ghlo_values_clear (placed, n_inputs);
}

#define ASSERT_RUNS(text, inputs, n_inputs, n_outputs, n_uploads, n_downloads, ...) \
  assert_runs (text, inputs, n_inputs, n_outputs, n_uploads, n_downloads, \
               (const Expected[]) { __VA_ARGS__, { NULL, 0 } })

/* The device adds, the CPU sorts the same data twice after a single transfer, and the reference executor
 * communicates between processes; constants are uploaded in advance. */
static const char mixed[] =
  "func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {\n"
  "  %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>\n"
  "  %0 = stablehlo.multiply %a, %c : tensor<8xf32>\n"
  "  %1 = \"stablehlo.sort\"(%0) <{dimension = 0 : i64}> ({\n"
  "    ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
  "      %l = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
  "      stablehlo.return %l : tensor<i1>\n"
  "  }) : (tensor<8xf32>) -> tensor<8xf32>\n"
  "  %2 = \"stablehlo.sort\"(%0) <{dimension = 0 : i64}> ({\n"
  "    ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
  "      %l = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
  "      stablehlo.return %l : tensor<i1>\n"
  "  }) : (tensor<8xf32>) -> tensor<8xf32>\n"
  "  %3 = stablehlo.multiply %1, %2 : tensor<8xf32>\n"
  "  %4 = \"stablehlo.collective_permute\"(%c) "
  "{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<8xf32>) -> tensor<8xf32>\n"
  "  return %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>\n"
  "}\n";

static void
test_mixed (void)
{
  g_autoptr (GhloValue) a = new_random ("tensor<8xf32>", -2, 2);

  ASSERT_RUNS (mixed, &a, 1, 3, 3, 1, { "4 transfers of 128 bytes", 1 },
               { "discrete step stablehlo.multiply in0@discrete tensor<8xf32>, c", 1 },
               { "cpu sort stablehlo.sort", 2 }, { "-> out0@discrete", 1 }, { "-> out1@discrete", 2 },
               { "reference stablehlo.collective_permute", 1 }, { "copy", 0 });
}

typedef struct
{
  const GhloStepPlan   *plan;
  const GhloRunProfile *profile;
  guint                 n_steps, n_discrete, n_transfers;
} Profiled;

static void
check_step (GhloStep *step,
            gpointer  data)
{
  Profiled *self = data;
  GhloStepCost cost;

  ghlo_step_cost (self->plan, step, &cost);
  g_assert_cmpuint (self->profile->steps[step->number].n_runs, ==, 3);
  g_assert_cmpint (self->profile->steps[step->number].nanoseconds, >, 0);
  self->n_steps++;
  if (step->kind == GHLO_STEP_TRANSFER)
    {
      self->n_transfers++;
      g_assert_cmpstr (ghlo_step_get_operation (step), ==, "transfer");
      g_assert_cmpstr (ghlo_step_get_unit (step), ==, "host");
      g_assert_cmpfloat (cost.bytes, ==, 32);
      g_assert_cmpfloat (cost.seconds, ==, 32 / 1e8);
    }
  else if (step->kind == GHLO_STEP_COMPUTE && step->target->memory != NULL)
    {
      self->n_discrete++;
      g_assert_cmpstr (ghlo_step_get_unit (step), ==, "discrete");
      g_assert_cmpfloat (cost.bytes, ==, 3 * 32);
      g_assert_cmpfloat (cost.operations, ==, 8);
      g_assert_cmpfloat (cost.seconds, ==, 3 * 32 / 1e9);
      g_assert_cmpint (self->profile->steps[step->number].nanoseconds, ==, 3 * DISCRETE_STEP_TIME);
    }
}

/* A profiled step ends on its device before the next one begins, and its time is the device's measurement; without a
 * profile there is no wait. Times of several runs add up. */
static void
test_profile (void)
{
  g_autoptr (GhloValue) a = new_random ("tensor<8xf32>", -2, 2);
  g_autoptr (GhloValue) placed = ghlo_value_place (a, discrete_device (), NULL, NULL);
  g_autoptr (GhloPrepared) prepared = prepare_discrete (mixed);
  g_autoptr (GhloRunProfile) profile = ghlo_run_profile_new ();
  const GhloRunOptions options = { .profile = profile };
  Profiled profiled = { ghlo_prepared_get_plan (prepared), profile };
  g_autoptr (GError) error = NULL;
  GhloValue *found[3];

  for (guint round = 0; round < 4; round++)
    {
      discrete.n_waits = 0;
      g_assert_true (ghlo_prepared_run (prepared, round == 0 ? NULL : &options, &placed, 1, found, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (discrete.n_waits, ==, round == 0 ? 0 : 2);
      ghlo_values_clear (found, 3);
    }
  ghlo_step_plan_foreach (profiled.plan, check_step, &profiled);
  g_assert_cmpuint (profiled.n_discrete, ==, 2);
  g_assert_cmpuint (profiled.n_transfers, ==, 4);
  g_assert_cmpuint (profiled.n_steps, ==, profile->n_steps);
}

/* Values from outside the loop that its host steps read are transferred once, whatever carried values these steps
 * read in each iteration. */
static const char invariant[] =
  "func.func @main(%n: tensor<i64>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i64>\n"
  "  %one = stablehlo.constant dense<1> : tensor<i64>\n"
  "  %p = stablehlo.multiply %a, %b : tensor<8xf32>\n"
  "  %0:2 = stablehlo.while(%i = %zero, %s = %b) : tensor<i64>, tensor<8xf32>\n"
  "  cond {\n"
  "    %c = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %j = stablehlo.add %i, %one : tensor<i64>\n"
  "    %u = \"stablehlo.collective_permute\"(%p) "
  "{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<8xf32>) -> tensor<8xf32>\n"
  "    %v = \"stablehlo.collective_permute\"(%a) "
  "{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<8xf32>) -> tensor<8xf32>\n"
  "    %w = stablehlo.add %u, %v : tensor<8xf32>\n"
  "    %t = stablehlo.multiply %w, %s : tensor<8xf32>\n"
  "    stablehlo.return %j, %t : tensor<i64>, tensor<8xf32>\n"
  "  }\n"
  "  return %0#1 : tensor<8xf32>\n"
  "}\n";

static void
test_invariant (void)
{
  g_autoptr (GhloValue) a = new_random ("tensor<8xf32>", -2, 2), b = new_random ("tensor<8xf32>", -2, 2);
  g_autoptr (GhloValue) n = new_i64 (5);

  ASSERT_RUNS (invariant, ((GhloValue *[]) { n, a, b }), 3, 1, 10, 8, { "5 transfers of 129 bytes", 1 },
               { "transfer of 1 bytes", 1 });
}

/* Carried values stay in the memory in which the loop's steps work, and so do the results of a branch. */
static void
test_loop (void)
{
  static const char text[] =
    "func.func @main(%p: tensor<i1>, %a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %end = stablehlo.constant dense<6> : tensor<i32>\n"
    "  %0:2 = stablehlo.while(%i = %zero, %s = %a) : tensor<i32>, tensor<8xf32>\n"
    "  cond {\n"
    "    %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n"
    "  } do {\n"
    "    %j = stablehlo.add %i, %one : tensor<i32>\n"
    "    %r = stablehlo.reverse %s, dims = [0] : tensor<8xf32>\n"
    "    %t = stablehlo.add %r, %a : tensor<8xf32>\n"
    "    stablehlo.return %j, %t : tensor<i32>, tensor<8xf32>\n"
    "  }\n"
    "  %1 = \"stablehlo.if\"(%p) ({\n"
    "    %n = stablehlo.negate %0#1 : tensor<8xf32>\n"
    "    stablehlo.return %n : tensor<8xf32>\n"
    "  }, {\n"
    "    stablehlo.return %a : tensor<8xf32>\n"
    "  }) : (tensor<i1>) -> tensor<8xf32>\n"
    "  return %0#1, %1 : tensor<8xf32>, tensor<8xf32>\n"
    "}\n";
  g_autoptr (GhloValue) p = new_random ("tensor<i1>", 1, 1.5), a = new_random ("tensor<8xf32>", -2, 2);

  ASSERT_RUNS (text, ((GhloValue *[]) { p, a }), 2, 2, 0, 1, { "1 transfer of 1 bytes", 1 }, { "loop 6 times", 1 },
               { "cpu", 0 });
}

/* A carried value that changes places is an output if it is back in its place after the loop, which is not the case
 * after an odd number of iterations. */
static void
test_loop_outputs (void)
{
  static const guint trips[] = { 5, 6, 0 };
  static const guint n_steps[] = { 3, 2, 2 };
  g_autoptr (GhloValue) a = new_random ("tensor<8xf32>", -2, 2);

  for (guint i = 0; i < G_N_ELEMENTS (trips); i++)
    {
      g_autofree char *text = g_strdup_printf (
        "func.func @main(%%a: tensor<8xf32>) -> tensor<8xf32> {\n"
        "  %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %%one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %%end = stablehlo.constant dense<%u> : tensor<i32>\n"
        "  %%0:2 = stablehlo.while(%%i = %%zero, %%s = %%a) : tensor<i32>, tensor<8xf32>\n"
        "  cond {\n"
        "    %%c = stablehlo.compare LT, %%i, %%end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %%c : tensor<i1>\n"
        "  } do {\n"
        "    %%j = stablehlo.add %%i, %%one : tensor<i32>\n"
        "    %%r = stablehlo.reverse %%s, dims = [0] : tensor<8xf32>\n"
        "    %%t = stablehlo.add %%r, %%s : tensor<8xf32>\n"
        "    stablehlo.return %%j, %%t : tensor<i32>, tensor<8xf32>\n"
        "  }\n"
        "  return %%0#1 : tensor<8xf32>\n"
        "}\n", trips[i]);

      ASSERT_RUNS (text, &a, 1, 1, 0, 0, { "discrete step", n_steps[i] }, { "out0 <-> t", trips[i] % 2 == 0 },
                   { "in0@discrete tensor<8xf32> -> out0", trips[i] % 2 == 0 });
    }
}

/* If a part of a buffer is needed only that part is transferred, for a broadcast its operand. */
static void
test_parts (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<100xf32>, %b: tensor<f32>) -> (tensor<2xf32>, tensor<100xf32>) {\n"
    "  %0 = stablehlo.add %a, %a : tensor<100xf32>\n"
    "  %1 = stablehlo.slice %0 [10:12] : (tensor<100xf32>) -> tensor<2xf32>\n"
    "  %2 = \"stablehlo.collective_permute\"(%1) "
    "{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  %3 = stablehlo.negate %b : tensor<f32>\n"
    "  %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<100xf32>\n"
    "  %5 = stablehlo.divide %4, %4 : tensor<100xf32>\n"
    "  return %2, %5 : tensor<2xf32>, tensor<100xf32>\n"
    "}\n";
  g_autoptr (GhloValue) a = new_random ("tensor<100xf32>", -2, 2), b = new_random ("tensor<f32>", 1, 2);

  ASSERT_RUNS (text, ((GhloValue *[]) { a, b }), 2, 2, 2, 2, { "4 transfers of 420 bytes", 1 },
               { "transfer of 8 bytes", 2 }, { "transfer of 4 bytes", 1 }, { "transfer of 400 bytes", 1 });
}

/* Outputs that are inputs are not copied, not even with another shape. */
static void
test_shared (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<2x4xf32>) {\n"
    "  %0 = stablehlo.reshape %a : (tensor<8xf32>) -> tensor<2x4xf32>\n"
    "  return %a, %0 : tensor<8xf32>, tensor<2x4xf32>\n"
    "}\n";
  g_autoptr (GhloValue) a = new_random ("tensor<8xf32>", -2, 2);

  ASSERT_RUNS (text, &a, 1, 2, 0, 0, { "plan: 0 steps", 1 }, { "out0 is in0", 1 }, { "out1 is in0", 1 });
}

/* Transfers between two devices go by way of host memory. */
static const GhloStepImplementation *
find_division (GhloDeviceCore               *self,
               const GhloIrOp               *op,
               const GhloStepImplementation *previous)
{
  return op->kind == GHLO_OP_STABLEHLO_DIVIDE ? ghlo_cpu_find_step (ghlo_cpu_device (), op, previous) : NULL;
}

static void
test_two_memories (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
    "  %0 = stablehlo.add %a, %a : tensor<8xf32>\n"
    "  %1 = stablehlo.divide %0, %a : tensor<8xf32>\n"
    "  return %1 : tensor<8xf32>\n"
    "}\n";
  static const char *const lines[] = {
    "transfer of 32 bytes t1@discrete:0 -> t2@0\n", "transfer of 32 bytes t2@0 -> t6@other:0\n",
    "transfer of 32 bytes in0@discrete -> t", "other elementwise stablehlo.divide, discrete: ", "-> out0@discrete\n",
  };
  static const char *const names[] = { "other", NULL };
  const GhloDeviceMemoryClass memory_class = { .map = NULL };
  GhloDeviceMemory memory = { .klass = &memory_class, .name = "other" };
  const GhloDeviceCoreClass klass = { .name = "other", .find_step = find_division, .copy_step = &ghlo_cpu_step_copy };
  GhloDeviceCore other = { .klass = &klass, .names = names, .memory = &memory };
  GhloDeviceCore *targets[] = { discrete_device (), &other, ghlo_cpu_device () };
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloStepPlan) plan = ghlo_step_plan_new (module, ghlo_ir_module_get_entry (module), targets, 3, FALSE,
                                                      G_MAXSIZE, NULL, &error);
  g_autofree char *printed = NULL;

  g_assert_no_error (error);
  printed = ghlo_step_plan_print (plan);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    if (strstr (printed, lines[i]) == NULL)
      g_error ("expected \"%s\" in\n%s", lines[i], printed);
}

static void
test_no_host (void)
{
  g_autoptr (GhloIrModule) module = parse (mixed);
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_device_core_prepare (discrete_device (), module, ghlo_ir_module_get_entry (module), NULL, NULL,
                                           &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_cmpstr (error->message, ==, "expected a device in host memory to run the operations that 'discrete' does "
                   "not support, found none");
}

static void
test_figures (void)
{
  g_autoptr (GhloPrepared) prepared = prepare_discrete (mixed);
  g_autoptr (GhloValue) a = new_random ("tensor<8xf32>", -2, 2);
  g_autoptr (GError) error = NULL;
  GhloRunFigures figures;
  GhloValue *found[3];

  discrete.n_uploads = discrete.n_downloads = 0;
  discrete.n_bytes = 0;
  g_assert_true (ghlo_prepared_run (prepared, NULL, &a, 1, found, NULL, &error));
  ghlo_values_clear (found, 3);
  g_assert_true (ghlo_prepared_measure (prepared, &figures));
  g_assert_cmpuint (figures.n_steps, ==, 9);
  g_assert_cmpuint (figures.n_fallback_steps, ==, 1);
  g_assert_cmpuint (figures.n_transfers, ==, discrete.n_uploads + discrete.n_downloads);
  g_assert_cmpuint (figures.transfer_bytes, ==, discrete.n_bytes);
}

typedef struct
{
  const char *text;
  GhloValue  *inputs[3];
  guint       n_inputs, n_outputs;
} Way;

static void
go_way (const Way          *self,
        const GhloMonitor  *monitor,
        GError            **error)
{
  g_autoptr (GhloIrModule) module = parse (self->text);
  g_autoptr (GhloPrepared) prepared = ghlo_devices_prepare (discrete_device (), module,
                                                            ghlo_ir_module_get_entry (module), monitor, error);
  GhloValue *found[4];

  if (prepared != NULL && ghlo_prepared_run (prepared, NULL, self->inputs, self->n_inputs, found, monitor, error))
    ghlo_values_clear (found, self->n_outputs);
}

/* Prepares and runs with one of the device's calls failing or cancelled, and checks that nothing is leaked. Returns
 * the number of calls. */
static guint
try_way (const Way  *self,
         guint       fails_at,
         guint       cancels_at,
         GError    **error)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  gsize used = ghlo_memory_get_used ();

  discrete.n_calls = 0;
  discrete.cancellable = cancellable;
  discrete.fails_at = fails_at;
  discrete.cancels_at = cancels_at;
  go_way (self, &(GhloMonitor) { .cancellable = cancellable }, error);
  g_assert_cmpuint (discrete.n_blocks, ==, 0);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
  discrete.fails_at = discrete.cancels_at = 0;

  return discrete.n_calls;
}

static void
test_failures (void)
{
  g_autoptr (GhloValue) a = new_random ("tensor<8xf32>", -2, 2), b = new_random ("tensor<8xf32>", -2, 2);
  g_autoptr (GhloValue) n = new_i64 (2);
  const Way ways[] = { { mixed, { a }, 1, 3 }, { invariant, { n, a, b }, 3, 1 } };

  for (guint w = 0; w < G_N_ELEMENTS (ways); w++)
    {
      g_autoptr (GError) none = NULL;
      guint n_calls = try_way (&ways[w], 0, 0, &none);

      g_assert_no_error (none);
      for (guint i = 1; i <= n_calls; i++)
        {
          g_autoptr (GError) failed = NULL, cancelled = NULL;

          try_way (&ways[w], i, 0, &failed);
          g_assert_error (failed, GHLO_ERROR, GHLO_ERROR_DEVICE);
          try_way (&ways[w], 0, i, &cancelled);
          /* After its last call a run may have nothing left to do. */
          if (cancelled != NULL || i < n_calls)
            g_assert_error (cancelled, G_IO_ERROR, G_IO_ERROR_CANCELLED);
        }
    }
}

/* If the run that makes an input fails, so do the runs that read the input. */
static void
test_pending_input (void)
{
  g_autoptr (GhloPrepared) prepared = prepare_discrete (mixed);
  g_autoptr (GhloValue) a = new_random ("tensor<8xf32>", -2, 2);
  g_autoptr (GhloValue) placed = ghlo_value_place (a, discrete_device (), NULL, NULL);
  GhloValue *found[3] = { NULL };
  g_autoptr (GError) error = NULL;

  placed->storage->fence = ghlo_fence_new ();
  ghlo_fence_signal (placed->storage->fence, g_error_new (GHLO_ERROR, GHLO_ERROR_DEVICE, "it failed before"));
  g_assert_false (ghlo_prepared_run (prepared, NULL, &placed, 1, found, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE);
  g_assert_cmpstr (error->message, ==, "it failed before");
}

int
main (int   argc,
      char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plan-spaces/mixed", test_mixed);
  g_test_add_func ("/plan-spaces/profile", test_profile);
  g_test_add_func ("/plan-spaces/invariant", test_invariant);
  g_test_add_func ("/plan-spaces/loop", test_loop);
  g_test_add_func ("/plan-spaces/loop-outputs", test_loop_outputs);
  g_test_add_func ("/plan-spaces/parts", test_parts);
  g_test_add_func ("/plan-spaces/shared", test_shared);
  g_test_add_func ("/plan-spaces/two-memories", test_two_memories);
  g_test_add_func ("/plan-spaces/no-host", test_no_host);
  g_test_add_func ("/plan-spaces/figures", test_figures);
  g_test_add_func ("/plan-spaces/failures", test_failures);
  g_test_add_func ("/plan-spaces/pending-input", test_pending_input);

  status = g_test_run ();
  g_assert_cmpuint (discrete.n_blocks, ==, 0);

  return status;
}
