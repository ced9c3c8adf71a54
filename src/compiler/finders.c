/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of executors. New executors are added here; tests with executors of their own link another table instead.
 */

#include "compiler/devices.h"

#include "cpu/device.h"
#include "reference/device.h"
#ifdef GHLO_HAS_VULKAN
#include "vulkan/core.h"
#endif

const GhloDeviceFinder ghlo_device_finders[] = {
  { ghlo_cpu_find_devices },
#ifdef GHLO_HAS_VULKAN
  { ghlo_vulkan_find_devices, ghlo_vulkan_may_have_gpu, "vulkan", ghlo_vulkan_explain },
#endif
  { ghlo_reference_find_devices },
  { NULL }
};
