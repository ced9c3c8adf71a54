/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The client: lists devices, compiles programs and loads executables.
 */

#include "ghlo-client-private.h"

#include "compiler/devices.h"
#include "compiler/optimize.h"
#include "compiler/serialize.h"
#include "ghlo-compile-options-private.h"
#include "ghlo-device-private.h"
#include "ghlo-executable-private.h"
#include "ghlo-call-private.h"
#include "ghlo-program-private.h"
#include "ghlo-statistics-private.h"
#include "client/trim.h"
#include "client/workers.h"

/**
 * GhloClient:
 *
 * The entry point of the library. A client finds the devices of the machine when
 * they are first needed, and compiles programs for them.
 *
 * Creating a client cannot fail and takes no time. An application needs only one;
 * several do no harm. A client may be used from any thread.
 *
 * Since: 1.0
 */
struct _GhloClient
{
  GObject       parent_instance;

  GhloCounters      *counters;          /* never changes */
  GMutex             lock;              /* guards the field below */
  GhloCustomTargets *custom_targets;    /* NULL until a function is registered */
};

enum
{
  PROP_0,
  PROP_MAX_THREADS,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_FINAL_TYPE (GhloClient, ghlo_client, G_TYPE_OBJECT)

static void
ghlo_client_get_property (GObject    *object,
                          guint       property_id,
                          GValue     *value,
                          GParamSpec *pspec)
{
  if (property_id == PROP_MAX_THREADS)
    g_value_set_uint (value, ghlo_client_get_max_threads (GHLO_CLIENT (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
}

static void
ghlo_client_set_property (GObject      *object,
                          guint         property_id,
                          const GValue *value,
                          GParamSpec   *pspec)
{
  if (property_id == PROP_MAX_THREADS)
    ghlo_client_set_max_threads (GHLO_CLIENT (object), g_value_get_uint (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
}

static void
ghlo_client_finalize (GObject *object)
{
  GhloClient *self = GHLO_CLIENT (object);

  ghlo_counters_unref (self->counters);
  g_clear_pointer (&self->custom_targets, ghlo_custom_targets_unref);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (ghlo_client_parent_class)->finalize (object);
}

static void
ghlo_client_class_init (GhloClientClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = ghlo_client_finalize;
  object_class->get_property = ghlo_client_get_property;
  object_class->set_property = ghlo_client_set_property;

  /**
   * GhloClient:max-threads: (getter get_max_threads) (setter set_max_threads)
   *
   * The maximum number of threads that runs use; 0 for the value of the environment
   * variable `GHLO_THREADS` or, if that is not set, one for each processor.
   * Compilations use half as many. The results of programs do not depend on it.
   *
   * Threads belong to the process, so all clients share the limit that was set
   * last.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_THREADS] = g_param_spec_uint ("max-threads", NULL, NULL, 0, 256, 0,
                                                    G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY
                                                    | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
ghlo_client_init (GhloClient *self)
{
  self->counters = ghlo_counters_new ();
  g_mutex_init (&self->lock);
}

GhloCustomTargets *
ghlo_client_dup_custom_targets (GhloClient *self)
{
  GhloCustomTargets *targets = NULL;

  g_mutex_lock (&self->lock);
  if (self->custom_targets != NULL)
    targets = ghlo_custom_targets_ref (self->custom_targets);
  g_mutex_unlock (&self->lock);

  return targets;
}

gboolean
ghlo_client_change_custom_target (GhloClient       *self,
                                  const char       *name,
                                  GhloCustomTarget *target)
{
  GhloCustomTargets *before, *after;
  gboolean found;

  g_mutex_lock (&self->lock);
  before = self->custom_targets;
  found = ghlo_custom_targets_find (before, name) != NULL;
  after = target != NULL ? ghlo_custom_targets_with (before, target) : ghlo_custom_targets_without (before, name);
  self->custom_targets = after;
  g_mutex_unlock (&self->lock);
  /* Dropping the old targets may call the application, so it is done without the lock. */
  g_clear_pointer (&before, ghlo_custom_targets_unref);

  return found;
}

/**
 * ghlo_client_new:
 *
 * Creates a client.
 *
 * Returns: (transfer full): a new client
 *
 * Since: 1.0
 */
GhloClient *
ghlo_client_new (void)
{
  return g_object_new (GHLO_TYPE_CLIENT, NULL);
}

/**
 * ghlo_client_get_max_threads: (get-property max-threads)
 * @self: a client
 *
 * Gets the maximum number of threads that runs use.
 *
 * Returns: the limit that was set, 0 for none
 *
 * Since: 1.0
 */
guint
ghlo_client_get_max_threads (GhloClient *self)
{
  g_return_val_if_fail (GHLO_IS_CLIENT (self), 0);

  return ghlo_workers_get_limit ();
}

/**
 * ghlo_client_set_max_threads: (set-property max-threads)
 * @self: a client
 * @max_threads: at most 256; 0 for the default
 *
 * Sets the maximum number of threads that runs in this process use.
 *
 * Since: 1.0
 */
void
ghlo_client_set_max_threads (GhloClient *self,
                             guint       max_threads)
{
  g_return_if_fail (GHLO_IS_CLIENT (self));

  if (max_threads == ghlo_workers_get_limit ())
    return;
  ghlo_workers_set_limit (max_threads);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_THREADS]);
}

/* A call without arguments still needs non-NULL data. */
static void
nothing_free (gpointer data)
{
}

static gpointer
list_run (gpointer            data,
          const GhloMonitor  *monitor,
          GError            **error)
{
  return ghlo_devices_list ();
}

static const GhloCallClass list_class = {
  .job = {
    .name = "ghlo_client_list_devices_async",
    .workers = GHLO_WORKERS_COMPILE,
    .run = list_run,
    .free_data = nothing_free,
    .free_result = (GDestroyNotify) g_ptr_array_unref,
  },
};

static GListModel *
devices_new (GPtrArray *cores)
{
  GListStore *store;

  if (cores == NULL)
    return NULL;
  store = g_list_store_new (GHLO_TYPE_DEVICE);
  for (guint i = 0; i < cores->len; i++)
    g_list_store_append (store, ghlo_device_for_core (cores->pdata[i]));
  g_ptr_array_unref (cores);

  return G_LIST_MODEL (store);
}

/**
 * ghlo_client_list_devices:
 * @self: a client
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Finds the devices of the machine. The first one is the CPU.
 *
 * Returns: (transfer full): a list model of [class@Ghlo.Device], or %NULL with
 *   @error set
 *
 * Since: 1.0
 */
GListModel *
ghlo_client_list_devices (GhloClient    *self,
                          GCancellable  *cancellable,
                          GError       **error)
{
  g_return_val_if_fail (GHLO_IS_CLIENT (self), NULL);

  return devices_new (ghlo_call_run (&list_class, (gpointer) &list_class, NULL, cancellable, error));
}

/**
 * ghlo_client_list_devices_async:
 * @self: a client
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Finds the devices of the machine without blocking; see
 * [method@Ghlo.Client.list_devices].
 *
 * Since: 1.0
 */
void
ghlo_client_list_devices_async (GhloClient          *self,
                                GCancellable        *cancellable,
                                GAsyncReadyCallback  callback,
                                gpointer             user_data)
{
  g_return_if_fail (GHLO_IS_CLIENT (self));

  ghlo_call_start (&list_class, ghlo_call_task (&list_class, self, cancellable, callback, user_data),
                  (gpointer) &list_class, NULL, NULL);
}

/**
 * ghlo_client_list_devices_finish:
 * @self: a client
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [method@Ghlo.Client.list_devices_async].
 *
 * Returns: (transfer full): a list model of [class@Ghlo.Device], or %NULL with
 *   @error set
 *
 * Since: 1.0
 */
GListModel *
ghlo_client_list_devices_finish (GhloClient    *self,
                                 GAsyncResult  *result,
                                 GError       **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&list_class, self, result), NULL);

  return devices_new (g_task_propagate_pointer (G_TASK (result), error));
}

static void
request_free (gpointer data)
{
  GhloCompileRequest *request = data;

  ghlo_compile_request_clear (request);
  g_free (request);
}

static gboolean
check_optional (gboolean      right,
                const char   *what,
                GError      **error)
{
  if (right)
    return TRUE;

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected %s or nothing, found another object", what);

  return FALSE;
}

static GhloCompileRequest *
compile_new (GhloClient          *self,
             GhloProgram         *program,
             GhloCompileOptions  *options,
             GhloProgress        *progress,
             GError             **error)
{
  GhloDevice *device;
  GhloIrModule *module;
  GhloCompileRequest *request;

  if (!check_optional (options == NULL || GHLO_IS_COMPILE_OPTIONS (options), "compile options", error)
      || !check_optional (progress == NULL || GHLO_IS_PROGRESS (progress), "a progress", error))
    return NULL;
  device = options != NULL ? ghlo_compile_options_get_device (options) : NULL;
  if (device != NULL && ghlo_device_get_core (device) == NULL)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                           "expected a device from Client.list_devices, found one made without a client");
      return NULL;
    }
  module = ghlo_program_take_module (program, error);
  if (module == NULL)
    return NULL;

