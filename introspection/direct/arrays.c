/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes buffers from arrays. The elements are copied once, whatever the array's strides, or lent to the library for the
 * duration of a call.
 */

#include "direct.h"

/* The greatest rank of a tensor. */
#define MAX_RANK 64

/* Up to this size, a copy takes less time than reacquiring the interpreter's lock under contention. */
#define TINY_BYTES (64 * 1024)

/* Arrays of at least this size are lent rather than copied where the caller cannot tell the difference. */
#define LENT_BYTES (16 * 1024)

/* Interned names of attributes. */
static PyObject *array_struct, *dtype_name;

gboolean
ghlo_direct_init_arrays (void)
{
  array_struct = PyUnicode_InternFromString ("__array_struct__");
  dtype_name = PyUnicode_InternFromString ("dtype");

  return array_struct != NULL && dtype_name != NULL;
}

void
ghlo_direct_input_clear (GhloDirectInput *self)
{
  g_clear_object (&self->buffer);
  g_clear_pointer (&self->type, ghlo_tensor_type_unref);
  if (self->is_lent)
    Py_DECREF (self->capsule);
  Py_CLEAR (self->capsule);
}

static gboolean
set_array (GhloDirectInput *self,
           PyObject        *array)
{
  self->capsule = PyObject_GetAttr (array, array_struct);
  self->array = self->capsule != NULL ? PyCapsule_GetPointer (self->capsule, NULL) : NULL;

  return self->array != NULL && self->array->two == 2 && self->array->rank >= 0 && self->array->rank <= MAX_RANK
         && (self->array->flags & GHLO_DIRECT_NOT_SWAPPED) != 0;
}

/* Sets the type to the wanted one; dynamic dimensions take the array's sizes. FALSE where the shapes do not match. */
static gboolean
set_type (GhloDirectInput *self,
          GhloTensorType  *wanted)
{
  gsize rank;
  const gint64 *dimensions = ghlo_tensor_type_get_dimensions (wanted, &rank);
  gint64 found[MAX_RANK];

  if (rank != (gsize) self->array->rank)
    return FALSE;
  for (gsize i = 0; i < rank; i++)
    {
      found[i] = self->array->shape[i];
      if (dimensions[i] >= 0 && dimensions[i] != found[i])
        return FALSE;
    }
  if (ghlo_tensor_type_is_static (wanted))
    self->type = ghlo_tensor_type_ref (wanted);
  else if (!ghlo_tensor_type_is_quantized (wanted))
    self->type = ghlo_tensor_type_new (ghlo_tensor_type_get_element_type (wanted), found, rank);

  return self->type != NULL;
}

/* Compares identities: NumPy has one object for each built-in dtype. Other dtypes take the slow path in Python. */
static gboolean
has_dtype (PyObject *array,
           PyObject *dtype)
{
  PyObject *found = PyObject_GetAttr (array, dtype_name);

  Py_XDECREF (found);

  return found != NULL && found == dtype;
}

gboolean
ghlo_direct_input_set (GhloDirectInput *self,
                       PyObject        *value,
                       PyObject        *form)
{
  PyObject *type;

  self->buffer = ghlo_direct_unwrap (value, GHLO_TYPE_BUFFER);
  if (self->buffer != NULL)
    {
      g_object_ref (self->buffer);
      return TRUE;
    }
  if (PyTuple_Size (form) < 3 || (PyObject *) Py_TYPE (value) != PyTuple_GetItem (form, 0)
      || !has_dtype (value, PyTuple_GetItem (form, 1)))
    return FALSE;
  type = PyTuple_GetItem (form, 2);

  return pyg_boxed_check (type, GHLO_TYPE_TENSOR_TYPE) && set_array (self, value)
         && set_type (self, pyg_boxed_get (type, GhloTensorType));
}

void
ghlo_direct_input_lend (GhloDirectInput *self)
{
  const int wanted = GHLO_DIRECT_C_CONTIGUOUS | GHLO_DIRECT_ALIGNED;
  GhloElementType element_type;

  if (self->array == NULL || (self->array->flags & wanted) != wanted
      || ghlo_tensor_type_get_size (self->type) < LENT_BYTES)
    return;
  /* Values of types under 8 bits are checked for range, and must not change between the check and the read. */
  element_type = ghlo_tensor_type_get_element_type (self->type);
  if (self->array->item_size == 1 && element_type != GHLO_ELEMENT_TYPE_I8 && element_type != GHLO_ELEMENT_TYPE_UI8)
    return;
  Py_INCREF (self->capsule);
  self->is_lent = TRUE;
}

gboolean
ghlo_direct_input_make_buffer (GhloDirectInput *self)
{
  const GhloDirectArray *array = self->array;
  /* The capsule holds a reference to the array. */
  GDestroyNotify release = self->is_lent ? ghlo_direct_drop : NULL;
  gboolean dense;
  gint64 strides[MAX_RANK];

  if (self->buffer != NULL)
    return TRUE;
  self->is_lent = FALSE;
  dense = (array->flags & GHLO_DIRECT_C_CONTIGUOUS) != 0;
  for (int i = 0; i < array->rank && !dense; i++)
    strides[i] = array->strides[i];
  /* The address of an array without elements may be NULL, which the library refuses. */
  self->buffer = ghlo_buffer_new_from_address (self->type, array->data != NULL ? (guintptr) array->data : 1,
                                               dense ? NULL : strides, dense ? 0 : array->rank, release,
                                               self->capsule, NULL);

  return self->buffer != NULL;
}

/* Sets @array, whose dtype is the storage type of @type: a tensor type, or the number of an element type. */
static gboolean
set_copied (GhloDirectInput *self,
            PyObject        *array,
            PyObject        *type)
{
  gint64 dimensions[MAX_RANK];

  if (!set_array (self, array))
    return FALSE;
  if (pyg_boxed_check (type, GHLO_TYPE_TENSOR_TYPE))
    return set_type (self, pyg_boxed_get (type, GhloTensorType));
  for (int i = 0; i < self->array->rank; i++)
    dimensions[i] = self->array->shape[i];
  self->type = ghlo_tensor_type_new (PyLong_AsLong (type), dimensions, self->array->rank);

  return self->type != NULL;
}

PyObject *
ghlo_direct_copy (PyObject        *module,
                  PyObject *const *arguments,
                  Py_ssize_t       n)
{
  GhloDirectInput input = { NULL };
  PyObject *buffer = NULL;

  if (n == 2 && set_copied (&input, arguments[0], arguments[1]))
    {
      PyThreadState *thread = ghlo_tensor_type_get_size (input.type) > TINY_BYTES ? PyEval_SaveThread () : NULL;
      const gboolean copied = ghlo_direct_input_make_buffer (&input);

      if (thread != NULL)
        PyEval_RestoreThread (thread);
      if (copied)
        buffer = ghlo_direct_wrap (g_steal_pointer (&input.buffer));
    }
  ghlo_direct_input_clear (&input);

  return buffer != NULL ? buffer : ghlo_direct_decline ();
}
