/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies between the host's memory and a device's.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* Behind all that was put into the queue before; @from is not needed when the call returns. FALSE with @error when
 * cancelled, or when the device fails. */
gboolean ghlo_vulkan_upload   (GhloVulkanDevice   *device,
                               gconstpointer       from,
                               guint64             to,
                               gsize               size,
                               const GhloMonitor  *monitor,
                               GError            **error);
/* Bytes of memory that uploads of @size bytes have on their way at once, at most. */
gsize    ghlo_vulkan_most_staged (const GhloVulkanDevice *device,
                                  gsize                   size);
/* An upload to memory that nothing has used since it was allocated. */
gboolean ghlo_vulkan_fill     (GhloVulkanDevice   *device,
                               gconstpointer       from,
                               guint64             to,
                               gsize               size,
                               const GhloMonitor  *monitor,
                               GError            **error);
/* All that was put into the queue before has ended when the call returns. */
gboolean ghlo_vulkan_download (GhloVulkanDevice   *device,
                               guint64             from,
                               gpointer            to,
                               gsize               size,
                               const GhloMonitor  *monitor,
                               GError            **error);

G_END_DECLS
