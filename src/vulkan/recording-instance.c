/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An instance of a recording is a command buffer with the recording's commands, plus their tables in memory that the
 * host writes. A run sets the addresses in the tables and puts the command buffer into the queue. The least recently
 * used instance is reused once the device is done with it.
 *
 * The gates of branches follow an instance's tables, so that commands can refer to them. Dispatches behind a closed
 * gate return early by themselves; where there are several in a row, the device skips them altogether if it has
 * conditional rendering.
 */

#include "vulkan/recording-private.h"

#include <string.h>

#include "base/debug.h"
#include "base/sizes.h"
#include "vulkan/memory.h"
#include "vulkan/queue.h"
#include "vulkan/spirv/spirv.h"
#include "vulkan/stopwatch.h"

/* The maximum number of runs of a recording in flight; the next one waits for the oldest. */
enum { MAX_INSTANCES = 64 };

/* The number of commands under one gate up to which it does not pay to skip them together. Skipping costs two commands,
 * and a barrier that they might not need otherwise. */
enum { FEW_GATED = 3 };

typedef GhloVulkanReplay Instance;

/* Gates follow the tables. */
static gsize
gates_offset (const GhloVulkanRecording *self)
{
  return self->words->len * sizeof (guint64);
}

gsize
ghlo_vulkan_recording_instance_size (const GhloVulkanRecording *self)
{
  return gates_offset (self) + self->n_gates * GHLO_STEP_PREDICATE_STRIDE;
}

void
ghlo_vulkan_recording_free_instances (GhloVulkanRecording *self)
{
  GhloVulkanDevice *device = self->device;

  for (GList *link; (link = g_queue_pop_head_link (&self->instances)) != NULL;)
    {
      Instance *instance = link->data;

      ghlo_vulkan_memory_free (device->memory, instance->table, ghlo_vulkan_recording_instance_size (self),
                               ghlo_vulkan_queue_value (device->queue));
      g_free (instance->addresses);
      g_free (instance);
    }
  if (self->pool != VK_NULL_HANDLE)
    ghlo_vulkan_queue_retire (device->queue, self->pool);
}

