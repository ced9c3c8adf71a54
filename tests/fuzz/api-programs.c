/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The calls of fuzz-api that make a program, ask about it, compile it and register what it calls.
 */

#include "api-state.h"

#include <string.h>

static const char *const programs[] = {
  "func.func @main(%l: tensor<2x3xf32>, %r: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
  "  %0 = stablehlo.add %l, %r : tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n}\n",
  "func.func @main(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<2xi32>) {\n"
  "  %0 = stablehlo.constant dense<[7, 8]> : tensor<2xi32>\n"
  "  return %x, %x, %0 : tensor<4xi32>, tensor<4xi32>, tensor<2xi32>\n}\n",
  "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
  "  %0 = stablehlo.negate %x : tensor<?xf32>\n  return %0 : tensor<?xf32>\n}\n",
  "func.func @main(%x: tuple<tensor<i1>, !stablehlo.token>) -> tuple<tensor<i1>, tensor<i1>> {\n"
  "  %0 = stablehlo.get_tuple_element %x[0] : (tuple<tensor<i1>, !stablehlo.token>) -> tensor<i1>\n"
  "  %1 = stablehlo.tuple %0, %0 : tuple<tensor<i1>, tensor<i1>>\n"
  "  return %1 : tuple<tensor<i1>, tensor<i1>>\n}\n",
  "func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 5.0e-1>>) -> tensor<2xf32> {\n"
  "  %0 = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32, 5.0e-1>>) -> tensor<2xf32>\n"
  "  return %0 : tensor<2xf32>\n}\n",
  "func.func @main() -> tensor<1000xf64> {\n"
  "  %0 = stablehlo.iota dim = 0 : tensor<1000xf64>\n  return %0 : tensor<1000xf64>\n}\n",
  "func.func @main(%x: !stablehlo.token) -> !stablehlo.token {\n  return %x : !stablehlo.token\n}\n",
  "func.func private @main(tensor<f32>) -> tensor<f32>\n",
  "func.func @a() {\n  return\n}\nfunc.func @b() {\n  return\n}\n",
  "func.func @main(%x: tensor<i32>) -> tensor<i32> {\n"
  "  %0:2 = stablehlo.while(%n = %x, %i = %x) : tensor<i32>, tensor<i32>\n"
  "    cond {\n      %c = stablehlo.constant dense<100> : tensor<i32>\n"
  "      %1 = stablehlo.compare LT, %n, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "      stablehlo.return %1 : tensor<i1>\n    } do {\n      %c = stablehlo.constant dense<1> : tensor<i32>\n"
  "      %1 = stablehlo.add %n, %c : tensor<i32>\n"
  "      stablehlo.return %1, %i : tensor<i32>, tensor<i32>\n    }\n  return %0#0 : tensor<i32>\n}\n",
  "func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {\n  return %x : tensor<2xf32>\n}\n",
  "ML\xefR",
  "func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<?xi1>) {\n"
  "  %0:3 = stablehlo.custom_call @f(%x) {backend_config = \"text\", own = [1, 2.5]} : (tensor<2xf32>) -> "
  "(tensor<2xf32>, tensor<?xi1>, !stablehlo.token)\n  return %0#0, %0#1 : tensor<2xf32>, tensor<?xi1>\n}\n",
};

/* Returns a program's text: whole, truncated, or with one byte replaced by one of the input. */
static GBytes *
make_text (State *state)
{
  const char *text = programs[take (state) % G_N_ELEMENTS (programs)];
  gsize size = strlen (text);
  g_autofree char *copy = g_memdup2 (text, size);
  guint how = take (state);
  guint cut = how % 8 == 0 ? take (state) : 0;

  if (cut > 0)
    size -= MIN (size, cut);
  else if (how % 8 == 1 && size > 0)
    copy[(take (state) * 256 + take (state)) % size] = (char) take (state);

  return how % 32 == 2 ? NULL : g_bytes_new_take (g_steal_pointer (&copy), size);
}

