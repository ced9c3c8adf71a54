/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Driver behaviour that cannot be queried through Vulkan: one row per driver.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  /* The number of iterations, over all loops together, after which an invocation silently leaves its loops; INFINITY if
   * there is no such limit. */
  double   max_iterations;
  /* The driver's compiler takes longer to unroll loops than unrolling saves. */
  gboolean keeps_loops;
} GhloVulkanDriver;

/* @id: a VkDriverId. */
const GhloVulkanDriver *ghlo_vulkan_driver_find        (guint32                 id);
/* Whether an invocation may iterate @n times, over all loops together: it gets to the end, and soon enough for a
 * cancel, since a dispatch cannot be interrupted. INFINITY stands for a number that depends on data, for which the
 * program is trusted where the driver has no limit. */
gboolean                ghlo_vulkan_driver_may_iterate (const GhloVulkanDriver *self,
                                                        double                  n);
/* Returns a reference to @words, or a copy adapted to the driver. Loops that are not unrolled count as iterations, so
 * this is only for modules whose iterations are checked against max_iterations. */
GBytes                 *ghlo_vulkan_driver_adapt       (const GhloVulkanDriver *self,
                                                        GBytes                 *words);

G_END_DECLS
