/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Work on a device that continues after the call that began it. It ends once, with or without an error. Other
 * threads may wait for the end or register a callback. Reference-counted atomically, thread-safe.
 *
 * A NULL pointer to a GhloPending stands for work that has ended without an error: work that a device completes
 * within the call leaves nothing pending.
 */

#pragma once

#include "base/monitor.h"

G_BEGIN_DECLS

typedef struct _GhloPending GhloPending;

typedef void (*GhloPendingFunc) (gpointer data);

/* For devices: creates a GhloPending that is ended with ghlo_pending_end (). Only the first call of that counts; it
 * takes ownership of @error, which is NULL on success, and runs the callbacks on the calling thread. */
GhloPending  *ghlo_pending_new       (void);
void          ghlo_pending_end       (GhloPending        *self,
                                      GError             *error);

/* Implemented by a device on which it is cheap to query whether work has ended, but expensive to be notified. */
typedef struct
{
  /* Returns whether work @number has ended, and its error. */
  gboolean  (*has_ended) (gpointer   data,
                          guint64    number,
                          GError   **error);
  /* Called when somebody sleeps until work @number ends, or has registered a callback. The device then calls
   * ghlo_pending_end () on a thread of its own. */
  void      (*watch)     (gpointer   data,
                          guint64    number);
  /* Sleeps on the caller's thread until work @number ends, or for some milliseconds. Many runs are shorter than it
   * takes to wake another thread. NULL: waiting threads use watch. */
  void      (*sleep)     (gpointer   data,
                          guint64    number);
  /* Returns for how many µs a waiting thread polls before it sleeps: as long as recent work took, where that is not
   * long. */
  gint64    (*get_patience) (gpointer data);
  /* Called when the end of work that began @time µs ago has just been observed; nullable. */
  void      (*record_time) (gpointer   data,
                            gint64     time);
} GhloPendingSource;

GhloPending  *ghlo_pending_new_of    (const GhloPendingSource *source,
                                      gpointer            data,
                                      guint64             number);

GhloPending  *ghlo_pending_ref       (GhloPending        *self);
void          ghlo_pending_unref     (GhloPending        *self);

/* The following functions accept NULL for @self. */
/* Returns whether the work is known to have ended; does not query the device. */
gboolean      ghlo_pending_is_done   (GhloPending        *self);
/* Returns the error that the work ended with; NULL when it succeeded or has not ended. Valid as long as @self. */
const GError *ghlo_pending_get_error (GhloPending        *self);
/* Calls @func once: on the thread that ends the work, or at once if it has ended. @func must return quickly. */
void          ghlo_pending_notify    (GhloPending        *self,
                                      GhloPendingFunc     func,
                                      gpointer            data);

/* Polls for a short time and returns whether the work has ended; not for NULL. */
gboolean      ghlo_pending_poll      (GhloPending        *self);
/* Implements the function below; not for NULL. */
gboolean      ghlo_pending_wait_end  (GhloPending        *self,
                                      const GhloMonitor  *monitor,
                                      GError            **error);

/* Waits for the end: polls for a short time, then sleeps. Returns FALSE with a copy of the error that the work ended
 * with, or with CANCELLED if @monitor (nullable) was cancelled first; the work then continues. */
static inline gboolean
ghlo_pending_wait (GhloPending        *self,
                   const GhloMonitor  *monitor,
                   GError            **error)
{
  return self == NULL || ghlo_pending_wait_end (self, monitor, error);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPending, ghlo_pending_unref)

G_END_DECLS
