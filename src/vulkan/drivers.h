/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What drivers do that Vulkan does not let them say: a row each.
 */

#pragma once

#include "vulkan/functions.h"

G_BEGIN_DECLS

typedef struct
{
  /* Iterations of all loops together after which an invocation leaves them, without a word; INFINITY: it does not. */
  double   max_iterations;
  /* Repeating the bodies of loops takes its compiler longer than it saves. */
  gboolean keeps_loops;
} GhloVulkanDriver;

const GhloVulkanDriver *ghlo_vulkan_driver_find  (VkDriverId              id);
/* The module @words as the driver is to have it. Loops that are kept have iterations, so that it is for modules whose
 * iterations are held against max_iterations. */
GBytes                 *ghlo_vulkan_driver_adapt (const GhloVulkanDriver *self,
                                                  GBytes                 *words);

G_END_DECLS
