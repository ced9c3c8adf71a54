/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Trims memory, and watches GIO's memory monitor. Memory is trimmed on a worker. Creating the monitor loads GIO's
 * modules, which takes milliseconds, and starts the thread of the process' bus connection. That is done on a thread
 * of its own, which has the application's priority, unlike a worker. Warnings arrive in the main context.
 */

#include "client/trim.h"

#include <gio/gio.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/stack.h"
#include "client/workers.h"
#include "runtime/memory.h"

static void
trim_now (gpointer data,
          gpointer user_data)
{
  ghlo_memory_trim ();
#ifdef __GLIBC__
  /* Otherwise freed memory below blocks that are still in use stays with the process. */
  malloc_trim (0);
#endif
}

void
ghlo_trim (void)
{
  /* Without worker threads there is nothing to trim either. */
  if (ghlo_workers_check (NULL))
    ghlo_workers_push (GHLO_WORKERS_COMPILE, trim_now, &trim_now, NULL);
}

static void
on_low_memory (GMemoryMonitor             *monitor,
               GMemoryMonitorWarningLevel  level,
               gpointer                    data)
{
  ghlo_trim ();
}

/* The monitor is owned by the process and lives forever, as does its signal handler. */
static gpointer
watch_now (gpointer data)
{
  static GMemoryMonitor *monitor;

  monitor = g_memory_monitor_dup_default ();
  if (monitor != NULL)
    g_signal_connect (monitor, "low-memory-warning", G_CALLBACK (on_low_memory), NULL);

  return NULL;
}

void
ghlo_trim_watch (void)
{
  static gint done;

  if (!g_atomic_int_compare_and_exchange (&done, FALSE, TRUE))
    return;
  /* If no thread can be started, the application runs without the watch. */
  ghlo_thread_start ("ghlo-watch", watch_now, NULL, NULL);
}
