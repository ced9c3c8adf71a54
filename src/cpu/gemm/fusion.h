/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Requests for products and convolutions: one operation, or a fusion that begins with one, whose
 * other operations are an epilogue.
 */

#pragma once

#include "plan/target.h"
#include "cpu/gemm/epilogue.h"

G_BEGIN_DECLS

typedef struct
{
  guint                 n_stages;
  GhloCpuEpilogueStage  stages[GHLO_CPU_MAX_STAGES];
  guint                 operands[GHLO_CPU_MAX_STAGES];   /* of each stage, among the request's; of one without, any */
  guint                 n_ops[GHLO_CPU_MAX_STAGES];      /* of the body, up to the one that ends with each */
  GhloElementType       type;                            /* of the result */
  gint64                n_elements;                      /* of the result */
  GhloCpuEpilogue      *epilogue;                        /* once it was made */
} GhloCpuFusion;

/* What a request is about; borrowed from it. */
typedef struct
{
  const GhloIrOp *op;                        /* the product or convolution */
  guint           lhs, rhs;                  /* its operands, among the request's */
  GhloView        result;                    /* its own: the request's may have another shape */
  gint64          strides[GHLO_MAX_RANK];    /* of a fusion's first operation, its result being dense */
} GhloCpuProduct;

/* As a device's class has it. */
const char    *ghlo_cpu_declines        (const char            *kind,
                                         const GhloIrOp *const *ops,
                                         guint                  n_ops);
/* Reads a request for a product or, with @is_convolution, a convolution. *fusion, NULL before, stays so where it is
 * one operation. NULL, or the reason why it cannot be done. */
const char    *ghlo_cpu_product_read    (GhloCpuProduct        *self,
                                         const GhloStepRequest *request,
                                         gboolean               is_convolution,
                                         GhloCpuFusion        **fusion);
void           ghlo_cpu_fusion_free     (GhloCpuFusion         *self);
/* Leaves stages out that had better be done by steps of their own, which might have more threads than a product
 * of so many nanoseconds. FALSE where there are none left. */
gboolean       ghlo_cpu_fusion_choose   (GhloCpuFusion         *self,
                                         double                 nanoseconds);
/* For GhloStepSelection. */
guint          ghlo_cpu_fusion_n_ops    (const GhloCpuFusion   *self);
/* Makes the epilogue. FALSE where it is not what was selected. */
gboolean       ghlo_cpu_fusion_compile  (GhloCpuFusion         *self,
                                         const GhloStepRequest *request);
/* What a run's panel function, ghlo_cpu_epilogue_panel (), is given. @self may be NULL. */
void           ghlo_cpu_fusion_begin    (const GhloCpuFusion   *self,
                                         const GhloView        *operands,
                                         const GhloView        *result,
                                         GhloCpuEpilogueRun    *run);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloCpuFusion, ghlo_cpu_fusion_free)

G_END_DECLS
