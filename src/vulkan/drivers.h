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
  double max_iterations;
} GhloVulkanDriver;

const GhloVulkanDriver *ghlo_vulkan_driver_find (VkDriverId id);

G_END_DECLS
