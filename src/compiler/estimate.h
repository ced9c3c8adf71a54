/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * About how long a program takes on a device, from its operations and the device's rates alone: neither passes have
 * run, nor is there a plan, nor is the device open.
 */

#pragma once

#include "runtime/device.h"

G_BEGIN_DECLS

/* A run of @function on @device in seconds, from inputs in the host's memory to outputs there. What the device declines
 * is done by @host, with transfers. Loops of which nobody knows how often they go round go round once. Below 0 where a
 * shape or a rate is not known, or the device may have too little memory. */
double ghlo_estimate_run (GhloDeviceCore *device,
                          GhloDeviceCore *host,
                          const GhloIrOp *function);

G_END_DECLS
