/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes the public API: the input is a list of calls, one byte each, each followed
 * by the choices of its arguments. Objects come from a pool to which calls add their
 * results; arguments may be missing, unconstructed, released, of another program, or
 * cancelled from another thread. The checks: every call fails with an error or
 * succeeds, each async call is answered once, and no message is logged.
 *
 * Not called: what the API forbids to callers, such as a method on NULL.
 */

#include <ghlo/ghlo.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POOL_SIZE = 6, MAX_CALLS = 64, MAX_INPUTS = 4, ANSWER_LIMIT = 10 * G_USEC_PER_SEC };

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

typedef struct
{
  const guint8 *data;
  gsize         size;
} Input;

typedef enum
{
  POOL_CLIENT,
  POOL_PROGRAM,
  POOL_EXECUTABLE,
  POOL_BUFFER,
  POOL_RESULT,
  POOL_OPTIONS,
  POOL_PROGRESS,
  POOL_CANCELLABLE,
  POOL_DEVICE,
  POOL_SESSION,
  N_POOLS
} PoolKind;

typedef struct
{
  Input         input;
  GMainContext *context;
  GObject      *pools[N_POOLS][POOL_SIZE];
  guint         fence;        /* async calls without an answer yet */
} State;

/* The data of an async call's callback. */
typedef struct
{
  State   *state;
  GObject *self;                /* referenced; NULL for functions */
  void   (*finish) (State *state, gpointer self, GAsyncResult *result);
  guint    answers;
} Call;

static guint
take (State *state)
{
  if (state->input.size == 0)
    return 0;
  state->input.size--;

  return *state->input.data++;
}

static gboolean
maybe (State *state)
{
  return take (state) % 4 == 0;
}

/* By kind. */
static GType (*const pool_types[]) (void) = {
  ghlo_client_get_type, ghlo_program_get_type, ghlo_executable_get_type, ghlo_buffer_get_type, ghlo_result_get_type,
  ghlo_compile_options_get_type, ghlo_progress_get_type, g_cancellable_get_type, ghlo_device_get_type,
  ghlo_session_get_type,
};

G_STATIC_ASSERT (G_N_ELEMENTS (pool_types) == N_POOLS);

/* Returns an object of the pool, or an unconstructed one (transfer none). */
static gpointer
pick (State    *state,
      PoolKind  kind)
{
  guint slot = take (state) % POOL_SIZE;

  if (state->pools[kind][slot] == NULL)
    state->pools[kind][slot] = g_object_new (pool_types[kind] (), NULL);

  return state->pools[kind][slot];
}

static gpointer
pick_or_null (State    *state,
              PoolKind  kind)
{
  return maybe (state) ? NULL : pick (state, kind);
}

/* Returns an object of any class, since a binding may pass one of a wrong class. */
static gpointer
pick_any (State    *state,
          PoolKind  kind)
{
  return take (state) % 16 == 0 ? pick (state, take (state) % N_POOLS) : pick_or_null (state, kind);
}

static void
put (State    *state,
     PoolKind  kind,
     gpointer  object)
{
  guint slot = take (state) % POOL_SIZE;

  if (object == NULL)
    return;
  g_clear_object (&state->pools[kind][slot]);
  state->pools[kind][slot] = object;
}

/* Checks that a call returned an object, or NULL and an error with a message. */
static void
check (gpointer  made,
       GError   *error)
{
  if ((made == NULL) != (error != NULL))
    abort ();
  if (error != NULL
      && (error->message == NULL || *error->message == '\0' || !g_utf8_validate (error->message, -1, NULL)))
    abort ();
  g_clear_error (&error);
}

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

