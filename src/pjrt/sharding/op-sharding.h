/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shardings as callers write them: xla.OpSharding (xla/xla_data.proto) in protobuf's encoding. They come from
 * strangers: all is checked.
 */

#pragma once

#include "pjrt/options/protobuf.h"
#include "pjrt/sharding/sharding.h"

G_BEGIN_DECLS

/* What the message says of a tensor over @n_partitions partitions. UNSUPPORTED for parts of different sizes, and for
 * one on some of the partitions alone. */
GhloPjrtSharding *ghlo_pjrt_op_sharding_read      (GhloPjrtCursor   message,
                                                   GhloTensorType  *whole,
                                                   guint            n_partitions,
                                                   GError         **error);
/* Of a tuple: the message of each element, @n of them. */
gboolean          ghlo_pjrt_op_sharding_elements  (GhloPjrtCursor   message,
                                                   GhloPjrtCursor  *elements,
                                                   guint            n,
                                                   GError         **error);
/* The message of a tuple of such messages. */
GBytes           *ghlo_pjrt_op_sharding_tuple     (GBytes *const   *elements,
                                                   guint            n);

G_END_DECLS