static void
finish_parse (State        *state,
              gpointer      self,
              GAsyncResult *result)
{
  GError *error = NULL;
  GhloProgram *program = ghlo_program_parse_finish (result, &error);

  check (program, error);
  put (state, POOL_PROGRAM, program);
}

void
api_call_parse (State *state)
{
  g_autoptr (GBytes) text = make_text (state);
  const char *name = maybe (state) ? "fuzz\xff.mlir" : NULL;
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  GhloProgram *program;

  if (maybe (state))
    {
      ghlo_program_parse_async (text, name, cancellable, api_ready, api_call_new (state, NULL, finish_parse));
      return;
    }
  program = ghlo_program_parse (text, name, cancellable, &error);
  check (program, error);
  put (state, POOL_PROGRAM, program);
}

static void
finish_load (State        *state,
             gpointer      self,
             GAsyncResult *result)
{
  GError *error = NULL;
  GhloProgram *program = ghlo_program_load_finish (result, &error);

  check (program, error);
  g_clear_object (&program);
}

void
api_call_load (State *state)
{
  static const char *const paths[] = { "/dev/null", "/", "/dev/null/missing", "" };
  g_autoptr (GFile) file = maybe (state) ? NULL : g_file_new_for_path (paths[take (state) % G_N_ELEMENTS (paths)]);
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  GhloProgram *program;

  if (maybe (state))
    {
      ghlo_program_load_async (file, cancellable, api_ready, api_call_new (state, NULL, finish_load));
      return;
    }
  program = ghlo_program_load (file, cancellable, &error);
  check (program, error);
  g_clear_object (&program);
}

static void
read_diagnostics (GListModel *model)
{
  for (guint i = 0; model != NULL && i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (GhloDiagnostic) diagnostic = g_list_model_get_item (model, i);
      g_autofree char *text = ghlo_diagnostic_to_string (diagnostic);

      if (!g_utf8_validate (text, -1, NULL) || ghlo_diagnostic_get_message (diagnostic) == NULL)
        abort ();
    }
  g_clear_object (&model);
}

static void
finish_check (State        *state,
              gpointer      self,
              GAsyncResult *result)
{
  GError *error = NULL;
  GListModel *model = ghlo_program_check_finish (result, &error);

  check (model, error);
  read_diagnostics (model);
}

void
api_call_check (State *state)
{
  g_autoptr (GBytes) text = make_text (state);
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  GListModel *model;

  if (maybe (state))
    {
      ghlo_program_check_async (text, NULL, cancellable, api_ready, api_call_new (state, NULL, finish_check));
      return;
    }
  model = ghlo_program_check (text, NULL, cancellable, &error);
  check (model, error);
  read_diagnostics (model);
}

static void
finish_text (State        *state,
             gpointer      self,
             GAsyncResult *result)
{
  GError *error = NULL;
  g_autofree char *text = ghlo_program_to_text_finish (self, result, &error);

  check (text, error);
}

void
api_call_text (State *state)
{
  GhloProgram *program = pick (state, POOL_PROGRAM);
  GhloTextFlags flags = take (state);
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  g_autofree char *text = NULL;

  if (maybe (state))
    {
      ghlo_program_to_text_async (program, flags, cancellable, api_ready, api_call_new (state, program, finish_text));
      return;
    }
  text = ghlo_program_to_text (program, flags, cancellable, &error);
  check (text, error);
}

static void
finish_serialize (State        *state,
                  gpointer      self,
                  GAsyncResult *result)
{
  GError *error = NULL;
  g_autoptr (GBytes) bytes = ghlo_program_serialize_finish (self, result, &error);

  check (bytes, error);
}

/* Reads back a written program, whole or with one byte replaced by one of the input. */
static void
parse_again (State  *state,
             GBytes *artifact)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (artifact, &size);
  guint8 *copy = g_memdup2 (data, size);
  g_autoptr (GBytes) bytes = g_bytes_new_take (copy, size);
  gboolean whole = maybe (state);
  GError *error = NULL;
  GhloProgram *program;

  if (!whole)
    copy[(take (state) * 256 + take (state)) % size] = (guint8) take (state);
  program = ghlo_program_parse (bytes, NULL, NULL, &error);
  if (whole && program == NULL)
    abort ();
  check (program, error);
  put (state, POOL_PROGRAM, program);
}

