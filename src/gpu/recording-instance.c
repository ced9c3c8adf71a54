/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An instance of a recording is a command buffer with the recording's commands, plus their tables in memory that the
 * host writes. A run sets the addresses in the tables and puts the command buffer into the queue. The least recently
 * used instance is reused once the device is done with it.
 *
 * The predicates of branches follow an instance's tables, so that commands can refer to them. Dispatches under a
 * predicate that is 0 return early by themselves; where there are several in a row, the device skips them altogether if
 * it has conditional rendering.
 */

#include "gpu/recording-private.h"

#include <string.h>

#include "base/debug.h"
#include "base/sizes.h"
#include "gpu/spirv/spirv.h"
#include "vulkan/memory.h"
#include "vulkan/queue.h"
#include "vulkan/stopwatch.h"

/* The maximum number of runs of a recording in flight; the next one waits for the oldest. */
enum { MAX_INSTANCES = 64 };

/* The number of commands under one predicate up to which it does not pay to skip them together. Skipping costs two
 * commands, and a barrier that they might not need otherwise. */
enum { FEW_PREDICATED = 3 };

G_STATIC_ASSERT (sizeof (GhloSpirvPush) == GHLO_VULKAN_PUSH_SIZE);

typedef GhloGpuReplay Instance;

/* Predicates follow the tables. */
static gsize
predicates_offset (const GhloGpuRecording *self)
{
  return self->words->len * sizeof (guint64);
}

gsize
ghlo_gpu_recording_instance_size (const GhloGpuRecording *self)
{
  return predicates_offset (self) + self->n_predicates * GHLO_STEP_PREDICATE_STRIDE;
}

void
ghlo_gpu_recording_free_instances (GhloGpuRecording *self)
{
  GhloGpuDevice *device = self->device;

  for (GList *link; (link = g_queue_pop_head_link (&self->instances)) != NULL;)
    {
      Instance *instance = link->data;

      ghlo_vulkan_memory_free (device->vulkan.memory, instance->table, ghlo_gpu_recording_instance_size (self),
                               ghlo_vulkan_queue_value (device->vulkan.queue));
      g_free (instance->addresses);
      g_free (instance);
    }
  if (self->pool != NULL)
    ghlo_vulkan_queue_retire (device->vulkan.queue, self->pool);
}

void
ghlo_gpu_recording_put_points (const GhloGpuRecording *self,
                               const GhloGpuCommand   *command,
                               const Instance         *instance,
                               guint64                 first,
                               guint64                 end)
{
  const guint64 step = (guint64) command->most_groups * command->points_per_group;
  GhloSpirvPush push = { .table = instance->table + command->table * sizeof (guint64), .first = first };

  ghlo_vulkan_commands_bind (instance->commands, &self->device->vulkan, command->pipeline);
  for (; push.first < end; push.first += step)
    {
      guint64 n = ghlo_size_ceil_div (end - push.first, command->points_per_group);

      if (push.first > first && command->takes_turns)
        ghlo_vulkan_commands_barrier (instance->commands, &self->device->vulkan);
      ghlo_vulkan_commands_dispatch (instance->commands, &self->device->vulkan, &push,
                                     (guint32) MIN (n, command->most_groups));
    }
}

static void
record_command (const GhloGpuRecording *self,
                const GhloGpuCommand   *command,
                const Instance         *instance)
{
  ghlo_gpu_recording_put_points (self, command, instance, 0, command->n_points);
}

/* Returns the number of consecutive commands, from @first on, that have the same predicate. */
static guint
count_predicated (const GhloGpuRecording *self,
                  guint                   first)
{
  const GhloBufferRef predicate = ghlo_gpu_recording_command (self, first)->predicate;
  guint n = 1;

  for (; first + n < self->commands->len; n++)
    {
      const GhloBufferRef next = ghlo_gpu_recording_command (self, first + n)->predicate;

      if (next.buffer != predicate.buffer || next.offset != predicate.offset)
        break;
    }

  return n;
}

