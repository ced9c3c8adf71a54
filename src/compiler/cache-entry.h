/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a compile keeps on disk: the program after the passes, as a portable artifact, and the report of the passes.
 * Large constants that the source program has too are not stored; they are taken from the source again.
 */

#pragma once

#include "compiler/optimize.h"

G_BEGIN_DECLS

/* The bytes of an entry; @made is the result of running the passes on @source. NULL when it cannot be kept. */
GBytes       *ghlo_cache_entry_write (GhloIrModule         *source,
                                      GhloIrModule         *made,
                                      const GhloPassReport *report,
                                      const char           *key,
                                      const char           *device,
                                      gboolean              keep_locations);
/* The program that the passes made of @source, verified, and their @report. NULL, with a debug message, when @bytes
 * belong to another program or are damaged. */
GhloIrModule *ghlo_cache_entry_read  (GBytes               *bytes,
                                      GhloIrModule         *source,
                                      const char           *key,
                                      const GhloMonitor    *monitor,
                                      GhloPassReport       *report);

/* A summary of an entry for display; the strings are owned by the summary. */
typedef struct
{
  char    *program;         /* its name, as errors show it */
  char    *device;
  guint64  n_ops_before, n_ops_after;
  gint64   microseconds;    /* time that the passes took */
} GhloCacheEntrySummary;

gboolean ghlo_cache_entry_summarize     (GBytes                *bytes,
                                         GhloCacheEntrySummary *summary);
void     ghlo_cache_entry_summary_clear (GhloCacheEntrySummary *summary);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloCacheEntrySummary, ghlo_cache_entry_summary_clear)

G_END_DECLS
