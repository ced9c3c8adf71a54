/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversions between PJRT's types of elements and tensors and the library's.
 */

#pragma once

#include "base/ghlo-tensor-type.h"
#include "pjrt/abi.h"

G_BEGIN_DECLS

/* Return INVALID for a type that has no counterpart. */
GhloElementType  ghlo_pjrt_element_type_from (PJRT_Buffer_Type type);
PJRT_Buffer_Type ghlo_pjrt_element_type_to   (GhloElementType  type);
/* Returns the xla.PrimitiveType; 0 where XLA has none. */
guint            ghlo_pjrt_primitive_type    (PJRT_Buffer_Type type);

/* Sets INVALID_ARGUMENT for tensors that do not fit into memory, UNSUPPORTED for element types that the library does
 * not have. */
GhloTensorType  *ghlo_pjrt_tensor_type_new   (PJRT_Buffer_Type   element,
                                              const int64_t     *dims,
                                              gsize              n_dims,
                                              GError           **error);

/* Serializes an xla.ShapeProto (xla/xla_data.proto): a tensor on a device, whose element type the library has.
 * @order: its dimensions in memory, innermost first. */
GBytes          *ghlo_pjrt_shape_write       (PJRT_Buffer_Type  element,
                                              const int64_t    *dims,
                                              const int64_t    *order,
                                              gsize             n_dims);
/* Serializes the shape of a tuple of such tensors. */
GBytes          *ghlo_pjrt_shape_write_tuple (GBytes *const    *shapes,
                                              gsize             n);

G_END_DECLS
