/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The end of work that continues after the call that began it: of a run, or of a copy on a device's queue. A fence is
 * signaled once, with or without an error. Threads may wait for that or register callbacks. Reference-counted
 * atomically, thread-safe.
 *
 * NULL stands for work that has ended without an error: what a device completes within the call needs no fence.
 */

#pragma once

#include "base/monitor.h"

G_BEGIN_DECLS

typedef struct _GhloDeviceQueue GhloDeviceQueue;
typedef struct _GhloFence       GhloFence;

typedef void (*GhloFenceFunc) (gpointer data);

/* Returns a fence that is signaled with ghlo_fence_signal (). Only the first call of that counts; it takes ownership of
 * @error, which is NULL on success, and runs the callbacks on the calling thread. */
GhloFence    *ghlo_fence_new       (void);
void          ghlo_fence_signal    (GhloFence          *self,
                                    GError             *error);
/* For a device: a fence that is also signaled by any thread that finds that @queue has reached @value; @wait is a
 * GhloWait. */
GhloFence    *ghlo_fence_new_at    (GhloDeviceQueue    *queue,
                                    guint64             value,
                                    int                 wait);

GhloFence    *ghlo_fence_ref       (GhloFence          *self);
void          ghlo_fence_unref     (GhloFence          *self);

/* The following functions accept NULL for @self. */
/* Returns whether the fence is known to be signaled; does not query the device. */
gboolean      ghlo_fence_is_done   (GhloFence          *self);
/* The same, but asks the device's queue once. */
gboolean      ghlo_fence_has_ended (GhloFence          *self);
/* Returns the error of the work; NULL when it succeeded or has not ended. Valid as long as @self. */
const GError *ghlo_fence_get_error (GhloFence          *self);
/* Calls @func once: on the thread that signals the fence, or at once if it is signaled. @func must return quickly. */
void          ghlo_fence_notify    (GhloFence          *self,
                                    GhloFenceFunc       func,
                                    gpointer            data);

/* Polls for a short time and returns whether the fence is signaled; not for NULL. */
gboolean      ghlo_fence_poll      (GhloFence          *self);
/* Implements the function below; not for NULL. */
gboolean      ghlo_fence_wait_end  (GhloFence          *self,
                                    const GhloMonitor  *monitor,
                                    GError            **error);

/* Polls for a short time, then sleeps. Returns FALSE with a copy of the error that the work ended with, or with
 * CANCELLED if @monitor (nullable) was cancelled first; the work then continues. */
static inline gboolean
ghlo_fence_wait (GhloFence          *self,
                 const GhloMonitor  *monitor,
                 GError            **error)
{
  return self == NULL || ghlo_fence_wait_end (self, monitor, error);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloFence, ghlo_fence_unref)

G_END_DECLS
