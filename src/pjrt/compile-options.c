/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads a CompileOptionsProto. Fields that do not concern the library are skipped.
 */

#include "pjrt/compile-options.h"

#include "base/ghlo-error.h"

typedef struct
{
  GhloPjrtCompileOptions *options;
  gint64                  n_replicas, n_partitions;     /* of the device assignment; 0: there is none */
  GArray                 *ids;                          /* of the device assignment, computation by computation */
  gsize                   max_devices;
  GError                 *error;                        /* set where the problem can be described */
} Reader;

/* Calls @read with each field of @message. */
static gboolean
read_message (GhloPjrtCursor                               message,
              Reader                                      *reader,
              gboolean       (*read) (Reader              *reader,
                                      const GhloPjrtField *field))
{
  GhloPjrtField field;

  while (message.next < message.end)
    if (!ghlo_pjrt_read_field (&message, &field) || !read (reader, &field))
      return FALSE;

  return TRUE;
}

static gboolean
add_id (Reader  *reader,
        guint64  id)
{
  gint64 signed_id = (gint64) id;

  if (reader->ids->len >= reader->max_devices)
    return FALSE;
  g_array_append_val (reader->ids, signed_id);

  return TRUE;
}

/* DeviceAssignmentProto.ComputationDevice: the devices of one partition, by replica, as a packed list or one by one. */
static gboolean
read_computation (Reader              *reader,
                  const GhloPjrtField *field)
{
  GhloPjrtCursor ids = field->bytes;
  guint64 id;

  if (field->number != 1)
    return TRUE;
  if (field->wire == GHLO_PJRT_WIRE_VARINT)
    return add_id (reader, field->value);
  while (field->wire == GHLO_PJRT_WIRE_BYTES && ids.next < ids.end)
    if (!ghlo_pjrt_read_varint (&ids, &id) || !add_id (reader, id))
      return FALSE;

  return field->wire == GHLO_PJRT_WIRE_BYTES;
}

/* DeviceAssignmentProto. */
static gboolean
read_assignment (Reader              *reader,
                 const GhloPjrtField *field)
{
  if (field->number == 1 && field->wire == GHLO_PJRT_WIRE_VARINT)
    reader->n_replicas = (gint64) field->value;
  else if (field->number == 2 && field->wire == GHLO_PJRT_WIRE_VARINT)
    reader->n_partitions = (gint64) field->value;
  else if (field->number == 3 && field->wire == GHLO_PJRT_WIRE_BYTES)
    return read_message (field->bytes, reader, read_computation);

  return TRUE;
}

/* ExecutableBuildOptionsProto. */
static gboolean
read_build (Reader              *reader,
            const GhloPjrtField *field)
{
  if (field->number == 4 && field->wire == GHLO_PJRT_WIRE_VARINT)
    reader->options->n_replicas = (gint64) field->value;
  else if (field->number == 5 && field->wire == GHLO_PJRT_WIRE_VARINT)
    reader->options->n_partitions = (gint64) field->value;
  else if (field->number == 9 && field->wire == GHLO_PJRT_WIRE_BYTES)
    return read_message (field->bytes, reader, read_assignment);

  return TRUE;
}

/* CompileOptionsProto. */
static gboolean
read_options (Reader              *reader,
              const GhloPjrtField *field)
{
  if (field->number == 3 && field->wire == GHLO_PJRT_WIRE_BYTES)
    return read_message (field->bytes, reader, read_build);
  if (field->number == 7 && field->wire == GHLO_PJRT_WIRE_BYTES)
    return ghlo_pjrt_override_read (reader->options, field->bytes, &reader->error);
  if (field->number == 4 && field->wire == GHLO_PJRT_WIRE_VARINT)
    reader->options->is_portable = field->value != 0;

  return TRUE;
}

static gboolean
check_counts (Reader  *reader,
              GError **error)
{
  GhloPjrtCompileOptions *options = reader->options;
  gint64 limit = (gint64) reader->max_devices;

  if (options->n_replicas < 1 || options->n_partitions < 1 || options->n_replicas > limit
      || options->n_partitions > limit || options->n_replicas * options->n_partitions > limit)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected replicas × partitions of at least 1 and at most %" G_GINT64_FORMAT " devices, found %"
                 G_GINT64_FORMAT " × %" G_GINT64_FORMAT, limit, options->n_replicas, options->n_partitions);
  else if (reader->ids->len > 0 && (reader->n_replicas != options->n_replicas
                                    || reader->n_partitions != options->n_partitions
                                    || reader->ids->len != options->n_replicas * options->n_partitions))
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected a device assignment for %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " devices, found one for "
                 "%" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " devices with %u IDs", options->n_replicas,
                 options->n_partitions, reader->n_replicas, reader->n_partitions, reader->ids->len);
  else
    return TRUE;

  return FALSE;
}

/* Reorders the assignment from computation-major to replica-major. */
static void
keep_assignment (Reader *reader)
{
  GhloPjrtCompileOptions *options = reader->options;

  if (reader->ids->len == 0)
    return;
  options->device_ids = g_new (gint64, reader->ids->len);
  for (gint64 i = 0; i < options->n_replicas; i++)
    for (gint64 j = 0; j < options->n_partitions; j++)
      options->device_ids[i * options->n_partitions + j]
        = g_array_index (reader->ids, gint64, j * options->n_replicas + i);
}

gboolean
ghlo_pjrt_compile_options_read (GhloPjrtCompileOptions  *self,
                                const char              *data,
                                gsize                    size,
                                gsize                    max_devices,
                                GError                 **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  Reader reader = { .options = self, .ids = ids, .max_devices = max_devices };
  const guint8 *first = (const guint8 *) (size > 0 ? data : "");
  GhloPjrtCursor message = { first, first + size };

  if (!read_message (message, &reader, read_options))
    {
      if (reader.error == NULL)
        reader.error = g_error_new_literal (GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                                            "expected a CompileOptionsProto, found malformed data or more "
                                            "devices than there are");
      g_propagate_error (error, reader.error);
      return FALSE;
    }
  /* JAX leaves out fields whose value is 0 or 1. */
  self->n_replicas = self->n_replicas == 0 ? 1 : self->n_replicas;
  self->n_partitions = self->n_partitions == 0 ? 1 : self->n_partitions;
  if (!check_counts (&reader, error))
    return FALSE;
  keep_assignment (&reader);

  return TRUE;
}

void
ghlo_pjrt_compile_options_clear (GhloPjrtCompileOptions *self)
{
  g_clear_pointer (&self->device_ids, g_free);
}

GBytes *
ghlo_pjrt_device_assignment_write (const GhloPjrtCompileOptions *options)
{
  GByteArray *bytes = g_byte_array_new ();

  ghlo_pjrt_append_number (bytes, 1, (guint64) options->n_replicas);
  ghlo_pjrt_append_number (bytes, 2, (guint64) options->n_partitions);
  for (gint64 j = 0; j < options->n_partitions; j++)
    {
      g_autoptr (GByteArray) ids = g_byte_array_new ();
      g_autoptr (GByteArray) computation = g_byte_array_new ();

      for (gint64 i = 0; i < options->n_replicas; i++)
        {
          gint64 n = i * options->n_partitions + j;

          ghlo_pjrt_append_varint (ids, (guint64) (options->device_ids != NULL ? options->device_ids[n] : n));
        }
      ghlo_pjrt_append_message (computation, 1, ids);
      ghlo_pjrt_append_message (bytes, 3, computation);
    }

  return g_byte_array_free_to_bytes (bytes);
}
