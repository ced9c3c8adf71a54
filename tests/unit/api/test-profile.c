/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plans as lists of steps, with estimates before a run and measurements after it.
 */

#include <string.h>

#include "api-help.h"

/* A loop with a known number of iterations, one that ends by its condition, a branch, and a product followed by an
 * addition, which the device may fuse into one step. */
#define N_TRIPS 10
#define PROGRAM \
  "func.func @main(%x: tensor<64x64xf32>, %n: tensor<i32>, %p: tensor<i1>) -> (tensor<64x64xf32>, " \
  "tensor<64x64xf32>) {\n" \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "  %ten = stablehlo.constant dense<10> : tensor<i32>\n" \
  "  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<64x64xf32>\n" \
  "    cond {\n" \
  "      %c = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "      stablehlo.return %c : tensor<i1>\n" \
  "    } do {\n" \
  "      %1 = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) " \
  "-> tensor<64x64xf32>\n" \
  "      %2 = stablehlo.add %i, %one : tensor<i32>\n" \
  "      stablehlo.return %2, %1 : tensor<i32>, tensor<64x64xf32>\n" \
  "    }\n" \
  "  %3:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<64x64xf32>\n" \
  "    cond {\n" \
  "      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "      stablehlo.return %c : tensor<i1>\n" \
  "    } do {\n" \
  "      %4 = stablehlo.multiply %a, %a : tensor<64x64xf32>\n" \
  "      %5 = stablehlo.add %i, %one : tensor<i32>\n" \
  "      stablehlo.return %5, %4 : tensor<i32>, tensor<64x64xf32>\n" \
  "    }\n" \
  "  %6 = \"stablehlo.if\"(%p) ({\n" \
  "    %7 = stablehlo.negate %0#1 : tensor<64x64xf32>\n" \
  "    stablehlo.return %7 : tensor<64x64xf32>\n" \
  "  }, {\n" \
  "    %7 = stablehlo.abs %3#1 : tensor<64x64xf32>\n" \
  "    stablehlo.return %7 : tensor<64x64xf32>\n" \
  "  }) : (tensor<i1>) -> tensor<64x64xf32>\n" \
  "  %8 = stablehlo.dot_general %x, %0#1, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> " \
  "tensor<64x64xf32>\n" \
  "  %9 = stablehlo.add %8, %6 : tensor<64x64xf32>\n" \
  "  return %6, %9 : tensor<64x64xf32>, tensor<64x64xf32>\n" \
  "}\n"

/* No device makes a plan for unknown shapes. */
#define WHOLE \
  "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n" \
  "  %0 = stablehlo.abs %x : tensor<?xf32>\n" \
  "  return %0 : tensor<?xf32>\n" \
  "}\n"

typedef void (*Visit) (GhloPlanStep *step,
                       gpointer      data);

static guint
visit (GListModel *steps,
       Visit       func,
       gpointer    data)
{
  guint n = g_list_model_get_n_items (steps);

  g_assert_true (g_list_model_get_item_type (steps) == GHLO_TYPE_PLAN_STEP);
  for (guint i = 0; i < g_list_model_get_n_items (steps); i++)
    {
      g_autoptr (GhloPlanStep) step = g_list_model_get_item (steps, i);
      g_autoptr (GhloPlanStep) again = g_list_model_get_item (steps, i);

      g_assert_true (step == again);
      func (step, data);
      if (ghlo_plan_step_get_steps (step) != NULL)
        n += visit (ghlo_plan_step_get_steps (step), func, data);
    }
  g_assert_null (g_list_model_get_item (steps, g_list_model_get_n_items (steps)));

  return n;
}

typedef struct
{
  const char   *operation;
  guint         index;      /* among the steps of its kind */
  GhloPlanStep *found;
} Search;

static void
search (GhloPlanStep *step,
        gpointer      data)
{
  Search *self = data;

  if (self->found == NULL && strcmp (ghlo_plan_step_get_operation (step), self->operation) == 0 && self->index-- == 0)
    self->found = step;
}

/* The step is owned by the plan. */
static GhloPlanStep *
find_step (GhloPlan   *plan,
           const char *operation,
           guint       index)
{
  Search self = { operation, index, NULL };

  visit (G_LIST_MODEL (plan), search, &self);
  if (self.found == NULL)
    g_error ("the plan has no step %u of %s", index, operation);

  return self.found;
}

static void
check_estimated (GhloPlanStep *step,
                 gpointer      text)
{
  g_assert_nonnull (strstr (text, ghlo_plan_step_get_detail (step)));
  g_assert_cmpfloat (ghlo_plan_step_get_measurement (step), <, 0);
  g_assert_cmpuint (ghlo_plan_step_get_n_runs (step), ==, 0);
  g_assert_cmpuint (ghlo_plan_step_get_bytes (step), >, 0);
}

/* Programs keep their places, also in the cache. */
static GhloExecutable *
compile_with_places (void)
{
  g_autoptr (GhloCompileOptions) options = ghlo_compile_options_new ();
  g_autoptr (GhloProgram) program = help_parse (PROGRAM);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;
  GhloExecutable *executable;

  ghlo_compile_options_set_debug_info (options, TRUE);
  executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);
  g_assert_no_error (error);

  return executable;
}

