/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a small network call by call, then does the same inside a GLib main loop,
 * where nothing blocks: a compile with progress, a run, and a second program that
 * takes too long and is cancelled.
 *
 *   run mlp.mlir collatz.mlir
 *
 * With the library installed it builds with
 *   cc run.c $(pkg-config --cflags --libs ghlo-1.0)
 */

#include <ghlo/ghlo.h>

/* Returns a buffer of @type, filled with 0.1, 0.2, … 0.9, 0.1, … */
static GhloBuffer *
make_buffer (GhloTensorType  *type,
             GError         **error)
{
  gsize n = ghlo_tensor_type_get_n_elements (type);
  float *values = g_new (float, n);
  g_autoptr (GBytes) bytes = g_bytes_new_take (values, n * sizeof (float));

  for (gsize i = 0; i < n; i++)
    values[i] = 0.1f * (i % 9 + 1);

  return ghlo_buffer_new_from_bytes (type, bytes, error);
}

/* Returns a buffer for each input of the program, or NULL with @error set. */
static GPtrArray *
make_inputs (GhloExecutable  *executable,
             GError         **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autofree GhloValueInfo **infos = ghlo_executable_list_inputs (executable);
  gboolean failed = FALSE;

  for (guint i = 0; infos[i] != NULL; i++)
    {
      GhloBuffer *buffer = failed ? NULL : make_buffer (ghlo_value_info_get_tensor_type (infos[i]), error);

      failed |= buffer == NULL;
      if (buffer != NULL)
        g_ptr_array_add (inputs, buffer);
      ghlo_value_info_unref (infos[i]);
    }

  return failed ? NULL : g_steal_pointer (&inputs);
}

static gboolean
print_output (const char  *title,
              GhloResult  *result,
              GError     **error)
{
  GhloBuffer *output = ghlo_result_get_output (result, 0);
  g_autofree char *type = ghlo_tensor_type_to_string (ghlo_buffer_get_tensor_type (output));
  g_autoptr (GBytes) bytes = ghlo_buffer_read (output, NULL, error);
  const float *values;

  if (bytes == NULL)
    return FALSE;
  values = g_bytes_get_data (bytes, NULL);
  g_print ("%s: %s", title, type);
  for (gsize i = 0; i < g_bytes_get_size (bytes) / sizeof (float); i++)
    g_print (" %.4f", values[i]);
  g_print (" (%.3f ms)\n", ghlo_timing_get_run (ghlo_result_get_timing (result)) * 1e3);

  return TRUE;
}

static gboolean
run_call_by_call (const char  *path,
                  GError     **error)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloProgram) program = ghlo_program_load (file, NULL, error);
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GhloResult) result = NULL;

  if (program == NULL)
    return FALSE;
  executable = ghlo_client_compile (client, program, NULL, NULL, NULL, error);
  if (executable == NULL)
    return FALSE;
  inputs = make_inputs (executable, error);
  if (inputs == NULL)
    return FALSE;
  result = ghlo_executable_execute (executable, (GhloBuffer **) inputs->pdata, inputs->len, NULL, error);
  if (result == NULL)
    return FALSE;

  return print_output ("call by call", result, error);
}

/* The state that an application would keep in its window. */
typedef struct
{
  GMainLoop    *loop;
  GhloClient   *client;
  GhloProgress *progress;
  GCancellable *cancellable;
  const char   *slow_path;      /* the next program to load; NULL once it has been loaded */
  int           status;
} App;

static void
app_end (App    *app,
         GError *error)
{
  /* The first line is the message for the user; a location in the program may follow. */
  g_printerr ("%s\n", error->message);
  g_error_free (error);
  app->status = 1;
  g_main_loop_quit (app->loop);
}

static void app_load (App *app, const char *path);

static void
on_executed (GObject      *source,
             GAsyncResult *result,
             gpointer      data)
{
  App *app = data;
  GError *error = NULL;
  g_autoptr (GhloResult) outputs = ghlo_executable_execute_finish (GHLO_EXECUTABLE (source), result, &error);

  if (outputs != NULL && print_output ("in a main loop", outputs, &error))
    app_load (app, g_steal_pointer (&app->slow_path));
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_print ("cancelled\n");
      g_error_free (error);
      g_main_loop_quit (app->loop);
    }
  else
    {
      app_end (app, error);
    }
}

static gboolean
on_patience_ended (gpointer data)
{
  g_cancellable_cancel (data);

  return G_SOURCE_REMOVE;
}

static void
on_compiled (GObject      *source,
             GAsyncResult *result,
             gpointer      data)
{
  App *app = data;
  GError *error = NULL;
  g_autoptr (GhloExecutable) executable = ghlo_client_compile_finish (app->client, result, &error);
  g_autoptr (GPtrArray) inputs = NULL;

  if (executable == NULL)
    {
      app_end (app, error);
      return;
    }
  if (app->slow_path != NULL)
    {
      inputs = make_inputs (executable, &error);
    }
  else
    {
      const gint64 limit = G_MAXINT64;
      g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_I64, NULL, 0);
      g_autoptr (GBytes) bytes = g_bytes_new (&limit, sizeof limit);

      inputs = g_ptr_array_new_with_free_func (g_object_unref);
      g_ptr_array_add (inputs, ghlo_buffer_new_from_bytes (type, bytes, NULL));
      g_timeout_add (100, on_patience_ended, app->cancellable);
    }
  if (inputs == NULL)
    {
      app_end (app, error);
      return;
    }

  /* The call holds references of its own: executable and inputs may be released. */
  ghlo_executable_execute_async (executable, (GhloBuffer **) inputs->pdata, inputs->len, app->cancellable, on_executed,
                                 app);
}

static void
on_loaded (GObject      *source,
           GAsyncResult *result,
           gpointer      data)
{
  App *app = data;
  GError *error = NULL;
  g_autoptr (GhloProgram) program = ghlo_program_load_finish (result, &error);

  if (program == NULL)
    app_end (app, error);
  else
    ghlo_client_compile_async (app->client, program, NULL, app->progress, app->cancellable, on_compiled, app);
}

static void
app_load (App        *app,
          const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (path);

  ghlo_program_load_async (file, app->cancellable, on_loaded, app);
}

static void
on_progress (GhloProgress *progress,
             GParamSpec   *pspec,
             gpointer      data)
{
  g_print ("compiling: %3.0f %%\n", ghlo_progress_get_fraction (progress) * 100);
}

int
main (int   argc,
      char *argv[])
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloProgress) progress = ghlo_progress_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  App app = { loop, client, progress, cancellable, NULL, 0 };

  if (argc != 3)
    {
      g_printerr ("usage: %s mlp.mlir collatz.mlir\n", argv[0]);
      return 2;
    }
  if (!run_call_by_call (argv[1], &error))
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }

  app.slow_path = argv[2];
  g_signal_connect (progress, "notify::fraction", G_CALLBACK (on_progress), NULL);
  app_load (&app, argv[1]);
  g_main_loop_run (loop);

  return app.status;
}
