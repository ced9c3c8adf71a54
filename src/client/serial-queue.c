/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A queue of turns. The turn is either taken by one party or free, and then the queue is empty. Passing the turn on
 * orders accesses to the memory that it protects.
 */

#include "client/serial-queue.h"

#include "client/context-calls.h"
#include "client/workers.h"

typedef enum { ITEM_WORKER, ITEM_APPLY, ITEM_WAITER } ItemKind;

typedef struct
{
  ItemKind            kind;
  GhloSerialQueueFunc func;
  gpointer            data;
  gboolean            granted;  /* of a waiter, which frees its item; guarded by the lock */
} Item;

void
ghlo_serial_queue_init (GhloSerialQueue *self)
{
  g_mutex_init (&self->lock);
  g_queue_init (&self->items);
  self->taken = FALSE;
}

void
ghlo_serial_queue_clear (GhloSerialQueue *self)
{
  g_mutex_clear (&self->lock);
}

static Item *
item_new (ItemKind            kind,
          GhloSerialQueueFunc func,
          gpointer            data)
{
  Item *item = g_new0 (Item, 1);

  item->kind = kind;
  item->func = func;
  item->data = data;

  return item;
}

/* Returns TRUE when the turn was free and now belongs to the caller. Otherwise @item (nullable) is queued as number
 * @n of those that wait, or at the end for -1. */
static gboolean
take_or_queue (GhloSerialQueue *self,
               Item            *item,
               int              n)
{
  gboolean mine;

  g_mutex_lock (&self->lock);
  mine = !self->taken;
  self->taken = TRUE;
  if (!mine && item != NULL)
    g_queue_push_nth (&self->items, item, n);
  g_mutex_unlock (&self->lock);

  return mine;
}

static void
work_item (gpointer data,
           gpointer user_data)
{
  g_autofree Item *item = data;

  item->func (item->data);
}

gboolean
ghlo_serial_queue_push (GhloSerialQueue    *self,
                        GhloSerialQueueFunc func,
                        gpointer            data,
                        GError            **error)
{
  Item *item = item_new (ITEM_WORKER, func, data);

  if (!take_or_queue (self, item, -1) || ghlo_workers_push (GHLO_WORKERS_RUN, work_item, item, error))
    return TRUE;

  g_free (item);
  ghlo_serial_queue_end (self);

  return FALSE;
}

static void
apply (GhloSerialQueue    *self,
       GhloSerialQueueFunc func,
       gpointer            data,
       int                 n)
{
  Item *item = item_new (ITEM_APPLY, func, data);

  if (!take_or_queue (self, item, n))
    return;

  g_free (item);
  func (data);
  ghlo_serial_queue_end (self);
}

void
ghlo_serial_queue_apply (GhloSerialQueue    *self,
                         GhloSerialQueueFunc func,
                         gpointer            data)
{
  apply (self, func, data, -1);
}

void
ghlo_serial_queue_apply_next (GhloSerialQueue    *self,
                              GhloSerialQueueFunc func,
                              gpointer            data)
{
  apply (self, func, data, 0);
}

static void
wake (GCancellable *cancellable,
      gpointer      data)
{
  ghlo_context_wake ();
}

typedef struct
{
  GhloSerialQueue *queue;
  const Item      *item;
  GCancellable    *cancellable;
} Wait;

static gboolean
is_over (gpointer data)
{
  const Wait *wait = data;
  gboolean granted;

  g_mutex_lock (&wait->queue->lock);
  granted = wait->item->granted;
  g_mutex_unlock (&wait->queue->lock);

  return granted || g_cancellable_is_cancelled (wait->cancellable);
}

gboolean
ghlo_serial_queue_wait (GhloSerialQueue *self,
                        GCancellable    *cancellable)
{
  Item *item;
  gboolean granted;
  gulong handler = 0;

  /* The common case without contention, in which nothing is allocated. */
  if (take_or_queue (self, NULL, -1))
    return TRUE;
  item = item_new (ITEM_WAITER, NULL, NULL);
  granted = take_or_queue (self, item, -1);
  if (granted)
    {
      g_free (item);
      return TRUE;
    }

  if (cancellable != NULL)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (wake), NULL, NULL);
  /* This thread may be the one that has to run a custom call of the turn before. */
  ghlo_context_serve (is_over, &(Wait) { self, item, cancellable });
  g_mutex_lock (&self->lock);
  granted = item->granted;
  if (!granted)
    g_queue_remove (&self->items, item);
  g_mutex_unlock (&self->lock);
  if (handler != 0)
    g_cancellable_disconnect (cancellable, handler);
  g_free (item);

  return granted;
}

/* Returns the next item in the queue, or NULL when the turn is free now or was given to a waiter. */
static Item *
next_item (GhloSerialQueue *self)
{
  gboolean is_granted;
  Item *item;

  g_mutex_lock (&self->lock);
  item = g_queue_pop_head (&self->items);
  is_granted = item != NULL && item->kind == ITEM_WAITER;
  if (item == NULL)
    self->taken = FALSE;
  else if (is_granted)
    item->granted = TRUE;
  g_mutex_unlock (&self->lock);

  if (is_granted)
    {
      ghlo_context_wake ();
      return NULL;
    }

  return item;
}

void
ghlo_serial_queue_end (GhloSerialQueue *self)
{
  for (Item *item = next_item (self); item != NULL; item = next_item (self))
    {
      if (item->kind == ITEM_WORKER)
        {
          /* Where no thread can be started, this thread does the work. */
          if (!ghlo_workers_push (GHLO_WORKERS_RUN, work_item, item, NULL))
            work_item (item, NULL);
          return;
        }
      work_item (item, NULL);
    }
}
