/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two compiles are the same if they have the same program, options, device, and build of the library.
 */

#include "compiler/compile-key.h"

#include <string.h>

#include "compiler/cache-key.h"
#include "reference/device.h"

/* Text that distinguishes the device from others of this machine and of other machines. */
static char *
describe_device (const GhloDeviceCore *device)
{
  g_autofree char *features = g_strjoinv (",", (char **) device->features);

  return g_strjoin ("; ", device->klass->name, device->title, device->driver, features, NULL);
}

GhloCompileKey *
ghlo_compile_key_new (GhloIrModule            *module,
                      GhloDeviceCore          *device,
                      const GhloSettings      *settings,
                      const GhloCustomTargets *custom_targets,
                      gboolean                 may_use_host)
{
  const GhloOptimizeOptions options = {
    .level = settings->optimization_level,
    .enabled = (const char *const *) settings->enabled_passes,
    .disabled = (const char *const *) settings->disabled_passes,
    .excess_precision = settings->excess_precision,
    .evaluator = ghlo_reference_device (),
  };
  g_autofree char *of_device = describe_device (device);
  char *text = ghlo_cache_key_describe_options (&options, of_device, settings->debug_info);
  GhloCompileKey *self;

  if (text == NULL)
    return NULL;

  self = g_new0 (GhloCompileKey, 1);
  self->module = ghlo_ir_module_ref (module);
  self->device = device;
  self->keep_locations = settings->debug_info;
  self->may_use_host = may_use_host;
  self->options = text;
  self->functions = ghlo_custom_targets_describe (custom_targets, module);
  self->name = ghlo_cache_key_name (module, text);

  return self;
}

void
ghlo_compile_key_free (GhloCompileKey *self)
{
  ghlo_ir_module_unref (self->module);
  g_free (self->options);
  g_free (self->functions);
  g_free (self->name);
  g_free (self->digest);
  g_free (self);
}

const char *
ghlo_compile_key_get_digest (GhloCompileKey    *self,
                             const GhloMonitor *monitor,
                             GError           **error)
{
  char *digest = g_atomic_pointer_get (&self->digest);

  if (digest != NULL)
    return digest;
  digest = ghlo_cache_key_compute (self->module, self->options, self->keep_locations, monitor, error);
  if (digest != NULL && !g_atomic_pointer_compare_and_exchange (&self->digest, NULL, digest))
    g_free (digest);

  return g_atomic_pointer_get (&self->digest);
}

gboolean
ghlo_compile_key_resembles (const GhloCompileKey *self,
                            const GhloCompileKey *other)
{
  return self->device == other->device && self->may_use_host == other->may_use_host
         && strcmp (self->name, other->name) == 0 && strcmp (self->options, other->options) == 0
         && g_strcmp0 (self->functions, other->functions) == 0
         && g_strcmp0 (self->module->file_name, other->module->file_name) == 0;
}
