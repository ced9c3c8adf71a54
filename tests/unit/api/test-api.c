/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The public API through the shared library alone: each slow call in its sync and async form, cancelling, progress,
 * misuse, and the lifetime of objects.
 */

#include "api-help.h"

#include <string.h>
#include <unistd.h>

static const float ones[6] = { 1, 1, 1, 1, 1, 1 };
static const float counts[6] = { 0, 1, 2, 3, 4, 5 };

/* All steps from text to results in their sync form. */
static void
test_sync (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD);
  g_autoptr (GhloBuffer) left = help_buffer ("tensor<2x3xf32>", counts, sizeof counts);
  g_autoptr (GhloBuffer) right = help_buffer ("tensor<2x3xf32>", ones, sizeof ones);
  GhloBuffer *const inputs[] = { left, right };
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = ghlo_executable_execute (executable, inputs, 2, NULL, &error);
  gsize n;

  g_assert_no_error (error);
  help_assert_sum (result);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (result)), ==, 1);
  g_assert_true (g_list_model_get_item_type (G_LIST_MODEL (result)) == GHLO_TYPE_BUFFER);
  g_assert_true (ghlo_result_get_outputs (result, &n)[0] == ghlo_result_get_output (result, 0));
  g_assert_cmpuint (n, ==, 1);
  g_assert_null (ghlo_result_get_output (result, 1));
  g_assert_cmpfloat (ghlo_timing_get_run (ghlo_result_get_timing (result)), >=, 0);
}

/* A program without inputs, operations and outputs. */
static void
test_empty (void)
{
  g_autoptr (GhloExecutable) executable = help_compile ("func.func @main() {\n  return\n}\n");
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = ghlo_executable_execute (executable, NULL, 0, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 0);
}

/* A wait that also reads the progress in the callback. */
typedef struct
{
  HelpWait      wait;
  GhloProgress *progress;        /* borrowed */
  double        fraction;
} ProgressWait;

static void
on_progress_ready (GObject      *source,
                   GAsyncResult *result,
                   gpointer      data)
{
  ProgressWait *self = data;

  help_ready (source, result, &self->wait);
  self->fraction = ghlo_progress_get_fraction (self->progress);
}

static void
on_fraction (GObject    *object,
             GParamSpec *pspec,
             gpointer    data)
{
  GArray *seen = data;
  double fraction = ghlo_progress_get_fraction (GHLO_PROGRESS (object));

  if (seen->len > 0)
    g_assert_cmpfloat (fraction, >=, g_array_index (seen, double, seen->len - 1));
  g_array_append_val (seen, fraction);
}