  request = g_new0 (GhloCompileRequest, 1);
  request->module = module;
  request->device = device != NULL ? ghlo_device_get_core (device) : NULL;
  request->settings = ghlo_compile_options_dup_settings (options);
  request->custom_targets = ghlo_client_dup_custom_targets (self);
  request->counters = ghlo_counters_ref (self->counters);

  return request;
}

static gpointer
compile_run (gpointer            data,
             const GhloMonitor  *monitor,
             GError            **error)
{
  GhloCompileRequest *request = data;
  const GhloSettings *settings = request->settings;

  ghlo_trim_watch ();
  /* Not checked when an executable is loaded, since a serialized executable may outlive passes. */
  if (!ghlo_optimize_check_names ("enabled-passes", (const char *const *) settings->enabled_passes, error)
      || !ghlo_optimize_check_names ("disabled-passes", (const char *const *) settings->disabled_passes, error))
    return NULL;

  return ghlo_executable_core_new (request, monitor, error);
}

static const GhloCallClass compile_class = {
  .job = {
    .name = "ghlo_client_compile_async",
    .workers = GHLO_WORKERS_COMPILE,
    .stage = GHLO_PROGRESS_STAGE_PASSES,
    .run = compile_run,
    .free_data = request_free,
    .free_result = (GDestroyNotify) ghlo_executable_core_unref,
  },
};

