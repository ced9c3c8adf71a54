/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Exposes GPUs as devices of the library.
 */

#pragma once

#include "gpu/device.h"

G_BEGIN_DECLS

/* Opens the device unless it is open; thread-safe. Takes up to a tenth of a second, plus some seconds where it has to
 * measure first how the device computes (self-test.h). Cancelling ends the measurement. */
gboolean ghlo_gpu_device_open (GhloGpuDevice      *self,
                               const GhloMonitor  *monitor,    /* nullable */
                               GError            **error);

/* Adds all usable devices that @devices does not contain yet, in the order of the Vulkan instance. */
void        ghlo_gpu_find_devices (GPtrArray *devices);
/* Why the last call found none; NULL where it found some. Valid until the next call, and guarded as that is. */
const char *ghlo_gpu_explain      (void);
/* Whether the system exposes a device node that the driver of a real GPU needs; TRUE where that cannot be told. Opens
 * no device. */
gboolean    ghlo_gpu_may_exist    (void);

G_END_DECLS
