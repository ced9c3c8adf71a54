/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The prologue of a product (plan/prologue.h): a kernel that computes blocks of one operand in the cache, where the
 * product reads them.
 */

#pragma once

#include "cpu/gemm/gemm.h"
#include "cpu/jit/compiled-kernel.h"
#include "plan/prologue.h"

G_BEGIN_DECLS

typedef struct
{
  GhloStepPrologue fusion;
  GhloCpuKernel    kernel;
} GhloCpuPrologue;

/* Why the CPU does not compute @operand of @product, 0 or 1, block by block; static. NULL where it does. */
const char *ghlo_cpu_prologue_obstacle (const GhloIrOp        *product,
                                        guint                  operand);

void     ghlo_cpu_prologue_free        (GhloCpuPrologue       *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuPrologue, ghlo_cpu_prologue_free)

/* Makes the kernel for the blocks of @gemm, again where there is one. Returns NULL, or why it is declined. */
const char *ghlo_cpu_prologue_lower    (GhloCpuPrologue       *self,
                                        const GhloProductOp   *product,
                                        const GhloStepRequest *request,
                                        const GhloCpuGemm     *gemm);

/* One run; the @data of ghlo_cpu_prologue_block () points to it. */
typedef struct
{
  const GhloCpuPrologue *prologue;
  gpointer               operands[GHLO_KERNEL_MAX_BUFFERS];
  GhloCpuKernelRun       kernel;
} GhloCpuPrologueRun;

void     ghlo_cpu_prologue_run_begin   (GhloCpuPrologueRun    *run,
                                        const GhloCpuPrologue *self,
                                        const GhloView        *operands,
                                        gpointer               scratch,
                                        const GhloMonitor     *monitor);
/* Computes one block of the operand; a GhloCpuOperandFunc. */
void     ghlo_cpu_prologue_block       (gpointer               data,
                                        const GhloCpuOperandBlock    *block);

G_END_DECLS
