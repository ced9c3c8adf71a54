/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the inputs and outputs of a program of several partitions lie over them where the program does not say it: as it
 * follows from what it says of others, from operation to operation in both directions (Shardy: docs/propagation.md).
 * Nothing in the program changes by it.
 */

#pragma once

#include "pjrt/sharding/sharding.h"

G_BEGIN_DECLS

typedef struct _GhloPjrtPropagation GhloPjrtPropagation;

/* Of @module's entry; without calls that can be taken apart, since each may have its own shardings. */
GhloPjrtPropagation *ghlo_pjrt_propagation_new        (GhloIrModule         *module,
                                                       guint                 n_partitions,
                                                       GError              **error);
void                 ghlo_pjrt_propagation_free       (GhloPjrtPropagation  *self);
/* Has @module's calls, which can be taken apart, be what they call, so that its values are those of its propagation. */
gboolean             ghlo_pjrt_propagation_inline     (GhloIrModule         *module,
                                                       GError              **error);
/* Of @type, in equal parts; NULL where nothing follows, or it is whole. */
GhloPjrtSharding    *ghlo_pjrt_propagation_get_input  (GhloPjrtPropagation  *self,
                                                       guint                 index,
                                                       GhloTensorType       *type);
GhloPjrtSharding    *ghlo_pjrt_propagation_get_output (GhloPjrtPropagation  *self,
                                                       guint                 index,
                                                       GhloTensorType       *type);
/* Of a module without calls. */
GhloPjrtSharding    *ghlo_pjrt_propagation_get_value  (GhloPjrtPropagation  *self,
                                                       const GhloIrValue    *value,
                                                       GhloTensorType       *type);
/* The axes of @mesh along which dimension @dimension of it lies; NULL where nothing is known. */
const GhloPjrtAxes  *ghlo_pjrt_propagation_get_axes   (GhloPjrtPropagation  *self,
                                                       const GhloIrValue    *value,
                                                       guint                 dimension,
                                                       const GhloPjrtMesh   *mesh);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPjrtPropagation, ghlo_pjrt_propagation_free)

G_END_DECLS
