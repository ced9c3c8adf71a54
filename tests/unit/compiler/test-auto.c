/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs compiled without a named device: their estimated times, which device they are placed on and why, and the
 * rates that the choice depends on. The GPU is the CPU under another name, with rates that the test sets.
 */

#include "compiler/auto.h"

#include <math.h>
#include <glib/gstdio.h>
#include <string.h>

#include "../plan/discrete-device.h"
#include "base/ghlo-error.h"
#include "compiler/estimate.h"
#include "compiler/executable-core.h"
#include "cpu/device.h"
#include "import/import.h"
#include "reference/device.h"
#include "runtime/cache.h"
#include "runtime/rates-cache.h"

static GhloIrModule *
parse (const char *text)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test.mlir", text, strlen (text));
  GhloIrModule *module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics, NULL);

  g_assert_nonnull (module);

  return module;
}

/* The GPU. */

static const GhloDeviceRates fast = {
  .bytes = 1e15, .products = { 1e15, 1e15, 1e15 }, .scalars = 1e15, .uploads = 1e15, .downloads = 1e15, .run = 1e-6,
  .step = 1e-9,
};
static GhloDeviceRates gpu_rates;
static const char *declined_kind;         /* operations that the GPU has no step for; NULL: none */
static gboolean fails, has_gpu;
static guint n_searches;

static const char *
unsupported_reason (GhloDeviceCore        *self,
                    GhloFusionKind         kind,
                    const GhloIrOp *const *ops,
                    guint                  n_ops)
{
  if (kind == GHLO_FUSION_STEP)
    return g_strcmp0 (ghlo_ir_op_get_name (ops[0]), declined_kind) == 0 ? "it is not implemented" : NULL;

  return ghlo_cpu_device ()->klass->unsupported_reason (self, kind, ops, n_ops);
}

static gboolean
open_device (GhloDeviceCore     *self,
             const GhloMonitor  *monitor,
             GError            **error)
{
  if (fails)
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "the device fails\nto open");

  return !fails;
}

static GhloDeviceCoreClass gpu_class;
static const char *const gpu_names[] = { "gpu:0", "gpu", NULL }, *const no_features[] = { NULL };
static GhloDeviceCore gpu = {
  .klass = &gpu_class, .names = gpu_names, .title = "GPU", .driver = "1", .features = no_features,
  .wants_passes = TRUE, .is_gpu = TRUE,
};

/* Another GPU, with memory of its own; its rates are unknown until a test sets them. */
static GhloDeviceCoreClass discrete_class;
static GhloDeviceCore discrete_gpu;

static void
find_gpus (GPtrArray *devices)
{
  n_searches++;
  if (devices->len == 0)
    {
      g_ptr_array_add (devices, &gpu);
      g_ptr_array_add (devices, &discrete_gpu);
    }
}

static gboolean
may_have_gpu (void)
{
  return has_gpu;
}

const GhloDeviceFinder ghlo_device_registry[] = {
  { ghlo_cpu_find_devices },
  { find_gpus, may_have_gpu },
  { ghlo_reference_find_devices },
  { NULL }
};

#define M "tensor<512x512xf32>"

/* 268 billion operations, hours of a processor's memory for none of them. */
#define LARGE(type, results) \
  "func.func @main(%x: " M ", %y: " M ") -> " type " {\n" \
  "  %n = stablehlo.constant dense<1000> : tensor<i32>\n" \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "  %i, %z = stablehlo.while(%k = %zero, %c = %x) : tensor<i32>, " M "\n" \
  "    cond {\n" \
  "    %less = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "    stablehlo.return %less : tensor<i1>\n" \
  "  } do {\n" \
  "    %next = stablehlo.add %k, %one : tensor<i32>\n" \
  "    %product = stablehlo.dot_general %c, %y, contracting_dims = [1] x [0] : (" M ", " M ") -> " M "\n" \
  "    stablehlo.return %next, %product : tensor<i32>, " M "\n" \
  "  }\n" \
  "  return " results "\n" \
  "}\n"

