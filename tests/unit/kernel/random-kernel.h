/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Well-formed random kernels and memory for them, with which every executor of kernels is compared with the
 * interpreter. The same seed gives the same kernel and the same memory.
 *
 * No value that a kernel stores depends on a NaN's sign or payload, which are unspecified.
 */

#pragma once

#include "kernel/interpret.h"

typedef enum
{
  RANDOM_KERNEL_FUNCTIONS = 1 << 0,     /* the nodes include functions that are expanded */
  RANDOM_KERNEL_COLUMNS = 1 << 1,       /* points of the first axis may be columns (kernel/schedule.h), unless it has no
                                         * folds */
} RandomKernelFlags;

/* The kernel, to be freed by g_free (). A run evaluates at most some 40,000 nodes. */
GhloKernel       *random_kernel           (guint64                 seed,
                                           RandomKernelFlags       flags);

/* The extents of a run: those of run-time axes are at most what the kernel states. */
void              random_kernel_extents   (const GhloKernel       *kernel,
                                           guint64                 seed,
                                           gint64                 *extents);

/* A memory block for each buffer, of exactly its size, so that sanitizers detect overruns. Written buffers are
 * filled, too. */
GhloKernelMemory *random_memory_new       (const GhloKernel       *kernel,
                                           guint64                 seed);
GhloKernelMemory *random_memory_copy      (const GhloKernel       *kernel,
                                           const GhloKernelMemory *memory);
void              random_memory_free      (const GhloKernel       *kernel,
                                           GhloKernelMemory       *memory);
/* Describes the first difference of two memories, in a sentence that the caller frees; NULL where they are equal.
 * All NaNs are equal. */
char             *random_memory_compare   (const GhloKernel       *kernel,
                                           const GhloKernelMemory *expected,
                                           const GhloKernelMemory *found);

/* Statistics of what was drawn: nodes by class of types, blocks, and features of the rest. */
typedef enum
{
#define RANDOM_FORMS(X) \
  X (GUARD) X (STEP) X (GUARD_NODE) X (CLAMP) X (CLAMP_NODE) X (FILL) X (BACKWARDS) X (BROADCAST) X (IN_PLACE) \
  X (STORE_GUARD) X (STORE_INDEX) X (STORE_MASK) X (TWO_STORES) X (RUNTIME) X (NO_PARALLEL) X (FOLD) X (FOLDS) \
  X (CHAINS) X (SPLIT) X (SCAN) X (LOOP_CARRY) X (WHILE_CARRY) X (WHEN_CARRY) X (SPANS_LOOP) X (PRODUCT_ACCESS) \
  X (PRODUCT_TEMPORARY)
#define X(FORM) RANDOM_##FORM,
  RANDOM_FORMS (X)
#undef X
  RANDOM_N_FORMS
} RandomForm;

typedef struct
{
  guint nodes[GHLO_N_NODES][4];         /* by class of the operands' types; leaves by their own */
  guint blocks[GHLO_N_BLOCKS];
  guint forms[RANDOM_N_FORMS];
} RandomCoverage;

void              random_kernel_cover     (const GhloKernel       *kernel,
                                           RandomCoverage         *coverage);
