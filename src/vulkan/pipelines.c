/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Drivers take milliseconds to make a pipeline, some of them seconds, so pipelines are made without holding the lock.
 * What a driver keeps of each pipeline, a VkPipelineCache, is a file of its own (runtime/cache-item.h). A single cache
 * for all pipelines would grow with every program, would be rewritten for each change and merged with what other
 * processes wrote meanwhile, and the driver would lock it for each thread that makes pipelines (vkCreatePipelineCache:
 * "internally synchronized"). With separate files a process reads only what it needs, and the least recently used files
 * are evicted first.
 *
 * The cache is optional: where a cache object or a file fails, the pipeline is made without it.
 */

#include "vulkan/pipelines.h"

#include "base/hash.h"
#include "runtime/cache-item.h"
#include "runtime/memory.h"
#include "vulkan/handles.h"

struct _GhloVulkanPipelines
{
  GhloVulkanDevice        *device;
  gint                     on_disk;     /* atomic; reset to FALSE where the driver keeps nothing */
  GMutex                   lock;        /* guards the fields below */
  GCond                    settled;     /* signalled when an entry got its pipeline or was removed */
  GHashTable              *table;       /* GBytes → GhloVulkanPipeline */
  GhloVulkanPipelineCounts counts;
};

/* The on-disk state of a pipeline that is being made. */
typedef struct
{
  GBytes          *key;         /* NULL: not kept on disk */
  VkPipelineCache  cache;       /* VK_NULL_HANDLE: none */
  gboolean         is_filled;   /* from disk */
} Stored;

static guint
hash_words (gconstpointer words)
{
  gsize size;
  gconstpointer data = g_bytes_get_data ((GBytes *) words, &size);

  return (guint) ghlo_hash_bytes (data, size);
}

GhloVulkanPipelines *
ghlo_vulkan_pipelines_new (GhloVulkanDevice *device,
                           gboolean          on_disk)
{
  GhloVulkanPipelines *self = g_new0 (GhloVulkanPipelines, 1);

  self->device = device;
  self->on_disk = on_disk;
  self->table = g_hash_table_new_full (hash_words, g_bytes_equal, (GDestroyNotify) g_bytes_unref, g_free);
  g_mutex_init (&self->lock);
  g_cond_init (&self->settled);

  return self;
}

void
ghlo_vulkan_pipelines_free (GhloVulkanPipelines *self)
{
  const GhloVulkanHandles *handles = self->device->handles;
  const GhloVulkanFunctions *vk = handles->vk;
  GHashTableIter iter;
  gpointer entry;

  vk->DeviceWaitIdle (handles->device);
  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, NULL, &entry))
    vk->DestroyPipeline (handles->device, ((GhloVulkanPipeline *) entry)->handle, NULL);
  g_hash_table_unref (self->table);
  g_cond_clear (&self->settled);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Drivers compare the shader with the one they cached, so a collision of hashes only means that the pipeline is
 * compiled again. */
static GBytes *
make_key (const GhloVulkanDevice *device,
          GBytes                 *words)
{
  static const guint64 keys[2][2] = { { 0x676c686f2d766b70, 0x6970656c696e6531 },
                                      { 0x676c686f2d766b70, 0x6970656c696e6532 } };
  GByteArray *bytes = g_byte_array_new ();
  gsize size;
  gconstpointer data = g_bytes_get_data (words, &size);

  g_byte_array_append (bytes, g_bytes_get_data (device->identity, NULL), (guint) g_bytes_get_size (device->identity));
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const guint64 hash = ghlo_hash_keyed (keys[i], 1, 3, data, size);

      g_byte_array_append (bytes, (const guint8 *) &hash, sizeof hash);
    }

  return g_byte_array_free_to_bytes (bytes);
}

static gboolean
check_quietly (VkResult    result,
               const char *what)
{
  if (result == VK_SUCCESS)
    return TRUE;
  g_debug ("the Vulkan driver could not %s: %s", what, ghlo_vulkan_result_name (result));

  return FALSE;
}

/* The cache layer does not return damaged files or those of other devices, and drivers check the data as well. */
static Stored
open_stored (GhloVulkanPipelines *self,
             GBytes              *words)
{
  const GhloVulkanDevice *device = self->device;
  const GhloVulkanHandles *handles = device->handles;
  VkPipelineCacheCreateInfo info = { VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO };
  g_autoptr (GBytes) data = NULL;
  Stored stored = { 0 };

  if (!g_atomic_int_get (&self->on_disk) || !ghlo_cache_keeps_items ())
    return stored;
  stored.key = make_key (device, words);
  data = ghlo_cache_item_read (GHLO_CACHE_PIPELINE, stored.key);
  if (data != NULL)
    info.pInitialData = g_bytes_get_data (data, &info.initialDataSize);
  stored.is_filled = check_quietly (ghlo_vulkan_create (handles->vk, CreatePipelineCache, &stored.cache,
                                                        handles->device, &info, NULL), "create a pipeline cache")
                     && data != NULL;

  return stored;
}

static GBytes *
read_cache (const GhloVulkanDevice *device,
            VkPipelineCache         cache)
{
  const GhloVulkanHandles *handles = device->handles;
  g_autofree guint8 *data = NULL;
  gsize size = 0;

  if (!check_quietly (ghlo_vulkan_call (handles->vk, GetPipelineCacheData, handles->device, cache, &size, NULL),
                      "query the size of a pipeline cache"))
    return NULL;
  data = g_try_malloc0 (size);
  if (data == NULL || !check_quietly (ghlo_vulkan_call (handles->vk, GetPipelineCacheData, handles->device, cache,
                                                        &size, data), "read a pipeline cache"))
    return NULL;

  return g_bytes_new_take (g_steal_pointer (&data), size);
}

