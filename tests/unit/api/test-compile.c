/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a compile does to a program before the device's executor gets it: passes, their switches, the report, progress
 * and cancelling. The device is the test's own: the reference executor, run on programs after the passes.
 */

#include <ghlo/ghlo.h>
#include <glib/gstdio.h>
#include <string.h>

#include "compiler/devices.h"
#include "cpu/device.h"
#include "ghlo/ghlo-device-private.h"
#include "ghlo/ghlo-executable-private.h"
#include "reference/device.h"
#include "runtime/cache.h"

/* Folds to one multiplication; the called function vanishes. */
#define FOLDS \
  "func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {\n" \
  "  %0 = stablehlo.add %x, %x : tensor<4xf32>\n" \
  "  return %0 : tensor<4xf32>\n" \
  "}\n" \
  "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" \
  "  %one = stablehlo.constant dense<1.0> : tensor<4xf32>\n" \
  "  %three = func.call @triple(%one) : (tensor<4xf32>) -> tensor<4xf32>\n" \
  "  %0 = stablehlo.multiply %x, %three : tensor<4xf32>\n" \
  "  return %0 : tensor<4xf32>\n" \
  "}\n" \
  "func.func private @triple(%x: tensor<4xf32>) -> tensor<4xf32> {\n" \
  "  %0 = func.call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>\n" \
  "  %1 = stablehlo.add %0, %x : tensor<4xf32>\n" \
  "  return %1 : tensor<4xf32>\n" \
  "}\n"

/* The same with other locations. */
#define FOLDS_ELSEWHERE "\n\n// The same.\n" FOLDS

/* The module of the latest prepare, and the number of prepares. */
static struct
{
  GMutex        lock;
  GhloIrModule *module;
  guint         n_prepared;
  gboolean      slow;
} seen;

static gpointer
load (GhloDeviceCore            *self,
      GhloIrModule              *module,
      GhloIrOp                  *function,
      const GhloPrepareOptions  *options,
      gsize                     *size,
      const GhloMonitor         *monitor,
      GError                   **error)
{
  g_mutex_lock (&seen.lock);
  g_clear_pointer (&seen.module, ghlo_ir_module_unref);
  seen.module = ghlo_ir_module_ref (module);
  seen.n_prepared++;
  g_mutex_unlock (&seen.lock);
  /* Longer than the interval between two notifications. */
  if (seen.slow)
    g_usleep (50000);
  ghlo_monitor_progress (monitor, 0.5, "half");

  return ghlo_reference_device ()->klass->whole_programs->load (self, module, function, options, size, monitor, error);
}

static GhloWholeProgramClass test_programs;
static const GhloDeviceCoreClass test_class = { .name = "seen", .whole_programs = &test_programs };

static const char *const names[] = { "seen", NULL };
static const char *const features[] = { NULL };

static GhloDeviceCore test_core = {
  .klass = &test_class,
  .kind = GHLO_DEVICE_KIND_CPU,
  .names = names,
  .title = "Test",
  .driver = "test",
  .features = features,
  .wants_passes = TRUE,
};

static void
find_device (GPtrArray *devices)
{
  if (devices->len == 0)
    g_ptr_array_add (devices, &test_core);
}

const GhloDeviceFinder ghlo_device_registry[] = {
  { ghlo_cpu_find_devices },
  { ghlo_reference_find_devices },
  { find_device },
  { NULL }
};

static GhloProgram *
parse (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  GhloProgram *program = ghlo_program_parse (bytes, "test.mlir", NULL, &error);

  g_assert_no_error (error);

  return program;
}

/* Options for the test's device, with the cache off. */
static GhloCompileOptions *
options_new (GhloOptimizationLevel level)
{
  GhloDevice *device = ghlo_device_for_core (&test_core);

  return g_object_new (GHLO_TYPE_COMPILE_OPTIONS, "optimization-level", level, "device", device, "caching", FALSE,
                       NULL);
}

static GhloExecutable *
compile (GhloProgram        *program,
         GhloCompileOptions *options)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;
  GhloExecutable *executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (executable);

  return executable;
}

