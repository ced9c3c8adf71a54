/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * dot_general and dot as products of matrices in tensors. Every precision is f32 on
 * the CPU; quantized operands are another executor's.
 */

#pragma once

#include "cpu/gemm/gemm.h"
#include "ir/module.h"
#include "base/view.h"

G_BEGIN_DECLS

typedef struct
{
  gsize  n_batch, n_contracted;
  gint64 lhs_batch[GHLO_MAX_RANK], rhs_batch[GHLO_MAX_RANK];
  gint64 lhs_contracted[GHLO_MAX_RANK], rhs_contracted[GHLO_MAX_RANK];
} GhloCpuDotNumbers;

/* @op is a stablehlo.dot_general or stablehlo.dot; FALSE for any other. */
gboolean     ghlo_cpu_dot_numbers_read     (GhloCpuDotNumbers       *self,
                                            const GhloIrOp          *op);
/* Of views types, dimensions and strides count, and data where it is constant, as in
 * plan/target.h. The result's dimensions are those
 * of the batch, the rest of the lhs, the rest of the rhs. */
GhloCpuGemm *ghlo_cpu_dot_general_prepare  (const GhloCpuDotNumbers *numbers,
                                            const GhloView          *lhs,
                                            const GhloView          *rhs,
                                            const GhloView          *result,
                                            GhloCpuPanelFunc         epilogue,   /* nullable */
                                            GError                 **error);

G_END_DECLS
