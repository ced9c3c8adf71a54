/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The dimension numbers of a convolution, as rules read and change them.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_CONVOLUTION_INPUT,
  GHLO_CONVOLUTION_KERNEL,
  GHLO_CONVOLUTION_OUTPUT,
  GHLO_CONVOLUTION_N_TENSORS,
} GhloConvolutionTensor;

/* Whether @op is a convolution of plain types; @op may be NULL. */
gboolean          ghlo_convolution_is_plain    (const GhloIrOp        *op);
/* Gets the tensor's dimensions in the order batch (of the kernel: input features), spatial dimensions, features (of the
 * kernel: output features). Returns their number. */
guint             ghlo_convolution_get_order   (const GhloIrAttr      *numbers,
                                                GhloConvolutionTensor  tensor,
                                                gint64                *order);
/* The dimension numbers with those of one tensor mapped: dimension d becomes map[d]. */
const GhloIrAttr *ghlo_convolution_map_numbers (GhloIrModule          *module,
                                                const GhloIrAttr      *numbers,
                                                GhloConvolutionTensor  tensor,
                                                const gint64          *map);

G_END_DECLS
