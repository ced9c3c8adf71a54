/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Implements the interface of device/queue.h. The values of fences are those of the queue's timeline. Commands that are
 * not submitted would never end, so that whoever sleeps submits first.
 */

#include "vulkan/device-queue.h"

#include "vulkan/queue.h"
#include "vulkan/stopwatch.h"
#include "vulkan/waiter.h"

typedef struct
{
  GhloDeviceQueue   base;
  GhloVulkanDevice *device;
} Queue;

static GhloVulkanDevice *
device_of (GhloDeviceQueue *self)
{
  return ((Queue *) self)->device;
}

static GhloFence *
add_fence (GhloDeviceQueue *self,
           GhloWait         wait)
{
  return ghlo_vulkan_waiter_add (device_of (self)->waiter, wait);
}

static gboolean
submit (GhloDeviceQueue  *self,
        GError          **error)
{
  return ghlo_vulkan_queue_submit (device_of (self)->queue, NULL, error);
}

static gboolean
has_reached (GhloDeviceQueue  *self,
             guint64           value,
             GError          **error)
{
  return ghlo_vulkan_waiter_has_reached (device_of (self)->waiter, value, error);
}

static gboolean
watch (GhloDeviceQueue *self,
       guint64          value,
       gboolean         may_sleep)
{
  ghlo_vulkan_queue_submit (device_of (self)->queue, NULL, NULL);
  if (may_sleep)
    ghlo_vulkan_queue_sleep (device_of (self)->queue, value);
  else
    ghlo_vulkan_waiter_watch (device_of (self)->waiter, value);

  return may_sleep;
}

static void
settle (GhloDeviceQueue *self)
{
  ghlo_vulkan_queue_settle (device_of (self)->queue);
}

static gboolean
begin_timing (GhloDeviceQueue  *self,
              GError          **error)
{
  return ghlo_vulkan_stopwatch_start (device_of (self)->stopwatch, error);
}

static gboolean
end_timing (GhloDeviceQueue    *self,
            gint64             *nanoseconds,
            const GhloMonitor  *monitor,
            GError            **error)
{
  return ghlo_vulkan_stopwatch_stop (device_of (self)->stopwatch, nanoseconds, monitor, error);
}

GhloDeviceQueue *
ghlo_vulkan_device_queue_new (GhloVulkanDevice *device)
{
  static const GhloDeviceQueueClass klass = {
    .add_fence = add_fence, .submit = submit, .has_reached = has_reached, .watch = watch, .settle = settle,
    .begin_timing = begin_timing, .end_timing = end_timing,
  };
  Queue *self = g_new (Queue, 1);

  *self = (Queue) { { &klass, .is_host = device->is_cpu }, device };

  return &self->base;
}