static GhloExecutable *
compile_folds (GhloOptimizationLevel level)
{
  g_autoptr (GhloProgram) program = parse (FOLDS);
  g_autoptr (GhloCompileOptions) options = options_new (level);

  return compile (program, options);
}

static char *
to_text (GhloProgram *program)
{
  return ghlo_program_to_text (program, GHLO_TEXT_FLAGS_NONE, NULL, NULL);
}

static void
assert_triples (GhloExecutable *executable)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse ("tensor<4xf32>", NULL);
  g_autoptr (GhloBuffer) input = ghlo_buffer_new_from_doubles (type, (double[]) { 1, 2, -3, 0.5 }, 4, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = ghlo_executable_execute (executable, &input, 1, NULL, &error);
  g_autoptr (GBytes) bytes = NULL;

  g_assert_no_error (error);
  bytes = ghlo_buffer_read (ghlo_result_get_output (result, 0), NULL, &error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), ((float[]) { 3, 6, -9, 1.5 }), 16);
}

static void
test_passes_run (void)
{
  g_autoptr (GhloProgram) program = parse (FOLDS);
  g_autofree char *before = to_text (program);
  g_autofree char *after = NULL, *text = NULL;
  g_autoptr (GhloCompileOptions) options = options_new (GHLO_OPTIMIZATION_LEVEL_O2);
  g_autoptr (GhloExecutable) executable = compile (program, options);
  GhloCompileReport *report = ghlo_executable_get_report (executable);
  const char *const *passes = ghlo_compile_report_get_passes (report);

  g_assert_cmpuint (ghlo_compile_report_get_n_operations_before (report), ==, 13);
  /* The module, a function, a constant, the product and the return. */
  g_assert_cmpuint (ghlo_compile_report_get_n_operations_after (report), ==, 5);
  g_assert_cmpuint (ghlo_compile_report_get_n_rounds (report), >, 1);
  g_assert_cmpfloat (ghlo_compile_report_get_time (report), >, 0);
  g_assert_true (g_strv_contains (passes, "inline") && g_strv_contains (passes, "cse"));
  g_assert_cmpuint (ghlo_compile_report_get_n_runs (report, "inline"), ==, 1);
  g_assert_cmpuint (ghlo_compile_report_get_n_changes (report, "inline"), >=, 2);
  g_assert_cmpuint (ghlo_compile_report_get_n_changes (report, "fold"), >=, 1);
  g_assert_cmpfloat (ghlo_compile_report_get_pass_time (report, "fold"), >=, 0);
  g_assert_cmpuint (ghlo_compile_report_get_n_runs (report, "no-such-pass"), ==, 0);
  g_assert_cmpuint (ghlo_compile_report_get_n_changes (report, NULL), ==, 0);
  text = ghlo_compile_report_to_string (report);
  g_assert_nonnull (strstr (text, "13 operations became 5"));
  g_assert_null (ghlo_ir_module_find (seen.module, "twice"));
  assert_triples (executable);

  /* The program is unchanged, and so is the one that the executable returns. */
  after = to_text (ghlo_executable_get_program (executable));
  g_assert_cmpstr (before, ==, after);
}

static void
test_levels (void)
{
  g_autoptr (GhloExecutable) none = compile_folds (GHLO_OPTIMIZATION_LEVEL_O0);
  g_autoptr (GhloExecutable) some = compile_folds (GHLO_OPTIMIZATION_LEVEL_O1);
  GhloCompileReport *of_none = ghlo_executable_get_report (none);
  GhloCompileReport *of_some = ghlo_executable_get_report (some);

  g_assert_cmpuint (ghlo_compile_report_get_n_operations_after (of_none), ==, 13);
  g_assert_cmpuint (ghlo_compile_report_get_n_rounds (of_none), ==, 0);
  g_assert_null (ghlo_compile_report_get_passes (of_none)[0]);
  g_assert_cmpuint (ghlo_compile_report_get_n_runs (of_some, "fold"), >, 0);
  g_assert_cmpuint (ghlo_compile_report_get_n_runs (of_some, "cse"), ==, 0);
  assert_triples (none);
  assert_triples (some);
}

