/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds and opens devices.
 */

#include "vulkan/open.h"

#include <string.h>

#include "base/debug.h"
#include "base/ghlo-error.h"
#include "runtime/memory.h"
#include "vulkan/device-memory.h"
#include "vulkan/device-queue.h"
#include "vulkan/handles.h"
#include "vulkan/imports.h"
#include "vulkan/memory.h"
#include "vulkan/pipelines.h"
#include "vulkan/properties.h"
#include "vulkan/queue.h"
#include "vulkan/stopwatch.h"
#include "vulkan/waiter.h"

enum { MAX_FAMILIES = 16 };

/* Optional extensions, enabled if the device has them. */
static const struct
{
  const char *name;
  gsize       offset;       /* of its gboolean in GhloVulkanHandles */
} extensions[] = {
  { VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, offsetof (GhloVulkanHandles, has_budget) },
  { VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME, offsetof (GhloVulkanHandles, has_feedback) },
  { VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME, offsetof (GhloVulkanHandles, has_global_priority) },
  { VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME, offsetof (GhloVulkanHandles, has_conditional) },
  { VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, offsetof (GhloVulkanHandles, has_host_memory) },
  { GHLO_VULKAN_COOPERATIVE_MATRIX, offsetof (GhloVulkanHandles, has_cooperative) },
  { GHLO_VULKAN_BFLOAT16, offsetof (GhloVulkanHandles, has_bfloat16) },
};

static gboolean *
has_extension (GhloVulkanHandles *self,
               guint              index)
{
  return (gboolean *) (gpointer) ((guint8 *) self + extensions[index].offset);
}

/* Prefers a compute-only family to one that also draws. FALSE if there is no family for compute. */
static gboolean
find_family (GhloVulkanDevice *self)
{
  GhloVulkanHandles *handles = self->handles;
  VkQueueFamilyProperties families[MAX_FAMILIES];
  guint32 n = MAX_FAMILIES, found = G_MAXUINT32;

  handles->vk->GetPhysicalDeviceQueueFamilyProperties (handles->physical, &n, families);
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
  handles->family = found;
  handles->timestamp_bits = families[found].timestampValidBits;

  return TRUE;
}

