/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pending work is a list ordered by timeline value. The thread is created for the first callback; threads that wait
 * sleep in the driver themselves. It waits for the first value in the list. At exit it is told to leave the driver,
 * whose destructors run then.
 */

#include "vulkan/waiter.h"

#include "base/ghlo-error.h"
#include "base/stack.h"
#include "vulkan/queue.h"

/* µs that exit waits for the thread, which checks more often than that whether it should stop. */
#define EXIT_TIME (200 * G_TIME_SPAN_MILLISECOND)

typedef struct
{
  guint64      value;
  GhloFence *fence;
} Entry;

struct _GhloVulkanWaiter
{
  GhloVulkanDevice *device;
  GMutex            lock;           /* guards the fields below */
  GCond             changed;
  GQueue            entries;        /* of Entry, ordered by value */
  guint64           watched;        /* the value up to which callbacks are to be made */
  gboolean          has_thread, stops;
};

/* For the exit handler. */
static struct
{
  GMutex     lock;                  /* guards @waiters */
  GPtrArray *waiters;               /* those with a thread */
} running;

GhloVulkanWaiter *
ghlo_vulkan_waiter_new (GhloVulkanDevice *device)
{
  GhloVulkanWaiter *self = g_new0 (GhloVulkanWaiter, 1);

  self->device = device;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);

  return self;
}

/* A device is only closed if opening it failed, so no thread has been started. */
void
ghlo_vulkan_waiter_free (GhloVulkanWaiter *self)
{
  g_assert (!self->has_thread && g_queue_is_empty (&self->entries));
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

static GError *
make_error (const GhloVulkanDevice *device)
{
  return ghlo_device_core_is_lost (&device->core)
         ? g_error_new (GHLO_ERROR, GHLO_ERROR_DEVICE_LOST, "the device '%s' went away while it computed",
                        device->core.names[0])
         : NULL;
}

gboolean
ghlo_vulkan_waiter_has_reached (GhloVulkanWaiter  *self,
                                guint64            value,
                                GError           **error)
{
  if (ghlo_vulkan_queue_reached (self->device->queue, value) < value)
    return FALSE;
  *error = make_error (self->device);

  return TRUE;
}

/* Takes the first entry, if the timeline has passed it or, with @only_done, if somebody has already seen it end. Called
 * with the lock held. */
static Entry *
take_ended (GhloVulkanWaiter *self,
            guint64           reached,
            gboolean          only_done)
{
  const Entry *first = g_queue_peek_head (&self->entries);
  gboolean is_ended = first != NULL && (only_done ? ghlo_fence_is_done (first->fence) : first->value <= reached);

  return is_ended ? g_queue_pop_head (&self->entries) : NULL;
}

static void
free_entry (Entry *entry)
{
  ghlo_fence_unref (entry->fence);
  g_free (entry);
}

/* Ends all entries that the timeline has passed; callbacks are called without the lock. */
static void
settle (GhloVulkanWaiter *self)
{
  guint64 reached = ghlo_vulkan_queue_reached (self->device->queue, G_MAXUINT64);
  Entry *entry;

  do
    {
      g_mutex_lock (&self->lock);
      entry = take_ended (self, reached, FALSE);
      g_mutex_unlock (&self->lock);
      if (entry != NULL)
        {
          ghlo_fence_signal (entry->fence, make_error (self->device));
          free_entry (entry);
        }
    }
  while (entry != NULL);
}

static gboolean
is_wanted (GhloVulkanWaiter *self)
{
  const Entry *first = g_queue_peek_head (&self->entries);

  return first != NULL && first->value <= self->watched;
}

/* Waits for the first entry. Called with the lock held, which is released meanwhile. */
static void
await_first (GhloVulkanWaiter *self)
{
  guint64 value = ((const Entry *) g_queue_peek_head (&self->entries))->value;

  g_mutex_unlock (&self->lock);
  ghlo_vulkan_queue_sleep (self->device->queue, value);
  settle (self);
  g_mutex_lock (&self->lock);
}

static gpointer
work (gpointer data)
{
  GhloVulkanWaiter *self = data;

  g_mutex_lock (&self->lock);
  while (!self->stops)
    if (is_wanted (self))
      await_first (self);
    else
      g_cond_wait (&self->changed, &self->lock);
  self->has_thread = FALSE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);

  return NULL;
}

static void
stop (GhloVulkanWaiter *self)
{
  gint64 end = g_get_monotonic_time () + EXIT_TIME;

  g_mutex_lock (&self->lock);
  self->stops = TRUE;
  g_cond_broadcast (&self->changed);
  while (self->has_thread && g_cond_wait_until (&self->changed, &self->lock, end))
    ;
  g_mutex_unlock (&self->lock);
}

static void
stop_all (void)
{
  g_mutex_lock (&running.lock);
  for (guint i = 0; i < running.waiters->len; i++)
    stop (running.waiters->pdata[i]);
  g_mutex_unlock (&running.lock);
}

/* Where no thread can be started, the caller's thread waits. */
static void
start_thread (GhloVulkanWaiter *self)
{
  if (!ghlo_thread_start ("ghlo-vulkan", work, self, NULL))
    {
      g_mutex_lock (&self->lock);
      while (is_wanted (self))
        await_first (self);
      self->has_thread = FALSE;
      g_mutex_unlock (&self->lock);
      return;
    }

  g_mutex_lock (&running.lock);
  if (running.waiters == NULL)
    {
      running.waiters = g_ptr_array_new ();
      atexit (stop_all);
    }
  g_ptr_array_add (running.waiters, self);
  g_mutex_unlock (&running.lock);
}

void
ghlo_vulkan_waiter_watch (GhloVulkanWaiter *self,
                          guint64           value)
{
  gboolean is_first;

  g_mutex_lock (&self->lock);
  self->watched = MAX (self->watched, value);
  is_first = !self->has_thread && !self->stops;
  self->has_thread |= is_first;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  if (is_first)
    start_thread (self);
}

GhloFence *
ghlo_vulkan_waiter_add (GhloVulkanWaiter *self,
                        GhloWait          wait)
{
  Entry *entry = g_new (Entry, 1), *ended;
  GhloFence *fence;

  g_mutex_lock (&self->lock);
  while ((ended = take_ended (self, 0, TRUE)) != NULL)
    free_entry (ended);
  entry->value = ghlo_vulkan_queue_value (self->device->queue);
  fence = ghlo_fence_new_at (self->device->core.queue, entry->value, wait);
  entry->fence = ghlo_fence_ref (fence);
  g_queue_push_tail (&self->entries, entry);
  g_mutex_unlock (&self->lock);

  return fence;
}
