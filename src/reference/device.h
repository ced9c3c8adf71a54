/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The reference executor: every operation computed directly from the specification,
 * one scalar at a time. It is slow, obvious and right. Everything else is tested
 * against it and falls back to it.
 */

#pragma once

#include "execute/program.h"

G_BEGIN_DECLS

/* The only device of this executor. It needs no fallback. */
GhloDeviceCore *ghlo_reference_device       (void);
/* Adds the device to @devices unless it is there already. */
void            ghlo_reference_find_devices (GPtrArray *devices);

G_END_DECLS
