/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The queue of the fake device (device/queue.h). Its thread signals the fences itself, so that there is nothing to ask,
 * to watch or to sleep for; and what is put in begins at once, so that there is nothing to submit.
 *
 * Work fails on the queue's thread, long after the calls that put it in. The error belongs to whoever did, and is that
 * of the fence that the same thread adds next. A device that cannot tell whose work failed reports a loss to all.
 */

#include "calls.h"

typedef struct
{
  FakeTaskFunc  func;         /* NULL: a fence */
  gpointer      data;
  GhloFence    *fence;        /* owned */
  GThread      *owner;        /* that put it in; NULL: a fence that takes nobody's error */
} Task;

typedef struct
{
  GhloDeviceQueue  base;
  GhloDeviceCore  *device;
  GThreadPool     *thread;    /* one at most; of Task */
  GMutex           lock;      /* guards what follows */
  guint64          n_put, n_done;
  GHashTable      *errors;    /* of threads whose work has failed since their last fence: their first GError, owned */
} Queue;

static Queue *
queue_of (GhloDeviceQueue *self)
{
  return (Queue *) self;
}

/* Called with the lock held. */
static GError *
take_error (Queue   *self,
            GThread *owner)
{
  gpointer error = NULL;

  g_hash_table_steal_extended (self->errors, owner, NULL, &error);

  return error;
}

/* Everything that the task did is finished when others learn of it. */
static void
perform (gpointer data,
         gpointer queue)
{
  g_autofree Task *task = data;
  Queue *self = queue;
  g_autoptr (GError) error = NULL;

  if (task->func != NULL)
    task->func (task->data, &error);
  g_mutex_lock (&self->lock);
  if (task->fence != NULL)
    error = take_error (self, task->owner);
  else if (error != NULL && !g_hash_table_contains (self->errors, task->owner))
    g_hash_table_insert (self->errors, task->owner, g_steal_pointer (&error));
  self->n_done++;
  g_mutex_unlock (&self->lock);
  fake_count (FAKE_TASKS, -1);
  if (task->fence != NULL)
    {
      ghlo_fence_signal (task->fence, g_steal_pointer (&error));
      ghlo_fence_unref (task->fence);
    }
}

static void
put (Queue   *self,
     Task     task,
     GThread *owner)
{
  task.owner = owner;
  fake_count (FAKE_TASKS, 1);
  g_mutex_lock (&self->lock);
  self->n_put++;
  g_thread_pool_push (self->thread, g_memdup2 (&task, sizeof task), NULL);
  g_mutex_unlock (&self->lock);
}

void
fake_queue_put (GhloDeviceQueue *self,
                FakeTaskFunc     func,
                gpointer         data)
{
  put (queue_of (self), (Task) { .func = func, .data = data }, g_thread_self ());
}

gboolean
fake_queue_is_idle (GhloDeviceQueue *self)
{
  Queue *queue = queue_of (self);
  gboolean is_idle;

  g_mutex_lock (&queue->lock);
  is_idle = queue->n_done == queue->n_put;
  g_mutex_unlock (&queue->lock);

  return is_idle;
}

gboolean
fake_queue_finish (GhloDeviceQueue    *self,
                   const GhloMonitor  *monitor,
                   GError            **error)
{
  g_autoptr (GhloFence) end = NULL;

  if (fake_queue_is_idle (self))
    return TRUE;
  end = ghlo_fence_new ();
  put (queue_of (self), (Task) { .fence = ghlo_fence_ref (end) }, NULL);

  return ghlo_fence_wait (end, monitor, error);
}

static GhloFence *
add_fence (GhloDeviceQueue *self,
           GhloWait         wait)
{
  Queue *queue = queue_of (self);
  gboolean has_ended;
  GhloFence *fence;

  g_mutex_lock (&queue->lock);
  has_ended = queue->n_done == queue->n_put && !g_hash_table_contains (queue->errors, g_thread_self ());
  g_mutex_unlock (&queue->lock);
  if (has_ended)
    return NULL;
  fence = ghlo_fence_new ();
  put (queue, (Task) { .fence = ghlo_fence_ref (fence) }, g_thread_self ());

  return fence;
}

static gboolean
submit (GhloDeviceQueue  *self,
        GError          **error)
{
  return ghlo_device_core_check (queue_of (self)->device, error);
}

/* Called where a run has failed, so nobody adds a fence for what it put in. */
static void
settle (GhloDeviceQueue *self)
{
  Queue *queue = queue_of (self);
  g_autoptr (GError) error = NULL;

  fake_queue_finish (self, NULL, NULL);
  g_mutex_lock (&queue->lock);
  error = take_error (queue, g_thread_self ());
  g_mutex_unlock (&queue->lock);
}

static gboolean
begin_timing (GhloDeviceQueue  *self,
              GError          **error)
{
  return ghlo_device_core_check (queue_of (self)->device, error);
}

/* It has no clock: the caller takes the time. */
static gboolean
end_timing (GhloDeviceQueue    *self,
            gint64             *nanoseconds,
            const GhloMonitor  *monitor,
            GError            **error)
{
  g_autoptr (GhloFence) fence = add_fence (self, GHLO_WAIT_IN_RUN);

  *nanoseconds = -1;

  return ghlo_fence_wait (fence, monitor, error);
}

static void
free_error (gpointer error)
{
  g_error_free (error);
}

GhloDeviceQueue *
fake_queue_new (GhloDeviceCore *device)
{
  static const GhloDeviceQueueClass klass = {
    .add_fence = add_fence, .submit = submit, .settle = settle, .begin_timing = begin_timing, .end_timing = end_timing,
  };
  Queue *self = g_new0 (Queue, 1);

  self->base.klass = &klass;
  self->device = device;
  self->thread = g_thread_pool_new (perform, self, 1, FALSE, NULL);
  g_mutex_init (&self->lock);
  self->errors = g_hash_table_new_full (NULL, NULL, NULL, free_error);

  return &self->base;
}
