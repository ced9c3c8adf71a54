/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shardings from callers: xla.OpSharding (xla/xla_data.proto) in protobuf's encoding. All fields are checked, since
 * messages may come from untrusted sources.
 */

#pragma once

#include "pjrt/options/protobuf.h"
#include "pjrt/sharding/sharding.h"

G_BEGIN_DECLS

/* Reads the sharding of a tensor over @n_partitions partitions. Sets UNSUPPORTED for parts of different sizes, and
 * for a tensor that is only on some of the partitions. */
GhloPjrtSharding *ghlo_pjrt_op_sharding_read      (GhloPjrtCursor   message,
                                                   GhloTensorType  *whole,
                                                   guint            n_partitions,
                                                   GError         **error);
/* Splits the message of a tuple into the messages of its @n elements. */
gboolean          ghlo_pjrt_op_sharding_elements  (GhloPjrtCursor   message,
                                                   GhloPjrtCursor  *elements,
                                                   guint            n,
                                                   GError         **error);
/* Returns the message of a tuple with these elements. */
GBytes           *ghlo_pjrt_op_sharding_tuple     (GBytes *const   *elements,
                                                   guint            n);

G_END_DECLS
