/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures how a device computes single nodes (spirv/measure.h). The result is kept on disk, since measuring takes some
 * seconds on some devices and the result only changes with the driver or the library.
 */

#pragma once

#include "gpu/device.h"

G_BEGIN_DECLS

/* Sets device->measured, from disk or by measuring; the device must have its memory and queue. FALSE if a kernel cannot
 * be run, or when cancelled. */
gboolean ghlo_gpu_self_test (GhloGpuDevice        *device,
                             const GhloMonitor    *monitor,    /* nullable */
                             GError              **error);
/* Gets the measurements of a device without opening it; FALSE if there are none. Thread-safe. */
gboolean ghlo_gpu_recall    (const GhloGpuDevice  *device,
                             GhloSpirvDevice      *measured);

G_END_DECLS
