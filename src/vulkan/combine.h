/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How shaders combine two elements: what combine.glsl is specialized by.
 */

#pragma once

#include "kernel/scalar.h"
#include "vulkan/device.h"

#include "shaders/combine.words"

G_BEGIN_DECLS

/* In the order of the specialization constants. */
typedef struct
{
  guint32 size;         /* of an element */
  guint32 kind;
  guint32 class;
} GhloVulkanCombine;

/* NULL, or the reason, static, why no shader combines elements of @type so, or the device would not have the CPU's
 * bits. With NONE the second takes the place of the first. */
const char *ghlo_vulkan_combine_init (GhloVulkanCombine      *self,
                                      const GhloVulkanDevice *device,
                                      GhloCombiner            combiner,
                                      GhloElementType         type);
/* Whether floats are added or multiplied. */
gboolean    ghlo_vulkan_combine_calculates (const GhloVulkanCombine *self);

G_END_DECLS
