/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Gathered commands are a list of command buffers: those of recordings, and batches of copies, of which one at a time
 * is open. Batches are reused once the timeline has passed them.
 */

#include "vulkan/queue.h"

#include "base/relax.h"
#include "runtime/parallel.h"
#include "vulkan/handles.h"
#include "vulkan/place.h"

/* The maximum number of copies in a batch, and of gathered command buffers before they are submitted. */
enum { MAX_COPIES = 128, MAX_GATHERED = 32 };

/* ns after which a sleeping thread checks whether it should continue to wait. */
#define SLEEP_TIME G_GUINT64_CONSTANT (20000000)

typedef struct
{
  GhloVulkanCommandPool *pool;
  GhloVulkanCommands    *commands;
  guint64                value;     /* of the timeline at which the commands are done */
  guint                  n_copies;
} Batch;

/* A pool to destroy once the timeline has reached @value. */
typedef struct
{
  GhloVulkanCommandPool *pool;
  guint64                value;
} Retired;

struct _GhloVulkanQueue
{
  GhloVulkanDevice *device;
  VkQueue           queue;
  VkSemaphore       timeline;
  GMutex            lock;           /* guards the fields below, and the VkQueue */
  guint64           seen;           /* value of the timeline when last queried; atomic */
  guint64           submitted;      /* last submitted value of the timeline; atomic where read without the lock */
  GArray           *gathered;       /* GhloVulkanCommands *, in order of execution */
  double            seconds;        /* estimated duration of @gathered */
  Batch            *open;           /* follows @gathered; nullable */
  GQueue            batches;        /* submitted or closed batches, in order */
  GArray           *retired;        /* Retired */
};

static gboolean
check (GhloVulkanQueue  *self,
       VkResult          result,
       const char       *what,
       GError          **error)
{
  return ghlo_vulkan_device_check (self->device, result, what, error);
}

static void
batch_free (Batch *batch)
{
  g_clear_pointer (&batch->pool, ghlo_vulkan_command_pool_free);
  g_free (batch);
}

static Batch *
batch_new (GhloVulkanQueue  *self,
           GError          **error)
{
  Batch *batch = g_new0 (Batch, 1);

  batch->pool = ghlo_vulkan_command_pool_new (self->device, TRUE, error);
  if (batch->pool != NULL)
    batch->commands = ghlo_vulkan_command_pool_allocate (batch->pool, error);
  if (batch->commands != NULL)
    return batch;
  batch_free (batch);

  return NULL;
}

GhloVulkanQueue *
ghlo_vulkan_queue_new (GhloVulkanDevice  *device,
                       GError           **error)
{
  GhloVulkanHandles *handles = device->handles;
  static const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, GHLO_VULKAN_PUSH_SIZE };
  static const VkPipelineLayoutCreateInfo layout = { VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                     .pushConstantRangeCount = 1, .pPushConstantRanges = &range };
  static const VkSemaphoreTypeCreateInfo type = { VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                                  .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE };
  static const VkSemaphoreCreateInfo timeline = { VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type };
  GhloVulkanQueue *self = g_new0 (GhloVulkanQueue, 1);

  self->device = device;
  self->gathered = g_array_new (FALSE, FALSE, sizeof (GhloVulkanCommands *));
  self->retired = g_array_new (FALSE, FALSE, sizeof (Retired));
  g_mutex_init (&self->lock);
  handles->vk->GetDeviceQueue (handles->device, handles->family, 0, &self->queue);
  if (check (self, ghlo_vulkan_create (handles->vk, CreateSemaphore, &self->timeline, handles->device, &timeline, NULL),
             "create a timeline semaphore", error)
      && check (self, ghlo_vulkan_create (handles->vk, CreatePipelineLayout, &handles->layout,
                                          handles->device, &layout, NULL),
                "create a pipeline layout", error))
    return self;
  ghlo_vulkan_queue_free (self);

  return NULL;
}

