/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For one file of a test that runs programs on a Vulkan device: what drivers leak is not looked at.
 */

#pragma once

#include "sanitized.h"

#if SANITIZED
/* Mesa 22.3 leaves what lavapipe keeps of each barrier, a VkMemoryBarrier2 of 48 bytes, when commands are reset;
 * RADV leaves something of a device that is not there, and their compilers, in C++, what they were asked for. */
const char *__lsan_default_suppressions (void);

const char *
__lsan_default_suppressions (void)
{
  return "leak:libvulkan_lvp.so\nleak:libvulkan_radeon.so\nleak:libstdc++.so\n";
}
#endif
