/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Marks in captures of the profiler sysprof: what the library did, from when to when. They need the build option
 * `sysprof`; without it these functions are empty. The kinds of marks are
 *
 *   compile  of a program, from the lookup in the caches to the executable; the message is the device
 *   pass     one run of a pass; the message is its name
 *   run      of a program, as far as the calling thread takes part in it; the message is the device
 *   step     of a plan, or consecutive steps that a device takes at once; the message is the first one's operation
 */

#pragma once

#include <glib.h>

#include "base/trace-config.h"

G_BEGIN_DECLS

#ifdef GHLO_HAS_SYSPROF

/* Returns the time, in nanoseconds, or 0 where nobody records. */
gint64 ghlo_trace_begin (void);

/* Marks the time since @begin, which ghlo_trace_begin () returned; does nothing where that is 0. Both strings are
 * copied. */
void   ghlo_trace_end   (gint64      begin,
                         const char *kind,
                         const char *message);

#else

static inline gint64
ghlo_trace_begin (void)
{
  return 0;
}

static inline void
ghlo_trace_end (gint64      begin,
                const char *kind,
                const char *message)
{
}

#endif

G_END_DECLS