static const char large[] = LARGE (M, "%z : " M);
/* A large program whose counter is a result. */
static const char counted[] = LARGE ("(" M ", tensor<i32>)", "%z, %i : " M ", tensor<i32>");
static const char small[] =
  "func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {\n"
  "  %0 = stablehlo.add %x, %x : tensor<16xf32>\n"
  "  return %0 : tensor<16xf32>\n"
  "}\n";

/* Checks the device chosen for @text, and that the reason contains @part. */
static void
assert_choice (const char     *text,
               GhloDeviceCore *device,
               const char     *part)
{
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  g_autofree char *reason = NULL;
  GhloDeviceCore *chosen = ghlo_auto_choose (NULL, module, &reason, &error);

  g_assert_no_error (error);
  if (chosen != device || (part == NULL ? reason != NULL : reason == NULL || strstr (reason, part) == NULL))
    g_error ("expected %s and \"%s\", found %s and \"%s\"", device->names[0], part, chosen->names[0], reason);
}

/* Must be the first test: nothing has looked for the GPU yet. */
static void
test_search (void)
{
  gpu_rates = fast;
  has_gpu = TRUE;
  assert_choice (small, ghlo_cpu_device (), ", too short to search for a GPU");
  g_assert_cmpuint (n_searches, ==, 0);
  has_gpu = FALSE;
  assert_choice (large, ghlo_cpu_device (), "cpu, since there is no GPU");
  g_assert_cmpuint (n_searches, ==, 0);
  has_gpu = TRUE;
  assert_choice (large, &gpu, "gpu:0 is estimated to take ");
  g_assert_cmpuint (n_searches, ==, 1);

  /* Now the GPU is known and considered, whatever devices are found. */
  has_gpu = FALSE;
  assert_choice (large, &gpu, ", cpu ");
  gpu_rates.run = 0.25;
  assert_choice (small, ghlo_cpu_device (), "µs (guessed), gpu:0 250 ms (guessed)");
  gpu_rates.run = 0;
  assert_choice (small, &gpu, "gpu:0 is estimated to take ");
}

static void
test_choice (void)
{
  const gsize limit = ghlo_memory_get_limit ();
  gpu_rates = fast;
  gpu_rates.products[GHLO_PRODUCT_F32] = 1e6;
  assert_choice (large, ghlo_cpu_device (), ", gpu:0 ");
  gpu_rates = fast;
  gpu_rates.uploads = 1;
  assert_choice (large, ghlo_cpu_device (), ", gpu:0 ");
  gpu_rates = fast;
  gpu_rates.step = 1;
  assert_choice (large, ghlo_cpu_device (), ", gpu:0 ");

  /* Operations that the GPU has no step for take as long as on the CPU, plus transfers. */
  gpu_rates = fast;
  declined_kind = "stablehlo.dot_general";
  assert_choice (large, ghlo_cpu_device (), ", gpu:0 ");
  declined_kind = NULL;
  assert_choice (large, &gpu, ", cpu ");

  /* Devices that are not GPUs, however fast, and a GPU with unknown rates. */
  gpu.is_gpu = discrete_gpu.is_gpu = FALSE;
  assert_choice (large, ghlo_cpu_device (), "cpu, since there is no GPU");
  discrete_gpu.is_gpu = TRUE;
  assert_choice (large, ghlo_cpu_device (), ", and there is no GPU for it");
  gpu.is_gpu = TRUE;
  gpu_rates.bytes = 0;
  assert_choice (large, ghlo_cpu_device (), ", and there is no GPU for it");
  gpu_rates = fast;

  /* Three matrices and three constants, twice. */
  ghlo_memory_set_limit (2 * (3 * 512 * 512 * 4 + 3 * 4));
  assert_choice (large, &gpu, ", cpu ");
  ghlo_memory_set_limit (ghlo_memory_get_limit () - 1);
  assert_choice (large, ghlo_cpu_device (), ", and there is no GPU for it");
  ghlo_memory_set_limit (limit);
}

