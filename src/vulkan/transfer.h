/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies between the host's memory and a device's.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* All that was put into the queue before has ended then, and so has the copy. FALSE with @error when cancelled, or when
 * the device fails. */
gboolean ghlo_vulkan_upload   (GhloVulkanDevice   *device,
                               gconstpointer       from,
                               guint64             to,
                               gsize               size,
                               const GhloMonitor  *monitor,
                               GError            **error);
gboolean ghlo_vulkan_download (GhloVulkanDevice   *device,
                               guint64             from,
                               gpointer            to,
                               gsize               size,
                               const GhloMonitor  *monitor,
                               GError            **error);

G_END_DECLS
