/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs of tests, by the library's own device.
 */

#include "vulkan-program.h"

#include <string.h>

#include "compiler/devices.h"
#include "import/import.h"

GhloVulkanDevice *
vulkan_program_device (void)
{
  GhloDeviceCore *device = ghlo_devices_find ("vulkan");

  if (device == NULL)
    g_test_skip ("there is no Vulkan device");

  return (GhloVulkanDevice *) device;
}

GhloPrepared *
vulkan_program_prepare (GhloDeviceCore  *device,
                        const char      *text,
                        GError         **error)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", text, strlen (text));
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GhloIrModule) module = ghlo_import (bytes, GHLO_IMPORT_DEFAULT, diagnostics, NULL, NULL);

  if (module == NULL)
    g_error ("%s", ((const GhloFinding *) diagnostics->findings->pdata[0])->message);

  return ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, error);
}
