/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A cache of pipelines, keyed by the words of their shaders. Each pipeline is made once and lives until the device is
 * closed. The driver's compiled form is kept on disk for other processes.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_made;         /* compiled by the driver */
  guint n_found;        /* found on disk */
} GhloVulkanPipelineCounts;

/* @on_disk is FALSE for pipelines that no other process will use. */
GhloVulkanPipelines *ghlo_vulkan_pipelines_new   (GhloVulkanDevice          *device,
                                                  gboolean                   on_disk);
/* Waits until the device is idle. */
void                 ghlo_vulkan_pipelines_free  (GhloVulkanPipelines       *self);
/* Returns NULL with @error. Thread-safe: threads that ask for the same pipeline wait for the one that makes
 * it; other pipelines are made meanwhile. */
GhloVulkanPipeline  *ghlo_vulkan_pipelines_get   (GhloVulkanPipelines       *self,
                                                  GBytes                    *words,
                                                  GError                   **error);
void                 ghlo_vulkan_pipelines_count (GhloVulkanPipelines       *self,
                                                  GhloVulkanPipelineCounts  *counts);

G_END_DECLS
