/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The calls of fuzz-api that make, read, copy and save buffers.
 */

#include "api-state.h"

#include <string.h>
#include <unistd.h>

static const char *const types[] = {
  "tensor<2x3xf32>", "tensor<4xi32>", "tensor<i1>", "tensor<6xi1>", "tensor<2xi8>", "tensor<?xf32>", "tensor<0xf32>",
  "tensor<5xf32>", "tensor<3x2xui8>", "tensor<2xcomplex<f64>>", "tensor<i32>", "tensor<7xi4>", "tensor<*xf32>",
  "tensor<2x!quant.uniform<i8:f32, 0.5>>", "tensor<99999999999x99999999999xf32>", "tensor<", "tensor<1000000x1000xf64>",
};

static GBytes *
make_bytes (State                *state,
            const GhloTensorType *type)
{
  gint64 wanted = type != NULL ? ghlo_tensor_type_get_size (type) : 0;
  gsize size = wanted >= 0 && wanted < 65536 ? (gsize) wanted : 24;
  guint offset = take (state) % 8;
  g_autoptr (GBytes) whole = NULL;
  guint8 *data;

  if (maybe (state))
    size = take (state);
  data = g_malloc0 (size + offset + 1);
  if (maybe (state))
    memset (data, (int) take (state), size + offset);
  whole = g_bytes_new_take (data, size + offset);

  return take (state) % 32 == 0 ? NULL : g_bytes_new_from_bytes (whole, offset, size);
}

static GhloTensorType *
make_type (State *state)
{
  gint64 dimensions[4];
  GhloTensorType *type;
  GError *error = NULL;
  guint rank = take (state) % 16;

  if (rank > G_N_ELEMENTS (dimensions))
    {
      type = ghlo_tensor_type_parse (types[take (state) % G_N_ELEMENTS (types)], &error);
      check (type, error);
      return type;
    }
  for (guint i = 0; i < rank; i++)
    dimensions[i] = (gint64) (gint8) take (state) * (maybe (state) ? G_MAXINT64 / 200 : 1);

  return ghlo_tensor_type_new ((GhloElementType) (take (state) % 40), rank > 0 ? dimensions : NULL, rank);
}

void
api_call_buffer (State *state)
{
  g_autoptr (GhloTensorType) type = take (state) % 32 == 0 ? NULL : make_type (state);
  g_autoptr (GBytes) bytes = make_bytes (state, type);
  GError *error = NULL;
  GhloBuffer *buffer = ghlo_buffer_new_from_bytes (type, bytes, &error);

  check (buffer, error);
  put (state, POOL_BUFFER, buffer);
}

void
api_call_strided (State *state)
{
  g_autoptr (GhloTensorType) type = take (state) % 32 == 0 ? NULL : make_type (state);
  g_autoptr (GBytes) bytes = make_bytes (state, type);
  gint64 strides[4];
  guint n = take (state) % (G_N_ELEMENTS (strides) + 1);
  GError *error = NULL;
  GhloBuffer *buffer;

  for (guint i = 0; i < n; i++)
    strides[i] = (gint64) (gint8) take (state) * (maybe (state) ? G_MAXINT64 / 128 : 1);
  buffer = ghlo_buffer_new_from_bytes_strided (type, bytes, take (state) % 16 == 0 ? NULL : strides, n, &error);
  check (buffer, error);
  put (state, POOL_BUFFER, buffer);
}

void
api_call_numbers (State *state)
{
  g_autoptr (GhloTensorType) type = take (state) % 32 == 0 ? NULL : make_type (state);
  gint64 integers[6];
  double doubles[6];
  guint n = take (state) % (G_N_ELEMENTS (integers) + 1);
  GError *error = NULL;
  GhloBuffer *buffer;

  for (guint i = 0; i < n; i++)
    {
      integers[i] = (gint8) take (state);
      doubles[i] = integers[i] == 100 ? G_MAXDOUBLE : integers[i] / 8.0;
    }
  if (n == 0)
    buffer = ghlo_buffer_new_zeros (type, &error);
  else if (maybe (state))
    buffer = ghlo_buffer_new_from_int64s (type, integers, n, &error);
  else
    buffer = ghlo_buffer_new_from_doubles (type, doubles, n, &error);
  check (buffer, error);
  put (state, POOL_BUFFER, buffer);
}

