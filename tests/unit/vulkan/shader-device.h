/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The device of a shader runner: one of the system's Vulkan devices with one queue, and its functions, all obtained
 * through the loader's vkGetInstanceProcAddr.
 */

#pragma once

#include "shader-runner.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

G_BEGIN_DECLS

/* Functions that are available without an instance. */
#define SHADER_DEVICE_GLOBAL_FUNCTIONS(row) \
  row (CreateInstance) row (EnumerateInstanceLayerProperties)

#define SHADER_DEVICE_FUNCTIONS(row) \
  row (AllocateCommandBuffers) row (AllocateMemory) row (BeginCommandBuffer) row (BindBufferMemory) \
  row (CmdBindPipeline) row (CmdDispatch) row (CmdPipelineBarrier) row (CmdPushConstants) row (CreateBuffer) \
  row (CreateCommandPool) row (CreateComputePipelines) row (CreateDevice) row (CreatePipelineLayout) \
  row (CreateSemaphore) row (CreateShaderModule) row (DestroyBuffer) row (DestroyCommandPool) row (DestroyDevice) \
  row (DestroyInstance) row (DestroyPipeline) row (DestroyPipelineLayout) row (DestroySemaphore) \
  row (DestroyShaderModule) row (EndCommandBuffer) row (EnumeratePhysicalDevices) row (FreeCommandBuffers) \
  row (FreeMemory) row (GetBufferDeviceAddress) row (GetBufferMemoryRequirements) row (GetDeviceQueue) \
  row (GetPhysicalDeviceFeatures2) row (GetPhysicalDeviceMemoryProperties) row (GetPhysicalDeviceProperties) \
  row (GetPhysicalDeviceProperties2) row (GetPhysicalDeviceQueueFamilyProperties) row (MapMemory) row (QueueSubmit) \
  row (WaitSemaphores)

/* Functions of VK_EXT_debug_utils, which is available only with the validation layer. */
#define SHADER_DEVICE_MESSAGE_FUNCTIONS(row) \
  row (CreateDebugUtilsMessengerEXT) row (DestroyDebugUtilsMessengerEXT)

#define SHADER_DEVICE_MEMBER(name) PFN_vk##name name;

typedef struct
{
  SHADER_DEVICE_GLOBAL_FUNCTIONS (SHADER_DEVICE_MEMBER)
  SHADER_DEVICE_FUNCTIONS (SHADER_DEVICE_MEMBER)
  SHADER_DEVICE_MESSAGE_FUNCTIONS (SHADER_DEVICE_MEMBER)
} ShaderDeviceFunctions;

typedef struct
{
  gpointer                  library;
  PFN_vkGetInstanceProcAddr get_function;
  ShaderDeviceFunctions     vk;
  VkInstance                instance;
  VkDebugUtilsMessengerEXT  messenger;      /* null where validation is off; holds this struct's address */
  VkPhysicalDevice          physical;
  VkDevice                  device;
  VkQueue                   queue;
  VkCommandPool             pool;
  VkSemaphore               timeline;
  ShaderFeatures            features;
  VkPhysicalDeviceLimits    limits;
  VkDeviceSize              max_allocation;
  char                      name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
  guint                     n_messages, n_errors;   /* messages include the errors */
} ShaderDevice;

/* Fills @self, which must be zeroed. Returns NULL, or what is missing; @self must be closed in either case. */
const char *shader_device_open  (ShaderDevice *self);
/* By then all objects made on the device must be destroyed, and its work must have ended. */
void        shader_device_close (ShaderDevice *self);

G_END_DECLS
