/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Buffers. The object holds one reference to a value of the runtime and drops it on
 * release. Calls in progress and exported bytes hold their own references.
 */

#include "ghlo-buffer-private.h"

#include "base/element.h"
#include "client/workers.h"
#include "ghlo-device-private.h"
#include "ghlo-enum-types.h"
#include "runtime/place.h"

/**
 * GhloBuffer:
 *
 * Data that a program takes as an input or returns as an output, usually a tensor.
 *
 * The content of a buffer never changes. In host memory, elements are dense, in
 * row-major order and in the byte order of the host, and each has its own bytes:
 * `i1` occupies a byte that is 0 or 1; integers of less than 8 bits occupy a byte
 * and are sign- or zero-extended; floats of 8 bits or less occupy a byte that holds
 * their bits; complex numbers consist of the real part, then the imaginary part;
 * quantized numbers are represented by their storage.
 *
 * [method@Ghlo.Buffer.release] frees the memory before the last reference is
 * dropped. This matters in languages with a garbage collector, which does not know
 * how large a buffer is.
 *
 * A buffer may be used from any thread.
 *
 * Since: 1.0
 */
struct _GhloBuffer
{
  GObject          parent_instance;

  GhloValueKind    kind;           /* never changes; neither do the next two */
  GhloTensorType  *tensor_type;    /* for a tensor; else NULL */
  guint64          size;           /* size of a tensor in bytes */

  GMutex           lock;           /* guards the fields below */
  GhloValue       *value;          /* NULL once released, and in an object that was created without one of our
                                    * constructors */
  gboolean         released;
  GPtrArray       *members;        /* GhloBuffers of a tuple, created when first requested; kept after a release */
};

enum
{
  PROP_0,
  PROP_KIND,
  PROP_TENSOR_TYPE,
  PROP_DEVICE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (GhloBuffer, ghlo_buffer, G_TYPE_OBJECT)

GhloBuffer *
ghlo_buffer_new_for_value (GhloValue *value)
{
  GhloBuffer *self;

  if (value == NULL)
    return NULL;
  self = g_object_new (GHLO_TYPE_BUFFER, NULL);
  self->value = value;
  self->kind = value->kind;
  if (value->kind == GHLO_VALUE_TENSOR)
    {
      self->tensor_type = ghlo_tensor_type_ref (value->type);
      self->size = value->n_bytes;
    }

  return self;
}

static GhloValue *
dup_value (GhloBuffer *self)
{
  GhloValue *value;

  g_mutex_lock (&self->lock);
  value = self->value != NULL ? ghlo_value_ref (self->value) : NULL;
  g_mutex_unlock (&self->lock);

  return value;
}

GhloValue *
ghlo_buffer_take_value (GhloBuffer  *self,
                        GError     **error)
{
  GhloValue *value;
  gboolean released;

  /* Checked before the lock is taken: after a fork, a thread that no longer exists may hold it. */
  if (!ghlo_workers_check (error))
    return NULL;

  g_mutex_lock (&self->lock);
  value = self->value != NULL ? ghlo_value_ref (self->value) : NULL;
  released = self->released;
  g_mutex_unlock (&self->lock);

  if (value == NULL)
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                         released ? "the buffer was released and holds no data any more"
                                  : "the buffer was made without data: use a constructor such as new_from_bytes");

  return value;
}

static void
ghlo_buffer_finalize (GObject *object)
{
  GhloBuffer *self = GHLO_BUFFER (object);

  g_clear_pointer (&self->value, ghlo_value_unref);
  g_clear_pointer (&self->tensor_type, ghlo_tensor_type_unref);
  g_clear_pointer (&self->members, g_ptr_array_unref);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (ghlo_buffer_parent_class)->finalize (object);
}

