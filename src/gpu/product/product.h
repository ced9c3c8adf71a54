/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * dot_general, dot and convolution as a product that shaders compute: their dimensions by role, merged where they are
 * contiguous in all tensors, the tile, and the pieces that k is split into. On a given device the order of each sum
 * depends on shapes only.
 */

#pragma once

#include "device/device.h"
#include "gpu/spirv/product.h"
#include "gpu/device.h"

G_BEGIN_DECLS

typedef struct
{
  GhloSpirvProduct          shader;
  GhloSpirvSplit            split;                              /* best way to split the operands; for planes, made by
                                                                 * GhloGpuPlanes, shader.split is only set once the
                                                                 * shader takes them */
  guint                     operands[2];                        /* indices of the operands that are lhs and rhs */
  gint64                    starts[2];                          /* bytes from an operand's first element to where
                                                                 * reading starts; reversed operands start at their
                                                                 * end */
  GhloSpirvProductWindow    windows[GHLO_SPIRV_MAX_WINDOWS];
  GhloSpirvProductDimension dimensions[GHLO_SPIRV_N_ROLES][GHLO_SPIRV_MAX_DIMENSIONS];
  gint64                    counts[GHLO_SPIRV_N_ROLES];         /* product of the sizes */
  gboolean                  is_in_one;                          /* k must not be split into pieces */
  gint64                    piece, n_pieces;                    /* steps of k in each piece; number of pieces, at least
                                                                 * 1 */
  guint64                   n_groups;                           /* workgroups; 0 if the result is empty */
} GhloGpuProduct;

/* Returns a static string that says why no device computes @op, whose types must be plain, or NULL. */
const char *ghlo_gpu_product_obstacle     (const GhloIrOp        *op);
/* Sets what the shader may assume about where results lie: offsets are sums of multiples of the bits in @alignment. */
void        ghlo_gpu_product_find_vectors (GhloGpuProduct        *self,
                                           guint64                alignment);
/* Returns NULL, or a static string that says why the device does not compute the product. Uses cooperative matrices if
 * the device has them, the operands' layout permits reading pieces of 16 bytes, and @matrices says that the operands
 * are aligned to those. */
const char *ghlo_gpu_product_read         (GhloGpuProduct        *self,
                                           const GhloGpuDevice   *device,
                                           const GhloStepRequest *request,
                                           gboolean               matrices);

G_END_DECLS
