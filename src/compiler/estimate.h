/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Estimates how long a program takes on a device, from its operations and the device's rates. At this point neither
 * have passes run, nor is there a plan, nor is the device open.
 */

#pragma once

#include "execute/program.h"

G_BEGIN_DECLS

/* Returns the seconds that a run of @function takes on @device, from inputs in the host's memory to outputs there.
 * Negative where a shape or a rate is not known, or the device may have too little memory. Operations that the device
 * declines run on @host, with transfers. Loops whose number of iterations is not known count once. */
double ghlo_estimate_run (GhloDeviceCore *device,
                          GhloDeviceCore *host,
                          const GhloIrOp *function);

G_END_DECLS
