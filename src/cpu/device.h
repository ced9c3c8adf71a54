/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU's executor: a plan over its kernels.
 */

#pragma once

#include "runtime/device.h"

G_BEGIN_DECLS

/* The processor, whose steps do what other devices have none for as well. */
GhloDeviceCore *ghlo_cpu_device       (void);
/* Adds it to @devices unless it is among them. Its fallback runs what there is
 * no kernel for, and programs that are no plan; without one they are UNSUPPORTED. */
void            ghlo_cpu_find_devices (GPtrArray *devices);

G_END_DECLS
