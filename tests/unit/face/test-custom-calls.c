/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls answered by the application: values in and out, errors, order, threads, main contexts, and when
 * functions are released.
 */

#include "face-help.h"

#include <string.h>

#define SCALE(attributes) \
  "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" \
  "  %one = stablehlo.constant dense<1.0> : tensor<4xf32>\n" \
  "  %0 = stablehlo.add %x, %one : tensor<4xf32>\n" \
  "  %1 = stablehlo.custom_call @scale(%0) {" attributes "} : (tensor<4xf32>) -> tensor<4xf32>\n" \
  "  %2 = stablehlo.add %1, %one : tensor<4xf32>\n" \
  "  return %2 : tensor<4xf32>\n" \
  "}\n"

static const float counts[4] = { 1, 2, 3, 4 };

/* A function's data, and what it has observed. */
typedef struct
{
  gint     n_calls;       /* atomic, like the next */
  gint     n_destroyed;
  float    factor;
  GThread *thread;        /* of the latest call */
  GString *order;         /* nullable, like the next */
  gpointer kept;
} Seen;

static void
on_destroyed (gpointer data)
{
  g_atomic_int_inc (&((Seen *) data)->n_destroyed);
}

static gboolean
scale (GhloCustomCall  *call,
       gpointer         data,
       GError         **error)
{
  Seen *seen = data;
  gsize n_in, n_out;
  const float *in = ghlo_custom_call_get_operand_data (call, 0, &n_in, error);
  float *out = in != NULL ? ghlo_custom_call_get_result_data (call, 0, &n_out, error) : NULL;

  if (out == NULL)
    return FALSE;
  g_assert_cmpuint (n_in, ==, n_out);
  for (gsize i = 0; i < n_in / sizeof (float); i++)
    {
      g_assert_cmpfloat (out[i], ==, 0);
      out[i] = in[i] * seen->factor;
    }
  seen->thread = g_thread_self ();
  g_atomic_int_inc (&seen->n_calls);

  return TRUE;
}

static GhloClient *
client_with (const char             *target,
             GhloCustomCallFunction  function,
             Seen                   *seen)
{
  g_autoptr (GError) error = NULL;
  GhloClient *client = ghlo_client_new ();

  g_assert_true (ghlo_client_register_custom_call (client, target, function, seen, on_destroyed, NULL, &error));
  g_assert_no_error (error);

  return client;
}

static GhloExecutable *
compile (GhloClient *client,
         const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = help_parse (text);
  GhloExecutable *executable = ghlo_client_compile (client, program, NULL, NULL, NULL, &error);

  g_assert_no_error (error);

  return executable;
}

/* For devices that run programs as they are, and for devices that make plans. */
static GhloExecutable *
compile_on_reference (GhloClient *client,
                      const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = help_parse (text);
  g_autoptr (GhloCompileOptions) options = ghlo_compile_options_new ();
  g_autoptr (GListModel) devices = ghlo_client_list_devices (client, NULL, &error);
  g_autoptr (GhloDevice) device = NULL;
  GhloExecutable *executable;

  g_assert_no_error (error);
  for (guint i = 0; device == NULL || ghlo_device_get_kind (device) != GHLO_DEVICE_KIND_REFERENCE; i++)
    {
      g_clear_object (&device);
      device = g_list_model_get_item (devices, i);
      g_assert_nonnull (device);
    }
  ghlo_compile_options_set_device (options, device);
  executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);
  g_assert_no_error (error);

  return executable;
}

static GhloResult *
execute (GhloExecutable  *executable,
         GError         **error)
{
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", counts, sizeof counts);

  return ghlo_executable_execute (executable, &x, 1, NULL, error);
}

static void
assert_output (GhloResult *result,
               float       factor)
{
  const float *found = help_read (ghlo_result_get_output (result, 0));

  for (guint i = 0; i < 4; i++)
    g_assert_cmpfloat (found[i], ==, (counts[i] + 1) * factor + 1);
}

static void
assert_scales (GhloExecutable *executable,
               float           factor)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = execute (executable, &error);

  g_assert_no_error (error);
  assert_output (result, factor);
}

