/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A work queue for devices in host memory, with two lanes. The second lane is for items that call the host, where
 * they may have to wait for items of the first lane. A lane has a worker while it has ready items. The worker takes
 * one item after the other, so that a quick succession of items wakes no thread, and it never waits for an item in a
 * lane.
 */

#include "pjrt/queue.h"

#include "client/workers.h"

/* The same limit as in XLA's CPU client. Without a limit, callers that never wait would keep the inputs of
 * everything that they request. */
enum { MAX_IN_FLIGHT = 32 };

typedef struct
{
  const GhloPjrtQueueClass *klass;
  gpointer                  data;
} Item;

enum { LANE_DEVICE, LANE_HOST_CALL, N_LANES };

typedef struct
{
  GhloPjrtQueue *queue;
  GQueue         items;         /* waiting items, owned; guarded by the queue's lock, as are the next two */
  guint          n_in_flight;   /* waiting items and the item that runs */
  gboolean       is_worked;     /* whether there is a worker */
} Lane;

struct _GhloPjrtQueue
{
  gatomicrefcount ref_count;    /* the client's reference, and those of the workers */
  GMutex          lock;         /* not held while an item runs */
  GCond           changed;      /* signalled when an item has run */
  Lane            lanes[N_LANES];
};

/* The queue in which the current thread works, or NULL. */
static GPrivate current_queue = G_PRIVATE_INIT (NULL);

GhloPjrtQueue *
ghlo_pjrt_queue_new (void)
{
  GhloPjrtQueue *self = g_new0 (GhloPjrtQueue, 1);

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  for (guint i = 0; i < N_LANES; i++)
    {
      self->lanes[i].queue = self;
      g_queue_init (&self->lanes[i].items);
    }

  return self;
}

void
ghlo_pjrt_queue_unref (GhloPjrtQueue *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

static void
do_item (Lane *lane,
         Item *owned)
{
  g_autofree Item *item = owned;

  item->klass->run (item->data);
  g_mutex_lock (&lane->queue->lock);
  lane->n_in_flight--;
  g_cond_broadcast (&lane->queue->changed);
  g_mutex_unlock (&lane->queue->lock);
}

/* Removes and returns the first item that would not wait, or NULL. A worker that gets NULL has to leave. */
static Item *
next_item (Lane     *lane,
           gboolean  is_worker)
{
  Item *item = NULL;

  g_mutex_lock (&lane->queue->lock);
  for (GList *link = lane->items.head; link != NULL; link = link->next)
    if (((Item *) link->data)->klass->is_ready (((Item *) link->data)->data))
      {
        item = link->data;
        g_queue_delete_link (&lane->items, link);
        break;
      }
  if (item == NULL && is_worker)
    lane->is_worked = FALSE;
  g_mutex_unlock (&lane->queue->lock);

  return item;
}

/* Takes over the worker's reference. */
static void
work (gpointer               data,
      G_GNUC_UNUSED gpointer user_data)
{
  Lane *lane = data;
  GhloPjrtQueue *self = lane->queue, *outer = g_private_get (&current_queue);

  g_private_set (&current_queue, self);
  for (Item *item = next_item (lane, TRUE); item != NULL; item = next_item (lane, TRUE))
    do_item (lane, item);
  g_private_set (&current_queue, outer);
  ghlo_pjrt_queue_unref (self);
}

/* Called with the lock held. When it returns TRUE, the caller has to start a worker after releasing the lock. */
static gboolean
needs_worker (Lane *lane)
{
  if (lane->is_worked || lane->items.length == 0)
    return FALSE;
  lane->is_worked = TRUE;
  g_atomic_ref_count_inc (&lane->queue->ref_count);

  return TRUE;
}

static void
start_worker (Lane *lane)
{
  if (!ghlo_workers_push (GHLO_WORKERS_CALL, work, lane, NULL))
    work (lane, NULL);
}

static void
look_again (gpointer data)
{
  GhloPjrtQueue *self = data;
  gboolean starts[N_LANES];

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < N_LANES; i++)
    starts[i] = needs_worker (&self->lanes[i]);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < N_LANES; i++)
    if (starts[i])
      start_worker (&self->lanes[i]);
  ghlo_pjrt_queue_unref (self);
}

void
ghlo_pjrt_queue_add_dependency (GhloPjrtQueue *self,
                                GhloFence     *fence)
{
  g_atomic_ref_count_inc (&self->ref_count);
  ghlo_fence_notify (fence, look_again, self);
}

/* Called with the lock held. The caller may be the thread that would otherwise make the queue look again, so make
 * sure that there is a worker. */
static void
wait_for_room (Lane *lane)
{
  if (lane->n_in_flight < MAX_IN_FLIGHT || ghlo_pjrt_on_queue_thread ())
    return;
  if (needs_worker (lane))
    {
      g_mutex_unlock (&lane->queue->lock);
      start_worker (lane);
      g_mutex_lock (&lane->queue->lock);
    }
  while (lane->n_in_flight >= MAX_IN_FLIGHT)
    g_cond_wait (&lane->queue->changed, &lane->queue->lock);
}

void
ghlo_pjrt_queue_push (GhloPjrtQueue            *self,
                      const GhloPjrtQueueClass *klass,
                      gpointer                  data,
                      gboolean                  calls_host)
{
  Lane *lane = &self->lanes[calls_host ? LANE_HOST_CALL : LANE_DEVICE];
  Item *item = g_new (Item, 1);
  gboolean starts;

  *item = (Item) { klass, data };
  g_mutex_lock (&self->lock);
  wait_for_room (lane);
  g_queue_push_tail (&lane->items, item);
  lane->n_in_flight++;
  starts = needs_worker (lane);
  g_mutex_unlock (&self->lock);
  if (starts)
    start_worker (lane);
}

void
ghlo_pjrt_queue_drain (GhloPjrtQueue *self)
{
  if (ghlo_pjrt_on_queue_thread ())
    return;
  g_mutex_lock (&self->lock);
  while (self->lanes[LANE_DEVICE].n_in_flight > 0 && self->lanes[LANE_HOST_CALL].n_in_flight == 0)
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);
}

gboolean
ghlo_pjrt_on_queue_thread (void)
{
  return g_private_get (&current_queue) != NULL;
}

void
ghlo_pjrt_queue_run_ready (GhloFence *fence)
{
  GhloPjrtQueue *self = g_private_get (&current_queue);

  if (self == NULL)
    return;
  for (guint i = 0; i < N_LANES && !ghlo_fence_is_done (fence);)
    {
      Item *item = next_item (&self->lanes[i], FALSE);

      if (item != NULL)
        do_item (&self->lanes[i], item);
      /* The item may have been what another one waited for. */
      i = item != NULL ? 0 : i + 1;
    }
}
