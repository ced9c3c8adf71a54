/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes the wrong calls of the table from C. Prints TAP.
 *
 *   wrong-calls wrong-calls.json
 */

#include <ghlo/ghlo.h>
#include <json-glib/json-glib.h>

typedef struct
{
  GhloClient   *client;
  GhloBuffer   *released;
  GhloBuffer   *bare;
  JsonObject   *programs;       /* texts by name */
  gboolean      async;
  GMainLoop    *loop;
  GAsyncResult *result;         /* of the asynchronous call under way */
} Table;

static const char *
get_string (JsonObject *row,
            const char *member)
{
  return json_object_has_member (row, member) ? json_object_get_string_member_with_default (row, member, NULL) : NULL;
}

static GBytes *
make_bytes (JsonObject *row,
            const char *member)
{
  gsize size;
  guint8 *data;

  if (json_object_get_null_member (row, member))
    return NULL;
  size = json_object_get_int_member (row, member);
  data = g_malloc (size);
  memset (data, json_object_get_int_member_with_default (row, "fill", 0), size);

  return g_bytes_new_take (data, size);
}

static GBytes *
make_text (JsonObject *row)
{
  const char *text = get_string (row, "text");

  if (json_object_has_member (row, "bytes"))
    {
      JsonArray *numbers = json_object_get_array_member (row, "bytes");
      guint n = json_array_get_length (numbers);
      guint8 *data = g_malloc (n);

      for (guint i = 0; i < n; i++)
        data[i] = (guint8) json_array_get_int_element (numbers, i);
      return g_bytes_new_take (data, n);
    }

  return text != NULL ? g_bytes_new (text, strlen (text)) : NULL;
}

static GhloBuffer *
make_zeros (const char *text)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse (text, NULL);
  gsize size = ghlo_tensor_type_get_size (type);
  g_autoptr (GBytes) bytes = g_bytes_new_take (g_malloc0 (size), size);

  return ghlo_buffer_new_from_bytes (type, bytes, NULL);
}

/* Each row makes one mistake and relies on everything else being right, so any other error aborts. */
static GObject *
find_buffer (Table      *table,
             const char *name)
{
  static const struct { const char *name, *type; } tensors[] = {
    { "ones", "tensor<2x3xf32>" }, { "wide", "tensor<3x2xf32>" },
    { "flat", "tensor<6xf32>" },   { "double", "tensor<2x3xf64>" },
  };

  if (name == NULL)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (tensors); i++)
    if (g_str_equal (name, tensors[i].name))
      return G_OBJECT (make_zeros (tensors[i].type));
  if (g_str_equal (name, "token"))
    return G_OBJECT (ghlo_buffer_new_token ());
  if (g_str_equal (name, "tuple"))
    {
      g_autoptr (GhloBuffer) ones = make_zeros ("tensor<2x3xf32>");

      return G_OBJECT (ghlo_buffer_new_tuple ((GhloBuffer *[]) { ones, ones }, 2, NULL));
    }
  if (g_str_equal (name, "foreign"))
    return G_OBJECT (g_cancellable_new ());

  return g_object_ref (G_OBJECT (g_str_equal (name, "released") ? table->released : table->bare));
}

static void
drop (gpointer object)
{
  if (object != NULL)
    g_object_unref (object);
}

/* Returns NULL for the table's null. */
static GPtrArray *
make_list (Table      *table,
           JsonObject *row,
           const char *member)
{
  GPtrArray *list;
  JsonArray *names;

  if (json_object_get_null_member (row, member))
    return NULL;
  list = g_ptr_array_new_with_free_func (drop);
  names = json_object_get_array_member (row, member);
  for (guint i = 0; i < json_array_get_length (names); i++)
    g_ptr_array_add (list, find_buffer (table, json_array_get_null_element (names, i)
                                                 ? NULL : json_array_get_string_element (names, i)));

  return list;
}

static GObject *
find_program (Table      *table,
              const char *name)
{
  g_autoptr (GBytes) bytes = NULL;
  const char *text;

  if (name == NULL)
    return NULL;
  if (g_str_equal (name, "foreign"))
    return G_OBJECT (g_cancellable_new ());
  if (g_str_equal (name, "bare"))
    return g_object_new (GHLO_TYPE_PROGRAM, NULL);
  text = json_object_get_string_member (table->programs, name);
  bytes = g_bytes_new (text, strlen (text));

  return G_OBJECT (ghlo_program_parse (bytes, name, NULL, NULL));
}