static void
test_steps (void)
{
  g_autoptr (GhloExecutable) executable = compile_with_places ();
  const gboolean is_cpu = ghlo_device_get_kind (ghlo_executable_get_device (executable)) == GHLO_DEVICE_KIND_CPU;
  g_autoptr (GhloPlan) plan = ghlo_executable_get_plan (executable);
  g_autofree char *text = ghlo_plan_to_string (plan);
  GhloPlanStep *counted = find_step (plan, "stablehlo.while", 0), *other = find_step (plan, "stablehlo.while", 1);
  GhloPlanStep *product = find_step (plan, "stablehlo.dot_general", 0);
  GhloPlanStep *branch = find_step (plan, "stablehlo.if", 0), *negate = find_step (plan, "stablehlo.negate", 0);

  g_assert_false (ghlo_plan_is_profiled (plan));
  g_assert_cmpuint (visit (G_LIST_MODEL (plan), check_estimated, text), ==, ghlo_plan_get_n_steps (plan));
  g_assert_cmpstr (ghlo_plan_step_get_unit (counted), ==, "host");
  g_assert_null (ghlo_plan_step_get_implementation (counted));
  g_assert_cmpstr (ghlo_plan_step_get_unit (product), ==, is_cpu ? "cpu" : "fake");
  g_assert_cmpstr (ghlo_plan_step_get_implementation (product), ==, is_cpu ? "product" : "step");
  g_assert_nonnull (strstr (ghlo_plan_step_get_place (product), ":10:"));
  g_assert_cmpstr (ghlo_plan_step_get_place (find_step (plan, "copy", 0)), ==, NULL);
  /* Two matrices are read and one is written. */
  g_assert_cmpuint (ghlo_plan_step_get_bytes (product), ==, 3 * 64 * 64 * 4);
  g_assert_null (ghlo_plan_step_get_steps (product));
  g_assert_cmpuint (ghlo_plan_step_get_body (product), ==, 1);
  /* The loop costs as much as what it repeats. */
  g_assert_cmpuint (ghlo_plan_step_get_bytes (counted), >=, N_TRIPS * ghlo_plan_step_get_bytes (product));
  g_assert_cmpfloat (ghlo_plan_step_get_estimate (product), >, 0);
  g_assert_cmpfloat (ghlo_plan_step_get_estimate (counted), >=, N_TRIPS * ghlo_plan_step_get_estimate (product));
  g_assert_cmpfloat (ghlo_plan_step_get_estimate (other), <, 0);
  g_assert_cmpfloat (ghlo_plan_step_get_estimate (branch), >=, ghlo_plan_step_get_estimate (negate));
  g_assert_cmpuint (ghlo_plan_step_get_body (negate), ==, 0);
  g_assert_cmpuint (ghlo_plan_step_get_body (find_step (plan, "stablehlo.abs", 0)), ==, 1);
}

/* The bytes of a fusion are those of its operands and results, without intermediate values. */
static void
test_fusion (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (PROGRAM);
  g_autoptr (GhloPlan) plan = ghlo_executable_get_plan (executable);

  if (ghlo_device_get_kind (ghlo_executable_get_device (executable)) != GHLO_DEVICE_KIND_CPU)
    {
      g_test_skip ("the device does no fusions");
      return;
    }
  g_assert_cmpuint (ghlo_plan_step_get_bytes (find_step (plan, "ghlo.fusion.epilogue", 0)), ==, 4 * 64 * 64 * 4);
}

