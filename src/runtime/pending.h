/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Work on a device that goes on after the call that began it. It ends once, well or with an error; who
 * wants to know waits, or is called back. Counted atomically, used from any thread.
 *
 * Where a pointer to one is NULL the work has ended well: what a device does within the call leaves
 * nothing pending.
 */

#pragma once

#include "base/monitor.h"

G_BEGIN_DECLS

typedef struct _GhloPending GhloPending;

typedef void (*GhloPendingFunc) (gpointer data);

/* For devices: one to be ended with ghlo_pending_end (), whose first call counts. It takes @error over, NULL when all
 * went well, and calls back on this thread. */
GhloPending  *ghlo_pending_new       (void);
void          ghlo_pending_end       (GhloPending        *self,
                                      GError             *error);

/* How a device does that for which looking is cheap, and telling is not. */
typedef struct
{
  /* Whether what has @number has ended, and with what error. */
  gboolean  (*has_ended) (gpointer   data,
                          guint64    number,
                          GError   **error);
  /* Somebody sleeps until what has @number ends, or is to be called back: the device ends it on a thread of its own. */
  void      (*watch)     (gpointer   data,
                          guint64    number);
  /* Sleeps on the caller's thread until what has @number ends, or for some milliseconds. Waking another thread takes
   * longer than many a run. NULL: who waits has the device watch. */
  void      (*sleep)     (gpointer   data,
                          guint64    number);
  /* µs for which who waits looks before it sleeps: as long as what ended lately took, where that is not long. */
  gint64    (*get_patience) (gpointer data);
  /* What began @time µs ago has ended, as somebody has seen just now. NULL: nobody wants to know. */
  void      (*took)      (gpointer   data,
                          gint64     time);
} GhloPendingSource;

GhloPending  *ghlo_pending_new_of    (const GhloPendingSource *source,
                                      gpointer            data,
                                      guint64             number);

GhloPending  *ghlo_pending_ref       (GhloPending        *self);
void          ghlo_pending_unref     (GhloPending        *self);

/* These take NULL for @self. */
/* As far as anybody has looked. */
gboolean      ghlo_pending_is_done   (GhloPending        *self);
/* The error that the run ended with; NULL when it succeeded or still goes on. Valid as long as @self. */
const GError *ghlo_pending_get_error (GhloPending        *self);
/* Has @func called once, on the thread that ends it, or at once where it has ended. @func takes no time. */
void          ghlo_pending_notify    (GhloPending        *self,
                                      GhloPendingFunc     func,
                                      gpointer            data);

/* Polls for a moment, not for NULL: whether it has ended. */
gboolean      ghlo_pending_poll      (GhloPending        *self);
/* For the function below; not for NULL. */
gboolean      ghlo_pending_wait_end  (GhloPending        *self,
                                      const GhloMonitor  *monitor,
                                      GError            **error);

/* Waits for the end: polls for a moment, then sleeps. FALSE with a copy of the error that the run ended
 * with, or with CANCELLED when @monitor (nullable) was cancelled before; the work goes on then. */
static inline gboolean
ghlo_pending_wait (GhloPending        *self,
                   const GhloMonitor  *monitor,
                   GError            **error)
{
  return self == NULL || ghlo_pending_wait_end (self, monitor, error);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPending, ghlo_pending_unref)

G_END_DECLS
