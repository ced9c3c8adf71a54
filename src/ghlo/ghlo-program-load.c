/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The calls that create programs from files and bytes. A call has three parts: its
 * arguments, collected on the caller's thread; its body, which runs on a worker;
 * and the conversion of the result for the caller.
 */

#include "client/reclaim.h"
#include "compiler/read-module.h"
#include "ghlo-program-private.h"

#include "ghlo-diagnostic-private.h"
#include "ghlo-call-private.h"
#include "import/file.h"
#include "runtime/read-file.h"

/* The arguments of load, parse and check. */
typedef struct
{
  GFile  *file;      /* a copy of the caller's file for a load; else NULL */
  GBytes *bytes;     /* for the other calls; else NULL */
  char   *name;      /* as shown in messages; nullable */
} Source;

static void
source_free (gpointer data)
{
  Source *source = data;

  g_clear_object (&source->file);
  g_clear_pointer (&source->bytes, g_bytes_unref);
  g_free (source->name);
  g_free (source);
}

/* The name is displayed, so it must be valid UTF-8. */
static char *
display_name (GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);

  return name != NULL ? g_utf8_make_valid (name, -1) : NULL;
}

static Source *
source_new_for_file (GFile   *file,
                     GError **error)
{
  Source *source;

  if (!G_IS_FILE (file))
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected a file to load, found nothing");
      return NULL;
    }

  source = g_new0 (Source, 1);
  source->file = g_file_dup (file);
  source->name = display_name (file);

  return source;
}

static Source *
source_new_for_bytes (GBytes      *bytes,
                      const char  *name,
                      GError     **error)
{
  Source *source;

  if (bytes == NULL)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                           "expected the bytes of a program, found nothing");
      return NULL;
    }

  source = g_new0 (Source, 1);
  source->bytes = g_bytes_ref (bytes);
  source->name = name != NULL ? g_utf8_make_valid (name, -1) : NULL;

  return source;
}

static GhloDiagnostics *
source_get_diagnostics (const Source *source)
{
  gsize size;
  const char *text = g_bytes_get_data (source->bytes, &size);

  return ghlo_diagnostics_new (source->name, text != NULL ? text : "", size);
}

/* The result of load and parse. */
typedef struct
{
  GhloIrModule     *module;
  GhloImportSource  source;
} Contents;

static void
contents_free (gpointer data)
{
  Contents *contents = data;

  g_clear_pointer (&contents->module, ghlo_reclaim_module);
  ghlo_import_source_clear (&contents->source);
  g_free (contents);
}

static GhloProgram *
program_new (Contents *contents)
{
  GhloProgram *program;

  if (contents == NULL)
    return NULL;
  program = ghlo_program_new (g_steal_pointer (&contents->module), &contents->source);
  contents_free (contents);

  return program;
}

static gpointer
run_on_bytes (const GhloCallClass  *klass,
              GBytes               *bytes,
              const char           *name,
              GCancellable         *cancellable,
              GError              **error)
{
  return ghlo_call_run (klass, source_new_for_bytes (bytes, name, error), NULL, cancellable, error);
}

static void
start_on_bytes (const GhloCallClass *klass,
                GBytes              *bytes,
                const char          *name,
                GCancellable        *cancellable,
                GAsyncReadyCallback  callback,
                gpointer             user_data)
{
  GError *error = NULL;
  Source *source = source_new_for_bytes (bytes, name, &error);

  ghlo_call_start (klass, ghlo_call_task (klass, NULL, cancellable, callback, user_data), source, NULL, error);
}

static gpointer
read_run (gpointer            data,
          const GhloMonitor  *monitor,
          GError            **error)
{
  Source *source = data;
  Contents *contents = g_new0 (Contents, 1);

  contents->module = ghlo_read_program (source->bytes, source->name, monitor, &contents->source, error);
  if (contents->module != NULL)
    return contents;

  contents_free (contents);

  return NULL;
}