static GhloSession *
session_new (GhloExecutable *executable,
             GhloBuffer     *inputs[3],
             gint32          n,
             gboolean        predicate)
{
  GhloSession *session = ghlo_session_new (executable);
  g_autofree float *elements = g_new (float, 64 * 64);

  for (guint i = 0; i < 64 * 64; i++)
    elements[i] = 0.01f;
  inputs[0] = help_buffer ("tensor<64x64xf32>", elements, 64 * 64 * sizeof (float));
  inputs[1] = help_buffer ("tensor<i32>", &n, sizeof n);
  inputs[2] = help_buffer ("tensor<i1>", &(guint8) { predicate }, 1);
  ghlo_session_set_profile (session, TRUE);

  return session;
}

static void
add_time (GhloPlanStep *step,
          gpointer      total)
{
  *(double *) total += ghlo_plan_step_get_measurement (step);
}

static double
sum_times (GListModel *steps)
{
  double total = 0;

  for (guint i = 0; i < g_list_model_get_n_items (steps); i++)
    {
      g_autoptr (GhloPlanStep) step = g_list_model_get_item (steps, i);

      add_time (step, &total);
    }

  return total;
}

static void
assert_runs (GhloPlan   *plan,
             const char *operation,
             guint       index,
             guint64     n_runs)
{
  GhloPlanStep *step = find_step (plan, operation, index);

  g_assert_cmpuint (ghlo_plan_step_get_n_runs (step), ==, n_runs);
  if (n_runs > 0)
    g_assert_cmpfloat (ghlo_plan_step_get_measurement (step), >, 0);
  else
    g_assert_cmpfloat (ghlo_plan_step_get_measurement (step), ==, 0);
  if (ghlo_plan_step_get_steps (step) != NULL)
    g_assert_cmpfloat (sum_times (ghlo_plan_step_get_steps (step)), <=, ghlo_plan_step_get_measurement (step));
}

/* Checks a run of PROGRAM with these inputs. */
static void
check_measured (GhloResult *result,
                guint       n,
                gboolean    predicate)
{
  GhloPlan *plan = ghlo_result_get_plan (result);

  g_assert_true (ghlo_plan_is_profiled (plan));
  assert_runs (plan, "stablehlo.while", 0, 1);
  assert_runs (plan, "stablehlo.dot_general", 0, N_TRIPS);
  assert_runs (plan, "stablehlo.while", 1, 1);
  assert_runs (plan, "stablehlo.compare", 0, n + 1);
  assert_runs (plan, "stablehlo.multiply", 0, n);
  assert_runs (plan, "stablehlo.if", 0, 1);
  assert_runs (plan, "stablehlo.negate", 0, predicate);
  assert_runs (plan, "stablehlo.abs", 0, !predicate);
  /* The run's time has a resolution of a microsecond. */
  g_assert_cmpfloat (sum_times (G_LIST_MODEL (plan)), <=, ghlo_timing_get_run (ghlo_result_get_timing (result)) + 1e-6);
}

static void
clear_inputs (GhloBuffer **inputs)
{
  for (guint i = 0; i < 3; i++)
    g_object_unref (inputs[i]);
}

static void
test_run (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (PROGRAM);
  g_autoptr (GhloPlan) plan = ghlo_executable_get_plan (executable);

  for (guint i = 0; i < 4; i++)
    {
      GhloBuffer *inputs[3];
      g_autoptr (GhloSession) session = session_new (executable, inputs, 3 * i, i % 2);
      g_autoptr (GhloResult) measured = help_run_session (session, inputs, 3), again = NULL, other = NULL;

      check_measured (measured, 3 * i, i % 2);
      again = help_run_session (session, inputs, 3);
      check_measured (again, 3 * i, i % 2);
      ghlo_session_set_profile (session, FALSE);
      other = help_run_session (session, inputs, 3);
      g_assert_null (ghlo_result_get_plan (other));
      clear_inputs (inputs);
    }
  g_assert_false (ghlo_plan_is_profiled (plan));
  g_assert_cmpuint (ghlo_plan_step_get_n_runs (find_step (plan, "stablehlo.if", 0)), ==, 0);
}