/* Checks the error of a run of @text with @function as its target "f". */
static void
assert_fails (GhloCustomCallFunction  function,
              const char             *text,
              GQuark                  domain,
              int                     code,
              const char             *message)
{
  Seen seen = { 0 };
  g_autoptr (GhloClient) client = client_with ("f", function, &seen);
  GhloExecutable *executables[] = { compile (client, text), compile_on_reference (client, text) };

  for (guint i = 0; i < G_N_ELEMENTS (executables); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (execute (executables[i], &error));
      g_assert_error (error, domain, code);
      g_assert_cmpstr (error->message, ==, message);
      g_clear_object (&executables[i]);
    }
}

static void
test_values (void)
{
  Seen seen = { .factor = 3 };
  g_autoptr (GhloClient) client = client_with ("scale", scale, &seen);
  g_autoptr (GhloExecutable) planned = compile (client, SCALE (""));
  g_autoptr (GhloExecutable) whole = compile_on_reference (client, SCALE (""));

  assert_scales (planned, 3);
  assert_scales (whole, 3);
  g_assert_cmpint (seen.n_calls, ==, 2);
}

/* Operand buffers that the function keeps do not change when the run reuses their memory. */
static gboolean
keep (GhloCustomCall  *call,
      gpointer         data,
      GError         **error)
{
  Seen *seen = data;
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
      Seen seen = { .kept = kept };
      g_autoptr (GhloClient) client = client_with ("f", keep, &seen);
      g_autoptr (GhloExecutable) executable = round == 0 ? compile (client, text) : compile_on_reference (client, text);
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloResult) first = execute (executable, &error);
      g_autoptr (GhloResult) second = execute (executable, &error);

      g_assert_no_error (error);
      g_assert_true (first != second);
      g_clear_object (&executable);
      g_assert_cmpuint (kept->len, ==, 4);
      for (guint k = 0; k < 4; k++)
        for (guint i = 0; i < 4; i++)
          {
            float x = counts[i] + counts[i];

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
  ((Seen *) data)->n_calls++;

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
  Seen seen = { 0 };
  g_autoptr (GhloClient) client = client_with ("f", split, &seen);
  GhloExecutable *executables[] = { compile (client, text), compile_on_reference (client, text) };

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloResult) result = execute (executables[i], &error);

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
  Seen *seen = data;

  g_string_append_printf (seen->order, "%s|%s|%s|%d\n", ghlo_custom_call_get_target (call), config, text,
                          ghlo_custom_call_has_side_effect (call));

  return scale (call, data, error);
}

static void
test_configuration (void)
{
  static const char *const texts[] = {
    SCALE (""), SCALE ("backend_config = \"3, 4\", has_side_effect = true"),
    SCALE ("api_version = 4 : i32, backend_config = {b = true, i = 7 : i8, f = 0.5 : f64, s = \"x\", "
           "a = array<i64: 1, 2>, l = [1, \"y\"], d = {t = f32}}"),
    SCALE ("mhlo.backend_config = {uplo = 76 : ui8}, own = 1.5 : f32"),
  };
  g_autoptr (GString) order = g_string_new (NULL);
  Seen seen = { .factor = 1, .order = order };
  g_autoptr (GhloClient) client = client_with ("scale", configured, &seen);

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GhloExecutable) executable = compile (client, texts[i]);

      assert_scales (executable, 1);
    }
  g_assert_cmpstr (order->str, ==,
                   "scale|(null)|{}|0\n"
                   "scale|3, 4|{}|1\n"
                   "scale|{a = array<i64: 1, 2>, b = true, d = {t = f32}, f = 5.000000e-01 : f64, i = 7 : i8, "
                   "l = [1, \"y\"], s = \"x\"}|{'a': <[int64 1, 2]>, 'b': <true>, 'd': <{'t': <'f32'>}>, 'f': <0.5>, "
                   "'i': <int64 7>, 'l': <[<int64 1>, <'y'>]>, 's': <'x'>}|0\n"
                   "scale|{uplo = 76 : ui8}|{'own': <1.5>, 'uplo': <int64 76>}|0\n");
}

