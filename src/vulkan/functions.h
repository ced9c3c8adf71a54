/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vulkan's functions in one table, which is filled from the loader when devices are first looked for: nothing is linked
 * to it. Calls that may fail are made through ghlo_vulkan_call (), so that a test can have each of them fail.
 */

#pragma once

#include <gio/gio.h>

#include "vulkan/cooperative.h"

G_BEGIN_DECLS

/* Those that there are before any instance. */
#define GHLO_VULKAN_GLOBAL_FUNCTIONS(row) \
  row (CreateInstance) row (EnumerateInstanceLayerProperties) row (EnumerateInstanceVersion)

/* All of Vulkan 1.2. */
#define GHLO_VULKAN_FUNCTIONS(row) \
  row (AllocateCommandBuffers) row (AllocateMemory) row (BeginCommandBuffer) row (BindBufferMemory) \
  row (CmdBindPipeline) row (CmdCopyBuffer) row (CmdDispatch) row (CmdPipelineBarrier) row (CmdPushConstants) \
  row (CmdResetQueryPool) row (CmdWriteTimestamp) row (CreateBuffer) row (CreateCommandPool) \
  row (CreateComputePipelines) row (CreateDevice) row (CreatePipelineCache) row (CreatePipelineLayout) \
  row (CreateQueryPool) row (CreateSemaphore) row (CreateShaderModule) row (DestroyBuffer) row (DestroyCommandPool) \
  row (DestroyDevice) row (DestroyInstance) row (DestroyPipeline) row (DestroyPipelineCache) \
  row (DestroyPipelineLayout) row (DestroyQueryPool) row (DestroySemaphore) row (DestroyShaderModule) \
  row (DeviceWaitIdle) row (EndCommandBuffer) row (EnumerateDeviceExtensionProperties) \
  row (EnumeratePhysicalDevices) row (FreeCommandBuffers) row (FreeMemory) row (GetBufferDeviceAddress) \
  row (GetBufferMemoryRequirements) row (GetDeviceQueue) row (GetPhysicalDeviceFeatures2) \
  row (GetPhysicalDeviceMemoryProperties2) row (GetPhysicalDeviceProperties) row (GetPhysicalDeviceProperties2) \
  row (GetPhysicalDeviceQueueFamilyProperties) row (GetPipelineCacheData) row (GetQueryPoolResults) \
  row (GetSemaphoreCounterValue) row (MapMemory) row (QueueSubmit) row (ResetCommandPool) row (WaitSemaphores)

/* Of VK_EXT_debug_utils, which is asked for with the validation layer alone. */
#define GHLO_VULKAN_MESSAGE_FUNCTIONS(row) \
  row (CreateDebugUtilsMessengerEXT) row (DestroyDebugUtilsMessengerEXT)

/* Of VK_EXT_conditional_rendering and VK_EXT_external_memory_host, which devices may have. */
#define GHLO_VULKAN_EXTENSION_FUNCTIONS(row) \
  row (CmdBeginConditionalRenderingEXT) row (CmdEndConditionalRenderingEXT) row (GetMemoryHostPointerPropertiesEXT)

#define GHLO_VULKAN_MEMBER(name) PFN_vk##name name;

typedef struct
{
  GHLO_VULKAN_GLOBAL_FUNCTIONS (GHLO_VULKAN_MEMBER)
  GHLO_VULKAN_FUNCTIONS (GHLO_VULKAN_MEMBER)
  GHLO_VULKAN_MESSAGE_FUNCTIONS (GHLO_VULKAN_MEMBER)
  GHLO_VULKAN_EXTENSION_FUNCTIONS (GHLO_VULKAN_MEMBER)
  GhloVulkanCooperativeFunc GetPhysicalDeviceCooperativeMatrixPropertiesKHR;    /* NULL where the loader has none */
  /* For tests: what a call gives in place of being made, or VK_SUCCESS where it is made. NULL: all are made. */
  VkResult (*fault) (const char *name);
} GhloVulkanFunctions;

/* Opens libvulkan.so.1 and finds what there is before an instance. NULL where there is none, and why. The table stays
 * for good, as does the library: drivers start threads. */
GhloVulkanFunctions *ghlo_vulkan_functions_open (GError              **error);
/* The rest. */
gboolean             ghlo_vulkan_functions_load (GhloVulkanFunctions  *self,
                                                 VkInstance            instance,
                                                 GError              **error);

static inline VkResult
ghlo_vulkan_fault (const GhloVulkanFunctions *self,
                   const char                *name)
{
  return self->fault != NULL ? self->fault (name) : VK_SUCCESS;
}

/* A call that gives a VkResult, by its name without "vk". */
#define ghlo_vulkan_call(vk, name, ...) (ghlo_vulkan_fault ((vk), #name) ?: (vk)->name (__VA_ARGS__))

/* "VK_ERROR_DEVICE_LOST" */
const char          *ghlo_vulkan_result_name    (VkResult              result);
/* Sets @error unless @result is a success: OUT_OF_MEMORY, DEVICE_LOST, or DEVICE. @what was to be done is a verb and
 * what follows it, "make a pipeline". */
gboolean             ghlo_vulkan_check          (VkResult              result,
                                                 const char           *what,
                                                 GError              **error);

G_END_DECLS
