/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Driver behaviour that cannot be queried through Vulkan: one row per driver.
 */

#pragma once

#include "vulkan/functions.h"

G_BEGIN_DECLS

typedef struct
{
  /* The number of iterations, over all loops together, after which an invocation silently leaves its loops, or delays a
   * cancel for too long. */
  double   max_iterations;
  /* The driver's compiler takes longer to unroll loops than unrolling saves. */
  gboolean keeps_loops;
} GhloVulkanDriver;

const GhloVulkanDriver *ghlo_vulkan_driver_find  (VkDriverId              id);
/* Returns a reference to @words, or a copy adapted to the driver. Loops that are not unrolled count as iterations, so
 * this is only for modules whose iterations are checked against max_iterations. */
GBytes                 *ghlo_vulkan_driver_adapt (const GhloVulkanDriver *self,
                                                  GBytes                 *words);

G_END_DECLS
