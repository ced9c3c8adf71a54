/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The reference executor: every operation straight from the specification, one
 * scalar at a time. It is slow, obvious and right; everything else is tested
 * against it, and falls back to it.
 */

#pragma once

#include "runtime/device.h"

G_BEGIN_DECLS

/* The one that there is. It needs no fallback. */
GhloDeviceCore *ghlo_reference_device       (void);
/* Adds it to @devices unless it is among them. */
void            ghlo_reference_find_devices (GPtrArray *devices);

G_END_DECLS