/* Records the @n commands from @first on, which have the same predicate. *reads_predicates says whether the device may
 * still be reading a predicate that commands after the next barrier write. */
static void
record_predicated (const GhloGpuRecording *self,
                   const Instance         *instance,
                   guint                   first,
                   guint                   n,
                   gboolean               *reads_predicates)
{
  const GhloGpuDevice *device = self->device;
  const GhloBufferRef predicate = ghlo_gpu_recording_command (self, first)->predicate;
  const gboolean is_conditional = predicate.buffer == GHLO_GPU_PREDICATES && n > FEW_PREDICATED
                                  && device->vulkan.has_predicates;

  if (is_conditional)
    {
      ghlo_vulkan_commands_predicate_barrier (instance->commands, &device->vulkan);
      ghlo_vulkan_commands_begin_predicate (instance->commands, &device->vulkan,
                                            instance->table + predicates_offset (self) + (guint64) predicate.offset);
    }
  for (guint i = first; i < first + n; i++)
    {
      const GhloGpuCommand *command = ghlo_gpu_recording_command (self, i);

      if (command->waits && (i > first || !is_conditional))
        {
          (*reads_predicates ? ghlo_vulkan_commands_predicate_barrier
                        : ghlo_vulkan_commands_barrier) (instance->commands, &device->vulkan);
          *reads_predicates = FALSE;
        }
      record_command (self, command, instance);
    }
  if (is_conditional)
    ghlo_vulkan_commands_end_predicate (instance->commands, &device->vulkan);
  *reads_predicates |= is_conditional;
}

static gboolean
record_all (const GhloGpuRecording  *self,
            const Instance          *instance,
            GError                 **error)
{
  gboolean reads_predicates = FALSE;

  if (!ghlo_vulkan_commands_begin (instance->commands, &self->device->vulkan, error))
    return FALSE;
  for (guint i = 0, n; i < self->commands->len; i += n)
    {
      n = count_predicated (self, i);
      record_predicated (self, instance, i, n, &reads_predicates);
    }

  return ghlo_vulkan_commands_end (instance->commands, &self->device->vulkan, error);
}

/* Puts only command @number into the queue. */
static gboolean
put_command (GhloGpuRecording    *self,
             Instance            *instance,
             guint                number,
             GhloVulkanCommands  *commands,
             GError             **error)
{
  const Instance alone = { .commands = commands, .table = instance->table };

  if (!ghlo_vulkan_commands_begin (commands, &self->device->vulkan, error))
    return FALSE;
  record_command (self, ghlo_gpu_recording_command (self, number), &alone);

  return ghlo_vulkan_commands_end (commands, &self->device->vulkan, error)
         && ghlo_vulkan_queue_put (self->device->vulkan.queue, commands, self->seconds, &instance->value, error);
}

static gboolean
measure_command (GhloGpuRecording   *self,
                 Instance           *instance,
                 guint               number,
                 const GhloMonitor  *monitor,
                 GError            **error)
{
  GhloGpuDevice *device = self->device;
  const GhloGpuCommand *command = ghlo_gpu_recording_command (self, number);
  GhloVulkanCommands *commands = ghlo_vulkan_command_pool_allocate (self->pool, error);
  gint64 nanoseconds = -1;
  gboolean ok;

  if (commands == NULL)
    return FALSE;
  ok = ghlo_vulkan_stopwatch_start (device->vulkan.stopwatch, error)
       && put_command (self, instance, number, commands, error)
       && ghlo_vulkan_stopwatch_stop (device->vulkan.stopwatch, &nanoseconds, monitor, error);
  if (ok)
    {
      g_debug ("dispatch %u of %u%s, %s of %" G_GUINT64_FORMAT " points: %.1f µs", number + 1, self->commands->len,
               command->waits ? ", behind a barrier" : "", command->name, command->n_points,
               (double) nanoseconds / 1000);
      ghlo_vulkan_command_pool_release (self->pool, commands);
    }

  return ok;
}