static void
on_done (GObject      *source,
         GAsyncResult *result,
         gpointer      data)
{
  Table *table = data;

  table->result = g_object_ref (result);
  g_main_loop_quit (table->loop);
}

static GAsyncResult *
wait_for (Table *table)
{
  g_clear_object (&table->result);
  g_main_loop_run (table->loop);

  return table->result;
}

/* There is one function for each call of the table. It returns the call's return value. */
typedef gpointer (*CallFunc) (Table *table, JsonObject *row, GCancellable *cancellable, GError **error);

static gpointer
call_parse (Table         *table,
            JsonObject    *row,
            GCancellable  *cancellable,
            GError       **error)
{
  g_autoptr (GBytes) bytes = make_text (row);

  if (!table->async)
    return ghlo_program_parse (bytes, NULL, cancellable, error);
  ghlo_program_parse_async (bytes, NULL, cancellable, on_done, table);

  return ghlo_program_parse_finish (wait_for (table), error);
}

static gpointer
call_check (Table         *table,
            JsonObject    *row,
            GCancellable  *cancellable,
            GError       **error)
{
  g_autoptr (GBytes) bytes = make_text (row);

  if (!table->async)
    return ghlo_program_check (bytes, NULL, cancellable, error);
  ghlo_program_check_async (bytes, NULL, cancellable, on_done, table);

  return ghlo_program_check_finish (wait_for (table), error);
}

static gpointer
call_load (Table         *table,
           JsonObject    *row,
           GCancellable  *cancellable,
           GError       **error)
{
  const char *path = get_string (row, "path");
  g_autoptr (GFile) file = path != NULL ? g_file_new_for_path (path) : NULL;

  if (!table->async)
    return ghlo_program_load (file, cancellable, error);
  ghlo_program_load_async (file, cancellable, on_done, table);

  return ghlo_program_load_finish (wait_for (table), error);
}

static gpointer
call_to_text (Table         *table,
              JsonObject    *row,
              GCancellable  *cancellable,
              GError       **error)
{
  g_autoptr (GhloProgram) program = (GhloProgram *) find_program (table, get_string (row, "program"));

  if (!table->async)
    return ghlo_program_to_text (program, GHLO_TEXT_FLAGS_NONE, cancellable, error);
  ghlo_program_to_text_async (program, GHLO_TEXT_FLAGS_NONE, cancellable, on_done, table);

  return ghlo_program_to_text_finish (program, wait_for (table), error);
}

static gpointer
call_serialize (Table         *table,
                JsonObject    *row,
                GCancellable  *cancellable,
                GError       **error)
{
  g_autoptr (GhloProgram) program = (GhloProgram *) find_program (table, get_string (row, "program"));
  const char *version = get_string (row, "version");

  if (!table->async)
    return ghlo_program_serialize (program, version, cancellable, error);
  ghlo_program_serialize_async (program, version, cancellable, on_done, table);

  return ghlo_program_serialize_finish (program, wait_for (table), error);
}

static gpointer
call_compile (Table         *table,
              JsonObject    *row,
              GCancellable  *cancellable,
              GError       **error)
{
  g_autoptr (GObject) object = find_program (table, get_string (row, "program"));
  g_autoptr (GObject) device = g_object_new (GHLO_TYPE_DEVICE, NULL);
  g_autoptr (GObject) foreign = G_OBJECT (g_cancellable_new ());
  g_autoptr (GObject) bare = g_object_new (GHLO_TYPE_COMPILE_OPTIONS, "device", device, NULL);
  const char *wish = get_string (row, "options");
  GhloCompileOptions *options = (GhloCompileOptions *) (g_strcmp0 (wish, "foreign") == 0 ? foreign : bare);
  GhloProgress *progress = (GhloProgress *) (get_string (row, "progress") != NULL ? foreign : NULL);
  GhloProgram *program = (GhloProgram *) object;

  if (wish == NULL)
    options = NULL;
  if (!table->async)
    return ghlo_client_compile (table->client, program, options, progress, cancellable, error);
  ghlo_client_compile_async (table->client, program, options, progress, cancellable, on_done, table);

  return ghlo_client_compile_finish (table->client, wait_for (table), error);
}

