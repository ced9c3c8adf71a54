/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs, and the calls that make and write them. A call has three parts: what
 * it takes along (made on the caller's thread), a body (run on a worker), and
 * what the caller makes of the result.
 */

#include "ghlo-program-private.h"

#include "ghlo-diagnostic-private.h"
#include "ghlo-job-private.h"
#include "ghlo-value-info-private.h"
#include "ir/print.h"

/**
 * GhloProgram:
 *
 * A StableHLO program that was parsed and verified. It is immutable and may be
 * used from any thread.
 *
 * Programs come from files, by [func@Ghlo.Program.load], or from memory, by
 * [func@Ghlo.Program.parse]. A program that is wrong is an error whose first line
 * names the place; [func@Ghlo.Program.check] gives all findings of it as a list.
 *
 * Since: 1.0
 */
struct _GhloProgram
{
  GObject       parent_instance;

  GhloIrModule *module;      /* NULL when made without text; never changes */
};

enum
{
  PROP_0,
  PROP_NAME,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (GhloProgram, ghlo_program, G_TYPE_OBJECT)

GhloProgram *
ghlo_program_new (GhloIrModule *module)
{
  GhloProgram *self;

  if (module == NULL)
    return NULL;
  self = g_object_new (GHLO_TYPE_PROGRAM, NULL);
  self->module = module;

  return self;
}

GhloIrModule *
ghlo_program_take_module (GhloProgram  *self,
                          GError      **error)
{
  if (GHLO_IS_PROGRAM (self) && self->module != NULL)
    return ghlo_ir_module_ref (self->module);

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected a program, found %s",
               self == NULL ? "nothing" : "one that was made without text: use load or parse");

  return NULL;
}

static void
ghlo_program_finalize (GObject *object)
{
  GhloProgram *self = GHLO_PROGRAM (object);

  g_clear_pointer (&self->module, ghlo_program_drop_module);

  G_OBJECT_CLASS (ghlo_program_parent_class)->finalize (object);
}

static void
ghlo_program_get_property (GObject    *object,
                           guint       prop_id,
                           GValue     *value,
                           GParamSpec *pspec)
{
  switch (prop_id)
    {
    case PROP_NAME:
      g_value_set_string (value, ghlo_program_get_name (GHLO_PROGRAM (object)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
ghlo_program_class_init (GhloProgramClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = ghlo_program_finalize;
  object_class->get_property = ghlo_program_get_property;

  /**
   * GhloProgram:name: (getter get_name)
   *
   * The name that messages give the program.
   *
   * Since: 1.0
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, "",
                                               G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
ghlo_program_init (GhloProgram *self)
{
}

/* What load, parse and check take along. */
typedef struct
{
  GFile  *file;      /* of a load: a copy of the caller's; else NULL */
  GBytes *bytes;     /* else */
  char   *name;      /* nullable */
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
  source->name = g_file_get_basename (file);

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
  source->name = g_strdup (name);

  return source;
}

/* A name is shown to people, so it has to be UTF-8. */
static GhloDiagnostics *
source_get_diagnostics (const Source *source)
{
  g_autofree char *name = source->name != NULL ? g_utf8_make_valid (source->name, -1) : NULL;
  gsize size;
  const char *text = g_bytes_get_data (source->bytes, &size);

  return ghlo_diagnostics_new (name, text != NULL ? text : "", size);
}

static gpointer
read_run (gpointer            data,
          const GhloMonitor  *monitor,
          GError            **error)
{
  Source *source = data;
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  g_autoptr (GError) local_error = NULL;
  GhloIrModule *module;

  if (source->file != NULL)
    source->bytes = g_file_load_bytes (source->file, monitor->cancellable, NULL, error);
  if (source->bytes == NULL)
    return NULL;

  diagnostics = source_get_diagnostics (source);
  module = ghlo_program_read_module (source->bytes, diagnostics, monitor, &local_error);
  if (local_error != NULL)
    g_propagate_error (error, g_steal_pointer (&local_error));
  else if (module == NULL && ghlo_diagnostics_to_error (diagnostics, error))
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s: the program could not be read, for no known reason",
                 diagnostics->file_name);

  return module;
}

static void
module_free (gpointer data)
{
  ghlo_program_drop_module (data);
}

static const GhloJobClass load_class = {
  .name = "ghlo_program_load_async",
  .workers = GHLO_WORKERS_COMPILE,
  .run = read_run,
  .free_data = source_free,
  .free_result = module_free,
};

static const GhloJobClass parse_class = {
  .name = "ghlo_program_parse_async",
  .workers = GHLO_WORKERS_COMPILE,
  .run = read_run,
  .free_data = source_free,
  .free_result = module_free,
};

static gpointer
check_run (gpointer            data,
           const GhloMonitor  *monitor,
           GError            **error)
{
  Source *source = data;
  g_autoptr (GhloDiagnostics) diagnostics = source_get_diagnostics (source);
  g_autoptr (GError) local_error = NULL;
  g_autoptr (GhloIrModule) module = NULL;

  module = ghlo_program_read_module (source->bytes, diagnostics, monitor, &local_error);
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }

  return ghlo_diagnostic_list_new (diagnostics);
}

static const GhloJobClass check_class = {
  .name = "ghlo_program_check_async",
  .workers = GHLO_WORKERS_COMPILE,
  .run = check_run,
  .free_data = source_free,
  .free_result = (GDestroyNotify) ghlo_diagnostic_list_free,
};

/**
 * ghlo_program_load:
 * @file: a file with the text of a program
 * @cancellable: (nullable): what may cancel the call
 * @error: return location for an error
 *
 * Reads, parses and verifies a program.
 *
 * Fails with %GHLO_ERROR_PARSE or %GHLO_ERROR_VERIFY when the program is wrong,
 * with %GHLO_ERROR_UNSUPPORTED when the library cannot read what the file holds,
 * and with an error of GIO when the file cannot be read.
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
  return ghlo_program_new (ghlo_job_run (&load_class, source_new_for_file (file, error), NULL, cancellable, error));
}

/**
 * ghlo_program_load_async:
 * @file: a file with the text of a program
 * @cancellable: (nullable): what may cancel the call
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Reads, parses and verifies a program without blocking; see
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

  ghlo_job_start (&load_class, ghlo_job_task (&load_class, NULL, cancellable, callback, user_data), source, NULL,
                  error);
}

/**
 * ghlo_program_load_finish:
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Takes the result of [func@Ghlo.Program.load_async].
 *
 * Returns: (transfer full): the program, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloProgram *
ghlo_program_load_finish (GAsyncResult  *result,
                          GError       **error)
{
  g_return_val_if_fail (ghlo_job_is_valid (&load_class, NULL, result), NULL);

  return ghlo_program_new (g_task_propagate_pointer (G_TASK (result), error));
}

/**
 * ghlo_program_parse:
 * @bytes: the text of a program
 * @name: (nullable): the name that messages are to give it
 * @cancellable: (nullable): what may cancel the call
 * @error: return location for an error
 *
 * Parses and verifies a program; fails as [func@Ghlo.Program.load] does.
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
  return ghlo_program_new (ghlo_job_run (&parse_class, source_new_for_bytes (bytes, name, error), NULL, cancellable, error));
}

/**
 * ghlo_program_parse_async:
 * @bytes: the text of a program
 * @name: (nullable): the name that messages are to give it
 * @cancellable: (nullable): what may cancel the call
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Parses and verifies a program without blocking; see [func@Ghlo.Program.parse].
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
  GError *error = NULL;
  Source *source = source_new_for_bytes (bytes, name, &error);

  ghlo_job_start (&parse_class, ghlo_job_task (&parse_class, NULL, cancellable, callback, user_data), source, NULL,
                  error);
}

/**
 * ghlo_program_parse_finish:
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Takes the result of [func@Ghlo.Program.parse_async].
 *
 * Returns: (transfer full): the program, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloProgram *
ghlo_program_parse_finish (GAsyncResult  *result,
                           GError       **error)
{
  g_return_val_if_fail (ghlo_job_is_valid (&parse_class, NULL, result), NULL);

  return ghlo_program_new (g_task_propagate_pointer (G_TASK (result), error));
}

static GListModel *
model_new (GhloDiagnosticList *list)
{
  return list != NULL ? ghlo_diagnostic_list_to_model (list) : NULL;
}

/**
 * ghlo_program_check:
 * @bytes: the text of a program
 * @name: (nullable): the name that the diagnostics are to give it
 * @cancellable: (nullable): what may cancel the call
 * @error: return location for an error
 *
 * Finds what is wrong with a program, in the order of its text, up to a hundred
 * findings. A program that is right gives an empty list; being wrong is no error
 * here.
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
  return model_new (ghlo_job_run (&check_class, source_new_for_bytes (bytes, name, error), NULL, cancellable, error));
}

/**
 * ghlo_program_check_async:
 * @bytes: the text of a program
 * @name: (nullable): the name that the diagnostics are to give it
 * @cancellable: (nullable): what may cancel the call
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Finds everything that is wrong with a program without blocking; see
 * [func@Ghlo.Program.check].
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
  GError *error = NULL;
  Source *source = source_new_for_bytes (bytes, name, &error);

  ghlo_job_start (&check_class, ghlo_job_task (&check_class, NULL, cancellable, callback, user_data), source, NULL,
                  error);
}

/**
 * ghlo_program_check_finish:
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Takes the result of [func@Ghlo.Program.check_async].
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
  g_return_val_if_fail (ghlo_job_is_valid (&check_class, NULL, result), NULL);

  return model_new (g_task_propagate_pointer (G_TASK (result), error));
}

/**
 * ghlo_program_get_name: (get-property name)
 * @self: a program
 *
 * Gets the name that messages give the program.
 *
 * Returns: the name
 *
 * Since: 1.0
 */
const char *
ghlo_program_get_name (GhloProgram *self)
{
  g_return_val_if_fail (GHLO_IS_PROGRAM (self), NULL);

  return self->module != NULL ? self->module->file_name : "";
}

static GhloValueInfo **
list_values (GhloProgram       *self,
             GhloValueInfoSide  side)
{
  const GhloIrOp *entry = self->module != NULL ? ghlo_ir_module_get_entry (self->module) : NULL;

  return ghlo_value_info_list_for_function (entry, side);
}

/**
 * ghlo_program_list_inputs:
 * @self: a program
 *
 * Lists what the program takes: the arguments of its function `main`, or of its
 * only public function.
 *
 * Returns: (transfer full) (array zero-terminated=1): the inputs in order
 *
 * Since: 1.0
 */
GhloValueInfo **
ghlo_program_list_inputs (GhloProgram *self)
{
  g_return_val_if_fail (GHLO_IS_PROGRAM (self), NULL);

  return list_values (self, GHLO_VALUE_INFO_INPUTS);
}

/**
 * ghlo_program_list_outputs:
 * @self: a program
 *
 * Lists what the program gives.
 *
 * Returns: (transfer full) (array zero-terminated=1): the outputs in order
 *
 * Since: 1.0
 */
GhloValueInfo **
ghlo_program_list_outputs (GhloProgram *self)
{
  g_return_val_if_fail (GHLO_IS_PROGRAM (self), NULL);

  return list_values (self, GHLO_VALUE_INFO_OUTPUTS);
}

/* What writing a program takes along. */
typedef struct
{
  GhloIrModule  *module;
  GhloTextFlags  flags;
} Writing;

static void
writing_free (gpointer data)
{
  Writing *writing = data;

  ghlo_program_drop_module (writing->module);
  g_free (writing);
}

static Writing *
writing_new (GhloProgram    *self,
             GhloTextFlags   flags,
             GError        **error)
{
  GhloIrModule *module = ghlo_program_take_module (self, error);
  Writing *writing;

  if (module == NULL)
    return NULL;
  writing = g_new0 (Writing, 1);
  writing->module = module;
  writing->flags = flags;

  return writing;
}

/* The printer numbers values in the module itself, which others may be reading. */
static gpointer
write_run (gpointer            data,
           const GhloMonitor  *monitor,
           GError            **error)
{
  Writing *writing = data;
  g_autoptr (GhloIrModule) copy = ghlo_ir_module_copy (writing->module);
  GhloIrPrintFlags flags = GHLO_IR_PRINT_DEFAULT;

  if (ghlo_monitor_cancelled (monitor, error))
    return NULL;
  if (writing->flags & GHLO_TEXT_FLAGS_GENERIC)
    flags |= GHLO_IR_PRINT_GENERIC;
  if (writing->flags & GHLO_TEXT_FLAGS_STRIP_LOCATIONS)
    flags |= GHLO_IR_PRINT_STRIP_LOCATIONS;
  if (writing->flags & GHLO_TEXT_FLAGS_ELIDE_LARGE)
    flags |= GHLO_IR_PRINT_ELIDE_LARGE;

  return ghlo_ir_to_string (copy, flags);
}

static const GhloJobClass text_class = {
  .name = "ghlo_program_to_text_async",
  .workers = GHLO_WORKERS_COMPILE,
  .run = write_run,
  .free_data = writing_free,
  .free_result = g_free,
};

/**
 * ghlo_program_to_text:
 * @self: a program
 * @flags: how to write it
 * @cancellable: (nullable): what may cancel the call
 * @error: return location for an error
 *
 * Writes the program as MLIR's text.
 *
 * Returns: (transfer full): the text, or %NULL with @error set
 *
 * Since: 1.0
 */
char *
ghlo_program_to_text (GhloProgram    *self,
                      GhloTextFlags   flags,
                      GCancellable   *cancellable,
                      GError        **error)
{
  g_return_val_if_fail (GHLO_IS_PROGRAM (self), NULL);

  return ghlo_job_run (&text_class, writing_new (self, flags, error), NULL, cancellable, error);
}

/**
 * ghlo_program_to_text_async:
 * @self: a program
 * @flags: how to write it
 * @cancellable: (nullable): what may cancel the call
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Writes the program as MLIR's text without blocking; see
 * [method@Ghlo.Program.to_text].
 *
 * Since: 1.0
 */
void
ghlo_program_to_text_async (GhloProgram         *self,
                            GhloTextFlags        flags,
                            GCancellable        *cancellable,
                            GAsyncReadyCallback  callback,
                            gpointer             user_data)
{
  GError *error = NULL;
  Writing *writing;

  g_return_if_fail (GHLO_IS_PROGRAM (self));

  writing = writing_new (self, flags, &error);
  ghlo_job_start (&text_class, ghlo_job_task (&text_class, self, cancellable, callback, user_data), writing, NULL,
                  error);
}

/**
 * ghlo_program_to_text_finish:
 * @self: a program
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Takes the result of [method@Ghlo.Program.to_text_async].
 *
 * Returns: (transfer full): the text, or %NULL with @error set
 *
 * Since: 1.0
 */
char *
ghlo_program_to_text_finish (GhloProgram   *self,
                             GAsyncResult  *result,
                             GError       **error)
{
  g_return_val_if_fail (ghlo_job_is_valid (&text_class, self, result), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
