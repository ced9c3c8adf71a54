/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds out what a device makes of single nodes (spirv/measure.h).
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* Of a device whose memory, queue and pipelines are there; FALSE where a kernel cannot be run. */
gboolean ghlo_vulkan_self_test (GhloVulkanDevice  *device,
                                GError           **error);

G_END_DECLS
