/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's events for pending work on a device.
 */

#pragma once

#include "device/fence.h"
#include "pjrt/abi.h"

G_BEGIN_DECLS

/* Returns an event that ends when @fence ends; NULL means work that has ended successfully. */
PJRT_Event *ghlo_pjrt_event_new        (GhloFence     *fence);

void        ghlo_pjrt_event_add_functions (PJRT_Api     *api);

G_END_DECLS
