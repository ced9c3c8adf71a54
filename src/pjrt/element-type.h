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

/* INVALID_ARGUMENT for what fits into no memory, UNSUPPORTED for elements that we have not. */
GhloTensorType  *ghlo_pjrt_tensor_type_new   (PJRT_Buffer_Type   element,
                                              const int64_t     *dims,
                                              gsize              n_dims,
                                              GError           **error);

/* xla.ShapeProto (xla/xla_data.proto) in protobuf's encoding: a tensor on a device, of an element type that we have.
 * @order: its dimensions in memory, from the innermost to the outermost one. */
GBytes          *ghlo_pjrt_shape_write       (PJRT_Buffer_Type  element,
                                              const int64_t    *dims,
                                              const int64_t    *order,
                                              gsize             n_dims);
/* A tuple of such. */
GBytes          *ghlo_pjrt_shape_write_tuple (GBytes *const    *shapes,
                                              gsize             n);

G_END_DECLS
