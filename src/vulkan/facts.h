/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is known of a Vulkan device that need not be open: its limits and its memory, and how it computes and how fast
 * it is, where that was measured.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* Of GhloDeviceCoreClass. */
void  ghlo_vulkan_add_facts     (GhloDeviceCore        *core,
                                 GArray                *facts);
char *ghlo_vulkan_describe_work (GhloDeviceCore        *core);
const GhloStepRates *ghlo_vulkan_get_rates (GhloDeviceCore *core);
GBytes *ghlo_vulkan_identify    (GhloDeviceCore        *core);
/* The largest heap of the device's own memory; G_MAXUINT where it has none. */
guint ghlo_vulkan_main_heap     (const GhloVulkanDevice *device);
/* Sets the rates of a device whose properties are known, and whether it is a real GPU. */
void  ghlo_vulkan_rates_init    (GhloVulkanDevice      *device);

/* For tests: the facts of @measured alone. */
void  ghlo_vulkan_add_numbers   (const GhloSpirvDevice *measured,
                                 GArray                *facts);

G_END_DECLS
