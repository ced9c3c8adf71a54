/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vulkan's functions in one table, filled from the loader when devices are first looked for; the library is not linked
 * against the loader. Calls that may fail go through ghlo_vulkan_call (), so that tests can make each of them fail.
 */

#pragma once

#include <gio/gio.h>

#include "vulkan/cooperative.h"

G_BEGIN_DECLS

/* Bytes of memory that have to be free where drivers are loaded and shaders compiled, and where a device is opened, for
 * which drivers start threads: drivers, and LLVM in them, end the process when they get no memory. */
enum { GHLO_VULKAN_ROOM = 256 << 20, GHLO_VULKAN_DEVICE_ROOM = 1 << 30 };

/* Functions that are available without an instance. */
#define GHLO_VULKAN_GLOBAL_FUNCTIONS(row) \
  row (CreateInstance) row (EnumerateInstanceLayerProperties) row (EnumerateInstanceVersion)

/* Functions of Vulkan 1.2; all are required. */
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

/* Functions of VK_EXT_debug_utils, which is only enabled together with the validation layer. */
#define GHLO_VULKAN_MESSAGE_FUNCTIONS(row) \
  row (CreateDebugUtilsMessengerEXT) row (DestroyDebugUtilsMessengerEXT)

/* Functions of the optional extensions VK_EXT_conditional_rendering and VK_EXT_external_memory_host. */
#define GHLO_VULKAN_EXTENSION_FUNCTIONS(row) \
  row (CmdBeginConditionalRenderingEXT) row (CmdEndConditionalRenderingEXT) row (GetMemoryHostPointerPropertiesEXT)

#define GHLO_VULKAN_MEMBER(name) PFN_vk##name name;

typedef struct
{
  GHLO_VULKAN_GLOBAL_FUNCTIONS (GHLO_VULKAN_MEMBER)
  GHLO_VULKAN_FUNCTIONS (GHLO_VULKAN_MEMBER)
  GHLO_VULKAN_MESSAGE_FUNCTIONS (GHLO_VULKAN_MEMBER)
  GHLO_VULKAN_EXTENSION_FUNCTIONS (GHLO_VULKAN_MEMBER)
  GhloVulkanCooperativeFunc GetPhysicalDeviceCooperativeMatrixPropertiesKHR;    /* NULL if the loader lacks it */
  /* For tests: returns the result that replaces the call to @name, or VK_SUCCESS to make the call. NULL: make all
   * calls. */
  VkResult (*fault) (const char *name);
} GhloVulkanFunctions;

/* Opens libvulkan.so.1 and loads the functions that need no instance. Returns NULL with @error where there is no
 * loader. Neither the table nor the library is ever released, since drivers start threads. */
GhloVulkanFunctions *ghlo_vulkan_functions_open (GError              **error);
/* Loads all other functions. */
gboolean             ghlo_vulkan_functions_load (GhloVulkanFunctions  *self,
                                                 VkInstance            instance,
                                                 GError              **error);

static inline VkResult
ghlo_vulkan_fault (const GhloVulkanFunctions *self,
                   const char                *name)
{
  return self->fault != NULL ? self->fault (name) : VK_SUCCESS;
}

/* Calls a function that returns VkResult, by its name without "vk". */
#define ghlo_vulkan_call(vk, name, ...) (ghlo_vulkan_fault ((vk), #name) ?: (vk)->name (__VA_ARGS__))

/* Calls a function that creates an object, whose handle is its last argument. Drivers may leave anything in the handle
 * of a function that fails; here it is null then, so that the object's owner may destroy it in any case. */
#define ghlo_vulkan_create(vk, name, handle, ...) ({ \
  VkResult created_ = ghlo_vulkan_call (vk, name, __VA_ARGS__, (handle)); \
  if (created_ != VK_SUCCESS) \
    *(handle) = VK_NULL_HANDLE; \
  created_; \
})

/* "VK_ERROR_DEVICE_LOST", for example */
const char          *ghlo_vulkan_result_name    (VkResult              result);
/* Sets @error to OUT_OF_MEMORY, DEVICE_LOST or DEVICE unless @result is VK_SUCCESS. @what completes "could not …", as
 * in "create a pipeline". */
gboolean             ghlo_vulkan_check          (VkResult              result,
                                                 const char           *what,
                                                 GError              **error);

G_END_DECLS
