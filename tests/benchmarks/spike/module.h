/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What compare.py calls. Nothing is ever freed.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SpikeHandle SpikeHandle;

#define SPIKE_EXPORT __attribute__ ((visibility ("default")))

/* Schedule @number of kernel @name for @width lanes, 0 for the machine's; NULL when
 * there is no such schedule. */
SPIKE_EXPORT SpikeHandle *spike_open                 (const char     *name,
                                                      guint           number,
                                                      guint           width);
SPIKE_EXPORT double       spike_compile_milliseconds (SpikeHandle    *self);
SPIKE_EXPORT const char  *spike_describe             (SpikeHandle    *self);
/* @nanoseconds is what it takes on one thread: below 100 µs nothing is split. */
SPIKE_EXPORT void         spike_run                  (SpikeHandle    *self,
                                                      gpointer const *buffers,
                                                      double          nanoseconds);
SPIKE_EXPORT void         spike_copy                 (gpointer        to,
                                                      gconstpointer   from,
                                                      gsize           size,
                                                      double          nanoseconds);

G_END_DECLS
