/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A Vulkan device's queue for runs.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* The device need not be open until the queue is used; never freed. */
GhloDeviceQueue *ghlo_vulkan_device_queue_new (GhloVulkanDevice *device);

G_END_DECLS
