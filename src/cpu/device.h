/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU device: runs plans of the CPU's steps.
 */

#pragma once

#include "device/device.h"

G_BEGIN_DECLS

/* The CPU device. Plans of other devices also use its steps, for operations that those devices have none for. */
GhloDeviceCore *ghlo_cpu_device       (void);
/* Adds the CPU device to @devices unless it is among them. Operations without a step, and programs that do not become
 * plans, run on the fallback of GhloPrepareOptions; without one they are UNSUPPORTED. */
void            ghlo_cpu_find_devices (GPtrArray *devices);

G_END_DECLS
