/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A batch is a command buffer with tables for its dispatches. One is open at a time; those that were submitted are used
 * again once the timeline is past them.
 */

#include "vulkan/queue.h"

#include <string.h>

#include "runtime/parallel.h"
#include "vulkan/memory.h"
#include "vulkan/spirv/spirv.h"

/* Bytes of a batch's tables, and commands after which it is submitted. */
enum { TABLE_SIZE = 1 << 16, MAX_COMMANDS = 128 };

/* Of a dispatch, in each dimension, on all devices (VkPhysicalDeviceLimits, required limits). */
enum { MAX_GROUPS = 65535 };

/* µs for which the end is polled, before the thread sleeps, and ns after which it looks whether it is to go on. */
#define POLL_TIME  50
#define SLEEP_TIME G_GUINT64_CONSTANT (20000000)

typedef struct
{
  VkCommandPool   pool;
  VkCommandBuffer commands;
  guint64         value;            /* once it is submitted */
  guint64         table;            /* address */
  guint8         *host;             /* the same */
  gsize           used;             /* bytes of it */
  guint           n_commands;
} Batch;

struct _GhloVulkanQueue
{
  GhloVulkanDevice *device;
  VkQueue           queue;
  VkSemaphore       timeline;
  VkPipelineLayout  layout;
  GMutex            lock;           /* guards what follows, and the queue */
  guint64           submitted;      /* the timeline's last value */
  Batch            *open;           /* nullable */
  GQueue            batches;        /* submitted, in order */
};

static gboolean
check (GhloVulkanQueue  *self,
       VkResult          result,
       const char       *what,
       GError          **error)
{
  return ghlo_vulkan_device_check (self->device, result, what, error);
}

GhloVulkanQueue *
ghlo_vulkan_queue_new (GhloVulkanDevice  *device,
                       GError           **error)
{
  static const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof (GhloSpirvPush) };
  static const VkPipelineLayoutCreateInfo layout = { VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                     .pushConstantRangeCount = 1, .pPushConstantRanges = &range };
  static const VkSemaphoreTypeCreateInfo type = { VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                                  .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE };
  static const VkSemaphoreCreateInfo timeline = { VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type };
  GhloVulkanQueue *self = g_new0 (GhloVulkanQueue, 1);

  self->device = device;
  g_mutex_init (&self->lock);
  device->vk->GetDeviceQueue (device->device, device->family, 0, &self->queue);
  if (check (self, ghlo_vulkan_call (device->vk, CreateSemaphore, device->device, &timeline, NULL, &self->timeline),
             "make a timeline", error)
      && check (self, ghlo_vulkan_call (device->vk, CreatePipelineLayout, device->device, &layout, NULL, &self->layout),
                "make a layout of pipelines", error))
    return self;
  ghlo_vulkan_queue_free (self);

  return NULL;
}

static void
batch_free (GhloVulkanQueue *self,
            Batch           *batch)
{
  self->device->vk->DestroyCommandPool (self->device->device, batch->pool, NULL);
  g_free (batch);
}

void
ghlo_vulkan_queue_free (GhloVulkanQueue *self)
{
  const GhloVulkanFunctions *vk = self->device->vk;

  vk->DeviceWaitIdle (self->device->device);
  if (self->open != NULL)
    batch_free (self, self->open);
  for (Batch *batch; (batch = g_queue_pop_head (&self->batches)) != NULL;)
    batch_free (self, batch);
  vk->DestroyPipelineLayout (self->device->device, self->layout, NULL);
  vk->DestroySemaphore (self->device->device, self->timeline, NULL);
  g_mutex_clear (&self->lock);
  g_free (self);
}

VkPipelineLayout
ghlo_vulkan_queue_get_layout (GhloVulkanQueue *self)
{
  return self->layout;
}

/* Of a device that is lost nothing is at work any more. */
guint64
ghlo_vulkan_queue_reached (GhloVulkanQueue *self)
{
  guint64 value;

  if (ghlo_device_core_is_lost (&self->device->core)
      || !check (self, ghlo_vulkan_call (self->device->vk, GetSemaphoreCounterValue, self->device->device,
                                         self->timeline, &value), "tell how far it is", NULL))
    return ghlo_device_core_is_lost (&self->device->core) ? G_MAXUINT64 : 0;

  return value;
}

