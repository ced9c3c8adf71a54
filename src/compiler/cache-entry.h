/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a compile keeps on disk: the program after the passes, as a portable artifact, and the report of the passes.
 * Large constants that the source program has too are not stored; they are taken from the source again.
 *
 * Programs are identified in two ways. A name is computed quickly from the operations' kinds and shapes; for most
 * programs, it suffices to find that there is no entry. Similar programs may have the same name. A key takes about as
 * long to compute as writing the program, and is equal only for equal programs.
 */

#pragma once

#include "compiler/optimize.h"

G_BEGIN_DECLS

/* Programs with more bytes of constants are not kept: reading all of them takes longer than the passes do. */
#define GHLO_CACHE_ENTRY_MAX_CONSTANTS ((gsize) 64 << 20)

/* What an entry depends on besides the program, as text: the build, the device, the options and GHLO_DISABLE, and also
 * GHLO_FUSE, since the program's fusions for the device depend on it. @device is any text that tells devices apart.
 * NULL where builds cannot be told apart. */
char         *ghlo_cache_entry_describe_options (const GhloOptimizeOptions *options,
                                                 const char                *device,
                                                 gboolean                   keep_locations);

/* A name for ghlo_cache_read (). @options is the text from the function above, here and below. */
char         *ghlo_cache_entry_name             (GhloIrModule *module,
                                                 const char   *options);
/* The key, in hexadecimal. NULL for a program that cannot be kept; @error is then set only if @monitor
 * was cancelled. */
char         *ghlo_cache_entry_key              (GhloIrModule      *module,
                                                 const char        *options,
                                                 gboolean           keep_locations,
                                                 const GhloMonitor *monitor,
                                                 GError           **error);

/* The bytes of an entry; @made is the result of running the passes on @source. NULL when it cannot be kept. */
GBytes       *ghlo_cache_entry_write            (GhloIrModule         *source,
                                                 GhloIrModule         *made,
                                                 const GhloPassReport *report,
                                                 const char           *key,
                                                 const char           *device,
                                                 gboolean              keep_locations);
/* The program that the passes made of @source, verified, and their @report. NULL, with a debug message, when @bytes
 * belong to another program or are damaged. */
GhloIrModule *ghlo_cache_entry_read             (GBytes            *bytes,
                                                 GhloIrModule      *source,
                                                 const char        *key,
                                                 const GhloMonitor *monitor,
                                                 GhloPassReport    *report);

/* A summary of an entry for display; the strings are owned by the summary. */
typedef struct
{
  char    *program;         /* its name, as errors show it */
  char    *device;
  guint64  n_ops_before, n_ops_after;
  gint64   microseconds;    /* time that the passes took */
} GhloCacheEntrySummary;

gboolean      ghlo_cache_entry_summarize        (GBytes                *bytes,
                                                 GhloCacheEntrySummary *summary);
void          ghlo_cache_entry_summary_clear    (GhloCacheEntrySummary         *summary);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloCacheEntrySummary, ghlo_cache_entry_summary_clear)

G_END_DECLS
