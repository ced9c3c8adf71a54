/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A thread that watches the deadline.
 */

#include "watchdog.h"

static GMutex mutex;
static GCancellable *watched;     /* under mutex; borrowed */
static gint64 deadline;           /* under mutex; monotonic */

static gpointer
watch (gpointer data)
{
  while (TRUE)
    {
      g_usleep (20000);
      g_mutex_lock (&mutex);
      if (watched != NULL && g_get_monotonic_time () > deadline)
        g_cancellable_cancel (watched);
      g_mutex_unlock (&mutex);
    }

  return NULL;
}

void
watchdog_begin (GCancellable *cancellable,
                gint64        microseconds)
{
  static gsize is_started;

  if (g_once_init_enter (&is_started))
    {
      g_thread_unref (g_thread_new ("watchdog", watch, NULL));
      g_once_init_leave (&is_started, 1);
    }
  g_mutex_lock (&mutex);
  watched = cancellable;
  deadline = g_get_monotonic_time () + microseconds;
  g_mutex_unlock (&mutex);
}

void
watchdog_end (void)
{
  g_mutex_lock (&mutex);
  watched = NULL;
  g_mutex_unlock (&mutex);
}