void
ghlo_vulkan_recording_put_points (const GhloVulkanRecording *self,
                                  const GhloVulkanCommand   *command,
                                  const Instance            *instance,
                                  guint64                    first,
                                  guint64                    end)
{
  const GhloVulkanFunctions *vk = self->device->vk;
  const guint64 step = (guint64) command->most_groups * command->points_each;
  GhloSpirvPush push = { .table = instance->table + command->table * sizeof (guint64), .first = first };

  vk->CmdBindPipeline (instance->commands, VK_PIPELINE_BIND_POINT_COMPUTE, command->pipeline);
  for (; push.first < end; push.first += step)
    {
      guint64 n = ghlo_size_ceil_div (end - push.first, command->points_each);

      if (push.first > first && command->takes_turns)
        ghlo_vulkan_add_barrier (vk, instance->commands);
      vk->CmdPushConstants (instance->commands, ghlo_vulkan_queue_get_layout (self->device->queue),
                            VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
      vk->CmdDispatch (instance->commands, (guint32) MIN (n, command->most_groups), 1, 1);
    }
}

static void
record_command (const GhloVulkanRecording *self,
                const GhloVulkanCommand   *command,
                const Instance            *instance)
{
  ghlo_vulkan_recording_put_points (self, command, instance, 0, command->n_points);
}

/* Returns the number of consecutive commands, from @first on, that have the same gate. */
static guint
count_gated (const GhloVulkanRecording *self,
             guint                      first)
{
  const GhloBufferRef gate = ghlo_vulkan_recording_command (self, first)->gate;
  guint n = 1;

  for (; first + n < self->commands->len; n++)
    {
      const GhloBufferRef next = ghlo_vulkan_recording_command (self, first + n)->gate;

      if (next.buffer != gate.buffer || next.offset != gate.offset)
        break;
    }

  return n;
}

static void
begin_conditional (const GhloVulkanRecording *self,
                   const Instance            *instance,
                   GhloBufferRef              gate)
{
  const GhloVulkanPlace place = ghlo_vulkan_memory_find (self->device->memory, instance->table + gates_offset (self)
                                                                               + (guint64) gate.offset);
  const VkConditionalRenderingBeginInfoEXT info = {
    VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, .buffer = place.buffer, .offset = place.offset,
  };

  ghlo_vulkan_add_gate_barrier (self->device->vk, instance->commands);
  self->device->vk->CmdBeginConditionalRenderingEXT (instance->commands, &info);
}

/* Records the @n commands from @first on, which have the same gate. *reads_gates says whether the device may still be
 * reading a gate that commands after the next barrier write. */
static void
record_gated (const GhloVulkanRecording *self,
              const Instance            *instance,
              guint                      first,
              guint                      n,
              gboolean                  *reads_gates)
{
  const GhloVulkanFunctions *vk = self->device->vk;
  const GhloBufferRef gate = ghlo_vulkan_recording_command (self, first)->gate;
  const gboolean is_conditional = gate.buffer == GHLO_VULKAN_GATES && n > FEW_GATED
                                  && self->device->features.conditional.conditionalRendering;

  if (is_conditional)
    begin_conditional (self, instance, gate);
  for (guint i = first; i < first + n; i++)
    {
      const GhloVulkanCommand *command = ghlo_vulkan_recording_command (self, i);

      if (command->waits && (i > first || !is_conditional))
        {
          (*reads_gates ? ghlo_vulkan_add_gate_barrier : ghlo_vulkan_add_barrier) (vk, instance->commands);
          *reads_gates = FALSE;
        }
      record_command (self, command, instance);
    }
  if (is_conditional)
    vk->CmdEndConditionalRenderingEXT (instance->commands);
  *reads_gates |= is_conditional;
}

gboolean
ghlo_vulkan_recording_begin_commands (const GhloVulkanRecording  *self,
                                      VkCommandBuffer             commands,
                                      GError                    **error)
{
  static const VkCommandBufferBeginInfo begin = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
  const GhloVulkanFunctions *vk = self->device->vk;

  if (!ghlo_vulkan_device_check (self->device, ghlo_vulkan_call (vk, BeginCommandBuffer, commands, &begin),
                                 "begin a command buffer", error))
    return FALSE;
  ghlo_vulkan_add_barrier (vk, commands);

  return TRUE;
}

gboolean
ghlo_vulkan_recording_end_commands (const GhloVulkanRecording  *self,
                                    VkCommandBuffer             commands,
                                    GError                    **error)
{
  const GhloVulkanFunctions *vk = self->device->vk;

  ghlo_vulkan_add_last_barrier (vk, commands);

  return ghlo_vulkan_device_check (self->device, ghlo_vulkan_call (vk, EndCommandBuffer, commands),
                                   "end a command buffer", error);
}

static gboolean
record_all (const GhloVulkanRecording  *self,
            const Instance             *instance,
            GError                    **error)
{
  gboolean reads_gates = FALSE;

  if (!ghlo_vulkan_recording_begin_commands (self, instance->commands, error))
    return FALSE;
  for (guint i = 0, n; i < self->commands->len; i += n)
    {
      n = count_gated (self, i);
      record_gated (self, instance, i, n, &reads_gates);
    }

  return ghlo_vulkan_recording_end_commands (self, instance->commands, error);
}

/* Puts only command @number into the queue. */
static gboolean
put_command (GhloVulkanRecording  *self,
             Instance             *instance,
             guint                 number,
             VkCommandBuffer       commands,
             GError              **error)
{
  const Instance alone = { .commands = commands, .table = instance->table };

  if (!ghlo_vulkan_recording_begin_commands (self, commands, error))
    return FALSE;
  record_command (self, ghlo_vulkan_recording_command (self, number), &alone);

  return ghlo_vulkan_recording_end_commands (self, commands, error)
         && ghlo_vulkan_queue_put (self->device->queue, commands, self->seconds, &instance->value, error);
}

static gboolean
measure_command (GhloVulkanRecording  *self,
                 Instance             *instance,
                 guint                 number,
                 const GhloMonitor    *monitor,
                 GError              **error)
{
  GhloVulkanDevice *device = self->device;
  const GhloVulkanCommand *command = ghlo_vulkan_recording_command (self, number);
  const VkCommandBufferAllocateInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = self->pool, .commandBufferCount = 1 };
  VkCommandBuffer commands;
  gint64 nanoseconds = -1;
  gboolean ok;

  if (!ghlo_vulkan_device_check (device, ghlo_vulkan_call (device->vk, AllocateCommandBuffers, device->device, &info,
                                                           &commands), "allocate a command buffer", error))
    return FALSE;
  ok = ghlo_vulkan_stopwatch_start (device->stopwatch, error)
       && put_command (self, instance, number, commands, error)
       && ghlo_vulkan_stopwatch_stop (device->stopwatch, &nanoseconds, monitor, error);
  if (ok)
    {
      g_debug ("dispatch %u of %u%s, %s of %" G_GUINT64_FORMAT " points: %.1f µs", number + 1, self->commands->len,
               command->waits ? ", behind a barrier" : "", command->name, command->n_points,
               (double) nanoseconds / 1000);
      device->vk->FreeCommandBuffers (device->device, self->pool, 1, &commands);
    }

  return ok;
}

/* Measures command by command; each starts after the one before has ended. Command buffers that could not be waited for
 * stay in the pool. */
static gboolean
measure_all (GhloVulkanRecording  *self,
             Instance             *instance,
             const GhloMonitor    *monitor,
             GError              **error)
{
  gboolean ok = TRUE;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->commands->len && ok; i++)
    ok = measure_command (self, instance, i, monitor, error);
  g_mutex_unlock (&self->lock);

  return ok;
}