/* The reference device runs the program as written. */
static void
test_reference (void)
{
  g_autoptr (GhloProgram) program = parse (FOLDS);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GListModel) devices = ghlo_client_list_devices (client, NULL, NULL);
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GhloCompileReport) report = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      g_autoptr (GhloDevice) device = g_list_model_get_item (devices, i);
      g_autoptr (GhloCompileOptions) options = g_object_new (GHLO_TYPE_COMPILE_OPTIONS, "device", device, NULL);

      if (ghlo_device_get_kind (device) == GHLO_DEVICE_KIND_REFERENCE)
        executable = compile (program, options);
    }
  g_object_get (executable, "report", &report, NULL);
  g_assert_cmpuint (ghlo_compile_report_get_n_operations_before (report), ==, 13);
  g_assert_cmpuint (ghlo_compile_report_get_n_operations_after (report), ==, 13);
  g_assert_null (ghlo_compile_report_get_passes (report)[0]);
}

static void
test_dump (void)
{
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GhloExecutable) bare = g_object_new (GHLO_TYPE_EXECUTABLE, NULL);
  g_autoptr (GhloProgram) program = NULL;
  g_autofree char *parsed = NULL, *passes = NULL, *plan = NULL, *generic = NULL, *written = NULL, *none = NULL;
  g_autoptr (GError) error = NULL;

  test_core.klass = ghlo_cpu_device ()->klass;
  executable = compile_folds (GHLO_OPTIMIZATION_LEVEL_O2);
  program = g_object_ref (ghlo_executable_get_program (executable));
  parsed = ghlo_executable_dump (executable, GHLO_DUMP_STAGE_PARSED, GHLO_TEXT_FLAGS_NONE, NULL, &error);
  g_assert_no_error (error);
  written = to_text (program);
  g_assert_cmpstr (parsed, ==, written);
  passes = ghlo_executable_dump (executable, GHLO_DUMP_STAGE_PASSES, GHLO_TEXT_FLAGS_NONE, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (strstr (passes, "@triple"));
  g_assert_nonnull (strstr (passes, "dense<3.000000e+00>"));
  generic = ghlo_executable_dump (executable, GHLO_DUMP_STAGE_PASSES, GHLO_TEXT_FLAGS_GENERIC, NULL, &error);
  g_assert_nonnull (strstr (generic, "\"stablehlo.multiply\""));
  plan = ghlo_executable_dump (executable, GHLO_DUMP_STAGE_PLAN, GHLO_TEXT_FLAGS_NONE, NULL, &error);
  g_assert_true (g_str_has_prefix (plan, "plan: "));
  g_assert_no_error (error);

  test_core.klass = &test_class;
  g_clear_object (&executable);
  executable = compile_folds (GHLO_OPTIMIZATION_LEVEL_O2);
  none = ghlo_executable_dump (executable, GHLO_DUMP_STAGE_PLAN, GHLO_TEXT_FLAGS_NONE, NULL, &error);
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "makes no plan"));
  g_clear_error (&error);
  none = ghlo_executable_dump (executable, 17, GHLO_TEXT_FLAGS_NONE, NULL, &error);
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  none = ghlo_executable_dump (bare, GHLO_DUMP_STAGE_PARSED, GHLO_TEXT_FLAGS_NONE, NULL, &error);
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
}

static guint
runs_of (const char *const *enabled,
         const char *const *disabled,
         const char        *variable,
         const char        *pass)
{
  g_autoptr (GhloProgram) program = parse (FOLDS);
  g_autoptr (GhloCompileOptions) options = options_new (GHLO_OPTIMIZATION_LEVEL_O1);
  g_autoptr (GhloExecutable) executable = NULL;

  ghlo_compile_options_set_enabled_passes (options, enabled);
  ghlo_compile_options_set_disabled_passes (options, disabled);
  if (variable != NULL)
    g_setenv ("GHLO_DISABLE", variable, TRUE);
  executable = compile (program, options);
  g_unsetenv ("GHLO_DISABLE");
  assert_triples (executable);

  return ghlo_compile_report_get_n_runs (ghlo_executable_get_report (executable), pass);
}

