/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arrays over the memory of buffers: a Python object with NumPy's array interface, which the array keeps alive.
 */

#include "direct.h"

/* Keeps the memory alive even when the buffer is released. */
typedef struct
{
  PyObject_HEAD
  GBytes          *bytes;         /* owned */
  GhloDirectArray  array;         /* owns the shape; the strides follow it in the same allocation */
} View;

static PyTypeObject *view_type;

/* The protocol's type letters, for element types that NumPy shows as they are stored. */
static const char kinds[] = {
  [GHLO_ELEMENT_TYPE_I1] = 'b',
  [GHLO_ELEMENT_TYPE_I8] = 'i',
  [GHLO_ELEMENT_TYPE_I16] = 'i',
  [GHLO_ELEMENT_TYPE_I32] = 'i',
  [GHLO_ELEMENT_TYPE_I64] = 'i',
  [GHLO_ELEMENT_TYPE_INDEX] = 'i',
  [GHLO_ELEMENT_TYPE_UI8] = 'u',
  [GHLO_ELEMENT_TYPE_UI16] = 'u',
  [GHLO_ELEMENT_TYPE_UI32] = 'u',
  [GHLO_ELEMENT_TYPE_UI64] = 'u',
  [GHLO_ELEMENT_TYPE_F16] = 'f',
  [GHLO_ELEMENT_TYPE_F32] = 'f',
  [GHLO_ELEMENT_TYPE_F64] = 'f',
  [GHLO_ELEMENT_TYPE_COMPLEX_F32] = 'c',
  [GHLO_ELEMENT_TYPE_COMPLEX_F64] = 'c',
};

static void
drop_view (PyObject *capsule)
{
  Py_DECREF ((PyObject *) PyCapsule_GetContext (capsule));
}

static PyObject *
get_array_struct (PyObject *object,
                  void     *data)
{
  PyObject *capsule = PyCapsule_New (&((View *) object)->array, NULL, drop_view);

  if (capsule == NULL)
    return NULL;
  Py_INCREF (object);
  PyCapsule_SetContext (capsule, object);

  return capsule;
}

static void
view_dealloc (PyObject *object)
{
  View *self = (View *) object;
  PyTypeObject *type = Py_TYPE (object);

  g_bytes_unref (self->bytes);
  g_free (self->array.shape);
  ((freefunc) PyType_GetSlot (type, Py_tp_free)) (object);
  Py_DECREF (type);
}

/* Takes ownership of the bytes. */
static PyObject *
view_new (GBytes         *bytes,
          GhloTensorType *type,
          char            kind)
{
  gsize rank;
  const gint64 *dimensions = ghlo_tensor_type_get_dimensions (type, &rank);
  gsize stride = ghlo_element_type_get_size (ghlo_tensor_type_get_element_type (type));
  View *self = PyObject_New (View, view_type);

  if (self == NULL)
    {
      g_bytes_unref (bytes);
      return NULL;
    }
  self->bytes = bytes;
  self->array = (GhloDirectArray) {
    .two = 2,
    .rank = rank,
    .kind = kind,
    .item_size = stride,
    .flags = GHLO_DIRECT_C_CONTIGUOUS | GHLO_DIRECT_ALIGNED | GHLO_DIRECT_NOT_SWAPPED,
    .shape = g_new (Py_ssize_t, 2 * rank + 1),
    .data = (gpointer) g_bytes_get_data (bytes, NULL),
  };
  self->array.strides = self->array.shape + rank;
  for (gsize i = rank; i-- > 0; stride *= dimensions[i])
    {
      self->array.shape[i] = dimensions[i];
      self->array.strides[i] = stride;
    }

  return (PyObject *) self;
}

PyObject *
ghlo_direct_view (PyObject *module,
                  PyObject *object)
{
  GhloBuffer *buffer = ghlo_direct_unwrap (object, GHLO_TYPE_BUFFER);
  GhloTensorType *type = buffer != NULL ? ghlo_buffer_get_tensor_type (buffer) : NULL;
  const guint element_type = type != NULL ? ghlo_tensor_type_get_element_type (type) : GHLO_ELEMENT_TYPE_INVALID;
  g_autoptr (GBytes) bytes = NULL;

  if (element_type < G_N_ELEMENTS (kinds) && kinds[element_type] != 0 && ghlo_buffer_get_device (buffer) == NULL)
    bytes = ghlo_buffer_get_host_bytes (buffer);
  /* The address may be NULL where there are no elements. */
  if (bytes == NULL || g_bytes_get_data (bytes, NULL) == NULL)
    Py_RETURN_NONE;

  return view_new (g_steal_pointer (&bytes), type, kinds[element_type]);
}

gboolean
ghlo_direct_init_views (void)
{
  static PyGetSetDef properties[] = {
    { "__array_struct__", get_array_struct, NULL, NULL, NULL },
    { NULL }
  };
  PyType_Slot slots[] = {
    { Py_tp_dealloc, view_dealloc },
    { Py_tp_getset, properties },
    { 0, NULL }
  };
  PyType_Spec spec = {
    .name = "gi.overrides._ghlo_direct.View",
    .basicsize = sizeof (View),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
  };

  view_type = (PyTypeObject *) PyType_FromSpec (&spec);

  return view_type != NULL;
}
