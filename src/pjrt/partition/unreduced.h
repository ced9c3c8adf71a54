/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Unreduced outputs: each device holds an addend of the value. The program, which runs as a whole, computes the sum.
 * Where it is known what each device would have contributed, as for a product whose contracted dimension is sharded
 * along the axes, the output is replaced by the stack of these addends. Elsewhere the first device holds the sum, and
 * the others hold 0.
 */

#pragma once

#include "pjrt/sharding/propagation.h"

G_BEGIN_DECLS

/* @outputs: the shardings of the outputs of @module's entry; those that are replaced by stacks change accordingly.
 * @module must be the module of @propagation. Returns the number of stacked outputs. */
guint    ghlo_pjrt_stack_unreduced_outputs (GhloIrModule         *module,
                                            GhloPjrtPropagation  *propagation,
                                            GhloPjrtSharding    **outputs);
/* Whether @module's entry has an unreduced output. */
gboolean ghlo_pjrt_has_unreduced_outputs   (GhloIrModule         *module);

G_END_DECLS
