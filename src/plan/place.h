/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decides where the steps of a program run when the preferred device has a memory apart from the host's: on the device,
 * or on the host where that is estimated to be faster, including the transfers that are needed.
 */

#pragma once

#include "device/device.h"

G_BEGIN_DECLS

/* The set of operations and fusions of @function that @host runs better, given the rates of both; the caller unrefs it.
 * NULL where there are none, rates are not known, or the program has operations that this does not handle. The result
 * depends on the arguments alone. */
GHashTable *ghlo_step_place (const GhloIrOp *function,
                             GhloDeviceCore *device,
                             GhloDeviceCore *host);

G_END_DECLS
