/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Command buffers and their pools.
 */

#include "vulkan/commands.h"

#include "vulkan/handles.h"
#include "vulkan/place.h"

/* Pipeline stages and accesses of all commands in the queue. */
#define STAGES (VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT)
#define READS  (VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT)
#define WRITES (VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT)

struct _GhloVulkanCommandPool
{
  GhloVulkanDevice *device;
  VkCommandPool     pool;
};

GhloVulkanCommandPool *
ghlo_vulkan_command_pool_new (GhloVulkanDevice  *device,
                              gboolean           is_transient,
                              GError           **error)
{
  const GhloVulkanHandles *handles = device->handles;
  const VkCommandPoolCreateInfo info = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .flags = is_transient ? VK_COMMAND_POOL_CREATE_TRANSIENT_BIT : 0,
                                         .queueFamilyIndex = handles->family };
  VkCommandPool pool;
  GhloVulkanCommandPool *self;

  if (!ghlo_vulkan_device_check (device, ghlo_vulkan_create (handles->vk, CreateCommandPool, &pool, handles->device,
                                                             &info, NULL), "create a command pool", error))
    return NULL;
  self = g_new (GhloVulkanCommandPool, 1);
  *self = (GhloVulkanCommandPool) { device, pool };

  return self;
}

void
ghlo_vulkan_command_pool_free (GhloVulkanCommandPool *self)
{
  self->device->handles->vk->DestroyCommandPool (self->device->handles->device, self->pool, NULL);
  g_free (self);
}

GhloVulkanCommands *
ghlo_vulkan_command_pool_allocate (GhloVulkanCommandPool  *self,
                                   GError                **error)
{
  const GhloVulkanHandles *handles = self->device->handles;
  const VkCommandBufferAllocateInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = self->pool,
                                             .commandBufferCount = 1 };
  VkCommandBuffer commands;

  return ghlo_vulkan_device_check (self->device, ghlo_vulkan_create (handles->vk, AllocateCommandBuffers, &commands,
                                                                     handles->device, &info),
                                   "allocate a command buffer", error) ? commands : NULL;
}

void
ghlo_vulkan_command_pool_release (GhloVulkanCommandPool *self,
                                  GhloVulkanCommands    *commands)
{
  self->device->handles->vk->FreeCommandBuffers (self->device->handles->device, self->pool, 1, &commands);
}

gboolean
ghlo_vulkan_command_pool_reset (GhloVulkanCommandPool  *self,
                                GError                **error)
{
  const GhloVulkanHandles *handles = self->device->handles;

  return ghlo_vulkan_device_check (self->device, ghlo_vulkan_call (handles->vk, ResetCommandPool, handles->device,
                                                                   self->pool, 0), "reset a command pool", error);
}

gboolean
ghlo_vulkan_commands_begin (GhloVulkanCommands  *self,
                            GhloVulkanDevice    *device,
                            GError             **error)
{
  const GhloVulkanHandles *handles = device->handles;
  static const VkCommandBufferBeginInfo begin = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };

  if (!ghlo_vulkan_device_check (device, ghlo_vulkan_call (handles->vk, BeginCommandBuffer, self, &begin),
                                 "begin a command buffer", error))
    return FALSE;
  ghlo_vulkan_commands_barrier (self, device);

  return TRUE;
}

gboolean
ghlo_vulkan_commands_end (GhloVulkanCommands  *self,
                          GhloVulkanDevice    *device,
                          GError             **error)
{
  static const VkMemoryBarrier barrier = {
    VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = WRITES,
    .dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT,
  };
  const GhloVulkanFunctions *vk = device->handles->vk;

  vk->CmdPipelineBarrier (self, STAGES, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);

  return ghlo_vulkan_device_check (device, ghlo_vulkan_call (vk, EndCommandBuffer, self), "end a command buffer",
                                   error);
}

void
ghlo_vulkan_commands_bind (GhloVulkanCommands     *self,
                           const GhloVulkanDevice *device,
                           GhloVulkanPipeline     *pipeline)
{
  device->handles->vk->CmdBindPipeline (self, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->handle);
}

void
ghlo_vulkan_commands_dispatch (GhloVulkanCommands     *self,
                               const GhloVulkanDevice *device,
                               gconstpointer           push,
                               guint32                 n_groups)
{
  const GhloVulkanHandles *handles = device->handles;

  handles->vk->CmdPushConstants (self, handles->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, GHLO_VULKAN_PUSH_SIZE, push);
  handles->vk->CmdDispatch (self, n_groups, 1, 1);
}

void
ghlo_vulkan_commands_barrier (GhloVulkanCommands     *self,
                              const GhloVulkanDevice *device)
{
  static const VkMemoryBarrier barrier = {
    VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = WRITES, .dstAccessMask = READS | WRITES,
  };

  device->handles->vk->CmdPipelineBarrier (self, STAGES, STAGES, 0, 1, &barrier, 0, NULL, 0, NULL);
}

void
ghlo_vulkan_commands_predicate_barrier (GhloVulkanCommands     *self,
                                        const GhloVulkanDevice *device)
{
  static const VkMemoryBarrier barrier = {
    VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = WRITES,
    .dstAccessMask = READS | WRITES | VK_ACCESS_CONDITIONAL_RENDERING_READ_BIT_EXT,
  };
  const VkPipelineStageFlags stages = STAGES | VK_PIPELINE_STAGE_CONDITIONAL_RENDERING_BIT_EXT;

  device->handles->vk->CmdPipelineBarrier (self, stages, stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}

void
ghlo_vulkan_commands_begin_predicate (GhloVulkanCommands     *self,
                                      const GhloVulkanDevice *device,
                                      guint64                 address)
{
  const GhloVulkanPlace place = ghlo_vulkan_memory_find (device->memory, address);
  const VkConditionalRenderingBeginInfoEXT info = {
    VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, .buffer = place.buffer, .offset = place.offset,
  };

  device->handles->vk->CmdBeginConditionalRenderingEXT (self, &info);
}

void
ghlo_vulkan_commands_end_predicate (GhloVulkanCommands     *self,
                                    const GhloVulkanDevice *device)
{
  device->handles->vk->CmdEndConditionalRenderingEXT (self);
}