/* The plan keeps alive what it describes. */
static void
test_alone (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (PROGRAM);
  GhloBuffer *inputs[3];
  g_autoptr (GhloSession) session = session_new (executable, inputs, 1, TRUE);
  g_autoptr (GhloResult) result = help_run_session (session, inputs, 3);
  g_autoptr (GhloPlan) plan = g_object_ref (ghlo_result_get_plan (result));
  g_autoptr (GhloPlanStep) loop = NULL;
  g_autofree char *text = NULL;

  g_clear_object (&result);
  g_clear_object (&session);
  g_clear_object (&executable);
  clear_inputs (inputs);
  loop = g_object_ref (find_step (plan, "stablehlo.while", 0));
  g_clear_object (&plan);
  g_assert_cmpuint (g_list_model_get_n_items (ghlo_plan_step_get_steps (loop)), ==, 1);
  text = ghlo_plan_step_to_string (loop);
  g_assert_nonnull (strstr (text, " ms, 1 times: loop 10 times"));
}

/* Runs called before the previous one has ended, and their carried values. */
static void
test_async (void)
{
  enum { N = 5 };
  g_autoptr (GhloExecutable) executable = help_compile (HELP_COUNTER);
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) pair = help_buffer ("tensor<2xi32>", (gint32[]) { 1, 2 }, 8);
  g_autoptr (GError) error = NULL;
  HelpWait waits[N];

  g_assert_true (ghlo_session_carry (session, 1, 1, pair, &error));
  for (guint i = 0; i < N; i++)
    {
      ghlo_session_set_profile (session, i % 2);
      waits[i] = help_wait_init ();
      ghlo_session_run_async (session, &pair, 1, NULL, help_ready, &waits[i]);
    }
  for (guint i = 0; i < N; i++)
    {
      g_autoptr (GhloResult) result = ghlo_session_run_finish (session, help_wait_run (&waits[i]), &error);
      GhloPlan *plan = ghlo_result_get_plan (result);

      g_assert_no_error (error);
      g_assert_cmpint (plan != NULL, ==, i % 2);
      if (plan != NULL)
        assert_runs (plan, "stablehlo.add", 0, 1);
      help_wait_clear (&waits[i]);
    }
}

static gpointer
run_in_thread (gpointer executable)
{
  for (guint i = 0; i < 20; i++)
    {
      GhloBuffer *inputs[3];
      g_autoptr (GhloSession) session = session_new (executable, inputs, i % 5, i % 2);
      g_autoptr (GhloResult) result = help_run_session (session, inputs, 3);

      check_measured (result, i % 5, i % 2);
      clear_inputs (inputs);
    }

  return NULL;
}

static gpointer
look_in_thread (gpointer plan)
{
  g_autofree char *text = ghlo_plan_to_string (plan);

  for (guint i = 0; i < 20; i++)
    g_assert_cmpuint (visit (G_LIST_MODEL (plan), check_estimated, text), ==, ghlo_plan_get_n_steps (plan));

  return NULL;
}