void
ghlo_vulkan_queue_free (GhloVulkanQueue *self)
{
  const GhloVulkanHandles *handles = self->device->handles;
  const GhloVulkanFunctions *vk = handles->vk;

  if (self->open != NULL)
    batch_free (self->open);
  for (Batch *batch; (batch = g_queue_pop_head (&self->batches)) != NULL;)
    batch_free (batch);
  for (guint i = 0; i < self->retired->len; i++)
    ghlo_vulkan_command_pool_free (g_array_index (self->retired, Retired, i).pool);
  g_array_unref (self->retired);
  g_array_unref (self->gathered);
  vk->DestroyPipelineLayout (handles->device, handles->layout, NULL);
  vk->DestroySemaphore (handles->device, self->timeline, NULL);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* A device that the driver lost has finished with everything. A device that was only marked as lost by this library
 * continues with the work it was given. */
static guint64
reached_when_lost (GhloVulkanQueue *self)
{
  const GhloVulkanHandles *handles = self->device->handles;
  guint64 value;

  if (handles->vk->GetSemaphoreCounterValue (handles->device, self->timeline, &value) != VK_SUCCESS
      || value >= __atomic_load_n (&self->submitted, __ATOMIC_ACQUIRE))
    return G_MAXUINT64;

  return value;
}

guint64
ghlo_vulkan_queue_reached (GhloVulkanQueue *self,
                           guint64          wanted)
{
  const GhloVulkanHandles *handles = self->device->handles;
  guint64 value = __atomic_load_n (&self->seen, __ATOMIC_ACQUIRE);

  if (value >= wanted)
    return value;
  if (!ghlo_device_core_is_lost (&self->device->core)
      && !check (self, ghlo_vulkan_call (handles->vk, GetSemaphoreCounterValue, handles->device,
                                         self->timeline, &value), "query the timeline", NULL))
    value = 0;

  if (ghlo_device_core_is_lost (&self->device->core))
    return reached_when_lost (self);
  /* Another thread may overwrite this with an older value; then the driver is queried once more. */
  __atomic_store_n (&self->seen, value, __ATOMIC_RELEASE);

  return value;
}

guint64
ghlo_vulkan_queue_value (GhloVulkanQueue *self)
{
  guint64 value;

  g_mutex_lock (&self->lock);
  value = self->submitted + (self->open != NULL || self->gathered->len > 0);
  g_mutex_unlock (&self->lock);

  return value;
}

/* Called with the lock held, like all functions below. Opens a batch that the device is done with, or a new one. */
static gboolean
open_batch (GhloVulkanQueue  *self,
            GError          **error)
{
  static const VkCommandBufferBeginInfo begin = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                  .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };
  const GhloVulkanDevice *device = self->device;
  Batch *batch = g_queue_peek_head (&self->batches);

  if (batch != NULL && batch->value <= ghlo_vulkan_queue_reached (self, batch->value))
    g_queue_pop_head (&self->batches);
  else
    batch = batch_new (self, error);
  if (batch == NULL)
    return FALSE;
  batch->n_copies = 0;
  if (ghlo_vulkan_command_pool_reset (batch->pool, error)
      && check (self, ghlo_vulkan_call (device->handles->vk, BeginCommandBuffer, batch->commands, &begin),
                "begin a command buffer", error))
    {
      self->open = batch;
      return TRUE;
    }
  batch->value = 0;
  g_queue_push_head (&self->batches, batch);

  return FALSE;
}

/* If the commands cannot be ended, it is unknown here whose copies are affected, so the device counts as lost. */
static gboolean
close_batch (GhloVulkanQueue  *self,
             GError          **error)
{
  Batch *batch = g_steal_pointer (&self->open);
  gboolean ok;

  if (batch == NULL)
    return TRUE;
  ok = ghlo_vulkan_commands_end (batch->commands, self->device, error);
  batch->value = self->submitted + 1;
  g_queue_push_tail (&self->batches, batch);
  if (ok)
    g_array_append_val (self->gathered, batch->commands);
  else
    ghlo_device_core_lose (&self->device->core);

  return ok;
}

static void
destroy_retired (GhloVulkanQueue *self)
{
  guint64 reached = self->retired->len > 0 ? ghlo_vulkan_queue_reached (self, G_MAXUINT64) : 0;

  for (guint i = self->retired->len; i-- > 0;)
    {
      const Retired *retired = &g_array_index (self->retired, Retired, i);

      if (retired->value > reached)
        continue;
      ghlo_vulkan_command_pool_free (retired->pool);
      g_array_remove_index_fast (self->retired, i);
    }
}

/* The commands may be those of several programs, so the device counts as lost if they cannot be submitted. */
static gboolean
submit (GhloVulkanQueue  *self,
        GError          **error)
{
  const GhloVulkanHandles *handles = self->device->handles;
  guint64 value = self->submitted + 1;
  const VkTimelineSemaphoreSubmitInfo values = { VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                 .signalSemaphoreValueCount = 1, .pSignalSemaphoreValues = &value };
  VkSubmitInfo info = { VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, .signalSemaphoreCount = 1,
                        .pSignalSemaphores = &self->timeline };
  gboolean ok;

  if (!close_batch (self, error))
    return FALSE;
  if (self->gathered->len == 0)
    return TRUE;
  info.commandBufferCount = self->gathered->len;
  info.pCommandBuffers = (const VkCommandBuffer *) (gconstpointer) self->gathered->data;
  ok = check (self, ghlo_vulkan_call (handles->vk, QueueSubmit, self->queue, 1, &info, VK_NULL_HANDLE),
              "submit commands", error);
  if (ok)
    __atomic_store_n (&self->submitted, value, __ATOMIC_RELEASE);
  else
    ghlo_device_core_lose (&self->device->core);
  g_array_set_size (self->gathered, 0);
  self->seconds = 0;
  destroy_retired (self);

  return ok;
}

