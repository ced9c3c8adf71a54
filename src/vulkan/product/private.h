/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the readers of products share.
 */

#pragma once

#include "vulkan/product/product.h"

G_BEGIN_DECLS

/* One more dimension of a role, within those that are there. FALSE where there are too many. */
gboolean ghlo_vulkan_product_append           (GhloVulkanProduct               *self,
                                               GhloSpirvRole                    role,
                                               const GhloSpirvProductDimension *dimension);
/* Bytes from one to the next along the innermost dimension; the most where there is none. */
guint64  ghlo_vulkan_product_step             (const GhloVulkanProduct         *self,
                                               GhloSpirvRole                    role,
                                               guint                            tensor);
/* Its tile and pieces, once its types and dimensions are known; NULL, or the reason why the device does not do it. */
const char *ghlo_vulkan_product_cut           (GhloVulkanProduct               *self,
                                               const GhloVulkanDevice          *device,
                                               gboolean                         matrices);
/* The dimensions and windows of a convolution; FALSE where they are too many, or too large. */
gboolean ghlo_vulkan_product_read_convolution (GhloVulkanProduct               *self,
                                               const GhloStepRequest           *request);

G_END_DECLS
