/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pipelines by the words of their shaders, each made once; they stay until the device is closed.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

GhloVulkanPipelines *ghlo_vulkan_pipelines_new  (GhloVulkanDevice     *device);
void                 ghlo_vulkan_pipelines_free (GhloVulkanPipelines  *self);
/* VK_NULL_HANDLE with @error. Thread-safe; what two threads want at once may be made twice. */
VkPipeline           ghlo_vulkan_pipelines_get  (GhloVulkanPipelines  *self,
                                                 GBytes               *words,
                                                 GError              **error);

G_END_DECLS
