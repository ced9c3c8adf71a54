/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What adds the pieces that a product's k was cut into: a kernel, which sums the planes one after the other and makes
 * elements of the sums.
 */

#pragma once

#include "base/view.h"
#include "vulkan/product/product.h"

G_BEGIN_DECLS

/* Of @product as it was read. NULL where there are more dimensions than kernels have. Buffer 0 is the planes, each of
 * them dense in batches, rows and columns, buffer 1 the result. The caller frees it. */
GhloKernel     *ghlo_vulkan_product_pieces (const GhloVulkanProduct *product);
/* The type of the planes' elements, and the bytes of one plane. */
GhloElementType ghlo_vulkan_product_planed (const GhloVulkanProduct *product);
guint64         ghlo_vulkan_product_plane  (const GhloVulkanProduct *product);

G_END_DECLS
