/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two command buffers are recorded once; each writes a timestamp. The first one also resets both queries.
 */

#include "vulkan/stopwatch.h"

#include "vulkan/queue.h"

enum { MARKS = 2 };

struct _GhloVulkanStopwatch
{
  GhloVulkanDevice *device;
  GMutex            lock;               /* guards the fields below */
  VkQueryPool       queries;            /* VK_NULL_HANDLE until the first measurement */
  VkCommandPool     pool;
  VkCommandBuffer   commands[MARKS];
  guint             n_started;          /* how often the first mark was set */
};

GhloVulkanStopwatch *
ghlo_vulkan_stopwatch_new (GhloVulkanDevice *device)
{
  GhloVulkanStopwatch *self = g_new0 (GhloVulkanStopwatch, 1);

  self->device = device;
  g_mutex_init (&self->lock);

  return self;
}

static void
clear (GhloVulkanStopwatch *self)
{
  const GhloVulkanDevice *device = self->device;

  if (self->pool != VK_NULL_HANDLE)
    device->vk->DestroyCommandPool (device->device, self->pool, NULL);
  if (self->queries != VK_NULL_HANDLE)
    device->vk->DestroyQueryPool (device->device, self->queries, NULL);
  self->pool = VK_NULL_HANDLE;
  self->queries = VK_NULL_HANDLE;
}

void
ghlo_vulkan_stopwatch_free (GhloVulkanStopwatch *self)
{
  clear (self);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static gboolean
check (GhloVulkanStopwatch  *self,
       VkResult              result,
       GError              **error)
{
  return ghlo_vulkan_device_check (self->device, result, "measure the time of a step", error);
}

/* A mark is written when everything before it has ended. */
static gboolean
record_mark (GhloVulkanStopwatch  *self,
             guint                 mark,
             GError              **error)
{
  static const VkCommandBufferBeginInfo begin = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                  .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT };
  const GhloVulkanFunctions *vk = self->device->vk;
  VkCommandBuffer commands = self->commands[mark];

  if (!check (self, ghlo_vulkan_call (vk, BeginCommandBuffer, commands, &begin), error))
    return FALSE;
  ghlo_vulkan_add_barrier (vk, commands);
  if (mark == 0)
    vk->CmdResetQueryPool (commands, self->queries, 0, MARKS);
  vk->CmdWriteTimestamp (commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, self->queries, mark);

  return check (self, ghlo_vulkan_call (vk, EndCommandBuffer, commands), error);
}

static gboolean
make_marks (GhloVulkanStopwatch  *self,
            GError              **error)
{
  const GhloVulkanDevice *device = self->device;
  const VkQueryPoolCreateInfo queries = { VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                          .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = MARKS };
  const VkCommandPoolCreateInfo pool = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = device->family };
  VkCommandBufferAllocateInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = MARKS };

  if (!check (self, ghlo_vulkan_create (device->vk, CreateQueryPool, &self->queries, device->device, &queries, NULL),
              error)
      || !check (self, ghlo_vulkan_create (device->vk, CreateCommandPool, &self->pool, device->device, &pool, NULL),
                 error))
    return FALSE;
  info.commandPool = self->pool;

  return check (self, ghlo_vulkan_call (device->vk, AllocateCommandBuffers, device->device, &info, self->commands),
                error)
         && record_mark (self, 0, error) && record_mark (self, 1, error);
}

static gboolean
set_mark (GhloVulkanStopwatch  *self,
          guint                 mark,
          GError              **error)
{
  guint64 value;

  return ghlo_vulkan_queue_put (self->device->queue, self->commands[mark], 0, &value, error);
}

gboolean
ghlo_vulkan_stopwatch_start (GhloVulkanStopwatch  *self,
                             GError              **error)
{
  gboolean ok = TRUE;

  if (self->device->timestamp_bits == 0)
    return TRUE;
  g_mutex_lock (&self->lock);
  if (self->pool == VK_NULL_HANDLE)
    ok = make_marks (self, error);
  if (!ok)
    clear (self);
  self->n_started++;
  ok = ok && set_mark (self, 0, error);
  g_mutex_unlock (&self->lock);

  return ok;
}

/* Leaves *nanoseconds unchanged if another thread has reset the marks. */
static gboolean
read_time (GhloVulkanStopwatch  *self,
           gint64               *nanoseconds,
           GError              **error)
{
  const GhloVulkanDevice *device = self->device;
  const guint64 mask = device->timestamp_bits < 64 ? ((guint64) 1 << device->timestamp_bits) - 1 : G_MAXUINT64;
  guint64 ticks[MARKS];
  VkResult result = ghlo_vulkan_call (device->vk, GetQueryPoolResults, device->device, self->queries, 0, MARKS,
                                      sizeof ticks, ticks, sizeof *ticks, VK_QUERY_RESULT_64_BIT);

  if (result == VK_SUCCESS)
    *nanoseconds = (gint64) ((double) ((ticks[1] - ticks[0]) & mask) * (double) device->limits.timestampPeriod);

  return result == VK_NOT_READY || check (self, result, error);
}

gboolean
ghlo_vulkan_stopwatch_stop (GhloVulkanStopwatch  *self,
                            gint64               *nanoseconds,
                            const GhloMonitor    *monitor,
                            GError              **error)
{
  guint n_started;
  gboolean ok;

  *nanoseconds = -1;
  if (self->device->timestamp_bits == 0)
    return ghlo_vulkan_queue_finish (self->device->queue, monitor, error);
  g_mutex_lock (&self->lock);
  n_started = self->n_started;
  ok = set_mark (self, 1, error);
  g_mutex_unlock (&self->lock);
  if (!ok || !ghlo_vulkan_queue_finish (self->device->queue, monitor, error))
    return FALSE;
  g_mutex_lock (&self->lock);
  if (self->n_started == n_started)
    ok = read_time (self, nanoseconds, error);
  g_mutex_unlock (&self->lock);

  return ok;
}
