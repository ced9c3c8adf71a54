/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs kernels in strips: node by node over up to 512 points at a time, which stay in the L1
 * cache, by loops that are there already (cpu/isa). A kernel becomes a small program of calls once;
 * that is immutable, may be run by many threads at once, and allocates nothing then. The bits are
 * those of ghlo_kernel_interpret (), whatever the schedule, the level and the threads.
 *
 * Parallel points are counted in row-major order of the parallel axes, but that the axis whose
 * points are lanes comes last: so threads get strips that are whole.
 */

#pragma once

#include "base/monitor.h"
#include "kernel/schedule.h"

G_BEGIN_DECLS

typedef struct _GhloCpuStrips GhloCpuStrips;

/* This processor's, at ghlo_cpu_level (). */
const GhloMachine *ghlo_cpu_machine         (void);

/* UNSUPPORTED where there are no loops for a node. The kernel is copied as far as it is needed. */
GhloCpuStrips     *ghlo_cpu_strips_new      (const GhloKernel          *kernel,
                                             const GhloKernelSchedule  *schedule,
                                             GError                   **error);
void               ghlo_cpu_strips_free     (GhloCpuStrips             *self);
/* The bytes of scratch that one thread needs, aligned to 64, G_MAXSIZE where they are too many. They do not depend on
 * extents of parallel axes. @extents: of all axes, or NULL for those that the kernel states. */
gsize              ghlo_cpu_strips_scratch  (const GhloCpuStrips       *self,
                                             const gint64              *extents);
/* Nanoseconds of one parallel point, about. */
double             ghlo_cpu_strips_cost     (const GhloCpuStrips       *self);
/* The parallel points [@begin, @end). @buffers: one for each of the kernel. FALSE when @monitor says to stop: some
 * points are done then. */
gboolean           ghlo_cpu_strips_run      (const GhloCpuStrips       *self,
                                             const gint64              *extents,
                                             gpointer const            *buffers,
                                             gint64                     begin,
                                             gint64                     end,
                                             gpointer                   scratch,
                                             const GhloMonitor         *monitor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuStrips, ghlo_cpu_strips_free)

G_END_DECLS