guint64
ghlo_vulkan_queue_value (GhloVulkanQueue *self)
{
  guint64 value;

  g_mutex_lock (&self->lock);
  value = self->submitted + (self->open != NULL);
  g_mutex_unlock (&self->lock);

  return value;
}

static Batch *
batch_new (GhloVulkanQueue  *self,
           GError          **error)
{
  const GhloVulkanDevice *device = self->device;
  const VkCommandPoolCreateInfo pool = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                         .queueFamilyIndex = device->family };
  VkCommandBufferAllocateInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1 };
  Batch *batch = g_new0 (Batch, 1);

  if (check (self, ghlo_vulkan_call (device->vk, CreateCommandPool, device->device, &pool, NULL, &batch->pool),
             "make a pool of commands", error))
    {
      info.commandPool = batch->pool;
      if (check (self, ghlo_vulkan_call (device->vk, AllocateCommandBuffers, device->device, &info, &batch->commands),
                 "make commands", error))
        batch->table = ghlo_vulkan_memory_alloc (device->memory, GHLO_VULKAN_UPLOAD, TABLE_SIZE, error);
    }
  if (batch->table != 0)
    {
      batch->host = ghlo_vulkan_memory_find (device->memory, batch->table).host;
      return batch;
    }
  batch_free (self, batch);

  return NULL;
}

/* The lock is held, here as below. One that the device has ended with, or a new one. */
static gboolean
open_batch (GhloVulkanQueue  *self,
            GError          **error)
{
  static const VkCommandBufferBeginInfo begin = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                  .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };
  const GhloVulkanDevice *device = self->device;
  Batch *batch = g_queue_peek_head (&self->batches);

  if (self->open != NULL)
    return TRUE;
  if (batch != NULL && batch->value <= ghlo_vulkan_queue_reached (self))
    g_queue_pop_head (&self->batches);
  else
    batch = batch_new (self, error);
  if (batch == NULL)
    return FALSE;
  batch->used = batch->n_commands = 0;
  if (check (self, ghlo_vulkan_call (device->vk, ResetCommandPool, device->device, batch->pool, 0), "reset commands",
             error)
      && check (self, ghlo_vulkan_call (device->vk, BeginCommandBuffer, batch->commands, &begin), "begin commands",
                error))
    {
      self->open = batch;
      return TRUE;
    }
  g_queue_push_head (&self->batches, batch);

  return FALSE;
}