static void
ghlo_buffer_get_property (GObject    *object,
                          guint       prop_id,
                          GValue     *value,
                          GParamSpec *pspec)
{
  GhloBuffer *self = GHLO_BUFFER (object);

  switch (prop_id)
    {
    case PROP_KIND:
      g_value_set_enum (value, self->kind);
      break;
    case PROP_TENSOR_TYPE:
      g_value_set_boxed (value, self->tensor_type);
      break;
    case PROP_DEVICE:
      g_value_set_object (value, ghlo_buffer_get_device (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
ghlo_buffer_class_init (GhloBufferClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->finalize = ghlo_buffer_finalize;
  object_class->get_property = ghlo_buffer_get_property;

  /**
   * GhloBuffer:kind: (getter get_kind)
   *
   * The kind of value that the buffer holds.
   *
   * Since: 1.0
   */
  properties[PROP_KIND] = g_param_spec_enum ("kind", NULL, NULL, GHLO_TYPE_VALUE_KIND, GHLO_VALUE_TENSOR, flags);

  /**
   * GhloBuffer:tensor-type: (getter get_tensor_type)
   *
   * The type of the tensor; %NULL if the buffer does not hold a tensor.
   *
   * Since: 1.0
   */
  properties[PROP_TENSOR_TYPE] = g_param_spec_boxed ("tensor-type", NULL, NULL, GHLO_TYPE_TENSOR_TYPE, flags);

  /**
   * GhloBuffer:device: (getter get_device)
   *
   * The device whose memory holds the data; %NULL for host memory.
   *
   * Since: 1.0
   */
  properties[PROP_DEVICE] = g_param_spec_object ("device", NULL, NULL, GHLO_TYPE_DEVICE, flags);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
ghlo_buffer_init (GhloBuffer *self)
{
  g_mutex_init (&self->lock);
}

static gboolean
check_arguments (GhloTensorType  *tensor_type,
                 GBytes          *bytes,
                 GError         **error)
{
  if (tensor_type != NULL && bytes != NULL)
    return TRUE;

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
               "expected a tensor type and bytes, found no %s", tensor_type == NULL ? "tensor type" : "bytes");

  return FALSE;
}

/* Explains the size that results when a binding passes an array of numbers as bytes. */
static gboolean
check_size (const GhloTensorType  *type,
            gsize                  size,
            GError               **error)
{
  gint64 wanted = ghlo_tensor_type_get_size (type);
  g_autofree char *text = NULL;

  if (wanted < 0 || (guint64) wanted == size)
    return TRUE;

  text = ghlo_tensor_type_to_string (type);
  if (wanted > 0 && (gint64) size == ghlo_tensor_type_get_n_elements (type))
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected %" G_GINT64_FORMAT " bytes for %s, found %" G_GSIZE_FORMAT ", one for each element: "
                 "an array of numbers becomes one byte a number, so give the bytes of its memory instead "
                 "(in Python, Ghlo.Buffer.from_numpy or array.tobytes (); in JavaScript, Ghlo.Buffer.from_array)",
                 wanted, text, size);
  else
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected %" G_GINT64_FORMAT " bytes for %s, found %" G_GSIZE_FORMAT, wanted, text, size);

  return FALSE;
}

/* Element types of less than 8 bits have invalid byte values; executors rely on their absence. */
gboolean
ghlo_buffer_check_elements (const GhloValue  *value,
                            GError          **error)
{
  const GhloElementInfo *info = ghlo_element_info (value->type->element_type);
  gint64 low = 0, high;

  if (info->bits >= 8 || info->size != 1)
    return TRUE;
  high = (1 << info->bits) - 1;
  if (info->element_class == GHLO_ELEMENT_CLASS_SIGNED)
    {
      low = -(1 << (info->bits - 1));
      high = -low - 1;
    }

  for (gsize i = 0; i < value->n_elements; i++)
    {
      gint64 byte = low < 0 ? (gint64) (gint8) value->data[i] : (gint64) value->data[i];

      if (byte >= low && byte <= high)
        continue;
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA,
                   "expected bytes from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " for elements of type %s, "
                   "found %" G_GINT64_FORMAT " at element %" G_GSIZE_FORMAT, low, high, info->name, byte, i);
      return FALSE;
    }

  return TRUE;
}

GhloBuffer *
ghlo_buffer_new_checked (GhloValue  *value,
                         GError    **error)
{
  if (value == NULL)
    return NULL;
  if (!ghlo_buffer_check_elements (value, error))
    {
      ghlo_value_unref (value);
      return NULL;
    }

  return ghlo_buffer_new_for_value (value);
}

/**
 * ghlo_buffer_new_from_bytes:
 * @tensor_type: the type of the tensor, without dynamic dimensions
 * @bytes: its elements, in the layout that [class@Ghlo.Buffer] describes
 * @error: return location for an error
 *
 * Creates a buffer in host memory. The bytes are not copied unless they are
 * insufficiently aligned for the elements. They must not be written to from now on.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when the number of bytes does not match
 * the type, and with %GHLO_ERROR_DATA when a byte is not a valid value of an
 * element type of less than 8 bits.
 *
 * Returns: (transfer full): a new buffer, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_buffer_new_from_bytes (GhloTensorType  *tensor_type,
                            GBytes          *bytes,
                            GError         **error)
{
  if (!check_arguments (tensor_type, bytes, error)
      || !check_size (tensor_type, g_bytes_get_size (bytes), error))
    return NULL;

  return ghlo_buffer_new_checked (ghlo_value_new_for_bytes (tensor_type, bytes, error), error);
}

/**
 * ghlo_buffer_new_from_bytes_strided:
 * @tensor_type: the type of the tensor, without dynamic dimensions
 * @bytes: the bytes that contain its elements
 * @byte_strides: (array length=n_byte_strides) (nullable): the stride of each
 *   dimension in bytes
 * @n_byte_strides: the number of strides; the rank of the tensor
 * @error: return location for an error
 *
 * Creates a buffer in host memory from elements that are not dense in row-major
 * order, such as images with padded rows and flipped or broadcast arrays. The
 * elements are copied.
 *
 * If no stride is negative, the first element is at the start of @bytes. A negative
 * stride moves the first element so far into @bytes that the last element of that
 * dimension is at the start. Bytes beyond the last element are ignored.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when an element lies outside of @bytes.
 *
 * Returns: (transfer full): a new buffer, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_buffer_new_from_bytes_strided (GhloTensorType  *tensor_type,
                                    GBytes          *bytes,
                                    const gint64    *byte_strides,
                                    gsize            n_byte_strides,
                                    GError         **error)
{
  if (!check_arguments (tensor_type, bytes, error))
    return NULL;
  if (n_byte_strides != ghlo_tensor_type_get_rank (tensor_type) || (n_byte_strides > 0 && byte_strides == NULL))
    {
      g_autofree char *text = ghlo_tensor_type_to_string (tensor_type);

      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected %u strides for %s, found %" G_GSIZE_FORMAT,
                   ghlo_tensor_type_get_rank (tensor_type), text, byte_strides != NULL ? n_byte_strides : 0);
      return NULL;
    }

  return ghlo_buffer_new_checked (ghlo_value_new_strided (tensor_type, bytes, byte_strides, error), error);
}

/**
 * ghlo_buffer_new_token:
 *
 * Creates a token, for programs that take one as an input. It holds no data.
 *
 * Returns: (transfer full): a new buffer
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_buffer_new_token (void)
{
  return ghlo_buffer_new_for_value (ghlo_value_new_token ());
}

/**
 * ghlo_buffer_new_tuple:
 * @members: (array length=n_members) (nullable): the members
 * @n_members: the number of members
 * @error: return location for an error
 *
 * Creates a tuple, for programs that take one as an input. It shares the members'
 * memory.
 *
 * Fails with %GHLO_ERROR_INVALID_ARGUMENT when a member was released.
 *
 * Returns: (transfer full): a new buffer, or %NULL with @error set
 *
 * Since: 1.0
 */
GhloBuffer *
ghlo_buffer_new_tuple (GhloBuffer * const  *members,
                       gsize                n_members,
                       GError             **error)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);

  for (gsize i = 0; i < n_members; i++)
    {
      GhloValue *value = NULL;

      if (members == NULL || !GHLO_IS_BUFFER (members[i]))
        g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                     "expected a buffer as member %" G_GSIZE_FORMAT " of a tuple, found nothing", i);
      else
        value = ghlo_buffer_take_value (members[i], error);
      if (value == NULL)
        return NULL;
      g_ptr_array_add (values, value);
    }

  return ghlo_buffer_new_for_value (ghlo_value_new_tuple ((GhloValue *const *) values->pdata, values->len));
}