static void
test_switches (void)
{
  const char *const fold[] = { "fold", NULL };
  const char *const share[] = { "cse", NULL };

  g_assert_cmpuint (runs_of (NULL, NULL, NULL, "fold"), >, 0);
  g_assert_cmpuint (runs_of (NULL, fold, NULL, "fold"), ==, 0);
  g_assert_cmpuint (runs_of (fold, fold, NULL, "fold"), ==, 0);
  g_assert_cmpuint (runs_of (NULL, NULL, NULL, "cse"), ==, 0);
  g_assert_cmpuint (runs_of (share, NULL, NULL, "cse"), >, 0);
  g_assert_cmpuint (runs_of (NULL, NULL, "inline, fold", "fold"), ==, 0);
  g_assert_cmpuint (runs_of (NULL, NULL, "inline,canonicalize", "fold"), >, 0);
  /* Options win. */
  g_assert_cmpuint (runs_of (fold, NULL, "fold", "fold"), >, 0);
}

static GString *messages;

static GLogWriterOutput
collect (GLogLevelFlags   level,
         const GLogField *fields,
         gsize            n_fields,
         gpointer         data)
{
  for (gsize i = 0; i < n_fields && (level & G_LOG_LEVEL_DEBUG); i++)
    if (messages != NULL && g_str_equal (fields[i].key, "MESSAGE"))
      g_string_append_printf (messages, "%s\n", (const char *) fields[i].value);

  return level & G_LOG_LEVEL_DEBUG ? G_LOG_WRITER_HANDLED : g_log_writer_default (level, fields, n_fields, data);
}

