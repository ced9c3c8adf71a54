/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's events over what goes on on a device.
 */

#pragma once

#include "pjrt/abi.h"
#include "runtime/pending.h"

G_BEGIN_DECLS

/* An event that ends when @pending (nullable: it has ended well) does. */
PJRT_Event *ghlo_pjrt_event_new        (GhloPending     *pending);

void        ghlo_pjrt_event_add_functions (PJRT_Api     *api);

G_END_DECLS
