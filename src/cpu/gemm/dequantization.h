/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An operand of a product that is computed from integers of up to four bits: (integer - zero point) × scale, with zero
 * points and scales that groups of adjacent k share. Such a product reads the integers.
 */

#pragma once

#include "cpu/gemm/problem.h"
#include "plan/epilogue.h"

G_BEGIN_DECLS

/* A tensor that is broadcast to the operand. */
typedef struct
{
  guint           operand;        /* of the request; GHLO_STEP_NONE: there is none */
  GhloElementType type;
  gint64          strides[GHLO_MAX_RANK];       /* in bytes, along the dimensions below */
} GhloCpuBroadcast;

struct _GhloCpuDequantization
{
  guint            weights;       /* operand of the request; GHLO_STEP_NONE without one */
  GhloElementType  type;
  gint64           zero;          /* the zero point of all weights; 0 with zero points of their own */
  GhloCpuBroadcast scales, zeros;
  gint64           group;         /* adjacent k with the same scale and zero point */
  /* Dimensions that count groups, then those of columns. */
  guint            n_group_dimensions, n_dimensions;
  gint64           sizes[GHLO_MAX_RANK];
  /* The integers as a tensor of the operand's shape. */
  GhloView         view;
  gint64           dimensions[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];
};

/* Reads how @operand, 0 or 1, of @product is computed: in the body of @request or, where that is NULL, by operations of
 * the product's block from values that none computes. FALSE where it is not such an operand. */
gboolean ghlo_cpu_dequantization_read (GhloCpuDequantization *self,
                                       const GhloIrOp        *product,
                                       guint                  operand,
                                       const GhloStepRequest *request);
/* Whether the CPU multiplies @operand of @product so; with @ops, also whether these convert the integers. */
gboolean ghlo_cpu_dequantization_pays (const GhloIrOp        *product,
                                       guint                  operand,
                                       const GhloIrOp *const *ops,
                                       guint                  n_ops);

G_END_DECLS
