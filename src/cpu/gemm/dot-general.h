/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Turns dot_general and dot into matrix products on tensors. Every precision is f32 on the CPU. Quantized operands
 * are left to another executor.
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

/* Reads the dimension numbers of @op, a stablehlo.dot_general or stablehlo.dot; FALSE for any other operation. */
gboolean     ghlo_cpu_dot_numbers_read     (GhloCpuDotNumbers       *self,
                                            const GhloIrOp          *op);
/* Fills in a problem for ghlo_cpu_gemm_prepare (). Of the views, types, dimensions and strides are used, and data
 * where it is constant, as in plan/target.h. The result's dimensions are the batch dimensions, then the rest of lhs,
 * then the rest of rhs. */
gboolean     ghlo_cpu_dot_general_read     (GhloCpuGemmProblem      *problem,
                                            const GhloCpuDotNumbers *numbers,
                                            const GhloView          *lhs,
                                            const GhloView          *rhs,
                                            const GhloView          *result,
                                            GError                 **error);
/* The same for @op with dense tensors; FALSE where it is no dot_general or dot. */
gboolean     ghlo_cpu_dot_read_dense       (GhloCpuGemmProblem      *problem,
                                            const GhloIrOp          *op);
/* Whether the CPU does not prefer a sum of few products over this dot_general: NULL where it does, else the reason. */
const char  *ghlo_cpu_dot_declines_expansion (const GhloIrOp         *op);
/* The same for a product of f32 as one of bf16, from which both of its operands are converted. */
const char  *ghlo_cpu_dot_declines_bf16      (const GhloIrOp         *op);

G_END_DECLS