gboolean
ghlo_vulkan_queue_submit (GhloVulkanQueue  *self,
                          guint64          *value,
                          GError          **error)
{
  gboolean ok;

  g_mutex_lock (&self->lock);
  ok = submit (self, error);
  if (value != NULL)
    *value = self->submitted;
  g_mutex_unlock (&self->lock);

  return ok;
}

gboolean
ghlo_vulkan_queue_put (GhloVulkanQueue     *self,
                       GhloVulkanCommands  *commands,
                       double               seconds,
                       guint64             *value,
                       GError             **error)
{
  gboolean ok;

  g_mutex_lock (&self->lock);
  ok = close_batch (self, error)
       && ((self->gathered->len < MAX_GATHERED && self->seconds + seconds <= GHLO_STEP_MAX_SECONDS)
           || submit (self, error));
  *value = self->submitted + ok;
  if (ok)
    {
      g_array_append_val (self->gathered, commands);
      self->seconds += seconds;
    }
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
  ok = self->open == NULL || self->open->n_copies < MAX_COPIES || submit (self, error);
  ok = ok && (self->open != NULL || open_batch (self, error));
  if (ok)
    {
      self->open->n_copies++;
      ghlo_vulkan_commands_barrier (self->open->commands, self->device);
      self->device->handles->vk->CmdCopyBuffer (self->open->commands, source.buffer, target.buffer, 1, &region);
    }
  g_mutex_unlock (&self->lock);

  return ok;
}

void
ghlo_vulkan_queue_retire (GhloVulkanQueue       *self,
                          GhloVulkanCommandPool *pool)
{
  Retired retired = { pool, ghlo_vulkan_queue_value (self) };

  g_mutex_lock (&self->lock);
  destroy_retired (self);
  g_array_append_val (self->retired, retired);
  g_mutex_unlock (&self->lock);
}

static gboolean
poll_for (GhloVulkanQueue *self,
          guint64          value)
{
  gint64 end = g_get_monotonic_time ()
               + ghlo_device_queue_get_polling_time (self->device->core.queue, GHLO_WAIT_IN_RUN);
  gboolean has_ended;

  while (!(has_ended = ghlo_vulkan_queue_reached (self, value) >= value) && g_get_monotonic_time () < end)
    ghlo_relax ();

  return has_ended;
}

static VkResult
sleep_until (GhloVulkanQueue *self,
             guint64          value)
{
  const GhloVulkanHandles *handles = self->device->handles;
  const VkSemaphoreWaitInfo info = { VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1,
                                     .pSemaphores = &self->timeline, .pValues = &value };

  return ghlo_vulkan_call (handles->vk, WaitSemaphores, handles->device, &info, SLEEP_TIME);
}

void
ghlo_vulkan_queue_sleep (GhloVulkanQueue *self,
                         guint64          value)
{
  VkResult result = sleep_until (self, value);

  if (result != VK_TIMEOUT)
    check (self, result, "finish its work", NULL);
}

gboolean
ghlo_vulkan_queue_await (GhloVulkanQueue    *self,
                         guint64             value,
                         const GhloMonitor  *monitor,
                         GError            **error)
{
  const gint64 begun = g_get_monotonic_time ();
  VkResult result = VK_TIMEOUT;

  if (poll_for (self, value))
    result = VK_SUCCESS;
  while (result == VK_TIMEOUT && !ghlo_monitor_cancelled (monitor, error))
    result = sleep_until (self, value);
  ghlo_device_queue_record_wait (self->device->core.queue, GHLO_WAIT_IN_RUN, g_get_monotonic_time () - begun);
  if (result == VK_TIMEOUT)
    return FALSE;
  /* If another thread lost the device, the work was never completed. */
  if (ghlo_device_core_is_lost (&self->device->core))
    result = VK_ERROR_DEVICE_LOST;

  return check (self, result, "finish its work", error);
}

gboolean
ghlo_vulkan_queue_finish (GhloVulkanQueue    *self,
                          const GhloMonitor  *monitor,
                          GError            **error)
{
  guint64 value;

  return ghlo_vulkan_queue_submit (self, &value, error) && ghlo_vulkan_queue_await (self, value, monitor, error);
}

void
ghlo_vulkan_queue_settle (GhloVulkanQueue *self)
{
  const GhloVulkanHandles *handles = self->device->handles;
  const guint64 value = __atomic_load_n (&self->submitted, __ATOMIC_ACQUIRE);
  const VkSemaphoreWaitInfo info = { VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1,
                                     .pSemaphores = &self->timeline, .pValues = &value };

  while (handles->vk->WaitSemaphores (handles->device, &info, SLEEP_TIME) == VK_TIMEOUT)
    ;
}