static void
assert_refused (GhloCompileOptions *options,
                const char         *pattern)
{
  g_autoptr (GhloProgram) program = parse (FOLDS);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_client_compile (client, program, options, NULL, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("expected %s, found %s", pattern, error->message);
}

static void
test_unknown (void)
{
  static const char *const wish[] = { "fold", "unrol", NULL }, *const empty[] = { "", NULL };

  for (guint level = GHLO_OPTIMIZATION_LEVEL_O0; level <= GHLO_OPTIMIZATION_LEVEL_O3; level++)
    {
      g_autoptr (GhloCompileOptions) options = options_new ((GhloOptimizationLevel) level);

      ghlo_compile_options_set_enabled_passes (options, wish);
      assert_refused (options, "expected names of passes in the option enabled-passes, which are 'inline', *, "
                      "'widen-floats', found 'unrol'");
      ghlo_compile_options_set_enabled_passes (options, NULL);
      ghlo_compile_options_set_disabled_passes (options, wish);
      assert_refused (options, "* in the option disabled-passes, which are 'inline', * found 'unrol'");
      ghlo_compile_options_set_disabled_passes (options, empty);
      assert_refused (options, "* found ''");
    }

  messages = g_string_new (NULL);
  g_assert_cmpuint (runs_of (NULL, NULL, "fuse", "fold"), >, 0);
  g_assert_nonnull (strstr (messages->str, "GHLO_DISABLE names 'fuse', but no pass is called that; "
                            "the passes are 'inline', "));
  g_string_free (g_steal_pointer (&messages), TRUE);
}

#define CHAIN \
  "func.func @main(%x: tensor<6x6xf32>) -> tensor<6x6xf32> {\n" \
  "  %0 = stablehlo.dot %x, %x : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>\n" \
  "  %1 = stablehlo.subtract %0, %x : tensor<6x6xf32>\n" \
  "  %2 = stablehlo.negate %1 : tensor<6x6xf32>\n" \
  "  %3 = stablehlo.dot %2, %x : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>\n" \
  "  %4 = stablehlo.negate %3 : tensor<6x6xf32>\n" \
  "  return %4 : tensor<6x6xf32>\n" \
  "}\n"

/* The number of operations that are fused into the plan's steps, beyond the first of each step. The strings are the
 * values of GHLO_FUSE and GHLO_DISABLE. */
static guint
count_merges (const char *variable,
              const char *disabled,
              gboolean    caching)
{
  g_autoptr (GhloProgram) program = parse (CHAIN);
  GhloDevice *device = ghlo_device_for_core (ghlo_devices_find ("cpu"));
  g_autoptr (GhloCompileOptions) options = g_object_new (GHLO_TYPE_COMPILE_OPTIONS, "device", device, "caching",
                                                         caching, "wait-for-code", TRUE, NULL);
  g_autoptr (GhloExecutable) executable = NULL;
  g_autofree char *plan = NULL;
  guint n = 0;

  if (variable != NULL)
    g_setenv ("GHLO_FUSE", variable, TRUE);
  if (disabled != NULL)
    g_setenv ("GHLO_DISABLE", disabled, TRUE);
  executable = compile (program, options);
  g_unsetenv ("GHLO_FUSE");
  g_unsetenv ("GHLO_DISABLE");
  plan = ghlo_executable_dump (executable, GHLO_DUMP_STAGE_PLAN, GHLO_TEXT_FLAGS_NONE, NULL, NULL);
  for (const char *p = plan; (p = strstr (p, " + ")) != NULL; p++)
    n++;

  return n;
}

static void
test_fusions (void)
{
  g_assert_cmpuint (count_merges (NULL, NULL, FALSE), ==, 3);
  for (guint n = 0; n < 5; n++)
    {
      g_autofree char *variable = g_strdup_printf ("%u", n);

      g_assert_cmpuint (count_merges (variable, NULL, FALSE), ==, MIN (n, 3));
    }
  g_assert_cmpuint (count_merges ("", NULL, FALSE), ==, 3);
  g_assert_cmpuint (count_merges (NULL, "cse,fuse-epilogues,fuse-maps", FALSE), ==, 0);
  messages = g_string_new (NULL);
  g_assert_cmpuint (count_merges ("-1", NULL, FALSE), ==, 3);
  g_assert_cmpuint (count_merges ("2x", NULL, FALSE), ==, 3);
  g_assert_nonnull (strstr (messages->str, "expected a number of merges from 0 to 2147483647 in GHLO_FUSE, "
                                             "found '-1'"));
  g_assert_nonnull (strstr (messages->str, "found '2x'"));
  g_string_free (g_steal_pointer (&messages), TRUE);
  /* Removes the code of kernels, too. */
  g_assert_true (ghlo_cache_clear (NULL));
}

/* Cached programs are unfused, and so serve any value of GHLO_FUSE. */
static void
test_fusions_cached (void)
{
  g_setenv ("GHLO_CACHE", "all", TRUE);
  for (guint round = 0; round < 2; round++)
    {
      g_assert_cmpuint (count_merges (NULL, NULL, TRUE), ==, 3);
      g_assert_cmpuint (count_merges ("1", NULL, TRUE), ==, 1);
    }
  g_assert_true (ghlo_cache_clear (NULL));
  g_unsetenv ("GHLO_CACHE");
}

typedef struct
{
  guint         n_passes, n_codegen;   /* notifications in the stage */
  double        latest, half;          /* fractions: the last one, and that of the stage CODEGEN */
  GCancellable *cancellable;           /* nullable: to be cancelled in the stage PASSES */
} Watch;

static void
on_fraction (GhloProgress *progress,
             GParamSpec   *pspec,
             Watch        *watch)
{
  GhloProgressStage stage = ghlo_progress_get_stage (progress);

  g_assert_cmpfloat (ghlo_progress_get_fraction (progress), >=, watch->latest);
  watch->latest = ghlo_progress_get_fraction (progress);
  if (stage == GHLO_PROGRESS_STAGE_PASSES)
    {
      g_assert_cmpuint (watch->n_codegen, ==, 0);
      watch->n_passes++;
      if (watch->cancellable != NULL)
        g_cancellable_cancel (watch->cancellable);
    }
  else if (stage == GHLO_PROGRESS_STAGE_CODEGEN)
    {
      watch->n_codegen++;
      watch->half = ghlo_progress_get_fraction (progress);
    }
}

static gboolean
compile_watched (Watch   *watch,
                 GError **error)
{
  g_autoptr (GhloProgram) program = parse (FOLDS);
  g_autoptr (GhloCompileOptions) options = options_new (GHLO_OPTIMIZATION_LEVEL_O2);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloProgress) progress = ghlo_progress_new ();
  g_autoptr (GhloExecutable) executable = NULL;

  g_signal_connect (progress, "notify", G_CALLBACK (on_fraction), watch);
  executable = ghlo_client_compile (client, program, options, progress, watch->cancellable, error);

  return executable != NULL;
}

