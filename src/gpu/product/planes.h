/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of f32 by matrices of f16. Each row of lhs and each column of rhs, of each batch, is scaled by a power of
 * two so that its largest magnitude is in [2^14, 2^15), and split into one or two planes of f16 (GhloSpirvSplit), all
 * by generated kernels. Where planes cannot represent the operands, the device sets a flag; then the shader for unsplit
 * operands computes the product instead.
 *
 * Planes cannot represent rows and columns whose largest magnitude is not finite, or not within a factor of 2^60 of 1.
 * Two planes also cannot represent those with a number other than 0 that is less than 2^-29 of the largest magnitude.
 * One plane does not check for such numbers: what it loses of each is at most 2^-39 of the largest.
 */

#pragma once

#include "gpu/kernel.h"
#include "gpu/product/product.h"

G_BEGIN_DECLS

/* One operand. */
typedef struct
{
  GhloKernel       *factors, *planes;           /* owned; factors is NULL where the other kernel finds them */
  GhloGpuKernel  find_factors, make_planes;
  gint64            begin;                      /* bytes from its first element to its lowest address */
  gsize             factors_at, planes_at;      /* offsets in the scratch */
  gsize             factors_size, planes_size;
  gsize             low_at;                     /* offset of the second plane within the planes */
  gsize             kernels_at;                 /* offset of the scratch of both kernels */
} GhloGpuPlanesSide;

typedef struct
{
  GhloGpuPlanesSide sides[2];                /* lhs and rhs */
  GhloKernel          *flag;                    /* owned */
  GhloGpuKernel     find_flag;
  gsize                flag_at, kernel_at;
  gsize                size;                    /* bytes of scratch */
} GhloGpuPlanes;

/* Turns @product into the product of planes, and sets @fallback to the one for operands that planes cannot represent.
 * Returns FALSE and changes nothing if @product is not to be split into planes, or if the device cannot do so. */
gboolean ghlo_gpu_planes_init    (GhloGpuPlanes        *self,
                                  GhloGpuProduct       *product,
                                  GhloGpuProduct       *fallback,
                                  GhloGpuDevice        *device);
void     ghlo_gpu_planes_clear   (GhloGpuPlanes        *self);
gboolean ghlo_gpu_planes_compile (GhloGpuPlanes        *self,
                                  gboolean              may_be_predicated,
                                  GError              **error);
/* @operands: the places of lhs and rhs. */
void     ghlo_gpu_planes_record  (const GhloGpuPlanes  *self,
                                  const GhloBufferRef  *operands,
                                  GhloBufferRef         scratch,
                                  GhloGpuRecording     *recording);

G_END_DECLS