static gpointer
call_list_devices (Table         *table,
                   JsonObject    *row,
                   GCancellable  *cancellable,
                   GError       **error)
{
  if (!table->async)
    return ghlo_client_list_devices (table->client, cancellable, error);
  ghlo_client_list_devices_async (table->client, cancellable, on_done, table);

  return ghlo_client_list_devices_finish (table->client, wait_for (table), error);
}

/* Returns the executable of a row; an unconstructed one for "bare". */
static GhloExecutable *
make_executable (Table      *table,
                 const char *name)
{
  g_autoptr (GhloProgram) program = NULL;

  if (g_str_equal (name, "bare"))
    return g_object_new (GHLO_TYPE_EXECUTABLE, NULL);
  program = (GhloProgram *) find_program (table, name);

  return ghlo_client_compile (table->client, program, NULL, NULL, NULL, NULL);
}

static GhloSession *
make_session (Table      *table,
              JsonObject *row)
{
  const char *name = get_string (row, "session");
  g_autoptr (GhloExecutable) executable = make_executable (table, name);

  return g_str_equal (name, "bare") ? g_object_new (GHLO_TYPE_SESSION, NULL) : ghlo_session_new (executable);
}

static gpointer
call_execute (Table         *table,
              JsonObject    *row,
              GCancellable  *cancellable,
              GError       **error)
{
  g_autoptr (GhloExecutable) executable = make_executable (table, get_string (row, "executable"));
  g_autoptr (GPtrArray) list = make_list (table, row, "inputs");
  GhloBuffer **inputs = list != NULL ? (GhloBuffer **) list->pdata : NULL;
  gsize n_inputs = list != NULL ? list->len : 2;

  if (!table->async)
    return ghlo_executable_execute (executable, inputs, n_inputs, cancellable, error);
  ghlo_executable_execute_async (executable, inputs, n_inputs, cancellable, on_done, table);

  return ghlo_executable_execute_finish (executable, wait_for (table), error);
}

static gpointer
call_read (Table         *table,
           JsonObject    *row,
           GCancellable  *cancellable,
           GError       **error)
{
  g_autoptr (GhloBuffer) buffer = (GhloBuffer *) find_buffer (table, get_string (row, "buffer"));

  if (!table->async)
    return ghlo_buffer_read (buffer, cancellable, error);
  ghlo_buffer_read_async (buffer, cancellable, on_done, table);

  return ghlo_buffer_read_finish (buffer, wait_for (table), error);
}

static gpointer
call_run (Table         *table,
          JsonObject    *row,
          GCancellable  *cancellable,
          GError       **error)
{
  g_autoptr (GhloSession) session = make_session (table, row);
  g_autoptr (GPtrArray) list = make_list (table, row, "inputs");
  GhloBuffer **inputs = (GhloBuffer **) list->pdata;

  if (!table->async)
    return ghlo_session_run (session, inputs, list->len, cancellable, error);
  ghlo_session_run_async (session, inputs, list->len, cancellable, on_done, table);

  return ghlo_session_run_finish (session, wait_for (table), error);
}

static gpointer
call_copy_state (Table         *table,
                 JsonObject    *row,
                 GCancellable  *cancellable,
                 GError       **error)
{
  g_autoptr (GhloSession) session = make_session (table, row);
  guint input = json_object_get_int_member (row, "input");

  if (!table->async)
    return ghlo_session_copy_state (session, input, cancellable, error);
  ghlo_session_copy_state_async (session, input, cancellable, on_done, table);

  return ghlo_session_copy_state_finish (session, wait_for (table), error);
}

static gpointer
call_load_buffer (Table         *table,
                  JsonObject    *row,
                  GCancellable  *cancellable,
                  GError       **error)
{
  const char *path = get_string (row, "path");
  g_autoptr (GFile) file = path != NULL ? g_file_new_for_path (path) : NULL;

  if (!table->async)
    return ghlo_buffer_load (file, NULL, cancellable, error);
  ghlo_buffer_load_async (file, NULL, cancellable, on_done, table);

  return ghlo_buffer_load_finish (wait_for (table), error);
}

