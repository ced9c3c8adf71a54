/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * dot_general, dot and convolution as a product that shaders do: its dimensions by what they are, merged where they
 * follow each other in all tensors, its tile, and the pieces that k is cut into. The order of a sum follows from shapes
 * alone, on a device.
 */

#pragma once

#include "plan/target.h"
#include "vulkan/device.h"
#include "vulkan/spirv/product.h"

G_BEGIN_DECLS

typedef struct
{
  GhloSpirvProduct          shader;
  GhloSpirvSplit            split;                              /* what the operands are best multiplied as; of planes,
                                                                 * which GhloVulkanPlanes makes, the shader says nothing
                                                                 * before it takes them */
  guint                     operands[2];                        /* those that are its lhs and rhs */
  gint64                    starts[2];                          /* bytes from their first elements to where they begin,
                                                                 * as one that is reversed does at its end */
  GhloSpirvProductWindow    windows[GHLO_SPIRV_MAX_WINDOWS];
  GhloSpirvProductDimension dimensions[GHLO_SPIRV_N_ROLES][GHLO_SPIRV_MAX_DIMENSIONS];
  gint64                    counts[GHLO_SPIRV_N_ROLES];         /* products of the sizes */
  gboolean                  is_in_one;                          /* k is not to be cut into pieces */
  gint64                    piece, n_pieces;                    /* steps of k in each, and how many, at least 1 */
  guint64                   n_groups;                           /* of workgroups; 0: the result is empty */
} GhloVulkanProduct;

/* Why no device does @op, whose types are plain; static, or NULL. */
const char *ghlo_vulkan_product_obstacle (const GhloIrOp       *op);
/* Sets what the shader depends on of where results lie: all begin at sums of multiples of the bits of @alignment. */
void        ghlo_vulkan_product_find_vectors (GhloVulkanProduct *self,
                                              guint64            alignment);
/* NULL, or the reason, static, why the device does not do it. By cooperative matrices where the device has them, the
 * operands lie so that pieces of 16 bytes can be read, and @matrices says that they begin at multiples of those. */
const char *ghlo_vulkan_product_read (GhloVulkanProduct       *self,
                                      const GhloVulkanDevice  *device,
                                      const GhloStepRequest   *request,
                                      gboolean                 matrices);

G_END_DECLS