static void
test_progress (void)
{
  Watch watch = { 0 };
  g_autoptr (GError) error = NULL;

  seen.slow = TRUE;
  g_assert_true (compile_watched (&watch, &error));
  seen.slow = FALSE;
  g_assert_no_error (error);
  g_assert_cmpuint (watch.n_passes, >, 0);
  g_assert_cmpuint (watch.n_codegen, >, 0);
  g_assert_cmpfloat (watch.half, ==, 0.75);
  g_assert_cmpfloat (watch.latest, ==, 1);
}

static void
test_cancel (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Watch watch = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;
  guint n_prepared = seen.n_prepared;

  g_assert_false (compile_watched (&watch, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (watch.n_passes, >, 0);
  g_assert_cmpuint (seen.n_prepared, ==, n_prepared);
}

/* Compiles once with caches, and checks the statistics. */
static GhloExecutable *
compile_cached (const char *text,
                const char *file,
                gboolean    debug_info,
                guint       n_hits,
                guint       n_misses)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GhloProgram) program = ghlo_program_parse (bytes, file, NULL, NULL);
  g_autoptr (GhloCompileOptions) options = options_new (GHLO_OPTIMIZATION_LEVEL_O2);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloStatistics) statistics = NULL, of_client = NULL;
  GhloExecutable *executable;

  g_object_set (options, "caching", TRUE, "debug-info", debug_info, NULL);
  executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);
  g_assert_no_error (error);
  statistics = ghlo_executable_get_statistics (executable);
  of_client = ghlo_client_get_statistics (client);
  g_assert_cmpuint (ghlo_statistics_get_n_cache_hits (statistics), ==, n_hits);
  g_assert_cmpuint (ghlo_statistics_get_n_cache_misses (statistics), ==, n_misses);
  g_assert_cmpuint (ghlo_statistics_get_n_cache_hits (of_client), ==, n_hits);
  g_assert_cmpuint (ghlo_statistics_get_n_cache_misses (of_client), ==, n_misses);
  assert_triples (executable);

  return executable;
}

static guint
count_files (void)
{
  g_autoptr (GPtrArray) files = ghlo_cache_list (NULL);

  return files->len;
}

/* An executable in use is shared; each executable still has its own statistics and program. */
static void
test_in_use (void)
{
  guint n = seen.n_prepared;
  g_autoptr (GhloExecutable) one = NULL;
  g_autoptr (GhloExecutable) two = NULL;
  g_autoptr (GhloExecutable) three = NULL;
  g_autoptr (GhloStatistics) statistics = NULL;

  g_setenv ("GHLO_CACHE", "memory", TRUE);
  one = compile_cached (FOLDS, "test.mlir", FALSE, 0, 1);
  two = compile_cached (FOLDS_ELSEWHERE, "test.mlir", FALSE, 1, 0);
  g_assert_cmpuint (seen.n_prepared, ==, n + 1);
  g_assert_true (ghlo_executable_get_core (one)->compilation == ghlo_executable_get_core (two)->compilation);
  g_assert_true (ghlo_executable_get_program (one) != ghlo_executable_get_program (two));
  assert_triples (two);
  statistics = ghlo_executable_get_statistics (one);
  g_assert_cmpuint (ghlo_statistics_get_n_runs (statistics), ==, 1);

  /* Errors name the file and, with debug information, the location: such programs are not shared. */
  three = compile_cached (FOLDS, "other.mlir", FALSE, 0, 1);
  g_clear_object (&three);
  three = compile_cached (FOLDS, "test.mlir", TRUE, 0, 1);
  g_assert_cmpuint (seen.n_prepared, ==, n + 3);

  /* An unused executable is dropped, and nothing is on disk. */
  g_clear_object (&one);
  g_clear_object (&two);
  one = compile_cached (FOLDS, "test.mlir", FALSE, 0, 1);
  g_assert_cmpuint (seen.n_prepared, ==, n + 4);
  g_assert_cmpuint (count_files (), ==, 0);
  g_unsetenv ("GHLO_CACHE");
}

