/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs as portable artifacts. What is asked for is checked; writing MLIR
 * bytecode is beyond this version, which says so.
 */

#include "ghlo-program-private.h"

#include <string.h>

#include "ghlo-job-private.h"

/* What a call takes along. */
typedef struct
{
  GhloIrModule *module;
  char         *version;     /* NULL: the newest */
} Writing;

static void
writing_free (gpointer data)
{
  Writing *writing = data;

  ghlo_program_drop_module (writing->module);
  g_free (writing->version);
  g_free (writing);
}

/* Three numbers with points between them. */
static gboolean
is_version (const char *text)
{
  for (guint i = 0; i < 3; i++)
    {
      gsize digits = strspn (text, "0123456789");

      if (digits == 0 || text[digits] != (i < 2 ? '.' : '\0'))
        return FALSE;
      text += digits + 1;
    }

  return TRUE;
}

static Writing *
writing_new (GhloProgram  *self,
             const char   *version,
             GError      **error)
{
  GhloIrModule *module;
  Writing *writing;

  if (version != NULL && !is_version (version))
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected a version of StableHLO such as '1.0.0', or nothing, found '%s'", version);
      return NULL;
    }
  module = ghlo_program_take_module (self, error);
  if (module == NULL)
    return NULL;

  writing = g_new0 (Writing, 1);
  writing->module = module;
  writing->version = g_strdup (version);

  return writing;
}

static gpointer
serialize_run (gpointer            data,
               const GhloMonitor  *monitor,
               GError            **error)
{
  Writing *writing = data;

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
               "%s: this version does not write MLIR bytecode%s%s: use Program.to_text for a text that it reads back",
               writing->module->file_name, writing->version != NULL ? " for StableHLO " : "",
               writing->version != NULL ? writing->version : "");

  return NULL;
}

static const GhloJobClass serialize_class = {
  .name = "ghlo_program_serialize_async",
  .workers = GHLO_WORKERS_COMPILE,
  .run = serialize_run,
  .free_data = writing_free,
  .free_result = (GDestroyNotify) g_bytes_unref,
};

/**
 * ghlo_program_serialize:
 * @self: a program
 * @version: (nullable): the version of StableHLO whose readers are to understand it,
 *   such as `1.0.0`; %NULL is the newest
 * @cancellable: (nullable): what may cancel the call
 * @error: return location for an error
 *
 * Writes the program as a portable artifact: MLIR bytecode.
 *
 * This version of the library does not write bytecode yet: the call fails with
 * %GHLO_ERROR_UNSUPPORTED, or with %GHLO_ERROR_INVALID_ARGUMENT when @version is no
 * version. [method@Ghlo.Program.to_text] writes text, and
 * [method@Ghlo.Executable.serialize] what the library itself can load.
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

  return ghlo_job_run (&serialize_class, writing_new (self, version, error), NULL, cancellable, error);
}

/**
 * ghlo_program_serialize_async:
 * @self: a program
 * @version: (nullable): the version of StableHLO whose readers are to understand it,
 *   such as `1.0.0`; %NULL is the newest
 * @cancellable: (nullable): what may cancel the call
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

  writing = writing_new (self, version, &error);
  ghlo_job_start (&serialize_class, ghlo_job_task (&serialize_class, self, cancellable, callback, user_data), writing,
                  NULL, error);
}

/**
 * ghlo_program_serialize_finish:
 * @self: a program
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Takes the result of [method@Ghlo.Program.serialize_async].
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
  g_return_val_if_fail (ghlo_job_is_valid (&serialize_class, self, result), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
