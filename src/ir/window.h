/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The windows that a program states: strides, dilations and padding of convolution, reduce_window, select_and_scatter
 * and pad. The verifier accepts all numbers whose extents fit 63 bits. Steps and kernels read them
 * here, where one limit holds, so that what they compute from them cannot overflow.
 */

#pragma once

#include "base/sizes.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* The limit of each number, and of each distance from the first to the last of elements that are a stride or a dilation
 * apart. It is the largest size of a dimension of a tensor, and the sum of 2^16 such numbers fits 63 bits. A product
 * with a stride in bytes may not fit; see ghlo_ir_window_fits_bytes (). */
#define GHLO_IR_MAX_REACH ((gint64) GHLO_MAX_TENSOR_BYTES)

typedef struct
{
  gint64   input, output;   /* elements of the operand, and positions of the window */
  gint64   size;            /* elements of the window; -1 when dynamic */
  gint64   stride;
  gint64   base_dilation;
  gint64   window_dilation;
  gint64   padding_low;
  gint64   padding_high;
  gboolean is_reversed;
} GhloIrWindowDim;

typedef struct
{
  guint           rank;
  GhloIrWindowDim dims[GHLO_MAX_RANK];
} GhloIrWindow;

/* Reads the window of @op, which is verified and of static shapes. A convolution has one dimension for each spatial
 * one, the others one for each of the operand. pad is a window of one element over a dilated operand. A stride or
 * dilation between fewer than two elements has no effect, and is 1 here. Returns NULL, or why a step must leave the
 * operation to the reference executor. */
const char *ghlo_ir_window_read       (GhloIrWindow          *self,
                                       const GhloIrOp        *op);
/* Whether the numbers of a dimension are within the limit. */
gboolean    ghlo_ir_window_is_near    (const GhloIrWindowDim *self);
/* Whether all positions that a window reaches in a dimension, times @stride bytes, fit 62 bits. */
gboolean    ghlo_ir_window_fits_bytes (const GhloIrWindowDim *self,
                                       gint64                 stride);

G_END_DECLS
