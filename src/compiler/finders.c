/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of executors. An executor enters here; tests that bring one of their own link
 * another table in place of this one.
 */

#include "compiler/devices.h"

#include "cpu/device.h"
#include "reference/device.h"

const GhloDeviceFinder ghlo_device_finders[] = {
  ghlo_cpu_find_devices,
  ghlo_reference_find_devices,
  NULL
};
