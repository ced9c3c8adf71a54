/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls answered by the application: values in and out, errors, and which functions a program calls.
 */

#include "custom-call-help.h"

#include <string.h>

/* Checks the error of a run of @text with @function as its target "f". */
static void
assert_fails (GhloCustomCallFunction  function,
              const char             *text,
              GQuark                  domain,
              int                     code,
              const char             *message)
{
  CallLog seen = { 0 };
  g_autoptr (GhloClient) client = calls_client ("f", function, &seen);
  GhloExecutable *executables[] = { calls_compile (client, text), calls_compile_on_reference (client, text) };

  for (guint i = 0; i < G_N_ELEMENTS (executables); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (calls_execute (executables[i], &error));
      g_assert_error (error, domain, code);
      g_assert_cmpstr (error->message, ==, message);
      g_clear_object (&executables[i]);
    }
}

static void
test_values (void)
{
  CallLog seen = { .factor = 3 };
  g_autoptr (GhloClient) client = calls_client ("scale", calls_scale, &seen);
  g_autoptr (GhloExecutable) planned = calls_compile (client, CALLS_SCALE (""));
  g_autoptr (GhloExecutable) whole = calls_compile_on_reference (client, CALLS_SCALE (""));

  calls_assert_scales (planned, 3);
  calls_assert_scales (whole, 3);
  g_assert_cmpint (seen.n_calls, ==, 2);
}

/* Operand buffers that the function keeps do not change when the run reuses their memory. */
static gboolean
keep (GhloCustomCall  *call,
      gpointer         data,
      GError         **error)
{
  CallLog *seen = data;
  GhloBuffer *buffer = ghlo_custom_call_get_operand (call, 0, error);
  gboolean ok;

  g_assert_nonnull (buffer);
  ok = ghlo_custom_call_set_result (call, 0, buffer, error);
  seen->n_calls++;
  g_ptr_array_add (seen->kept, buffer);

  return ok;
}

static void
test_kept_operands (void)
{
  static const char text[] =
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = stablehlo.add %x, %x : tensor<4xf32>\n"
    "  %1 = stablehlo.custom_call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  %2 = stablehlo.multiply %1, %1 : tensor<4xf32>\n"
    "  %3 = stablehlo.custom_call @f(%2) : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  %4 = stablehlo.add %3, %3 : tensor<4xf32>\n"
    "  return %4 : tensor<4xf32>\n"
    "}\n";

  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func (g_object_unref);
      CallLog seen = { .kept = kept };
      g_autoptr (GhloClient) client = calls_client ("f", keep, &seen);
      g_autoptr (GhloExecutable) executable = round == 0 ? calls_compile (client, text)
                                                             : calls_compile_on_reference (client, text);
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloResult) first = calls_execute (executable, &error);
      g_autoptr (GhloResult) second = calls_execute (executable, &error);

      g_assert_no_error (error);
      g_assert_true (first != second);
      g_clear_object (&executable);
      g_assert_cmpuint (kept->len, ==, 4);
      for (guint k = 0; k < 4; k++)
        for (guint i = 0; i < 4; i++)
          {
            float x = calls_counts[i] + calls_counts[i];

            g_assert_cmpfloat (((const float *) help_read (kept->pdata[k]))[i], ==, k % 2 == 0 ? x : x * x);
          }
    }
}

static gboolean
split (GhloCustomCall  *call,
       gpointer         data,
       GError         **error)
{
  g_autoptr (GhloBuffer) x = ghlo_custom_call_get_operand (call, 0, error);
  g_autoptr (GhloBuffer) token = ghlo_custom_call_get_operand (call, 1, error);
  g_autoptr (GhloBuffer) half = help_buffer ("tensor<2xi32>", (gint32[]) { 5, 6 }, 8);
  guint8 *flags = ghlo_custom_call_get_result_data (call, 2, NULL, error);
  GhloValueInfo **infos = ghlo_custom_call_list_results (call);
  g_autofree char *text = ghlo_value_info_to_string (infos[1]);

  g_assert_cmpint (ghlo_buffer_get_kind (token), ==, GHLO_VALUE_TOKEN);
  g_assert_cmpstr (text, ==, "tensor<2xi32>");
  for (guint i = 0; infos[i] != NULL; i++)
    ghlo_value_info_unref (infos[i]);
  g_free (infos);
  g_assert_cmpfloat (*(const float *) help_read (x), ==, 1);
  flags[1] = TRUE;
  ((CallLog *) data)->n_calls++;

  return ghlo_custom_call_set_result (call, 1, half, error)
         && ghlo_custom_call_set_result (call, 3, token, error);
}