void
api_call_serialize (State *state)
{
  static const char *const versions[] = { NULL, "0.9.0", "1.0.0", "1.13.0", "1.20.0", "1.21.0", "", "\xff" };
  GhloProgram *program = pick (state, POOL_PROGRAM);
  const char *version = versions[take (state) % G_N_ELEMENTS (versions)];
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (maybe (state))
    {
      ghlo_program_serialize_async (program, version, cancellable, api_ready,
                                    api_call_new (state, program, finish_serialize));
      return;
    }
  bytes = ghlo_program_serialize (program, version, cancellable, &error);
  check (bytes, error);
  if (bytes != NULL)
    parse_again (state, bytes);
}

static void
read_infos (GhloValueInfo **infos)
{
  for (guint i = 0; infos[i] != NULL; i++)
    {
      g_autofree char *info_text = ghlo_value_info_to_string (infos[i]);
      GhloValueInfo **members = ghlo_value_info_list_members (infos[i]);

      check (info_text, NULL);
      ghlo_value_info_get_aliased_input (infos[i]);
      for (guint j = 0; members[j] != NULL; j++)
        ghlo_value_info_unref (members[j]);
      g_free (members);
      ghlo_value_info_unref (infos[i]);
    }
  g_free (infos);
}

void
api_call_lists (State *state)
{
  GhloProgram *program = pick (state, POOL_PROGRAM);
  GhloExecutable *executable = pick (state, POOL_EXECUTABLE);

  read_infos (ghlo_program_list_inputs (program));
  read_infos (ghlo_program_list_outputs (program));
  read_infos (ghlo_executable_list_inputs (executable));
  read_infos (ghlo_executable_list_outputs (executable));
  ghlo_program_get_name (program);
  ghlo_executable_get_program (executable);
  ghlo_executable_get_device (executable);
}

/* The calls of a client. */

static void
put_devices (State      *state,
             GListModel *model)
{
  for (guint i = 0; model != NULL && i < g_list_model_get_n_items (model); i++)
    put (state, POOL_DEVICE, g_list_model_get_item (model, i));
  g_clear_object (&model);
}

static void
finish_devices (State        *state,
                gpointer      self,
                GAsyncResult *result)
{
  GError *error = NULL;
  GListModel *model = ghlo_client_list_devices_finish (self, result, &error);

  check (model, error);
  put_devices (state, model);
}

void
api_call_devices (State *state)
{
  GhloClient *client = pick (state, POOL_CLIENT);
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  GListModel *model;

  if (maybe (state))
    {
      ghlo_client_list_devices_async (client, cancellable, api_ready, api_call_new (state, client, finish_devices));
      return;
    }
  model = ghlo_client_list_devices (client, cancellable, &error);
  check (model, error);
  put_devices (state, model);
}

static void
finish_compile (State        *state,
                gpointer      self,
                GAsyncResult *result)
{
  GError *error = NULL;
  GhloExecutable *executable = ghlo_client_compile_finish (self, result, &error);

  check (executable, error);
  put (state, POOL_EXECUTABLE, executable);
}

void
api_call_compile (State *state)
{
  GhloClient *client = pick (state, POOL_CLIENT);
  GhloProgram *program = pick_any (state, POOL_PROGRAM);
  GhloCompileOptions *options = pick_any (state, POOL_OPTIONS);
  GhloProgress *progress = pick_any (state, POOL_PROGRESS);
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  GhloExecutable *executable;

  if (maybe (state))
    {
      ghlo_client_compile_async (client, program, options, progress, cancellable, api_ready,
                                 api_call_new (state, client, finish_compile));
      return;
    }
  executable = ghlo_client_compile (client, program, options, progress, cancellable, &error);
  check (executable, error);
  put (state, POOL_EXECUTABLE, executable);
}

