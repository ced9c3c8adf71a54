/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Buffers from memory that a language binding knows by its address. The memory is
 * copied, with any strides, or used in place until a callback releases it.
 */

#include "ghlo-buffer-private.h"

static gboolean
check_memory (const GhloTensorType  *type,
              guintptr               address,
              gboolean               has_strides,
              gsize                  n_byte_strides,
              GError               **error)
{
  g_autofree char *text = NULL;

  if (type == NULL)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected a tensor type, found none");
      return FALSE;
    }

  text = ghlo_tensor_type_to_string (type);
  if (ghlo_tensor_type_get_size (type) < 0)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected a type with a static shape for a tensor in memory, found %s", text);
  else if (has_strides && n_byte_strides != type->rank)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected %u strides for %s, found %" G_GSIZE_FORMAT, type->rank, text, n_byte_strides);
  else if (address == 0 && ghlo_tensor_type_get_size (type) > 0)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected the address of the elements of %s, found 0", text);
  else
    return TRUE;

  return FALSE;
}

static GhloValue *
copy_elements (GhloTensorType  *type,
               guintptr         address,
               const gint64    *byte_strides,
               GError         **error)
{
  if (ghlo_tensor_type_is_dense (type, byte_strides))
    byte_strides = NULL;

  return ghlo_value_new_copied (type, (const guint8 *) address, byte_strides, error);
}

static GhloValue *
share_elements (GhloTensorType  *type,
                guintptr         address,
                const gint64    *byte_strides,
                GDestroyNotify   release,
                gpointer         user_data,
                GError         **error)
{
  g_autoptr (GBytes) bytes = NULL;

  if (!ghlo_tensor_type_is_dense (type, byte_strides))
    {
      g_autofree char *text = ghlo_tensor_type_to_string (type);

      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected row-major strides without gaps for %s, found strides that leave gaps or change the "
                   "order, which cannot be used without a copy", text);
      release (user_data);
      return NULL;
    }
  bytes = g_bytes_new_with_free_func ((gconstpointer) address, ghlo_tensor_type_get_size (type), release, user_data);

  return ghlo_value_new_for_bytes (type, bytes, error);
}

/**
 * ghlo_buffer_new_from_address:
 * @tensor_type: the type of the tensor, without dynamic dimensions
 * @address: the address of its first element
 * @byte_strides: (array length=n_byte_strides) (nullable): the stride of each
 *   dimension in bytes, which may be negative; %NULL for dense elements in row-major
 *   order
 * @n_byte_strides: the number of strides; the rank of the tensor
 * @release: (scope async) (closure user_data) (nullable): called when the memory is
 *   no longer needed; %NULL to copy the elements
 * @user_data: data for @release
 * @error: return location for an error
 *
 * Creates a buffer in host memory from memory of the caller. For language bindings,
 * which must ensure that all elements are readable.
 *
 * Without @release, the elements are copied before the call returns. With it, they
 * are used in place unless they are insufficiently aligned, and must not be written
 * to until @release has been called. That happens once, on any thread, and also when
 * the call fails.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when there is a @release and the strides
 * are not those of dense elements in row-major order, and with %GHLO_ERROR_DATA when
 * a byte is not a valid value of an element type of less than 8 bits.
 *
 * Returns: (transfer full): a new buffer, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_buffer_new_from_address (GhloTensorType  *tensor_type,
                              guintptr         address,
                              const gint64    *byte_strides,
                              gsize            n_byte_strides,
                              GDestroyNotify   release,
                              gpointer         user_data,
                              GError         **error)
{
  const gint64 *strides = n_byte_strides > 0 ? byte_strides : NULL;
  GhloValue *value;

  if (!check_memory (tensor_type, address, strides != NULL, n_byte_strides, error))
    {
      if (release != NULL)
        release (user_data);
      return NULL;
    }

  value = release != NULL ? share_elements (tensor_type, address, strides, release, user_data, error)
                          : copy_elements (tensor_type, address, strides, error);

  return ghlo_buffer_new_checked (value, error);
}

/**
 * ghlo_buffer_new_from_owner:
 * @tensor_type: the type of the tensor, without dynamic dimensions
 * @address: the address of its first element
 * @byte_strides: (array length=n_byte_strides) (nullable): the stride of each dimension
 *   in bytes; %NULL for dense elements in row-major order, which is the only supported
 *   layout
 * @n_byte_strides: the number of strides; the rank of the tensor
 * @owner: an object that keeps the memory valid while it is alive
 * @error: return location for an error
 *
 * Creates a buffer that uses memory of the caller in place, like
 * [ctor@Ghlo.Buffer.new_from_address] with a release function, but holds a reference to
 * @owner as long as the memory is needed. For language bindings that leak memory for
 * each function that is passed as a callback.
 *
 * The reference is dropped once, on any thread, and also when the call fails.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT as [ctor@Ghlo.Buffer.new_from_address] does,
 * and when there is no owner.
 *
 * Returns: (transfer full): a new buffer, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_buffer_new_from_owner (GhloTensorType  *tensor_type,
                            guintptr         address,
                            const gint64    *byte_strides,
                            gsize            n_byte_strides,
                            GObject         *owner,
                            GError         **error)
{
  if (!G_IS_OBJECT (owner))
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                           "expected an object that keeps the memory, found nothing");
      return NULL;
    }

  return ghlo_buffer_new_from_address (tensor_type, address, byte_strides, n_byte_strides, g_object_unref,
                                       g_object_ref (owner), error);
}
