/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files that read and tile products.
 */

#pragma once

#include "vulkan/product/product.h"

G_BEGIN_DECLS

/* The role of an operand's dimensions that the other operand lacks. */
static inline GhloSpirvRole
ghlo_vulkan_product_outer (guint tensor)
{
  return tensor == GHLO_SPIRV_LHS ? GHLO_SPIRV_ROWS : GHLO_SPIRV_COLUMNS;
}

/* Appends a dimension of a role, inside those there are. Returns FALSE if there are too many. */
gboolean ghlo_vulkan_product_append           (GhloVulkanProduct               *self,
                                               GhloSpirvRole                    role,
                                               const GhloSpirvProductDimension *dimension);
/* Whether the device has all types of the product, and converts between them like kernels do. */
gboolean ghlo_vulkan_product_has_types        (const GhloSpirvProduct          *self,
                                               const GhloVulkanDevice          *device);
/* Returns the stride in bytes along the role's innermost dimension, or the maximum value if the role has no
 * dimensions. */
guint64  ghlo_vulkan_product_step             (const GhloVulkanProduct         *self,
                                               GhloSpirvRole                    role,
                                               guint                            tensor);
/* Chooses the tile and the pieces of k; types and dimensions must be set. Returns NULL, or the reason why the device
 * does not compute the product. */
const char *ghlo_vulkan_product_choose_tile   (GhloVulkanProduct               *self,
                                               const GhloVulkanDevice          *device,
                                               gboolean                         matrices);
/* Whether the product can use cooperative matrices, and gains by it, given that the operands are aligned to pieces and
 * split as @split says. */
gboolean ghlo_vulkan_product_has_matrices     (const GhloVulkanProduct         *self,
                                               const GhloVulkanDevice          *device,
                                               GhloSpirvSplit                   split);
/* The highest precision that a product requests for either operand. */
enum { GHLO_VULKAN_DEFAULT, GHLO_VULKAN_HIGH, GHLO_VULKAN_HIGHEST };
gint64   ghlo_vulkan_find_precision           (const GhloIrOp                  *op);
/* Returns how to split operands, if they are f32 and @op names no algorithm. */
GhloSpirvSplit ghlo_vulkan_product_find_split (const GhloVulkanProduct         *self,
                                               const GhloVulkanDevice          *device,
                                               const GhloIrOp                  *op,
                                               gboolean                         matrices);
/* Reads the dimensions and windows of a convolution. Returns FALSE if there are too many, or they are too large. */
gboolean ghlo_vulkan_product_read_convolution (GhloVulkanProduct               *self,
                                               const GhloStepRequest           *request);

G_END_DECLS
