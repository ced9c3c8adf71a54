/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Marks for sysprof, through its capture library, which is linked statically. It finds the profiler by the environment
 * that the profiler starts a process with, and gives each thread a ring buffer of its own.
 */

#include "base/trace.h"

#ifdef GHLO_HAS_SYSPROF

#include <sysprof-capture.h>

static inline gboolean
is_recorded (void)
{
  enum { NO = 1, YES };
  static gsize known;

  if (g_once_init_enter (&known))
    g_once_init_leave (&known, sysprof_collector_is_active () ? YES : NO);

  return known == YES;
}

gint64
ghlo_trace_begin (void)
{
  return G_UNLIKELY (is_recorded ()) ? SYSPROF_CAPTURE_CURRENT_TIME : 0;
}

void
ghlo_trace_end (gint64      begin,
                const char *kind,
                const char *message)
{
  if (begin != 0)
    sysprof_collector_mark (begin, SYSPROF_CAPTURE_CURRENT_TIME - begin, "ghlo", kind, message);
}

#endif
