/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Devices as objects that wrap their cores.
 */

#pragma once

#include "execute/program.h"
#include "ghlo-device.h"

G_BEGIN_DECLS

/* The object for @core, borrowed. It is the same for all callers in the process and, like the core, is never freed. */
GhloDevice     *ghlo_device_for_core (GhloDeviceCore *core);
/* NULL for an object that was not created by a client. */
GhloDeviceCore *ghlo_device_get_core (GhloDevice     *self);

G_END_DECLS