/* Measures command by command; each starts after the one before has ended. Command buffers that could not be waited for
 * stay in the pool. */
static gboolean
measure_all (GhloGpuRecording   *self,
             Instance           *instance,
             const GhloMonitor  *monitor,
             GError            **error)
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
start (GhloGpuRecording   *self,
       Instance           *instance,
       const GhloMonitor  *monitor,
       GError            **error)
{
  if (ghlo_debug_has (GHLO_DEBUG_DISPATCHES))
    return measure_all (self, instance, monitor, error);
  if (ghlo_gpu_recording_is_long (self))
    return ghlo_gpu_recording_replay_pieces (self, instance, monitor, error);

  return ghlo_vulkan_queue_put (self->device->vulkan.queue, instance->commands, self->seconds, &instance->value, error);
}

static void
free_instance (GhloGpuRecording *self,
               Instance         *instance)
{
  const GhloGpuDevice *device = self->device;

  if (instance->table != 0)
    ghlo_vulkan_memory_free (device->vulkan.memory, instance->table, ghlo_gpu_recording_instance_size (self), 0);
  if (instance->commands != NULL)
    ghlo_vulkan_command_pool_release (self->pool, instance->commands);
  g_free (instance->addresses);
  g_free (instance);
}

/* Called with the lock held. */
static Instance *
instance_new (GhloGpuRecording  *self,
              GError           **error)
{
  GhloGpuDevice *device = self->device;
  Instance *instance;

  if (self->pool == NULL)
    self->pool = ghlo_vulkan_command_pool_new (&device->vulkan, FALSE, error);
  if (self->pool == NULL)
    return NULL;
  instance = g_new0 (Instance, 1);
  instance->link.data = instance;
  instance->addresses = g_new (guint64, self->accesses->len);
  memset (instance->addresses, 0xff, self->accesses->len * sizeof (guint64));
  instance->table = ghlo_vulkan_memory_alloc (device->vulkan.memory, GHLO_VULKAN_UPLOAD,
                                              ghlo_gpu_recording_instance_size (self), error);
  if (instance->table != 0)
    {
      instance->words = (guint64 *) (gpointer) ghlo_vulkan_memory_map (device->vulkan.memory, instance->table);
      memcpy (instance->words, self->words->data, predicates_offset (self));
      instance->commands = ghlo_vulkan_command_pool_allocate (self->pool, error);
      if (instance->commands != NULL && record_all (self, instance, error))
        return instance;
    }
  free_instance (self, instance);

  return NULL;
}

/* Returns an instance that the device is done with, or a new one. */
static Instance *
take_instance (GhloGpuRecording   *self,
               const GhloMonitor  *monitor,
               GError            **error)
{
  GhloVulkanQueue *queue = self->device->vulkan.queue;
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
set_addresses (const GhloGpuRecording *self,
               Instance               *instance,
               guint8 *const          *addresses)
{
  for (guint i = 0; i < self->accesses->len; i++)
    {
      const GhloGpuAccess *access = &g_array_index (self->accesses, GhloGpuAccess, i);
      const guint64 address = ghlo_gpu_access_address (access, addresses, instance->table + predicates_offset (self));

      if (instance->addresses[i] != address)
        instance->words[access->word] = instance->addresses[i] = address;
    }
}

gboolean
ghlo_gpu_recording_replay (GhloGpuRecording   *self,
                           guint8 *const      *addresses,
                           const GhloMonitor  *monitor,
                           GError            **error)
{
  Instance *instance;
  gboolean ok;

  if (self->commands->len == 0)
    return TRUE;
  if (ghlo_debug_has (GHLO_DEBUG_VULKAN))
    {
      g_autofree char *problem = ghlo_gpu_recording_check (self, addresses, G_MAXUINT);

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
