/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A table of executors that includes the fake device; replaces the table of src/compiler.
 */

#include "fake.h"

#include "compiler/devices.h"
#include "cpu/device.h"
#include "reference/device.h"

const GhloDeviceFinder ghlo_device_registry[] = {
  { ghlo_cpu_find_devices },
  { ghlo_reference_find_devices },
  { fake_find_devices },
  { NULL }
};
