/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A compiled program as bytes: eight bytes that identify the format and its version, the SHA-256 of what follows, and a
 * little-endian GVariant with the library's version, the options, the kind of device, and the program's name, its
 * portable artifact (or its text, if no artifact can hold it) and the names of its inputs.
 *
 * The format contains no code, so bytes from an untrusted source can do no more than a program from there. The checksum
 * detects accidents, not malice.
 */

#include "compiler/serialize.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "compiler/devices.h"
#include "compiler/digest.h"
#include "compiler/read-module.h"
#include "ir/print/print.h"

static const guint8 magic[8] = { 'G', 'H', 'L', 'O', 'E', 'X', 'E', '1' };

enum { HEADER_SIZE = sizeof magic + GHLO_DIGEST_SIZE };

/* Version; level, debug info, caching, excess precision, enabled and disabled passes; device; name; program; names of
 * inputs, which neither artifact nor text keeps. */
#define FORMAT "(s(ubbbasas)ssayas)"

/* Takes a floating variant; converts it from the host's byte order to little-endian or back. */
static GVariant *
little_endian (GVariant *variant)
{
  g_autoptr (GVariant) sunk = g_variant_ref_sink (variant);

  return G_BYTE_ORDER == G_LITTLE_ENDIAN ? g_variant_ref (sunk) : g_variant_byteswap (sunk);
}

/* The names of inputs; empty where an input has none. */
static GVariant *
input_names (const GhloExecutableCore *self)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < self->signature.type->rank; i++)
    {
      const char *name = ghlo_signature_input_name (self->signature.function, i);

      g_ptr_array_add (names, name != NULL ? g_utf8_make_valid (name, -1) : g_strdup (""));
    }

  return g_variant_new_strv ((const char *const *) names->pdata, self->signature.type->rank);
}

/* No other thread may use the module yet. */
static void
set_input_names (GhloIrModule *module,
                 GVariant     *names)
{
  GhloIrOp *function = ghlo_ir_module_get_entry (module);
  GhloIrBlock *body = function != NULL ? ghlo_ir_func_get_body (function) : NULL;
  guint n = body != NULL ? MIN (body->n_arguments, g_variant_n_children (names)) : 0;

  for (guint i = 0; i < n; i++)
    {
      const char *name;

      g_variant_get_child (names, i, "&s", &name);
      if (*name != '\0')
        body->arguments[i]->name = ghlo_ir_module_intern (module, name, -1);
    }
}

/* Writes a copy, since writing assigns numbers in the module, which other threads may be reading. */
static GBytes *
program_bytes (GhloIrModule       *module,
               const GhloMonitor  *monitor,
               GError            **error)
{
  g_autoptr (GhloIrModule) copy = ghlo_ir_module_copy (module);
  g_autoptr (GError) local_error = NULL;
  GBytes *bytes = ghlo_export_artifact (copy, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT, monitor, &local_error);
  char *text;

  if (bytes != NULL)
    return bytes;
  if (local_error->domain != GHLO_ERROR || local_error->code == GHLO_ERROR_OUT_OF_MEMORY)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }
  text = ghlo_ir_to_text (copy, GHLO_IR_PRINT_DEFAULT, error);

  return text != NULL ? g_bytes_new_take (text, strlen (text)) : NULL;
}

GBytes *
ghlo_executable_core_serialize (const GhloExecutableCore *self,
                                const GhloMonitor        *monitor,
                                GError                  **error)
{
  const GhloSettings *settings = self->settings;
  g_autoptr (GBytes) program = program_bytes (self->module, monitor, error);
  g_autoptr (GVariant) payload = NULL;
  GVariant *options, *array;
  guint8 *bytes;
  gsize size;

  if (program == NULL)
    return NULL;
  options = g_variant_new ("(ubbb^as^as)", settings->optimization_level, settings->debug_info, settings->caching,
                           settings->excess_precision, settings->enabled_passes, settings->disabled_passes);
  array = g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, program, TRUE);
  payload = little_endian (g_variant_new ("(s@(ubbbasas)ss@ay@as)", GHLO_VERSION, options,
                                          self->device->klass->name, self->module->file_name, array,
                                          input_names (self)));
  size = g_variant_get_size (payload);
  bytes = g_try_malloc (HEADER_SIZE + size);
  if (bytes == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                   "cannot allocate %" G_GSIZE_FORMAT " bytes", HEADER_SIZE + size);
      return NULL;
    }

  memcpy (bytes, magic, sizeof magic);
  g_variant_store (payload, bytes + HEADER_SIZE);
  ghlo_digest (bytes + HEADER_SIZE, size, bytes + sizeof magic);

  return g_bytes_new_take (bytes, HEADER_SIZE + size);
}

