/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies between the host's memory and the device's.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* Uploads after everything put into the queue before; the caller may reuse @from when the call returns. FALSE with
 * @error when cancelled or when the device fails. */
gboolean ghlo_vulkan_upload   (GhloVulkanDevice   *device,
                               gconstpointer       from,
                               guint64             to,
                               gsize               size,
                               const GhloMonitor  *monitor,
                               GError            **error);
/* Returns the maximum number of bytes of staging memory that uploads of @size bytes occupy at once. */
gsize    ghlo_vulkan_most_staged (const GhloVulkanDevice *device,
                                  gsize                   size);
/* Uploads to memory that has not been used since it was allocated. */
gboolean ghlo_vulkan_fill     (GhloVulkanDevice   *device,
                               gconstpointer       from,
                               guint64             to,
                               gsize               size,
                               const GhloMonitor  *monitor,
                               GError            **error);
/* Downloads; everything put into the queue before has finished when the call returns. */
gboolean ghlo_vulkan_download (GhloVulkanDevice   *device,
                               guint64             from,
                               gpointer            to,
                               gsize               size,
                               const GhloMonitor  *monitor,
                               GError            **error);

G_END_DECLS
