/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operands whose batches alternate in memory. Algorithms take one batch after the other, and would read each cache line
 * once for every batch that has elements there. Such an operand is copied first, so that its batches follow each other.
 */

#pragma once

#include "cpu/gemm/problem.h"
#include "cpu/move/copy.h"

G_BEGIN_DECLS

typedef struct
{
  GhloCpuCopy copy;
  gsize       size;       /* bytes of the copy, aligned */
} GhloCpuSeparation;

/* Whether batches alternate in the tensor whose strides are at @offset in each dimension of @problem. */
gboolean           ghlo_cpu_batches_alternate (const GhloCpuGemmProblem *problem,
                                               gsize                     offset);
/* Returns the copy that separates the batches of lhs or, if @offset is that of its strides, of rhs, and gives @problem
 * the strides of the copy. NULL where batches do not alternate, and where the operand overlaps itself or is too large.
 * Free with g_free(). */
GhloCpuSeparation *ghlo_cpu_separate_batches  (GhloCpuGemmProblem       *problem,
                                               gsize                     offset);

G_END_DECLS
