/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiling a program's entry function for a device.
 */

#include "compiler/executable-core.h"

GhloExecutableCore *
ghlo_executable_core_new (const GhloCompileRequest *request,
                          const GhloMonitor        *monitor,
                          GError                  **error)
{
  gint64 start = g_get_monotonic_time ();
  GhloSignature signature;
  GhloCacheUse use;
  GhloCompilation *compilation;
  GhloExecutableCore *self;

  if (!ghlo_signature_init (&signature, request->module, error))
    return NULL;
  compilation = ghlo_compilation_new (request->module, request->device, request->settings, request->custom_targets,
                                      &use, monitor, error);
  if (compilation == NULL)
    return NULL;

  self = g_new0 (GhloExecutableCore, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->module = ghlo_ir_module_ref (request->module);
  self->signature = signature;
  self->device = request->device;
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
  ghlo_settings_unref (self->settings);
  ghlo_counters_unref (self->counters);
  ghlo_counters_unref (self->client_counters);
  g_free (self);
}
