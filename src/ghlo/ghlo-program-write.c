/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs as portable artifacts and as text: collects the arguments, and writes a
 * copy of the program on a worker.
 */

#include "ghlo-program-private.h"

#include "client/reclaim.h"
#include "ghlo-call-private.h"
#include "ghlo-enum-types.h"
#include "ir/print/print.h"

/* The arguments of a call. */
typedef struct
{
  GhloIrModule  *module;
  GhloIrVersion  version;       /* of an artifact */
  GhloTextFlags  flags;         /* of a text */
} Writing;

static void
writing_free (gpointer data)
{
  Writing *writing = data;

  ghlo_reclaim_module (writing->module);
  g_free (writing);
}

static Writing *
writing_new (GhloProgram    *self,
             GhloIrVersion   version,
             GhloTextFlags   flags,
             GError        **error)
{
  GhloIrModule *module = ghlo_program_take_module (self, error);
  Writing *writing;

  if (module == NULL)
    return NULL;

  writing = g_new0 (Writing, 1);
  writing->module = module;
  writing->version = version;
  writing->flags = flags;

  return writing;
}

static Writing *
artifact_new (GhloProgram  *self,
              const char   *version,
              GError      **error)
{
  GhloIrVersion target;

  return ghlo_ir_version_parse_target (version, &target, error)
         ? writing_new (self, target, GHLO_TEXT_FLAGS_NONE, error)
         : NULL;
}

static Writing *
text_new (GhloProgram    *self,
          GhloTextFlags   flags,
          GError        **error)
{
  return writing_new (self, GHLO_IR_VERSION_CURRENT, flags, error);
}

/* Works on a copy, since the writer downgrades the module in place for older versions, and other threads may
 * be reading it. */
static gpointer
serialize_run (gpointer            data,
               const GhloMonitor  *monitor,
               GError            **error)
{
  Writing *writing = data;
  g_autoptr (GhloIrModule) copy = ghlo_ir_module_copy (writing->module);
  g_autoptr (GError) local_error = NULL;
  GBytes *bytes;

  if (ghlo_monitor_cancelled (monitor, error))
    return NULL;

  bytes = ghlo_export_artifact (copy, writing->version, GHLO_EXPORT_DEFAULT, monitor, &local_error);
  if (bytes == NULL && local_error->domain == GHLO_ERROR)
    g_prefix_error (&local_error, "%s: ", copy->file_name);
  if (bytes == NULL)
    g_propagate_error (error, g_steal_pointer (&local_error));

  return bytes;
}

static const GhloCallClass serialize_class = {
  .job = {
    .name = "ghlo_program_serialize_async",
    .workers = GHLO_WORKERS_COMPILE,
    .run = serialize_run,
    .free_data = writing_free,
    .free_result = (GDestroyNotify) g_bytes_unref,
  },
};

/**
 * ghlo_program_serialize:
 * @self: a program
 * @version: (nullable): the version of StableHLO to write for, such as `1.13.0`;
 *   %NULL for the newest
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Writes the program as a portable artifact: MLIR bytecode that can be read by all
 * tools that support StableHLO @version or later.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when @version is not a version from
 * `0.9.0` to `1.20.0`, and with %GHLO_ERROR_UNSUPPORTED when the program uses
 * features that are newer than that version; the message names an operation and the
 * version that it needs.
 *
 * Returns: (transfer full): the bytes, or %NULL with @error set
 *
 * Since: 1.0
 */
GBytes *
ghlo_program_serialize (GhloProgram   *self,
                        const char    *version,
                        GCancellable  *cancellable,
                        GError       **error)
{
  g_return_val_if_fail (GHLO_IS_PROGRAM (self), NULL);

  return ghlo_call_run (&serialize_class, artifact_new (self, version, error), NULL, cancellable, error);
}

/**
 * ghlo_program_serialize_async:
 * @self: a program
 * @version: (nullable): the version of StableHLO to write for, such as `1.13.0`;
 *   %NULL for the newest
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Writes the program as a portable artifact without blocking; see
 * [method@Ghlo.Program.serialize].
 *
 * Since: 1.0
 */
void
ghlo_program_serialize_async (GhloProgram         *self,
                              const char          *version,
                              GCancellable        *cancellable,
                              GAsyncReadyCallback  callback,
                              gpointer             user_data)
{
  GError *error = NULL;
  Writing *writing;

  g_return_if_fail (GHLO_IS_PROGRAM (self));

  writing = artifact_new (self, version, &error);
  ghlo_call_start (&serialize_class, ghlo_call_task (&serialize_class, self, cancellable, callback, user_data), writing,
                  NULL, error);
}

/**
 * ghlo_program_serialize_finish:
 * @self: a program
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [method@Ghlo.Program.serialize_async].
 *
 * Returns: (transfer full): the bytes, or %NULL with @error set
 *
 * Since: 1.0
 */
GBytes *
ghlo_program_serialize_finish (GhloProgram   *self,
                               GAsyncResult  *result,
                               GError       **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&serialize_class, self, result), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

char *
ghlo_program_write_text (GhloIrModule       *module,
                         GhloTextFlags       flags,
                         const GhloMonitor  *monitor,
                         GError            **error)
{
  g_autoptr (GhloIrModule) copy = ghlo_ir_module_copy (module);
  GhloIrPrintFlags print_flags = GHLO_IR_PRINT_DEFAULT;

  if (ghlo_monitor_cancelled (monitor, error))
    return NULL;
  if (flags & GHLO_TEXT_FLAGS_GENERIC)
    print_flags |= GHLO_IR_PRINT_GENERIC;
  if (flags & GHLO_TEXT_FLAGS_STRIP_LOCATIONS)
    print_flags |= GHLO_IR_PRINT_STRIP_LOCATIONS;
  if (flags & GHLO_TEXT_FLAGS_ELIDE_LARGE)
    print_flags |= GHLO_IR_PRINT_ELIDE_LARGE;

  return ghlo_ir_to_text (copy, print_flags, error);
}

static gpointer
write_run (gpointer            data,
           const GhloMonitor  *monitor,
           GError            **error)
{
  Writing *writing = data;

  return ghlo_program_write_text (writing->module, writing->flags, monitor, error);
}

static const GhloCallClass text_class = {
  .job = {
    .name = "ghlo_program_to_text_async",
    .workers = GHLO_WORKERS_COMPILE,
    .run = write_run,
    .free_data = writing_free,
    .free_result = g_free,
  },
};

/**
 * ghlo_program_to_text:
 * @self: a program
 * @flags: how to format it
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Writes the program in MLIR's textual form.
 *
 * Fails with %GHLO_ERROR_OUT_OF_MEMORY when there is not enough memory for the
 * text.
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

  return ghlo_call_run (&text_class, text_new (self, flags, error), NULL, cancellable, error);
}

/**
 * ghlo_program_to_text_async:
 * @self: a program
 * @flags: how to format it
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Writes the program in MLIR's textual form without blocking; see
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

  writing = text_new (self, flags, &error);
  ghlo_call_start (&text_class, ghlo_call_task (&text_class, self, cancellable, callback, user_data), writing, NULL,
                  error);
}

/**
 * ghlo_program_to_text_finish:
 * @self: a program
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [method@Ghlo.Program.to_text_async].
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
  g_return_val_if_fail (ghlo_call_is_valid (&text_class, self, result), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