static GhloExecutable *
executable_new (GhloProgram        *program,
                GhloExecutableCore *compiled)
{
  return compiled != NULL ? ghlo_executable_new (compiled, program) : NULL;
}

/**
 * ghlo_client_compile:
 * @self: a client
 * @program: the program
 * @options: (nullable): the options of the compilation; %NULL for the defaults
 * @progress: (nullable): a progress that follows the compilation, or %NULL
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Compiles a program for a device. This is the device in the options; otherwise the
 * one that the environment variable `GHLO_DEVICE` names (`cpu`, `reference`; `auto`
 * names none); otherwise the one that suits the program best
 * ([method@Ghlo.CompileOptions.set_device] says how it is chosen).
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when the program has no function to run,
 * with %GHLO_ERROR_UNSUPPORTED when the device cannot run it, and with
 * %GHLO_ERROR_DEVICE when there is no such device.
 *
 * Returns: (transfer full): the executable, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloExecutable *
ghlo_client_compile (GhloClient          *self,
                     GhloProgram         *program,
                     GhloCompileOptions  *options,
                     GhloProgress        *progress,
                     GCancellable        *cancellable,
                     GError             **error)
{
  g_return_val_if_fail (GHLO_IS_CLIENT (self), NULL);

  return executable_new (program,
                         ghlo_call_run (&compile_class, compile_new (self, program, options, progress, error),
                                        progress, cancellable, error));
}

/**
 * ghlo_client_compile_async:
 * @self: a client
 * @program: the program
 * @options: (nullable): the options of the compilation; %NULL for the defaults
 * @progress: (nullable): a progress that follows the compilation, or %NULL
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Compiles a program without blocking; see [method@Ghlo.Client.compile].
 *
 * Since: 1.0
 */
void
ghlo_client_compile_async (GhloClient          *self,
                           GhloProgram         *program,
                           GhloCompileOptions  *options,
                           GhloProgress        *progress,
                           GCancellable        *cancellable,
                           GAsyncReadyCallback  callback,
                           gpointer             user_data)
{
  GError *error = NULL;
  GhloCompileRequest *request;
  GTask *task;

  g_return_if_fail (GHLO_IS_CLIENT (self));

  request = compile_new (self, program, options, progress, &error);
  task = ghlo_call_task (&compile_class, self, cancellable, callback, user_data);
  if (request != NULL)
    g_task_set_task_data (task, g_object_ref (program), g_object_unref);
  ghlo_call_start (&compile_class, task, request, progress, error);
}

/**
 * ghlo_client_compile_finish:
 * @self: a client
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [method@Ghlo.Client.compile_async].
 *
 * Returns: (transfer full): the executable, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloExecutable *
ghlo_client_compile_finish (GhloClient    *self,
                            GAsyncResult  *result,
                            GError       **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&compile_class, self, result), NULL);

  return executable_new (g_task_get_task_data (G_TASK (result)),
                         g_task_propagate_pointer (G_TASK (result), error));
}

/* The arguments of a load: the request, and the bytes to fill it from. */
typedef struct
{
  GBytes             *bytes;
  GhloCompileRequest  request;
} Load;

static void
load_free (gpointer data)
{
  Load *load = data;

  g_bytes_unref (load->bytes);
  ghlo_compile_request_clear (&load->request);
  g_free (load);
}

