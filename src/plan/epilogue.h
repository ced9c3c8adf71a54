/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusions that begin with a product or a convolution and whose other operations are its epilogue: a generated kernel
 * over the product's elements, which may give several results (relu and the mask of where it cut off, say).
 *
 * A fusion's body may come from anywhere: what is no product followed by a kernel is left to the plan.
 */

#pragma once

#include "kernel/lower.h"
#include "plan/target.h"

G_BEGIN_DECLS

/* What a request is about; borrowed from it. */
typedef struct
{
  const GhloIrOp *op;                         /* the product or convolution */
  guint           lhs, rhs;                   /* its operands, among the request's */
  GhloView        result;                     /* its own, without gaps: dense, or in the order that the request's only
                                               * result is wanted in; no data */
  gint64          strides[GHLO_MAX_RANK];     /* of that */
} GhloStepLead;

/* The points of the kernel are the product's elements, in the order in which they lie. */
typedef struct
{
  GhloLoweredKernel lowered;                  /* of the product's elements, the request's operands, and the results */
  guint             n_operands;               /* of the request */
  guint             n_results;                /* of the kernel */
  guint             which[GHLO_KERNEL_MAX_BUFFERS];     /* of each the result of the request */
  guint             own;                      /* the result of the request that is the product, or GHLO_STEP_NONE */
} GhloStepEpilogue;

gboolean    ghlo_step_is_dot          (const GhloIrOp        *op);
/* Why an epilogue does not have these operations, of which one is the product; static, or NULL. */
const char *ghlo_step_epilogue_obstacle (const GhloIrOp *const *ops,
                                         guint                  n_ops);
/* Each gives NULL, or the reason, static, why the request's fusion is none of these. A request for a product alone has
 * a lead, and no epilogue. */
const char *ghlo_step_lead_read       (GhloStepLead          *self,
                                       const GhloStepRequest *request);
const char *ghlo_step_epilogue_init   (GhloStepEpilogue      *self,
                                       const GhloStepRequest *request);
/* The result of the request that has the product before the kernel is run: its own, or the one that the kernel may
 * write over it; or GHLO_STEP_NONE. */
guint       ghlo_step_epilogue_place  (const GhloStepEpilogue *self);
void        ghlo_step_epilogue_clear  (GhloStepEpilogue      *self);

G_END_DECLS
