/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How long a device takes for what is put into its queue between two marks, by its own clock. For runs that are
 * measured step by step, of which the host's clock would see the way to the device and back as well.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* Of an open device. It is made when somebody measures for the first time. */
GhloVulkanStopwatch *ghlo_vulkan_stopwatch_new   (GhloVulkanDevice     *device);
/* Of a device that is idle. */
void                 ghlo_vulkan_stopwatch_free  (GhloVulkanStopwatch  *self);
/* Puts a mark into the queue. */
gboolean             ghlo_vulkan_stopwatch_start (GhloVulkanStopwatch  *self,
                                                  GError              **error);
/* Puts another one in, and waits until all is done. *nanoseconds is what was between the marks, or -1 where the
 * device does not tell or somebody else has set marks meanwhile. */
gboolean             ghlo_vulkan_stopwatch_stop  (GhloVulkanStopwatch  *self,
                                                  gint64               *nanoseconds,
                                                  const GhloMonitor    *monitor,
                                                  GError              **error);

G_END_DECLS