static void
test_asked (void)
{
  gpu_rates = fast;
  g_setenv ("GHLO_DEVICE", "cpu", TRUE);
  assert_choice (large, ghlo_cpu_device (), NULL);
  g_setenv ("GHLO_DEVICE", "gpu", TRUE);
  assert_choice (small, &gpu, NULL);
  g_setenv ("GHLO_DEVICE", "auto", TRUE);
  assert_choice (large, &gpu, ", cpu ");
  g_unsetenv ("GHLO_DEVICE");
  assert_choice ("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                 "  %0 = stablehlo.add %x, %x : tensor<?xf32>\n"
                 "  return %0 : tensor<?xf32>\n}\n", ghlo_cpu_device (), "cannot be estimated");
}

static double
estimate (const char     *text,
          GhloDeviceCore *device)
{
  g_autoptr (GhloIrModule) module = parse (text);

  return ghlo_estimate_run (device, ghlo_cpu_device (), ghlo_ir_module_get_entry (module));
}

static void
assert_seconds (double found,
                double expected)
{
  g_assert_cmpfloat_with_epsilon (found, expected, expected * 1e-9);
}

/* The rates are powers of ten, so that each term of the sum can be recognized. */
static void
test_estimate (void)
{
  const double run = 1e-3, step = 1e-4, bytes = 512 * 512 * 4;
  const GhloDeviceRates *cpu = ghlo_cpu_device ()->rates;

  gpu_rates = (GhloDeviceRates) {
    .bytes = 1e9, .products = { 1e8, 1e7, 1e6 }, .scalars = 1e5, .uploads = 1e4, .downloads = 1e3, .run = run,
    .step = step,
  };

  /* A chain is one step, which stores no intermediate values. */
  assert_seconds (estimate ("func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {\n"
                            "  %0 = stablehlo.add %x, %x : tensor<100xf32>\n"
                            "  %1 = stablehlo.reshape %0 : (tensor<100xf32>) -> tensor<10x10xf32>\n"
                            "  %2 = stablehlo.tanh %1 : tensor<10x10xf32>\n"
                            "  %3 = stablehlo.reshape %2 : (tensor<10x10xf32>) -> tensor<100xf32>\n"
                            "  return %3 : tensor<100xf32>\n}\n", &gpu),
                  run + 400 / 1e4 + 400 / 1e3 + 200 / 1e5 + step);
  /* Products count by their multiplications. */
  assert_seconds (estimate ("func.func @main(%x: " M ") -> " M " {\n"
                            "  %0 = stablehlo.dot %x, %x : (" M ", " M ") -> " M "\n"
                            "  return %0 : " M "\n}\n", &gpu),
                  run + bytes / 1e4 + bytes / 1e3 + 2.0 * 512 * 512 * 512 / 1e8 + step);
  assert_seconds (estimate ("func.func @main(%x: tensor<8x8xbf16>, %y: tensor<8x8xf64>) {\n"
                            "  %0 = stablehlo.dot %x, %x : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>\n"
                            "  %1 = stablehlo.dot %y, %y : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>\n"
                            "  return\n}\n", &gpu),
                  run + (128 + 512) / 1e4 + 1024 / 1e7 + 1024 / 1e6 + 2 * step);
  /* The counter is one step and the product another, in each of a thousand iterations. */
  assert_seconds (estimate (large, &gpu),
                  run + 2 * bytes / 1e4 + bytes / 1e3 + 1000 * (2.0 * 512 * 512 * 512 / 1e8 + 1 / 1e5 + 2 * step));
  /* Operations that the GPU declines run on the CPU, which waits for the GPU. */
  declined_kind = "stablehlo.dot";
  assert_seconds (estimate ("func.func @main(%x: " M ") -> " M " {\n"
                            "  %0 = stablehlo.dot %x, %x : (" M ", " M ") -> " M "\n"
                            "  return %0 : " M "\n}\n", &gpu),
                  run + bytes / 1e4 + bytes / 1e3 + run + 2 * bytes / 1e3 + bytes / 1e4 + cpu->step
                  + MAX (3 * bytes / cpu->bytes, 2.0 * 512 * 512 * 512 / cpu->products[GHLO_PRODUCT_F32]));
  declined_kind = NULL;
}

