/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Work that takes long is put into the queue in pieces, since a device cannot be interrupted: a cancel takes effect
 * between two of them, and so do other users of the device.
 */

#include "gpu/recording-private.h"

#include <math.h>

#include "vulkan/queue.h"

/* Work of up to LONG_SECONDS is not divided, other work into pieces of PIECE_SECONDS. GPUs are idle between pieces, and
 * faster than most estimates of them say. */
#define LONG_SECONDS(device) (GHLO_STEP_MAX_SECONDS * ((device)->vulkan.is_cpu ? 1 : 5))
#define PIECE_SECONDS(device) (LONG_SECONDS (device) / 2)

/* Operations per second of devices whose rates are not known, and seconds to start a dispatch on the processor. */
#define CPU_RATE  2e8
#define CPU_START 1e-4
#define GPU_RATE  1e12

/* Estimates the time of command @number from its work. */
static double
guess_seconds (const GhloGpuRecording *self,
               guint                   number)
{
  const double work = ghlo_gpu_recording_command (self, number)->work;

  return self->device->vulkan.is_cpu ? CPU_START + work / CPU_RATE : work / GPU_RATE;
}

static double
guess_all (const GhloGpuRecording *self)
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
  GhloGpuRecording *recording;
  GhloGpuReplay    *instance;
  GhloVulkanCommandPool *pool;
  GhloGpuReplay     open;            /* its commands are those of the piece that is being recorded, or NULL */
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

  if (!ghlo_vulkan_queue_await (self->recording->device->vulkan.queue, value, self->monitor, error))
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
  if (self->recording->device->vulkan.is_cpu)
    return await_piece (self, self->instance->value, self->seconds, error);

  return self->before == 0 || await_piece (self, self->before, self->seconds_before, error);
}

static gboolean
submit_piece (Pieces  *self,
              GError **error)
{
  GhloVulkanQueue *queue = self->recording->device->vulkan.queue;
  GhloVulkanCommands *commands = g_steal_pointer (&self->open.commands);

  if (ghlo_monitor_cancelled (self->monitor, error)
      || !ghlo_vulkan_commands_end (commands, &self->recording->device->vulkan, error)
      || !ghlo_vulkan_queue_put (queue, commands, self->seconds, &self->instance->value, error)
      || !ghlo_vulkan_queue_submit (queue, NULL, error) || !await (self, error))
    return FALSE;
  self->before = self->instance->value;
  self->seconds_before = self->seconds;

  return TRUE;
}

/* Adds the points [@first, @end) of @command, which take @seconds. */
static gboolean
add_to_piece (Pieces                *self,
              const GhloGpuCommand  *command,
              guint64                first,
              guint64                end,
              double                 seconds,
              GError               **error)
{
  GhloGpuDevice *device = self->recording->device;

  if (self->open.commands == NULL)
    {
      self->seconds = 0;
      self->open.commands = ghlo_vulkan_command_pool_allocate (self->pool, error);
      if (self->open.commands == NULL || !ghlo_vulkan_commands_begin (self->open.commands, &device->vulkan, error))
        return FALSE;
    }
  else if (command->waits)
    ghlo_vulkan_commands_barrier (self->open.commands, &device->vulkan);
  ghlo_gpu_recording_put_points (self->recording, command, &self->open, first, end);
  self->seconds += seconds;

  return self->seconds * self->slowness < PIECE_SECONDS (device) || submit_piece (self, error);
}

/* The slowness to expect of commands that have not been measured. */
static double
get_caution (const GhloGpuDevice *device)
{
  return device->vulkan.is_cpu ? 8 : 1;
}

static gboolean
submit_pieces (Pieces  *self,
               GError **error)
{
  const double most = PIECE_SECONDS (self->recording->device);

  for (guint i = 0; i < self->recording->commands->len; i++)
    {
      const GhloGpuCommand *command = ghlo_gpu_recording_command (self->recording, i);
      const double seconds = self->share * guess_seconds (self->recording, i);
      const double n_groups = ceil ((double) command->n_points / command->points_per_group);

      /* That the commands before were faster than estimated does not tell that this one is. */
      self->slowness = MAX (self->slowness, get_caution (self->recording->device));
      for (guint64 first = 0, step; first < command->n_points; first += step)
        {
          const double groups = CLAMP (floor (n_groups * most / (seconds * self->slowness)), 1, n_groups);

          step = (guint64) groups * command->points_per_group;
          if (!add_to_piece (self, command, first, MIN (first + step, command->n_points), seconds * groups / n_groups,
                             error))
            return FALSE;
        }
    }

  return self->open.commands == NULL || submit_piece (self, error);
}

static double
get_slowness (GhloGpuRecording *self)
{
  double slowness;

  g_mutex_lock (&self->lock);
  slowness = self->slowness;
  g_mutex_unlock (&self->lock);

  return slowness > 0 ? slowness : get_caution (self->device);
}

gboolean
ghlo_gpu_recording_replay_pieces (GhloGpuRecording   *self,
                                  GhloGpuReplay      *instance,
                                  const GhloMonitor  *monitor,
                                  GError            **error)
{
  GhloGpuDevice *device = self->device;
  Pieces pieces = { .recording = self, .instance = instance, .open.table = instance->table, .monitor = monitor,
                    .share = self->seconds > 0 ? self->seconds / guess_all (self) : 1,
                    .slowness = get_slowness (self) };
  gboolean ok;

  pieces.pool = ghlo_vulkan_command_pool_new (&device->vulkan, FALSE, error);
  if (pieces.pool == NULL)
    return FALSE;
  ok = submit_pieces (&pieces, error);
  ghlo_vulkan_queue_retire (device->vulkan.queue, pieces.pool);
  g_mutex_lock (&self->lock);
  self->slowness = pieces.slowness;
  g_mutex_unlock (&self->lock);

  return ok;
}

/* Dispatches under predicates, and those of two kernels, belong to what is short. */
gboolean
ghlo_gpu_recording_is_long (GhloGpuRecording *self)
{
  const double slowness = self->device->vulkan.is_cpu ? 1 : get_slowness (self);

  for (guint i = 0; i < self->commands->len; i++)
    if (ghlo_gpu_recording_command (self, i)->predicate.buffer != GHLO_STEP_NONE
        || ghlo_gpu_recording_command (self, i)->n_of_first > 0)
      return FALSE;

  return (self->seconds > 0 ? self->seconds : guess_all (self)) * slowness > LONG_SECONDS (self->device);
}
