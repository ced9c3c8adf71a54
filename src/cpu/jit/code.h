/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Machine code of kernels, shared by the whole process: one instance for each distinct kernel, however many programs
 * use it. The code is available at once where the disk cache has it. Otherwise a background thread makes it, or a
 * foreground thread where somebody waits for it. Until then, and where that fails, the kernel runs in strips, which
 * give the same bits.
 *
 * All functions may be called from any thread. Code lives as long as somebody holds a reference; unused code stays on
 * disk only.
 */

#pragma once

#include "base/monitor.h"
#include "cpu/llvm/emit.h"

G_BEGIN_DECLS

typedef struct _GhloCode GhloCode;

/* Returns a new reference; @kernel is copied where needed. NULL where kernels have no machine code: without the LLVM
 * module, with GHLO_DISABLE=llvm, on unsupported processors, and in a forked child. Takes no longer than reading a
 * small file. */
GhloCode     *ghlo_code_get       (const GhloKernel          *kernel,
                                   const GhloKernelSchedule  *schedule);
/* Nobody may be executing the code that this reference keeps alive. With the last reference, a compile that has not
 * started is cancelled. */
void          ghlo_code_unref     (GhloCode                  *self);
/* Returns NULL while there is no code. Costs one atomic load; called for each run. */
GhloCodeFunc  ghlo_code_function  (GhloCode                  *self);
/* Gives the code priority over code that nobody waits for, and makes it at the priority of the caller. A caller that
 * needs several should prioritize all of them before the first wait. */
void          ghlo_code_prioritize (GhloCode                 *self);
/* Blocks until the code is available or has failed. FALSE when @monitor (nullable) is cancelled, or in a forked
 * child. */
gboolean      ghlo_code_wait      (GhloCode                  *self,
                                   const GhloMonitor         *monitor,
                                   GError                   **error);
/* Whether no code is being made or is still to be made. Code that was made is then on disk as well, which it need not
 * be when it is available. */
gboolean      ghlo_code_is_idle   (void);
/* Returns why there will be no code, newly allocated; NULL while there still may be. */
char         *ghlo_code_dup_reason (GhloCode                 *self);

/* Compiles @kernel within the call and returns LLVM's IR and the assembly as text. */
char         *ghlo_code_list      (const GhloKernel          *kernel,
                                   const GhloKernelSchedule  *schedule,
                                   GError                   **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCode, ghlo_code_unref)

G_END_DECLS
