/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of executors. New executors are added here; tests with executors of their own link another table instead.
 */

#include "compiler/devices.h"

#include "cpu/device.h"
#include "reference/device.h"
#ifdef GHLO_HAS_VULKAN
#include "gpu/core.h"
#endif

const GhloDeviceFinder ghlo_device_registry[] = {
  { ghlo_cpu_find_devices },
#ifdef GHLO_HAS_VULKAN
  { ghlo_gpu_find_devices, ghlo_gpu_may_exist, "vulkan", ghlo_gpu_explain },
#endif
  { ghlo_reference_find_devices },
  { NULL }
};