static Load *
load_new (GhloClient     *self,
          GBytes         *bytes,
          GhloLoadFlags   flags,
          GError        **error)
{
  Load *load;

  if (bytes == NULL || (flags & ~GHLO_LOAD_FLAGS_TRUSTED) != 0)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected %s, found %s",
                   bytes == NULL ? "the bytes of an executable" : "known flags",
                   bytes == NULL ? "nothing" : "unknown ones");
      return NULL;
    }

  load = g_new0 (Load, 1);
  load->bytes = g_bytes_ref (bytes);
  load->request.counters = ghlo_counters_ref (self->counters);
  load->request.custom_targets = ghlo_client_dup_custom_targets (self);

  return load;
}

static gpointer
load_run (gpointer            data,
          const GhloMonitor  *monitor,
          GError            **error)
{
  Load *load = data;

  ghlo_trim_watch ();
  if (!ghlo_compile_request_read (&load->request, load->bytes, monitor, error))
    return NULL;

  return ghlo_executable_core_new (&load->request, monitor, error);
}

static const GhloCallClass load_class = {
  .job = {
    .name = "ghlo_client_load_executable_async",
    .workers = GHLO_WORKERS_COMPILE,
    .stage = GHLO_PROGRESS_STAGE_PASSES,
    .run = load_run,
    .free_data = load_free,
    .free_result = (GDestroyNotify) ghlo_executable_core_unref,
  },
};

static GhloExecutable *
loaded_executable_new (GhloExecutableCore *compiled)
{
  g_autoptr (GhloProgram) program = NULL;

  if (compiled == NULL)
    return NULL;
  program = ghlo_program_new (ghlo_ir_module_ref (compiled->module), NULL);

  return executable_new (program, compiled);
}

/**
 * ghlo_client_load_executable:
 * @self: a client
 * @bytes: a serialized executable from [method@Ghlo.Executable.serialize]
 * @flags: how to load it
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Loads an executable that was serialized, possibly in another process or on another
 * machine, with the same compile options and for the same kind of device. The
 * program is read, verified and compiled again, so the bytes need not be trusted.
 *
 * Fails with %GHLO_ERROR_DATA when the bytes are not a serialized executable, are
 * truncated or were modified, with %GHLO_ERROR_DEVICE when there is no device of
 * that kind, and as [method@Ghlo.Client.compile] does.
 *
 * Returns: (transfer full): the executable, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloExecutable *
ghlo_client_load_executable (GhloClient     *self,
                             GBytes         *bytes,
                             GhloLoadFlags   flags,
                             GCancellable   *cancellable,
                             GError        **error)
{
  g_return_val_if_fail (GHLO_IS_CLIENT (self), NULL);

  return loaded_executable_new (ghlo_call_run (&load_class, load_new (self, bytes, flags, error), NULL, cancellable,
                                               error));
}

/**
 * ghlo_client_load_executable_async:
 * @self: a client
 * @bytes: a serialized executable from [method@Ghlo.Executable.serialize]
 * @flags: how to load it
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Loads an executable without blocking; see [method@Ghlo.Client.load_executable].
 *
 * Since: 1.0
 */
void
ghlo_client_load_executable_async (GhloClient          *self,
                                   GBytes              *bytes,
                                   GhloLoadFlags        flags,
                                   GCancellable        *cancellable,
                                   GAsyncReadyCallback  callback,
                                   gpointer             user_data)
{
  GError *error = NULL;
  Load *load;

  g_return_if_fail (GHLO_IS_CLIENT (self));

  load = load_new (self, bytes, flags, &error);
  ghlo_call_start (&load_class, ghlo_call_task (&load_class, self, cancellable, callback, user_data), load, NULL,
                   error);
}

/**
 * ghlo_client_load_executable_finish:
 * @self: a client
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [method@Ghlo.Client.load_executable_async].
 *
 * Returns: (transfer full): the executable, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloExecutable *
ghlo_client_load_executable_finish (GhloClient    *self,
                                    GAsyncResult  *result,
                                    GError       **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&load_class, self, result), NULL);

  return loaded_executable_new (g_task_propagate_pointer (G_TASK (result), error));
}

/**
 * ghlo_client_get_statistics:
 * @self: a client
 *
 * Gets statistics about the compilations of this client and the runs of all
 * executables that it created.
 *
 * Returns: (transfer full): a snapshot
 *
 * Since: 1.0
 */
GhloStatistics *
ghlo_client_get_statistics (GhloClient *self)
{
  g_return_val_if_fail (GHLO_IS_CLIENT (self), NULL);

  return ghlo_statistics_new (self->counters);
}

/**
 * ghlo_client_trim:
 * @self: a client
 *
 * Returns unused memory of the process to the system, soon, and on another thread.
 * Memory in use is not touched. This happens automatically when
 * [iface@Gio.MemoryMonitor] warns of low memory.
 *
 * Since: 1.0
 */
void
ghlo_client_trim (GhloClient *self)
{
  g_return_if_fail (GHLO_IS_CLIENT (self));

  ghlo_trim ();
}
