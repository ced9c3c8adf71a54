/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of executors, and the devices that they found. An executor enters here.
 */

#include "compiler/devices.h"

#include "base/ghlo-error.h"
#include "cpu/device.h"
#include "reference/device.h"

static const GhloDeviceFinder finders[] = {
  ghlo_cpu_find_devices,
  ghlo_reference_find_devices,
};

static struct
{
  GMutex     lock;         /* guards what follows */
  GPtrArray *devices;      /* NULL until they were listed */
  GArray    *more;         /* of GhloDeviceFinder; NULL where there are none */
} found;

void
ghlo_devices_add_finder (GhloDeviceFinder finder)
{
  g_mutex_lock (&found.lock);
  if (found.more == NULL)
    found.more = g_array_new (FALSE, FALSE, sizeof finder);
  g_array_append_val (found.more, finder);
  g_mutex_unlock (&found.lock);
}

/* Called with the lock held. */
static void
find_all (void)
{
  found.devices = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (finders); i++)
    finders[i] (found.devices);
  for (guint i = 0; found.more != NULL && i < found.more->len; i++)
    g_array_index (found.more, GhloDeviceFinder, i) (found.devices);
}

GPtrArray *
ghlo_devices_list (void)
{
  GPtrArray *devices;

  g_mutex_lock (&found.lock);
  if (found.devices == NULL)
    find_all ();
  devices = g_ptr_array_copy (found.devices, NULL, NULL);
  g_mutex_unlock (&found.lock);

  return devices;
}

static GhloDeviceCore *
find_named (GPtrArray  *devices,
            const char *name)
{
  for (guint i = 0; i < devices->len; i++)
    {
      GhloDeviceCore *device = devices->pdata[i];

      if (g_strv_contains (device->names, name))
        return device;
    }

  return NULL;
}

GhloDeviceCore *
ghlo_devices_find (const char *name)
{
  g_autoptr (GPtrArray) devices = ghlo_devices_list ();

  return find_named (devices, name);
}

GhloDeviceCore *
ghlo_devices_choose (const char  *name,
                     GError     **error)
{
  const char *wish = name != NULL ? name : g_getenv ("GHLO_DEVICE");
  g_autoptr (GPtrArray) devices = ghlo_devices_list ();
  g_autoptr (GString) known = NULL;
  GhloDeviceCore *device;

  if (wish == NULL || *wish == '\0' || g_str_equal (wish, "auto"))
    return devices->pdata[0];
  device = find_named (devices, wish);
  if (device != NULL)
    return device;

  known = g_string_new ("'auto'");
  for (guint i = 0; i < devices->len; i++)
    g_string_append_printf (known, ", '%s'", ((GhloDeviceCore *) devices->pdata[i])->names[0]);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "expected one of the devices %s%s, found '%s'", known->str,
               name == NULL ? " in GHLO_DEVICE" : "", wish);

  return NULL;
}

GhloPrepared *
ghlo_devices_prepare (GhloDeviceCore     *device,
                      GhloIrModule       *module,
                      GhloIrOp           *function,
                      const GhloMonitor  *monitor,
                      GError            **error)
{
  const GhloPrepareOptions options = { .host = ghlo_cpu_device (), .fallback = ghlo_reference_device () };

  return ghlo_device_core_prepare (device, module, function, &options, monitor, error);
}