/* Result 0, a token, need not be set. */
static void
test_several_results (void)
{
  static const char text[] =
    "func.func @main(%x: tensor<4xf32>) -> (tensor<2xi32>, tensor<2xi1>) {\n"
    "  %0 = stablehlo.create_token : !stablehlo.token\n"
    "  %1:4 = stablehlo.custom_call @f(%x, %0) {has_side_effect = true} : (tensor<4xf32>, !stablehlo.token)"
    " -> (!stablehlo.token, tensor<2xi32>, tensor<2xi1>, !stablehlo.token)\n"
    "  return %1#1, %1#2 : tensor<2xi32>, tensor<2xi1>\n"
    "}\n";
  CallLog seen = { 0 };
  g_autoptr (GhloClient) client = calls_client ("f", split, &seen);
  GhloExecutable *executables[] = { calls_compile (client, text), calls_compile_on_reference (client, text) };

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloResult) result = calls_execute (executables[i], &error);

      g_assert_no_error (error);
      g_assert_cmpint (((const gint32 *) help_read (ghlo_result_get_output (result, 0)))[1], ==, 6);
      g_assert_cmpmem (help_read (ghlo_result_get_output (result, 1)), 2, ((guint8[]) { 0, 1 }), 2);
      g_clear_object (&executables[i]);
    }
  g_assert_cmpint (seen.n_calls, ==, 2);
}

static gboolean
configured (GhloCustomCall  *call,
            gpointer         data,
            GError         **error)
{
  g_autoptr (GVariant) attributes = ghlo_custom_call_get_attributes (call);
  g_autofree char *config = ghlo_custom_call_get_backend_config (call);
  g_autofree char *text = g_variant_print (attributes, FALSE);
  CallLog *seen = data;

  g_string_append_printf (seen->order, "%s|%s|%s|%d\n", ghlo_custom_call_get_target (call), config, text,
                          ghlo_custom_call_has_side_effect (call));

  return calls_scale (call, data, error);
}

static void
test_configuration (void)
{
  static const char *const texts[] = {
    CALLS_SCALE (""), CALLS_SCALE ("backend_config = \"3, 4\", has_side_effect = true"),
    CALLS_SCALE ("api_version = 4 : i32, backend_config = {b = true, i = 7 : i8, f = 0.5 : f64, s = \"x\", "
           "a = array<i64: 1, 2>, l = [1, \"y\"], d = {t = f32}}"),
    CALLS_SCALE ("mhlo.backend_config = {uplo = 76 : ui8}, own = 1.5 : f32"),
  };
  g_autoptr (GString) order = g_string_new (NULL);
  CallLog seen = { .factor = 1, .order = order };
  g_autoptr (GhloClient) client = calls_client ("scale", configured, &seen);

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GhloExecutable) executable = calls_compile (client, texts[i]);

      calls_assert_scales (executable, 1);
    }
  g_assert_cmpstr (order->str, ==,
                   "scale|(null)|{}|0\n"
                   "scale|3, 4|{}|1\n"
                   "scale|{a = array<i64: 1, 2>, b = true, d = {t = f32}, f = 5.000000e-01 : f64, i = 7 : i8, "
                   "l = [1, \"y\"], s = \"x\"}|{'a': <[int64 1, 2]>, 'b': <true>, 'd': <{'t': <'f32'>}>, 'f': <0.5>, "
                   "'i': <int64 7>, 'l': <[<int64 1>, <'y'>]>, 's': <'x'>}|0\n"
                   "scale|{uplo = 76 : ui8}|{'own': <1.5>, 'uplo': <int64 76>}|0\n");
}

#define F_PLACE "test.mlir:2:8: 'stablehlo.custom_call @f': "

static gboolean
gives_nothing (GhloCustomCall  *call,
               gpointer         data,
               GError         **error)
{
  return TRUE;
}

static gboolean
fails_without_error (GhloCustomCall  *call,
                     gpointer         data,
                     GError         **error)
{
  return FALSE;
}

static gboolean
fails_with_error (GhloCustomCall  *call,
                  gpointer         data,
                  GError         **error)
{
  g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "the disk is full");

  return FALSE;
}

static gboolean
gives_another_type (GhloCustomCall  *call,
                    gpointer         data,
                    GError         **error)
{
  g_autoptr (GhloBuffer) buffer = help_buffer ("tensor<2xi32>", (gint32[]) { 5, 6 }, 8);

  return ghlo_custom_call_set_result (call, 0, buffer, error);
}

static gboolean
gives_result_7 (GhloCustomCall  *call,
                gpointer         data,
                GError         **error)
{
  g_autoptr (GhloBuffer) buffer = ghlo_buffer_new_token ();

  return ghlo_custom_call_set_result (call, 7, buffer, error);
}

static gboolean
gives_released (GhloCustomCall  *call,
                gpointer         data,
                GError         **error)
{
  g_autoptr (GhloBuffer) buffer = ghlo_custom_call_get_operand (call, 0, error);

  ghlo_buffer_release (buffer);

  return ghlo_custom_call_set_result (call, 0, buffer, error);
}