static gpointer
call_copy_to_device (Table         *table,
                     JsonObject    *row,
                     GCancellable  *cancellable,
                     GError       **error)
{
  g_autoptr (GhloBuffer) buffer = (GhloBuffer *) find_buffer (table, get_string (row, "buffer"));
  g_autoptr (GhloDevice) bare = g_object_new (GHLO_TYPE_DEVICE, NULL);
  GhloDevice *device = get_string (row, "target") != NULL ? bare : NULL;

  if (!table->async)
    return ghlo_buffer_copy_to_device (buffer, device, cancellable, error);
  ghlo_buffer_copy_to_device_async (buffer, device, cancellable, on_done, table);

  return ghlo_buffer_copy_to_device_finish (buffer, wait_for (table), error);
}

typedef struct
{
  Table      *table;
  JsonObject *row;
} Answer;

/* A custom-call function that sets the result given in the row. */
static gboolean
answer (GhloCustomCall  *call,
        gpointer         data,
        GError         **error)
{
  const Answer *self = data;
  g_autoptr (GhloBuffer) buffer = (GhloBuffer *) find_buffer (self->table, get_string (self->row, "buffer"));

  return json_object_get_null_member (self->row, "result")
         || ghlo_custom_call_set_result (call, json_object_get_int_member (self->row, "result"), buffer, error);
}

/* Binds, carries or resets, depending on the members of the row. */
static gpointer
call_wire (Table         *table,
           JsonObject    *row,
           GCancellable  *cancellable,
           GError       **error)
{
  g_autoptr (GhloSession) session = make_session (table, row);
  g_autoptr (GObject) object = NULL;
  guint input, output;

  if (!json_object_has_member (row, "input") && json_object_has_member (row, "output"))
    return GINT_TO_POINTER (ghlo_session_unbind_output (session, json_object_get_int_member (row, "output"), error));
  if (!json_object_has_member (row, "input"))
    return GINT_TO_POINTER (ghlo_session_reset (session, error));
  object = find_buffer (table, get_string (row, "buffer"));
  input = json_object_get_int_member (row, "input");
  if (!json_object_has_member (row, "output"))
    return GINT_TO_POINTER (ghlo_session_bind_input (session, input, (GhloBuffer *) object, error));
  output = json_object_get_int_member (row, "output");

  return GINT_TO_POINTER (ghlo_session_carry (session, output, input, (GhloBuffer *) object, error));
}

static gpointer
call_bind_name (Table         *table,
                JsonObject    *row,
                GCancellable  *cancellable,
                GError       **error)
{
  g_autoptr (GhloSession) session = make_session (table, row);
  g_autoptr (GObject) object = find_buffer (table, get_string (row, "buffer"));

  return GINT_TO_POINTER (ghlo_session_bind_input_by_name (session, get_string (row, "input"), (GhloBuffer *) object,
                                                           error));
}

static gpointer
call_carry_all (Table         *table,
                JsonObject    *row,
                GCancellable  *cancellable,
                GError       **error)
{
  g_autoptr (GhloSession) session = make_session (table, row);
  g_autoptr (GPtrArray) list = make_list (table, row, "initial");

  return GINT_TO_POINTER (ghlo_session_carry_all (session, (GhloBuffer **) list->pdata, list->len, error));
}

static gpointer
call_register (Table         *table,
               JsonObject    *row,
               GCancellable  *cancellable,
               GError       **error)
{
  const char *target = get_string (row, "calls");

  if (g_str_equal (get_string (row, "call"), "unregister"))
    return GINT_TO_POINTER (ghlo_client_unregister_custom_call (table->client, target, error));

  return GINT_TO_POINTER (ghlo_client_register_custom_call (table->client, target, answer, NULL, NULL, NULL, error));
}

/* Runs a program with a custom call whose function makes a mistake. */
static gpointer
call_answer (Table         *table,
             JsonObject    *row,
             GCancellable  *cancellable,
             GError       **error)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloProgram) program = (GhloProgram *) find_program (table, "call");
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GhloBuffer) x = make_zeros ("tensor<2x3xf32>");
  Answer what = { table, row };

  g_assert_true (ghlo_client_register_custom_call (client, "answer", answer, &what, NULL, NULL, NULL));
  executable = ghlo_client_compile (client, program, NULL, NULL, NULL, NULL);

  return ghlo_executable_execute (executable, &x, 1, NULL, error);
}

