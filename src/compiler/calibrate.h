/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures how fast a device is, with small programs. This takes a few seconds, so it is done only on request.
 */

#pragma once

#include "execute/program.h"

G_BEGIN_DECLS

/* Each rate is from the best of several runs; 0 for what the device has no step for. Sets @rates only when everything
 * has been measured. */
gboolean ghlo_calibrate (GhloDeviceCore     *device,
                         GhloDeviceRates    *rates,
                         const GhloMonitor  *monitor,     /* nullable */
                         GError            **error);

G_END_DECLS
