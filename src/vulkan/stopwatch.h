/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures by the device's own clock how long it takes for the work that is put into its queue between two marks. For
 * runs that are measured step by step, where the host's clock would include the round trip to the device.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* The device must be open. Vulkan objects are created on the first measurement. */
GhloVulkanStopwatch *ghlo_vulkan_stopwatch_new   (GhloVulkanDevice     *device);
/* The device must be idle. */
void                 ghlo_vulkan_stopwatch_free  (GhloVulkanStopwatch  *self);
/* Puts the first mark into the queue. */
gboolean             ghlo_vulkan_stopwatch_start (GhloVulkanStopwatch  *self,
                                                  GError              **error);
/* Puts the second mark into the queue and waits for all work. Sets *nanoseconds to the time between the marks, or to -1
 * if the device has no timestamps or another thread has set marks meanwhile. */
gboolean             ghlo_vulkan_stopwatch_stop  (GhloVulkanStopwatch  *self,
                                                  gint64               *nanoseconds,
                                                  const GhloMonitor    *monitor,
                                                  GError              **error);

G_END_DECLS
