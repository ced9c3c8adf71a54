/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds out what a device makes of single nodes (spirv/measure.h), and keeps it on disk: it takes some seconds on some
 * devices, and is the same until the driver or the library is another.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* Sets what is measured of a device whose memory and queue are there; FALSE where a kernel cannot be run, or when
 * cancelled. */
gboolean ghlo_vulkan_self_test (GhloVulkanDevice        *device,
                                const GhloMonitor       *monitor,       /* nullable */
                                GError                 **error);
/* What is known of a device without opening it; FALSE where nothing is. Thread-safe. */
gboolean ghlo_vulkan_recall    (const GhloVulkanDevice  *device,
                                GhloSpirvDevice         *measured);

G_END_DECLS