static void
test_on_disk (void)
{
  g_autoptr (GhloExecutable) one = NULL;
  g_autoptr (GhloCompileReport) report = NULL;
  g_autofree char *made = NULL, *again = NULL;
  GhloCompileReport *found;

  g_setenv ("GHLO_CACHE", "all", TRUE);
  one = compile_cached (FOLDS, "test.mlir", FALSE, 0, 1);
  report = ghlo_compile_report_ref (ghlo_executable_get_report (one));
  made = ghlo_executable_dump (one, GHLO_DUMP_STAGE_PASSES, GHLO_TEXT_FLAGS_STRIP_LOCATIONS, NULL, NULL);
  g_assert_cmpuint (count_files (), ==, 1);
  g_clear_object (&one);

  one = compile_cached (FOLDS_ELSEWHERE, "other.mlir", FALSE, 1, 0);
  found = ghlo_executable_get_report (one);
  g_assert_true (found != report);
  g_assert_cmpfloat (ghlo_compile_report_get_time (found), ==, ghlo_compile_report_get_time (report));
  g_assert_cmpuint (ghlo_compile_report_get_n_changes (found, "fold"), ==,
                    ghlo_compile_report_get_n_changes (report, "fold"));
  again = ghlo_executable_dump (one, GHLO_DUMP_STAGE_PASSES, GHLO_TEXT_FLAGS_STRIP_LOCATIONS, NULL, NULL);
  g_assert_cmpstr (made, ==, again);
  g_clear_object (&one);

  /* Another process. */
  g_test_trap_subprocess ("/compile/subprocess/on-disk", 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
  g_assert_true (ghlo_cache_clear (NULL));
  one = compile_cached (FOLDS, "test.mlir", FALSE, 0, 1);
  g_assert_true (ghlo_cache_clear (NULL));
  g_unsetenv ("GHLO_CACHE");
}

static void
test_other_process (void)
{
  g_autoptr (GhloExecutable) executable G_GNUC_UNUSED = compile_cached (FOLDS, "test.mlir", FALSE, 1, 0);
  g_autoptr (GhloExecutable) other = NULL;

  /* A program with locations differs from the one without. */
  other = compile_cached (FOLDS, "test.mlir", TRUE, 0, 1);
}

/* A file that is damaged, or another program's, is replaced. */
static void
test_damaged (void)
{
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GPtrArray) files = NULL;
  g_autofree char *path = NULL, *contents = NULL;
  gsize size;

  g_setenv ("GHLO_CACHE", "all", TRUE);
  executable = compile_cached (FOLDS, "test.mlir", FALSE, 0, 1);
  g_clear_object (&executable);
  files = ghlo_cache_list (NULL);
  g_assert_cmpuint (files->len, ==, 1);
  path = g_build_filename (ghlo_cache_get_path (), ((GhloCacheFile *) files->pdata[0])->name, NULL);
  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  for (gsize i = 0; i < size; i += 7)
    {
      g_assert_true (g_file_set_contents (path, contents, i, NULL));
      executable = compile_cached (FOLDS, "test.mlir", FALSE, 0, 1);
      g_clear_object (&executable);
      executable = compile_cached (FOLDS, "test.mlir", FALSE, 1, 0);
      g_clear_object (&executable);
    }
  g_assert_true (ghlo_cache_clear (NULL));
  g_unsetenv ("GHLO_CACHE");
}

static void
test_without_cache (void)
{
  g_autoptr (GhloExecutable) one = NULL;
  g_autoptr (GhloExecutable) two = NULL;
  guint n = seen.n_prepared;

  g_setenv ("GHLO_CACHE", "off", TRUE);
  one = compile_cached (FOLDS, "test.mlir", FALSE, 0, 0);
  two = compile_cached (FOLDS, "test.mlir", FALSE, 0, 0);
  g_assert_cmpuint (seen.n_prepared, ==, n + 2);
  g_setenv ("GHLO_CACHE", "all", TRUE);
  g_clear_object (&two);
  /* The option. */
  two = compile_folds (GHLO_OPTIMIZATION_LEVEL_O2);
  g_assert_cmpuint (seen.n_prepared, ==, n + 3);
  g_assert_cmpuint (count_files (), ==, 0);
  g_unsetenv ("GHLO_CACHE");
}

