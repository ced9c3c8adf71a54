/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties of a Vulkan device that do not require it to be open: its limits, its memory and, where measured, its
 * rates.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* Adds the limits and the memory. */
void  ghlo_vulkan_add_properties (const GhloVulkanDevice *device,
                                  GArray                 *properties);
/* Adds what the process has compiled for the device, once that is open: "pipelines: 3 made, 20 found on disk". */
void  ghlo_vulkan_add_pipelines  (const GhloVulkanDevice *device,
                                  GArray                 *properties);
/* Returns the index of the largest device-local heap, or G_MAXUINT if there is none. */
guint ghlo_vulkan_main_heap      (const GhloVulkanDevice *device);
/* Sets the device's rates and whether it is a real GPU. Its properties must be known. */
void  ghlo_vulkan_rates_init     (GhloVulkanDevice       *device);

G_END_DECLS