static gpointer
call_output (Table         *table,
             JsonObject    *row,
             GCancellable  *cancellable,
             GError       **error)
{
  g_autoptr (GhloSession) session = make_session (table, row);
  const guint output = json_object_get_int_member (row, "output");

  return GINT_TO_POINTER (ghlo_session_bind_output (session, output, json_object_get_int_member (row, "address"),
                                                    json_object_get_int_member (row, "size"), NULL, NULL, error));
}

/* Returns the array as numbers; NULL for the table's null. */
static gint64 *
make_numbers (JsonObject *row,
              const char *member,
              gsize      *n)
{
  JsonArray *array = json_object_get_null_member (row, member) ? NULL : json_object_get_array_member (row, member);
  gint64 *numbers = NULL;

  *n = array != NULL ? json_array_get_length (array) : 0;
  if (array != NULL)
    numbers = g_new (gint64, *n);
  for (gsize i = 0; i < *n; i++)
    numbers[i] = json_array_get_int_element (array, i);

  return numbers;
}

static GhloTensorType *
make_type (JsonObject *row)
{
  const char *text = get_string (row, "type");

  if (json_object_has_member (row, "dimensions"))
    {
      gsize n;
      g_autofree gint64 *dimensions = make_numbers (row, "dimensions", &n);

      return ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, dimensions, n);
    }

  return text != NULL ? ghlo_tensor_type_parse (text, NULL) : NULL;
}

static void
unref_type (GhloTensorType *type)
{
  if (type != NULL)
    ghlo_tensor_type_unref (type);
}

static gpointer
call_bytes (Table         *table,
            JsonObject    *row,
            GCancellable  *cancellable,
            GError       **error)
{
  GhloTensorType *type = make_type (row);
  g_autoptr (GBytes) bytes = make_bytes (row, "size");
  GhloBuffer *buffer = ghlo_buffer_new_from_bytes (type, bytes, error);

  unref_type (type);

  return buffer;
}

static gpointer
call_strided (Table         *table,
              JsonObject    *row,
              GCancellable  *cancellable,
              GError       **error)
{
  GhloTensorType *type = make_type (row);
  g_autoptr (GBytes) bytes = make_bytes (row, "size");
  gsize n;
  g_autofree gint64 *strides = make_numbers (row, "strides", &n);
  GhloBuffer *buffer = ghlo_buffer_new_from_bytes_strided (type, bytes, strides, n, error);

  unref_type (type);

  return buffer;
}

static gpointer
call_quantized (Table         *table,
                JsonObject    *row,
                GCancellable  *cancellable,
                GError       **error)
{
  GhloTensorType *stored = make_type (row);
  gsize n_scales, n_zero_points;
  g_autofree gint64 *numbers = make_numbers (row, "scales", &n_scales);
  g_autofree gint64 *zero_points = make_numbers (row, "zero_points", &n_zero_points);
  g_autofree double *scales = g_new (double, n_scales + 1);
  GhloTensorType *type;

  for (gsize i = 0; i < n_scales; i++)
    scales[i] = (double) numbers[i];
  type = ghlo_tensor_type_new_quantized (stored, ghlo_element_type_from_string (get_string (row, "expressed")), scales,
                                         n_scales, zero_points, n_zero_points,
                                         (int) json_object_get_int_member (row, "axis"),
                                         json_object_get_int_member (row, "min"),
                                         json_object_get_int_member (row, "max"), error);
  unref_type (stored);

  return type;
}

static gpointer
call_tuple (Table         *table,
            JsonObject    *row,
            GCancellable  *cancellable,
            GError       **error)
{
  g_autoptr (GPtrArray) members = make_list (table, row, "members");

  return ghlo_buffer_new_tuple ((GhloBuffer **) members->pdata, members->len, error);
}

static gpointer
call_type (Table         *table,
           JsonObject    *row,
           GCancellable  *cancellable,
           GError       **error)
{
  return ghlo_tensor_type_parse (get_string (row, "text"), error);
}

