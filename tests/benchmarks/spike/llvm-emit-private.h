/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the two halves of the LLVM emitter share: nodes and accesses (llvm-node.c), and
 * the loops around them (llvm-emit.c).
 */

#pragma once

#include "llvm-emit.h"

G_BEGIN_DECLS

enum { SPIKE_MAX_INSTANCES = 16, SPIKE_MAX_CHUNKS = 64 };

/* An instance is one of the points of the parallel axes that are done side by side; a
 * chunk is one vector along an inner vector axis. */
typedef struct
{
  const GhloKernel   *kernel;
  const GhloSchedule *schedule;
  LLVMContextRef      context;
  LLVMModuleRef       module;
  LLVMBuilderRef      builder;
  LLVMTypeRef         i64, pointer;
  LLVMValueRef        function, scratch, buffers[GHLO_KERNEL_MAX_BUFFERS];
  gsize               scratch_offsets[GHLO_KERNEL_MAX_TEMPORARIES];
  /* Of a temporary that spans nothing, or lives in registers; chunk 0 then. */
  LLVMValueRef        registers[SPIKE_MAX_INSTANCES][GHLO_KERNEL_MAX_TEMPORARIES][SPIKE_MAX_CHUNKS];
} Emitter;

/* Where nodes are evaluated: one point, or as many as a vector has lanes. */
typedef struct
{
  LLVMValueRef axes[GHLO_KERNEL_MAX_AXES];      /* i64; of the vector axis that of lane 0 */
  LLVMValueRef mask;                            /* NULL: all lanes */
  gboolean     vector;                          /* the vector axis is one of those in scope */
  guint        instance;
  gint64       chunk;                           /* -1 where it is not known */
  LLVMValueRef left[GHLO_KERNEL_MAX_ACCUMULATORS], right[GHLO_KERNEL_MAX_ACCUMULATORS];
  LLVMValueRef values[GHLO_KERNEL_MAX_NODES];
} Copy;

LLVMTypeRef  spike_llvm_type      (Emitter      *self,
                                   guint8        type);
LLVMValueRef spike_llvm_constant  (Emitter      *self,
                                   guint8        type,
                                   guint64       bits);
LLVMValueRef spike_llvm_widen     (Emitter      *self,
                                   LLVMValueRef  value);
LLVMValueRef spike_llvm_iota      (Emitter      *self);
LLVMValueRef spike_llvm_node      (Emitter      *self,
                                   Copy         *copy,
                                   guint         number);
void         spike_llvm_store     (Emitter      *self,
                                   Copy         *copy,
                                   const GhloKernelStore *store);

G_END_DECLS
