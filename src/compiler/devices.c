/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The devices that the executors found. A device that was lost is found again as another instance; calls on the old one
 * report that it is lost.
 */

#include "compiler/devices.h"

#include "base/environment.h"
#include "base/ghlo-error.h"
#include "cpu/device.h"
#include "reference/device.h"

static struct
{
  GMutex     lock;      /* guards the fields below */
  GPtrArray *found;     /* a GPtrArray of GhloDeviceCore for each finder, NULL where it was not asked; nullable */
  GPtrArray *lost;      /* of GhloDeviceCore, which may still be in use; nullable */
} known;

/* The devices of executor @i, which is asked if it was not asked before, or with @again. Called with the lock held, as
 * are the next two functions. */
static GPtrArray *
get_devices (guint    i,
             gboolean again)
{
  if (known.found == NULL)
    known.found = g_ptr_array_new ();
  while (known.found->len <= i)
    g_ptr_array_add (known.found, NULL);
  if (known.found->pdata[i] == NULL || again)
    {
      if (known.found->pdata[i] == NULL)
        known.found->pdata[i] = g_ptr_array_new ();
      ghlo_device_registry[i].find (known.found->pdata[i]);
    }

  return known.found->pdata[i];
}

/* The devices of executor @i; NULL where it was not asked. */
static GPtrArray *
peek_devices (guint i)
{
  return known.found != NULL && i < known.found->len ? known.found->pdata[i] : NULL;
}

/* Moves lost devices of executor @i to the list of these. Returns whether there were any. */
static gboolean
retire_lost (guint i)
{
  GPtrArray *devices = peek_devices (i);
  gboolean lost = FALSE;

  for (guint k = devices != NULL ? devices->len : 0; k-- > 0;)
    if (ghlo_device_core_is_lost (devices->pdata[k]))
      {
        if (known.lost == NULL)
          known.lost = g_ptr_array_new ();
        g_ptr_array_add (known.lost, g_ptr_array_remove_index (devices, k));
        lost = TRUE;
      }

  return lost;
}

GPtrArray *
ghlo_devices_list (void)
{
  GPtrArray *devices = g_ptr_array_new ();

  g_mutex_lock (&known.lock);
  for (guint i = 0; ghlo_device_registry[i].find != NULL; i++)
    g_ptr_array_extend (devices, get_devices (i, retire_lost (i)), NULL, NULL);
  g_mutex_unlock (&known.lock);

  return devices;
}

char *
ghlo_devices_explain (const char *name)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_mutex_lock (&known.lock);
  for (guint i = 0; ghlo_device_registry[i].find != NULL; i++)
    {
      const GhloDeviceFinder *finder = &ghlo_device_registry[i];
      const char *reason = NULL;

      if (finder->explain != NULL && (name == NULL || g_str_has_prefix (name, finder->name))
          && get_devices (i, FALSE)->len == 0)
        reason = finder->explain ();
      if (reason != NULL)
        g_string_append_printf (text, "%sthere are no %s devices: %s", text->len > 0 ? "\n" : "", finder->name, reason);
    }
  g_mutex_unlock (&known.lock);

  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

static gboolean
has_gpu (GPtrArray *devices)
{
  for (guint i = 0; i < devices->len; i++)
    if (((const GhloDeviceCore *) devices->pdata[i])->is_gpu)
      return TRUE;

  return FALSE;
}

gboolean
ghlo_devices_may_have_gpu (void)
{
  gboolean may = FALSE;

  g_mutex_lock (&known.lock);
  for (guint i = 0; ghlo_device_registry[i].find != NULL && !may; i++)
    if (ghlo_device_registry[i].may_have_gpu != NULL)
      may = peek_devices (i) != NULL ? has_gpu (peek_devices (i)) : ghlo_device_registry[i].may_have_gpu ();
  g_mutex_unlock (&known.lock);

  return may;
}

GPtrArray *
ghlo_devices_list_gpus (gboolean ask)
{
  GPtrArray *devices = g_ptr_array_new ();

  g_mutex_lock (&known.lock);
  for (guint i = 0; ghlo_device_registry[i].find != NULL; i++)
    if (ghlo_device_registry[i].may_have_gpu != NULL
        && (peek_devices (i) != NULL || (ask && ghlo_device_registry[i].may_have_gpu ())))
      g_ptr_array_extend (devices, get_devices (i, retire_lost (i)), NULL, NULL);
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

/* Executors after the one that has the device are not asked. Those that may have GPUs come last, since they take long
 * to find their devices. */
GhloDeviceCore *
ghlo_devices_find (const char *name)
{
  GhloDeviceCore *device = NULL;

  g_mutex_lock (&known.lock);
  for (guint slow = 0; slow < 2; slow++)
    for (guint i = 0; ghlo_device_registry[i].find != NULL && device == NULL; i++)
      if ((ghlo_device_registry[i].may_have_gpu != NULL) == slow)
        device = find_named (get_devices (i, retire_lost (i)), name);
  g_mutex_unlock (&known.lock);

  return device;
}

GhloDeviceCore *
ghlo_devices_get_default (void)
{
  GhloDeviceCore *device = NULL;

  g_mutex_lock (&known.lock);
  for (guint i = 0; ghlo_device_registry[i].find != NULL && device == NULL; i++)
    {
      GPtrArray *devices = get_devices (i, retire_lost (i));

      device = devices->len > 0 ? devices->pdata[0] : NULL;
    }
  g_mutex_unlock (&known.lock);

  return device;
}

/* The requested name; NULL for none. */
static const char *
get_requested_name (const char *name)
{
  return name != NULL ? name : ghlo_environment_get ("GHLO_DEVICE");
}

gboolean
ghlo_devices_is_auto (const char *name)
{
  const char *requested = get_requested_name (name);

  return requested == NULL || *requested == '\0' || g_str_equal (requested, "auto");
}

GhloDeviceCore *
ghlo_devices_choose (const char  *name,
                     GError     **error)
{
  const char *requested = get_requested_name (name);
  g_autoptr (GPtrArray) devices = NULL;
  g_autoptr (GString) known = NULL;
  g_autofree char *reason = NULL;
  GhloDeviceCore *device;

  if (ghlo_devices_is_auto (name))
    return ghlo_devices_get_default ();
  device = ghlo_devices_find (requested);
  if (device != NULL)
    return device;

  devices = ghlo_devices_list ();
  known = g_string_new ("'auto'");
  for (guint i = 0; i < devices->len; i++)
    g_string_append_printf (known, ", '%s'", ((GhloDeviceCore *) devices->pdata[i])->names[0]);
  reason = ghlo_devices_explain (requested);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "expected one of the devices %s%s, found '%s'%s%s", known->str,
               name == NULL ? " in GHLO_DEVICE" : "", requested, reason != NULL ? "; " : "",
               reason != NULL ? reason : "");

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
