/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds and opens devices.
 */

#include "vulkan/device.h"

#include <string.h>

#include "base/debug.h"
#include "base/ghlo-error.h"
#include "vulkan/device-memory.h"
#include "vulkan/device-queue.h"
#include "vulkan/features.h"
#include "vulkan/imports.h"
#include "vulkan/memory.h"
#include "vulkan/pipelines.h"
#include "vulkan/properties.h"
#include "vulkan/queue.h"
#include "vulkan/stopwatch.h"
#include "vulkan/waiter.h"

enum { MAX_FAMILIES = 16 };

/* The subgroup size that tiles of cooperative matrices are made for. */
enum { SUBGROUP_SIZE = 32 };

/* Optional extensions, enabled if the device has them. */
static const struct
{
  const char *name;
  gsize       offset;       /* of its gboolean in GhloVulkanDevice */
} extensions[] = {
  { VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, offsetof (GhloVulkanDevice, has_budget) },
  { VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME, offsetof (GhloVulkanDevice, has_feedback) },
  { VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME, offsetof (GhloVulkanDevice, has_global_priority) },
  { VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME, offsetof (GhloVulkanDevice, has_conditional) },
  { VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, offsetof (GhloVulkanDevice, has_host_memory) },
  { GHLO_VULKAN_COOPERATIVE_MATRIX, offsetof (GhloVulkanDevice, has_cooperative) },
  { GHLO_VULKAN_BFLOAT16, offsetof (GhloVulkanDevice, has_bfloat16) },
};

static gboolean *
has_extension (GhloVulkanDevice *self,
               guint             index)
{
  return (gboolean *) (gpointer) ((guint8 *) self + extensions[index].offset);
}

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

/* Prefers a compute-only family to one that also draws. FALSE if there is no family for compute. */
static gboolean
find_family (GhloVulkanDevice *self)
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

  if (found == G_MAXUINT32)
    return FALSE;
  self->family = found;
  self->timestamp_bits = families[found].timestampValidBits;

  return TRUE;
}

static void
find_extensions (GhloVulkanDevice *self)
{
  g_autofree VkExtensionProperties *found = NULL;
  guint32 n = 0;

  if (ghlo_vulkan_call (self->vk, EnumerateDeviceExtensionProperties, self->physical, NULL, &n, NULL) != VK_SUCCESS)
    return;
  found = g_new0 (VkExtensionProperties, n + 1);
  if (ghlo_vulkan_call (self->vk, EnumerateDeviceExtensionProperties, self->physical, NULL, &n, found) != VK_SUCCESS)
    return;
  for (guint32 i = 0; i < n; i++)
    for (guint k = 0; k < G_N_ELEMENTS (extensions); k++)
      if (strcmp (found[i].extensionName, extensions[k].name) == 0)
        *has_extension (self, k) = TRUE;
}

/* Returns "vulkan:INDEX", and "vulkan:UUID" with the device's persistent UUID; the first device is also called
 * "vulkan". */
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

/* Instruction set extensions, as bits, of the processor that a CPU device generates code for, which its driver does not
 * report. lavapipe rounds f64 differently without AVX-512. */
static guint32
processor_features (void)
{
  guint32 bits = 0;

#if defined (__x86_64__) || defined (__i386__)
  __builtin_cpu_init ();
#define BIT(i, name) bits |= (guint32) (__builtin_cpu_supports (name) != 0) << (i);
  BIT (0, "sse4.1") BIT (1, "avx") BIT (2, "avx2") BIT (3, "fma") BIT (4, "avx512f") BIT (5, "avx512bw")
  BIT (6, "avx512dq") BIT (7, "avx512vl")
#undef BIT
#endif

  return bits;
}

/* Names and versions are included because Vulkan's own identifiers are not enough: lavapipe's are the same for every
 * version of LLVM. */
static GBytes *
make_identity (const GhloVulkanDevice                   *self,
               const VkPhysicalDeviceProperties         *properties,
               const VkPhysicalDeviceVulkan11Properties *v11,
               VkDriverId                                driver)
{
  GByteArray *bytes = g_byte_array_new ();
  const guint32 numbers[] = {
    properties->vendorID, properties->deviceID, properties->driverVersion, properties->apiVersion, driver,
    ghlo_vulkan_device_is_cpu (self) ? processor_features () : 0,
  };

  g_byte_array_append (bytes, (const guint8 *) numbers, sizeof numbers);
  g_byte_array_append (bytes, properties->pipelineCacheUUID, VK_UUID_SIZE);
  g_byte_array_append (bytes, v11->deviceUUID, VK_UUID_SIZE);
  g_byte_array_append (bytes, v11->driverUUID, VK_UUID_SIZE);
  g_byte_array_append (bytes, (const guint8 *) self->core.title, (guint) strlen (self->core.title) + 1);
  g_byte_array_append (bytes, (const guint8 *) self->core.driver, (guint) strlen (self->core.driver) + 1);

  return g_byte_array_free_to_bytes (bytes);
}

