/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Devices as objects over their cores.
 */

#pragma once

#include "compiler/devices.h"
#include "ghlo-device.h"

G_BEGIN_DECLS

GhloDevice           *ghlo_device_new      (const GhloDeviceCore *core);
/* NULL for an object that was not made by a client. */
const GhloDeviceCore *ghlo_device_get_core (GhloDevice           *self);

G_END_DECLS
