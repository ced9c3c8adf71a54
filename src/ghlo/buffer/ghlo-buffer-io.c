/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The slow calls of buffers: reading them, loading and saving NumPy files, and
 * copies to devices. All except a blocking read are jobs on the values that buffers
 * hold.
 */

#include "ghlo-buffer-private.h"
#include "ghlo-call-private.h"
#include "ghlo-device-private.h"
#include "runtime/npy.h"
#include "runtime/place.h"
#include "runtime/read-file.h"

/* The arguments of each of these calls; NULL where a call does not need one. */
typedef struct
{
  GFile          *file;      /* a copy of the caller's file */
  GhloTensorType *type;
  GhloValue      *value;
  GhloDeviceCore *device;
} Transfer;

static void
transfer_free (gpointer data)
{
  Transfer *transfer = data;

  g_clear_object (&transfer->file);
  g_clear_pointer (&transfer->type, ghlo_tensor_type_unref);
  g_clear_pointer (&transfer->value, ghlo_value_unref);
  g_free (transfer);
}

static gboolean
check_file (GFile   *file,
            GError **error)
{
  if (G_IS_FILE (file))
    return TRUE;

  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected a file, found nothing");

  return FALSE;
}

static Transfer *
load_new (GFile           *file,
          GhloTensorType  *tensor_type,
          GError         **error)
{
  Transfer *transfer;

  if (!check_file (file, error))
    return NULL;

  transfer = g_new0 (Transfer, 1);
  transfer->file = g_file_dup (file);
  transfer->type = tensor_type != NULL ? ghlo_tensor_type_ref (tensor_type) : NULL;

  return transfer;
}

/* Whether the file contains the type that was requested. */
static gboolean
check_type (const GhloTensorType  *expected,
            const GhloTensorType  *found,
            GError               **error)
{
  gboolean fits = expected->element_type == found->element_type && expected->rank == found->rank;
  g_autofree char *expected_text = NULL;
  g_autofree char *found_text = NULL;

  for (guint i = 0; fits && i < found->rank; i++)
    fits = expected->dimensions[i] < 0 || expected->dimensions[i] == found->dimensions[i];
  if (fits)
    return TRUE;

  expected_text = ghlo_tensor_type_to_string (expected);
  found_text = ghlo_tensor_type_to_string (found);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "expected a .npy file with %s, found %s", expected_text, found_text);

  return FALSE;
}

static gpointer
load_run (gpointer            data,
          const GhloMonitor  *monitor,
          GError            **error)
{
  Transfer *transfer = data;
  g_autoptr (GBytes) bytes = ghlo_read_file (transfer->file, monitor->cancellable, error);
  g_autofree char *name = g_file_get_basename (transfer->file);
  g_autofree char *valid = g_utf8_make_valid (name != NULL ? name : "", -1);
  g_autoptr (GhloValue) value = NULL;

  if (bytes == NULL)
    return NULL;
  value = ghlo_npy_read (bytes, transfer->type, error);
  if (value == NULL || (transfer->type != NULL && !check_type (transfer->type, value->type, error)))
    {
      g_prefix_error (error, "%s: ", valid);
      return NULL;
    }

  return g_steal_pointer (&value);
}

static const GhloCallClass load_class = {
  .job = {
    .name = "ghlo_buffer_load_async",
    .workers = GHLO_WORKERS_COMPILE,
    .run = load_run,
    .free_data = transfer_free,
    .free_result = (GDestroyNotify) ghlo_value_unref,
  },
};

/**
 * ghlo_buffer_load:
 * @file: a NumPy file (`.npy`) with one array
 * @tensor_type: (nullable): the expected type of the array; %NULL accepts any
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Reads an array into a buffer in host memory. Both element orders and both byte orders
 * are supported.
 *
 * NumPy has no types such as bf16 or i4; arrays of these are stored as raw bytes or small
 * integers, which are interpreted according to @tensor_type. Its dimensions may be
 * dynamic.
 *
 * Fails with %GHLO_ERROR_DATA when the file does not contain an array or contains one that
 * does not match @tensor_type, when it changed while it was read or, for a pipe or a
 * device, delivered more than 1 GiB, with %GHLO_ERROR_OUT_OF_MEMORY when there is not
 * enough memory, and with an error of GIO when the file cannot be read:
 * %G_IO_ERROR_TIMED_OUT for a named pipe that no process writes to for three seconds.
 *
 * Returns: (transfer full): a new buffer, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_buffer_load (GFile           *file,
                  GhloTensorType  *tensor_type,
                  GCancellable    *cancellable,
                  GError         **error)
{
  return ghlo_buffer_new_for_value (ghlo_call_run (&load_class, load_new (file, tensor_type, error), NULL, cancellable,
                                                   error));
}

/**
 * ghlo_buffer_load_async:
 * @file: a NumPy file (`.npy`) with one array
 * @tensor_type: (nullable): the expected type of the array; %NULL accepts any
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Reads an array into a buffer without blocking; see [func@Ghlo.Buffer.load].
 *
 * Since: 1.0
 */