static void
read_properties (GhloVulkanDevice *self)
{
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT
  };
  VkPhysicalDeviceVulkan11Properties v11 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                                             self->has_host_memory ? &host : NULL };
  VkPhysicalDeviceVulkan12Properties v12 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, &v11 };
  VkPhysicalDeviceProperties2 all = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &v12 };
  VkPhysicalDeviceMemoryProperties2 memory = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2 };

  self->vk->GetPhysicalDeviceProperties2 (self->physical, &all);
  self->vk->GetPhysicalDeviceMemoryProperties2 (self->physical, &memory);
  self->type = all.properties.deviceType;
  self->driver = ghlo_vulkan_driver_find (v12.driverID);
  self->limits = all.properties.limits;
  self->max_allocation = (gsize) MIN (v11.maxMemoryAllocationSize, G_MAXSIZE / 2);
  self->subgroup_size = v11.subgroupSize;
  self->host_alignment = (gsize) host.minImportedHostPointerAlignment;
  self->memory_types = memory.memoryProperties;
  self->unified_memory = ghlo_debug_disables ("unified-memory") ? 0 : ghlo_vulkan_memory_find_unified (self);
  self->core.shares_memory = ghlo_vulkan_device_is_unified (self);
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
  self->core.names = make_names (self->index, v11.deviceUUID);
  self->identity = make_identity (self, &all.properties, &v11, v12.driverID);
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

/* Devices older than Vulkan 1.2 must not be queried any further. */
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
  ghlo_vulkan_features_extend (&has, self->has_cooperative, self->has_bfloat16, self->has_conditional);
  self->vk->GetPhysicalDeviceFeatures2 (self->physical, &has.core);
  missing = ghlo_vulkan_features_choose (&has, &self->features);
  if (missing != NULL)
    {
      lacks = g_strconcat ("lacks ", missing, NULL);
      return refuse (&properties, lacks, error);
    }

  return find_family (self) || refuse (&properties, "has no compute queue", error);
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
  find_extensions (self);
  if (!check_device (self, error))
    return NULL;
  read_properties (self);
  if (self->subgroup_size == SUBGROUP_SIZE)
    self->matrices = ghlo_vulkan_cooperative_types (self);
  self->core.kind = GHLO_DEVICE_KIND_VULKAN;
  self->core.wants_passes = TRUE;
  self->core.features = (const char *const *) ghlo_vulkan_features_list (&self->features);
  ghlo_vulkan_rates_init (self);
  self->core.memory = ghlo_vulkan_device_memory_new (self);
  self->core.queue = ghlo_vulkan_device_queue_new (self);

  return g_steal_pointer (&self);
}

gboolean
ghlo_vulkan_device_get_budget (const GhloVulkanDevice                    *self,
                               VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget)
{
  VkPhysicalDeviceMemoryProperties2 properties = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, budget };

  *budget = (VkPhysicalDeviceMemoryBudgetPropertiesEXT) {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT
  };
  if (self->has_budget)
    self->vk->GetPhysicalDeviceMemoryProperties2 (self->physical, &properties);

  return self->has_budget;
}

void
ghlo_vulkan_device_disconnect (GhloVulkanDevice *self)
{
  if (self->device != NULL)
    self->vk->DeviceWaitIdle (self->device);
  g_clear_pointer (&self->stopwatch, ghlo_vulkan_stopwatch_free);
  g_clear_pointer (&self->pipelines, ghlo_vulkan_pipelines_free);
  g_clear_pointer (&self->waiter, ghlo_vulkan_waiter_free);
  g_clear_pointer (&self->queue, ghlo_vulkan_queue_free);
  g_clear_pointer (&self->imports, ghlo_vulkan_imports_free);
  g_clear_pointer (&self->memory, ghlo_vulkan_memory_destroy);
  if (self->device != NULL)
    self->vk->DestroyDevice (self->device, NULL);
  self->device = NULL;
}

/* @priority extends the queue's create info; nullable. */
static VkResult
create_with (GhloVulkanDevice *self,
             gconstpointer     priority)
{
  const char *enabled[G_N_ELEMENTS (extensions)];
  const VkDeviceQueueCreateInfo queue = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, priority,
                                          .queueFamilyIndex = self->family, .queueCount = 1,
                                          .pQueuePriorities = (const float[]) { 0 } };
  VkDeviceCreateInfo info = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &self->features.core, .queueCreateInfoCount = 1,
                              .pQueueCreateInfos = &queue, .ppEnabledExtensionNames = enabled };

  for (guint i = 0; i < G_N_ELEMENTS (extensions); i++)
    if (*has_extension (self, i))
      enabled[info.enabledExtensionCount++] = extensions[i].name;

  return ghlo_vulkan_create (self->vk, CreateDevice, &self->device, self->physical, &info, NULL);
}

/* Asks for low priority, so that work yields to drawing the desktop, in other processes as well, if the driver
 * permits. */
static gboolean
create_device (GhloVulkanDevice  *self,
               GError           **error)
{
  static const VkDeviceQueueGlobalPriorityCreateInfoKHR low = {
    VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR, .globalPriority = VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR,
  };
  VkResult result = create_with (self, self->has_global_priority ? &low : NULL);

  if (self->has_global_priority && (result == VK_ERROR_NOT_PERMITTED_KHR || result == VK_ERROR_INITIALIZATION_FAILED))
    result = create_with (self, NULL);

  return ghlo_vulkan_device_check (self, result, "open the device", error);
}

gboolean
ghlo_vulkan_device_connect (GhloVulkanDevice  *self,
                            GError           **error)
{
  if (!create_device (self, error))
    return FALSE;
  self->memory = ghlo_vulkan_memory_new (self);
  self->queue = ghlo_vulkan_queue_new (self, error);
  if (self->queue == NULL)
    {
      ghlo_vulkan_device_disconnect (self);
      return FALSE;
    }
  self->imports = ghlo_vulkan_imports_new (self);
  self->waiter = ghlo_vulkan_waiter_new (self);
  self->pipelines = ghlo_vulkan_pipelines_new (self, ghlo_vulkan_queue_get_layout (self->queue), TRUE);
  self->stopwatch = ghlo_vulkan_stopwatch_new (self);

  return TRUE;
}
