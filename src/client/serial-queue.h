/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Turns: work of several kinds that happens one at a time in the order in which it
 * was asked for. Whoever ends a turn gives it to the next one: a worker, a thread
 * that waits, or a function that takes no time.
 *
 * The lock guards the queue alone; it is never held while a turn is worked in.
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  GMutex   lock;        /* guards what follows */
  GQueue   items;       /* what waits for a turn, in order */
  gboolean taken;
} GhloSerialQueue;

typedef void (*GhloSerialQueueFunc) (gpointer data);

void     ghlo_serial_queue_init  (GhloSerialQueue     *self);
void     ghlo_serial_queue_clear (GhloSerialQueue     *self);

/* Has a worker call @func when its turn comes; @func ends the turn. */
gboolean ghlo_serial_queue_push  (GhloSerialQueue    *self,
                                  GhloSerialQueueFunc func,
                                  gpointer            data,
                                  GError            **error);
/* Calls @func, which is quick and frees @data, in its turn: now where nothing else
 * has the turn, otherwise on the thread that ends the one before. */
void     ghlo_serial_queue_apply (GhloSerialQueue    *self,
                                  GhloSerialQueueFunc func,
                                  gpointer            data);
/* The same in the turn after the one that is taken. */
void     ghlo_serial_queue_apply_next (GhloSerialQueue    *self,
                                       GhloSerialQueueFunc func,
                                       gpointer            data);
/* Waits for a turn, which ghlo_serial_queue_end() ends. FALSE when @cancellable came first. */
gboolean ghlo_serial_queue_wait  (GhloSerialQueue    *self,
                                  GCancellable       *cancellable);
void     ghlo_serial_queue_end   (GhloSerialQueue     *self);

G_END_DECLS
