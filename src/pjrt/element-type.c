/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversions between PJRT's types of elements and tensors and the library's, and the serialization of XLA's shapes.
 */

#include "pjrt/element-type.h"

#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "pjrt/options/protobuf.h"

static const GhloElementType types[] = {
  [PJRT_Buffer_Type_PRED] = GHLO_ELEMENT_TYPE_I1,
  [PJRT_Buffer_Type_S2] = GHLO_ELEMENT_TYPE_I2,
  [PJRT_Buffer_Type_S4] = GHLO_ELEMENT_TYPE_I4,
  [PJRT_Buffer_Type_S8] = GHLO_ELEMENT_TYPE_I8,
  [PJRT_Buffer_Type_S16] = GHLO_ELEMENT_TYPE_I16,
  [PJRT_Buffer_Type_S32] = GHLO_ELEMENT_TYPE_I32,
  [PJRT_Buffer_Type_S64] = GHLO_ELEMENT_TYPE_I64,
  [PJRT_Buffer_Type_U2] = GHLO_ELEMENT_TYPE_UI2,
  [PJRT_Buffer_Type_U4] = GHLO_ELEMENT_TYPE_UI4,
  [PJRT_Buffer_Type_U8] = GHLO_ELEMENT_TYPE_UI8,
  [PJRT_Buffer_Type_U16] = GHLO_ELEMENT_TYPE_UI16,
  [PJRT_Buffer_Type_U32] = GHLO_ELEMENT_TYPE_UI32,
  [PJRT_Buffer_Type_U64] = GHLO_ELEMENT_TYPE_UI64,
  [PJRT_Buffer_Type_F4E2M1FN] = GHLO_ELEMENT_TYPE_F4E2M1FN,
  [PJRT_Buffer_Type_F8E3M4] = GHLO_ELEMENT_TYPE_F8E3M4,
  [PJRT_Buffer_Type_F8E4M3] = GHLO_ELEMENT_TYPE_F8E4M3,
  [PJRT_Buffer_Type_F8E4M3FN] = GHLO_ELEMENT_TYPE_F8E4M3FN,
  [PJRT_Buffer_Type_F8E4M3FNUZ] = GHLO_ELEMENT_TYPE_F8E4M3FNUZ,
  [PJRT_Buffer_Type_F8E4M3B11FNUZ] = GHLO_ELEMENT_TYPE_F8E4M3B11FNUZ,
  [PJRT_Buffer_Type_F8E5M2] = GHLO_ELEMENT_TYPE_F8E5M2,
  [PJRT_Buffer_Type_F8E5M2FNUZ] = GHLO_ELEMENT_TYPE_F8E5M2FNUZ,
  [PJRT_Buffer_Type_F8E8M0FNU] = GHLO_ELEMENT_TYPE_F8E8M0FNU,
  [PJRT_Buffer_Type_BF16] = GHLO_ELEMENT_TYPE_BF16,
  [PJRT_Buffer_Type_F16] = GHLO_ELEMENT_TYPE_F16,
  [PJRT_Buffer_Type_F32] = GHLO_ELEMENT_TYPE_F32,
  [PJRT_Buffer_Type_F64] = GHLO_ELEMENT_TYPE_F64,
  [PJRT_Buffer_Type_C64] = GHLO_ELEMENT_TYPE_COMPLEX_F32,
  [PJRT_Buffer_Type_C128] = GHLO_ELEMENT_TYPE_COMPLEX_F64,
};

GhloElementType
ghlo_pjrt_element_type_from (PJRT_Buffer_Type type)
{
  return (guint) type < G_N_ELEMENTS (types) ? types[type] : GHLO_ELEMENT_TYPE_INVALID;
}

PJRT_Buffer_Type
ghlo_pjrt_element_type_to (GhloElementType type)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (type != GHLO_ELEMENT_TYPE_INVALID && types[i] == type)
      return (PJRT_Buffer_Type) i;

  return PJRT_Buffer_Type_INVALID;
}

GhloTensorType *
ghlo_pjrt_tensor_type_new (PJRT_Buffer_Type   element,
                           const int64_t     *dims,
                           gsize              n_dims,
                           GError           **error)
{
  const GhloElementType ours = ghlo_pjrt_element_type_from (element);
  g_autoptr (GhloTensorType) type = NULL;

  if (ours == GHLO_ELEMENT_TYPE_INVALID)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "PJRT's element type %d is not supported",
                   (int) element);
      return NULL;
    }
  type = ghlo_tensor_type_new (ours, dims, n_dims);
  if (type == NULL || ghlo_tensor_type_get_size (type) < 0)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected at most %d dimensions of at least 0 whose tensor fits into memory", GHLO_MAX_RANK);
      return NULL;
    }

  return g_steal_pointer (&type);
}