/* Takes about 0.3 ms, where making the pipeline took milliseconds. Mesa's lavapipe (22.3) stores nothing but the
 * header. */
static void
store (GhloVulkanPipelines *self,
       const Stored        *stored)
{
  g_autoptr (GBytes) data = read_cache (self->device, stored->cache);

  if (data == NULL)
    return;
  if (g_bytes_get_size (data) > sizeof (VkPipelineCacheHeaderVersionOne))
    ghlo_cache_item_write (GHLO_CACHE_PIPELINE, stored->key, self->device->core.title, data);
  else if (g_atomic_int_compare_and_exchange (&self->on_disk, TRUE, FALSE))
    g_debug ("the driver of %s does not store pipelines in its cache", self->device->core.title);
}

/* @is_found: if the driver gives no feedback, data from disk is assumed to have been used. */
static VkPipeline
create (GhloVulkanPipelines  *self,
        VkShaderModule        module,
        const Stored         *stored,
        gboolean             *is_found,
        GError              **error)
{
  GhloVulkanDevice *device = self->device;
  const GhloVulkanHandles *handles = device->handles;
  const VkPipelineCreationFeedbackFlags hit = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT
                                              | VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
  VkPipelineCreationFeedback of_pipeline = { 0 }, of_stage = { 0 };
  const VkPipelineCreationFeedbackCreateInfo feedback = { VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                                          NULL, &of_pipeline, 1, &of_stage };
  const VkComputePipelineCreateInfo info = {
    VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, handles->has_feedback ? &feedback : NULL,
    .stage = { VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
               .module = module, .pName = "main" },
    .layout = handles->layout,
  };
  VkPipeline pipeline = VK_NULL_HANDLE;

  if (!ghlo_vulkan_device_check (device, ghlo_vulkan_call (handles->vk, CreateComputePipelines, handles->device,
                                                           stored->cache, 1, &info, NULL, &pipeline),
                                 "create a pipeline", error))
    return VK_NULL_HANDLE;
  *is_found = stored->is_filled
              && (!(of_pipeline.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT) || (of_pipeline.flags & hit) == hit);

  return pipeline;
}

static VkPipeline
make (GhloVulkanPipelines  *self,
      GBytes               *words,
      gboolean             *is_found,
      GError              **error)
{
  GhloVulkanDevice *device = self->device;
  const GhloVulkanHandles *handles = device->handles;
  const VkShaderModuleCreateInfo info = { VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                          .codeSize = g_bytes_get_size (words),
                                          .pCode = g_bytes_get_data (words, NULL) };
  VkShaderModule module = VK_NULL_HANDLE;
  VkPipeline pipeline;
  Stored stored;

  if (!ghlo_memory_check_room (GHLO_VULKAN_ROOM, "the Vulkan driver", error)
      || !ghlo_vulkan_device_check (device, ghlo_vulkan_call (handles->vk, CreateShaderModule, handles->device, &info,
                                                              NULL, &module), "create a shader module", error))
    return VK_NULL_HANDLE;
  stored = open_stored (self, words);
  pipeline = create (self, module, &stored, is_found, error);
  if (pipeline != VK_NULL_HANDLE && stored.cache != VK_NULL_HANDLE && !*is_found)
    store (self, &stored);
  if (stored.cache != VK_NULL_HANDLE)
    handles->vk->DestroyPipelineCache (handles->device, stored.cache, NULL);
  g_clear_pointer (&stored.key, g_bytes_unref);
  handles->vk->DestroyShaderModule (handles->device, module, NULL);

  return pipeline;
}

/* Called with the lock held, like all functions below. Waits while another thread makes the pipeline. Returns NULL if
 * there is none. */
static GhloVulkanPipeline *
wait_for (GhloVulkanPipelines *self,
          GBytes              *words)
{
  GhloVulkanPipeline *pipeline;

  while ((pipeline = g_hash_table_lookup (self->table, words)) != NULL && pipeline->handle == VK_NULL_HANDLE)
    g_cond_wait (&self->settled, &self->lock);

  return pipeline;
}

/* If the pipeline cannot be made, each thread that waits for it tries again, and gets an error of its own. */
static GhloVulkanPipeline *
add (GhloVulkanPipelines  *self,
     GBytes               *words,
     GError              **error)
{
  GhloVulkanPipeline *pipeline = g_new0 (GhloVulkanPipeline, 1);
  gboolean is_found = FALSE;
  VkPipeline handle;

  g_hash_table_insert (self->table, g_bytes_ref (words), pipeline);
  g_mutex_unlock (&self->lock);
  handle = make (self, words, &is_found, error);
  g_mutex_lock (&self->lock);
  if (handle != VK_NULL_HANDLE)
    {
      pipeline->handle = handle;
      self->counts.n_found += is_found;
      self->counts.n_made += !is_found;
    }
  else
    {
      g_hash_table_remove (self->table, words);
      pipeline = NULL;
    }
  g_cond_broadcast (&self->settled);

  return pipeline;
}

GhloVulkanPipeline *
ghlo_vulkan_pipelines_get (GhloVulkanPipelines  *self,
                           GBytes               *words,
                           GError              **error)
{
  GhloVulkanPipeline *pipeline;

  g_mutex_lock (&self->lock);
  pipeline = wait_for (self, words);
  if (pipeline == NULL)
    pipeline = add (self, words, error);
  g_mutex_unlock (&self->lock);

  return pipeline;
}

void
ghlo_vulkan_pipelines_count (GhloVulkanPipelines      *self,
                             GhloVulkanPipelineCounts *counts)
{
  g_mutex_lock (&self->lock);
  *counts = self->counts;
  g_mutex_unlock (&self->lock);
}
