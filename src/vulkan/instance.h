/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The one Vulkan instance of the process. With GHLO_DEBUG=vulkan it has the validation layer, where that is installed;
 * what the layer finds is a critical message of the log.
 */

#pragma once

#include "vulkan/functions.h"

G_BEGIN_DECLS

typedef struct
{
  GhloVulkanFunctions      *vk;
  VkInstance                instance;
  VkDebugUtilsMessengerEXT  messenger;      /* VK_NULL_HANDLE where nothing is validated */
} GhloVulkanInstance;

enum { GHLO_VULKAN_MAX_DEVICES = 16 };

/* Made at the first call, which takes up to a second, and kept. NULL where there is no loader or no driver; another
 * call tries anew. */
const GhloVulkanInstance *ghlo_vulkan_instance_get  (GError                   **error);
/* The devices of all drivers; how many there are. */
guint                     ghlo_vulkan_instance_list (const GhloVulkanInstance  *self,
                                                     VkPhysicalDevice          *devices,
                                                     GError                   **error);

G_END_DECLS