/**
 * ghlo_buffer_get_kind: (get-property kind)
 * @self: a buffer
 *
 * Gets the kind of value that the buffer holds.
 *
 * Returns: the kind
 *
 * Since: 1.0
 */
GhloValueKind
ghlo_buffer_get_kind (GhloBuffer *self)
{
  g_return_val_if_fail (GHLO_IS_BUFFER (self), GHLO_VALUE_TENSOR);

  return self->kind;
}

/**
 * ghlo_buffer_get_tensor_type: (get-property tensor-type)
 * @self: a buffer
 *
 * Gets the type of the tensor. It is kept when the buffer is released.
 *
 * Returns: (transfer none) (nullable): the type, or %NULL if the buffer does not
 *   hold a tensor
 *
 * Since: 1.0
 */
GhloTensorType *
ghlo_buffer_get_tensor_type (GhloBuffer *self)
{
  g_return_val_if_fail (GHLO_IS_BUFFER (self), NULL);

  return self->tensor_type;
}

/**
 * ghlo_buffer_get_device: (get-property device)
 * @self: a buffer
 *
 * Gets the device whose memory holds the data; for a tuple, the device of the first
 * tensor that is not in host memory. Data of devices that work in host memory counts
 * as host memory.
 *
 * Returns: (transfer none) (nullable): the device, or %NULL when the data is in
 *   host memory or was released
 *
 * Since: 1.0
 */
