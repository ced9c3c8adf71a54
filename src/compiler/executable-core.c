/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiles a program's entry function for a device.
 */

#include "compiler/executable-core.h"

#include "base/ghlo-error.h"
#include "base/trace.h"
#include "compiler/auto.h"

/* Where the GPU was chosen automatically, its failure is not an error of the compile. */
static gboolean
may_fall_back (const GhloDeviceCore *device,
               const char           *reason,
               const GError         *error)
{
  return reason != NULL && device->is_gpu && error->domain == GHLO_ERROR;
}

/* Sets *@device to the device that was compiled for, and *@reason to why it was chosen, which the caller frees; NULL
 * for a device that was requested. */
static GhloCompilation *
compile (const GhloCompileRequest  *request,
         GhloDeviceCore           **device,
         char                     **reason,
         GhloCacheUse              *use,
         const GhloMonitor         *monitor,
         GError                   **error)
{
  g_autofree char *why = NULL;
  g_autoptr (GError) local_error = NULL;
  GhloCompilation *compilation;

  *device = request->device != NULL ? request->device : ghlo_auto_choose (NULL, request->module, &why, error);
  if (*device == NULL)
    return NULL;
  compilation = ghlo_compilation_new (request->module, *device, request->settings, request->custom_targets,
                                      why != NULL && !ghlo_device_core_is_host (*device), use, monitor, &local_error);
  if (compilation == NULL && may_fall_back (*device, why, local_error))
    {
      g_autofree char *problem = g_strdelimit (g_strdup (local_error->message), "\n", ' ');

      g_free (why);
      why = g_strdup_printf ("%s fails to compile the program: %s", (*device)->names[0], problem);
      g_clear_error (&local_error);
      *device = ghlo_devices_get_default ();
      compilation = ghlo_compilation_new (request->module, *device, request->settings, request->custom_targets,
                                          FALSE, use, monitor, &local_error);
    }
  if (compilation != NULL)
    *reason = g_steal_pointer (&why);
  else
    g_propagate_error (error, g_steal_pointer (&local_error));

  return compilation;
}

GhloExecutableCore *
ghlo_executable_core_new (const GhloCompileRequest *request,
                          const GhloMonitor        *monitor,
                          GError                  **error)
{
  gint64 start = g_get_monotonic_time (), traced = ghlo_trace_begin ();
  GhloSignature signature;
  GhloCacheUse use;
  GhloDeviceCore *device;
  GhloCompilation *compilation;
  char *reason;
  GhloExecutableCore *self;

  if (!ghlo_signature_init (&signature, request->module, error))
    return NULL;
  compilation = compile (request, &device, &reason, &use, monitor, error);
  if (compilation == NULL)
    return NULL;
  ghlo_trace_end (traced, "compile", device->names[0]);

  self = g_new0 (GhloExecutableCore, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->module = ghlo_ir_module_ref (request->module);
  self->signature = signature;
  self->device = device;
  self->reason = reason;
  self->compilation = compilation;
  self->settings = ghlo_settings_ref (request->settings);
  self->counters = ghlo_counters_new ();
  self->client_counters = ghlo_counters_ref (request->counters);
  ghlo_counters_add_compile (self->counters, start, use);
  ghlo_counters_add_compile (self->client_counters, start, use);

  return self;
}

void
ghlo_compile_request_clear (GhloCompileRequest *request)
{
  g_clear_pointer (&request->module, ghlo_ir_module_unref);
  g_clear_pointer (&request->settings, ghlo_settings_unref);
  g_clear_pointer (&request->counters, ghlo_counters_unref);
  g_clear_pointer (&request->custom_targets, ghlo_custom_targets_unref);
}

GhloExecutableCore *
ghlo_executable_core_ref (GhloExecutableCore *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_executable_core_unref (GhloExecutableCore *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  ghlo_compilation_unref (self->compilation);
  ghlo_ir_module_unref (self->module);
  g_free (self->reason);
  ghlo_settings_unref (self->settings);
  ghlo_counters_unref (self->counters);
  ghlo_counters_unref (self->client_counters);
  g_free (self);
}
