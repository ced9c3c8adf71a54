/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The client: devices, and the call that compiles.
 */

#include "ghlo-client.h"

#include "ghlo-device-private.h"
#include "ghlo-executable-private.h"
#include "ghlo-job-private.h"
#include "ghlo-program-private.h"

/**
 * GhloClient:
 *
 * Where an application begins. A client finds the devices of the machine on first
 * need, and compiles programs for them.
 *
 * Making a client does nothing that could fail or take time. An application needs
 * one; several do no harm. A client may be used from any thread.
 *
 * Since: 1.0
 */
struct _GhloClient
{
  GObject     parent_instance;

  GMutex      lock;          /* guards what follows */
  GPtrArray  *devices;       /* of GhloDevice; one for each core that was asked for */
};

G_DEFINE_FINAL_TYPE (GhloClient, ghlo_client, G_TYPE_OBJECT)

static void
ghlo_client_finalize (GObject *object)
{
  GhloClient *self = GHLO_CLIENT (object);

  g_ptr_array_unref (self->devices);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (ghlo_client_parent_class)->finalize (object);
}

static void
ghlo_client_class_init (GhloClientClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = ghlo_client_finalize;
}

static void
ghlo_client_init (GhloClient *self)
{
  g_mutex_init (&self->lock);
  self->devices = g_ptr_array_new_with_free_func (g_object_unref);
}

/* The same object each time. */
static GhloDevice *
dup_device (GhloClient           *self,
            const GhloDeviceCore *core)
{
  GhloDevice *device = NULL;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->devices->len && device == NULL; i++)
    if (ghlo_device_get_core (self->devices->pdata[i]) == core)
      device = self->devices->pdata[i];
  if (device == NULL)
    {
      device = ghlo_device_new (core);
      g_ptr_array_add (self->devices, device);
    }
  g_object_ref (device);
  g_mutex_unlock (&self->lock);

  return device;
}

/**
 * ghlo_client_new:
 *
 * Makes a client.
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

/* A call that takes nothing along still needs something to point to. */
static void
nothing_free (gpointer data)
{
}

static gpointer
list_run (gpointer            data,
          const GhloMonitor  *monitor,
          GError            **error)
{
  return (gpointer) ghlo_device_cores ();
}

static const GhloJobClass list_class = {
  .name = "ghlo_client_list_devices_async",
  .workers = GHLO_WORKERS_COMPILE,
  .run = list_run,
  .free_data = nothing_free,
  .free_result = nothing_free,
};

static GListModel *
devices_new (GhloClient                  *self,
             const GhloDeviceCore *const *cores)
{
  GListStore *store;

  if (cores == NULL)
    return NULL;
  store = g_list_store_new (GHLO_TYPE_DEVICE);
  for (guint i = 0; cores[i] != NULL; i++)
    {
      g_autoptr (GhloDevice) device = dup_device (self, cores[i]);

      g_list_store_append (store, device);
    }

  return G_LIST_MODEL (store);
}

/**
 * ghlo_client_list_devices:
 * @self: a client
 * @cancellable: (nullable): what may cancel the call
 * @error: return location for an error
 *
 * Finds the devices of the machine. The first one is used where no device is asked
 * for.
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

  return devices_new (self, ghlo_job_run (&list_class, (gpointer) &list_class, NULL, cancellable, error));
}

/**
 * ghlo_client_list_devices_async:
 * @self: a client
 * @cancellable: (nullable): what may cancel the call
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

  ghlo_job_start (&list_class, ghlo_job_task (&list_class, self, cancellable, callback, user_data),
                  (gpointer) &list_class, NULL, NULL);
}

/**
 * ghlo_client_list_devices_finish:
 * @self: a client
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Takes the result of [method@Ghlo.Client.list_devices_async].
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
  g_return_val_if_fail (ghlo_job_is_valid (&list_class, self, result), NULL);

  return devices_new (self, g_task_propagate_pointer (G_TASK (result), error));
}

/* What a compile takes along. */
typedef struct
{
  GhloIrModule         *module;
  const GhloDeviceCore *device;      /* NULL: to be chosen */
} Compile;

