/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusions of a product or a convolution. It may be followed by an epilogue: operations that form a generated kernel
 * over the product's elements. The kernel may have several results (for example relu, and the mask of where it cut
 * off). And one of its operands may be computed by a prologue (plan/prologue.h).
 *
 * A fusion's body may come from anywhere: one that has another form is left to the plan.
 */

#pragma once

#include "device/device.h"
#include "kernel/lower.h"

G_BEGIN_DECLS

/* The product or convolution of a request; borrowed from the request. */
typedef struct
{
  const GhloIrOp *op;                         /* the product or convolution */
  guint           operands[2];                /* indices of lhs and rhs among the request's operands, or GHLO_STEP_NONE
                                               * for the one that is computed */
  guint           computed;                   /* 0: lhs is computed in the fusion; 1: rhs is; or GHLO_STEP_NONE */
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

/* Why no epilogue or prologue has these operations, one of which is the product; static. NULL where one may. */
const char *ghlo_step_epilogue_obstacle (const GhloIrOp *const *ops,
                                         guint                  n_ops);
/* The product among @ops and the operand of it, 0 or 1, that others of them compute; GHLO_STEP_NONE where they compute
 * neither. */
guint       ghlo_step_find_computed   (const GhloIrOp *const *ops,
                                       guint                  n_ops,
                                       const GhloIrOp       **product);
/* Whether a request has an epilogue: operations that follow its product. */
gboolean    ghlo_step_has_epilogue    (const GhloStepRequest *request);
/* Each returns NULL, or a static string that says why the request's fusion is not supported. */
const char *ghlo_product_op_read      (GhloProductOp         *self,
                                       const GhloStepRequest *request);
const char *ghlo_step_epilogue_init   (GhloStepEpilogue      *self,
                                       const GhloStepRequest *request);
/* The request's result that holds the product until the kernel runs: the product's result, or one that the kernel
 * may overwrite in place. GHLO_STEP_NONE where there is none. */
guint       ghlo_step_epilogue_place  (const GhloStepEpilogue *self);
void        ghlo_step_epilogue_clear  (GhloStepEpilogue      *self);

G_END_DECLS
