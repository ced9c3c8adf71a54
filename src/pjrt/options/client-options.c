/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parses the options with which a client is created.
 */

#include "pjrt/options/client-options.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "cpu/jit/emitter.h"

static gboolean
refuse (const PJRT_NamedValue  *value,
        const char             *expected,
        GError                **error)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "option '%.*s': expected %s", (int) value->name_size,
               value->name, expected);

  return FALSE;
}

/* JAX splits its option at colons, so that a name is also written with a point in the place of its colon. */
static char *
dup_device_name (const PJRT_NamedValue *value)
{
  char *name = g_strndup (value->string_value, value->value_size);
  char *point = strchr (name, ':') == NULL ? strchr (name, '.') : NULL;

  if (point != NULL)
    *point = ':';

  return name;
}

static gboolean
read_device (GhloPjrtOptions        *self,
             const PJRT_NamedValue  *value,
             GError                **error)
{
  if (value->type != PJRT_NamedValue_kString)
    return refuse (value, "the name of a device, as \"cpu\" or \"vulkan.1\"", error);
  g_free (self->device);
  self->device = dup_device_name (value);

  return TRUE;
}

/* JAX passes values that look like numbers as numbers, and all others as strings. */
static gboolean
read_n_devices (GhloPjrtOptions        *self,
                const PJRT_NamedValue  *value,
                GError                **error)
{
  g_autofree char *text = NULL;
  gint64 n = 0;

  if (value->type == PJRT_NamedValue_kInt64)
    n = value->int64_value;
  else if (value->type == PJRT_NamedValue_kString)
    {
      text = g_strndup (value->string_value, value->value_size);
      g_ascii_string_to_signed (text, 10, 1, GHLO_PJRT_MAX_DEVICES, &n, NULL);
    }
  if (n < 1 || n > GHLO_PJRT_MAX_DEVICES)
    return refuse (value, "a number of devices from 1 to 256", error);
  self->n_devices = (guint) n;

  return TRUE;
}

/* Sets the file that generates machine code of kernels, for the whole process. */
static gboolean
read_llvm (G_GNUC_UNUSED GhloPjrtOptions *self,
           const PJRT_NamedValue         *value,
           GError                       **error)
{
  g_autofree char *path = value->type == PJRT_NamedValue_kString ? g_strndup (value->string_value, value->value_size)
                                                                 : NULL;

  if (path == NULL || !g_path_is_absolute (path) || !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return refuse (value, "the absolute path of libghlo-llvm.so", error);
  ghlo_code_module_set_path (path);

  return TRUE;
}

static const struct
{
  const char *name;
  gboolean  (*read) (GhloPjrtOptions        *self,
                     const PJRT_NamedValue  *value,
                     GError                **error);
} rows[] = {
  { "device", read_device },
  { "devices", read_n_devices },
  { "llvm", read_llvm },
};

gboolean
ghlo_pjrt_options_read (GhloPjrtOptions        *self,
                        const PJRT_NamedValue  *values,
                        gsize                   n_values,
                        GError                **error)
{
  for (gsize i = 0; i < n_values; i++)
    for (guint j = 0; j < G_N_ELEMENTS (rows); j++)
      if (values[i].name_size == strlen (rows[j].name)
          && memcmp (values[i].name, rows[j].name, values[i].name_size) == 0
          && !rows[j].read (self, &values[i], error))
        return FALSE;

  return TRUE;
}

void
ghlo_pjrt_options_clear (GhloPjrtOptions *self)
{
  g_clear_pointer (&self->device, g_free);
}