#define F "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" \
          "  %0 = stablehlo.custom_call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>\n" \
          "  return %0 : tensor<4xf32>\n" \
          "}\n"
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

  assert_fails (fails_with_error, F, G_FILE_ERROR, G_FILE_ERROR_NOSPC, F_PLACE "the disk is full");
  assert_fails (fails_without_error, F, domain, GHLO_ERROR_INVALID_ARGUMENT,
                F_PLACE "the function that is registered for 'f' returned FALSE without setting an error");
  assert_fails (gives_nothing, F, domain, GHLO_ERROR_INVALID_ARGUMENT, F_PLACE
                "expected tensor<4xf32> as result 0 of the function that is registered for 'f', found nothing");
  assert_fails (gives_another_type, F, domain, GHLO_ERROR_INVALID_ARGUMENT, F_PLACE
                "expected tensor<4xf32> as result 0 of the function that is registered for 'f', found tensor<2xi32>");
  assert_fails (gives_result_7, F, domain, GHLO_ERROR_INVALID_ARGUMENT,
                F_PLACE "expected one of 1 results of 'f', counted from 0, found 7");
  assert_fails (gives_released, F, domain, GHLO_ERROR_INVALID_ARGUMENT,
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
  Seen seen = { .factor = 1 };
  g_autoptr (GhloClient) client = client_with ("scale", scale, &seen);
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
  Seen seen = { .factor = 1 };
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_false (ghlo_client_register_custom_call (client, wrong[i], scale, &seen, on_destroyed, NULL, &error));
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
  ((Seen *) data)->kept = g_object_ref (call);

  return scale (call, data, error);
}

/* The answers of a call object after the call is over, and of an object that belongs to no call. */
static void
test_over (void)
{
  Seen seen = { .factor = 2 };
  g_autoptr (GhloClient) client = client_with ("scale", keep_call, &seen);
  g_autoptr (GhloExecutable) executable = compile (client, SCALE (""));
  g_autoptr (GhloBuffer) token = ghlo_buffer_new_token ();
  GhloCustomCall *calls[2] = { NULL, g_object_new (GHLO_TYPE_CUSTOM_CALL, NULL) };

  assert_scales (executable, 2);
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
  Seen twice = { .factor = 2 }, thrice = { .factor = 3 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloClient) client = client_with ("scale", scale, &twice);
  g_autoptr (GhloExecutable) first = compile (client, SCALE (""));
  g_autoptr (GhloExecutable) second = NULL;

  g_assert_true (ghlo_client_register_custom_call (client, "scale", scale, &thrice, on_destroyed, NULL, &error));
  second = compile (client, SCALE (""));
  assert_scales (first, 2);
  assert_scales (second, 3);
  g_assert_true (ghlo_client_unregister_custom_call (client, "scale", &error));
  assert_unknown (client, "scale", "*Registered targets: none.");
  assert_scales (second, 3);
  assert_scales (first, 2);

  g_assert_cmpint (twice.n_destroyed, ==, 0);
  g_clear_object (&first);
  g_assert_cmpint (twice.n_destroyed, ==, 1);
  g_clear_object (&client);
  g_assert_cmpint (thrice.n_destroyed, ==, 0);
  assert_scales (second, 3);
  g_clear_object (&second);
  g_assert_cmpint (thrice.n_destroyed, ==, 1);
}

/* Compiles of one program with the same functions share the compiled form; a loaded executable uses the functions of
 * the client that loads it. */