GhloDevice *
ghlo_buffer_get_device (GhloBuffer *self)
{
  g_autoptr (GhloValue) value = NULL;
  GhloDeviceCore *core = NULL;

  g_return_val_if_fail (GHLO_IS_BUFFER (self), NULL);

  value = dup_value (self);
  if (value != NULL)
    core = ghlo_value_get_device (value);

  return core != NULL ? ghlo_device_for_core (core) : NULL;
}

/**
 * ghlo_buffer_get_size:
 * @self: a buffer
 *
 * Gets the size of the elements in host memory. It is kept when the buffer is
 * released.
 *
 * Returns: the number of bytes; 0 if the buffer does not hold a tensor
 *
 * Since: 1.0
 */
guint64
ghlo_buffer_get_size (GhloBuffer *self)
{
  g_return_val_if_fail (GHLO_IS_BUFFER (self), 0);

  return self->size;
}

static GPtrArray *
wrap_members (const GhloValue *value)
{
  GPtrArray *members = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < value->n_members; i++)
    if (value->members[i] != NULL)
      g_ptr_array_add (members, ghlo_buffer_new_for_value (ghlo_value_ref (value->members[i])));

  return members;
}

/**
 * ghlo_buffer_get_members:
 * @self: a buffer
 * @n_members: (out) (optional): return location for the number of members
 *
 * Gets the members of a tuple. They are separate buffers, which are released
 * individually.
 *
 * Returns: (transfer none) (array length=n_members) (nullable): the members; %NULL
 *   when there are none, or when the buffer was released before this function was
 *   first called
 *
 * Since: 1.0
 */
GhloBuffer * const *
ghlo_buffer_get_members (GhloBuffer *self,
                         gsize      *n_members)
{
  GPtrArray *members;

  if (n_members != NULL)
    *n_members = 0;
  g_return_val_if_fail (GHLO_IS_BUFFER (self), NULL);

  g_mutex_lock (&self->lock);
  if (self->members == NULL && self->value != NULL && self->kind == GHLO_VALUE_TUPLE)
    self->members = wrap_members (self->value);
  members = self->members;
  g_mutex_unlock (&self->lock);

  if (members == NULL || members->len == 0)
    return NULL;
  if (n_members != NULL)
    *n_members = members->len;

  return (GhloBuffer * const *) members->pdata;
}

/**
 * ghlo_buffer_get_host_bytes:
 * @self: a buffer
 *
 * Gets the elements of a tensor in host memory without a copy. They must not be
 * written to. Data in device memory is also available in host memory after
 * [method@Ghlo.Buffer.read] has read it.
 *
 * Returns: (transfer full) (nullable): the elements, which remain valid after the
 *   buffer is released; %NULL when the data is not in host memory, was released, or
 *   is not a tensor
 *
 * Since: 1.0
 */
GBytes *
ghlo_buffer_get_host_bytes (GhloBuffer *self)
{
  g_autoptr (GhloValue) value = NULL;

  g_return_val_if_fail (GHLO_IS_BUFFER (self), NULL);

  value = dup_value (self);
  if (value == NULL || value->kind != GHLO_VALUE_TENSOR || !ghlo_value_is_on_host (value))
    return NULL;

  return ghlo_value_get_bytes (value);
}

/**
 * ghlo_buffer_get_address:
 * @self: a buffer
 *
 * Gets the address of the elements of a tensor in host memory. For language
 * bindings, which must hold the bytes from [method@Ghlo.Buffer.get_host_bytes] as
 * long as they use the address.
 *
 * Returns: the address, or 0 where [method@Ghlo.Buffer.get_host_bytes] returns
 *   %NULL
 *
 * Since: 1.0
 */
guintptr
ghlo_buffer_get_address (GhloBuffer *self)
{
  g_autoptr (GhloValue) value = NULL;

  g_return_val_if_fail (GHLO_IS_BUFFER (self), 0);

  value = dup_value (self);

  return value != NULL ? (guintptr) g_atomic_pointer_get (&value->data) : 0;
}

/**
 * ghlo_buffer_release:
 * @self: a buffer
 *
 * Frees the memory now, before the last reference is dropped. Calls in progress and
 * bytes that were read keep it alive as long as they need it. Every later use of
 * the buffer's data fails with %GHLO_ERROR_INVALID_ARGUMENT. Releasing a buffer
 * again does nothing.
 *
 * Since: 1.0
 */
void
ghlo_buffer_release (GhloBuffer *self)
{
  GhloValue *value;

  g_return_if_fail (GHLO_IS_BUFFER (self));

  g_mutex_lock (&self->lock);
  value = g_steal_pointer (&self->value);
  self->released |= value != NULL;
  g_mutex_unlock (&self->lock);

  if (value != NULL)
    ghlo_value_unref (value);
}