/* Each of 60 functions calls the previous one twice. */
static void
test_calls (void)
{
  g_autoptr (GString) text = g_string_new ("func.func private @f0(%x: tensor<f32>) -> tensor<f32> {\n"
                                           "  %0 = stablehlo.add %x, %x : tensor<f32>\n"
                                           "  return %0 : tensor<f32>\n}\n");

  for (guint i = 1; i <= 60; i++)
    g_string_append_printf (text, "func.func %s @f%u(%%x: tensor<f32>) -> tensor<f32> {\n"
                            "  %%0 = call @f%u(%%x) : (tensor<f32>) -> tensor<f32>\n"
                            "  %%1 = call @f%u(%%0) : (tensor<f32>) -> tensor<f32>\n"
                            "  return %%1 : tensor<f32>\n}\n",
                            i < 60 ? "private" : "public", i, i - 1, i - 1);
  gpu_rates = (GhloDeviceRates) { .bytes = 1e9, .products = { 1, 1, 1 }, .scalars = 1, .uploads = 1e30,
                                .downloads = 1e30 };
  assert_seconds (estimate (text->str, &gpu), ldexp (1, 60));
}

static GhloExecutableCore *
compile (const char     *text,
         GhloDeviceCore *device)
{
  g_autoptr (GError) error = NULL;
  GhloCompileRequest request = { .module = parse (text), .settings = ghlo_settings_new (),
                                 .counters = ghlo_counters_new (), .device = device };
  GhloExecutableCore *core = ghlo_executable_core_new (&request, NULL, &error);

  g_assert_no_error (error);
  ghlo_compile_request_clear (&request);

  return core;
}

/* A failing GPU that was not requested is no error. */
static void
test_failure (void)
{
  GhloExecutableCore *core;

  gpu_rates = fast;
  core = compile (large, NULL);
  g_assert_true (core->device == &gpu);
  g_assert_nonnull (strstr (core->reason, "gpu:0 is estimated to take "));
  ghlo_executable_core_unref (core);

  fails = TRUE;
  core = compile (large, NULL);
  g_assert_true (core->device == ghlo_cpu_device ());
  g_assert_cmpstr (core->reason, ==, "gpu:0 fails to compile the program: the device fails to open");
  ghlo_executable_core_unref (core);
  fails = FALSE;
}

/* On an automatically chosen GPU, steps that are faster on the CPU run there, here that of a loop's counter; on a
 * requested GPU none do. */
static void
test_steps (void)
{
  GhloExecutableCore *chosen, *asked;
  g_autofree char *plan = NULL, *plain = NULL;

  gpu_rates = fast;
  gpu_rates.step = 1e-3;
  discrete_rates = fast;
  discrete_rates.step = 1e-5;
  chosen = compile (counted, NULL);
  asked = compile (counted, &discrete_gpu);
  g_assert_true (chosen->device == &discrete_gpu && asked->device == &discrete_gpu);
  g_assert_nonnull (strstr (chosen->reason, "discrete is estimated to take "));
  g_assert_null (asked->reason);
  plan = ghlo_prepared_describe (chosen->compilation->prepared);
  plain = ghlo_prepared_describe (asked->compilation->prepared);
  g_assert_nonnull (strstr (plan, "stablehlo.add \"i32, "));
  g_assert_nonnull (strstr (plan, "discrete: running it on the CPU is estimated to be faster: "));
  g_assert_null (strstr (plain, "estimated"));
  ghlo_executable_core_unref (chosen);
  ghlo_executable_core_unref (asked);
  discrete_rates = (GhloDeviceRates) { 0 };
}

