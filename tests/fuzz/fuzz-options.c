/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads any bytes as compile options of PJRT's callers, after a first byte that is the number of devices. The options
 * are refused with a suitable error, or result in counts and devices within bounds; the device assignment is then
 * written and read again. The seeds are made here.
 */

#include <stdint.h>
#include <string.h>

#include "base/ghlo-error.h"
#include "pjrt/compile-options.h"

int    LLVMFuzzerTestOneInput  (const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator (uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate        (uint8_t *data, size_t size, size_t max_size);

static gboolean
read_options (GhloPjrtCompileOptions *options,
              const guint8           *data,
              gsize                   size,
              gsize                   max_devices)
{
  g_autoptr (GError) error = NULL;
  gboolean ok;

  *options = (GhloPjrtCompileOptions) GHLO_PJRT_COMPILE_OPTIONS_INIT;
  ok = ghlo_pjrt_compile_options_read (options, (const char *) data, size, max_devices, &error);
  if (ok != (error == NULL))
    g_error ("options are %s %s an error", ok ? "read" : "refused", error != NULL ? "with" : "without");
  if (!ok && (!g_error_matches (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT)
              || !g_utf8_validate (error->message, -1, NULL)))
    g_error ("not an error of options: %s", error->message);

  return ok;
}

/* Returns a CompileOptionsProto of @options. */
static GByteArray *
write_options (const GhloPjrtCompileOptions *options)
{
  GByteArray *bytes = g_byte_array_new ();
  g_autoptr (GByteArray) build = g_byte_array_new ();
  g_autoptr (GByteArray) assignment = g_bytes_unref_to_array (ghlo_pjrt_device_assignment_write (options));

  ghlo_pjrt_append_number (build, 4, (guint64) options->n_replicas);
  ghlo_pjrt_append_number (build, 5, (guint64) options->n_partitions);
  ghlo_pjrt_append_message (build, 9, assignment);
  ghlo_pjrt_append_message (bytes, 3, build);
  ghlo_pjrt_append_number (bytes, 4, options->is_portable);

  return bytes;
}

static void
check (const GhloPjrtCompileOptions *options,
       gsize                         max_devices)
{
  g_auto (GhloPjrtCompileOptions) again = GHLO_PJRT_COMPILE_OPTIONS_INIT;
  g_autoptr (GByteArray) bytes = NULL;
  gint64 n;

  if (options->n_replicas < 1 || options->n_partitions < 1
      || __builtin_mul_overflow (options->n_replicas, options->n_partitions, &n) || n > (gint64) max_devices)
    g_error ("options for %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " devices are accepted, where there are %zu",
             options->n_replicas, options->n_partitions, max_devices);
  bytes = write_options (options);
  if (!read_options (&again, bytes->data, bytes->len, max_devices) || again.n_replicas != options->n_replicas
      || again.n_partitions != options->n_partitions || again.is_portable != options->is_portable)
    g_error ("what was written is read otherwise");
  for (gint64 i = 0; i < n; i++)
    if (again.device_ids[i] != (options->device_ids != NULL ? options->device_ids[i] : i))
      g_error ("device %" G_GINT64_FORMAT " is read as another one", i);
}

/* Writes options for a grid of devices that is chosen by @seed. */
static gsize
make_options (guint8       *data,
              gsize         max_size,
              unsigned int  seed)
{
  const GhloPjrtCompileOptions options = {
    .n_replicas = 1 + seed % 5, .n_partitions = 1 + seed / 5 % 5, .is_portable = seed / 25 % 2,
  };
  g_autoptr (GByteArray) bytes = write_options (&options);

  if (bytes->len >= max_size)
    return 0;
  data[0] = 24;
  memcpy (data + 1, bytes->data, bytes->len);

  return 1 + bytes->len;
}

/* Replaces some inputs by new options. */
size_t
LLVMFuzzerCustomMutator (uint8_t      *data,
                         size_t        size,
                         size_t        max_size,
                         unsigned int  seed)
{
  if (seed % 8 == 0)
    size = make_options (data, max_size, seed / 8);

  return LLVMFuzzerMutate (data, size, max_size);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  g_auto (GhloPjrtCompileOptions) options = GHLO_PJRT_COMPILE_OPTIONS_INIT;
  const gsize max_devices = size > 0 ? 1 + (gsize) data[0] : 1;

  if (read_options (&options, data + MIN (size, 1), size - MIN (size, 1), max_devices))
    check (&options, max_devices);

  return 0;
}
