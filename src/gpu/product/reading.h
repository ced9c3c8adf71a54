/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files that read and tile products.
 */

#pragma once

#include "gpu/product/product.h"

G_BEGIN_DECLS

/* The role of an operand's dimensions that the other operand lacks. */
static inline GhloSpirvRole
ghlo_gpu_product_outer (guint tensor)
{
  return tensor == GHLO_SPIRV_LHS ? GHLO_SPIRV_ROWS : GHLO_SPIRV_COLUMNS;
}

/* Appends a dimension of a role, inside those there are. Returns FALSE if there are too many. */
gboolean ghlo_gpu_product_append           (GhloGpuProduct                  *self,
                                            GhloSpirvRole                    role,
                                            const GhloSpirvProductDimension *dimension);
/* Whether the device has all types of the product, and converts between them like kernels do. */
gboolean ghlo_gpu_product_has_types        (const GhloSpirvProduct          *self,
                                            const GhloGpuDevice             *device);
/* Returns the stride in bytes along the role's innermost dimension, or the maximum value if the role has no
 * dimensions. */
guint64  ghlo_gpu_product_step             (const GhloGpuProduct            *self,
                                            GhloSpirvRole                    role,
                                            guint                            tensor);
/* Chooses the tile and the pieces of k; types and dimensions must be set. Returns NULL, or the reason why the device
 * does not compute the product. */
const char *ghlo_gpu_product_choose_tile   (GhloGpuProduct               *self,
                                            const GhloGpuDevice          *device,
                                            gboolean                      matrices);
/* Transposes the product. */
void ghlo_gpu_product_swap                 (GhloGpuProduct               *self);
/* The maximum number of columns of products that are streamed. */
enum { GHLO_GPU_FEW_COLUMNS = 16 };
/* Returns FALSE and changes nothing if the product is not suitable for streaming. @is_aligned: the operands are aligned
 * to pieces. */
gboolean ghlo_gpu_product_choose_stream    (GhloGpuProduct               *self,
                                            const GhloGpuDevice          *device,
                                            gboolean                      is_aligned);
/* Whether the product can use cooperative matrices, and gains by it, given that the operands are aligned to pieces and
 * split as @split says. */
gboolean ghlo_gpu_product_has_matrices     (const GhloGpuProduct         *self,
                                            const GhloGpuDevice          *device,
                                            GhloSpirvSplit                split);
/* The highest precision that a product requests for either operand. */
enum { GHLO_GPU_DEFAULT, GHLO_GPU_HIGH, GHLO_GPU_HIGHEST };
gint64   ghlo_gpu_find_precision           (const GhloIrOp                  *op);
/* Returns how to split operands, if they are f32 and @op names no algorithm. */
GhloSpirvSplit ghlo_gpu_product_find_split (const GhloGpuProduct         *self,
                                            const GhloGpuDevice          *device,
                                            const GhloIrOp               *op,
                                            gboolean                      matrices);
/* Reads the dimensions and windows of a convolution. Returns FALSE if there are too many, or they are too large. */
gboolean ghlo_gpu_product_read_convolution (GhloGpuProduct               *self,
                                            const GhloStepRequest        *request);

G_END_DECLS
