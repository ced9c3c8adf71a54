/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of executors with the fake device, in place of that of src/compiler.
 */

#include "fake.h"

#include "compiler/devices.h"
#include "cpu/device.h"
#include "reference/device.h"

const GhloDeviceFinder ghlo_device_finders[] = {
  { ghlo_cpu_find_devices },
  { ghlo_reference_find_devices },
  { fake_find_devices },
  { NULL }
};
