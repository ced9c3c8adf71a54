/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Converts attributes: numbers become scalars, lists of numbers arrays, and dictionaries lists of attributes, as
 * defined in xla/ffi/api/c_api.h.
 */

#include "pjrt/ffi/attributes.h"

#include <string.h>

#include "base/element.h"
#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "ir/attr.h"
#include "pjrt/element-type.h"
#include "runtime/memory.h"

/* Both enumerations use XLA's numbers. */
XLA_FFI_DataType
ghlo_pjrt_ffi_type_of (GhloElementType type)
{
  if (type == GHLO_ELEMENT_TYPE_INDEX)
    return XLA_FFI_DataType_S64;
  if (type != GHLO_ELEMENT_TYPE_I1 && ghlo_element_info (type)->bits < 8)
    return XLA_FFI_DataType_INVALID;

  return (XLA_FFI_DataType) ghlo_pjrt_primitive_type (ghlo_pjrt_element_type_to (type));
}

/* Returns the type of the number or numbers in @attr. */
static GhloElementType
get_element (const GhloIrAttr *attr)
{
  if (attr->kind == GHLO_IR_ATTR_BOOL)
    return GHLO_ELEMENT_TYPE_I1;

  return attr->type != NULL ? attr->type->element_type : GHLO_ELEMENT_TYPE_INVALID;
}

static void *
make_scalar (const GhloIrAttr *attr,
             GPtrArray        *memory)
{
  const GhloElementType type = get_element (attr);
  XLA_FFI_Scalar *scalar;
  GhloScalar value = { 0 };

  if (ghlo_pjrt_ffi_type_of (type) == XLA_FFI_DataType_INVALID)
    return NULL;
  scalar = ghlo_pjrt_ffi_keep (memory, g_new (XLA_FFI_Scalar, 1));
  scalar->dtype = ghlo_pjrt_ffi_type_of (type);
  scalar->value = ghlo_pjrt_ffi_keep (memory, g_malloc0 (ghlo_element_info (type)->size));
  if (attr->kind == GHLO_IR_ATTR_FLOAT)
    value.f = attr->real;
  else
    value.i = attr->integer;
  ghlo_element_store (type, scalar->value, value);

  return scalar;
}

/* Allocates zeros. A program may ask for any number of them, since a splat specifies its size in a few characters.
 * Returns NULL with @error set when the memory limit or the system does not allow it. */
static gpointer
allocate (gsize        n,
          gsize        size,
          GPtrArray   *memory,
          GError     **error)
{
  gpointer block = NULL;

  if (!ghlo_size_mul (&size, n, size))
    size = G_MAXSIZE;
  if (!ghlo_memory_reserve (size, error))
    return NULL;
  ghlo_memory_unreserve (size);
  block = g_try_malloc0 (MAX (size, 1));
  if (block == NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                 "cannot allocate %" G_GSIZE_FORMAT " bytes for an attribute", size);

  return block != NULL ? ghlo_pjrt_ffi_keep (memory, block) : NULL;
}

/* Creates an array of @n numbers, all zero. */
static void *
make_array (GhloElementType   type,
            gsize             n,
            GPtrArray        *memory,
            GError          **error)
{
  XLA_FFI_Array *array;
  gpointer numbers;

  if (ghlo_pjrt_ffi_type_of (type) == XLA_FFI_DataType_INVALID)
    return NULL;
  numbers = allocate (n, ghlo_element_info (type)->size, memory, error);
  if (numbers == NULL)
    return NULL;
  array = ghlo_pjrt_ffi_keep (memory, g_new (XLA_FFI_Array, 1));
  *array = (XLA_FFI_Array) { ghlo_pjrt_ffi_type_of (type), n, numbers };

  return array;
}

static void *
make_dense_array (const GhloIrAttr  *attr,
                  GPtrArray         *memory,
                  GError           **error)
{
  const GhloElementType type = get_element (attr);
  XLA_FFI_Array *array = make_array (type, attr->length, memory, error);

  for (gsize i = 0; array != NULL && i < attr->length; i++)
    {
      GhloScalar value = { 0 };

      if (ghlo_element_type_is_float (type))
        value.f = attr->reals[i];
      else
        value.i = attr->integers[i];
      ghlo_element_store (type, (guint8 *) array->data + i * ghlo_element_info (type)->size, value);
    }

  return array;
}

static void *
make_dense (const GhloIrAttr  *attr,
            GPtrArray         *memory,
            GError           **error)
{
  const GhloElementType type = get_element (attr);
  const gsize n = attr->dense.n_elements;
  XLA_FFI_Array *array = make_array (type, n, memory, error);
  gsize size, available;
  const guint8 *bytes = g_bytes_get_data (attr->dense.bytes, &available);

  if (array == NULL)
    return NULL;
  size = ghlo_element_info (type)->size;
  if (!attr->dense.splat)
    memcpy (array->data, bytes, MIN (n * size, available));
  else
    for (gsize i = 0; i < n; i++)
      memcpy ((guint8 *) array->data + i * size, bytes, size);

  return array;
}