static void
compile_free (gpointer data)
{
  Compile *compile = data;

  ghlo_program_drop_module (compile->module);
  g_free (compile);
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

static Compile *
compile_new (GhloProgram         *program,
             GhloCompileOptions  *options,
             GhloProgress        *progress,
             GError             **error)
{
  GhloDevice *device;
  GhloIrModule *module;
  Compile *compile;

  if (!check_optional (options == NULL || GHLO_IS_COMPILE_OPTIONS (options), "compile options", error)
      || !check_optional (progress == NULL || GHLO_IS_PROGRESS (progress), "a progress", error))
    return NULL;
  device = options != NULL ? ghlo_compile_options_get_device (options) : NULL;
  if (device != NULL && ghlo_device_get_core (device) == NULL)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                           "expected a device that Client.list_devices gave, found one made without a client");
      return NULL;
    }
  module = ghlo_program_take_module (program, error);
  if (module == NULL)
    return NULL;

  compile = g_new0 (Compile, 1);
  compile->module = module;
  compile->device = device != NULL ? ghlo_device_get_core (device) : NULL;

  return compile;
}

static gpointer
compile_run (gpointer            data,
             const GhloMonitor  *monitor,
             GError            **error)
{
  Compile *compile = data;

  if (compile->device == NULL)
    compile->device = ghlo_device_core_choose (error);
  if (compile->device == NULL)
    return NULL;

  return ghlo_compiled_new (compile->module, compile->device, monitor, error);
}

static const GhloJobClass compile_class = {
  .name = "ghlo_client_compile_async",
  .workers = GHLO_WORKERS_COMPILE,
  .stage = GHLO_PROGRESS_STAGE_CODEGEN,
  .run = compile_run,
  .free_data = compile_free,
  .free_result = (GDestroyNotify) ghlo_compiled_unref,
};

static GhloExecutable *
executable_new (GhloClient   *self,
                GhloProgram  *program,
                GhloCompiled *compiled)
{
  g_autoptr (GhloDevice) device = NULL;

  if (compiled == NULL)
    return NULL;
  device = dup_device (self, compiled->device);

  return ghlo_executable_new (compiled, program, device);
}

/**
 * ghlo_client_compile:
 * @self: a client
 * @program: the program
 * @options: (nullable): what the compile is told; %NULL for defaults
 * @progress: (nullable): what shows how far the compile is
 * @cancellable: (nullable): what may cancel the call
 * @error: return location for an error
 *
 * Compiles a program for a device: the options' one, else the one that the
 * environment variable `GHLO_DEVICE` names (`reference`, `cpu`, `vulkan`, `auto`),
 * else the first that [method@Ghlo.Client.list_devices] gives.
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

  return executable_new (self, program, ghlo_job_run (&compile_class, compile_new (program, options, progress, error),
                                                      progress, cancellable, error));
}

/**
 * ghlo_client_compile_async:
 * @self: a client
 * @program: the program
 * @options: (nullable): what the compile is told; %NULL for defaults
 * @progress: (nullable): what shows how far the compile is
 * @cancellable: (nullable): what may cancel the call
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
  Compile *compile;
  GTask *task;

  g_return_if_fail (GHLO_IS_CLIENT (self));

  compile = compile_new (program, options, progress, &error);
  task = ghlo_job_task (&compile_class, self, cancellable, callback, user_data);
  if (compile != NULL)
    g_task_set_task_data (task, g_object_ref (program), g_object_unref);
  ghlo_job_start (&compile_class, task, compile, progress, error);
}

/**
 * ghlo_client_compile_finish:
 * @self: a client
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Takes the result of [method@Ghlo.Client.compile_async].
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
  g_return_val_if_fail (ghlo_job_is_valid (&compile_class, self, result), NULL);

  return executable_new (self, g_task_get_task_data (G_TASK (result)),
                         g_task_propagate_pointer (G_TASK (result), error));
}