static void
finish_copy (State        *state,
             gpointer      self,
             GAsyncResult *result)
{
  GError *error = NULL;
  GhloBuffer *buffer = ghlo_buffer_copy_to_device_finish (self, result, &error);

  check (buffer, error);
  put (state, POOL_BUFFER, buffer);
}

void
api_call_copy (State *state)
{
  GhloBuffer *buffer = pick (state, POOL_BUFFER);
  GhloDevice *device = pick_any (state, POOL_DEVICE);
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  GhloBuffer *copy;

  if (maybe (state))
    {
      ghlo_buffer_copy_to_device_async (buffer, device, cancellable, api_ready,
                                        api_call_new (state, buffer, finish_copy));
      return;
    }
  copy = ghlo_buffer_copy_to_device (buffer, device, cancellable, &error);
  check (copy, error);
  put (state, POOL_BUFFER, copy);
}

/* Saves a tensor to a file in a memory file system, and loads it. */
void
api_call_file (State *state)
{
  GhloBuffer *buffer = pick (state, POOL_BUFFER);
  g_autofree char *path = g_strdup_printf ("/dev/shm/ghlo-fuzz-%d.npy", (int) getpid ());
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GhloTensorType) type = maybe (state) ? make_type (state) : NULL;
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  gboolean saved = ghlo_buffer_save (buffer, file, cancellable, &error);

  check_done (saved, error);
  if (saved)
    {
      error = NULL;
      buffer = ghlo_buffer_load (file, type, NULL, &error);
      check (buffer, error);
      put (state, POOL_BUFFER, buffer);
    }
  g_file_delete (file, NULL, NULL);
}

void
api_call_tuple (State *state)
{
  GhloBuffer *members[MAX_INPUTS];
  guint n = take (state) % (MAX_INPUTS + 1);
  GError *error = NULL;
  GhloBuffer *tuple;

  for (guint i = 0; i < n; i++)
    members[i] = pick_any (state, POOL_BUFFER);
  tuple = ghlo_buffer_new_tuple (take (state) % 16 == 0 ? NULL : members, n, &error);
  check (tuple, error);
  put (state, POOL_BUFFER, tuple);
}

void
api_call_token (State *state)
{
  put (state, POOL_BUFFER, ghlo_buffer_new_token ());
}

static void
finish_read (State        *state,
             gpointer      self,
             GAsyncResult *result)
{
  GError *error = NULL;
  g_autoptr (GBytes) bytes = ghlo_buffer_read_finish (self, result, &error);

  check (bytes, error);
}

static guint
sum_bytes (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  guint sum = 0;

  for (gsize i = 0; i < size; i++)
    sum += data[i];

  return sum;
}

void
api_call_read (State *state)
{
  GhloBuffer *buffer = pick (state, POOL_BUFFER);
  GCancellable *cancellable = pick_cancellable (state);
  GError *error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (maybe (state))
    {
      ghlo_buffer_read_async (buffer, cancellable, api_ready, api_call_new (state, buffer, finish_read));
      return;
    }
  bytes = ghlo_buffer_read (buffer, cancellable, &error);
  check (bytes, error);
  if (bytes != NULL)
    {
      ghlo_buffer_release (buffer);
      sum_bytes (bytes);
    }
}

void
api_call_ask_buffer (State *state)
{
  GhloBuffer *buffer = pick (state, POOL_BUFFER);
  g_autoptr (GBytes) bytes = ghlo_buffer_get_host_bytes (buffer);
  GhloBuffer *const *members;
  gsize n;

  if (bytes != NULL && (guintptr) g_bytes_get_data (bytes, NULL) != ghlo_buffer_get_address (buffer)
      && g_bytes_get_size (bytes) > 0)
    abort ();
  ghlo_buffer_get_kind (buffer);
  ghlo_buffer_get_size (buffer);
  ghlo_buffer_get_device (buffer);
  members = ghlo_buffer_get_members (buffer, &n);
  if (n > 0)
    put (state, POOL_BUFFER, g_object_ref (members[take (state) % n]));
}

void
api_call_release (State *state)
{
  ghlo_buffer_release (pick (state, POOL_BUFFER));
}
