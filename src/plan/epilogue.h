/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusions that begin with a product or a convolution, followed by an epilogue: the other operations, which form a
 * generated kernel over the product's elements. The kernel may have several results (for example relu, and the mask of
 * where it cut off).
 *
 * A fusion's body may come from anywhere: one that is not a product followed by such a kernel is left to the plan.
 */

#pragma once

#include "device/device.h"
#include "kernel/lower.h"

G_BEGIN_DECLS

/* The product or convolution that a request begins with; borrowed from the request. */
typedef struct
{
  const GhloIrOp *op;                         /* the product or convolution */
  guint           lhs, rhs;                   /* indices of its operands among the request's */
  GhloView        result;                     /* its own result without gaps: dense, or with the dimensions in the order
                                               * of the request's only result; no data */
  gint64          strides[GHLO_MAX_RANK];     /* of @result */
} GhloProductOp;

/* The epilogue. The points of the kernel are the product's elements, in memory order. */
typedef struct
{
  GhloLoweredKernel lowered;                  /* buffers: product elements, the request's operands, the results */
  guint             n_operands;               /* of the request */
  guint             n_results;                /* of the kernel */
  guint             result_indices[GHLO_KERNEL_MAX_BUFFERS];   /* for each result of the kernel, the request's result */
  guint             product_result;           /* the request's result that is the product itself, or GHLO_STEP_NONE */
} GhloStepEpilogue;

gboolean    ghlo_step_is_dot          (const GhloIrOp        *op);
/* Why an epilogue does not support these operations, one of which is the product; static. NULL where it does. */
const char *ghlo_step_epilogue_obstacle (const GhloIrOp *const *ops,
                                         guint                  n_ops);
/* Each returns NULL, or a static string that says why the request's fusion is not supported. A request for a product
 * alone has a product, but no epilogue. */
const char *ghlo_product_op_read      (GhloProductOp         *self,
                                       const GhloStepRequest *request);
const char *ghlo_step_epilogue_init   (GhloStepEpilogue      *self,
                                       const GhloStepRequest *request);
/* The request's result that holds the product until the kernel runs: the product's result, or one that the kernel
 * may overwrite in place. GHLO_STEP_NONE where there is none. */
guint       ghlo_step_epilogue_place  (const GhloStepEpilogue *self);
void        ghlo_step_epilogue_clear  (GhloStepEpilogue      *self);

G_END_DECLS
