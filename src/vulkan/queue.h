/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The queue of a device. Commands execute in the order in which they are put in, whichever thread puts them in, and
 * each waits for all earlier ones. They gather until somebody waits, or until there are many of them or their estimated
 * time is long; then they are submitted. A timeline semaphore counts submissions.
 */

#pragma once

#include "vulkan/commands.h"

G_BEGIN_DECLS

/* The device must be open and have its memory. */
GhloVulkanQueue *ghlo_vulkan_queue_new     (GhloVulkanDevice       *device,
                                            GError                **error);
/* The device must be idle. */
void             ghlo_vulkan_queue_free    (GhloVulkanQueue        *self);
/* Puts in @commands, which must begin with a barrier, must end as commands.h has it if they write memory that the host
 * reads, and take about @seconds. Sets @value to the value of the timeline at which they are done; the queue's lock
 * does not guard @value. */
gboolean         ghlo_vulkan_queue_put     (GhloVulkanQueue        *self,
                                            GhloVulkanCommands     *commands,
                                            double                  seconds,
                                            guint64                *value,
                                            GError                **error);
/* Copies between ranges of device memory that do not overlap. */
gboolean         ghlo_vulkan_queue_copy    (GhloVulkanQueue        *self,
                                            guint64                 from,
                                            guint64                 to,
                                            gsize                   size,
                                            GError                **error);
/* Submits all gathered commands. Sets @value, if not NULL, to the value of the timeline at which everything put in so
 * far is done. */
gboolean         ghlo_vulkan_queue_submit  (GhloVulkanQueue        *self,
                                            guint64                *value,
                                            GError                **error);
/* Waits until the timeline has reached @value, which must have been submitted; the host then sees all writes. Also
 * returns FALSE when cancelled, but the commands execute all the same. */
gboolean         ghlo_vulkan_queue_await   (GhloVulkanQueue        *self,
                                            guint64                 value,
                                            const GhloMonitor      *monitor,
                                            GError                **error);
/* Submits all gathered commands and waits for them. */
gboolean         ghlo_vulkan_queue_finish  (GhloVulkanQueue        *self,
                                            const GhloMonitor      *monitor,
                                            GError                **error);
/* Waits until the device has finished everything submitted, or its driver has lost it, whatever errors were
 * reported. */
void             ghlo_vulkan_queue_settle  (GhloVulkanQueue        *self);
/* Sleeps until the timeline has reached @value, or for SLEEP_TIME. */
void             ghlo_vulkan_queue_sleep   (GhloVulkanQueue        *self,
                                            guint64                 value);
/* Destroys @pool and its commands once everything put in so far is done. */
void             ghlo_vulkan_queue_retire  (GhloVulkanQueue        *self,
                                            GhloVulkanCommandPool  *pool);
/* Returns the value of the timeline at which everything put in so far is done. */
guint64          ghlo_vulkan_queue_value   (GhloVulkanQueue        *self);
/* Returns the value that the timeline has reached, or the last value seen if that is at least @wanted, which avoids the
 * slow query of the driver. */
guint64          ghlo_vulkan_queue_reached (GhloVulkanQueue        *self,
                                            guint64                 wanted);

G_END_DECLS