static gpointer
load_run (gpointer            data,
          const GhloMonitor  *monitor,
          GError            **error)
{
  Source *source = data;
  const char *path = g_file_is_native (source->file) ? g_file_peek_path (source->file) : NULL;
  g_auto (GhloImportFile) file = { 0 };
  g_autoptr (GError) local_error = NULL;
  Contents *contents;

  if (path == NULL || !ghlo_import_file_map (&file, path, GHLO_IMPORT_FILE_LIMIT))
    file.bytes = ghlo_read_file (source->file, monitor->cancellable, error);
  if (file.bytes == NULL)
    return NULL;

  source->bytes = g_bytes_ref (file.bytes);
  contents = read_run (source, monitor, &local_error);
  if (ghlo_monitor_cancelled (monitor, NULL) || !ghlo_import_file_has_changed (&file))
    {
      if (contents == NULL)
        g_propagate_error (error, g_steal_pointer (&local_error));
      return contents;
    }

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "%s: %s", source->name, GHLO_IMPORT_FILE_CHANGED);
  g_clear_pointer (&contents, contents_free);

  return NULL;
}

static const GhloCallClass load_class = {
  .job = {
    .name = "ghlo_program_load_async",
    .workers = GHLO_WORKERS_COMPILE,
    .run = load_run,
    .free_data = source_free,
    .free_result = contents_free,
  },
};

static const GhloCallClass parse_class = {
  .job = {
    .name = "ghlo_program_parse_async",
    .workers = GHLO_WORKERS_COMPILE,
    .run = read_run,
    .free_data = source_free,
    .free_result = contents_free,
  },
};

static gpointer
check_run (gpointer            data,
           const GhloMonitor  *monitor,
           GError            **error)
{
  Source *source = data;
  g_autoptr (GhloDiagnostics) diagnostics = source_get_diagnostics (source);
  g_autoptr (GError) local_error = NULL;
  GhloIrModule *module = ghlo_read_module (source->bytes, diagnostics, monitor, NULL, &local_error);

  g_clear_pointer (&module, ghlo_ir_module_unref);
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }

  return ghlo_diagnostic_list_new (diagnostics);
}

static const GhloCallClass check_class = {
  .job = {
    .name = "ghlo_program_check_async",
    .workers = GHLO_WORKERS_COMPILE,
    .run = check_run,
    .free_data = source_free,
    .free_result = (GDestroyNotify) ghlo_diagnostic_list_free,
  },
};

/**
 * ghlo_program_load:
 * @file: a file with a program
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Reads and verifies a program in any of the formats of [enum@Ghlo.ProgramFormat].
 *
 * A local file of more than 64 MiB is mapped into memory, and the program refers to
 * data in it: it must not be modified while the program exists. Replace such a file by
 * writing a new one and renaming it; see [Forms of programs](formats.html).
 *
 * Fails with %GHLO_ERROR_PARSE or %GHLO_ERROR_VERIFY when the program is invalid, with
 * %GHLO_ERROR_UNSUPPORTED when the library does not support the contents of the file,
 * with %GHLO_ERROR_DATA when the file changed while it was read or a pipe or a device
 * delivered more than 1 GiB, and with an error of GIO when the file cannot be read:
 * %G_IO_ERROR_TIMED_OUT for a named pipe that no process writes to for three seconds.
 *
 * Returns: (transfer full): the program, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloProgram *
ghlo_program_load (GFile         *file,
                   GCancellable  *cancellable,
                   GError       **error)
{
  return program_new (ghlo_call_run (&load_class, source_new_for_file (file, error), NULL, cancellable, error));
}

/**
 * ghlo_program_load_async:
 * @file: a file with a program
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Reads and verifies a program without blocking; see
 * [func@Ghlo.Program.load].
 *
 * Since: 1.0
 */
void
ghlo_program_load_async (GFile               *file,
                         GCancellable        *cancellable,
                         GAsyncReadyCallback  callback,
                         gpointer             user_data)
{
  GError *error = NULL;
  Source *source = source_new_for_file (file, &error);

  ghlo_call_start (&load_class, ghlo_call_task (&load_class, NULL, cancellable, callback, user_data), source, NULL,
                   error);
}