/* xla.PrimitiveType by PJRT's type. */
static const guint8 primitive_types[] = {
  [PJRT_Buffer_Type_PRED] = 1,
  [PJRT_Buffer_Type_S2] = 26, [PJRT_Buffer_Type_S4] = 21, [PJRT_Buffer_Type_S8] = 2, [PJRT_Buffer_Type_S16] = 3,
  [PJRT_Buffer_Type_S32] = 4, [PJRT_Buffer_Type_S64] = 5,
  [PJRT_Buffer_Type_U2] = 27, [PJRT_Buffer_Type_U4] = 22, [PJRT_Buffer_Type_U8] = 6, [PJRT_Buffer_Type_U16] = 7,
  [PJRT_Buffer_Type_U32] = 8, [PJRT_Buffer_Type_U64] = 9,
  [PJRT_Buffer_Type_F4E2M1FN] = 32,
  [PJRT_Buffer_Type_F8E3M4] = 29, [PJRT_Buffer_Type_F8E4M3] = 28, [PJRT_Buffer_Type_F8E4M3FN] = 20,
  [PJRT_Buffer_Type_F8E4M3FNUZ] = 25, [PJRT_Buffer_Type_F8E4M3B11FNUZ] = 23, [PJRT_Buffer_Type_F8E5M2] = 19,
  [PJRT_Buffer_Type_F8E5M2FNUZ] = 24, [PJRT_Buffer_Type_F8E8M0FNU] = 33,
  [PJRT_Buffer_Type_BF16] = 16, [PJRT_Buffer_Type_F16] = 10, [PJRT_Buffer_Type_F32] = 11, [PJRT_Buffer_Type_F64] = 12,
  [PJRT_Buffer_Type_C64] = 15, [PJRT_Buffer_Type_C128] = 18,
};

guint
ghlo_pjrt_primitive_type (PJRT_Buffer_Type type)
{
  return (guint) type < G_N_ELEMENTS (primitive_types) ? primitive_types[type] : 0;
}

/* Field numbers of ShapeProto, and of its LayoutProto. */
enum { ELEMENT_TYPE = 2, DIMENSIONS = 3, TUPLE_SHAPES = 4, LAYOUT = 5, IS_DYNAMIC_DIMENSION = 6 };
enum { MINOR_TO_MAJOR = 1, TAIL_PADDING_ALIGNMENT_IN_ELEMENTS = 16 };

static void
append_layout (GByteArray    *bytes,
               const int64_t *order,
               gsize          rank)
{
  g_autoptr (GByteArray) numbers = g_byte_array_new (), layout = g_byte_array_new ();

  for (gsize i = 0; i < rank; i++)
    ghlo_pjrt_append_varint (numbers, (guint64) order[i]);
  if (rank > 0)
    ghlo_pjrt_append_message (layout, MINOR_TO_MAJOR, numbers);
  ghlo_pjrt_append_number (layout, TAIL_PADDING_ALIGNMENT_IN_ELEMENTS, 1);
  ghlo_pjrt_append_message (bytes, LAYOUT, layout);
}

GBytes *
ghlo_pjrt_shape_write (PJRT_Buffer_Type  element,
                       const int64_t    *dims,
                       const int64_t    *order,
                       gsize             n_dims)
{
  GByteArray *bytes = g_byte_array_new ();
  g_autoptr (GByteArray) sizes = g_byte_array_new (), dynamic = g_byte_array_new ();

  for (gsize i = 0; i < n_dims; i++)
    {
      ghlo_pjrt_append_varint (sizes, (guint64) dims[i]);
      ghlo_pjrt_append_varint (dynamic, FALSE);
    }
  ghlo_pjrt_append_number (bytes, ELEMENT_TYPE, ghlo_pjrt_primitive_type (element));
  if (n_dims > 0)
    ghlo_pjrt_append_message (bytes, DIMENSIONS, sizes);
  append_layout (bytes, order, n_dims);
  if (n_dims > 0)
    ghlo_pjrt_append_message (bytes, IS_DYNAMIC_DIMENSION, dynamic);

  return g_byte_array_free_to_bytes (bytes);
}

GBytes *
ghlo_pjrt_shape_write_tuple (GBytes *const *shapes,
                             gsize          n)
{
  enum { PRIMITIVE_TYPE_TUPLE = 13 };
  GByteArray *bytes = g_byte_array_new ();

  ghlo_pjrt_append_number (bytes, ELEMENT_TYPE, PRIMITIVE_TYPE_TUPLE);
  for (gsize i = 0; i < n; i++)
    ghlo_pjrt_append_bytes (bytes, TUPLE_SHAPES, shapes[i]);

  return g_byte_array_free_to_bytes (bytes);
}
