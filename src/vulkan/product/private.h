/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the readers of products share.
 */

#pragma once

#include "vulkan/product/product.h"

G_BEGIN_DECLS

/* The role of an operand's dimensions that the other one lacks. */
static inline GhloSpirvRole
ghlo_vulkan_product_outer (guint tensor)
{
  return tensor == GHLO_SPIRV_LHS ? GHLO_SPIRV_ROWS : GHLO_SPIRV_COLUMNS;
}

/* One more dimension of a role, within those that are there. FALSE where there are too many. */
gboolean ghlo_vulkan_product_append           (GhloVulkanProduct               *self,
                                               GhloSpirvRole                    role,
                                               const GhloSpirvProductDimension *dimension);
/* Whether the device has all types, and converts between them as kernels do. */
gboolean ghlo_vulkan_product_has_types        (const GhloSpirvProduct          *self,
                                               const GhloVulkanDevice          *device);
/* Bytes from one to the next along the innermost dimension; the most where there is none. */
guint64  ghlo_vulkan_product_step             (const GhloVulkanProduct         *self,
                                               GhloSpirvRole                    role,
                                               guint                            tensor);
/* Its tile and pieces, once its types and dimensions are known; NULL, or the reason why the device does not do it. */
const char *ghlo_vulkan_product_cut           (GhloVulkanProduct               *self,
                                               const GhloVulkanDevice          *device,
                                               gboolean                         matrices);
/* Whether cooperative matrices do it, and are worth it, with operands that begin at multiples of pieces and are split
 * as @split says. */
gboolean ghlo_vulkan_product_has_matrices     (const GhloVulkanProduct         *self,
                                               const GhloVulkanDevice          *device,
                                               GhloSpirvSplit                   split);
/* The precision that a product asks for, of both operands the most. */
enum { GHLO_VULKAN_DEFAULT, GHLO_VULKAN_HIGH, GHLO_VULKAN_HIGHEST };
gint64   ghlo_vulkan_find_precision           (const GhloIrOp                  *op);
/* What the operands are best multiplied as where they are f32, and @op names no algorithm. */
GhloSpirvSplit ghlo_vulkan_product_find_split (const GhloVulkanProduct         *self,
                                               const GhloVulkanDevice          *device,
                                               const GhloIrOp                  *op,
                                               gboolean                         matrices);
/* The dimensions and windows of a convolution; FALSE where they are too many, or too large. */
gboolean ghlo_vulkan_product_read_convolution (GhloVulkanProduct               *self,
                                               const GhloStepRequest           *request);

G_END_DECLS