/* Puts a run with the addresses in the tables of @instance into the queue. */
static gboolean
start (GhloVulkanRecording  *self,
       Instance             *instance,
       const GhloMonitor    *monitor,
       GError              **error)
{
  if (ghlo_debug_has (GHLO_DEBUG_DISPATCHES))
    return measure_all (self, instance, monitor, error);
  if (ghlo_vulkan_recording_is_long (self))
    return ghlo_vulkan_recording_replay_pieces (self, instance, monitor, error);

  return ghlo_vulkan_queue_put (self->device->queue, instance->commands, self->seconds, &instance->value, error);
}

static void
free_instance (GhloVulkanRecording *self,
               Instance            *instance)
{
  const GhloVulkanDevice *device = self->device;

  if (instance->table != 0)
    ghlo_vulkan_memory_free (device->memory, instance->table, ghlo_vulkan_recording_instance_size (self), 0);
  if (instance->commands != NULL)
    device->vk->FreeCommandBuffers (device->device, self->pool, 1, &instance->commands);
  g_free (instance->addresses);
  g_free (instance);
}

/* Called with the lock held. */
static Instance *
instance_new (GhloVulkanRecording  *self,
              GError              **error)
{
  GhloVulkanDevice *device = self->device;
  const VkCommandPoolCreateInfo pool = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = device->family };
  VkCommandBufferAllocateInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1 };
  Instance *instance;

  if (self->pool == VK_NULL_HANDLE
      && !ghlo_vulkan_device_check (device, ghlo_vulkan_create (device->vk, CreateCommandPool, &self->pool,
                                                                device->device, &pool, NULL),
                                    "create a command pool", error))
    return NULL;
  instance = g_new0 (Instance, 1);
  instance->link.data = instance;
  instance->addresses = g_new (guint64, self->accesses->len);
  memset (instance->addresses, 0xff, self->accesses->len * sizeof (guint64));
  info.commandPool = self->pool;
  instance->table = ghlo_vulkan_memory_alloc (device->memory, GHLO_VULKAN_UPLOAD,
                                              ghlo_vulkan_recording_instance_size (self), error);
  if (instance->table != 0)
    {
      instance->words = (guint64 *) (gpointer) ghlo_vulkan_memory_find (device->memory, instance->table).host;
      memcpy (instance->words, self->words->data, gates_offset (self));
      if (ghlo_vulkan_device_check (device, ghlo_vulkan_call (device->vk, AllocateCommandBuffers, device->device, &info,
                                                              &instance->commands), "allocate a command buffer", error)
          && record_all (self, instance, error))
        return instance;
    }
  free_instance (self, instance);

  return NULL;
}

/* Returns an instance that the device is done with, or a new one. */
static Instance *
take_instance (GhloVulkanRecording  *self,
               const GhloMonitor    *monitor,
               GError              **error)
{
  GhloVulkanQueue *queue = self->device->queue;
  Instance *instance;

  g_mutex_lock (&self->lock);
  instance = g_queue_peek_head (&self->instances);
  if (instance != NULL && self->n_instances >= MAX_INSTANCES
      && instance->value > ghlo_vulkan_queue_reached (queue, instance->value)
      && !ghlo_vulkan_queue_finish (queue, monitor, error))
    instance = NULL;
  else if (instance != NULL && instance->value <= ghlo_vulkan_queue_reached (queue, instance->value))
    g_queue_pop_head_link (&self->instances);
  else
    {
      instance = instance_new (self, error);
      self->n_instances += instance != NULL;
    }
  g_mutex_unlock (&self->lock);

  return instance;
}

/* Writes only addresses that have changed: successive runs mostly use the same buffers, and writes go over a bus. */
static void
set_addresses (const GhloVulkanRecording *self,
               Instance                  *instance,
               guint8 *const             *addresses)
{
  for (guint i = 0; i < self->accesses->len; i++)
    {
      const GhloVulkanAccess *access = &g_array_index (self->accesses, GhloVulkanAccess, i);
      const guint64 address = ghlo_vulkan_access_address (access, addresses, instance->table + gates_offset (self));

      if (instance->addresses[i] != address)
        instance->words[access->word] = instance->addresses[i] = address;
    }
}

gboolean
ghlo_vulkan_recording_replay (GhloVulkanRecording  *self,
                              guint8 *const        *addresses,
                              const GhloMonitor    *monitor,
                              GError              **error)
{
  Instance *instance;
  gboolean ok;

  if (self->commands->len == 0)
    return TRUE;
  if (ghlo_debug_has (GHLO_DEBUG_VULKAN))
    {
      g_autofree char *problem = ghlo_vulkan_recording_check (self, addresses, G_MAXUINT);

      if (problem != NULL)
        g_critical ("%s", problem);
    }
  instance = take_instance (self, monitor, error);
  if (instance == NULL)
    return FALSE;
  set_addresses (self, instance, addresses);
  ok = start (self, instance, monitor, error);
  g_mutex_lock (&self->lock);
  g_queue_push_tail_link (&self->instances, &instance->link);
  g_mutex_unlock (&self->lock);

  return ok;
}
