/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of f32 by matrices of f16. Each row of lhs and each column of rhs, of each batch, is multiplied by a power
 * of two, so that its largest magnitude is in [2^14, 2^15), and split into one plane of f16 or two (GhloSpirvSplit);
 * all by generated kernels. Where that would not hold what the operands have, a flag is set on the device: then the
 * shader that takes them as they are does the product.
 *
 * Not held are rows and columns whose largest magnitude is not finite, or not within 2^60 of 1, and by two planes those
 * that have a number less than 2^-29 of it, but 0. One plane does not look for such numbers: what it loses of one is
 * 2^-39 of the largest.
 */

#pragma once

#include "vulkan/kernel.h"
#include "vulkan/product/product.h"

G_BEGIN_DECLS

/* Of an operand. */
typedef struct
{
  GhloKernel       *factors, *planes;           /* owned; no factors where the other kernel finds them */
  GhloVulkanKernel  find_factors, make_planes;
  gint64            begin;                      /* bytes from where it begins to its least address */
  gsize             factors_at, planes_at;      /* in scratch */
  gsize             factors_size, planes_size;
  gsize             low_at;                     /* in the planes, where the second one begins */
  gsize             kernels_at;                 /* scratch of both kernels */
} GhloVulkanPlanesSide;

typedef struct
{
  GhloVulkanPlanesSide sides[2];                /* of lhs and rhs */
  GhloKernel          *flag;                    /* owned */
  GhloVulkanKernel     find_flag;
  gsize                flag_at, kernel_at;
  gsize                size;                    /* bytes of scratch */
} GhloVulkanPlanes;

/* Makes of @product, as it was read, that of planes, and sets @whole to what does it where they do not hold the
 * operands. FALSE, and nothing is changed, where it is not to be split into planes, or the device does not do it so. */
gboolean ghlo_vulkan_planes_init    (GhloVulkanPlanes       *self,
                                     GhloVulkanProduct      *product,
                                     GhloVulkanProduct      *whole,
                                     GhloVulkanDevice       *device);
void     ghlo_vulkan_planes_clear   (GhloVulkanPlanes       *self);
gboolean ghlo_vulkan_planes_compile (GhloVulkanPlanes       *self,
                                     gboolean                may_be_gated,
                                     GError                **error);
/* @operands: where lhs and rhs begin. */
void     ghlo_vulkan_planes_record  (const GhloVulkanPlanes *self,
                                     const GhloStepPlace    *operands,
                                     GhloStepPlace           scratch,
                                     GhloVulkanRecording    *recording);

G_END_DECLS