static guint64
hits_of (GhloClient *client)
{
  g_autoptr (GhloStatistics) statistics = ghlo_client_get_statistics (client);

  return ghlo_statistics_get_n_cache_hits (statistics);
}

/* A loaded executable finds its device, and shares the program's compiled form in use there. */
static void
test_loaded (void)
{
  g_autoptr (GhloExecutable) one = NULL;
  g_autoptr (GhloExecutable) first = NULL;
  g_autoptr (GhloExecutable) second = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;

  g_setenv ("GHLO_CACHE", "memory", TRUE);
  one = compile_cached (FOLDS, "test.mlir", FALSE, 0, 1);
  bytes = ghlo_executable_serialize (one, NULL, NULL);
  first = ghlo_client_load_executable (client, bytes, GHLO_LOAD_FLAGS_NONE, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hits_of (client), ==, 1);
  second = ghlo_client_load_executable (client, bytes, GHLO_LOAD_FLAGS_NONE, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hits_of (client), ==, 2);
  assert_triples (first);
  assert_triples (second);
  g_unsetenv ("GHLO_CACHE");
}

enum { N_THREADS = 4, N_COMPILES = 50 };

static gpointer
compile_again_and_again (gpointer data)
{
  for (guint i = 0; i < N_COMPILES; i++)
    {
      g_autoptr (GhloProgram) program = parse (i % 2 == 0 ? FOLDS : FOLDS_ELSEWHERE);
      g_autoptr (GhloCompileOptions) options = options_new (GHLO_OPTIMIZATION_LEVEL_O2);
      g_autoptr (GhloExecutable) executable = NULL;

      ghlo_compile_options_set_caching (options, TRUE);
      executable = compile (program, options);
      assert_triples (executable);
    }

  return NULL;
}

/* Looked up while the last reference is dropped. */
static void
test_threads (void)
{
  GThread *threads[N_THREADS];

  g_setenv ("GHLO_CACHE", "memory", TRUE);
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new (NULL, compile_again_and_again, NULL);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  g_unsetenv ("GHLO_CACHE");
}

int
main (int    argc,
      char **argv)
{
  gboolean inner = g_getenv ("GHLO_TEST_CACHE") != NULL;
  g_autofree char *folder = inner ? g_strdup (g_getenv ("GHLO_TEST_CACHE")) : g_dir_make_tmp ("ghlo-XXXXXX", NULL);
  int status;

  test_programs = *ghlo_reference_device ()->klass->whole_programs;
  test_programs.load = load;
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_setenv ("GHLO_TEST_CACHE", folder, TRUE);
  g_log_set_writer_func (collect, NULL, NULL);
  g_unsetenv ("GHLO_DISABLE");
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/compile/passes", test_passes_run);
  g_test_add_func ("/compile/levels", test_levels);
  g_test_add_func ("/compile/reference", test_reference);
  g_test_add_func ("/compile/dump", test_dump);
  g_test_add_func ("/compile/switches", test_switches);
  g_test_add_func ("/compile/unknown", test_unknown);
  g_test_add_func ("/compile/fusions", test_fusions);
  g_test_add_func ("/compile/fusions-cached", test_fusions_cached);
  g_test_add_func ("/compile/progress", test_progress);
  g_test_add_func ("/compile/cancel", test_cancel);
  g_test_add_func ("/compile/in-use", test_in_use);
  g_test_add_func ("/compile/on-disk", test_on_disk);
  g_test_add_func ("/compile/subprocess/on-disk", test_other_process);
  g_test_add_func ("/compile/damaged", test_damaged);
  g_test_add_func ("/compile/without-cache", test_without_cache);
  g_test_add_func ("/compile/loaded", test_loaded);
  g_test_add_func ("/compile/threads", test_threads);

  status = g_test_run ();
  g_clear_pointer (&seen.module, ghlo_ir_module_unref);
  if (!inner)
    {
      ghlo_cache_clear (NULL);
      g_rmdir (ghlo_cache_get_path ());
      g_rmdir (folder);
    }

  return status;
}
