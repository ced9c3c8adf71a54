/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Exposes GPUs as devices of the library, and opens them.
 */

#include "gpu/core.h"

#include "base/ghlo-error.h"
#include "gpu/properties.h"
#include "gpu/recording.h"
#include "gpu/self-test.h"
#include "gpu/spirv/product.h"
#include "gpu/steps.h"
#include "vulkan/open.h"

/* Shaders are emitted for the matrices that devices are asked for. */
G_STATIC_ASSERT ((int) GHLO_SPIRV_MATRIX == (int) GHLO_VULKAN_MATRIX);
G_STATIC_ASSERT ((int) GHLO_SPIRV_MATRIX_BYTES == (int) GHLO_VULKAN_MATRIX_BYTES);

/* Opening measures how the device computes, which takes other objects of the device. */
gboolean
ghlo_gpu_device_open (GhloGpuDevice      *self,
                      const GhloMonitor  *monitor,
                      GError            **error)
{
  static GMutex lock;
  gboolean ok;

  if (ghlo_vulkan_device_is_open (&self->vulkan))
    return TRUE;
  g_mutex_lock (&lock);
  ok = ghlo_vulkan_device_is_open (&self->vulkan) || ghlo_vulkan_device_connect (&self->vulkan, error);
  if (ok && !ghlo_vulkan_device_is_open (&self->vulkan))
    {
      ok = ghlo_gpu_self_test (self, monitor, error);
      g_atomic_int_set (&self->vulkan.core.is_open, ok);
      if (!ok)
        ghlo_vulkan_device_disconnect (&self->vulkan);
    }
  g_mutex_unlock (&lock);

  return ok;
}

static gboolean
open_core (GhloDeviceCore     *core,
           const GhloMonitor  *monitor,
           GError            **error)
{
  return ghlo_gpu_device_open ((GhloGpuDevice *) core, monitor, error);
}

static const GhloDeviceCoreClass klass = {
  .name = "vulkan",
  .add_properties = ghlo_gpu_add_properties,
  .unsupported_reason = ghlo_gpu_unsupported_reason,
  .open = open_core,
  .find_step = ghlo_gpu_find_step,
  .copy_step = &ghlo_gpu_step_copy,
};

static gboolean
has_index (GPtrArray *devices,
           guint      index)
{
  for (guint i = 0; i < devices->len; i++)
    if (((const GhloVulkanDevice *) devices->pdata[i])->index == index)
      return TRUE;

  return FALSE;
}

gboolean
ghlo_gpu_may_exist (void)
{
#ifdef __linux__
  /* Device nodes of drivers that do not use the kernel's direct rendering manager: NVIDIA, WSL, Arm, Qualcomm. */
  static const char *const nodes[] = { "/dev/nvidiactl", "/dev/dxg", "/dev/mali0", "/dev/kgsl-3d0" };
  g_autoptr (GDir) folder = g_dir_open ("/dev/dri", 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    if (g_str_has_prefix (name, "renderD"))
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    if (g_file_test (nodes[i], G_FILE_TEST_EXISTS))
      return TRUE;

  return FALSE;
#else
  return TRUE;
#endif
}

/* What ghlo_gpu_explain () returns. */
static char *explanation;

const char *
ghlo_gpu_explain (void)
{
  return explanation;
}

/* Returns NULL with @error where programs cannot run on it. */
static GhloGpuDevice *
device_new (GhloVulkanPhysical  *physical,
            guint                index,
            GError             **error)
{
  g_autofree GhloGpuDevice *self = g_new0 (GhloGpuDevice, 1);
  const GhloVulkanFloats *promises = &self->vulkan.promises;

  if (!ghlo_vulkan_device_init (&self->vulkan, physical, index, error))
    return NULL;
  self->vulkan.core.klass = &klass;
  self->vulkan.core.command_buffers = &ghlo_gpu_command_buffers;
  for (guint i = 0; i < 2; i++)
    {
      self->promises.keeps_subnormals[i] = promises->keeps_subnormals[i];
      self->promises.rounds_to_even[i] = promises->rounds_to_even[i];
      self->promises.keeps_nan[i] = promises->keeps_nan[i];
    }

  return g_steal_pointer (&self);
}

void
ghlo_gpu_find_devices (GPtrArray *devices)
{
  g_autoptr (GError) error = NULL;
  GhloVulkanPhysical *physical[GHLO_VULKAN_MAX_DEVICES];
  const guint n = ghlo_vulkan_list_physical (physical, &error);

  g_clear_pointer (&explanation, g_free);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) reason = NULL;
      GhloGpuDevice *device = has_index (devices, i) ? NULL : device_new (physical[i], i, &reason);

      if (device != NULL)
        g_ptr_array_insert (devices, (gint) MIN (i, devices->len), device);
      else if (reason != NULL)
        g_debug ("%s", reason->message);
      if (reason != NULL && error == NULL)
        error = g_steal_pointer (&reason);
    }
  if (devices->len == 0 && error != NULL)
    {
      explanation = g_strdup (error->message);
      g_debug ("there are no Vulkan devices: %s", explanation);
    }
}