/**
 * ghlo_program_load_finish:
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [func@Ghlo.Program.load_async].
 *
 * Returns: (transfer full): the program, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloProgram *
ghlo_program_load_finish (GAsyncResult  *result,
                          GError       **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&load_class, NULL, result), NULL);

  return program_new (g_task_propagate_pointer (G_TASK (result), error));
}

/**
 * ghlo_program_parse:
 * @bytes: a program
 * @name: (nullable): the name of the program in messages
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Reads and verifies a program in any of the formats of [enum@Ghlo.ProgramFormat].
 * The program refers to the constants of bytecode in @bytes, which must not be
 * modified while the program exists. Fails as [func@Ghlo.Program.load] does.
 *
 * Returns: (transfer full): the program, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloProgram *
ghlo_program_parse (GBytes        *bytes,
                    const char    *name,
                    GCancellable  *cancellable,
                    GError       **error)
{
  return program_new (run_on_bytes (&parse_class, bytes, name, cancellable, error));
}

/**
 * ghlo_program_parse_async:
 * @bytes: a program
 * @name: (nullable): the name of the program in messages
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Reads and verifies a program without blocking; see [func@Ghlo.Program.parse].
 *
 * Since: 1.0
 */
void
ghlo_program_parse_async (GBytes              *bytes,
                          const char          *name,
                          GCancellable        *cancellable,
                          GAsyncReadyCallback  callback,
                          gpointer             user_data)
{
  start_on_bytes (&parse_class, bytes, name, cancellable, callback, user_data);
}

/**
 * ghlo_program_parse_finish:
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [func@Ghlo.Program.parse_async].
 *
 * Returns: (transfer full): the program, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloProgram *
ghlo_program_parse_finish (GAsyncResult  *result,
                           GError       **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&parse_class, NULL, result), NULL);

  return program_new (g_task_propagate_pointer (G_TASK (result), error));
}

static GListModel *
model_new (GhloDiagnosticList *list)
{
  return list != NULL ? ghlo_diagnostic_list_to_model (list) : NULL;
}

/**
 * ghlo_program_check:
 * @bytes: a program
 * @name: (nullable): the name of the program in diagnostics
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Finds the problems of a program, in text order, up to a hundred. The list is
 * empty for a valid program; an invalid program does not make this call fail. In
 * formats other than text, findings have no line; their messages describe the
 * place.
 *
 * Returns: (transfer full): a list model of [class@Ghlo.Diagnostic], or %NULL with
 *   @error set
 *
 * Since: 1.0
 */
GListModel *
ghlo_program_check (GBytes        *bytes,
                    const char    *name,
                    GCancellable  *cancellable,
                    GError       **error)
{
  return model_new (run_on_bytes (&check_class, bytes, name, cancellable, error));
}

/**
 * ghlo_program_check_async:
 * @bytes: a program
 * @name: (nullable): the name of the program in diagnostics
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Finds the problems of a program without blocking; see [func@Ghlo.Program.check].
 *
 * Since: 1.0
 */
void
ghlo_program_check_async (GBytes              *bytes,
                          const char          *name,
                          GCancellable        *cancellable,
                          GAsyncReadyCallback  callback,
                          gpointer             user_data)
{
  start_on_bytes (&check_class, bytes, name, cancellable, callback, user_data);
}

/**
 * ghlo_program_check_finish:
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [func@Ghlo.Program.check_async].
 *
 * Returns: (transfer full): a list model of [class@Ghlo.Diagnostic], or %NULL with
 *   @error set
 *
 * Since: 1.0
 */
GListModel *
ghlo_program_check_finish (GAsyncResult  *result,
                           GError       **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&check_class, NULL, result), NULL);

  return model_new (g_task_propagate_pointer (G_TASK (result), error));
}