static void
test_loaded (void)
{
  Seen twice = { .factor = 2 }, thrice = { .factor = 3 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloClient) client = client_with ("scale", scale, &twice);
  g_autoptr (GhloClient) other = client_with ("scale", scale, &thrice);
  g_autoptr (GhloClient) bare = ghlo_client_new ();
  g_autoptr (GhloExecutable) executable = compile (client, SCALE (""));
  g_autoptr (GBytes) bytes = ghlo_executable_serialize (executable, NULL, &error);
  g_autoptr (GhloExecutable) loaded = NULL;

  g_assert_no_error (error);
  loaded = ghlo_client_load_executable (other, bytes, 0, NULL, &error);
  g_assert_no_error (error);
  assert_scales (loaded, 3);
  g_assert_null (ghlo_client_load_executable (bare, bytes, 0, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
}

static gboolean
note (GhloCustomCall  *call,
      gpointer         data,
      GError         **error)
{
  g_autofree char *config = ghlo_custom_call_get_backend_config (call);
  const gint32 *i = ghlo_custom_call_get_operand_data (call, 0, NULL, error);

  g_string_append_printf (((Seen *) data)->order, "%s%d ", config, *i);

  return TRUE;
}

/* Side effects happen in program order, each as often as the program says, even where no result is used. */
static void
test_order (void)
{
  static const char text[] =
    "func.func @main(%x: tensor<4xf32>) -> tensor<i32> {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %three = stablehlo.constant dense<3> : tensor<i32>\n"
    "  stablehlo.custom_call @f(%zero) {has_side_effect = true, backend_config = \"a\"} : (tensor<i32>) -> ()\n"
    "  stablehlo.custom_call @f(%zero) {has_side_effect = true, backend_config = \"a\"} : (tensor<i32>) -> ()\n"
    "  %0 = stablehlo.while(%i = %zero) : tensor<i32>\n"
    "    cond {\n"
    "      %2 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %2 : tensor<i1>\n"
    "    } do {\n"
    "      stablehlo.custom_call @f(%one) {has_side_effect = true, backend_config = \"b\"} : (tensor<i32>) -> ()\n"
    "      %3 = stablehlo.add %i, %one : tensor<i32>\n"
    "      stablehlo.custom_call @f(%3) {has_side_effect = true, backend_config = \"c\"} : (tensor<i32>) -> ()\n"
    "      stablehlo.return %3 : tensor<i32>\n"
    "    }\n"
    "  stablehlo.custom_call @f(%0) {has_side_effect = true, backend_config = \"d\"} : (tensor<i32>) -> ()\n"
    "  return %0 : tensor<i32>\n"
    "}\n";

  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (GString) order = g_string_new (NULL);
      Seen seen = { .order = order };
      g_autoptr (GhloClient) client = client_with ("f", note, &seen);
      g_autoptr (GhloExecutable) executable = round == 0 ? compile (client, text) : compile_on_reference (client, text);
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloResult) result = execute (executable, &error);

      g_assert_no_error (error);
      g_assert_nonnull (result);
      g_assert_cmpstr (order->str, ==, "a0 a0 b1 c1 b1 c2 b1 c3 d3 ");
    }
}

enum { N_THREADS = 8, N_ROUNDS = 50 };

typedef struct
{
  GhloClient     *client;
  GhloExecutable *executable;
  Seen           *seen;
} Shared;

static gboolean
scale_own (GhloCustomCall  *call,
           gpointer         data,
           GError         **error)
{
  Seen own = { .factor = ((Seen *) data)->factor };

  g_atomic_int_inc (&((Seen *) data)->n_calls);

  return scale (call, &own, error);
}

static gpointer
run_many (gpointer data)
{
  const Shared *shared = data;

  for (guint i = 0; i < N_ROUNDS; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloExecutable) executable = NULL;

      assert_scales (shared->executable, 5);
      if (i % 10 != 0)
        continue;
      g_assert_true (ghlo_client_register_custom_call (shared->client, "scale", scale_own, shared->seen, on_destroyed,
                                                       NULL, &error));
      executable = compile (shared->client, SCALE (""));
      assert_scales (executable, 5);
    }

  return NULL;
}

/* One function for runs, compiles and registrations on many threads; each registration is released once. */
static void
test_threads (void)
{
  Seen seen = { .factor = 5 };
  g_autoptr (GhloClient) client = client_with ("scale", scale_own, &seen);
  g_autoptr (GhloExecutable) executable = compile (client, SCALE (""));
  Shared shared = { client, executable, &seen };
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("runs", run_many, &shared);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (seen.n_calls, ==, N_THREADS * (N_ROUNDS + N_ROUNDS / 10));
  g_clear_object (&executable);
  g_clear_object (&client);
  g_assert_cmpint (seen.n_destroyed, ==, 1 + N_THREADS * (N_ROUNDS / 10));
}

static void
test_async (void)
{
  Seen seen = { .factor = 2 };
  g_autoptr (GhloClient) client = client_with ("scale", scale, &seen);
  g_autoptr (GhloExecutable) executable = compile (client, SCALE (""));
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", counts, sizeof counts);
  g_autoptr (GError) error = NULL;
  HelpWait wait = help_wait_init ();
  g_autoptr (GhloResult) result = NULL;

  ghlo_executable_execute_async (executable, &x, 1, NULL, help_ready, &wait);
  result = ghlo_executable_execute_finish (executable, help_wait_for_call (&wait), &error);
  g_assert_no_error (error);
  assert_output (result, 2);
  g_assert_true (seen.thread != g_thread_self ());
  help_wait_clear (&wait);
}

/* Waits until the function, which nothing else refers to, is released: possibly in the context of @wait, whose
 * answer holds the executable. */
