/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Devices as objects over their cores.
 */

#pragma once

#include "ghlo-device.h"
#include "runtime/device.h"

G_BEGIN_DECLS

/* The same object for everybody in the process, borrowed: it stays, as the core does. */
GhloDevice     *ghlo_device_for_core (GhloDeviceCore *core);
/* NULL for an object that was not made by a client. */
GhloDeviceCore *ghlo_device_get_core (GhloDevice     *self);

G_END_DECLS
