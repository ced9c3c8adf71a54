/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A queue of turns: work of several kinds that runs one piece at a time, in the order in which it was requested.
 * Whoever ends a turn passes it to the next in the queue: a worker, a waiting thread, or a function that is quick.
 *
 * The lock guards the queue only; it is never held while the work of a turn runs.
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  GMutex   lock;        /* guards the fields below */
  GQueue   items;       /* the work that waits for a turn, in order */
  gboolean taken;
} GhloSerialQueue;

typedef void (*GhloSerialQueueFunc) (gpointer data);

void     ghlo_serial_queue_init  (GhloSerialQueue     *self);
void     ghlo_serial_queue_clear (GhloSerialQueue     *self);

/* Makes a worker call @func when its turn comes; @func ends the turn. */
gboolean ghlo_serial_queue_push  (GhloSerialQueue    *self,
                                  GhloSerialQueueFunc func,
                                  gpointer            data,
                                  GError            **error);
/* Calls @func, which must be quick and free @data, in its turn: now when nothing else has the turn, otherwise on the
 * thread that ends the turn before. */
void     ghlo_serial_queue_apply (GhloSerialQueue    *self,
                                  GhloSerialQueueFunc func,
                                  gpointer            data);
/* The same, but in the turn directly after the one that is taken. */
void     ghlo_serial_queue_apply_next (GhloSerialQueue    *self,
                                       GhloSerialQueueFunc func,
                                       gpointer            data);
/* Waits for a turn, which the caller ends with ghlo_serial_queue_end (). Returns FALSE when @cancellable was
 * cancelled first. */
gboolean ghlo_serial_queue_wait  (GhloSerialQueue    *self,
                                  GCancellable       *cancellable);
void     ghlo_serial_queue_end   (GhloSerialQueue     *self);

G_END_DECLS
