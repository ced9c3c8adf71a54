/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A queue in host memory, of two lanes: one for what calls the host, which may wait there for what the other has. Each
 * has a worker while there is something ready in it, who takes one thing after the other, so that what follows closely
 * wakes nobody, and who waits for nothing that is in a lane.
 */

#include "pjrt/queue.h"

#include "client/workers.h"

/* As many as XLA's CPU has in flight: callers that never wait would else keep the inputs of all that they ask for. */
enum { MAX_IN_FLIGHT = 32 };

typedef struct
{
  const GhloPjrtQueueClass *klass;
  gpointer                  data;
} Item;

enum { QUIET, CALLING, N_LANES };

typedef struct
{
  GhloPjrtQueue *queue;
  GQueue         items;         /* what waits, owned; guarded by the queue's lock, as the next two */
  guint          n_in_flight;   /* of them, and of what is being done */
  gboolean       is_worked;     /* there is a worker */
} Lane;

struct _GhloPjrtQueue
{
  gatomicrefcount ref_count;    /* the client's, and the workers' */
  GMutex          lock;         /* not held while something is done */
  GCond           changed;      /* something has been done */
  Lane            lanes[N_LANES];
};

/* Where the thread works; NULL: nowhere. */
static GPrivate here = G_PRIVATE_INIT (NULL);

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

/* The first thing that would not wait; NULL where there is none. A worker leaves then. */
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

/* Takes the worker's reference over. */
static void
work (gpointer data,
      G_GNUC_UNUSED gpointer user_data)
{
  Lane *lane = data;
  GhloPjrtQueue *self = lane->queue, *outer = g_private_get (&here);

  g_private_set (&here, self);
  for (Item *item = next_item (lane, TRUE); item != NULL; item = next_item (lane, TRUE))
    do_item (lane, item);
  g_private_set (&here, outer);
  ghlo_pjrt_queue_unref (self);
}

/* The lock is held. TRUE: the caller is to start a worker, without the lock. */
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
ghlo_pjrt_queue_expect (GhloPjrtQueue *self,
                        GhloPending   *pending)
{
  g_atomic_ref_count_inc (&self->ref_count);
  ghlo_pending_notify (pending, look_again, self);
}

/* The lock is held. The caller may be who is about to have the queue look again, so there has to be a worker. */
static void
wait_for_room (Lane *lane)
{
  if (lane->n_in_flight < MAX_IN_FLIGHT || ghlo_pjrt_queue_is_here ())
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
  Lane *lane = &self->lanes[calls_host ? CALLING : QUIET];
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
  if (ghlo_pjrt_queue_is_here ())
    return;
  g_mutex_lock (&self->lock);
  while (self->lanes[QUIET].n_in_flight > 0 && self->lanes[CALLING].n_in_flight == 0)
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);
}

gboolean
ghlo_pjrt_queue_is_here (void)
{
  return g_private_get (&here) != NULL;
}

void
ghlo_pjrt_queue_help (GhloPending *pending)
{
  GhloPjrtQueue *self = g_private_get (&here);

  if (self == NULL)
    return;
  for (guint i = 0; i < N_LANES && !ghlo_pending_is_done (pending);)
    {
      Item *item = next_item (&self->lanes[i], FALSE);

      if (item != NULL)
        do_item (&self->lanes[i], item);
      /* What was done may be what something else waited for. */
      i = item != NULL ? 0 : i + 1;
    }
}
