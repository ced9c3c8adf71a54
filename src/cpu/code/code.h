/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Machine code of kernels, for the whole process: one of each kind of kernel, however many programs have it. It is
 * there at once where the cache on disk has it, and otherwise as soon as a thread in the background has made it, or one
 * in the foreground where somebody waits for it; until then, and where that fails, kernels run in strips, to the same
 * bits.
 *
 * Any thread may call these. Code lives as long as somebody refers to it: what nobody uses is on disk.
 */

#pragma once

#include "base/monitor.h"
#include "cpu/emit/emit.h"

G_BEGIN_DECLS

typedef struct _GhloCode GhloCode;

/* A new reference; the kernel is copied where it is needed. NULL where kernels have no machine code: without the
 * module, with GHLO_DISABLE=llvm, on other processors, in a child of the process. Takes no longer than reading a small
 * file. */
GhloCode     *ghlo_code_get       (const GhloKernel          *kernel,
                                   const GhloKernelSchedule  *schedule);
/* Nobody may be in the code that the reference stands for. What has not begun to be made then is not. */
void          ghlo_code_unref     (GhloCode                  *self);
/* NULL while there is none. One load, for each run. */
GhloCodeFunc  ghlo_code_function  (GhloCode                  *self);
/* Has it made before what nobody waits for, and no slower than the caller's own work; for all that will be waited for,
 * before the first wait. */
void          ghlo_code_hurry     (GhloCode                  *self);
/* Until it is there, or will not be. FALSE when @monitor (nullable) is cancelled, or in a child of the process. */
gboolean      ghlo_code_wait      (GhloCode                  *self,
                                   const GhloMonitor         *monitor,
                                   GError                   **error);
/* Why it will not be there, newly allocated; NULL as long as it may. */
char         *ghlo_code_dup_reason (GhloCode                 *self);

/* What the emitter makes of @kernel as text, here and now: LLVM's intermediate form and the assembly. */
char         *ghlo_code_list      (const GhloKernel          *kernel,
                                   const GhloKernelSchedule  *schedule,
                                   GError                   **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCode, ghlo_code_unref)

G_END_DECLS
