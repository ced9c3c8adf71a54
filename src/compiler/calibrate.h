/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures how fast a device is, by small programs. It takes a few seconds, and is done only when somebody asks for it.
 */

#pragma once

#include "runtime/device.h"

G_BEGIN_DECLS

/* The best of several runs each; 0 for what the device has no step for. @rates is set when all is measured. */
gboolean ghlo_calibrate (GhloDeviceCore     *device,
                         GhloStepRates      *rates,
                         const GhloMonitor  *monitor,     /* nullable */
                         GError            **error);

G_END_DECLS