static const char *const types[] = {
  "tensor<2x3xf32>", "tensor<4xi32>", "tensor<i1>", "tensor<6xi1>", "tensor<2xi8>", "tensor<?xf32>", "tensor<0xf32>",
  "tensor<5xf32>", "tensor<3x2xui8>", "tensor<2xcomplex<f64>>", "tensor<i32>", "tensor<7xi4>", "tensor<*xf32>",
  "tensor<2x!quant.uniform<i8:f32, 0.5>>", "tensor<99999999999x99999999999xf32>", "tensor<", "tensor<1000000x1000xf64>",
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

static GBytes *
make_bytes (State                *state,
            const GhloTensorType *type)
{
  gint64 wanted = type != NULL ? ghlo_tensor_type_get_size (type) : 0;
  gsize size = wanted >= 0 && wanted < 65536 ? (gsize) wanted : 24;
  guint offset = take (state) % 8;
  g_autoptr (GBytes) whole = NULL;
  guint8 *data;

  if (maybe (state))
    size = take (state);
  data = g_malloc0 (size + offset + 1);
  if (maybe (state))
    memset (data, (int) take (state), size + offset);
  whole = g_bytes_new_take (data, size + offset);

  return take (state) % 32 == 0 ? NULL : g_bytes_new_from_bytes (whole, offset, size);
}

static GhloTensorType *
make_type (State *state)
{
  gint64 dimensions[4];
  GhloTensorType *type;
  GError *error = NULL;
  guint rank = take (state) % 16;

  if (rank > G_N_ELEMENTS (dimensions))
    {
      type = ghlo_tensor_type_parse (types[take (state) % G_N_ELEMENTS (types)], &error);
      check (type, error);
      return type;
    }
  for (guint i = 0; i < rank; i++)
    dimensions[i] = (gint64) (gint8) take (state) * (maybe (state) ? G_MAXINT64 / 200 : 1);

  return ghlo_tensor_type_new ((GhloElementType) (take (state) % 40), rank > 0 ? dimensions : NULL, rank);
}

static GCancellable *
pick_cancellable (State *state)
{
  return pick_or_null (state, POOL_CANCELLABLE);
}

/* Programs may run forever: a watchdog cancels these cancellables of runs when the
 * time for an input is over. */
enum { INPUT_TIME = G_USEC_PER_SEC };

static struct
{
  GMutex     lock;          /* guards what follows */
  GPtrArray *cancellables;  /* of GCancellable, owned */
  gint64     deadline;      /* monotonic */
} watched;

static gpointer
watch (gpointer data)
{
  while (TRUE)
    {
      g_usleep (50000);
      g_mutex_lock (&watched.lock);
      if (g_get_monotonic_time () > watched.deadline)
        for (guint i = 0; i < watched.cancellables->len; i++)
          g_cancellable_cancel (watched.cancellables->pdata[i]);
      g_mutex_unlock (&watched.lock);
    }

  return NULL;
}

/* Sets the deadline for an input that begins; 0 when the input is done. */
static void
set_watch (gint64 deadline)
{
  g_mutex_lock (&watched.lock);
  g_ptr_array_set_size (watched.cancellables, 0);
  watched.deadline = deadline > 0 ? deadline : G_MAXINT64;
  g_mutex_unlock (&watched.lock);
}

/* Returns a cancellable that the watchdog knows; never NULL. */
static GCancellable *
pick_watched_cancellable (State *state)
{
  GCancellable *cancellable = pick_cancellable (state);

  cancellable = cancellable != NULL ? g_object_ref (cancellable) : g_cancellable_new ();
  g_mutex_lock (&watched.lock);
  g_ptr_array_add (watched.cancellables, cancellable);
  g_mutex_unlock (&watched.lock);

  return cancellable;
}

static gpointer
cancel (gpointer data)
{
  g_autoptr (GCancellable) cancellable = data;

  g_cancellable_cancel (cancellable);

  return NULL;
}

static void
on_ready (GObject      *source,
          GAsyncResult *result,
          gpointer      data)
{
  Call *call = data;

  if (call->answers++ > 0 || source != call->self)
    abort ();
  call->state->fence--;
  call->finish (call->state, call->self, result);
  g_clear_object (&call->self);
  g_free (call);
}

static Call *
call_new (State    *state,
          gpointer  self,
          void    (*finish) (State *state, gpointer self, GAsyncResult *result))
{
  Call *call = g_new0 (Call, 1);

  call->state = state;
  call->self = self != NULL ? g_object_ref (self) : NULL;
  call->finish = finish;
  state->fence++;

  return call;
}

/* The calls that make a program. */

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

static void
call_parse (State *state)
{
  g_autoptr (GBytes) text = make_text (state);
  const char *name = maybe (state) ? "fuzz\xff.mlir" : NULL;
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  GhloProgram *program;

  if (maybe (state))
    {
      ghlo_program_parse_async (text, name, cancellable, on_ready, call_new (state, NULL, finish_parse));
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

static void
call_load (State *state)
{
  static const char *const paths[] = { "/dev/null", "/", "/dev/null/missing", "" };
  g_autoptr (GFile) file = maybe (state) ? NULL : g_file_new_for_path (paths[take (state) % G_N_ELEMENTS (paths)]);
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  GhloProgram *program;

  if (maybe (state))
    {
      ghlo_program_load_async (file, cancellable, on_ready, call_new (state, NULL, finish_load));
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

static void
call_check (State *state)
{
  g_autoptr (GBytes) text = make_text (state);
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  GListModel *model;

  if (maybe (state))
    {
      ghlo_program_check_async (text, NULL, cancellable, on_ready, call_new (state, NULL, finish_check));
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

static void
call_text (State *state)
{
  GhloProgram *program = pick (state, POOL_PROGRAM);
  GhloTextFlags flags = take (state);
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  g_autofree char *text = NULL;

  if (maybe (state))
    {
      ghlo_program_to_text_async (program, flags, cancellable, on_ready, call_new (state, program, finish_text));
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

static void
call_serialize (State *state)
{
  static const char *const versions[] = { NULL, "0.9.0", "1.0.0", "1.13.0", "1.20.0", "1.21.0", "", "\xff" };
  GhloProgram *program = pick (state, POOL_PROGRAM);
  const char *version = versions[take (state) % G_N_ELEMENTS (versions)];
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (maybe (state))
    {
      ghlo_program_serialize_async (program, version, cancellable, on_ready,
                                    call_new (state, program, finish_serialize));
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

static void
call_lists (State *state)
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

static void
call_devices (State *state)
{
  GhloClient *client = pick (state, POOL_CLIENT);
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  GListModel *model;

  if (maybe (state))
    {
      ghlo_client_list_devices_async (client, cancellable, on_ready, call_new (state, client, finish_devices));
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

static void
call_compile (State *state)
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
      ghlo_client_compile_async (client, program, options, progress, cancellable, on_ready,
                                 call_new (state, client, finish_compile));
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

static void
call_register (State *state)
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

static void
call_options (State *state)
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

/* Runs. */

static void
finish_execute (State        *state,
                gpointer      self,
                GAsyncResult *result)
{
  GError *error = NULL;
  GhloResult *made = ghlo_executable_execute_finish (self, result, &error);

  check (made, error);
  put (state, POOL_RESULT, made);
}

static void
call_execute (State *state)
{
  GhloExecutable *executable = pick (state, POOL_EXECUTABLE);
  GhloBuffer *inputs[MAX_INPUTS];
  guint n = take (state) % (MAX_INPUTS + 1);
  GhloBuffer *const *given = take (state) % 16 == 0 ? NULL : inputs;
  GCancellable *cancellable = pick_watched_cancellable (state);
  GError *error = NULL;
  GhloResult *result;

  for (guint i = 0; i < n; i++)
    inputs[i] = take (state) % 16 == 0 ? pick_any (state, POOL_BUFFER) : pick (state, POOL_BUFFER);
  if (maybe (state))
    {
      ghlo_executable_execute_async (executable, given, n, cancellable, on_ready,
                                     call_new (state, executable, finish_execute));
      return;
    }
  result = ghlo_executable_execute (executable, given, n, cancellable, &error);
  check (result, error);
  put (state, POOL_RESULT, result);
}

/* Checks that either every step is measured or none. */
static void
look_at_steps (GListModel *steps,
               gboolean    profiled)
{
  for (guint i = 0; steps != NULL && i < g_list_model_get_n_items (steps); i++)
    {
      g_autoptr (GhloPlanStep) step = g_list_model_get_item (steps, i);
      g_autofree char *text = ghlo_plan_step_to_string (step);

      if ((ghlo_plan_step_get_measurement (step) >= 0) != profiled || *ghlo_plan_step_get_operation (step) == '\0'
          || *text == '\0')
        abort ();
      ghlo_plan_step_get_place (step);
      look_at_steps (ghlo_plan_step_get_steps (step), profiled);
    }
}

static void
call_result (State *state)
{
  GhloResult *result = pick (state, POOL_RESULT);
  GhloPlan *plan = ghlo_result_get_plan (result);
  gsize n;

  if (plan != NULL)
    look_at_steps (G_LIST_MODEL (plan), TRUE);

  ghlo_result_get_outputs (result, &n);
  if (n != g_list_model_get_n_items (G_LIST_MODEL (result)) || n != ghlo_result_get_n_outputs (result))
    abort ();
  ghlo_timing_get_run (ghlo_result_get_timing (result));
  if (maybe (state))
    ghlo_result_release (result);
  put (state, POOL_BUFFER, g_list_model_get_item (G_LIST_MODEL (result), take (state)));
}

/* Sessions. */

static void
check_done (gboolean  done,
            GError   *error)
{
  check (done ? GINT_TO_POINTER (1) : NULL, error);
}

static void
finish_session_run (State        *state,
                    gpointer      self,
                    GAsyncResult *result)
{
  GError *error = NULL;
  GhloResult *made = ghlo_session_run_finish (self, result, &error);

  check (made, error);
  put (state, POOL_RESULT, made);
}

static void
call_session_run (State *state)
{
  GhloSession *session = pick (state, POOL_SESSION);
  GhloBuffer *inputs[MAX_INPUTS];
  guint n = take (state) % (MAX_INPUTS + 1);
  GCancellable *cancellable = pick_watched_cancellable (state);
  GError *error = NULL;
  GhloResult *result;

  for (guint i = 0; i < n; i++)
    inputs[i] = take (state) % 16 == 0 ? pick_any (state, POOL_BUFFER) : pick (state, POOL_BUFFER);
  if (!maybe (state))
    {
      ghlo_session_run_async (session, inputs, n, cancellable, on_ready,
                              call_new (state, session, finish_session_run));
      return;
    }
  result = ghlo_session_run (session, inputs, n, cancellable, &error);
  check (result, error);
  put (state, POOL_RESULT, result);
}

static void
call_session (State *state)
{
  GhloSession *session = ghlo_session_new (pick (state, POOL_EXECUTABLE));

  ghlo_session_set_progress (session, pick_or_null (state, POOL_PROGRESS));
  ghlo_session_set_profile (session, take (state) % 2);
  put (state, POOL_SESSION, session);
}

/* Binds an output to memory of any size and alignment, which lives as long as runs may write to it. */
static gboolean
bind_output (State        *state,
             GhloSession  *session,
             guint         output,
             GError      **error)
{
  enum { LARGEST = 64, BEHIND = 8 };
  guint8 *memory = g_malloc0 (LARGEST + BEHIND);
  const gsize words = take (state) % (LARGEST / 4 + 1), size = take (state) % 8 == 0 ? words : words * 4;
  const gsize offset = take (state) % 4 == 0 ? take (state) % BEHIND : 0;
  const guintptr address = take (state) % 16 == 0 ? 0 : (guintptr) memory + offset;

  return ghlo_session_bind_output (session, output, address, size, g_free, memory, error);
}

static void
call_session_set_up (State *state)
{
  GhloSession *session = pick (state, POOL_SESSION);
  guint input = take (state) % 3, output = take (state) % 3;
  GError *error = NULL;
  gboolean done;

  switch (take (state) % 8)
    {
    case 0:
      done = ghlo_session_reset (session, &error);
      break;
    case 1:
      done = ghlo_session_bind_input (session, input, pick_any (state, POOL_BUFFER), &error);
      break;
    case 2:
    case 3:
      done = bind_output (state, session, output, &error);
      break;
    case 4:
      done = ghlo_session_unbind_output (session, output, &error);
      break;
    default:
      done = ghlo_session_carry (session, output, input, pick_any (state, POOL_BUFFER), &error);
    }
  check_done (done, error);
  ghlo_session_get_pending (session);
}

static void
finish_copy_state (State        *state,
                   gpointer      self,
                   GAsyncResult *result)
{
  GError *error = NULL;
  GhloBuffer *buffer = ghlo_session_copy_state_finish (self, result, &error);

  check (buffer, error);
  put (state, POOL_BUFFER, buffer);
}

static void
call_copy_state (State *state)
{
  GhloSession *session = pick (state, POOL_SESSION);
  guint input = take (state) % 3;
  GCancellable *cancellable = pick_watched_cancellable (state);
  GError *error = NULL;
  GhloBuffer *buffer;

  if (maybe (state))
    {
      ghlo_session_copy_state_async (session, input, cancellable, on_ready,
                                     call_new (state, session, finish_copy_state));
      return;
    }
  buffer = ghlo_session_copy_state (session, input, cancellable, &error);
  check (buffer, error);
  put (state, POOL_BUFFER, buffer);
}

/* Buffers. */

static void
call_buffer (State *state)
{
  g_autoptr (GhloTensorType) type = take (state) % 32 == 0 ? NULL : make_type (state);
  g_autoptr (GBytes) bytes = make_bytes (state, type);
  GError *error = NULL;
  GhloBuffer *buffer = ghlo_buffer_new_from_bytes (type, bytes, &error);

  check (buffer, error);
  put (state, POOL_BUFFER, buffer);
}

static void
call_strided (State *state)
{
  g_autoptr (GhloTensorType) type = take (state) % 32 == 0 ? NULL : make_type (state);
  g_autoptr (GBytes) bytes = make_bytes (state, type);
  gint64 strides[4];
  guint n = take (state) % (G_N_ELEMENTS (strides) + 1);
  GError *error = NULL;
  GhloBuffer *buffer;

  for (guint i = 0; i < n; i++)
    strides[i] = (gint64) (gint8) take (state) * (maybe (state) ? G_MAXINT64 / 128 : 1);
  buffer = ghlo_buffer_new_from_bytes_strided (type, bytes, take (state) % 16 == 0 ? NULL : strides, n, &error);
  check (buffer, error);
  put (state, POOL_BUFFER, buffer);
}

static void
call_numbers (State *state)
{
  g_autoptr (GhloTensorType) type = take (state) % 32 == 0 ? NULL : make_type (state);
  gint64 integers[6];
  double doubles[6];
  guint n = take (state) % (G_N_ELEMENTS (integers) + 1);
  GError *error = NULL;
  GhloBuffer *buffer;

  for (guint i = 0; i < n; i++)
    {
      integers[i] = (gint8) take (state);
      doubles[i] = integers[i] == 100 ? G_MAXDOUBLE : integers[i] / 8.0;
    }
  if (n == 0)
    buffer = ghlo_buffer_new_zeros (type, &error);
  else if (maybe (state))
    buffer = ghlo_buffer_new_from_int64s (type, integers, n, &error);
  else
    buffer = ghlo_buffer_new_from_doubles (type, doubles, n, &error);
  check (buffer, error);
  put (state, POOL_BUFFER, buffer);
}

static void
finish_copy (State        *state,
             gpointer      self,
             GAsyncResult *result)
{
  GError *error = NULL;
  GhloBuffer *buffer = ghlo_buffer_copy_to_device_finish (self, result, &error);

  check (buffer, error);
  put (state, POOL_BUFFER, buffer);
}

static void
call_copy (State *state)
{
  GhloBuffer *buffer = pick (state, POOL_BUFFER);
  GhloDevice *device = pick_any (state, POOL_DEVICE);
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  GhloBuffer *copy;

  if (maybe (state))
    {
      ghlo_buffer_copy_to_device_async (buffer, device, cancellable, on_ready, call_new (state, buffer, finish_copy));
      return;
    }
  copy = ghlo_buffer_copy_to_device (buffer, device, cancellable, &error);
  check (copy, error);
  put (state, POOL_BUFFER, copy);
}

/* Saves a tensor to a file in a memory file system, and loads it. */
static void
call_file (State *state)
{
  GhloBuffer *buffer = pick (state, POOL_BUFFER);
  g_autofree char *path = g_strdup_printf ("/dev/shm/ghlo-fuzz-%d.npy", (int) getpid ());
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GhloTensorType) type = maybe (state) ? make_type (state) : NULL;
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  gboolean saved = ghlo_buffer_save (buffer, file, cancellable, &error);

  check_done (saved, error);
  if (saved)
    {
      error = NULL;
      buffer = ghlo_buffer_load (file, type, NULL, &error);
      check (buffer, error);
      put (state, POOL_BUFFER, buffer);
    }
  g_file_delete (file, NULL, NULL);
}

static void
call_tuple (State *state)
{
  GhloBuffer *members[MAX_INPUTS];
  guint n = take (state) % (MAX_INPUTS + 1);
  GError *error = NULL;
  GhloBuffer *tuple;

  for (guint i = 0; i < n; i++)
    members[i] = pick_any (state, POOL_BUFFER);
  tuple = ghlo_buffer_new_tuple (take (state) % 16 == 0 ? NULL : members, n, &error);
  check (tuple, error);
  put (state, POOL_BUFFER, tuple);
}

static void
call_token (State *state)
{
  put (state, POOL_BUFFER, ghlo_buffer_new_token ());
}

static void
finish_read (State        *state,
             gpointer      self,
             GAsyncResult *result)
{
  GError *error = NULL;
  g_autoptr (GBytes) bytes = ghlo_buffer_read_finish (self, result, &error);

  check (bytes, error);
}

static guint
sum_bytes (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  guint sum = 0;

  for (gsize i = 0; i < size; i++)
    sum += data[i];

  return sum;
}

static void
call_read (State *state)
{
  GhloBuffer *buffer = pick (state, POOL_BUFFER);
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (maybe (state))
    {
      ghlo_buffer_read_async (buffer, cancellable, on_ready, call_new (state, buffer, finish_read));
      return;
    }
  bytes = ghlo_buffer_read (buffer, cancellable, &error);
  check (bytes, error);
  if (bytes != NULL)
    {
      ghlo_buffer_release (buffer);
      sum_bytes (bytes);
    }
}

static void
call_ask_buffer (State *state)
{
  GhloBuffer *buffer = pick (state, POOL_BUFFER);
  g_autoptr (GBytes) bytes = ghlo_buffer_get_host_bytes (buffer);
  GhloBuffer *const *members;
  gsize n;

  if (bytes != NULL && (guintptr) g_bytes_get_data (bytes, NULL) != ghlo_buffer_get_address (buffer)
      && g_bytes_get_size (bytes) > 0)
    abort ();
  ghlo_buffer_get_kind (buffer);
  ghlo_buffer_get_size (buffer);
  ghlo_buffer_get_device (buffer);
  members = ghlo_buffer_get_members (buffer, &n);
  if (n > 0)
    put (state, POOL_BUFFER, g_object_ref (members[take (state) % n]));
}

static void
call_release (State *state)
{
  ghlo_buffer_release (pick (state, POOL_BUFFER));
}

/* Actions other than calls of the library. */

static void
call_cancel (State *state)
{
  GCancellable *cancellable = pick (state, POOL_CANCELLABLE);

  if (maybe (state))
    g_thread_unref (g_thread_new ("cancel", cancel, g_object_ref (cancellable)));
  else
    g_cancellable_cancel (cancellable);
}

static void
call_drop (State *state)
{
  PoolKind kind = take (state) % N_POOLS;

  g_clear_object (&state->pools[kind][take (state) % POOL_SIZE]);
}

static void
call_iterate (State *state)
{
  guint n = take (state) % 8;

  while (n-- > 0 && g_main_context_iteration (state->context, FALSE))
    ;
}

static void
call_properties (State *state)
{
  GObject *object = pick (state, take (state) % N_POOLS);
  guint n;
  g_autofree GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);

  for (guint i = 0; i < n; i++)
    {
      g_auto (GValue) value = G_VALUE_INIT;

      g_object_get_property (object, specs[i]->name, &value);
      if ((specs[i]->flags & (G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY)) == G_PARAM_WRITABLE)
        g_object_set_property (object, specs[i]->name, &value);
    }
}

static void (*const calls[]) (State *state) = {
  call_parse, call_load, call_check, call_text, call_lists, call_devices, call_compile, call_compile, call_options,
  call_execute, call_execute, call_execute, call_result, call_buffer, call_buffer, call_strided, call_tuple, call_token,
  call_read, call_ask_buffer, call_release, call_cancel, call_drop, call_iterate, call_properties,
  call_session, call_session_set_up, call_session_run, call_copy_state, call_numbers, call_copy, call_file,
  call_serialize, call_register,
};

/* Waits until every async call has been answered. */
static void
drain (State *state)
{
  gint64 limit = g_get_monotonic_time () + ANSWER_LIMIT;

  while (state->fence > 0)
    {
      if (!g_main_context_iteration (state->context, FALSE))
        g_usleep (50);
      if (g_get_monotonic_time () > limit)
        abort ();
    }
}

int
LLVMFuzzerInitialize (int    *argc,
                      char ***argv)
{
  g_setenv ("GHLO_MEMORY_LIMIT", "256M", TRUE);
  g_log_set_always_fatal (G_LOG_LEVEL_MASK & ~(G_LOG_LEVEL_DEBUG | G_LOG_LEVEL_INFO | G_LOG_LEVEL_MESSAGE));
  watched.cancellables = g_ptr_array_new_with_free_func (g_object_unref);
  set_watch (0);
  g_thread_unref (g_thread_new ("watchdog", watch, NULL));

  return 0;
}

int
LLVMFuzzerTestOneInput (const guint8 *data,
                        gsize         size)
{
  State state = { .input = { data, size }, .context = g_main_context_new () };
  guint n = 0;

  g_main_context_push_thread_default (state.context);
  set_watch (g_get_monotonic_time () + INPUT_TIME);
  while (state.input.size > 0 && n++ < MAX_CALLS)
    calls[take (&state) % G_N_ELEMENTS (calls)] (&state);
  if (maybe (&state))
    for (guint i = 0; i < POOL_SIZE; i++)
      if (state.pools[POOL_CANCELLABLE][i] != NULL)
        g_cancellable_cancel (G_CANCELLABLE (state.pools[POOL_CANCELLABLE][i]));
  drain (&state);
  for (guint kind = 0; kind < N_POOLS; kind++)
    for (guint i = 0; i < POOL_SIZE; i++)
      g_clear_object (&state.pools[kind][i]);
  while (g_main_context_iteration (state.context, FALSE))
    ;
  g_main_context_pop_thread_default (state.context);
  g_main_context_unref (state.context);
  set_watch (0);

  return 0;
}