static void
end_wait (HelpWait *wait,
          Seen     *seen)
{
  g_autoptr (GMainContext) context = g_main_context_ref (wait->context);

  help_wait_clear (wait);
  while (g_atomic_int_get (&seen->n_destroyed) == 0)
    {
      g_main_context_iteration (context, FALSE);
      g_usleep (1000);
    }
  g_assert_cmpint (seen->n_destroyed, ==, 1);
}

/* A client whose function belongs to this thread's context. */
static GhloClient *
client_in_context (Seen *seen)
{
  g_autoptr (GMainContext) context = g_main_context_ref_thread_default ();
  g_autoptr (GError) error = NULL;
  GhloClient *client = ghlo_client_new ();

  g_assert_true (ghlo_client_register_custom_call (client, "scale", scale, seen, on_destroyed, context, &error));
  g_assert_no_error (error);

  return client;
}

/* The function is called in its context, either by the main loop or by a call that blocks the context's thread, and
 * released in the context. */
static void
test_context (void)
{
  Seen seen = { .factor = 2 };
  HelpWait wait = help_wait_init ();
  g_autoptr (GhloClient) client = client_in_context (&seen);
  g_autoptr (GhloExecutable) executable = compile (client, SCALE (""));
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", counts, sizeof counts);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = NULL;

  ghlo_executable_execute_async (executable, &x, 1, NULL, help_ready, &wait);
  result = ghlo_executable_execute_finish (executable, help_wait_for_call (&wait), &error);
  g_assert_no_error (error);
  assert_output (result, 2);
  g_assert_true (seen.thread == g_thread_self ());

  seen.thread = NULL;
  assert_scales (executable, 2);
  g_assert_true (seen.thread == g_thread_self ());

  g_clear_object (&executable);
  g_clear_object (&client);
  g_assert_cmpint (seen.n_destroyed, ==, 0);
  end_wait (&wait, &seen);
}

/* A synchronous run of a session that is queued behind a run whose custom call this thread must answer. */
static void
test_context_session (void)
{
  Seen seen = { .factor = 2 };
  HelpWait wait = help_wait_init ();
  g_autoptr (GhloClient) client = client_in_context (&seen);
  g_autoptr (GhloExecutable) executable = compile (client, SCALE (""));
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", counts, sizeof counts);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) first = NULL;
  g_autoptr (GhloResult) second = NULL;

  ghlo_session_run_async (session, &x, 1, NULL, help_ready, &wait);
  second = ghlo_session_run (session, &x, 1, NULL, &error);
  g_assert_no_error (error);
  assert_output (second, 2);
  first = ghlo_session_run_finish (session, help_wait_run (&wait), &error);
  g_assert_no_error (error);
  assert_output (first, 2);
  g_assert_cmpint (seen.n_calls, ==, 2);

  /* The client's last registration is released. */
  g_clear_object (&session);
  g_clear_object (&executable);
  g_clear_object (&client);
  end_wait (&wait, &seen);
}

typedef struct
{
  GhloExecutable *executable;
  GCancellable   *cancellable;
  GError         *error;
} Run;

static gpointer
run_elsewhere (gpointer data)
{
  Run *run = data;
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", counts, sizeof counts);
  g_autoptr (GhloResult) result = ghlo_executable_execute (run->executable, &x, 1, run->cancellable, &run->error);

  return result != NULL ? result : NULL;
}

