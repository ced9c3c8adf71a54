/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pipelines by the words of their shaders, each made once; they stay until the device is closed. What the driver keeps
 * of them is on disk, so that another process finds it.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_made;         /* by the driver's compiler */
  guint n_found;        /* on disk */
} GhloVulkanPipelineCounts;

/* @layout: borrowed, of all of them. @on_disk: FALSE for pipelines that no other process will want. */
GhloVulkanPipelines *ghlo_vulkan_pipelines_new   (GhloVulkanDevice         *device,
                                                  VkPipelineLayout          layout,
                                                  gboolean                  on_disk);
/* Waits for what the device does. */
void                 ghlo_vulkan_pipelines_free  (GhloVulkanPipelines      *self);
/* VK_NULL_HANDLE with @error. Thread-safe: what several threads want at once one of them makes, and others are made
 * meanwhile. */
VkPipeline           ghlo_vulkan_pipelines_get   (GhloVulkanPipelines      *self,
                                                  GBytes                   *words,
                                                  GError                  **error);
void                 ghlo_vulkan_pipelines_count (GhloVulkanPipelines      *self,
                                                  GhloVulkanPipelineCounts *counts);

G_END_DECLS
