/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear algebra custom calls (ir/lapack.h) by OpenBLAS's LAPACK, in batches. Prepared once, and run by any number of
 * threads at the same time.
 */

#pragma once

#include "base/monitor.h"
#include "base/view.h"
#include "ir/lapack.h"

G_BEGIN_DECLS

typedef struct _GhloCpuRoutine GhloCpuRoutine;

/* NULL, with a static reason, for calls that the reference executor has to compute or to refuse. Of the views only
 * types, dimensions and strides are used. */
GhloCpuRoutine *ghlo_cpu_routine_prepare      (const GhloIrOp        *op,
                                               const GhloView        *operands,
                                               const GhloView        *results,
                                               const char           **reason);
void            ghlo_cpu_routine_free         (GhloCpuRoutine        *self);
gsize           ghlo_cpu_routine_scratch_size (const GhloCpuRoutine  *self);
/* Returns "openblas ssyevd, SkylakeX", transfer full. */
char           *ghlo_cpu_routine_describe     (const GhloCpuRoutine  *self);
/* The result that may share the memory of operand @index, with the same strides; or -1. */
int             ghlo_cpu_routine_in_place     (const GhloCpuRoutine  *self,
                                               guint                  index);
gboolean        ghlo_cpu_routine_run          (const GhloCpuRoutine  *self,
                                               const GhloView        *operands,
                                               const GhloView        *results,
                                               gpointer               scratch,
                                               const GhloMonitor     *monitor,
                                               GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuRoutine, ghlo_cpu_routine_free)

G_END_DECLS
