/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a client's devices in host memory have to do, one thing at a time: the first one of which all is there that it
 * needs, which is mostly the first one; and beside it one thing that calls the host. Devices with queues of their own
 * need none.
 *
 * An execution may call the host, which may come back for more on the same thread. What would have to wait for its own
 * queue there does what is in the queue instead (ghlo_pjrt_queue_help ()).
 */

#pragma once

#include "runtime/pending.h"

G_BEGIN_DECLS

typedef struct _GhloPjrtQueue GhloPjrtQueue;

typedef struct
{
  /* Does it, in its turn. */
  void     (*run)      (gpointer data);
  /* Whether it would wait for nothing now. */
  gboolean (*is_ready) (gpointer data);
} GhloPjrtQueueClass;

GhloPjrtQueue *ghlo_pjrt_queue_new    (void);
void           ghlo_pjrt_queue_unref  (GhloPjrtQueue     *self);

/* Before the next, of something that is not ready, for each end that it waits for: the queue looks again then. */
void           ghlo_pjrt_queue_expect (GhloPjrtQueue            *self,
                                       GhloPending              *pending);
/* Waits while as much as may be in flight is. Where there are no threads, all of it is done within the call.
 * @calls_host: it may need what other threads have. */
void           ghlo_pjrt_queue_push   (GhloPjrtQueue            *self,
                                       const GhloPjrtQueueClass *klass,
                                       gpointer                  data,
                                       gboolean                  calls_host);
/* Waits until all is done, unless some of it calls the host, or the caller's thread works in a queue. */
void           ghlo_pjrt_queue_drain  (GhloPjrtQueue            *self);

/* Whether the caller's thread is one that works in a queue. */
gboolean       ghlo_pjrt_queue_is_here (void);
/* There, does what is ready of what waits in the queue until @pending has ended; elsewhere nothing. For whoever is
 * about to wait for @pending (nullable). */
void           ghlo_pjrt_queue_help    (GhloPending             *pending);

G_END_DECLS
