/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An instance of a recording is a command buffer with the recording's commands, plus their tables in memory that the
 * host writes. A run sets the addresses in the tables and puts the command buffer into the queue. The least recently
 * used instance is reused once the device is done with it.
 *
 * Work that takes long is put into the queue in pieces instead, since the device cannot be interrupted.
 *
 * The gates of branches follow an instance's tables, so that commands can refer to them. Dispatches behind a closed
 * gate return early by themselves; where there are several in a row, the device skips them altogether if it has
 * conditional rendering.
 */

#include "vulkan/recording-private.h"

#include <math.h>
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

/* The time of a piece of work that takes longer than GHLO_STEP_MAX_SECONDS. */
#define PIECE_SECONDS (GHLO_STEP_MAX_SECONDS / 2)

/* Operations per second of devices whose rates are not known, and seconds to start a dispatch on the processor. */
#define CPU_RATE  2e8
#define CPU_START 1e-4
#define GPU_RATE  1e12

typedef struct
{
  GList           link;         /* in recording->instances */
  VkCommandBuffer commands;
  guint64         table;        /* device address of the tables */
  guint64        *words;        /* the tables as the host sees them */
  guint64        *addresses;    /* the last address stored for each access; initially invalid */
  guint64         value;        /* of the queue's timeline at which the last run is done */
} Instance;

/* Gates follow the tables. */
static gsize
gates_offset (const GhloVulkanRecording *self)
{
  return self->words->len * sizeof (guint64);
}