static gboolean
gives_no_boolean (GhloCustomCall  *call,
                  gpointer         data,
                  GError         **error)
{
  guint8 *flags = ghlo_custom_call_get_result_data (call, 0, NULL, error);

  flags[1] = 2;

  return TRUE;
}

static void
test_errors (void)
{
  const GQuark domain = GHLO_ERROR;

  assert_fails (fails_with_error, CALLS_F, G_FILE_ERROR, G_FILE_ERROR_NOSPC, F_PLACE "the disk is full");
  assert_fails (fails_without_error, CALLS_F, domain, GHLO_ERROR_INVALID_ARGUMENT,
                F_PLACE "the function that is registered for 'f' returned FALSE without setting an error");
  assert_fails (gives_nothing, CALLS_F, domain, GHLO_ERROR_INVALID_ARGUMENT, F_PLACE
                "expected tensor<4xf32> as result 0 of the function that is registered for 'f', found nothing");
  assert_fails (gives_another_type, CALLS_F, domain, GHLO_ERROR_INVALID_ARGUMENT, F_PLACE
                "expected tensor<4xf32> as result 0 of the function that is registered for 'f', found tensor<2xi32>");
  assert_fails (gives_result_7, CALLS_F, domain, GHLO_ERROR_INVALID_ARGUMENT,
                F_PLACE "expected one of 1 results of 'f', counted from 0, found 7");
  assert_fails (gives_released, CALLS_F, domain, GHLO_ERROR_INVALID_ARGUMENT,
                F_PLACE "the buffer was released and holds no data any more");
  assert_fails (gives_no_boolean,
                "func.func @main(%x: tensor<4xf32>) -> tensor<2xi1> {\n"
                "  %0 = stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> tensor<2xi1>\n"
                "  return %0 : tensor<2xi1>\n"
                "}\n", domain, GHLO_ERROR_DATA, F_PLACE "result 0: expected bytes from 0 to 1 for elements of type i1, "
                "found 2 at element 1");
}

