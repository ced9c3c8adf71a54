/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A Vulkan device's memory for plans and values.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* Does not open the device; never freed. */
GhloDeviceMemory *ghlo_vulkan_device_memory_new (GhloVulkanDevice *device);

/* Converts an address within the device's memory from a pointer. */
static inline guint64
ghlo_vulkan_address (gconstpointer data)
{
  return GPOINTER_TO_SIZE (data);
}

G_END_DECLS
