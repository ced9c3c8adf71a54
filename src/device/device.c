/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the devices of all executors share: their loss, and lists of properties.
 */

#include "device/device.h"

#include "base/ghlo-error.h"

void
ghlo_device_core_lose (GhloDeviceCore *self)
{
  g_atomic_int_set (&self->lost, TRUE);
}

gboolean
ghlo_device_core_is_lost (const GhloDeviceCore *self)
{
  return g_atomic_int_get (&self->lost);
}

gboolean
ghlo_device_core_check (const GhloDeviceCore  *self,
                        GError               **error)
{
  if (!ghlo_device_core_is_lost (self))
    return TRUE;

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST,
               "the device '%s' went away, with all that was in its memory: list the devices again and compile for "
               "one of them", self->names[0]);

  return FALSE;
}

static void
clear_property (gpointer property)
{
  g_strfreev (((GhloDeviceProperty *) property)->words);
}

GArray *
ghlo_device_core_list_properties (GhloDeviceCore *self)
{
  GArray *properties = g_array_new (FALSE, FALSE, sizeof (GhloDeviceProperty));

  g_array_set_clear_func (properties, clear_property);
  if (self->klass->add_properties != NULL)
    self->klass->add_properties (self, properties);

  return properties;
}

void
ghlo_device_properties_add_words (GArray      *properties,
                                  const char  *name,
                                  const char  *label,
                                  char       **words)
{
  const GhloDeviceProperty property = { .name = name, .label = label, .words = words };

  g_array_append_val (properties, property);
}

void
ghlo_device_properties_add_number (GArray     *properties,
                                   const char *name,
                                   const char *label,
                                   guint64     number)
{
  const GhloDeviceProperty property = { .name = name, .label = label, .number = number };

  g_array_append_val (properties, property);
}

void
ghlo_device_properties_add_bytes (GArray     *properties,
                                  const char *name,
                                  const char *label,
                                  guint64     bytes)
{
  const GhloDeviceProperty property = { .name = name, .label = label, .number = bytes, .is_bytes = TRUE };

  g_array_append_val (properties, property);
}
