/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties of a GPU: those of its Vulkan device and, where measured, how it computes.
 */

#pragma once

#include "gpu/device.h"

G_BEGIN_DECLS

/* Implements GhloDeviceCoreClass.add_properties. */
void ghlo_gpu_add_properties (GhloDeviceCore        *core,
                              GArray                *properties);
/* For tests: adds only the properties in @measured. */
void ghlo_gpu_add_numbers    (const GhloSpirvDevice *measured,
                              GArray                *properties);

G_END_DECLS
