/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Exposes Vulkan devices as devices of the library, and opens them.
 */

#include "vulkan/core.h"

#include "base/ghlo-error.h"
#include "runtime/memory.h"
#include "vulkan/device.h"
#include "vulkan/properties.h"
#include "vulkan/recording.h"
#include "vulkan/self-test.h"
#include "vulkan/steps.h"

/* Opening measures how the device computes, which takes other objects of the device. */
gboolean
ghlo_vulkan_device_open (GhloVulkanDevice   *self,
                         const GhloMonitor  *monitor,
                         GError            **error)
{
  static GMutex lock;
  gboolean ok;

  if (ghlo_vulkan_device_is_open (self))
    return TRUE;
  g_mutex_lock (&lock);
  ok = ghlo_vulkan_device_is_open (self)
       || (ghlo_memory_check_room (GHLO_VULKAN_DEVICE_ROOM, "the Vulkan driver", error)
           && ghlo_vulkan_device_connect (self, error));
  if (ok && !ghlo_vulkan_device_is_open (self))
    {
      ok = ghlo_vulkan_self_test (self, monitor, error);
      g_atomic_int_set (&self->core.is_open, ok);
      if (!ok)
        ghlo_vulkan_device_disconnect (self);
    }
  g_mutex_unlock (&lock);

  return ok;
}

static gboolean
open_core (GhloDeviceCore     *core,
           const GhloMonitor  *monitor,
           GError            **error)
{
  return ghlo_vulkan_device_open ((GhloVulkanDevice *) core, monitor, error);
}

static const GhloDeviceCoreClass klass = {
  .name = "vulkan",
  .add_properties = ghlo_vulkan_add_properties,
  .unsupported_reason = ghlo_vulkan_unsupported_reason,
  .open = open_core,
  .find_step = ghlo_vulkan_find_step,
  .copy_step = &ghlo_vulkan_step_copy,
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
ghlo_vulkan_may_have_gpu (void)
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

/* What ghlo_vulkan_explain () returns. */
static char *explanation;

const char *
ghlo_vulkan_explain (void)
{
  return explanation;
}

void
ghlo_vulkan_find_devices (GPtrArray *devices)
{
  g_autoptr (GError) error = NULL;
  const GhloVulkanInstance *instance = ghlo_vulkan_instance_get (&error);
  VkPhysicalDevice physical[GHLO_VULKAN_MAX_DEVICES];
  guint n = instance != NULL ? ghlo_vulkan_instance_list (instance, physical, &error) : 0;

  g_clear_pointer (&explanation, g_free);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) reason = NULL;
      GhloVulkanDevice *device = has_index (devices, i) ? NULL : ghlo_vulkan_device_new (instance, physical[i], i,
                                                                                         &reason);

      if (device != NULL)
        {
          device->core.klass = &klass;
          device->core.command_buffers = &ghlo_vulkan_command_buffers;
          g_ptr_array_insert (devices, (gint) MIN (i, devices->len), device);
        }
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