void
ghlo_buffer_load_async (GFile               *file,
                        GhloTensorType      *tensor_type,
                        GCancellable        *cancellable,
                        GAsyncReadyCallback  callback,
                        gpointer             user_data)
{
  GError *error = NULL;
  Transfer *transfer = load_new (file, tensor_type, &error);

  ghlo_call_start (&load_class, ghlo_call_task (&load_class, NULL, cancellable, callback, user_data), transfer, NULL,
                  error);
}

/**
 * ghlo_buffer_load_finish:
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [func@Ghlo.Buffer.load_async].
 *
 * Returns: (transfer full): a new buffer, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_buffer_load_finish (GAsyncResult  *result,
                         GError       **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&load_class, NULL, result), NULL);

  return ghlo_buffer_new_for_value (g_task_propagate_pointer (G_TASK (result), error));
}

/* The tensor of a buffer, for a call that reads it. */
static GhloValue *
take_tensor (GhloBuffer  *self,
             GError     **error)
{
  static const char *const kinds[] = { "tensor", "token", "tuple", "future" };
  g_autoptr (GhloValue) value = ghlo_buffer_take_value (self, error);

  if (value == NULL || value->kind == GHLO_VALUE_TENSOR)
    return g_steal_pointer (&value);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected a buffer that holds a tensor, found a %s, which has no bytes", kinds[value->kind]);

  return NULL;
}

static Transfer *
tensor_new (GhloBuffer  *self,
            GError     **error)
{
  GhloValue *value = take_tensor (self, error);
  Transfer *transfer;

  if (value == NULL)
    return NULL;
  transfer = g_new0 (Transfer, 1);
  transfer->value = value;

  return transfer;
}

static gpointer
read_run (gpointer            data,
          const GhloMonitor  *monitor,
          GError            **error)
{
  Transfer *transfer = data;

  return ghlo_value_fetch (transfer->value, monitor, error) ? ghlo_value_get_bytes (transfer->value) : NULL;
}

static const GhloCallClass read_class = {
  .job = {
    .name = "ghlo_buffer_read_async",
    .workers = GHLO_WORKERS_RUN,
    .run = read_run,
    .free_data = transfer_free,
    .free_result = (GDestroyNotify) g_bytes_unref,
  },
};

/**
 * ghlo_buffer_read:
 * @self: a buffer
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Reads the elements of a tensor from the device that holds them. The first read copies
 * them to host memory, where they stay as long as the buffer holds data. For a buffer
 * in host memory, or in device memory that the host reads as well as its own, the bytes
 * are not a copy but the buffer's own, so they must not be written to.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when the buffer was released or does not hold
 * a tensor, with %GHLO_ERROR_OUT_OF_MEMORY when there is not enough memory, and with
 * %GHLO_ERROR_DEVICE_LOST when the device that held the elements was lost.
 *
 * Returns: (transfer full): the elements in the layout that [class@Ghlo.Buffer]
 *   describes, or %NULL with @error set; they remain valid after the buffer is released
 *
 * Since: 1.0
 */
GBytes *
ghlo_buffer_read (GhloBuffer    *self,
                  GCancellable  *cancellable,
                  GError       **error)
{
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GhloValue) value = NULL;

  g_return_val_if_fail (GHLO_IS_BUFFER (self), NULL);

  /* Not a job, since a job would take longer than reading a small tensor. */
  value = take_tensor (self, error);
  if (value == NULL || !ghlo_workers_check (error) || ghlo_monitor_cancelled (&monitor, error)
      || !ghlo_value_fetch (value, &monitor, error))
    return NULL;

  return ghlo_value_get_bytes (value);
}

/**
 * ghlo_buffer_read_async:
 * @self: a buffer
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Reads the elements of a tensor without blocking; see [method@Ghlo.Buffer.read].
 *
 * Since: 1.0
 */
