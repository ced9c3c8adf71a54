/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds and opens devices.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* Lists the devices of all drivers, and returns how many there are; 0 with @error if there is no loader or none of them
 * has one. */
guint    ghlo_vulkan_list_physical     (GhloVulkanPhysical  *devices[GHLO_VULKAN_MAX_DEVICES],
                                        GError             **error);
/* Fills @self, which must be zero, with the properties of @physical, the @index-th of the list; FALSE if programs
 * cannot run on it. Does not open it. Devices live as long as the process. */
gboolean ghlo_vulkan_device_init       (GhloVulkanDevice    *self,
                                        GhloVulkanPhysical  *physical,
                                        guint                index,
                                        GError             **error);
/* Creates the objects that programs run through; disconnect () destroys them. One thread at a time. */
gboolean ghlo_vulkan_device_connect    (GhloVulkanDevice    *self,
                                        GError             **error);
void     ghlo_vulkan_device_disconnect (GhloVulkanDevice    *self);

G_END_DECLS
