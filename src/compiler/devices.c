/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The devices that the executors found. A device that went away is found anew, as another instance: whoever
 * has the old one is told so by each call on it.
 */

#include "compiler/devices.h"

#include "base/ghlo-error.h"
#include "cpu/device.h"
#include "reference/device.h"

static struct
{
  GMutex     lock;      /* guards what follows */
  GPtrArray *found;     /* of GPtrArray of GhloDeviceCore, one for each finder; NULL until they were listed */
} known;

/* Called with the lock held, as the next. */
static void
find_all (void)
{
  if (known.found == NULL)
    known.found = g_ptr_array_new ();
  for (guint i = 0; ghlo_device_finders[i] != NULL; i++)
    {
      if (i == known.found->len)
        g_ptr_array_add (known.found, g_ptr_array_new ());
      ghlo_device_finders[i] (known.found->pdata[i]);
    }
}

/* Whether there were any. */
static gboolean
forget_lost (void)
{
  gboolean lost = FALSE;

  for (guint i = 0; i < known.found->len; i++)
    {
      GPtrArray *devices = known.found->pdata[i];

      for (guint k = devices->len; k-- > 0;)
        if (ghlo_device_core_is_lost (devices->pdata[k]))
          {
            g_ptr_array_remove_index (devices, k);
            lost = TRUE;
          }
    }

  return lost;
}

GPtrArray *
ghlo_devices_list (void)
{
  GPtrArray *devices = g_ptr_array_new ();

  g_mutex_lock (&known.lock);
  if (known.found == NULL || forget_lost ())
    find_all ();
  for (guint i = 0; i < known.found->len; i++)
    g_ptr_array_extend (devices, known.found->pdata[i], NULL, NULL);
  g_mutex_unlock (&known.lock);

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

GhloPrepareOptions
ghlo_devices_get_options (void)
{
  return (GhloPrepareOptions) { .host = ghlo_cpu_device (), .fallback = ghlo_reference_device () };
}

GhloPrepared *
ghlo_devices_prepare (GhloDeviceCore     *device,
                      GhloIrModule       *module,
                      GhloIrOp           *function,
                      const GhloMonitor  *monitor,
                      GError            **error)
{
  const GhloPrepareOptions options = ghlo_devices_get_options ();

  return ghlo_device_core_prepare (device, module, function, &options, monitor, error);
}
