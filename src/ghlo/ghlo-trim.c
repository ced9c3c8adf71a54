/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory given back, and GIO's memory monitor. Both happen on a worker: making the
 * monitor loads GIO's modules, which takes milliseconds. Its warnings arrive in the
 * main context, as nothing else runs where a worker belongs to none.
 */

#include "ghlo-trim-private.h"

#include <gio/gio.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "ghlo-workers-private.h"

static void
trim_now (gpointer data,
          gpointer user_data)
{
#ifdef __GLIBC__
  /* What was freed stays with the process otherwise, below whatever is still used. */
  malloc_trim (0);
#endif
}

void
ghlo_trim (void)
{
  /* Where there are no threads there is nothing to be given back either. */
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

/* The monitor is the process' own and stays, as what watches it does. */
static void
watch_now (gpointer data,
           gpointer user_data)
{
  static GMemoryMonitor *monitor;

  monitor = g_memory_monitor_dup_default ();
  if (monitor != NULL)
    g_signal_connect (monitor, "low-memory-warning", G_CALLBACK (on_low_memory), NULL);
}

void
ghlo_trim_watch (void)
{
  static gint done;

  if (g_atomic_int_compare_and_exchange (&done, FALSE, TRUE))
    ghlo_workers_push (GHLO_WORKERS_COMPILE, watch_now, &watch_now, NULL);
}