void
ghlo_buffer_read_async (GhloBuffer          *self,
                        GCancellable        *cancellable,
                        GAsyncReadyCallback  callback,
                        gpointer             user_data)
{
  GError *error = NULL;
  Transfer *transfer;

  g_return_if_fail (GHLO_IS_BUFFER (self));

  transfer = tensor_new (self, &error);
  if (transfer != NULL && ghlo_value_is_on_host (transfer->value))
    {
      ghlo_call_answer_with (&read_class, self, ghlo_value_get_bytes (transfer->value), cancellable, callback,
                             user_data);
      transfer_free (transfer);
    }
  else
    ghlo_call_start (&read_class, ghlo_call_task (&read_class, self, cancellable, callback, user_data), transfer, NULL,
                     error);
}

/**
 * ghlo_buffer_read_finish:
 * @self: a buffer
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [method@Ghlo.Buffer.read_async].
 *
 * Returns: (transfer full): the elements, or %NULL with @error set
 *
 * Since: 1.0
 */
GBytes *
ghlo_buffer_read_finish (GhloBuffer    *self,
                         GAsyncResult  *result,
                         GError       **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&read_class, self, result), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

static Transfer *
save_new (GhloBuffer  *self,
          GFile       *file,
          GError     **error)
{
  Transfer *transfer = check_file (file, error) ? tensor_new (self, error) : NULL;

  if (transfer != NULL)
    transfer->file = g_file_dup (file);

  return transfer;
}

static void
nothing_free (gpointer data)
{
}

/* Returns an arbitrary pointer other than NULL on success. */
static gpointer
save_run (gpointer            data,
          const GhloMonitor  *monitor,
          GError            **error)
{
  Transfer *transfer = data;
  if (!ghlo_value_fetch (transfer->value, monitor, error))
    return NULL;

  return ghlo_npy_save (transfer->value, transfer->file, monitor, error) ? (gpointer) &transfer_free : NULL;
}

static const GhloCallClass save_class = {
  .job = {
    .name = "ghlo_buffer_save_async",
    .workers = GHLO_WORKERS_COMPILE,
    .run = save_run,
    .free_data = transfer_free,
    .free_result = nothing_free,
  },
};

/**
 * ghlo_buffer_save:
 * @self: a buffer
 * @file: the file to write; an existing file is replaced
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Writes a tensor to a NumPy file (`.npy`). Types that NumPy lacks are written as raw
 * bytes (floats) or as integers of one byte; see [func@Ghlo.Buffer.load]. An existing
 * file remains unchanged when the call fails or is cancelled.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when the buffer was released or does not
 * hold a tensor, and with an error of GIO when the file cannot be written.
 *
 * Returns: whether the file was written
 *
 * Since: 1.0
 */
gboolean
ghlo_buffer_save (GhloBuffer    *self,
                  GFile         *file,
                  GCancellable  *cancellable,
                  GError       **error)
{
  g_return_val_if_fail (GHLO_IS_BUFFER (self), FALSE);

  return ghlo_call_run (&save_class, save_new (self, file, error), NULL, cancellable, error) != NULL;
}

/**
 * ghlo_buffer_save_async:
 * @self: a buffer
 * @file: the file to write; an existing file is replaced
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Writes a tensor to a NumPy file without blocking; see [method@Ghlo.Buffer.save].
 *
 * Since: 1.0
 */
void
ghlo_buffer_save_async (GhloBuffer          *self,
                        GFile               *file,
                        GCancellable        *cancellable,
                        GAsyncReadyCallback  callback,
                        gpointer             user_data)
{
  GError *error = NULL;
  Transfer *transfer;

  g_return_if_fail (GHLO_IS_BUFFER (self));

  transfer = save_new (self, file, &error);
  ghlo_call_start (&save_class, ghlo_call_task (&save_class, self, cancellable, callback, user_data), transfer, NULL,
                  error);
}

/**
 * ghlo_buffer_save_finish:
 * @self: a buffer
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [method@Ghlo.Buffer.save_async].
 *
 * Returns: whether the file was written
 *
 * Since: 1.0
 */
gboolean
ghlo_buffer_save_finish (GhloBuffer    *self,
                         GAsyncResult  *result,
                         GError       **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&save_class, self, result), FALSE);

  return g_task_propagate_pointer (G_TASK (result), error) != NULL;
}

