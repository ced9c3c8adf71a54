/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Host memory that the device reads and writes by itself (VK_EXT_external_memory_host), in copies, or where memory is
 * unified in kernels that read it: blocks of the pool, which stay imported until the system gets them back. Nobody
 * else's memory is imported, since nobody else says when it goes.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* Of a device whose memory and queue are there; NULL where it has no such extension. */
GhloVulkanImports *ghlo_vulkan_imports_new  (GhloVulkanDevice  *device);
/* Before the device's memory, which holds them. */
void               ghlo_vulkan_imports_free (GhloVulkanImports *self);
/* Where the device has the @size bytes at @host, which are the caller's, until they are given back: nothing that the
 * device does with them may be on its way any more by then. 0 where they are not imported: not the pool's, too few or
 * too many, or the driver does not do it. @self may be NULL. */
guint64            ghlo_vulkan_imports_take (GhloVulkanImports *self,
                                             gconstpointer      host,
                                             gsize              size);
/* What was taken there, not 0. */
void               ghlo_vulkan_imports_give (GhloVulkanImports *self,
                                             gconstpointer      host);

G_END_DECLS
