/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Drivers take tens of milliseconds for a pipeline, so that none is made under the lock.
 */

#include "vulkan/pipelines.h"

#include "base/hash.h"
#include "vulkan/queue.h"

struct _GhloVulkanPipelines
{
  GhloVulkanDevice *device;
  GMutex            lock;           /* guards the table */
  GHashTable       *table;          /* GBytes → Entry */
};

typedef struct
{
  VkPipeline pipeline;
} Entry;

static guint
hash_words (gconstpointer words)
{
  gsize size;
  gconstpointer data = g_bytes_get_data ((GBytes *) words, &size);

  return (guint) ghlo_hash_bytes (data, size);
}

GhloVulkanPipelines *
ghlo_vulkan_pipelines_new (GhloVulkanDevice *device)
{
  GhloVulkanPipelines *self = g_new0 (GhloVulkanPipelines, 1);

  self->device = device;
  self->table = g_hash_table_new_full (hash_words, g_bytes_equal, (GDestroyNotify) g_bytes_unref, g_free);
  g_mutex_init (&self->lock);

  return self;
}

void
ghlo_vulkan_pipelines_free (GhloVulkanPipelines *self)
{
  GHashTableIter iter;
  gpointer entry;

  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, NULL, &entry))
    self->device->vk->DestroyPipeline (self->device->device, ((Entry *) entry)->pipeline, NULL);
  g_hash_table_unref (self->table);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static VkPipeline
make (GhloVulkanDevice  *device,
      GBytes            *words,
      GError           **error)
{
  const GhloVulkanFunctions *vk = device->vk;
  const VkShaderModuleCreateInfo info = { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                          .codeSize = g_bytes_get_size (words),
                                          .pCode = g_bytes_get_data (words, NULL) };
  VkComputePipelineCreateInfo pipeline_info = { VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO };
  VkShaderModule module = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;

  if (!ghlo_vulkan_device_check (device, ghlo_vulkan_call (vk, CreateShaderModule, device->device, &info, NULL,
                                                           &module), "take a shader", error))
    return VK_NULL_HANDLE;
  pipeline_info.stage = (VkPipelineShaderStageCreateInfo) {
    VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module,
    .pName = "main",
  };
  pipeline_info.layout = ghlo_vulkan_queue_get_layout (device->queue);
  if (!ghlo_vulkan_device_check (device, ghlo_vulkan_call (vk, CreateComputePipelines, device->device, VK_NULL_HANDLE,
                                                           1, &pipeline_info, NULL, &pipeline), "make a pipeline",
                                 error))
    pipeline = VK_NULL_HANDLE;
  vk->DestroyShaderModule (device->device, module, NULL);

  return pipeline;
}

VkPipeline
ghlo_vulkan_pipelines_get (GhloVulkanPipelines  *self,
                           GBytes               *words,
                           GError              **error)
{
  VkPipeline pipeline;
  Entry *entry;

  g_mutex_lock (&self->lock);
  entry = g_hash_table_lookup (self->table, words);
  g_mutex_unlock (&self->lock);
  if (entry != NULL)
    return entry->pipeline;

  pipeline = make (self->device, words, error);
  if (pipeline == VK_NULL_HANDLE)
    return VK_NULL_HANDLE;
  g_mutex_lock (&self->lock);
  entry = g_hash_table_lookup (self->table, words);
  if (entry != NULL)
    self->device->vk->DestroyPipeline (self->device->device, pipeline, NULL);
  else
    {
      entry = g_new (Entry, 1);
      entry->pipeline = pipeline;
      g_hash_table_insert (self->table, g_bytes_ref (words), entry);
    }
  g_mutex_unlock (&self->lock);

  return entry->pipeline;
}
