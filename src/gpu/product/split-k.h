/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Adds the pieces that a product's k was split into: a kernel that sums the planes one after the other and converts the
 * sums to elements of the result, which it may pass through an epilogue.
 */

#pragma once

#include "base/view.h"
#include "gpu/product/epilogue.h"

G_BEGIN_DECLS

/* Returns the kernel for @product, with @epilogue if that is not NULL; transfer full. Returns NULL if it would need
 * more dimensions than kernels have. Buffer 0 holds the planes, each dense in batches, rows and columns. The result
 * comes next, unless the product drops it, then the epilogue's buffers other than the product's elements. */
GhloKernel     *ghlo_gpu_product_pieces     (const GhloGpuProduct  *product,
                                             const GhloGpuEpilogue *epilogue);
/* The type of the planes' elements, and the bytes of one plane. */
GhloElementType ghlo_gpu_product_plane_type (const GhloGpuProduct  *product);
guint64         ghlo_gpu_product_plane_size (const GhloGpuProduct  *product);

G_END_DECLS
