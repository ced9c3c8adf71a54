/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A queue in host memory. It has a worker while there is something ready in it, who takes one thing after the other, so
 * that what follows closely wakes nobody, and who never waits.
 */

#include "pjrt/queue.h"

#include "client/workers.h"

/* As many as XLA's CPU has in flight: callers that never wait would else keep the inputs of all that they ask for. */
enum { MAX_IN_FLIGHT = 32 };

typedef struct
{
  const GhloPjrtQueueClass *klass;
  gpointer                  data;
  gboolean                  calls_host;
} Item;

struct _GhloPjrtQueue
{
  gatomicrefcount ref_count;    /* the client's, and the worker's */
  GMutex          lock;         /* guards what follows; not held while something is done */
  GCond           changed;      /* something has been done */
  GQueue          items;        /* what waits, owned */
  guint           n_in_flight;  /* of them, and of what is being done */
  guint           n_calling;    /* of these that call the host */
  gboolean        is_worked;    /* there is a worker */
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
  g_queue_init (&self->items);

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
do_item (GhloPjrtQueue *self,
         Item          *owned)
{
  g_autofree Item *item = owned;

  item->klass->run (item->data);
  g_mutex_lock (&self->lock);
  self->n_in_flight--;
  self->n_calling -= item->calls_host;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* The first thing that would not wait; NULL where there is none. A worker leaves then. */
static Item *
next_item (GhloPjrtQueue *self,
           gboolean       is_worker)
{
  Item *item = NULL;

  g_mutex_lock (&self->lock);
  for (GList *link = self->items.head; link != NULL; link = link->next)
    if (((Item *) link->data)->klass->is_ready (((Item *) link->data)->data))
      {
        item = link->data;
        g_queue_delete_link (&self->items, link);
        break;
      }
  if (item == NULL && is_worker)
    self->is_worked = FALSE;
  g_mutex_unlock (&self->lock);

  return item;
}

/* Takes the worker's reference over. */
static void
work (gpointer data,
      G_GNUC_UNUSED gpointer user_data)
{
  GhloPjrtQueue *self = data, *outer = g_private_get (&here);

  g_private_set (&here, self);
  for (Item *item = next_item (self, TRUE); item != NULL; item = next_item (self, TRUE))
    do_item (self, item);
  g_private_set (&here, outer);
  ghlo_pjrt_queue_unref (self);
}

/* The lock is held. TRUE: the caller is to start a worker, without the lock. */
static gboolean
needs_worker (GhloPjrtQueue *self)
{
  if (self->is_worked)
    return FALSE;
  self->is_worked = TRUE;
  g_atomic_ref_count_inc (&self->ref_count);

  return TRUE;
}

static void
start_worker (GhloPjrtQueue *self)
{
  if (!ghlo_workers_push (GHLO_WORKERS_RUN, work, self, NULL))
    work (self, NULL);
}

static void
look_again (gpointer data)
{
  GhloPjrtQueue *self = data;
  gboolean starts;

  g_mutex_lock (&self->lock);
  starts = self->items.length > 0 && needs_worker (self);
  g_mutex_unlock (&self->lock);
  if (starts)
    start_worker (self);
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
wait_for_room (GhloPjrtQueue *self)
{
  if (self->n_in_flight < MAX_IN_FLIGHT || ghlo_pjrt_queue_is_here ())
    return;
  if (needs_worker (self))
    {
      g_mutex_unlock (&self->lock);
      start_worker (self);
      g_mutex_lock (&self->lock);
    }
  while (self->n_in_flight >= MAX_IN_FLIGHT)
    g_cond_wait (&self->changed, &self->lock);
}

void
ghlo_pjrt_queue_push (GhloPjrtQueue            *self,
                      const GhloPjrtQueueClass *klass,
                      gpointer                  data,
                      gboolean                  calls_host)
{
  Item *item = g_new (Item, 1);
  gboolean starts;

  *item = (Item) { klass, data, calls_host };
  g_mutex_lock (&self->lock);
  wait_for_room (self);
  g_queue_push_tail (&self->items, item);
  self->n_in_flight++;
  self->n_calling += calls_host;
  starts = needs_worker (self);
  g_mutex_unlock (&self->lock);
  if (starts)
    start_worker (self);
}

void
ghlo_pjrt_queue_drain (GhloPjrtQueue *self)
{
  if (ghlo_pjrt_queue_is_here ())
    return;
  g_mutex_lock (&self->lock);
  while (self->n_in_flight > 0 && self->n_calling == 0)
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
  while (!ghlo_pending_is_done (pending))
    {
      Item *item = next_item (self, FALSE);

      if (item == NULL)
        return;
      do_item (self, item);
    }
}
