/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The one Vulkan instance of the process. With GHLO_DEBUG=vulkan it loads the validation layer, if that is installed,
 * and logs the layer's findings as critical messages.
 */

#pragma once

#include "vulkan/device.h"
#include "vulkan/functions.h"

G_BEGIN_DECLS

typedef struct
{
  GhloVulkanFunctions      *vk;
  VkInstance                instance;
  VkDebugUtilsMessengerEXT  messenger;      /* VK_NULL_HANDLE without validation */
} GhloVulkanInstance;

/* Creates the instance on the first call, which takes up to a second, and keeps it. Returns NULL if there is no loader
 * or no driver; the next call tries again. */
const GhloVulkanInstance *ghlo_vulkan_instance_get  (GError                   **error);
/* Lists the devices of all drivers, at most GHLO_VULKAN_MAX_DEVICES, and returns how many there are. */
guint                     ghlo_vulkan_instance_list (const GhloVulkanInstance  *self,
                                                     VkPhysicalDevice          *devices,
                                                     GError                   **error);

G_END_DECLS
