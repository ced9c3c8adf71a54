/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The queue of a device: what is put in is done in that order, each after what is before it, whichever thread puts it
 * in. Commands gather until somebody waits, or until they are many or would take long together, and are submitted then;
 * a timeline counts submissions.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* Of an open device whose memory is there. */
GhloVulkanQueue *ghlo_vulkan_queue_new      (GhloVulkanDevice          *device,
                                             GError                   **error);
/* Of a device that is idle. */
void             ghlo_vulkan_queue_free     (GhloVulkanQueue           *self);
/* That of all pipelines: push constants alone. */
VkPipelineLayout ghlo_vulkan_queue_get_layout (GhloVulkanQueue         *self);
/* Commands that begin with a barrier, end with the last one where they write what the host reads, and take about
 * @seconds. @value, which the lock of the queue does not guard, is set to what the timeline reaches when they are
 * done. */
gboolean         ghlo_vulkan_queue_put      (GhloVulkanQueue           *self,
                                             VkCommandBuffer            commands,
                                             double                     seconds,
                                             guint64                   *value,
                                             GError                   **error);
/* Of memory of the device, which does not overlap. */
gboolean         ghlo_vulkan_queue_copy     (GhloVulkanQueue           *self,
                                             guint64                    from,
                                             guint64                    to,
                                             gsize                      size,
                                             GError                   **error);
/* @value, which may be NULL, is set to what the timeline reaches when all is done that was put in so far. */
gboolean         ghlo_vulkan_queue_submit   (GhloVulkanQueue           *self,
                                             guint64                   *value,
                                             GError                   **error);
/* Waits until the timeline has reached what was submitted, and the host sees what it wrote. FALSE when cancelled, as
 * well; it is done all the same then. */
gboolean         ghlo_vulkan_queue_await    (GhloVulkanQueue           *self,
                                             guint64                    value,
                                             const GhloMonitor         *monitor,
                                             GError                   **error);
/* Submits what is there, and waits for that. */
gboolean         ghlo_vulkan_queue_finish   (GhloVulkanQueue           *self,
                                             const GhloMonitor         *monitor,
                                             GError                   **error);
/* Waits until the device has ended with what was submitted, or its driver has lost it, whatever was reported. */
void             ghlo_vulkan_queue_settle   (GhloVulkanQueue           *self);
/* Why somebody waits. A run that has waited for itself has mostly ended when its caller waits for it. */
typedef enum
{
  GHLO_VULKAN_WAIT_FOR_RUN,     /* which a call has begun */
  GHLO_VULKAN_WAIT_IN_RUN,      /* before the call can go on, as for what a loop reports */
  GHLO_VULKAN_N_WAITS
} GhloVulkanWait;

/* µs for which who waits is to poll before sleeping; and how long that took just now, which decides the next time.
 * Thread-safe. */
gint64           ghlo_vulkan_queue_get_patience (GhloVulkanQueue       *self,
                                             GhloVulkanWait             wait);
void             ghlo_vulkan_queue_took     (GhloVulkanQueue           *self,
                                             GhloVulkanWait             wait,
                                             gint64                     time);
/* Sleeps until the timeline has reached @value, or for a moment. */
void             ghlo_vulkan_queue_sleep    (GhloVulkanQueue           *self,
                                             guint64                    value);
/* Destroys @pool, with its commands, when all is done that was put in so far. */
void             ghlo_vulkan_queue_retire   (GhloVulkanQueue           *self,
                                             VkCommandPool              pool);
/* What the timeline reaches when all is done that was put in so far. */
guint64          ghlo_vulkan_queue_value    (GhloVulkanQueue           *self);
/* What the timeline has reached, or was seen to have before where that is @wanted: asking the driver takes a while. */
guint64          ghlo_vulkan_queue_reached  (GhloVulkanQueue           *self,
                                             guint64                    wanted);

/* What comes next in @commands sees what was written before, and writes where all was read. */
void             ghlo_vulkan_add_barrier    (const GhloVulkanFunctions *vk,
                                             VkCommandBuffer            commands);
/* The same, where the device looks at gates by itself (VK_EXT_conditional_rendering) before it, or behind it. */
void             ghlo_vulkan_add_gate_barrier (const GhloVulkanFunctions *vk,
                                             VkCommandBuffer            commands);
/* The host sees what was written before, once the timeline says that it is done. It is no command buffer of its own,
 * since each takes a µs and a half. */
void             ghlo_vulkan_add_last_barrier (const GhloVulkanFunctions *vk,
                                             VkCommandBuffer            commands);

G_END_DECLS
