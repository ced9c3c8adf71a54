/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The queue of a device: what is put in is done in that order, each after what is before it, whichever thread puts it
 * in. Commands gather until somebody waits, or until they are many, and are submitted then; a timeline counts
 * submissions.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* A kernel's shader over all its parallel points. */
typedef struct
{
  VkPipeline     pipeline;
  guint64        n_points;
  guint          points_each;       /* of a workgroup */
  guint          most_groups;       /* at once */
  gboolean       takes_turns;       /* further ones begin when those have ended: they use the same scratch */
  /* The words of GhloSpirvPush's table: those of GhloSpirvWord, of which the first, END, is set here, and what
   * follows them. */
  const guint64 *words;
  guint          n_words;
} GhloVulkanDispatch;

/* Of an open device whose memory is there. */
GhloVulkanQueue *ghlo_vulkan_queue_new      (GhloVulkanDevice          *device,
                                             GError                   **error);
/* Waits for what is submitted. */
void             ghlo_vulkan_queue_free     (GhloVulkanQueue           *self);
/* That of all pipelines: push constants alone. */
VkPipelineLayout ghlo_vulkan_queue_get_layout (GhloVulkanQueue         *self);
gboolean         ghlo_vulkan_queue_dispatch (GhloVulkanQueue           *self,
                                             const GhloVulkanDispatch  *dispatch,
                                             GError                   **error);
/* Of memory of the device, which does not overlap. */
gboolean         ghlo_vulkan_queue_copy     (GhloVulkanQueue           *self,
                                             guint64                    from,
                                             guint64                    to,
                                             gsize                      size,
                                             GError                   **error);
/* Submits what is there, and waits until it is done and the host sees what it wrote. FALSE when cancelled, as well;
 * it is done all the same then. */
gboolean         ghlo_vulkan_queue_finish   (GhloVulkanQueue           *self,
                                             const GhloMonitor         *monitor,
                                             GError                   **error);
/* What the timeline reaches when all is done that was put in so far, and what it has reached. */
guint64          ghlo_vulkan_queue_value    (GhloVulkanQueue           *self);
guint64          ghlo_vulkan_queue_reached  (GhloVulkanQueue           *self);

G_END_DECLS
