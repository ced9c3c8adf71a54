/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's types of elements and tensors, and ours.
 */

#pragma once

#include "base/ghlo-tensor-type.h"
#include "pjrt/abi.h"

G_BEGIN_DECLS

/* INVALID where the other has none. */
GhloElementType  ghlo_pjrt_element_type_from (PJRT_Buffer_Type type);
PJRT_Buffer_Type ghlo_pjrt_element_type_to   (GhloElementType  type);
/* xla.PrimitiveType; 0 where XLA has none. */
guint            ghlo_pjrt_primitive_type    (PJRT_Buffer_Type type);

/* Of a tensor on a device, with whatever layout (nullable) callers want it to have there. INVALID_ARGUMENT for what
 * fits into no memory, UNSUPPORTED for elements and layouts that we have not. */
GhloTensorType  *ghlo_pjrt_tensor_type_new   (PJRT_Buffer_Type                 element,
                                              const int64_t                   *dims,
                                              gsize                            n_dims,
                                              const PJRT_Buffer_MemoryLayout  *layout,
                                              GError                         **error);

/* xla.ShapeProto (xla/xla_data.proto) in protobuf's encoding: a tensor on a device, of an element type that we have,
 * row by row without gaps. */
GBytes          *ghlo_pjrt_shape_write       (PJRT_Buffer_Type  element,
                                              const int64_t    *dims,
                                              gsize             n_dims);

G_END_DECLS
