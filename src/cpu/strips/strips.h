/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs kernels in strips: node by node over up to 512 points at a time, whose values stay in the L1 cache, by the
 * precompiled loops of cpu/isa. A kernel is turned once into a small program of calls, which is immutable, may be run
 * by many threads at once, and does not allocate memory when run. The results have the same bits as those of
 * ghlo_kernel_interpret (), whatever the schedule, the level and the number of threads.
 *
 * Parallel points are numbered in row-major order of the parallel axes, but with the axis whose points are lanes
 * last, so that threads get whole strips.
 */

#pragma once

#include "base/monitor.h"
#include "kernel/schedule.h"

G_BEGIN_DECLS

typedef struct _GhloCpuStrips GhloCpuStrips;

/* The cost model of this processor for strips, at ghlo_cpu_level (). */
const GhloMachine *ghlo_cpu_machine         (void);

/* UNSUPPORTED where a node has no loop. The kernel is copied as far as it is needed. */
GhloCpuStrips     *ghlo_cpu_strips_new      (const GhloKernel          *kernel,
                                             const GhloKernelSchedule  *schedule,
                                             GError                   **error);
void               ghlo_cpu_strips_free     (GhloCpuStrips             *self);
/* Returns the bytes of scratch of one thread, aligned to 64, or G_MAXSIZE where that is too much. They do not depend
 * on the extents of parallel axes. @extents has all axes; NULL stands for those that the kernel states. */
gsize              ghlo_cpu_strips_scratch  (const GhloCpuStrips       *self,
                                             const gint64              *extents);
/* Returns the approximate nanoseconds of one parallel point. */
double             ghlo_cpu_strips_cost     (const GhloCpuStrips       *self);
/* Runs the parallel points [@begin, @end). @buffers has all buffers of the kernel. FALSE when @monitor says to stop;
 * some points are done then. */
gboolean           ghlo_cpu_strips_run      (const GhloCpuStrips       *self,
                                             const gint64              *extents,
                                             gpointer const            *buffers,
                                             gint64                     begin,
                                             gint64                     end,
                                             gpointer                   scratch,
                                             const GhloMonitor         *monitor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuStrips, ghlo_cpu_strips_free)

G_END_DECLS