static GBytes *
identify (GhloDeviceCore *self)
{
  return g_bytes_new_static (self->title, strlen (self->title));
}

/* The reason says whose rates were measured; an earlier run changes nothing. */
static void
test_calibrated (void)
{
  g_autoptr (GBytes) identity = identify (&gpu);

  gpu_rates = fast;
  has_gpu = TRUE;
  assert_choice (large, &gpu, " (guessed), cpu ");
  ghlo_rates_keep (identity, gpu.title, &fast);
  assert_choice (large, &gpu, " (calibrated), cpu ");
  assert_choice (large, &gpu, "s (guessed)");

  /* These are not the device's. */
  gpu_rates.bytes *= 2;
  assert_choice (large, &gpu, " (guessed), cpu ");
}

/* Rates are kept per device, and no other contents of a file are accepted as rates. */
static void
test_rates (void)
{
  g_autoptr (GBytes) identity = g_bytes_new_static ("a device", 8), other = g_bytes_new_static ("another", 7);
  GhloDeviceRates rates = fast, found = { 0 };

  g_assert_false (ghlo_rates_recall (identity, &found));
  ghlo_rates_keep (identity, "device", &rates);
  g_assert_true (ghlo_rates_recall (identity, &found));
  g_assert_cmpmem (&found, sizeof found, &rates, sizeof rates);
  g_assert_false (ghlo_rates_recall (other, &found));
  for (guint i = 0; i < GHLO_RATES_N_FIELDS; i++)
    {
      const double wrong[] = { NAN, INFINITY, -1, 1e30 };

      for (guint k = 0; k < G_N_ELEMENTS (wrong); k++)
        {
          rates = fast;
          *(double *) (gpointer) ((guint8 *) &rates + ghlo_rates_fields[i].offset) = wrong[k];
          ghlo_rates_keep (identity, "device", &rates);
          g_assert_false (ghlo_rates_recall (identity, &found));
        }
    }
  g_assert_cmpmem (&found, sizeof found, &fast, sizeof fast);
}

int
main (int   argc,
      char *argv[])
{
  g_autofree char *folder = g_dir_make_tmp ("ghlo-test-XXXXXX", NULL);
  g_autofree char *inner = g_build_filename (folder, "ghlo-1.0", NULL);
  int status;

  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_unsetenv ("GHLO_CACHE");
  g_test_init (&argc, &argv, NULL);
  gpu_class = *ghlo_cpu_device ()->klass;
  gpu_class.name = "gpu";
  gpu_class.unsupported_reason = unsupported_reason;
  gpu_class.open = open_device;
  gpu.identity = g_bytes_new_static ("GPU", 3);
  gpu.rates = &gpu_rates;
  discrete_class = *discrete_device ()->klass;
  discrete_class.unsupported_reason = unsupported_reason;
  discrete_gpu = *discrete_device ();
  discrete_gpu.klass = &discrete_class;
  discrete_gpu.title = "discrete";
  discrete_gpu.driver = "1";
  discrete_gpu.features = no_features;
  discrete_gpu.is_gpu = TRUE;
  discrete_gpu.identity = g_bytes_new_static ("discrete", 8);
  discrete_rates = (GhloDeviceRates) { 0 };
  g_unsetenv ("GHLO_DEVICE");

  g_test_add_func ("/auto/search", test_search);
  g_test_add_func ("/auto/choice", test_choice);
  g_test_add_func ("/auto/asked", test_asked);
  g_test_add_func ("/auto/estimate", test_estimate);
  g_test_add_func ("/auto/calls", test_calls);
  g_test_add_func ("/auto/failure", test_failure);
  g_test_add_func ("/auto/steps", test_steps);
  g_test_add_func ("/auto/calibrated", test_calibrated);
  g_test_add_func ("/auto/rates", test_rates);

  status = g_test_run ();
  ghlo_cache_clear (NULL);
  g_rmdir (inner);
  g_rmdir (folder);

  return status;
}
