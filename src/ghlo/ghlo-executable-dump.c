/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dumps the state of a program at a stage of its compilation as human-readable
 * text.
 */

#include "ghlo-executable-private.h"

#include "ghlo-error.h"
#include "ghlo-call-private.h"
#include "ghlo-program-private.h"
#include "compiler/auto.h"

/* The arguments of a call. */
typedef struct
{
  GhloExecutableCore *core;
  GhloDumpStage       stage;
  GhloTextFlags       flags;
} Dump;

static void
dump_free (gpointer data)
{
  Dump *dump = data;

  ghlo_executable_core_unref (dump->core);
  g_free (dump);
}

static Dump *
dump_new (GhloExecutable  *self,
          GhloDumpStage    stage,
          GhloTextFlags    flags,
          GError         **error)
{
  GhloExecutableCore *core = ghlo_executable_dup_core (self, error);
  Dump *dump;

  if (core == NULL)
    return NULL;

  dump = g_new0 (Dump, 1);
  dump->core = core;
  dump->stage = stage;
  dump->flags = flags;

  return dump;
}

static char *
describe_plan (const GhloExecutableCore *core,
               GError                  **error)
{
  char *text = ghlo_auto_describe (core->reason, ghlo_prepared_describe (core->compilation->prepared));

  if (text == NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                 "%s: the device '%s' makes no plan of this program: it runs the operations one by one, as the stage "
                 "'passes' shows them", core->module->file_name, core->device->names[0]);

  return text;
}

static gpointer
dump_run (gpointer            data,
          const GhloMonitor  *monitor,
          GError            **error)
{
  const Dump *dump = data;

  switch (dump->stage)
    {
    case GHLO_DUMP_STAGE_PARSED:
      return ghlo_program_write_text (dump->core->module, dump->flags, monitor, error);
    case GHLO_DUMP_STAGE_PASSES:
      return ghlo_program_write_text (dump->core->compilation->module, dump->flags, monitor, error);
    case GHLO_DUMP_STAGE_PLAN:
      return describe_plan (dump->core, error);
    default:
      /* A language binding may pass any number. */
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected a stage to dump, found the number %d",
                   (int) dump->stage);
      return NULL;
    }
}

static const GhloCallClass dump_class = {
  .job = {
    .name = "ghlo_executable_dump_async",
    .workers = GHLO_WORKERS_COMPILE,
    .run = dump_run,
    .free_data = dump_free,
    .free_result = g_free,
  },
};

/**
 * ghlo_executable_dump:
 * @self: an executable
 * @stage: the stage to dump
 * @flags: how to format a program; a plan has only one format
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Dumps the program at a stage of its compilation as human-readable text, to see what
 * the passes did or where a wrong result comes from. The format of a plan may change.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when the executable was not created by a
 * client, and with %GHLO_ERROR_UNSUPPORTED when the device makes no plan of the
 * program.
 *
 * Returns: (transfer full): the text, or %NULL with @error set
 *
 * Since: 1.0
 */
char *
ghlo_executable_dump (GhloExecutable  *self,
                      GhloDumpStage    stage,
                      GhloTextFlags    flags,
                      GCancellable    *cancellable,
                      GError         **error)
{
  g_return_val_if_fail (GHLO_IS_EXECUTABLE (self), NULL);

  return ghlo_call_run (&dump_class, dump_new (self, stage, flags, error), NULL, cancellable, error);
}

/**
 * ghlo_executable_dump_async:
 * @self: an executable
 * @stage: the stage to dump
 * @flags: how to format a program; a plan has only one format
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Dumps the program at a stage of its compilation without blocking; see
 * [method@Ghlo.Executable.dump].
 *
 * Since: 1.0
 */
void
ghlo_executable_dump_async (GhloExecutable      *self,
                            GhloDumpStage        stage,
                            GhloTextFlags        flags,
                            GCancellable        *cancellable,
                            GAsyncReadyCallback  callback,
                            gpointer             user_data)
{
  GError *error = NULL;
  Dump *dump;

  g_return_if_fail (GHLO_IS_EXECUTABLE (self));

  dump = dump_new (self, stage, flags, &error);
  ghlo_call_start (&dump_class, ghlo_call_task (&dump_class, self, cancellable, callback, user_data), dump, NULL,
                   error);
}

/**
 * ghlo_executable_dump_finish:
 * @self: an executable
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [method@Ghlo.Executable.dump_async].
 *
 * Returns: (transfer full): the text, or %NULL with @error set
 *
 * Since: 1.0
 */
char *
ghlo_executable_dump_finish (GhloExecutable  *self,
                             GAsyncResult    *result,
                             GError         **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&dump_class, self, result), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
