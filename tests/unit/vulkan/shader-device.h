/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a shader runner works on: one Vulkan device of the system with one queue, and the functions it is called by,
 * all through the loader's vkGetInstanceProcAddr.
 */

#pragma once

#include "shader-runner.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

G_BEGIN_DECLS

/* Those that there are before any instance. */
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

/* Of VK_EXT_debug_utils, which is there with the validation layer alone. */
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
  VkDebugUtilsMessengerEXT  messenger;      /* none where validation is off; has this struct's address */
  VkPhysicalDevice          physical;
  VkDevice                  device;
  VkQueue                   queue;
  VkCommandPool             pool;
  VkSemaphore               timeline;
  ShaderFeatures            features;
  VkPhysicalDeviceLimits    limits;
  VkDeviceSize              max_allocation;
  char                      name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
  guint                     n_messages, n_errors;   /* the errors are messages too */
} ShaderDevice;

/* Fills @self, which is zeros. NULL, or what is missing; it is to be closed then too. */
const char *shader_device_open  (ShaderDevice *self);
/* Nothing may be left that was made on it, nor at work. */
void        shader_device_close (ShaderDevice *self);

G_END_DECLS
