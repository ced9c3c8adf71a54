/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Host memory that the device accesses directly (VK_EXT_external_memory_host): in copies and, where memory is unified,
 * in kernels that read it. Only blocks of the library's pool are imported, which stay imported until they go back to
 * the system: other owners of memory do not say when they free it.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* @device must have its memory and queue. Returns NULL if it lacks the extension. */
GhloVulkanImports *ghlo_vulkan_imports_new  (GhloVulkanDevice  *device);
/* Called before the device's memory is destroyed, which owns the imported blocks. */
void               ghlo_vulkan_imports_free (GhloVulkanImports *self);
/* Returns the device address of the @size bytes at @host, valid until ghlo_vulkan_imports_give (), by which time the
 * device must have finished all accesses to them. Returns 0 if the bytes are not imported: they do not belong to a huge
 * block of the pool, the block would exceed the limit on imports, or the driver declined. @self may be NULL. */
guint64            ghlo_vulkan_imports_take (GhloVulkanImports *self,
                                             gconstpointer      host,
                                             gsize              size);
/* Ends one use of memory that ghlo_vulkan_imports_take () returned an address for. */
void               ghlo_vulkan_imports_give (GhloVulkanImports *self,
                                             gconstpointer      host);

G_END_DECLS
