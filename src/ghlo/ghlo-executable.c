/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Executables: an object around a compiled program, and the calls that run it.
 */

#include "ghlo-executable-private.h"

#include "base/new.h"
#include "client/reclaim.h"
#include "compiler/serialize.h"
#include "ghlo-call-private.h"
#include "ghlo-compile-report-private.h"
#include "ghlo-device-private.h"
#include "ghlo-result-private.h"
#include "ghlo-statistics-private.h"
#include "ghlo-value-info-private.h"
#include "ghlo/buffer/ghlo-buffer-private.h"
#include "ghlo/plan/ghlo-cost-private.h"
#include "ghlo/plan/ghlo-plan-private.h"

/**
 * GhloExecutable:
 *
 * A program that was compiled for a device, ready to run.
 *
 * An executable is immutable. Any number of threads may run it at the same time,
 * and runs leave no state behind: it neither changes nor keeps its inputs.
 * Executables are created by [method@Ghlo.Client.compile].
 *
 * Since: 1.0
 */
struct _GhloExecutable
{
  GObject       parent_instance;

  GhloExecutableCore *core;       /* NULL when not created by a client; none of the fields changes */
  GhloProgram        *program;
  GhloCompileReport  *report;     /* NULL if and only if core is NULL */
};

enum
{
  PROP_0,
  PROP_PROGRAM,
  PROP_DEVICE,
  PROP_REPORT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (GhloExecutable, ghlo_executable, G_TYPE_OBJECT)

GhloExecutable *
ghlo_executable_new (GhloExecutableCore *core,
                     GhloProgram        *program)
{
  GhloExecutable *self = g_object_new (GHLO_TYPE_EXECUTABLE, NULL);

  self->core = core;
  self->report = ghlo_compile_report_new (core->compilation->report);
  self->program = g_object_ref (program);

  return self;
}

static void
ghlo_executable_finalize (GObject *object)
{
  GhloExecutable *self = GHLO_EXECUTABLE (object);

  g_clear_pointer (&self->core, ghlo_reclaim_executable);
  g_clear_pointer (&self->report, ghlo_compile_report_unref);
  g_clear_object (&self->program);

  G_OBJECT_CLASS (ghlo_executable_parent_class)->finalize (object);
}

static void
ghlo_executable_get_property (GObject    *object,
                              guint       prop_id,
                              GValue     *value,
                              GParamSpec *pspec)
{
  GhloExecutable *self = GHLO_EXECUTABLE (object);

  switch (prop_id)
    {
    case PROP_PROGRAM:
      g_value_set_object (value, self->program);
      break;
    case PROP_DEVICE:
      g_value_set_object (value, ghlo_executable_get_device (self));
      break;
    case PROP_REPORT:
      g_value_set_boxed (value, ghlo_executable_get_report (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
ghlo_executable_class_init (GhloExecutableClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->finalize = ghlo_executable_finalize;
  object_class->get_property = ghlo_executable_get_property;

  /**
   * GhloExecutable:program: (getter get_program)
   *
   * The program that was compiled.
   *
   * Since: 1.0
   */
  properties[PROP_PROGRAM] = g_param_spec_object ("program", NULL, NULL, GHLO_TYPE_PROGRAM, flags);

  /**
   * GhloExecutable:device: (getter get_device)
   *
   * The device that the program was compiled for.
   *
   * Since: 1.0
   */
  properties[PROP_DEVICE] = g_param_spec_object ("device", NULL, NULL, GHLO_TYPE_DEVICE, flags);

  /**
   * GhloExecutable:report: (getter get_report)
   *
   * What the compilation did to the program.
   *
   * Since: 1.0
   */
  properties[PROP_REPORT] = g_param_spec_boxed ("report", NULL, NULL, GHLO_TYPE_COMPILE_REPORT, flags);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
ghlo_executable_init (GhloExecutable *self)
{
}

/**
 * ghlo_executable_get_program: (get-property program)
 * @self: an executable
 *
 * Gets the program that was compiled.
 *
 * Returns: (transfer none) (nullable): the program; %NULL for an object that was
 *   not created by a client
 *
 * Since: 1.0
 */
GhloProgram *
ghlo_executable_get_program (GhloExecutable *self)
{
  g_return_val_if_fail (GHLO_IS_EXECUTABLE (self), NULL);

  return self->program;
}

/**
 * ghlo_executable_get_device: (get-property device)
 * @self: an executable
 *
 * Gets the device that the program was compiled for.
 *
 * Returns: (transfer none) (nullable): the device; %NULL for an object that was not
 *   created by a client
 *
 * Since: 1.0
 */
GhloDevice *
ghlo_executable_get_device (GhloExecutable *self)
{
  g_return_val_if_fail (GHLO_IS_EXECUTABLE (self), NULL);

  return self->core != NULL ? ghlo_device_for_core (self->core->device) : NULL;
}

/**
 * ghlo_executable_get_report: (get-property report)
 * @self: an executable
 *
 * Gets a report about the compilation: which passes ran, how much they changed, and
 * how long they took. The report is empty for a device that runs programs
 * unmodified, such as the reference device.
 *
 * Returns: (transfer none) (nullable): the report; %NULL for an object that was not
 *   created by a client
 *
 * Since: 1.0
 */
GhloCompileReport *
ghlo_executable_get_report (GhloExecutable *self)
{
  g_return_val_if_fail (GHLO_IS_EXECUTABLE (self), NULL);

  return self->report;
}

/**
 * ghlo_executable_get_plan:
 * @self: an executable
 *
 * Gets the plan by which the device runs the program, with estimates of the time of
 * each step.
 *
 * Returns: (transfer full) (nullable): the plan; %NULL for a device without plans,
 *   such as the reference device, and for an object that was not created by a client
 *
 * Since: 1.0
 */
GhloPlan *
ghlo_executable_get_plan (GhloExecutable *self)
{
  g_return_val_if_fail (GHLO_IS_EXECUTABLE (self), NULL);

  return self->core != NULL ? ghlo_plan_new (self->core, NULL) : NULL;
}

/**
 * ghlo_executable_get_cost:
 * @self: an executable
 *
 * Gets the cost of a run: operations, bytes, an estimate of the time, and memory.
 *
 * Returns: (transfer full) (nullable): the cost; %NULL for an object that was not
 *   created by a client
 *
 * Since: 1.0
 */
GhloCost *
ghlo_executable_get_cost (GhloExecutable *self)
{
  g_return_val_if_fail (GHLO_IS_EXECUTABLE (self), NULL);

  return self->core != NULL ? ghlo_cost_new (self->core) : NULL;
}

static GhloValueInfo **
list_values (GhloExecutable    *self,
             GhloValueInfoSide  side)
{
  return ghlo_value_info_list_for_function (self->core != NULL ? self->core->signature.function : NULL, side);
}

/**
 * ghlo_executable_list_inputs:
 * @self: an executable
 *
 * Lists the inputs that [method@Ghlo.Executable.execute] takes.
 *
 * Returns: (transfer full) (array zero-terminated=1): the inputs in order
 *
 * Since: 1.0
 */
GhloValueInfo **
ghlo_executable_list_inputs (GhloExecutable *self)
{
  g_return_val_if_fail (GHLO_IS_EXECUTABLE (self), NULL);

  return list_values (self, GHLO_VALUE_INFO_INPUTS);
}

/**
 * ghlo_executable_list_outputs:
 * @self: an executable
 *
 * Lists the outputs that [method@Ghlo.Executable.execute] returns.
 *
 * Returns: (transfer full) (array zero-terminated=1): the outputs in order
 *
 * Since: 1.0
 */
GhloValueInfo **
ghlo_executable_list_outputs (GhloExecutable *self)
{
  g_return_val_if_fail (GHLO_IS_EXECUTABLE (self), NULL);

  return list_values (self, GHLO_VALUE_INFO_OUTPUTS);
}

/* The arguments of a run. */
typedef struct
{
  GhloExecutableCore *core;
  GhloValue          *inputs[];     /* owned; released once the run has begun */
} Run;

static void
run_free (gpointer data)
{
  Run *run = data;

  ghlo_values_clear (run->inputs, run->core->signature.type->rank);
  ghlo_executable_core_unref (run->core);
  g_free (run);
}

GhloExecutableCore *
ghlo_executable_get_core (GhloExecutable *self)
{
  return self->core;
}

GhloValue *
ghlo_executable_take_input (GhloExecutableCore *core,
                            GhloBuffer         *buffer,
                            guint               index,
                            GError            **error)
{
  g_autoptr (GhloValue) value = NULL;

  if (!GHLO_IS_BUFFER (buffer))
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected a buffer as input %u, found nothing", index);
      return NULL;
    }

  value = ghlo_buffer_take_value (buffer, error);
  if (value == NULL)
    {
      g_prefix_error (error, "input %u cannot be used: ", index);
      return NULL;
    }

  return ghlo_signature_accept_input (&core->signature, index, value, error);
}

static gboolean
check_compiled (GhloExecutable  *self,
                GError         **error)
{
  if (self->core != NULL)
    return TRUE;

  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                       "the executable was made without a program: use Client.compile");

  return FALSE;
}

static Run *
run_new (GhloExecutable      *self,
         GhloBuffer * const  *inputs,
         gsize                n_inputs,
         GError             **error)
{
  Run *run;

  if (!check_compiled (self, error))
    return NULL;
  if (inputs == NULL)
    n_inputs = 0;
  if (n_inputs != self->core->signature.type->rank)
    {
      g_autoptr (GString) names = g_string_new (NULL);

      for (guint i = 0; i < self->core->signature.type->rank; i++)
        ghlo_signature_append_input (self->core->signature.function, i, names);
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected %u inputs for this program (%s), found %" G_GSIZE_FORMAT,
                   self->core->signature.type->rank, names->len > 0 ? names->str : "none", n_inputs);
      return NULL;
    }
  run = ghlo_new0_with (Run, n_inputs, GhloValue *);
  run->core = ghlo_executable_core_ref (self->core);
  for (guint i = 0; i < n_inputs; i++)
    {
      run->inputs[i] = ghlo_executable_take_input (self->core, inputs[i], i, error);
      if (run->inputs[i] == NULL)
        {
          run_free (run);
          return NULL;
        }
    }

  return run;
}

static gpointer
run_run (gpointer            data,
         const GhloMonitor  *monitor,
         GError            **error)
{
  Run *run = data;
  GhloRunResult *run_result = ghlo_run_start (run->core, run->inputs, NULL, monitor, error);

  /* The inputs are released while the device works: it holds its own references to the values that it needs. */
  ghlo_values_clear (run->inputs, run->core->signature.type->rank);

  return run_result;
}

static gboolean
run_finish (gpointer   data,
            gpointer   run_result,
            GError   **error)
{
  Run *run = data;

  return ghlo_run_finish (run->core, run_result, error);
}

static const GhloCallClass execute_class = {
  .job = {
    .name = "ghlo_executable_execute_async",
    .workers = GHLO_WORKERS_RUN,
    .stage = GHLO_PROGRESS_STAGE_RUN,
    .run = run_run,
    .free_data = run_free,
    .free_result = (GDestroyNotify) ghlo_run_result_free,
    .get_fence = (GhloFence *(*) (gpointer)) ghlo_run_result_get_fence,
    .finish = run_finish,
    .meanwhile = (void (*) (gpointer)) ghlo_result_begin,
  },
};

/**
 * ghlo_executable_execute:
 * @self: an executable
 * @inputs: (array length=n_inputs) (nullable): the program's inputs, in order
 * @n_inputs: the number of inputs
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Runs the program. When the call returns, all outputs can be read.
 *
 * A dynamic dimension takes its size from the input. Integer inputs are accepted as
 * the storage of quantized inputs.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when an input is missing, was released, or
 * has another type than [method@Ghlo.Executable.list_inputs] says; with
 * %GHLO_ERROR_OUT_OF_MEMORY when there is not enough memory; with %GHLO_ERROR_DATA
 * when the program itself detects invalid data.
 *
 * Returns: (transfer full): the outputs, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloResult *
ghlo_executable_execute (GhloExecutable      *self,
                         GhloBuffer * const  *inputs,
                         gsize                n_inputs,
                         GCancellable        *cancellable,
                         GError             **error)
{
  g_return_val_if_fail (GHLO_IS_EXECUTABLE (self), NULL);

  return ghlo_result_new (ghlo_call_run (&execute_class, run_new (self, inputs, n_inputs, error), NULL, cancellable,
                                         error));
}

/**
 * ghlo_executable_execute_async:
 * @self: an executable
 * @inputs: (array length=n_inputs) (nullable): the program's inputs, in order
 * @n_inputs: the number of inputs
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Runs the program without blocking; see [method@Ghlo.Executable.execute]. Runs start
 * in the order of the calls.
 *
 * Since: 1.0
 */
void
ghlo_executable_execute_async (GhloExecutable      *self,
                               GhloBuffer * const  *inputs,
                               gsize                n_inputs,
                               GCancellable        *cancellable,
                               GAsyncReadyCallback  callback,
                               gpointer             user_data)
{
  GError *error = NULL;
  Run *run;

  g_return_if_fail (GHLO_IS_EXECUTABLE (self));

  run = run_new (self, inputs, n_inputs, &error);
  ghlo_call_start (&execute_class, ghlo_call_task (&execute_class, self, cancellable, callback, user_data), run, NULL,
                  error);
}

/**
 * ghlo_executable_execute_finish:
 * @self: an executable
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [method@Ghlo.Executable.execute_async].
 *
 * Returns: (transfer full): the outputs, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloResult *
ghlo_executable_execute_finish (GhloExecutable  *self,
                                GAsyncResult    *result,
                                GError         **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&execute_class, self, result), NULL);

  return ghlo_result_new (g_task_propagate_pointer (G_TASK (result), error));
}

GhloExecutableCore *
ghlo_executable_dup_core (GhloExecutable *self,
                          GError        **error)
{
  return check_compiled (self, error) ? ghlo_executable_core_ref (self->core) : NULL;
}

static gpointer
serialize_run (gpointer            data,
               const GhloMonitor  *monitor,
               GError            **error)
{
  return ghlo_executable_core_serialize (data, monitor, error);
}

static const GhloCallClass serialize_class = {
  .job = {
    .name = "ghlo_executable_serialize_async",
    .workers = GHLO_WORKERS_COMPILE,
    .run = serialize_run,
    .free_data = (GDestroyNotify) ghlo_executable_core_unref,
    .free_result = (GDestroyNotify) g_bytes_unref,
  },
};

/**
 * ghlo_executable_serialize:
 * @self: an executable
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Serializes the executable for [method@Ghlo.Client.load_executable]: the program,
 * the compile options and the kind of device, with a checksum. Machine code is not
 * included.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when the executable was not created by a
 * client.
 *
 * Returns: (transfer full): the bytes, or %NULL with @error set
 *
 * Since: 1.0
 */
GBytes *
ghlo_executable_serialize (GhloExecutable  *self,
                           GCancellable    *cancellable,
                           GError         **error)
{
  g_return_val_if_fail (GHLO_IS_EXECUTABLE (self), NULL);

  return ghlo_call_run (&serialize_class, ghlo_executable_dup_core (self, error), NULL, cancellable, error);
}

/**
 * ghlo_executable_serialize_async:
 * @self: an executable
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Serializes the executable without blocking; see
 * [method@Ghlo.Executable.serialize].
 *
 * Since: 1.0
 */
void
ghlo_executable_serialize_async (GhloExecutable      *self,
                                 GCancellable        *cancellable,
                                 GAsyncReadyCallback  callback,
                                 gpointer             user_data)
{
  GError *error = NULL;
  GhloExecutableCore *core;

  g_return_if_fail (GHLO_IS_EXECUTABLE (self));

  core = ghlo_executable_dup_core (self, &error);
  ghlo_call_start (&serialize_class, ghlo_call_task (&serialize_class, self, cancellable, callback, user_data), core,
                   NULL, error);
}

/**
 * ghlo_executable_serialize_finish:
 * @self: an executable
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [method@Ghlo.Executable.serialize_async].
 *
 * Returns: (transfer full): the bytes, or %NULL with @error set
 *
 * Since: 1.0
 */
GBytes *
ghlo_executable_serialize_finish (GhloExecutable  *self,
                                  GAsyncResult    *result,
                                  GError         **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&serialize_class, self, result), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

/**
 * ghlo_executable_get_statistics:
 * @self: an executable
 *
 * Gets statistics about the runs of the executable, by itself and in sessions.
 *
 * Returns: (transfer full): a snapshot
 *
 * Since: 1.0
 */
GhloStatistics *
ghlo_executable_get_statistics (GhloExecutable *self)
{
  g_return_val_if_fail (GHLO_IS_EXECUTABLE (self), NULL);

  return ghlo_statistics_new (self->core != NULL ? self->core->counters : NULL);
}