static const struct { const char *name; CallFunc func; } calls[] = {
  { "parse", call_parse },       { "check", call_check },     { "load", call_load },
  { "serialize", call_serialize },
  { "to-text", call_to_text },   { "compile", call_compile }, { "list-devices", call_list_devices },
  { "execute", call_execute },   { "read", call_read },       { "bytes", call_bytes },
  { "strided", call_strided },   { "tuple", call_tuple },     { "type", call_type },
  { "run", call_run },           { "bind", call_wire },       { "copy-state", call_copy_state },
  { "carry", call_wire },        { "reset", call_wire },      { "unbind", call_wire },
  { "load-buffer", call_load_buffer },
  { "copy-to-device", call_copy_to_device },
  { "register", call_register },   { "unregister", call_register }, { "answer", call_answer },
  { "bind-output", call_output },  { "bind-name", call_bind_name }, { "carry-all", call_carry_all },
  { "quantized", call_quantized },
};

static CallFunc
find_call (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    if (g_str_equal (name, calls[i].name))
      return calls[i].func;

  return NULL;
}

/* Parses an error code as the table writes it: INVALID_ARGUMENT. */
static int
find_code (GType       type,
           const char *name)
{
  g_autoptr (GEnumClass) klass = g_type_class_ref (type);
  g_autofree char *nick = g_strdelimit (g_ascii_strdown (name, -1), "_", '-');
  GEnumValue *value = g_enum_get_value_by_nick (klass, nick);

  return value != NULL ? value->value : -1;
}

/* Describes how the call's outcome differs from the expected one; NULL where it does not. */
static char *
complain (Table      *table,
          JsonObject *row)
{
  JsonArray *expected = json_object_get_array_member (row, "error");
  const char *domain = json_array_get_string_element (expected, 0);
  const char *code = json_array_get_string_element (expected, 1);
  const char *says = get_string (row, "says");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  CallFunc func = find_call (get_string (row, "call"));
  gpointer outcome;

  if (json_object_get_boolean_member_with_default (row, "cancelled", FALSE))
    g_cancellable_cancel (cancellable);
  g_setenv ("GHLO_DEVICE", json_object_get_string_member_with_default (row, "device", "auto"), TRUE);
  outcome = func (table, row, cancellable, &error);

  if (outcome != NULL || error == NULL)
    return g_strdup (outcome != NULL ? "expected an error, found a result" : "expected an error, found neither");
  if (!g_error_matches (error, g_quark_from_string (domain),
                        find_code (g_str_equal (domain, "ghlo-error-quark") ? ghlo_error_get_type ()
                                                                            : G_TYPE_IO_ERROR_ENUM, code)))
    return g_strdup_printf ("expected %s, found %s %d: %s", code, g_quark_to_string (error->domain), error->code,
                            error->message);
  if (says != NULL && strstr (error->message, says) == NULL)
    return g_strdup_printf ("expected '%s', found %s", says, error->message);

  return NULL;
}

int
main (int   argc,
      char *argv[])
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  Table table = { .client = ghlo_client_new (), .loop = g_main_loop_new (NULL, FALSE) };
  JsonArray *rows;
  guint number = 0, failures = 0;

  if (argc != 2 || !json_parser_load_from_file (parser, argv[1], &error))
    g_error ("%s", error != NULL ? error->message : "usage: wrong-calls wrong-calls.json");
  rows = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "calls");
  table.programs = json_object_get_object_member (json_node_get_object (json_parser_get_root (parser)), "programs");
  table.released = make_zeros ("tensor<2x3xf32>");
  ghlo_buffer_release (table.released);
  table.bare = g_object_new (GHLO_TYPE_BUFFER, NULL);

  for (table.async = FALSE; table.async <= TRUE; table.async++)
    for (guint i = 0; i < json_array_get_length (rows); i++)
      {
        JsonObject *row = json_array_get_object_element (rows, i);
        g_autofree char *complaint = NULL;

        if (table.async && get_string (row, "only") != NULL)
          continue;
        complaint = complain (&table, row);
        failures += complaint != NULL;
        g_print ("%sok %u - %s %s: %s\n", complaint != NULL ? "not " : "", ++number, table.async ? "async" : "sync",
                 get_string (row, "call"), get_string (row, "name"));
        if (complaint != NULL)
          g_print ("# %s\n", g_strdelimit (complaint, "\n", ' '));
      }
  g_print ("1..%u\n", number);

  g_clear_object (&table.result);
  g_object_unref (table.bare);
  g_object_unref (table.released);
  g_object_unref (table.client);
  g_main_loop_unref (table.loop);

  return failures > 0;
}