/* The behaviour of one registration's functions, from bytes of the input, and how often its data was released. */
typedef struct
{
  guint8  bytes[8];
  guint   n_given_back;
} Answers;

static void
give_back (gpointer data)
{
  Answers *answers = data;

  if (answers->n_given_back++ > 0)
    abort ();
  g_free (answers);
}

static void
ask_call (GhloCustomCall *call,
          guint           index)
{
  g_autoptr (GVariant) attributes = ghlo_custom_call_get_attributes (call);
  g_autofree char *config = ghlo_custom_call_get_backend_config (call);
  GhloValueInfo **infos = ghlo_custom_call_list_results (call);
  g_autoptr (GhloBuffer) operand = NULL;
  GError *error = NULL;
  gsize size;
  const guint8 *read = ghlo_custom_call_get_operand_data (call, index, &size, &error);

  check ((gpointer) read, error);
  error = NULL;
  operand = ghlo_custom_call_get_operand (call, index, &error);
  check (operand, error);
  for (guint i = 0; infos[i] != NULL; i++)
    ghlo_value_info_unref (infos[i]);
  g_free (infos);
  if (g_variant_n_children (attributes) > 2 || (config != NULL && !g_str_equal (config, "text")))
    abort ();
}

/* Returns too few or too many results, results of another type, or fails in one of several ways. */
static gboolean
answer (GhloCustomCall  *call,
        gpointer         data,
        GError         **error)
{
  const Answers *answers = data;
  gint64 dimension = answers->bytes[0] % 4;
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_I1 + answers->bytes[1] % 2, &dimension, 1);
  g_autoptr (GhloBuffer) buffer = ghlo_buffer_new_zeros (type, NULL);
  guint8 *written;
  gsize size;

  ask_call (call, answers->bytes[2] % 3);
  written = ghlo_custom_call_get_result_data (call, answers->bytes[3] % 4, &size, NULL);
  if (written != NULL && size > 0)
    written[0] = answers->bytes[4];
  if (answers->bytes[5] % 8 == 0)
    return FALSE;
  if (buffer != NULL && answers->bytes[6] % 4 == 0)
    ghlo_buffer_release (buffer);

  return ghlo_custom_call_set_result (call, answers->bytes[7] % 4, answers->bytes[7] < 8 ? NULL : buffer, error);
}

void
api_call_register (State *state)
{
  static const char *const names[] = { "f", "f", "f", "Qr", "", "\xff", NULL };
  GhloClient *client = pick (state, POOL_CLIENT);
  const char *name = names[take (state) % G_N_ELEMENTS (names)];
  GhloCustomCallFunction function;
  GMainContext *context;
  GError *error = NULL;
  Answers *answers;
  gboolean ok;

  if (maybe (state))
    {
      ok = ghlo_client_unregister_custom_call (client, name, &error);
      check (GINT_TO_POINTER (ok), error);
      return;
    }
  answers = g_new0 (Answers, 1);
  for (guint i = 0; i < G_N_ELEMENTS (answers->bytes); i++)
    answers->bytes[i] = take (state);
  function = take (state) % 16 == 0 ? NULL : answer;
  context = maybe (state) ? state->context : NULL;
  ok = ghlo_client_register_custom_call (client, name, function, answers, give_back, context, &error);
  check (GINT_TO_POINTER (ok), error);
}

void
api_call_options (State *state)
{
  static const char *const passes[] = { "fuse", "\xff", "fold", NULL };
  GhloCompileOptions *options = pick (state, POOL_OPTIONS);

  ghlo_compile_options_set_device (options, pick_or_null (state, POOL_DEVICE));
  ghlo_compile_options_set_optimization_level (options, (GhloOptimizationLevel) (take (state) % 4));
  ghlo_compile_options_set_disabled_passes (options, maybe (state) ? NULL : passes + take (state) % 4);
  ghlo_compile_options_set_enabled_passes (options, ghlo_compile_options_get_disabled_passes (options));
  ghlo_compile_options_set_caching (options, (gboolean) take (state));
  ghlo_compile_options_set_debug_info (options, (gboolean) take (state));
}