static void *
make_string (const GhloIrAttr *attr,
             GPtrArray        *memory)
{
  XLA_FFI_ByteSpan *span = ghlo_pjrt_ffi_keep (memory, g_new (XLA_FFI_ByteSpan, 1));

  *span = (XLA_FFI_ByteSpan) { attr->text, attr->length };

  return span;
}

static gboolean read_dictionary (const GhloIrAttr  *dictionary,
                                 GPtrArray         *memory,
                                 XLA_FFI_Attrs     *attributes,
                                 GError           **error);

static void *
make_dictionary (const GhloIrAttr  *attr,
                 GPtrArray         *memory,
                 GError           **error)
{
  XLA_FFI_Attrs *inner = ghlo_pjrt_ffi_keep (memory, g_new0 (XLA_FFI_Attrs, 1));

  return read_dictionary (attr, memory, inner, error) ? inner : NULL;
}

/* Returns NULL when handlers have no such attribute; @error is then only set when a nested attribute or lack of
 * memory is the reason. */
static void *
make (const GhloIrAttr  *attr,
      GPtrArray         *memory,
      XLA_FFI_AttrType  *kind,
      GError           **error)
{
  switch (attr->kind)
    {
    case GHLO_IR_ATTR_BOOL:
    case GHLO_IR_ATTR_INTEGER:
    case GHLO_IR_ATTR_FLOAT:
      *kind = XLA_FFI_AttrType_SCALAR;
      return make_scalar (attr, memory);
    case GHLO_IR_ATTR_DENSE_ARRAY:
      *kind = XLA_FFI_AttrType_ARRAY;
      return make_dense_array (attr, memory, error);
    case GHLO_IR_ATTR_DENSE:
      *kind = XLA_FFI_AttrType_ARRAY;
      return make_dense (attr, memory, error);
    case GHLO_IR_ATTR_STRING:
      *kind = XLA_FFI_AttrType_STRING;
      return make_string (attr, memory);
    case GHLO_IR_ATTR_DICTIONARY:
      *kind = XLA_FFI_AttrType_DICTIONARY;
      return make_dictionary (attr, memory, error);
    default:
      return NULL;
    }
}

/* The recursion is bounded, since readers of programs limit how deep dictionaries can be nested. */
static gboolean
read_dictionary (const GhloIrAttr  *dictionary,
                 GPtrArray         *memory,
                 XLA_FFI_Attrs     *attributes,
                 GError           **error)
{
  const gsize n = dictionary->length;

  *attributes = (XLA_FFI_Attrs) {
    .struct_size = sizeof *attributes, .size = (int64_t) n,
    .types = ghlo_pjrt_ffi_keep (memory, g_new0 (XLA_FFI_AttrType, MAX (n, 1))),
    .names = ghlo_pjrt_ffi_keep (memory, g_new0 (XLA_FFI_ByteSpan *, MAX (n, 1))),
    .attrs = ghlo_pjrt_ffi_keep (memory, g_new0 (void *, MAX (n, 1))),
  };
  for (gsize i = 0; i < n; i++)
    {
      const GhloIrNamedAttr *entry = &dictionary->entries[i];
      GError *problem = NULL;

      attributes->names[i] = ghlo_pjrt_ffi_keep (memory, g_new (XLA_FFI_ByteSpan, 1));
      *attributes->names[i] = (XLA_FFI_ByteSpan) { entry->name, strlen (entry->name) };
      attributes->attrs[i] = make (entry->value, memory, &attributes->types[i], &problem);
      if (attributes->attrs[i] != NULL)
        continue;
      if (problem == NULL)
        {
          g_autofree char *found = ghlo_ir_attr_to_string (entry->value);

          g_set_error (&problem, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                       "expected a number, an array of numbers, a string or a dictionary as attribute '%s' of an FFI "
                       "call, found %s", entry->name, found);
        }
      g_propagate_error (error, problem);
      return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_pjrt_ffi_read_attributes (const GhloIrOp  *op,
                               GPtrArray       *memory,
                               XLA_FFI_Attrs   *attributes,
                               GError         **error)
{
  static const char *const names[] = { "backend_config", "mhlo.backend_config" };

  *attributes = (XLA_FFI_Attrs) { .struct_size = sizeof *attributes };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const GhloIrAttr *configuration = ghlo_ir_op_get (op, names[i]);

      if (configuration != NULL && configuration->kind == GHLO_IR_ATTR_DICTIONARY)
        return read_dictionary (configuration, memory, attributes, error);
    }

  return TRUE;
}
