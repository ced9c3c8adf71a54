/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For how long threads poll for the end of a device's work.
 */

#include "device/queue.h"

/* The minimum and maximum time in µs that a thread polls before it sleeps. A sleep costs about 20 µs, which is much
 * compared with waits shorter than the maximum, and little compared with longer ones. */
enum { MIN_POLLING_TIME = 50, MAX_POLLING_TIME = 500 };

gint64
ghlo_device_queue_get_polling_time (GhloDeviceQueue *self,
                                    GhloWait         wait)
{
  const int lately = g_atomic_int_get (&self->lately[wait]);

  if (self->is_host)
    return 0;

  return lately > MAX_POLLING_TIME ? MIN_POLLING_TIME : CLAMP (2 * lately, MIN_POLLING_TIME, MAX_POLLING_TIME);
}

void
ghlo_device_queue_record_wait (GhloDeviceQueue *self,
                               GhloWait         wait,
                               gint64           time)
{
  g_atomic_int_set (&self->lately[wait], (int) CLAMP (time, 0, MAX_POLLING_TIME + 1));
}