/* If nobody iterates the context, a run waits until it is cancelled. */
static void
test_context_cancelled (void)
{
  Seen seen = { .factor = 2 };
  HelpWait wait = help_wait_init ();
  g_autoptr (GhloClient) client = client_in_context (&seen);
  g_autoptr (GhloExecutable) executable = compile (client, SCALE (""));
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Run run = { executable, cancellable, NULL };
  GThread *thread = g_thread_new ("run", run_elsewhere, &run), *canceller = help_cancel_later (cancellable, 20000);

  g_assert_null (g_thread_join (thread));
  g_assert_error (run.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (seen.n_calls, ==, 0);
  g_thread_join (canceller);
  g_clear_error (&run.error);
  g_clear_object (&executable);
  g_clear_object (&client);
  end_wait (&wait, &seen);
}

static gboolean
waits (GhloCustomCall  *call,
       gpointer         data,
       GError         **error)
{
  g_atomic_int_inc (&((Seen *) data)->n_calls);
  while (!g_cancellable_set_error_if_cancelled (ghlo_custom_call_get_cancellable (call), error))
    g_usleep (1000);

  return FALSE;
}

/* A function is told when its run is cancelled; the caller does not wait for it. */
static void
test_cancel (void)
{
  Seen seen = { 0 };
  g_autoptr (GhloClient) client = client_with ("f", waits, &seen);
  g_autoptr (GhloExecutable) executable = compile (client, F);
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", counts, sizeof counts);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  HelpWait wait = help_wait_init ();

  ghlo_executable_execute_async (executable, &x, 1, cancellable, help_ready, &wait);
  while (g_atomic_int_get (&seen.n_calls) == 0)
    g_usleep (1000);
  g_cancellable_cancel (cancellable);
  g_assert_null (ghlo_executable_execute_finish (executable, help_wait_run (&wait), &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_object (&executable);
  g_clear_object (&client);
  end_wait (&wait, &seen);
}

static gboolean
sleeps (GhloCustomCall  *call,
        gpointer         data,
        GError         **error)
{
  g_atomic_int_inc (&((Seen *) data)->n_calls);
  while (TRUE)
    g_usleep (G_USEC_PER_SEC);

  return TRUE;
}

/* In child processes, where nothing can be called afterwards. */
static void
test_shut_down (void)
{
  g_test_trap_subprocess ("/custom-calls/shut-down/subprocess/waits", 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_subprocess ("/custom-calls/shut-down/subprocess/sleeps", 0, 0);
  g_test_trap_assert_passed ();
}

static void
start_many (GhloExecutable *executable,
            HelpWait        waits[],
            guint           n_waits)
{
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", counts, sizeof counts);

  for (guint i = 0; i < n_waits; i++)
    {
      waits[i] = help_wait_init ();
      ghlo_executable_execute_async (executable, &x, 1, NULL, help_ready, &waits[i]);
    }
}

/* The run in progress and those behind it end, and so does every later one. */
static void
test_shut_down_waits (void)
{
  Seen seen = { 0 };
  g_autoptr (GhloClient) client = client_with ("f", waits, &seen);
  g_autoptr (GhloExecutable) executable = compile (client, F);
  HelpWait pending[20];
  guint n_calls;

  start_many (executable, pending, G_N_ELEMENTS (pending));
  while (g_atomic_int_get (&seen.n_calls) == 0)
    g_usleep (1000);
  g_assert_true (ghlo_shut_down (60000));
  n_calls = g_atomic_int_get (&seen.n_calls);

  for (guint i = 0; i < G_N_ELEMENTS (pending); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (ghlo_executable_execute_finish (executable, help_wait_run (&pending[i]), &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      help_wait_clear (&pending[i]);
    }
  start_many (executable, pending, 1);
  g_assert_null (ghlo_executable_execute_finish (executable, help_wait_run (&pending[0]), NULL));
  help_wait_clear (&pending[0]);
  g_clear_object (&executable);
  g_clear_object (&client);
  g_assert_cmpint (g_atomic_int_get (&seen.n_calls), ==, n_calls);
  g_assert_cmpint (g_atomic_int_get (&seen.n_destroyed), ==, 0);
}

/* A function that never returns is left running. */
static void
test_shut_down_sleeps (void)
{
  static Seen seen;
  g_autoptr (GhloClient) client = client_with ("f", sleeps, &seen);
  g_autoptr (GhloExecutable) executable = compile (client, F);
  static HelpWait pending[1];

  start_many (executable, pending, G_N_ELEMENTS (pending));
  while (g_atomic_int_get (&seen.n_calls) == 0)
    g_usleep (1000);
  g_assert_false (ghlo_shut_down (10));
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
  g_test_add_func ("/custom-calls/order", test_order);
  g_test_add_func ("/custom-calls/threads", test_threads);
  g_test_add_func ("/custom-calls/async", test_async);
  g_test_add_func ("/custom-calls/context", test_context);
  g_test_add_func ("/custom-calls/context-session", test_context_session);
  g_test_add_func ("/custom-calls/context-cancelled", test_context_cancelled);
  g_test_add_func ("/custom-calls/cancel", test_cancel);
  g_test_add_func ("/custom-calls/shut-down", test_shut_down);
  g_test_add_func ("/custom-calls/shut-down/subprocess/waits", test_shut_down_waits);
  g_test_add_func ("/custom-calls/shut-down/subprocess/sleeps", test_shut_down_sleeps);

  return g_test_run ();
}
