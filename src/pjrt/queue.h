/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The work queue of a client whose devices are in host memory. It runs one item at a time: the first one whose inputs
 * are ready, which mostly is the first one. In parallel with it, one item that calls the host may run. Devices with
 * queues of their own do not need this one.
 *
 * An execution may call the host, and the host may request more work on the same thread. If such a call would have to
 * wait for its own queue, it runs items of the queue in the meantime (ghlo_pjrt_queue_run_ready ()).
 */

#pragma once

#include "device/fence.h"

G_BEGIN_DECLS

typedef struct _GhloPjrtQueue GhloPjrtQueue;

typedef struct
{
  /* Runs the item. */
  void     (*run)      (gpointer data);
  /* Whether the item could run now without waiting. */
  gboolean (*is_ready) (gpointer data);
} GhloPjrtQueueClass;

GhloPjrtQueue *ghlo_pjrt_queue_new   (void);
void           ghlo_pjrt_queue_unref (GhloPjrtQueue *self);

/* Called before pushing an item that is not ready, for each end that it waits for: makes the queue look again at
 * that time. */
void ghlo_pjrt_queue_add_dependency (GhloPjrtQueue            *self,
                                     GhloFence                *fence);
/* Pushes an item. Waits while the maximum number of items is in flight. Where no threads can be started, the work
 * runs within the call. @calls_host: the item calls the host, and may need something that another thread holds. */
void ghlo_pjrt_queue_push           (GhloPjrtQueue            *self,
                                     const GhloPjrtQueueClass *klass,
                                     gpointer                  data,
                                     gboolean                  calls_host);
/* Waits until the queue is empty, unless an item calls the host or the caller's thread works in a queue. */
void ghlo_pjrt_queue_drain          (GhloPjrtQueue            *self);

/* Whether the caller's thread works in a queue. */
gboolean ghlo_pjrt_on_queue_thread (void);
/* On a thread that works in a queue, runs ready items of the queue until @fence (nullable) has ended or no item is
 * ready; elsewhere does nothing. Called before waiting for @fence. */
void     ghlo_pjrt_queue_run_ready (GhloFence *fence);

G_END_DECLS
