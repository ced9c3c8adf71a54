/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vulkan devices as devices of the library.
 */

#pragma once

#include "runtime/device.h"

G_BEGIN_DECLS

/* Adds those that there are and that are not in @devices, whose order is that of the instance. */
void     ghlo_vulkan_find_devices (GPtrArray *devices);
/* Whether the system shows programs something that drivers of real GPUs need; TRUE where that cannot be told. Opens
 * nothing. */
gboolean ghlo_vulkan_may_have_gpu (void);

G_END_DECLS
