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

enum { MAX_VIEWS = 64 };

void
vulkan_program_run_step (const GhloVulkanDevice        *device,
                         const GhloStepImplementation  *implementation,
                         gpointer                       compiled,
                         const GhloView                *operands,
                         guint                          n_operands,
                         const GhloView                *results,
                         guint                          n_results,
                         gpointer                       scratch,
                         GError                       **error)
{
  const GhloStepRecorder *recorder = device->target->space->recorder;
  const guint n = n_operands + n_results;
  GhloStepExtent extents[MAX_VIEWS];
  GhloStepPlace places[MAX_VIEWS];
  guint8 *addresses[MAX_VIEWS];
  gpointer recording;

  g_assert_cmpuint (n, <, MAX_VIEWS);
  for (guint i = 0; i <= n; i++)
    {
      addresses[i] = i == n ? scratch : i < n_operands ? operands[i].data : results[i - n_operands].data;
      extents[i] = (GhloStepExtent) { i, 0, G_MAXUINT32 };
      places[i] = (GhloStepPlace) { i, 0 };
    }
  recording = recorder->begin (device->target->space->self, extents);
  if (implementation->record (compiled, places, places + n_operands, places[n], recording, error))
    {
      recorder->end (recording);
      recorder->replay (recording, addresses, NULL, error);
    }
  recorder->free (recording);
}
