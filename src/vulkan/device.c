/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Devices as they are found, and opened.
 */

#include "vulkan/device.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "vulkan/features.h"
#include "vulkan/memory.h"
#include "vulkan/pipelines.h"
#include "vulkan/queue.h"
#include "vulkan/self-test.h"
#include "vulkan/target.h"
#include "vulkan/waiter.h"

enum { MAX_FAMILIES = 16 };

gboolean
ghlo_vulkan_device_check (GhloVulkanDevice  *self,
                          VkResult           result,
                          const char        *what,
                          GError           **error)
{
  if (result == VK_ERROR_DEVICE_LOST)
    ghlo_device_core_lose (&self->core);

  return ghlo_vulkan_check (result, what, error);
}

/* G_MAXUINT32 where no family computes; one that does nothing but compute is there where others draw. */
static guint32
find_family (const GhloVulkanDevice *self)
{
  VkQueueFamilyProperties families[MAX_FAMILIES];
  guint32 n = MAX_FAMILIES, found = G_MAXUINT32;

  self->vk->GetPhysicalDeviceQueueFamilyProperties (self->physical, &n, families);
  for (guint32 i = 0; i < n; i++)
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
        && (found == G_MAXUINT32 || !(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)))
      {
        found = i;
        if (!(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT))
          break;
      }

  return found;
}

static gboolean
has_extension (const GhloVulkanDevice *self,
               const char             *name)
{
  g_autofree VkExtensionProperties *extensions = NULL;
  guint32 n = 0;

  if (ghlo_vulkan_call (self->vk, EnumerateDeviceExtensionProperties, self->physical, NULL, &n, NULL) != VK_SUCCESS)
    return FALSE;
  extensions = g_new0 (VkExtensionProperties, n + 1);
  if (ghlo_vulkan_call (self->vk, EnumerateDeviceExtensionProperties, self->physical, NULL, &n, extensions)
      != VK_SUCCESS)
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    if (strcmp (extensions[i].extensionName, name) == 0)
      return TRUE;

  return FALSE;
}

/* "vulkan:0", and "vulkan:" with the identifier that the driver keeps between starts; the first device is "vulkan" as
 * well. */
static const char *const *
make_names (guint         index,
            const guint8  uuid[VK_UUID_SIZE])
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_autofree char *number = g_strdup_printf ("vulkan:%u", index);
  g_autoptr (GString) long_name = g_string_new ("vulkan:");

  for (guint i = 0; i < VK_UUID_SIZE; i++)
    g_string_append_printf (long_name, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
  g_strv_builder_add (names, number);
  if (index == 0)
    g_strv_builder_add (names, "vulkan");
  g_strv_builder_add (names, long_name->str);

  return (const char *const *) g_strv_builder_end (names);
}

static void
read_properties (GhloVulkanDevice *self)
{
  VkPhysicalDeviceIDProperties id = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES };
  VkPhysicalDeviceVulkan12Properties v12 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, &id };
  VkPhysicalDeviceMaintenance3Properties sizes = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, &v12 };
  VkPhysicalDeviceProperties2 all = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &sizes };
  VkPhysicalDeviceMemoryProperties2 memory = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2 };

  self->vk->GetPhysicalDeviceProperties2 (self->physical, &all);
  self->vk->GetPhysicalDeviceMemoryProperties2 (self->physical, &memory);
  self->type = all.properties.deviceType;
  self->driver = ghlo_vulkan_driver_find (v12.driverID);
  self->limits = all.properties.limits;
  self->max_allocation = (gsize) MIN (sizes.maxMemoryAllocationSize, G_MAXSIZE / 2);
  self->memory_types = memory.memoryProperties;
  self->promises = (GhloSpirvFloats) {
    .keeps_subnormals = { v12.shaderDenormPreserveFloat32, v12.shaderDenormPreserveFloat64 },
    .rounds_to_even = { v12.shaderRoundingModeRTEFloat32, v12.shaderRoundingModeRTEFloat64 },
    .keeps_nan = { v12.shaderSignedZeroInfNanPreserveFloat32, v12.shaderSignedZeroInfNanPreserveFloat64 },
  };
  self->core.title = g_strdup (all.properties.deviceName);
  self->core.model = self->core.title;
  self->core.driver = g_strdup_printf ("%s %s, Vulkan %u.%u", v12.driverName, v12.driverInfo,
                                       VK_API_VERSION_MAJOR (all.properties.apiVersion),
                                       VK_API_VERSION_MINOR (all.properties.apiVersion));
  self->core.names = make_names (self->index, id.deviceUUID);
}

