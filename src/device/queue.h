/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The queue of a device that works beside the host. Work is executed in the order in which it was put in, by any
 * thread: by replaying command buffers, and by copies. A device without a queue has finished when a call returns.
 *
 * The end of work is a value that the queue reaches. Querying it is cheap, being notified is not.
 *
 * There is a queue from the start, but its functions are called only once the device is open.
 */

#pragma once

#include "device/fence.h"

G_BEGIN_DECLS

/* Why a thread waits. They are told apart because a run that has waited itself has usually ended by the time its caller
 * waits for it. */
typedef enum
{
  GHLO_WAIT_FOR_RUN,     /* for a run or a copy to end */
  GHLO_WAIT_IN_RUN,      /* within a run, which cannot go on before, e.g. for a loop's report */
  GHLO_N_WAITS
} GhloWait;

typedef struct
{
  /* Returns a fence that is signaled when everything put in so far has been done; NULL where that is so already.
   * Nothing is submitted. */
  GhloFence *(*add_fence)    (GhloDeviceQueue   *self,
                              GhloWait           wait);
  /* Gives the device everything put in so far. FALSE with @error when the device fails. */
  gboolean   (*submit)       (GhloDeviceQueue   *self,
                              GError           **error);
  /* Returns whether the queue has reached the value of a fence. The error of that work is stored in *@error. */
  gboolean   (*has_reached)  (GhloDeviceQueue   *self,
                              guint64            value,
                              GError           **error);
  /* Submits, and arranges that a thread of the device calls ghlo_fence_signal () at @value: somebody sleeps until then,
   * or has a callback. With @may_sleep it may instead sleep on the caller's thread until @value, or for some
   * milliseconds, and then returns TRUE: many runs are shorter than it takes to wake another thread. */
  gboolean   (*watch)        (GhloDeviceQueue   *self,
                              guint64            value,
                              gboolean           may_sleep);
  /* Waits until the device has finished everything submitted, or has been lost, whatever errors were reported. */
  void       (*settle)       (GhloDeviceQueue   *self);
  /* For runs that are measured step by step: begin_timing () begins measuring; end_timing () waits until everything
   * put in since then has been done, and sets *@nanoseconds to the time that the device took, or -1 where it cannot
   * tell. FALSE with @error when the device fails, or when cancelled. */
  gboolean   (*begin_timing) (GhloDeviceQueue   *self,
                              GError           **error);
  gboolean   (*end_timing)   (GhloDeviceQueue   *self,
                              gint64            *nanoseconds,
                              const GhloMonitor *monitor,
                              GError           **error);
} GhloDeviceQueueClass;

/* The first member of a device's queue; it lives as long as the device. */
struct _GhloDeviceQueue
{
  const GhloDeviceQueueClass *klass;
  gboolean                    is_host;               /* the device computes on the host's processors, which polling
                                                      * would take from it */
  int                         lately[GHLO_N_WAITS];  /* µs that the last wait took; atomic */
};

/* Returns how many µs a waiting thread should poll before it sleeps: about as long as the last wait took, where that
 * was not long. */
gint64 ghlo_device_queue_get_polling_time (GhloDeviceQueue *self,
                                           GhloWait         wait);
/* Records that a wait took @time µs, which decides the next polling time. Thread-safe. */
void   ghlo_device_queue_record_wait      (GhloDeviceQueue *self,
                                           GhloWait         wait,
                                           gint64           time);

G_END_DECLS
