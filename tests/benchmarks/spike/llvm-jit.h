/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From a kernel under a schedule to a function in memory, and how long each part of
 * that took. Objects are emitted first and only linked by ORC, so they could come from
 * a cache or from several workers.
 */

#pragma once

#include "llvm-emit.h"
#include "machine.h"

G_BEGIN_DECLS

typedef struct _SpikeJit SpikeJit;

typedef enum
{
  SPIKE_PASSES_NONE,
  SPIKE_PASSES_FEW,         /* early-cse, licm */
  SPIKE_PASSES_O2,
} SpikePasses;

typedef struct
{
  SpikePasses passes;
  guint       codegen_level;    /* LLVM's: 0 to 3 */
} SpikeJitOptions;

typedef struct
{
  double emit, passes, codegen, link;   /* milliseconds */
  gsize  object_bytes;
} SpikeJitTimes;

/* NULL with a sentence in *@error. @level is x86-64, x86-64-v2 … or NULL for this
 * processor. */
SpikeJit      *spike_jit_new     (const char             *level,
                                  char                  **error);
/* Compiles the same kernel @copies times in one module, as a program with many kernels
 * would, and gives the first. @listing (nullable) gets the assembly. NULL with a
 * sentence in *@error. The function lives as long as @self. */
GhloKernelFunc spike_jit_compile (SpikeJit               *self,
                                  const GhloKernel       *kernel,
                                  const GhloSchedule     *schedule,
                                  guint                   copies,
                                  const SpikeJitOptions  *options,
                                  SpikeJitTimes          *times,
                                  char                  **listing,
                                  char                  **error);
void           spike_jit_free    (SpikeJit               *self);

G_END_DECLS
