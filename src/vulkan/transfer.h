/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies between the host's memory and the device's.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

/* The maximum size of a piece of an upload in bytes, and of all pieces that uploads have in flight. */
#define GHLO_VULKAN_PIECE      ((gsize) 4 << 20)
#define GHLO_VULKAN_MAX_STAGED (8 * GHLO_VULKAN_PIECE)

/* Uploads after everything put into the queue before; the caller may reuse @from when the call returns. FALSE with
 * @error when cancelled or when the device fails. */
gboolean ghlo_vulkan_upload   (GhloVulkanDevice   *device,
                               gconstpointer       from,
                               guint64             to,
                               gsize               size,
                               const GhloMonitor  *monitor,
                               GError            **error);
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
