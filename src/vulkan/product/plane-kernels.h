/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels that make planes of operands (product-planes.h), and how these lie: each batch is dense, with as many
 * steps of k as fill matrices, and as many rows or columns as fill pieces of 16 bytes where those are adjacent.
 */

#pragma once

#include "vulkan/product/planes.h"
#include "vulkan/product/private.h"

G_BEGIN_DECLS

static inline guint
ghlo_vulkan_n_planes (const GhloVulkanProduct *product)
{
  return ghlo_spirv_n_planes (product->shader.split);
}

/* Steps of k of a plane. */
gint64      ghlo_vulkan_plane_steps   (const GhloVulkanProduct    *product);
/* Bytes of a step of k of all planes, of a row or column, and of a batch. */
void        ghlo_vulkan_plane_strides (const GhloVulkanProduct    *product,
                                       guint                       tensor,
                                       gint64                     *inner,
                                       gint64                     *outer,
                                       gint64                     *batch);
/* Bytes from where an operand begins to its least address; *@size is that from there to its end. */
gint64      ghlo_vulkan_plane_begin   (const GhloVulkanProduct    *product,
                                       guint                       tensor,
                                       gint64                     *size);

/* Each gives NULL where there are more dimensions than kernels have. Of sides, sizes are known. Buffers: operand,
 * factors. */
GhloKernel *ghlo_vulkan_plane_factors (const GhloVulkanProduct    *product,
                                       guint                       tensor,
                                       gint64                      factors_size);
/* Whether the kernel that makes planes of the operand finds the factors as well. */
gboolean    ghlo_vulkan_plane_finds_factors (const GhloVulkanProduct *product,
                                             guint                    tensor);
/* Buffers: operand, factors, and each plane. */
GhloKernel *ghlo_vulkan_plane_planes  (const GhloVulkanProduct    *product,
                                       guint                       tensor,
                                       const GhloVulkanPlanesSide *side);
/* Buffers: the factors of both operands, the flag. */
GhloKernel *ghlo_vulkan_plane_flag    (const GhloVulkanPlanesSide *sides);

G_END_DECLS
