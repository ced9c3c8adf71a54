/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sharding propagation: finds out how the inputs and outputs of a program of several partitions are sharded where the
 * program does not say so. Shardings propagate from annotated values through operations, in both directions (Shardy:
 * docs/propagation.md). The program is not changed.
 */

#pragma once

#include "pjrt/sharding/sharding.h"

G_BEGIN_DECLS

typedef struct _GhloPjrtPropagation GhloPjrtPropagation;

/* Propagates through @module's entry. Calls that can be inlined are inlined first, since each may have its own
 * shardings. */
GhloPjrtPropagation *ghlo_pjrt_propagation_new        (GhloIrModule         *module,
                                                       guint                 n_partitions,
                                                       GError              **error);
void                 ghlo_pjrt_propagation_free       (GhloPjrtPropagation  *self);
/* Inlines those calls in @module itself, so that its values are those of its propagation. */
gboolean             ghlo_pjrt_propagation_inline     (GhloIrModule         *module,
                                                       GError              **error);
/* Return the sharding of an input or output of @type, in equal parts; NULL when nothing follows, or when it is not
 * sharded. */
GhloPjrtSharding    *ghlo_pjrt_propagation_get_input  (GhloPjrtPropagation  *self,
                                                       guint                 index,
                                                       GhloTensorType       *type);
GhloPjrtSharding    *ghlo_pjrt_propagation_get_output (GhloPjrtPropagation  *self,
                                                       guint                 index,
                                                       GhloTensorType       *type);
/* The same for a value of a module without calls. */
GhloPjrtSharding    *ghlo_pjrt_propagation_get_value  (GhloPjrtPropagation  *self,
                                                       const GhloIrValue    *value,
                                                       GhloTensorType       *type);
/* Returns the axes of @mesh along which dimension @dimension of @value is sharded; NULL when nothing is known. */
const GhloPjrtAxes  *ghlo_pjrt_propagation_get_axes   (GhloPjrtPropagation  *self,
                                                       const GhloIrValue    *value,
                                                       guint                 dimension,
                                                       const GhloPjrtMesh   *mesh);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPjrtPropagation, ghlo_pjrt_propagation_free)

G_END_DECLS
