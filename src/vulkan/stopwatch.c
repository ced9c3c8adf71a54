/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two command buffers are recorded once; each writes a timestamp. The first one also resets both queries.
 */

#include "vulkan/stopwatch.h"

#include "vulkan/handles.h"
#include "vulkan/queue.h"

enum { MARKS = 2 };

struct _GhloVulkanStopwatch
{
  GhloVulkanDevice      *device;
  GMutex                 lock;                  /* guards the fields below */
  VkQueryPool            queries;               /* VK_NULL_HANDLE until the first measurement */
  GhloVulkanCommandPool *pool;
  GhloVulkanCommands    *commands[MARKS];
  guint                  n_started;             /* how often the first mark was set */
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

  g_clear_pointer (&self->pool, ghlo_vulkan_command_pool_free);
  if (self->queries != VK_NULL_HANDLE)
    device->handles->vk->DestroyQueryPool (device->handles->device, self->queries, NULL);
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
  const GhloVulkanFunctions *vk = self->device->handles->vk;
  VkCommandBuffer commands = self->commands[mark];

  if (!check (self, ghlo_vulkan_call (vk, BeginCommandBuffer, commands, &begin), error))
    return FALSE;
  ghlo_vulkan_commands_barrier (commands, self->device);
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
  const GhloVulkanHandles *handles = device->handles;
  const VkQueryPoolCreateInfo queries = { VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                          .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = MARKS };

  if (!check (self, ghlo_vulkan_create (handles->vk, CreateQueryPool, &self->queries, handles->device,
                                        &queries, NULL), error))
    return FALSE;
  self->pool = ghlo_vulkan_command_pool_new (self->device, FALSE, error);
  for (guint i = 0; i < MARKS; i++)
    {
      self->commands[i] = self->pool != NULL ? ghlo_vulkan_command_pool_allocate (self->pool, error) : NULL;
      if (self->commands[i] == NULL || !record_mark (self, i, error))
        return FALSE;
    }

  return TRUE;
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

  if (self->device->handles->timestamp_bits == 0)
    return TRUE;
  g_mutex_lock (&self->lock);
  if (self->pool == NULL)
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
  const GhloVulkanHandles *handles = device->handles;
  const guint64 mask = handles->timestamp_bits < 64 ? ((guint64) 1 << handles->timestamp_bits) - 1 : G_MAXUINT64;
  guint64 ticks[MARKS];
  VkResult result = ghlo_vulkan_call (handles->vk, GetQueryPoolResults, handles->device, self->queries, 0, MARKS,
                                      sizeof ticks, ticks, sizeof *ticks, VK_QUERY_RESULT_64_BIT);

  if (result == VK_SUCCESS)
    *nanoseconds = (gint64) ((double) ((ticks[1] - ticks[0]) & mask) * (double) handles->timestamp_period);

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
  if (self->device->handles->timestamp_bits == 0)
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
