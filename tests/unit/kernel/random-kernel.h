/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels drawn at random, which are well formed, and memory for them: what every executor of
 * kernels is held against the interpreter with. The same seed gives the same kernel and the same memory.
 *
 * No value that a kernel stores depends on a NaN's sign or payload, which are nobody's business.
 */

#pragma once

#include "kernel/interpret.h"

typedef enum
{
  RANDOM_KERNEL_FUNCTIONS = 1 << 0,     /* functions that have expansions among the nodes */
} RandomKernelFlags;

/* The kernel, to be freed by g_free (). Some 40,000 nodes are evaluated in a run at most. */
GhloKernel       *random_kernel           (guint64                 seed,
                                           RandomKernelFlags       flags);

/* Extents that a run may have: those of run-time axes are at most what the kernel states. */
void              random_kernel_extents   (const GhloKernel       *kernel,
                                           guint64                 seed,
                                           gint64                 *extents);

/* A block of memory for each buffer, of just its size, that the sanitizers watch over. Written ones are filled too. */
GhloKernelMemory *random_memory_new       (const GhloKernel       *kernel,
                                           guint64                 seed);
GhloKernelMemory *random_memory_copy      (const GhloKernel       *kernel,
                                           const GhloKernelMemory *memory);
void              random_memory_free      (const GhloKernel       *kernel,
                                           GhloKernelMemory       *memory);
/* Where two memories differ, as a sentence that the caller frees; NULL where they are equal. All NaNs are. */
char             *random_memory_compare   (const GhloKernel       *kernel,
                                           const GhloKernelMemory *expected,
                                           const GhloKernelMemory *found);

/* What was drawn: nodes by class of types, blocks, and the forms of the rest. */
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
  guint nodes[GHLO_N_NODES][4];         /* by class of the operands' types; of leaves, of their own */
  guint blocks[GHLO_N_BLOCKS];
  guint forms[RANDOM_N_FORMS];
} RandomCoverage;

void              random_kernel_cover     (const GhloKernel       *kernel,
                                           RandomCoverage         *coverage);