static gboolean
malformed (const char  *what,
           GError     **error)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "expected a serialized executable, found %s", what);

  return FALSE;
}

/* The payload in the host's byte order, in GVariant's normal form. */
static GVariant *
open_payload (GBytes  *bytes,
              GError **error)
{
  g_autoptr (GBytes) rest = NULL;
  g_autoptr (GVariant) payload = NULL;
  guint8 found[GHLO_DIGEST_SIZE];
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  if (size < HEADER_SIZE || memcmp (data, magic, sizeof magic - 1) != 0)
    malformed ("other bytes", error);
  else if (data[sizeof magic - 1] != magic[sizeof magic - 1])
    malformed ("one in a format that another version of the library writes", error);
  else
    {
      ghlo_digest (data + HEADER_SIZE, size - HEADER_SIZE, found);
      if (memcmp (found, data + sizeof magic, GHLO_DIGEST_SIZE) != 0)
        malformed ("one that was cut off or changed", error);
      else
        {
          rest = g_bytes_new_from_bytes (bytes, HEADER_SIZE, size - HEADER_SIZE);
          payload = little_endian (g_variant_new_from_bytes (G_VARIANT_TYPE (FORMAT), rest, FALSE));
        }
    }
  if (payload != NULL && !g_variant_is_normal_form (payload))
    {
      malformed ("one whose parts are malformed", error);
      g_clear_pointer (&payload, g_variant_unref);
    }

  return g_steal_pointer (&payload);
}

static GhloSettings *
read_settings (GVariant  *options,
               GError   **error)
{
  GhloSettings *settings;
  guint32 level;

  g_variant_get_child (options, 0, "u", &level);
  if (level > GHLO_OPTIMIZATION_LEVEL_O3)
    {
      malformed ("one with an unknown optimization level", error);
      return NULL;
    }

  settings = ghlo_settings_new ();
  g_strfreev (settings->enabled_passes);
  g_strfreev (settings->disabled_passes);
  settings->optimization_level = level;
  g_variant_get (options, "(ubbb^as^as)", NULL, &settings->debug_info, &settings->caching,
                 &settings->excess_precision, &settings->enabled_passes, &settings->disabled_passes);

  return settings;
}

/* Reports problems of the program as problems of the data. */
static void
blame_data (GError     **error,
            GError      *found,
            const char  *version)
{
  if (found->domain == GHLO_ERROR && found->code <= GHLO_ERROR_UNSUPPORTED)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA,
                   "the serialized executable, from version %s, holds a program that cannot be read: %s",
                   version, found->message);
      g_error_free (found);
    }
  else
    g_propagate_error (error, found);
}

static GhloIrModule *
read_program (GVariant           *payload,
              const GhloMonitor  *monitor,
              GError            **error)
{
  g_autoptr (GVariant) program = g_variant_get_child_value (payload, 4);
  g_autoptr (GVariant) names = g_variant_get_child_value (payload, 5);
  g_autoptr (GBytes) bytes = g_variant_get_data_as_bytes (program);
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  g_autoptr (GError) local_error = NULL;
  const char *version, *name, *data;
  GhloIrModule *module;
  gsize size;

  g_variant_get_child (payload, 0, "&s", &version);
  g_variant_get_child (payload, 3, "&s", &name);
  data = g_bytes_get_data (bytes, &size);
  diagnostics = ghlo_diagnostics_new (name, data != NULL ? data : "", size);
  module = ghlo_read_module (bytes, diagnostics, monitor, NULL, &local_error);
  if (module != NULL)
    {
      set_input_names (module, names);
      return module;
    }

  if (local_error == NULL && ghlo_diagnostics_to_error (diagnostics, &local_error))
    malformed ("one without a program", &local_error);
  blame_data (error, g_steal_pointer (&local_error), version);

  return NULL;
}

gboolean
ghlo_compile_request_read (GhloCompileRequest  *request,
                           GBytes              *bytes,
                           const GhloMonitor   *monitor,
                           GError             **error)
{
  g_autoptr (GVariant) payload = open_payload (bytes, error);
  g_autoptr (GVariant) options = NULL;
  const char *kind;

  if (payload == NULL)
    return FALSE;
  options = g_variant_get_child_value (payload, 1);
  request->settings = read_settings (options, error);
  if (request->settings == NULL)
    return FALSE;

  g_variant_get_child (payload, 2, "&s", &kind);
  request->device = ghlo_devices_find (kind);
  if (request->device == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE,
                   "the serialized executable is for a device of kind '%s', which was not found here", kind);
      return FALSE;
    }
  request->module = read_program (payload, monitor, error);

  return request->module != NULL;
}
