/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a compile keeps on disk: the program after the passes, as a portable artifact,
 * and the report of the passes. Large constants that the program itself has are not
 * kept with it: they are taken from there again.
 *
 * Two things say which program it is. A name, quickly made of the operations' kinds and
 * shapes, says that there is nothing for most programs; programs that are alike may share
 * it. A key, which takes about as long as writing the program, is equal for equal
 * programs alone.
 */

#pragma once

#include "compiler/optimize.h"

G_BEGIN_DECLS

/* Programs with larger constants are not kept: reading all of them takes longer than
 * the passes do. */
#define GHLO_CACHE_ENTRY_MAX_CONSTANTS ((gsize) 64 << 20)

/* What it depends on besides the program: the build, the device, the options and
 * GHLO_DISABLE, and also GHLO_FUSE, on which what is made of it for the device depends;
 * as text. @device is whatever tells devices apart. NULL where builds cannot be told
 * apart. */
char         *ghlo_cache_entry_describe_options (const GhloOptimizeOptions *options,
                                                 const char                *device,
                                                 gboolean                   keep_locations);

/* A name for ghlo_cache_read (). @options is the text from above, here as below. */
char         *ghlo_cache_entry_name             (GhloIrModule *module,
                                                 const char   *options);
/* Hexadecimal. NULL for a program that cannot be kept, with @error set only where
 * @monitor was cancelled. */
char         *ghlo_cache_entry_key              (GhloIrModule      *module,
                                                 const char        *options,
                                                 gboolean           keep_locations,
                                                 const GhloMonitor *monitor,
                                                 GError           **error);

/* @made is what passes made of @source. NULL when it cannot be kept. */
GBytes       *ghlo_cache_entry_write            (GhloIrModule         *source,
                                                 GhloIrModule         *made,
                                                 const GhloPassReport *report,
                                                 const char           *key,
                                                 const char           *device,
                                                 gboolean              keep_locations);
/* What @source became, verified, and its @report; NULL when @bytes are of another
 * program or damaged, which a debug message says. */
GhloIrModule *ghlo_cache_entry_read             (GBytes            *bytes,
                                                 GhloIrModule      *source,
                                                 const char        *key,
                                                 const GhloMonitor *monitor,
                                                 GhloPassReport    *report);

/* What people are shown of it; FALSE for other bytes. The strings are the caller's. */
typedef struct
{
  char    *program;         /* its name, as errors show it */
  char    *device;
  guint64  n_ops_before, n_ops_after;
  gint64   microseconds;    /* that the passes took */
} GhloCacheEntrySummary;

gboolean      ghlo_cache_entry_summarize        (GBytes                *bytes,
                                                 GhloCacheEntrySummary *summary);
void          ghlo_cache_entry_summary_clear    (GhloCacheEntrySummary         *summary);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloCacheEntrySummary, ghlo_cache_entry_summary_clear)

G_END_DECLS
