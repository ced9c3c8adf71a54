/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's types of elements and tensors, and ours.
 */

#include "pjrt/element-type.h"

#include "base/ghlo-error.h"
#include "pjrt/layouts.h"

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
ghlo_pjrt_tensor_type_new (PJRT_Buffer_Type                 element,
                           const int64_t                   *dims,
                           gsize                            n_dims,
                           const PJRT_Buffer_MemoryLayout  *layout,
                           GError                         **error)
{
  const GhloElementType ours = ghlo_pjrt_element_type_from (element);
  g_autoptr (GhloTensorType) type = NULL;

  if (ours == GHLO_ELEMENT_TYPE_INVALID)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "PJRT's element type %d has no counterpart",
                   (int) element);
      return NULL;
    }
  type = ghlo_tensor_type_new (ours, dims, n_dims);
  if (type == NULL || ghlo_tensor_type_get_size (type) < 0)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                           "expected dimensions of a tensor that fits into memory, found others");
      return NULL;
    }

  return ghlo_pjrt_layout_check (layout, n_dims, error) ? g_steal_pointer (&type) : NULL;
}
