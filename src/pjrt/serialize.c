/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Serialization of executables: eight bytes that identify the format, the SHA-256 of the header, the header, and the
 * program as compiler/serialize.c writes it, with a checksum of its own. The header consists of the length of the
 * compile options as a 64-bit little-endian number, the fingerprint, and the options.
 */

#include "compiler/serialize.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "client/workers.h"
#include "compiler/digest.h"
#include "pjrt/error.h"
#include "pjrt/executable.h"

static const char magic[8] = { 'G', 'H', 'L', 'O', 'P', 'J', 'R', '1' };

/* Offsets of what precedes the options. */
enum
{
  DIGEST = sizeof magic,
  LENGTH = DIGEST + GHLO_DIGEST_SIZE,
  FINGERPRINT = LENGTH + sizeof (guint64),
  OPTIONS = FINGERPRINT + GHLO_PJRT_FINGERPRINT_SIZE,
};

static GBytes *
write_executable (const PJRT_Executable  *self,
                  GError                **error)
{
  g_autoptr (GBytes) program = ghlo_executable_core_serialize (self->core, NULL, error);
  guint64 length;
  gsize n_options, size;
  gconstpointer options = g_bytes_get_data (self->option_bytes, &n_options), data;
  guint8 *bytes;

  if (program == NULL)
    return NULL;
  data = g_bytes_get_data (program, &size);
  bytes = g_try_malloc (OPTIONS + n_options + size);
  if (bytes == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                   "cannot allocate %" G_GSIZE_FORMAT " bytes", OPTIONS + n_options + size);
      return NULL;
    }
  length = GUINT64_TO_LE (n_options);
  memcpy (bytes, magic, sizeof magic);
  memcpy (bytes + LENGTH, &length, sizeof length);
  memcpy (bytes + FINGERPRINT, self->fingerprint, sizeof self->fingerprint);
  if (n_options > 0)
    memcpy (bytes + OPTIONS, options, n_options);
  ghlo_digest (bytes + LENGTH, OPTIONS - LENGTH + n_options, bytes + DIGEST);
  memcpy (bytes + OPTIONS + n_options, data, size);

  return g_bytes_new_take (bytes, OPTIONS + n_options + size);
}

static void
bytes_unref (PJRT_SerializedExecutable *bytes)
{
  g_bytes_unref ((GBytes *) bytes);
}

static PJRT_Error *
serialize (PJRT_Executable_Serialize_Args *args)
{
  GError *error = NULL;
  GBytes *bytes;

  PJRT_NEEDS (args, serialized_executable_deleter);
  if (args->executable->n_manual > 0 || args->executable->n_stacked > 0)
    return ghlo_pjrt_error_new (PJRT_Error_Code_UNIMPLEMENTED, "GHLO does not serialize programs with manual "
                                "computations or unreduced outputs");
  /* Its shardings refer to dimensions in another order than the program that would be written. */
  if (args->executable->is_laid_out && args->executable->n_devices > 1)
    return ghlo_pjrt_error_new (PJRT_Error_Code_UNIMPLEMENTED,
                                "GHLO serializes programs of several devices with row-major layouts only");
  bytes = write_executable (args->executable, &error);
  if (bytes == NULL)
    return ghlo_pjrt_error_take (error);
  args->serialized_bytes = g_bytes_get_data (bytes, &args->serialized_bytes_size);
  args->serialized_executable = (PJRT_SerializedExecutable *) bytes;
  args->serialized_executable_deleter = bytes_unref;

  return NULL;
}

/* Checks the header and returns the length of the options. Returns FALSE with a DATA error for bytes that are not a
 * serialized executable. */
static gboolean
check_head (const guint8  *bytes,
            gsize          size,
            gsize         *n_options,
            GError       **error)
{
  guint8 found[GHLO_DIGEST_SIZE];
  const char *problem = NULL;
  guint64 length = 0;

  if (size >= OPTIONS)
    memcpy (&length, bytes + LENGTH, sizeof length);
  length = GUINT64_FROM_LE (length);
  if (size < OPTIONS || memcmp (bytes, magic, sizeof magic) != 0)
    problem = "other bytes";
  else if (length > size - OPTIONS)
    problem = "a truncated or corrupt one";
  else
    {
      ghlo_digest (bytes + LENGTH, OPTIONS - LENGTH + (gsize) length, found);
      if (memcmp (found, bytes + DIGEST, GHLO_DIGEST_SIZE) != 0 || bytes[OPTIONS - 1] != '\0')
        problem = "a truncated or corrupt one";
    }
  *n_options = (gsize) length;
  if (problem != NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "expected a serialized executable, found %s", problem);

  return problem == NULL;
}

/* Reads the program and compiles it again for the client's device. */
static PJRT_Executable *
read_executable (const PJRT_Executable_DeserializeAndLoad_Args  *args,
                 GError                                        **error)
{
  const guint8 *bytes = (const guint8 *) args->serialized_executable;
  const gsize size = args->serialized_executable_size;
  g_auto (GhloCompileRequest) request = { NULL };
  g_autoptr (GBytes) program = NULL;
  gconstpointer options;
  gsize n_options;
  PJRT_Executable *self;

  if (!check_head (bytes, size, &n_options, error))
    return NULL;
  program = g_bytes_new (bytes + OPTIONS + n_options, size - OPTIONS - n_options);
  options = bytes + OPTIONS;
  if (PJRT_HAS (args, overridden_serialized_compile_options_size)
      && args->overridden_serialized_compile_options_size > 0)
    {
      options = args->overridden_serialized_compile_options;
      n_options = args->overridden_serialized_compile_options_size;
    }
  self = ghlo_pjrt_executable_new (args->client, options, n_options, error);
  if (self == NULL)
    return NULL;
  memcpy (self->fingerprint, bytes + FINGERPRINT, sizeof self->fingerprint);
  if (ghlo_compile_request_read (&request, program, NULL, error)
      && ghlo_pjrt_executable_compile (self, request.module, request.settings, error))
    return self;
  ghlo_pjrt_executable_unref (self);

  return NULL;
}

static PJRT_Error *
deserialize_and_load (PJRT_Executable_DeserializeAndLoad_Args *args)
{
  PJRT_Executable *executable = NULL;
  GError *error = NULL;

  PJRT_NEEDS (args, loaded_executable);
  if (ghlo_workers_check (&error))
    executable = read_executable (args, &error);
  if (executable == NULL)
    return ghlo_pjrt_error_take (error);
  args->loaded_executable = ghlo_pjrt_loaded_executable_new (executable);

  return NULL;
}

void
ghlo_pjrt_serialize_add_functions (PJRT_Api *api)
{
  api->PJRT_Executable_Serialize = serialize;
  api->PJRT_Executable_DeserializeAndLoad = deserialize_and_load;
}