static void
assert_unknown (GhloClient *client,
                const char *target,
                const char *pattern)
{
  g_autofree char *text = g_strdup_printf ("func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                                           "  %%0 = stablehlo.custom_call @%s(%%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
                                           "  return %%0 : tensor<4xf32>\n"
                                           "}\n", target);
  g_autoptr (GhloProgram) program = help_parse (text);
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_client_compile (client, program, NULL, NULL, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("expected %s, found %s", pattern, error->message);
}

static void
test_unknown (void)
{
  CallLog seen = { .factor = 1 };
  g_autoptr (GhloClient) client = calls_client ("scale", calls_scale, &seen);
  g_autoptr (GhloClient) other = ghlo_client_new ();

  assert_unknown (client, "skale", "test.mlir:2:8: 'stablehlo.custom_call @skale': expected a known call target, found "
                  "'skale'\nAn application can implement it with a function that it registers: "
                  "ghlo_client_register_custom_call ().\nKnown targets: 'Sharding',*'Qr',*'mhlo.tan'. "
                  "Registered targets: 'scale'.");
  assert_unknown (other, "scale", "*Registered targets: none.");
  assert_unknown (client, "lapack_spbtrf_ffi", "*found 'lapack_spbtrf_ffi'\n*platforms=['tpu']*");
  assert_unknown (client, "cusolver_getrf_ffi", "*found 'cusolver_getrf_ffi'\n*platforms=['cpu']*");
}

static void
test_mistakes (void)
{
  static const char *const wrong[] = { NULL, "", "Qr", "mhlo.tan" };
  CallLog seen = { .factor = 1 };
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_false (ghlo_client_register_custom_call (client, wrong[i], calls_scale, &seen, calls_destroyed,
                                                        NULL, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
      g_assert_cmpint (seen.n_destroyed, ==, i + 1);
    }
  g_assert_false (ghlo_client_register_custom_call (client, "scale", NULL, NULL, NULL, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_false (ghlo_client_unregister_custom_call (client, "scale", &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_false (ghlo_client_unregister_custom_call (client, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
}

static gboolean
keep_call (GhloCustomCall  *call,
           gpointer         data,
           GError         **error)
{
  ((CallLog *) data)->kept = g_object_ref (call);

  return calls_scale (call, data, error);
}

/* The answers of a call object after the call is over, and of an object that belongs to no call. */
static void
test_over (void)
{
  CallLog seen = { .factor = 2 };
  g_autoptr (GhloClient) client = calls_client ("scale", keep_call, &seen);
  g_autoptr (GhloExecutable) executable = calls_compile (client, CALLS_SCALE (""));
  g_autoptr (GhloBuffer) token = ghlo_buffer_new_token ();
  GhloCustomCall *calls[2] = { NULL, g_object_new (GHLO_TYPE_CUSTOM_CALL, NULL) };

  calls_assert_scales (executable, 2);
  calls[0] = seen.kept;
  g_assert_cmpstr (ghlo_custom_call_get_target (calls[0]), ==, "scale");
  g_assert_null (ghlo_custom_call_get_target (calls[1]));
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GVariant) attributes = ghlo_custom_call_get_attributes (calls[i]);
      g_autofree GhloValueInfo **operands = ghlo_custom_call_list_operands (calls[i]);
      g_autofree GhloValueInfo **results = ghlo_custom_call_list_results (calls[i]);
      GError *errors[4] = { NULL };
      gsize n_bytes = 1;

      g_assert_cmpuint (g_variant_n_children (attributes), ==, 0);
      g_assert_null (operands[0]);
      g_assert_null (results[0]);
      g_assert_null (ghlo_custom_call_get_backend_config (calls[i]));
      g_assert_null (ghlo_custom_call_get_operand (calls[i], 0, &errors[0]));
      g_assert_null (ghlo_custom_call_get_operand_data (calls[i], 0, &n_bytes, &errors[1]));
      g_assert_cmpuint (n_bytes, ==, 0);
      g_assert_null (ghlo_custom_call_get_result_data (calls[i], 0, &n_bytes, &errors[2]));
      g_assert_false (ghlo_custom_call_set_result (calls[i], 0, token, &errors[3]));
      for (guint k = 0; k < 4; k++)
        {
          g_assert_error (errors[k], GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
          g_error_free (errors[k]);
        }
    }
  g_clear_object (&calls[0]);
  g_clear_object (&calls[1]);
}

/* A compile uses the functions that were registered when it was called, and equal programs with other functions are
 * not shared. */
static void
test_snapshots (void)
{
  CallLog twice = { .factor = 2 }, thrice = { .factor = 3 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloClient) client = calls_client ("scale", calls_scale, &twice);
  g_autoptr (GhloExecutable) first = calls_compile (client, CALLS_SCALE (""));
  g_autoptr (GhloExecutable) second = NULL;

  g_assert_true (ghlo_client_register_custom_call (client, "scale", calls_scale, &thrice, calls_destroyed, NULL,
                                                   &error));
  second = calls_compile (client, CALLS_SCALE (""));
  calls_assert_scales (first, 2);
  calls_assert_scales (second, 3);
  g_assert_true (ghlo_client_unregister_custom_call (client, "scale", &error));
  assert_unknown (client, "scale", "*Registered targets: none.");
  calls_assert_scales (second, 3);
  calls_assert_scales (first, 2);

  g_assert_cmpint (twice.n_destroyed, ==, 0);
  g_clear_object (&first);
  g_assert_cmpint (twice.n_destroyed, ==, 1);
  g_clear_object (&client);
  g_assert_cmpint (thrice.n_destroyed, ==, 0);
  calls_assert_scales (second, 3);
  g_clear_object (&second);
  g_assert_cmpint (thrice.n_destroyed, ==, 1);
}

/* Compiles of one program with the same functions share the compiled form; a loaded executable uses the functions of
 * the client that loads it. */
static void
test_loaded (void)
{
  CallLog twice = { .factor = 2 }, thrice = { .factor = 3 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloClient) client = calls_client ("scale", calls_scale, &twice);
  g_autoptr (GhloClient) other = calls_client ("scale", calls_scale, &thrice);
  g_autoptr (GhloClient) bare = ghlo_client_new ();
  g_autoptr (GhloExecutable) executable = calls_compile (client, CALLS_SCALE (""));
  g_autoptr (GBytes) bytes = ghlo_executable_serialize (executable, NULL, &error);
  g_autoptr (GhloExecutable) loaded = NULL;

  g_assert_no_error (error);
  loaded = ghlo_client_load_executable (other, bytes, 0, NULL, &error);
  g_assert_no_error (error);
  calls_assert_scales (loaded, 3);
  g_assert_null (ghlo_client_load_executable (bare, bytes, 0, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/custom-calls/values", test_values);
  g_test_add_func ("/custom-calls/kept-operands", test_kept_operands);
  g_test_add_func ("/custom-calls/several-results", test_several_results);
  g_test_add_func ("/custom-calls/configuration", test_configuration);
  g_test_add_func ("/custom-calls/errors", test_errors);
  g_test_add_func ("/custom-calls/unknown", test_unknown);
  g_test_add_func ("/custom-calls/mistakes", test_mistakes);
  g_test_add_func ("/custom-calls/over", test_over);
  g_test_add_func ("/custom-calls/snapshots", test_snapshots);
  g_test_add_func ("/custom-calls/loaded", test_loaded);

  return g_test_run ();
}