static Transfer *
copy_new (GhloBuffer  *self,
          GhloDevice  *device,
          GError     **error)
{
  GhloValue *value;
  Transfer *transfer;

  if (!GHLO_IS_DEVICE (device) || ghlo_device_get_core (device) == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected a device from Client.list_devices, found %s",
                   device == NULL ? "nothing" : "one made without a client");
      return NULL;
    }
  value = ghlo_buffer_take_value (self, error);
  if (value == NULL)
    return NULL;

  transfer = g_new0 (Transfer, 1);
  transfer->value = value;
  transfer->device = ghlo_device_get_core (device);

  return transfer;
}

/* Whether a tensor of the value is in memory lent by the application. */
static gboolean
is_lent (const GhloValue *value)
{
  gboolean lent = value->kind == GHLO_VALUE_TENSOR && value->storage->release != NULL;

  for (guint i = 0; i < value->n_members && !lent; i++)
    lent = is_lent (value->members[i]);

  return lent;
}

static gpointer
copy_run (gpointer            data,
          const GhloMonitor  *monitor,
          GError            **error)
{
  Transfer *transfer = data;
  g_autoptr (GhloValue) placed = ghlo_value_place (transfer->value, transfer->device, monitor, error);

  if (placed == NULL || !is_lent (placed))
    return g_steal_pointer (&placed);

  return ghlo_value_copy (placed, transfer->device, error);
}

static const GhloCallClass copy_class = {
  .job = {
    .name = "ghlo_buffer_copy_to_device_async",
    .workers = GHLO_WORKERS_RUN,
    .run = copy_run,
    .free_data = transfer_free,
    .free_result = (GDestroyNotify) ghlo_value_unref,
  },
};

/**
 * ghlo_buffer_copy_to_device:
 * @self: a buffer
 * @device: a device from [method@Ghlo.Client.list_devices]
 * @cancellable: (nullable): a cancellable, or %NULL
 * @error: return location for an error
 *
 * Copies a buffer into the memory of a device, so that runs on the device need not do
 * this each time. Data that is already there is shared rather than copied. Devices that
 * work in host memory, such as the CPU, use buffers in host memory; a buffer that was
 * created from bytes of the application is copied and no longer depends on them.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when the buffer was released, and with
 * %GHLO_ERROR_OUT_OF_MEMORY when there is not enough memory.
 *
 * Returns: (transfer full): a buffer in the memory of @device, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_buffer_copy_to_device (GhloBuffer    *self,
                            GhloDevice    *device,
                            GCancellable  *cancellable,
                            GError       **error)
{
  g_return_val_if_fail (GHLO_IS_BUFFER (self), NULL);

  return ghlo_buffer_new_for_value (ghlo_call_run (&copy_class, copy_new (self, device, error), NULL, cancellable,
                                                   error));
}

/**
 * ghlo_buffer_copy_to_device_async:
 * @self: a buffer
 * @device: a device from [method@Ghlo.Client.list_devices]
 * @cancellable: (nullable): a cancellable, or %NULL
 * @callback: (scope async) (closure user_data): called when the call has finished
 * @user_data: data for @callback
 *
 * Copies a buffer into the memory of a device without blocking; see
 * [method@Ghlo.Buffer.copy_to_device].
 *
 * Since: 1.0
 */
void
ghlo_buffer_copy_to_device_async (GhloBuffer          *self,
                                  GhloDevice          *device,
                                  GCancellable        *cancellable,
                                  GAsyncReadyCallback  callback,
                                  gpointer             user_data)
{
  GError *error = NULL;
  Transfer *transfer;

  g_return_if_fail (GHLO_IS_BUFFER (self));

  transfer = copy_new (self, device, &error);
  ghlo_call_start (&copy_class, ghlo_call_task (&copy_class, self, cancellable, callback, user_data), transfer, NULL,
                  error);
}

/**
 * ghlo_buffer_copy_to_device_finish:
 * @self: a buffer
 * @result: the result passed to the callback
 * @error: return location for an error
 *
 * Finishes a call to [method@Ghlo.Buffer.copy_to_device_async].
 *
 * Returns: (transfer full): a copy, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_buffer_copy_to_device_finish (GhloBuffer    *self,
                                   GAsyncResult  *result,
                                   GError       **error)
{
  g_return_val_if_fail (ghlo_call_is_valid (&copy_class, self, result), NULL);

  return ghlo_buffer_new_for_value (g_task_propagate_pointer (G_TASK (result), error));
}