static gboolean
refuse (const VkPhysicalDeviceProperties  *properties,
        const char                        *what,
        GError                           **error)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "programs cannot run on %s: it %s", properties->deviceName,
               what);

  return FALSE;
}

/* What is older than 1.2 must not be asked for more than this. */
static gboolean
check_device (GhloVulkanDevice  *self,
              GError           **error)
{
  VkPhysicalDeviceProperties properties;
  GhloVulkanFeatures has;
  const char *missing;
  g_autofree char *lacks = NULL;

  self->vk->GetPhysicalDeviceProperties (self->physical, &properties);
  if (properties.apiVersion < VK_API_VERSION_1_2)
    return refuse (&properties, "is older than Vulkan 1.2", error);
  ghlo_vulkan_features_init (&has);
  self->vk->GetPhysicalDeviceFeatures2 (self->physical, &has.core);
  missing = ghlo_vulkan_features_choose (&has, &self->features);
  if (missing != NULL)
    {
      lacks = g_strconcat ("lacks ", missing, NULL);
      return refuse (&properties, lacks, error);
    }
  self->family = find_family (self);

  return self->family != G_MAXUINT32 || refuse (&properties, "has no queue that computes", error);
}

GhloVulkanDevice *
ghlo_vulkan_device_new (const GhloVulkanInstance  *instance,
                        VkPhysicalDevice           physical,
                        guint                      index,
                        GError                   **error)
{
  g_autofree GhloVulkanDevice *self = g_new0 (GhloVulkanDevice, 1);

  self->instance = instance;
  self->vk = instance->vk;
  self->physical = physical;
  self->index = index;
  if (!check_device (self, error))
    return NULL;
  read_properties (self);
  self->has_budget = has_extension (self, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  self->core.kind = GHLO_DEVICE_KIND_VULKAN;
  self->core.wants_passes = TRUE;
  self->core.features = (const char *const *) ghlo_vulkan_features_list (&self->features);

  return g_steal_pointer (&self);
}

static void
close_device (GhloVulkanDevice *self)
{
  if (self->device != NULL)
    self->vk->DeviceWaitIdle (self->device);
  g_clear_pointer (&self->pipelines, ghlo_vulkan_pipelines_free);
  g_clear_pointer (&self->waiter, ghlo_vulkan_waiter_free);
  g_clear_pointer (&self->queue, ghlo_vulkan_queue_free);
  g_clear_pointer (&self->memory, ghlo_vulkan_memory_destroy);
  if (self->device != NULL)
    self->vk->DestroyDevice (self->device, NULL);
  self->device = NULL;
}

static gboolean
open_device (GhloVulkanDevice  *self,
             GError           **error)
{
  static const char *const extensions[] = { VK_EXT_MEMORY_BUDGET_EXTENSION_NAME };
  const VkDeviceQueueCreateInfo queue = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = self->family,
                                          .queueCount = 1, .pQueuePriorities = (const float[]) { 0 } };
  const VkDeviceCreateInfo info = {
    VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &self->features.core, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
    .enabledExtensionCount = self->has_budget, .ppEnabledExtensionNames = extensions,
  };

  if (!ghlo_vulkan_device_check (self, ghlo_vulkan_call (self->vk, CreateDevice, self->physical, &info, NULL,
                                                         &self->device), "open the device", error))
    {
      self->device = NULL;
      return FALSE;
    }
  self->memory = ghlo_vulkan_memory_new (self);
  self->queue = ghlo_vulkan_queue_new (self, error);
  if (self->queue != NULL)
    {
      self->waiter = ghlo_vulkan_waiter_new (self);
      self->pipelines = ghlo_vulkan_pipelines_new (self);
      if (self->target == NULL)
        self->target = ghlo_vulkan_target_new (self);
      self->is_open = ghlo_vulkan_self_test (self, error);
    }
  if (self->is_open)
    return TRUE;
  close_device (self);

  return FALSE;
}

gboolean
ghlo_vulkan_device_open (GhloVulkanDevice  *self,
                         GError           **error)
{
  static GMutex lock;
  gboolean ok;

  g_mutex_lock (&lock);
  ok = self->is_open || open_device (self, error);
  g_mutex_unlock (&lock);

  return ok;
}