static void
find_extensions (GhloVulkanDevice *self)
{
  GhloVulkanHandles *handles = self->handles;
  const GhloVulkanFunctions *vk = handles->vk;
  g_autofree VkExtensionProperties *found = NULL;
  guint32 n = 0;

  if (ghlo_vulkan_call (vk, EnumerateDeviceExtensionProperties, handles->physical, NULL, &n, NULL) != VK_SUCCESS)
    return;
  found = g_new0 (VkExtensionProperties, n + 1);
  if (ghlo_vulkan_call (vk, EnumerateDeviceExtensionProperties, handles->physical, NULL, &n, found) != VK_SUCCESS)
    return;
  for (guint32 i = 0; i < n; i++)
    for (guint k = 0; k < G_N_ELEMENTS (extensions); k++)
      if (strcmp (found[i].extensionName, extensions[k].name) == 0)
        *has_extension (handles, k) = TRUE;
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
    self->is_cpu ? processor_features () : 0,
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
  GhloVulkanHandles *handles = self->handles;
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT
  };
  VkPhysicalDeviceVulkan11Properties v11 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                                             handles->has_host_memory ? &host : NULL };
  VkPhysicalDeviceVulkan12Properties v12 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, &v11 };
  VkPhysicalDeviceProperties2 all = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &v12 };
  VkPhysicalDeviceMemoryProperties2 memory = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2 };
  const VkPhysicalDeviceLimits *limits = &all.properties.limits;
  const VkSubgroupFeatureFlags ballots = VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT
                                         | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;

  handles->vk->GetPhysicalDeviceProperties2 (handles->physical, &all);
  handles->vk->GetPhysicalDeviceMemoryProperties2 (handles->physical, &memory);
  handles->type = all.properties.deviceType;
  self->is_cpu = handles->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
  self->driver = ghlo_vulkan_driver_find (v12.driverID);
  self->shared_memory = limits->maxComputeSharedMemorySize;
  self->max_group_size = MIN (limits->maxComputeWorkGroupInvocations, limits->maxComputeWorkGroupSize[0]);
  self->max_groups = limits->maxComputeWorkGroupCount[0];
  handles->timestamp_period = limits->timestampPeriod;
  self->max_allocation = (gsize) MIN (v11.maxMemoryAllocationSize, G_MAXSIZE / 2);
  self->subgroup_size = v11.subgroupSize;
  self->has_ballots = (v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0
                      && (v11.subgroupSupportedOperations & ballots) == ballots;
  handles->host_alignment = (gsize) host.minImportedHostPointerAlignment;
  handles->memory_types = memory.memoryProperties;
  self->unified_memory = ghlo_debug_disables ("unified-memory") ? 0 : ghlo_vulkan_memory_find_unified (self);
  self->core.shares_memory = ghlo_vulkan_device_is_unified (self);
  self->promises = (GhloVulkanFloats) {
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
  GhloVulkanHandles *handles = self->handles;
  VkPhysicalDeviceProperties properties;
  GhloVulkanFeatures has;
  const char *missing;
  g_autofree char *lacks = NULL;

  handles->vk->GetPhysicalDeviceProperties (handles->physical, &properties);
  if (properties.apiVersion < VK_API_VERSION_1_2)
    return refuse (&properties, "is older than Vulkan 1.2", error);
  ghlo_vulkan_features_init (&has);
  ghlo_vulkan_features_extend (&has, handles->has_cooperative, handles->has_bfloat16, handles->has_conditional);
  handles->vk->GetPhysicalDeviceFeatures2 (handles->physical, &has.core);
  missing = ghlo_vulkan_features_choose (&has, &handles->features);
  if (missing != NULL)
    {
      lacks = g_strconcat ("lacks ", missing, NULL);
      return refuse (&properties, lacks, error);
    }

  return find_family (self) || refuse (&properties, "has no compute queue", error);
}

guint
ghlo_vulkan_list_physical (GhloVulkanPhysical  *devices[GHLO_VULKAN_MAX_DEVICES],
                           GError             **error)
{
  const GhloVulkanInstance *instance = ghlo_vulkan_instance_get (error);

  return instance != NULL ? ghlo_vulkan_instance_list (instance, devices, error) : 0;
}

gboolean
ghlo_vulkan_device_init (GhloVulkanDevice    *self,
                         GhloVulkanPhysical  *physical,
                         guint                index,
                         GError             **error)
{
  g_autofree GhloVulkanHandles *handles = g_new0 (GhloVulkanHandles, 1);
  const GhloVulkanInstance *instance = ghlo_vulkan_instance_get (error);

  if (instance == NULL)
    return FALSE;
  handles->vk = instance->vk;
  handles->physical = physical;
  self->handles = handles;
  self->index = index;
  find_extensions (self);
  if (!check_device (self, error))
    return FALSE;
  read_properties (self);
  self->types = ghlo_vulkan_features_types (&handles->features);
  self->has_narrow_storage = handles->features.v12.storageBuffer8BitAccess
                             && handles->features.v11.storageBuffer16BitAccess;
  self->has_atomics_64 = handles->features.v12.shaderBufferInt64Atomics;
  self->has_predicates = handles->features.conditional.conditionalRendering;
  if (self->subgroup_size == GHLO_VULKAN_MATRIX_SUBGROUP)
    self->matrices = ghlo_vulkan_cooperative_types (self);
  self->core.kind = GHLO_DEVICE_KIND_VULKAN;
  self->core.wants_passes = TRUE;
  self->core.features = (const char *const *) ghlo_vulkan_features_list (&handles->features);
  ghlo_vulkan_rates_init (self);
  self->core.memory = ghlo_vulkan_device_memory_new (self);
  self->core.queue = ghlo_vulkan_device_queue_new (self);
  self->handles = g_steal_pointer (&handles);

  return TRUE;
}

void
ghlo_vulkan_device_disconnect (GhloVulkanDevice *self)
{
  GhloVulkanHandles *handles = self->handles;

  if (handles->device != NULL)
    handles->vk->DeviceWaitIdle (handles->device);
  g_clear_pointer (&self->stopwatch, ghlo_vulkan_stopwatch_free);
  g_clear_pointer (&self->pipelines, ghlo_vulkan_pipelines_free);
  g_clear_pointer (&self->waiter, ghlo_vulkan_waiter_free);
  g_clear_pointer (&self->queue, ghlo_vulkan_queue_free);
  g_clear_pointer (&self->imports, ghlo_vulkan_imports_free);
  g_clear_pointer (&self->memory, ghlo_vulkan_memory_destroy);
  if (handles->device != NULL)
    handles->vk->DestroyDevice (handles->device, NULL);
  handles->device = NULL;
}

/* @priority extends the queue's create info; nullable. */
static VkResult
create_with (GhloVulkanDevice *self,
             gconstpointer     priority)
{
  GhloVulkanHandles *handles = self->handles;
  const char *enabled[G_N_ELEMENTS (extensions)];
  const VkDeviceQueueCreateInfo queue = { VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, priority,
                                          .queueFamilyIndex = handles->family, .queueCount = 1,
                                          .pQueuePriorities = (const float[]) { 0 } };
  VkDeviceCreateInfo info = { VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &handles->features.core, .queueCreateInfoCount = 1,
                              .pQueueCreateInfos = &queue, .ppEnabledExtensionNames = enabled };

  for (guint i = 0; i < G_N_ELEMENTS (extensions); i++)
    if (*has_extension (handles, i))
      enabled[info.enabledExtensionCount++] = extensions[i].name;

  return ghlo_vulkan_create (handles->vk, CreateDevice, &handles->device, handles->physical, &info, NULL);
}

/* Asks for low priority, so that work yields to drawing the desktop, in other processes as well, if the driver
 * permits. */
static gboolean
create_device (GhloVulkanDevice  *self,
               GError           **error)
{
  const GhloVulkanHandles *handles = self->handles;
  static const VkDeviceQueueGlobalPriorityCreateInfoKHR low = {
    VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR, .globalPriority = VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR,
  };
  VkResult result = create_with (self, handles->has_global_priority ? &low : NULL);

  if (handles->has_global_priority
      && (result == VK_ERROR_NOT_PERMITTED_KHR || result == VK_ERROR_INITIALIZATION_FAILED))
    result = create_with (self, NULL);

  return ghlo_vulkan_device_check (self, result, "open the device", error);
}

gboolean
ghlo_vulkan_device_connect (GhloVulkanDevice  *self,
                            GError           **error)
{
  if (!ghlo_memory_check_room (GHLO_VULKAN_DEVICE_ROOM, "the Vulkan driver", error) || !create_device (self, error))
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
  self->pipelines = ghlo_vulkan_pipelines_new (self, TRUE);
  self->stopwatch = ghlo_vulkan_stopwatch_new (self);

  return TRUE;
}