/* All steps in their async form, in this thread's default context. */
static void
run_async_road (void)
{
  g_autoptr (GBytes) bytes = g_bytes_new (HELP_ADD, strlen (HELP_ADD));
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloProgress) progress = ghlo_progress_new ();
  g_autoptr (GArray) seen = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = NULL;
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GhloResult) result = NULL;
  g_autoptr (GListModel) devices = NULL;
  g_autoptr (GBytes) read = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GhloBuffer) left = help_buffer ("tensor<2x3xf32>", counts, sizeof counts);
  g_autoptr (GhloBuffer) right = help_buffer ("tensor<2x3xf32>", ones, sizeof ones);
  GhloBuffer *const inputs[] = { left, right };
  ProgressWait compiled;
  HelpWait wait;

  g_signal_connect (progress, "notify::fraction", G_CALLBACK (on_fraction), seen);

  wait = help_wait_init ();
  ghlo_program_parse_async (bytes, NULL, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  program = ghlo_program_parse_finish (wait.result, &error);
  g_assert_no_error (error);
  g_assert_true (wait.thread == g_thread_self ());
  help_wait_clear (&wait);

  wait = help_wait_init ();
  ghlo_client_list_devices_async (client, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  devices = ghlo_client_list_devices_finish (client, wait.result, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (devices), >=, 1);
  help_wait_clear (&wait);

  compiled = (ProgressWait) { help_wait_init (), progress, -1 };
  ghlo_client_compile_async (client, program, NULL, progress, NULL, on_progress_ready, &compiled);
  executable = ghlo_client_compile_finish (client, help_wait_for_call (&compiled.wait), &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (compiled.fraction, ==, 1);
  g_assert_cmpint (ghlo_progress_get_stage (progress), ==, GHLO_PROGRESS_STAGE_DONE);
  g_assert_cmpuint (seen->len, >=, 1);
  g_assert_true (ghlo_executable_get_program (executable) == program);
  help_wait_clear (&compiled.wait);

  wait = help_wait_init ();
  ghlo_executable_execute_async (executable, inputs, 2, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  result = ghlo_executable_execute_finish (executable, wait.result, &error);
  g_assert_no_error (error);
  help_assert_sum (result);
  help_wait_clear (&wait);

  wait = help_wait_init ();
  ghlo_buffer_read_async (left, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  read = ghlo_buffer_read_finish (left, wait.result, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (read, NULL), g_bytes_get_size (read), counts, sizeof counts);
  help_wait_clear (&wait);

  wait = help_wait_init ();
  ghlo_program_to_text_async (program, GHLO_TEXT_FLAGS_STRIP_LOCATIONS, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  text = ghlo_program_to_text_finish (program, wait.result, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "stablehlo.add"));
  help_wait_clear (&wait);
}

static void
test_async (void)
{
  run_async_road ();
}

static gpointer
run_in_context (gpointer data)
{
  g_autoptr (GMainContext) context = g_main_context_new ();

  g_main_context_push_thread_default (context);
  run_async_road ();
  g_main_context_pop_thread_default (context);

  return NULL;
}

static void
test_other_context (void)
{
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("caller", run_in_context, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

static void
test_load (void)
{
  g_autofree char *name = NULL, *nowhere = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) file = NULL, missing = NULL;
  g_autoptr (GhloProgram) program = NULL;
  int fd = g_file_open_tmp ("ghlo-XXXXXX.mlir", &name, &error);
  HelpWait wait;

  g_assert_no_error (error);
  close (fd);
  g_assert_true (g_file_set_contents (name, HELP_ADD, -1, NULL));
  file = g_file_new_for_path (name);
  nowhere = g_strconcat (name, "-missing/model.mlir", NULL);
  missing = g_file_new_for_path (nowhere);

  program = ghlo_program_load (file, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_suffix (name, ghlo_program_get_name (program)));
  g_clear_object (&program);

  wait = help_wait_init ();
  ghlo_program_load_async (file, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  program = ghlo_program_load_finish (wait.result, &error);
  g_assert_no_error (error);
  help_wait_clear (&wait);
  g_clear_object (&program);
  unlink (name);

  g_assert_null (ghlo_program_load (missing, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_null (ghlo_program_load (NULL, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
}

static void
test_errors (void)
{
  static const char wrong[] = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                              "  %0 = stablehlo.add %x, %y : tensor<2xf32>\n"
                              "  return %0 : tensor<2xf32>\n"
                              "}\n";
  static const guint8 artifact[] = { 'M', 'L', 0xef, 'R', 13, 'S', 't' };
  g_autoptr (GBytes) bytes = g_bytes_new_static (wrong, strlen (wrong));
  g_autoptr (GBytes) binary = g_bytes_new_static (artifact, sizeof artifact);
  g_autoptr (GBytes) commands = g_bytes_new_static ("\033[31m\b\a", 7);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_null (ghlo_program_parse (bytes, "model.mlir", NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_PARSE);
  lines = g_strsplit (error->message, "\n", -1);
  g_assert_true (g_str_has_prefix (lines[0], "model.mlir:2:"));
  g_assert_cmpuint (g_strv_length (lines), ==, 3);
  g_assert_nonnull (strchr (lines[2], '^'));
  g_clear_error (&error);

  g_assert_null (ghlo_program_parse (binary, "model.mlirbc", NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_PARSE);
  g_assert_true (g_str_has_prefix (error->message, "model.mlirbc: at byte "));
  g_clear_error (&error);

  /* Control characters in an excerpt must not reach the terminal. */
  g_assert_null (ghlo_program_parse (commands, "model.mlir", NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_PARSE);
  g_assert_nonnull (strstr (error->message, "\n [31m  \n"));
  g_clear_error (&error);
  g_assert_null (ghlo_program_parse (NULL, NULL, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
}

static void
test_check (void)
{
  static const char wrong[] = "func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {\n"
                              "  %0 = \"stablehlo.add\"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\n"
                              "  return %0 : tensor<2xf32>\n"
                              "}\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (wrong, strlen (wrong));
  g_autoptr (GBytes) right = g_bytes_new_static (HELP_ADD, strlen (HELP_ADD));
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) findings = ghlo_program_check (bytes, "model.mlir", NULL, &error);
  g_autoptr (GListModel) nothing = ghlo_program_check (right, NULL, NULL, &error);
  g_autoptr (GhloDiagnostic) first = NULL;
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (nothing), ==, 0);
  g_assert_cmpuint (g_list_model_get_n_items (findings), >=, 1);
  first = g_list_model_get_item (findings, 0);
  g_assert_cmpint (ghlo_diagnostic_get_severity (first), ==, GHLO_SEVERITY_ERROR);
  g_assert_cmpint (ghlo_diagnostic_get_code (first), ==, GHLO_ERROR_VERIFY);
  g_assert_cmpstr (ghlo_diagnostic_get_file (first), ==, "model.mlir");
  g_assert_cmpuint (ghlo_diagnostic_get_line (first), ==, 2);
  g_assert_cmpuint (ghlo_diagnostic_get_column (first), >, 0);
  g_assert_nonnull (ghlo_diagnostic_get_excerpt (first));
  text = ghlo_diagnostic_to_string (first);
  g_assert_true (g_str_has_prefix (text, "model.mlir:2:"));
}

static void
test_signature (void)
{
  g_autoptr (GhloProgram) program = help_parse (
    "func.func @main(%weights: tensor<?x3xf32> {tf.aliasing_output = 1 : i32}, %arg1: !stablehlo.token,\n"
    "                %arg2: tensor<i1> loc(\"flag\"))\n"
    "    -> (!stablehlo.token, tensor<?x3xf32> {jax.result_info = \"new\"}) {\n"
    "  return %arg1, %weights : !stablehlo.token, tensor<?x3xf32>\n"
    "}\n");
  GhloValueInfo **inputs = ghlo_program_list_inputs (program);
  GhloValueInfo **outputs = ghlo_program_list_outputs (program);
  g_autofree char *text = ghlo_value_info_to_string (inputs[0]);

  g_assert_cmpstr (text, ==, "weights: tensor<?x3xf32>");
  g_assert_true (ghlo_value_info_is_donatable (inputs[0]));
  g_assert_cmpint (ghlo_value_info_get_kind (inputs[1]), ==, GHLO_VALUE_TOKEN);
  g_assert_null (ghlo_value_info_get_name (inputs[1]));
  g_assert_null (ghlo_value_info_get_tensor_type (inputs[1]));
  g_assert_cmpstr (ghlo_value_info_get_name (inputs[2]), ==, "flag");
  g_assert_false (ghlo_value_info_is_donatable (inputs[2]));
  g_assert_null (inputs[3]);
  g_assert_cmpint (ghlo_value_info_get_aliased_input (outputs[0]), ==, -1);
  g_assert_cmpint (ghlo_value_info_get_aliased_input (outputs[1]), ==, 0);
  g_assert_cmpstr (ghlo_value_info_get_name (outputs[1]), ==, "new");
  g_assert_null (outputs[2]);

  for (guint i = 0; inputs[i] != NULL; i++)
    ghlo_value_info_unref (inputs[i]);
  for (guint i = 0; outputs[i] != NULL; i++)
    ghlo_value_info_unref (outputs[i]);
  g_free (inputs);
  g_free (outputs);
}

/* Names in a program may be any bytes; the API returns UTF-8. */
static void
test_odd_names (void)
{
  static const char *const wrong =
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %0 = func.call @\"un\\FFknown\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %0 : tensor<2xf32>\n"
    "}\n";
  static const char *const odd =
    "func.func @main(%x: tensor<2xf32> loc(\"in\\FFput\")) -> tensor<2xf32> {\n"
    "  %0 = stablehlo.custom_call @\"un\\FFknown\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %0 : tensor<2xf32>\n"
    "}\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (wrong, strlen (wrong));
  g_autoptr (GhloProgram) program = help_parse (odd);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GError) error = NULL;
  GhloValueInfo **inputs = ghlo_program_list_inputs (program);

  g_assert_cmpstr (ghlo_value_info_get_name (inputs[0]), ==, "in\357\277\275put");
  ghlo_value_info_unref (inputs[0]);
  g_free (inputs);

  g_assert_null (ghlo_program_parse (bytes, NULL, NULL, &error));
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_nonnull (strstr (error->message, "'un\357\277\275known'"));
  g_clear_error (&error);
  executable = ghlo_client_compile (client, program, NULL, NULL, NULL, &error);
  if (executable != NULL)
    {
      g_autoptr (GBytes) serialized = ghlo_executable_serialize (executable, NULL, &error);
      g_autoptr (GhloBuffer) pair = help_buffer ("tensor<2xf32>", counts, 8);

      g_assert_no_error (error);
      g_assert_nonnull (serialized);
      g_assert_null (ghlo_executable_execute (executable, &pair, 1, NULL, &error));
    }
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

/* Both forms of a run that must fail with INVALID_ARGUMENT. */
static void
assert_refused (GhloExecutable     *executable,
                GhloBuffer * const *inputs,
                gsize               n_inputs,
                const char         *pattern)
{
  g_autoptr (GError) error = NULL;
  HelpWait wait;

  g_assert_null (ghlo_executable_execute (executable, inputs, n_inputs, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_assert_true (g_pattern_match_simple (pattern, error->message));
  g_clear_error (&error);

  wait = help_wait_init ();
  ghlo_executable_execute_async (executable, inputs, n_inputs, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  g_assert_null (ghlo_executable_execute_finish (executable, wait.result, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  help_wait_clear (&wait);
}

static void
test_mistakes (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD);
  g_autoptr (GhloBuffer) good = help_buffer ("tensor<2x3xf32>", counts, sizeof counts);
  g_autoptr (GhloBuffer) shape = help_buffer ("tensor<6xf32>", counts, sizeof counts);
  g_autoptr (GhloBuffer) type = help_buffer ("tensor<2x3xi32>", counts, sizeof counts);
  g_autoptr (GhloBuffer) released = help_buffer ("tensor<2x3xf32>", counts, sizeof counts);
  g_autoptr (GhloBuffer) bare = g_object_new (GHLO_TYPE_BUFFER, NULL);
  g_autoptr (GhloBuffer) token = ghlo_buffer_new_token ();
  g_autoptr (GhloTensorType) tensor_type = ghlo_tensor_type_ref (ghlo_buffer_get_tensor_type (good));
  g_autoptr (GBytes) few = g_bytes_new (counts, 6);
  g_autoptr (GBytes) odd = g_bytes_new ("\0\1\2\1\0\1", 6);
  g_autoptr (GhloTensorType) booleans = NULL;
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;
  HelpWait wait;

  ghlo_buffer_release (released);
  assert_refused (executable, NULL, 0, "expected 2 inputs*found 0*");
  assert_refused (executable, NULL, 2, "expected 2 inputs*found 0*");
  assert_refused (executable, (GhloBuffer *[]) { good, NULL }, 2, "*input 1*nothing*");
  assert_refused (executable, (GhloBuffer *[]) { good, shape }, 2,
                  "expected tensor<2x3xf32> for input 1 ('right'), found tensor<6xf32>");
  assert_refused (executable, (GhloBuffer *[]) { type, good }, 2, "*input 0*found tensor<2x3xi32>");
  assert_refused (executable, (GhloBuffer *[]) { good, released }, 2, "input 1*released*");
  assert_refused (executable, (GhloBuffer *[]) { good, bare }, 2, "input 1*without data*");
  assert_refused (executable, (GhloBuffer *[]) { good, token }, 2, "*found a token");
  assert_refused (executable, (GhloBuffer *[]) { good, good, good }, 3, "expected 2 inputs*found 3*");

  /* An array of floats mistaken for bytes. */
  g_assert_null (ghlo_buffer_new_from_bytes (tensor_type, few, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "one for each element"));
  g_clear_error (&error);
  g_assert_null (ghlo_buffer_new_from_bytes (NULL, few, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  booleans = ghlo_tensor_type_parse ("tensor<6xi1>", NULL);
  g_assert_null (ghlo_buffer_new_from_bytes (booleans, odd, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DATA);
  g_clear_error (&error);

  g_assert_null (ghlo_client_compile (client, NULL, NULL, NULL, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  wait = help_wait_init ();
  ghlo_client_compile_async (client, NULL, NULL, NULL, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  g_assert_null (ghlo_client_compile_finish (client, wait.result, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  help_wait_clear (&wait);
}

static void
test_strided (void)
{
  static const guint8 padded[] = { 1, 2, 9, 3, 4, 9, 5, 6 };
  g_autoptr (GBytes) bytes = g_bytes_new_static (padded, sizeof padded);
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse ("tensor<3x2xui8>", NULL);
  static const struct { gint64 strides[2]; guint8 expected[6]; gboolean fits; } cases[] = {
    { { 3, 1 }, { 1, 2, 3, 4, 5, 6 }, TRUE },
    { { -3, 1 }, { 5, 6, 3, 4, 1, 2 }, TRUE },
    { { 3, -1 }, { 2, 1, 4, 3, 6, 5 }, TRUE },
    { { 0, 1 }, { 1, 2, 1, 2, 1, 2 }, TRUE },
    { { 4, 1 }, { 0 }, FALSE },
    { { G_MAXINT64, 1 }, { 0 }, FALSE },
    { { G_MININT64, 1 }, { 0 }, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloBuffer) buffer = ghlo_buffer_new_from_bytes_strided (type, bytes, cases[i].strides, 2, &error);
      g_autoptr (GBytes) read = NULL;

      if (!cases[i].fits)
        {
          g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
          continue;
        }
      g_assert_no_error (error);
      read = ghlo_buffer_get_host_bytes (buffer);
      g_assert_cmpmem (g_bytes_get_data (read, NULL), g_bytes_get_size (read), cases[i].expected, 6);
    }

  for (guint n = 0; n < 4; n++)
    {
      const gint64 strides[4] = { 3, 1, 1, 1 };
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloBuffer) buffer = ghlo_buffer_new_from_bytes_strided (type, bytes, strides, n, &error);

      g_assert_true ((buffer != NULL) == (n == 2));
    }
}

/* Outputs never share memory with inputs, constants or each other. */
static void
test_outputs_are_own (void)
{
  static const gint32 data[4] = { 1, 2, 3, 4 };
  g_autoptr (GhloExecutable) executable = help_compile (HELP_IDENTITY);
  g_autoptr (GhloBuffer) input = help_buffer ("tensor<4xi32>", data, sizeof data);
  g_autoptr (GhloResult) first = ghlo_executable_execute (executable, &input, 1, NULL, NULL);
  g_autoptr (GhloResult) second = ghlo_executable_execute (executable, &input, 1, NULL, NULL);
  gconstpointer addresses[7] = { help_read (input) };
  g_autoptr (GBytes) kept = NULL;

  for (guint i = 0; i < 3; i++)
    {
      addresses[1 + i] = help_read (ghlo_result_get_output (first, i));
      addresses[4 + i] = help_read (ghlo_result_get_output (second, i));
    }
  for (guint i = 0; i < 7; i++)
    for (guint j = 0; j < i; j++)
      g_assert_true (addresses[i] != addresses[j]);

  /* Data that was read stays valid after the result is released. */
  kept = ghlo_buffer_read (ghlo_result_get_output (first, 0), NULL, NULL);
  ghlo_result_release (first);
  ghlo_result_release (first);
  g_assert_cmpmem (g_bytes_get_data (kept, NULL), g_bytes_get_size (kept), data, sizeof data);
  g_assert_null (ghlo_buffer_get_host_bytes (ghlo_result_get_output (first, 0)));
  g_assert_nonnull (ghlo_buffer_get_tensor_type (ghlo_result_get_output (first, 0)));
}

static void
test_tuples (void)
{
  static const float numbers[2] = { 1, 2 };
  g_autoptr (GhloExecutable) executable = help_compile (
    "func.func @main(%x: tuple<tensor<2xf32>, !stablehlo.token>) -> tuple<tensor<2xf32>, tensor<2xf32>> {\n"
    "  %0 = stablehlo.get_tuple_element %x[0] : (tuple<tensor<2xf32>, !stablehlo.token>) -> tensor<2xf32>\n"
    "  %1 = stablehlo.tuple %0, %0 : tuple<tensor<2xf32>, tensor<2xf32>>\n"
    "  return %1 : tuple<tensor<2xf32>, tensor<2xf32>>\n"
    "}\n");
  g_autoptr (GhloBuffer) tensor = help_buffer ("tensor<2xf32>", numbers, sizeof numbers);
  g_autoptr (GhloBuffer) token = ghlo_buffer_new_token ();
  GhloBuffer *const members[] = { tensor, token };
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloBuffer) tuple = ghlo_buffer_new_tuple (members, 2, &error);
  g_autoptr (GhloResult) result = NULL;
  GhloBuffer *const *outputs;
  g_autoptr (GBytes) bytes = NULL;
  gsize n;

  g_assert_no_error (error);
  g_assert_cmpint (ghlo_buffer_get_kind (tuple), ==, GHLO_VALUE_TUPLE);
  g_assert_null (ghlo_buffer_read (tuple, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);

  result = ghlo_executable_execute (executable, &tuple, 1, NULL, &error);
  g_assert_no_error (error);
  outputs = ghlo_buffer_get_members (ghlo_result_get_output (result, 0), &n);
  g_assert_cmpuint (n, ==, 2);
  bytes = ghlo_buffer_read (outputs[1], NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), numbers, sizeof numbers);
  g_assert_true (help_read (outputs[0]) != help_read (outputs[1]));
  g_assert_null (ghlo_buffer_new_tuple ((GhloBuffer *[]) { NULL }, 1, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
}

static gboolean
cancel_now (gpointer data)
{
  g_cancellable_cancel (data);

  return G_SOURCE_REMOVE;
}

/* The longest time from a cancel to the call's answer. */
static gint64
cancel_each (G_GNUC_UNUSED gpointer data)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ENDLESS);
  const gint32 one = 1;
  gint64 longest = 0;
  g_autoptr (GhloBuffer) input = help_buffer ("tensor<i32>", &one, sizeof one);
  g_autoptr (GhloResult) result G_GNUC_UNUSED = NULL;

  /* Cancels at once, while the call waits for a worker, and while it runs. */
  for (guint delay = 0; delay <= 60; delay += 20)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      gint64 start = g_get_monotonic_time ();
      HelpWait wait = help_wait_init ();

      if (delay == 0)
        g_cancellable_cancel (cancellable);
      else
        g_timeout_add (delay, cancel_now, cancellable);
      ghlo_executable_execute_async (executable, &input, 1, cancellable, help_ready, &wait);
      help_wait_for_call (&wait);
      longest = MAX (longest, g_get_monotonic_time () - start - delay * 1000);
      g_assert_null (ghlo_executable_execute_finish (executable, wait.result, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      help_wait_clear (&wait);
    }

  /* The input is unchanged. */
  g_assert_nonnull (ghlo_buffer_get_tensor_type (input));
  g_assert_cmpuint (ghlo_buffer_get_address (input), !=, 0);

  return longest;
}

static void
test_cancel_async (void)
{
  soon_assert (cancel_each, NULL, HELP_CANCEL_LIMIT);
}

static gpointer
cancel_later (gpointer data)
{
  g_usleep (30000);
  g_cancellable_cancel (data);

  return NULL;
}

static void
test_cancel_sync (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ENDLESS);
  const gint32 one = 1;
  g_autoptr (GhloBuffer) input = help_buffer ("tensor<i32>", &one, sizeof one);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static (HELP_ADD, strlen (HELP_ADD));
  GThread *thread = g_thread_new ("cancel", cancel_later, cancellable);

  g_assert_null (ghlo_executable_execute (executable, &input, 1, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
  g_clear_error (&error);

  g_assert_null (ghlo_program_parse (bytes, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Objects may be dropped during a call on them, and so may the context. */
static void
test_dropped (void)
{
  const gint32 one = 1;
  g_autoptr (GhloBuffer) input = help_buffer ("tensor<i32>", &one, sizeof one);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GhloExecutable *executable = help_compile (HELP_ENDLESS);
  GMainContext *context = g_main_context_new ();
  gpointer left = executable;
  HelpWait wait;

  wait = help_wait_init ();
  ghlo_executable_execute_async (executable, &input, 1, cancellable, help_ready, &wait);
  g_object_add_weak_pointer (G_OBJECT (executable), &left);
  g_object_unref (executable);
  g_assert_nonnull (left);
  g_clear_object (&input);
  g_timeout_add (20, cancel_now, cancellable);
  help_wait_for_call (&wait);
  g_assert_null (ghlo_executable_execute_finish (left, wait.result, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  help_wait_clear (&wait);
  while (left != NULL)
    g_main_context_iteration (NULL, FALSE);

  executable = help_compile (HELP_ADD);
  g_main_context_push_thread_default (context);
  ghlo_executable_execute_async (executable, NULL, 0, NULL, NULL, NULL);
  g_main_context_pop_thread_default (context);
  g_main_context_unref (context);
  g_object_unref (executable);
}

static gpointer
run_often (gpointer data)
{
  g_autoptr (GhloBuffer) left = help_buffer ("tensor<2x3xf32>", counts, sizeof counts);
  g_autoptr (GhloBuffer) right = help_buffer ("tensor<2x3xf32>", ones, sizeof ones);
  GhloBuffer *const inputs[] = { left, right };

  for (guint i = 0; i < 200; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloResult) result = ghlo_executable_execute (data, inputs, 2, NULL, &error);

      g_assert_no_error (error);
      help_assert_sum (result);
    }

  return NULL;
}

static void
test_many_threads (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD);
  GThread *threads[8];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("caller", run_often, executable);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* Instances of every class made without their constructors: every method answers. */
static void
test_bare (void)
{
  g_autoptr (GhloProgram) program = g_object_new (GHLO_TYPE_PROGRAM, NULL);
  g_autoptr (GhloExecutable) executable = g_object_new (GHLO_TYPE_EXECUTABLE, NULL);
  g_autoptr (GhloResult) result = g_object_new (GHLO_TYPE_RESULT, NULL);
  g_autoptr (GhloBuffer) buffer = g_object_new (GHLO_TYPE_BUFFER, NULL);
  g_autoptr (GhloDevice) device = g_object_new (GHLO_TYPE_DEVICE, NULL);
  g_autoptr (GhloDiagnostic) diagnostic = g_object_new (GHLO_TYPE_DIAGNOSTIC, NULL);
  g_autoptr (GhloClient) client = g_object_new (GHLO_TYPE_CLIENT, NULL);
  g_autoptr (GhloProgress) progress = g_object_new (GHLO_TYPE_PROGRESS, NULL);
  g_autoptr (GhloCompileOptions) options = g_object_new (GHLO_TYPE_COMPILE_OPTIONS, "device", device, NULL);
  g_autoptr (GhloProgram) good = help_parse (HELP_ADD);
  g_autoptr (GError) error = NULL;
  g_autofree GhloValueInfo **inputs = ghlo_program_list_inputs (program);
  g_autofree GhloValueInfo **outputs = ghlo_executable_list_outputs (executable);
  g_autofree char *text G_GNUC_UNUSED = ghlo_diagnostic_to_string (diagnostic);
  gsize n = 1;

  g_assert_null (inputs[0]);
  g_assert_null (outputs[0]);
  g_assert_cmpstr (ghlo_program_get_name (program), ==, "");
  g_assert_null (ghlo_program_to_text (program, GHLO_TEXT_FLAGS_NONE, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (ghlo_client_compile (client, program, NULL, progress, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (ghlo_client_compile (client, good, options, progress, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (ghlo_executable_get_program (executable));
  g_assert_null (ghlo_executable_get_device (executable));
  assert_refused (executable, NULL, 0, "*without a program*");
  g_assert_null (ghlo_result_get_outputs (result, &n));
  g_assert_cmpuint (n, ==, 0);
  g_assert_nonnull (ghlo_result_get_timing (result));
  ghlo_result_release (result);
  g_assert_null (ghlo_buffer_read (buffer, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_assert_null (ghlo_buffer_get_host_bytes (buffer));
  g_assert_null (ghlo_buffer_get_members (buffer, NULL));
  g_assert_null (ghlo_buffer_get_tensor_type (buffer));
  g_assert_cmpuint (ghlo_buffer_get_address (buffer), ==, 0);
  ghlo_buffer_release (buffer);
  g_assert_cmpstr (ghlo_device_get_name (device), ==, "");
  g_assert_nonnull (ghlo_device_get_features (device));
  g_assert_false (ghlo_device_is_lost (device));
  g_assert_cmpint (ghlo_progress_get_stage (progress), ==, GHLO_PROGRESS_STAGE_IDLE);
}

/* Every property of every class can be read, and its getter agrees. */
static void
test_properties (void)
{
  const GType types[] = {
    GHLO_TYPE_BUFFER, GHLO_TYPE_CLIENT, GHLO_TYPE_COMPILE_OPTIONS, GHLO_TYPE_DEVICE, GHLO_TYPE_DIAGNOSTIC,
    GHLO_TYPE_EXECUTABLE, GHLO_TYPE_PROGRAM, GHLO_TYPE_PROGRESS, GHLO_TYPE_RESULT, GHLO_TYPE_SESSION,
  };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (GObject) object = g_object_new (types[i], NULL);
      g_autofree GParamSpec **specs = NULL;
      guint n;

      specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);
      for (guint j = 0; j < n; j++)
        {
          g_auto (GValue) value = G_VALUE_INIT;

          g_object_get_property (object, specs[j]->name, &value);
          if ((specs[j]->flags & (G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY)) == G_PARAM_WRITABLE)
            g_object_set_property (object, specs[j]->name, &value);
        }
    }
}

static void
count_notify (GObject    *object,
              GParamSpec *pspec,
              gpointer    data)
{
  ++*(guint *) data;
}

static void
test_options (void)
{
  g_autoptr (GhloCompileOptions) options = ghlo_compile_options_new ();
  g_autoptr (GhloCompileOptions) balanced = ghlo_compile_options_new_balanced ();
  g_autoptr (GhloCompileOptions) debug = ghlo_compile_options_new_debug ();
  g_autoptr (GhloCompileOptions) quick = ghlo_compile_options_new_quick_compile ();
  g_autoptr (GhloCompileOptions) release = ghlo_compile_options_new_release ();
  const char *const passes[] = { "fuse-attention", NULL };
  guint n = 0;

  g_assert_cmpint (ghlo_compile_options_get_optimization_level (options), ==, GHLO_OPTIMIZATION_LEVEL_O2);
  g_assert_cmpint (ghlo_compile_options_get_optimization_level (balanced), ==, GHLO_OPTIMIZATION_LEVEL_O2);
  g_assert_cmpint (ghlo_compile_options_get_optimization_level (quick), ==, GHLO_OPTIMIZATION_LEVEL_O1);
  g_assert_cmpint (ghlo_compile_options_get_optimization_level (release), ==, GHLO_OPTIMIZATION_LEVEL_O3);
  g_assert_true (ghlo_compile_options_get_debug_info (debug));
  g_assert_false (ghlo_compile_options_get_caching (debug));
  g_assert_null (ghlo_compile_options_get_device (options));

  g_signal_connect (options, "notify", G_CALLBACK (count_notify), &n);
  ghlo_compile_options_set_disabled_passes (options, passes);
  ghlo_compile_options_set_disabled_passes (options, passes);
  g_assert_true (ghlo_compile_options_get_excess_precision (options));
  g_assert_false (ghlo_compile_options_get_excess_precision (debug));
  ghlo_compile_options_set_excess_precision (options, 2);
  ghlo_compile_options_set_excess_precision (options, FALSE);
  ghlo_compile_options_set_optimization_level (options, GHLO_OPTIMIZATION_LEVEL_O2);
  g_assert_false (ghlo_compile_options_get_wait_for_code (options));
  ghlo_compile_options_set_wait_for_code (options, TRUE);
  ghlo_compile_options_set_wait_for_code (options, 2);
  g_assert_true (ghlo_compile_options_get_wait_for_code (options));
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpstr (ghlo_compile_options_get_disabled_passes (options)[0], ==, "fuse-attention");
  ghlo_compile_options_set_disabled_passes (options, NULL);
  g_assert_null (ghlo_compile_options_get_disabled_passes (options)[0]);
}

static void
test_devices (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) devices = ghlo_client_list_devices (client, NULL, &error);
  g_autoptr (GhloDevice) device = NULL;
  g_autoptr (GhloProgram) program = help_parse (HELP_ADD);
  g_autoptr (GhloCompileOptions) options = ghlo_compile_options_new ();
  g_autoptr (GhloExecutable) executable = NULL;
  g_autofree char *named = g_strdup (g_getenv ("GHLO_DEVICE")), *model = NULL, *level = NULL;

  g_assert_no_error (error);
  device = g_list_model_get_item (devices, 0);
  g_assert_cmpstr (ghlo_device_get_name (device), !=, "");
  g_assert_cmpuint (ghlo_device_get_memory (device), >, 0);
  g_assert_cmpuint (ghlo_device_get_memory_used (device), <=, ghlo_device_get_memory_peak (device));
  g_object_get (device, "model", &model, "vector-level", &level, NULL);
  g_assert_cmpstr (model, ==, ghlo_device_get_model (device));
  g_assert_cmpstr (level, ==, ghlo_device_get_vector_level (device));
  if (ghlo_device_get_kind (device) == GHLO_DEVICE_KIND_CPU && named == NULL)
    g_assert_true (g_strv_contains ((const char *const[]) { "baseline", "avx2", "avx512", NULL }, level));
  ghlo_compile_options_set_device (options, device);
  executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ghlo_executable_get_device (executable) == device);
  g_clear_object (&executable);

  g_setenv ("GHLO_DEVICE", "abacus", TRUE);
  g_assert_null (ghlo_client_compile (client, program, NULL, NULL, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE);
  g_clear_error (&error);
  executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);
  g_assert_no_error (error);
  if (named != NULL)
    g_setenv ("GHLO_DEVICE", named, TRUE);
  else
    g_unsetenv ("GHLO_DEVICE");
}

static void
test_equal_devices (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new (), other_client = ghlo_client_new ();
  g_autoptr (GListModel) devices = ghlo_client_list_devices (client, NULL, NULL);
  g_autoptr (GListModel) others = ghlo_client_list_devices (other_client, NULL, NULL);
  g_autoptr (GHashTable) table = g_hash_table_new (ghlo_device_hash, ghlo_device_equal);
  g_autoptr (GhloDevice) bare = g_object_new (GHLO_TYPE_DEVICE, NULL), bare_too = g_object_new (GHLO_TYPE_DEVICE, NULL);

  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      g_autoptr (GhloDevice) device = g_list_model_get_item (devices, i);

      g_assert_true (g_hash_table_add (table, device));
      for (guint j = 0; j < g_list_model_get_n_items (others); j++)
        {
          g_autoptr (GhloDevice) other = g_list_model_get_item (others, j);

          g_assert_cmpint (ghlo_device_equal (device, other), ==, i == j);
          if (i == j)
            g_assert_true (g_hash_table_contains (table, other));
        }
      g_assert_false (ghlo_device_equal (device, bare));
    }
  g_assert_true (ghlo_device_equal (bare, bare));
  g_assert_false (ghlo_device_equal (bare, bare_too));
  g_assert_cmpuint (ghlo_device_get_memory_used (bare), ==, 0);
  g_assert_cmpuint (ghlo_device_get_memory_peak (bare), ==, 0);
  g_assert_null (ghlo_device_get_model (bare));
  g_assert_null (ghlo_device_get_vector_level (bare));
}

/* The progress of a sync call can be observed by the thread that created it and made the call. */
static void
test_progress_sync (void)
{
  g_autoptr (GhloProgram) program = help_parse (HELP_ADD);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloProgress) progress = ghlo_progress_new ();
  g_autoptr (GArray) seen = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloExecutable) executable = NULL;

  g_signal_connect (progress, "notify::fraction", G_CALLBACK (on_fraction), seen);
  executable = ghlo_client_compile (client, program, NULL, progress, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (ghlo_progress_get_fraction (progress), ==, 1);
  g_assert_cmpuint (seen->len, >=, 1);
}

/* A progress to which nobody else holds a reference lives as long as its call. */
static void
test_progress_kept (void)
{
  g_autoptr (GhloProgram) program = help_parse (HELP_ADD);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GArray) seen = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloExecutable) executable = NULL;
  GhloProgress *progress = ghlo_progress_new ();
  HelpWait wait;

  g_object_add_weak_pointer (G_OBJECT (progress), (gpointer *) &progress);
  g_signal_connect (progress, "notify::fraction", G_CALLBACK (on_fraction), seen);
  wait = help_wait_init ();
  ghlo_client_compile_async (client, program, NULL, progress, NULL, help_ready, &wait);
  g_object_unref (progress);
  help_wait_for_call (&wait);
  executable = ghlo_client_compile_finish (client, wait.result, &error);
  g_assert_no_error (error);
  help_wait_clear (&wait);

  g_assert_cmpuint (seen->len, >=, 1);
  g_assert_cmpfloat (g_array_index (seen, double, seen->len - 1), ==, 1);
  g_assert_null (progress);
}

static void
test_quantized (void)
{
  static const gint8 stored[2] = { 10, 20 };
  g_autoptr (GhloExecutable) executable = help_compile (
    "func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 5.0e-1>>) -> tensor<2xf32> {\n"
    "  %0 = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32, 5.0e-1>>) -> tensor<2xf32>\n"
    "  return %0 : tensor<2xf32>\n"
    "}\n");
  g_autoptr (GhloBuffer) plain = help_buffer ("tensor<2xi8>", stored, sizeof stored);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = ghlo_executable_execute (executable, &plain, 1, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpfloat (((const float *) help_read (ghlo_result_get_output (result, 0)))[1], ==, 10);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/api/sync", test_sync);
  g_test_add_func ("/api/empty", test_empty);
  g_test_add_func ("/api/async", test_async);
  g_test_add_func ("/api/other-context", test_other_context);
  g_test_add_func ("/api/load", test_load);
  g_test_add_func ("/api/errors", test_errors);
  g_test_add_func ("/api/check", test_check);
  g_test_add_func ("/api/signature", test_signature);
  g_test_add_func ("/api/odd-names", test_odd_names);
  g_test_add_func ("/api/mistakes", test_mistakes);
  g_test_add_func ("/api/strided", test_strided);
  g_test_add_func ("/api/outputs-are-own", test_outputs_are_own);
  g_test_add_func ("/api/tuples", test_tuples);
  g_test_add_func ("/api/quantized", test_quantized);
  g_test_add_func ("/api/cancel-async", test_cancel_async);
  g_test_add_func ("/api/cancel-sync", test_cancel_sync);
  g_test_add_func ("/api/dropped", test_dropped);
  g_test_add_func ("/api/many-threads", test_many_threads);
  g_test_add_func ("/api/bare", test_bare);
  g_test_add_func ("/api/properties", test_properties);
  g_test_add_func ("/api/options", test_options);
  g_test_add_func ("/api/devices", test_devices);
  g_test_add_func ("/api/equal-devices", test_equal_devices);
  g_test_add_func ("/api/progress-sync", test_progress_sync);
  g_test_add_func ("/api/progress-kept", test_progress_kept);

  return g_test_run ();
}
