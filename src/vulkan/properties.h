/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties of a Vulkan device that do not require it to be open: its limits, its memory and, where measured, its
 * rates and how it computes.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* Implements GhloDeviceCoreClass.add_properties. */
void  ghlo_vulkan_add_properties (GhloDeviceCore       *core,
                                  GArray               *properties);
/* Returns the index of the largest device-local heap, or G_MAXUINT if there is none. */
guint ghlo_vulkan_main_heap     (const GhloVulkanDevice *device);
/* Sets the device's rates and whether it is a real GPU. Its properties must be known. */
void  ghlo_vulkan_rates_init    (GhloVulkanDevice      *device);

/* For tests: adds only the properties in @measured. */
void  ghlo_vulkan_add_numbers   (const GhloSpirvDevice *measured,
                                 GArray                *properties);

G_END_DECLS
