/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A kernel under a schedule as LLVM IR: vectors of the schedule's width, written out,
 * with masked tails. Nothing here chooses anything, and no vectoriser runs after it.
 */

#pragma once

#include <llvm-c/Core.h>

#include "schedule.h"

G_BEGIN_DECLS

/* The function that comes out, for one thread: points [begin, end) of the axis whose
 * unit is thread. @scratch is this thread's own, aligned to 64. */
typedef void (*GhloKernelFunc) (gpointer const *buffers,
                                gpointer        scratch,
                                gint64          begin,
                                gint64          end);

/* Adds function @name to @module. @cpu and @features are the target's, for every function.
 * The kernel is an expanded one, the schedule one that ghlo_schedule_check () passed. */
void ghlo_llvm_emit (LLVMModuleRef       module,
                     const GhloKernel   *kernel,
                     const GhloSchedule *schedule,
                     const char         *name,
                     const char         *cpu,
                     const char         *features);

G_END_DECLS