/* What comes next sees what was written before, and writes where all was read. */
static void
add_barrier (GhloVulkanQueue *self)
{
  static const VkMemoryBarrier barrier = {
    VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT
                     | VK_ACCESS_TRANSFER_WRITE_BIT,
  };
  const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;

  self->device->vk->CmdPipelineBarrier (self->open->commands, stages, stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* For the host, which reads once the timeline says so. */
static void
add_host_barrier (GhloVulkanQueue *self)
{
  static const VkMemoryBarrier barrier = {
    VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT,
  };

  self->device->vk->CmdPipelineBarrier (self->open->commands,
                                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                                        VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* Whose commands they are that could not be submitted nobody knows here: the device counts as lost then. */
static gboolean
submit (GhloVulkanQueue  *self,
        GError          **error)
{
  const GhloVulkanFunctions *vk = self->device->vk;
  Batch *batch = self->open;
  guint64 value = self->submitted + 1;
  const VkTimelineSemaphoreSubmitInfo values = { VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                 .signalSemaphoreValueCount = 1, .pSignalSemaphoreValues = &value };
  VkSubmitInfo info = { VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, .commandBufferCount = 1, .signalSemaphoreCount = 1,
                        .pSignalSemaphores = &self->timeline };
  gboolean ok;

  if (batch == NULL)
    return TRUE;
  add_host_barrier (self);
  info.pCommandBuffers = &batch->commands;
  self->open = NULL;
  ok = check (self, ghlo_vulkan_call (vk, EndCommandBuffer, batch->commands), "end commands", error)
       && check (self, ghlo_vulkan_call (vk, QueueSubmit, self->queue, 1, &info, VK_NULL_HANDLE), "take commands",
                 error);
  if (ok)
    self->submitted = batch->value = value;
  if (ok)
    g_queue_push_tail (&self->batches, batch);
  else
    {
      g_queue_push_head (&self->batches, batch);
      ghlo_device_core_lose (&self->device->core);
    }

  return ok;
}

/* Room for one more command, with a table of @size bytes. */
static gboolean
begin_command (GhloVulkanQueue  *self,
               gsize             size,
               GError          **error)
{
  if (self->open != NULL && (self->open->n_commands == MAX_COMMANDS || size > TABLE_SIZE - self->open->used)
      && !submit (self, error))
    return FALSE;
  if (!open_batch (self, error))
    return FALSE;
  add_barrier (self);
  self->open->n_commands++;

  return TRUE;
}

static void
record_dispatch (GhloVulkanQueue          *self,
                 const GhloVulkanDispatch *dispatch)
{
  const GhloVulkanFunctions *vk = self->device->vk;
  Batch *batch = self->open;
  guint64 *table = (guint64 *) (gpointer) (batch->host + batch->used);
  GhloSpirvPush push = { .table = batch->table + batch->used };
  guint most = MIN (dispatch->most_groups, MAX_GROUPS);

  memcpy (table, dispatch->words, dispatch->n_words * sizeof *table);
  table[GHLO_SPIRV_WORD_END] = dispatch->n_points;
  batch->used += dispatch->n_words * sizeof *table;
  vk->CmdBindPipeline (batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE, dispatch->pipeline);
  for (guint64 first = 0; first < dispatch->n_points; first += (guint64) most * dispatch->points_each)
    {
      guint64 n = (dispatch->n_points - first + dispatch->points_each - 1) / dispatch->points_each;

      if (first > 0 && dispatch->takes_turns)
        add_barrier (self);
      push.first = first;
      vk->CmdPushConstants (batch->commands, self->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
      vk->CmdDispatch (batch->commands, (guint32) MIN (n, most), 1, 1);
    }
}

gboolean
ghlo_vulkan_queue_dispatch (GhloVulkanQueue           *self,
                            const GhloVulkanDispatch  *dispatch,
                            GError                   **error)
{
  gboolean ok;

  g_mutex_lock (&self->lock);
  ok = begin_command (self, dispatch->n_words * sizeof (guint64), error);
  if (ok)
    record_dispatch (self, dispatch);
  g_mutex_unlock (&self->lock);

  return ok;
}

gboolean
ghlo_vulkan_queue_copy (GhloVulkanQueue  *self,
                        guint64           from,
                        guint64           to,
                        gsize             size,
                        GError          **error)
{
  GhloVulkanPlace source = ghlo_vulkan_memory_find (self->device->memory, from);
  GhloVulkanPlace target = ghlo_vulkan_memory_find (self->device->memory, to);
  const VkBufferCopy region = { source.offset, target.offset, size };
  gboolean ok;

  g_mutex_lock (&self->lock);
  ok = begin_command (self, 0, error);
  if (ok)
    self->device->vk->CmdCopyBuffer (self->open->commands, source.buffer, target.buffer, 1, &region);
  g_mutex_unlock (&self->lock);

  return ok;
}

/* A device that is a processor needs it for its work, and is not polled. */
static gboolean
poll_for (GhloVulkanQueue *self,
          guint64          value)
{
  gint64 end = g_get_monotonic_time () + POLL_TIME;

  if (ghlo_vulkan_device_is_cpu (self->device))
    return FALSE;
  do
    {
      if (ghlo_vulkan_queue_reached (self) >= value)
        return TRUE;
      ghlo_parallel_relax ();
    }
  while (g_get_monotonic_time () < end);

  return FALSE;
}

gboolean
ghlo_vulkan_queue_finish (GhloVulkanQueue    *self,
                          const GhloMonitor  *monitor,
                          GError            **error)
{
  const GhloVulkanDevice *device = self->device;
  guint64 value;
  const VkSemaphoreWaitInfo info = { VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1,
                                     .pSemaphores = &self->timeline, .pValues = &value };
  VkResult result = VK_TIMEOUT;
  gboolean ok;

  g_mutex_lock (&self->lock);
  ok = submit (self, error);
  value = self->submitted;
  g_mutex_unlock (&self->lock);
  if (!ok)
    return FALSE;
  if (poll_for (self, value))
    return ghlo_vulkan_device_check (self->device, ghlo_device_core_is_lost (&device->core) ? VK_ERROR_DEVICE_LOST
                                                                                            : VK_SUCCESS,
                                     "end its work", error);
  while (result == VK_TIMEOUT && !ghlo_monitor_cancelled (monitor, error))
    result = ghlo_vulkan_call (device->vk, WaitSemaphores, device->device, &info, SLEEP_TIME);
  if (result == VK_TIMEOUT)
    return FALSE;

  return check (self, result, "end its work", error);
}