/* Each run has a profile of its own, and any thread may read a plan. */
static void
test_threads (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (PROGRAM);
  g_autoptr (GhloPlan) plan = ghlo_executable_get_plan (executable);
  GThread *threads[8];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = i % 2 ? g_thread_new ("run", run_in_thread, executable) : g_thread_new ("look", look_in_thread, plan);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

static void
test_cost (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (PROGRAM), sum = help_compile (HELP_ADD);
  g_autoptr (GhloExecutable) whole = help_compile (WHOLE), bare = g_object_new (GHLO_TYPE_EXECUTABLE, NULL);
  g_autoptr (GhloPlan) plan = ghlo_executable_get_plan (sum);
  g_autoptr (GhloPlanStep) step = g_list_model_get_item (G_LIST_MODEL (plan), 0);
  g_autoptr (GhloCost) cost = ghlo_executable_get_cost (executable), sums = ghlo_executable_get_cost (sum);
  g_autoptr (GhloCost) unknown = ghlo_executable_get_cost (whole);

  /* Eleven products; the second loop counts as one iteration, and is marked as unknown. */
  g_assert_cmpfloat (ghlo_cost_get_product_operations (cost), ==, (N_TRIPS + 1) * 2.0 * 64 * 64 * 64);
  g_assert_cmpfloat (ghlo_cost_get_operations (cost), >, ghlo_cost_get_product_operations (cost));
  g_assert_false (ghlo_cost_is_exact (cost));
  g_assert_cmpfloat (ghlo_cost_get_estimate (cost), <, 0);

  g_assert_cmpfloat (ghlo_cost_get_operations (sums), ==, 6);
  g_assert_cmpfloat (ghlo_cost_get_product_operations (sums), ==, 0);
  g_assert_cmpuint (ghlo_cost_get_bytes (sums), ==, 3 * 24);
  g_assert_true (ghlo_cost_is_exact (sums));
  g_assert_cmpfloat (ghlo_cost_get_estimate (sums), ==, ghlo_plan_step_get_estimate (step));
  g_assert_cmpuint (ghlo_cost_get_peak_memory (sums), ==,
                    48 + ghlo_plan_get_memory (plan) + ghlo_plan_get_prepared_memory (plan));

  g_assert_false (ghlo_cost_is_exact (unknown));
  g_assert_cmpfloat (ghlo_cost_get_estimate (unknown), <, 0);
  g_assert_cmpuint (ghlo_cost_get_peak_memory (unknown), ==, 0);
  g_assert_null (ghlo_executable_get_cost (bare));
}

/* A program without a plan of its own is one step. */
static void
test_whole (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (WHOLE);
  g_autoptr (GhloPlan) plan = ghlo_executable_get_plan (executable);
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) input = help_buffer ("tensor<2xf32>", (float[]) { 1, -2 }, 8);
  g_autoptr (GhloResult) result = NULL;
  GhloPlanStep *step = find_step (plan, "func.func", 0);

  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (plan)), ==, 1);
  g_assert_cmpuint (ghlo_plan_get_n_steps (plan), ==, 1);
  g_assert_cmpstr (ghlo_plan_step_get_unit (step), ==, "reference");
  g_assert_null (ghlo_plan_step_get_implementation (step));
  g_assert_null (ghlo_plan_step_get_place (step));
  g_assert_nonnull (strstr (ghlo_plan_step_get_detail (step), "executor runs the whole program"));
  g_assert_cmpfloat (ghlo_plan_step_get_estimate (step), <, 0);
  g_assert_cmpfloat (ghlo_plan_step_get_measurement (step), <, 0);
  ghlo_session_set_profile (session, TRUE);
  result = help_run_session (session, &input, 1);
  assert_runs (ghlo_result_get_plan (result), "func.func", 0, 1);
}

/* The reference device has no plans to measure. */
static void
test_reference (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloProgram) program = help_parse (HELP_ADD);
  g_autoptr (GhloCompileOptions) options = ghlo_compile_options_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) devices = ghlo_client_list_devices (client, NULL, &error);
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GhloSession) session = NULL;
  g_autoptr (GhloBuffer) counts = help_counts (), ones = help_ones ();
  g_autoptr (GhloResult) result = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      g_autoptr (GhloDevice) device = g_list_model_get_item (devices, i);

      if (ghlo_device_get_kind (device) == GHLO_DEVICE_KIND_REFERENCE)
        ghlo_compile_options_set_device (options, device);
    }
  executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (ghlo_executable_get_plan (executable));
  session = ghlo_session_new (executable);
  ghlo_session_set_profile (session, TRUE);
  result = help_run_session (session, (GhloBuffer *[]) { counts, ones }, 2);
  help_assert_sum (result);
  g_assert_null (ghlo_result_get_plan (result));
}

/* A run that fails or is cancelled has no result and leaves no profile behind. */
static void
test_cancelled (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ENDLESS);
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) number = help_number ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *thread = help_cancel_later (cancellable, 20000);

  ghlo_session_set_profile (session, TRUE);
  g_assert_null (ghlo_session_run (session, &number, 1, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profile/steps", test_steps);
  g_test_add_func ("/profile/fusion", test_fusion);
  g_test_add_func ("/profile/run", test_run);
  g_test_add_func ("/profile/alone", test_alone);
  g_test_add_func ("/profile/async", test_async);
  g_test_add_func ("/profile/threads", test_threads);
  g_test_add_func ("/profile/cost", test_cost);
  g_test_add_func ("/profile/whole", test_whole);
  g_test_add_func ("/profile/reference", test_reference);
  g_test_add_func ("/profile/cancelled", test_cancelled);

  return g_test_run ();
}
