/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What adds the pieces that a product's k was cut into: a kernel, which sums the planes one after the other and makes
 * elements of the sums, of which an epilogue may make others.
 */

#pragma once

#include "base/view.h"
#include "vulkan/product/epilogue.h"

G_BEGIN_DECLS

/* Of @product as it was read, with @epilogue, where that is not NULL. NULL where there are more dimensions than kernels
 * have. Buffer 0 is the planes, each of them dense in batches, rows and columns; then comes the result, unless the
 * product drops it, and what the epilogue has behind the product's elements. The caller frees it. */
GhloKernel     *ghlo_vulkan_product_pieces (const GhloVulkanProduct  *product,
                                            const GhloVulkanEpilogue *epilogue);
/* The type of the planes' elements, and the bytes of one plane. */
GhloElementType ghlo_vulkan_product_planed (const GhloVulkanProduct *product);
guint64         ghlo_vulkan_product_plane  (const GhloVulkanProduct *product);

G_END_DECLS
