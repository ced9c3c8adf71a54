/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What people may want to know of a Vulkan device: its limits and its memory, and how it computes, where that is known.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* Of GhloDeviceCoreClass. */
void  ghlo_vulkan_add_facts     (GhloDeviceCore        *core,
                                 GArray                *facts);
char *ghlo_vulkan_describe_work (GhloDeviceCore        *core);
/* The largest heap of the device's own memory; G_MAXUINT where it has none. */
guint ghlo_vulkan_main_heap     (const GhloVulkanDevice *device);

/* For tests: the facts of @measured alone. */
void  ghlo_vulkan_add_numbers   (const GhloSpirvDevice *measured,
                                 GArray                *facts);

G_END_DECLS