gsize
ghlo_vulkan_recording_instance_size (const GhloVulkanRecording *self)
{
  return gates_offset (self) + self->n_gates * GHLO_STEP_GATE_STRIDE;
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

/* Records the points [@first, @end) of @command; both are multiples of its points_each, or the end of its points. */
static void
record_points (const GhloVulkanRecording *self,
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
  record_points (self, command, instance, 0, command->n_points);
}

/* Returns the number of consecutive commands, from @first on, that have the same gate. */
static guint
count_gated (const GhloVulkanRecording *self,
             guint                      first)
{
  const GhloStepPlace gate = ghlo_vulkan_recording_command (self, first)->gate;
  guint n = 1;

  for (; first + n < self->commands->len; n++)
    {
      const GhloStepPlace next = ghlo_vulkan_recording_command (self, first + n)->gate;

      if (next.buffer != gate.buffer || next.offset != gate.offset)
        break;
    }

  return n;
}

static void
begin_conditional (const GhloVulkanRecording *self,
                   const Instance            *instance,
                   GhloStepPlace              gate)
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
  const GhloStepPlace gate = ghlo_vulkan_recording_command (self, first)->gate;
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

/* The commands wait for everything put into the queue before. */
static gboolean
begin_commands (const GhloVulkanRecording  *self,
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

/* Makes all writes visible to the host. */
static gboolean
end_commands (const GhloVulkanRecording  *self,
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

  if (!begin_commands (self, instance->commands, error))
    return FALSE;
  for (guint i = 0, n; i < self->commands->len; i += n)
    {
      n = count_gated (self, i);
      record_gated (self, instance, i, n, &reads_gates);
    }

  return end_commands (self, instance->commands, error);
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

  if (!begin_commands (self, commands, error))
    return FALSE;
  record_command (self, ghlo_vulkan_recording_command (self, number), &alone);

  return end_commands (self, commands, error)
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

/* Estimates the time of command @number from its work. */
static double
guess_seconds (const GhloVulkanRecording *self,
               guint                      number)
{
  const double work = ghlo_vulkan_recording_command (self, number)->work;

  return ghlo_vulkan_device_is_cpu (self->device) ? CPU_START + work / CPU_RATE : work / GPU_RATE;
}

static double
guess_all (const GhloVulkanRecording *self)
{
  double seconds = 0;

  for (guint i = 0; i < self->commands->len; i++)
    seconds += guess_seconds (self, i);

  return seconds;
}

/* Commands that take long are submitted in pieces, each in a command buffer of its own. The times of pieces correct the
 * estimates of those to come. */
typedef struct
{
  GhloVulkanRecording *recording;
  Instance            *instance;
  VkCommandPool        pool;
  Instance             open;            /* its commands are those of the piece that is being recorded, or NULL */
  double               share;           /* the estimate for the whole, as a multiple of what was guessed */
  double               seconds;         /* of that piece, as estimated at first */
  double               slowness;        /* how many times longer pieces take than that */
  guint64              before;          /* the timeline's value at the end of the last piece submitted; 0: none */
  double               seconds_before;  /* of that piece */
  gint64               time;            /* µs when the last piece was seen to end; 0: none */
  const GhloMonitor   *monitor;
} Pieces;

/* Waits for the piece of @seconds that ends at @value. */
static gboolean
await_piece (Pieces   *self,
             guint64   value,
             double    seconds,
             GError  **error)
{
  gint64 now;

  if (!ghlo_vulkan_queue_await (self->recording->device->queue, value, self->monitor, error))
    return FALSE;
  now = g_get_monotonic_time ();
  if (self->time > 0)
    self->slowness = CLAMP ((double) (now - self->time) / G_USEC_PER_SEC / seconds, self->slowness / 2,
                            self->slowness * 8);
  self->time = now;

  return TRUE;
}

/* Stays at most one piece ahead of the device, so that a cancel takes effect; of a CPU device, which has no use for
 * that, not at all. */
static gboolean
await (Pieces  *self,
       GError **error)
{
  if (ghlo_vulkan_device_is_cpu (self->recording->device))
    return await_piece (self, self->instance->value, self->seconds, error);

  return self->before == 0 || await_piece (self, self->before, self->seconds_before, error);
}

static gboolean
submit_piece (Pieces  *self,
              GError **error)
{
  GhloVulkanQueue *queue = self->recording->device->queue;
  VkCommandBuffer commands = g_steal_pointer (&self->open.commands);

  if (ghlo_monitor_cancelled (self->monitor, error)
      || !end_commands (self->recording, commands, error)
      || !ghlo_vulkan_queue_put (queue, commands, self->seconds, &self->instance->value, error)
      || !ghlo_vulkan_queue_submit (queue, NULL, error) || !await (self, error))
    return FALSE;
  self->before = self->instance->value;
  self->seconds_before = self->seconds;

  return TRUE;
}

/* Adds the points [@first, @end) of @command, which take @seconds. */
static gboolean
add_to_piece (Pieces                   *self,
              const GhloVulkanCommand  *command,
              guint64                   first,
              guint64                   end,
              double                    seconds,
              GError                  **error)
{
  GhloVulkanDevice *device = self->recording->device;
  const VkCommandBufferAllocateInfo info = { VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = self->pool,
                                             .commandBufferCount = 1 };

  if (self->open.commands == NULL)
    {
      self->seconds = 0;
      if (!ghlo_vulkan_device_check (device, ghlo_vulkan_call (device->vk, AllocateCommandBuffers, device->device, &info,
                                                               &self->open.commands), "allocate a command buffer",
                                     error)
          || !begin_commands (self->recording, self->open.commands, error))
        return FALSE;
    }
  else if (command->waits)
    ghlo_vulkan_add_barrier (device->vk, self->open.commands);
  record_points (self->recording, command, &self->open, first, end);
  self->seconds += seconds;

  return self->seconds * self->slowness < PIECE_SECONDS || submit_piece (self, error);
}

static gboolean
submit_pieces (Pieces  *self,
               GError **error)
{
  for (guint i = 0; i < self->recording->commands->len; i++)
    {
      const GhloVulkanCommand *command = ghlo_vulkan_recording_command (self->recording, i);
      const double seconds = self->share * guess_seconds (self->recording, i);
      const double n_groups = ceil ((double) command->n_points / command->points_each);

      for (guint64 first = 0, step; first < command->n_points; first += step)
        {
          const double groups = CLAMP (floor (n_groups * PIECE_SECONDS / (seconds * self->slowness)), 1, n_groups);

          step = (guint64) groups * command->points_each;
          if (!add_to_piece (self, command, first, MIN (first + step, command->n_points), seconds * groups / n_groups,
                             error))
            return FALSE;
        }
    }

  return self->open.commands == NULL || submit_piece (self, error);
}

static gboolean
replay_pieces (GhloVulkanRecording  *self,
               Instance             *instance,
               const GhloMonitor    *monitor,
               GError              **error)
{
  GhloVulkanDevice *device = self->device;
  const VkCommandPoolCreateInfo info = { VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = device->family };
  Pieces pieces = { .recording = self, .instance = instance, .open.table = instance->table, .monitor = monitor,
                    .share = self->seconds > 0 ? self->seconds / guess_all (self) : 1,
                    .slowness = ghlo_vulkan_device_is_cpu (device) ? 8 : 1 };
  gboolean ok;

  if (!ghlo_vulkan_device_check (device, ghlo_vulkan_call (device->vk, CreateCommandPool, device->device, &info, NULL,
                                                           &pieces.pool), "create a command pool", error))
    return FALSE;
  ok = submit_pieces (&pieces, error);
  ghlo_vulkan_queue_retire (device->queue, pieces.pool);

  return ok;
}

/* Dispatches behind gates, and those of two kernels, belong to what is short. */
static gboolean
is_long (const GhloVulkanRecording *self)
{
  for (guint i = 0; i < self->commands->len; i++)
    if (ghlo_vulkan_recording_command (self, i)->gate.buffer != GHLO_STEP_NONE
        || ghlo_vulkan_recording_command (self, i)->n_of_first > 0)
      return FALSE;

  return (self->seconds > 0 ? self->seconds : guess_all (self)) > GHLO_STEP_MAX_SECONDS;
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
  if (is_long (self))
    return replay_pieces (self, instance, monitor, error);

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
