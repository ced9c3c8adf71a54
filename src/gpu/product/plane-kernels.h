/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels that compute planes of operands (product/planes.h), and the layout of planes. Each batch is dense. Steps
 * of k are padded to fill whole matrices; rows or columns, where those are adjacent in memory, are padded to whole
 * pieces of 16 bytes.
 */

#pragma once

#include "gpu/product/planes.h"
#include "gpu/product/reading.h"

G_BEGIN_DECLS

static inline guint
ghlo_gpu_n_planes (const GhloGpuProduct *product)
{
  return ghlo_spirv_n_planes (product->shader.split);
}

/* Returns the number of steps of k of a plane. */
gint64 ghlo_gpu_plane_steps   (const GhloGpuProduct *product);
/* Returns the strides in bytes of a step of k over all planes, of a row or column, and of a batch. */
void   ghlo_gpu_plane_strides (const GhloGpuProduct *product,
                               guint                 tensor,
                               gint64               *inner,
                               gint64               *outer,
                               gint64               *batch);
/* Returns the bytes from an operand's first element to its lowest address. Sets *@size to the bytes from there to its
 * end. */
gint64 ghlo_gpu_plane_begin   (const GhloGpuProduct *product,
                               guint                 tensor,
                               gint64               *size);

/* The following functions return NULL if a kernel would need more dimensions than kernels have. The sizes in
 * GhloGpuPlanesSide must be set. This one finds the factors; its buffers are the operand and the factors. */
GhloKernel *ghlo_gpu_plane_factors       (const GhloGpuProduct    *product,
                                          guint                    tensor,
                                          gint64                   factors_size);
/* Whether the kernel that computes the operand's planes also finds the factors. */
gboolean    ghlo_gpu_plane_finds_factors (const GhloGpuProduct    *product,
                                          guint                    tensor);
/* Computes the planes; its buffers are the operand, the factors, and each plane. */
GhloKernel *ghlo_gpu_plane_planes        (const GhloGpuProduct    *product,
                                          guint                    tensor,
                                          const GhloGpuPlanesSide *side);
/* Sets the flag; its buffers are the factors of both operands, and the flag. */
GhloKernel *ghlo_gpu_plane_flag          (const GhloGpuPlanesSide *sides);

G_END_DECLS
