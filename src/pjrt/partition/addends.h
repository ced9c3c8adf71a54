/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Outputs that are not reduced yet: each device has an addend. What the program computes is the sum, since it runs as a
 * whole. Where it is known what each device would have added, as of a product whose contracted dimension lies along the
 * axes, the output becomes the stack of these addends; elsewhere the first device has the sum, and the others have 0.
 */

#pragma once

#include "pjrt/sharding/propagation.h"

G_BEGIN_DECLS

/* @outputs: by output of @module's entry, whose shardings become those of stacks as well. @module's values are those of
 * @propagation. How many there are. */
guint    ghlo_pjrt_stack_addends (GhloIrModule         *module,
                                  GhloPjrtPropagation  *propagation,
                                  GhloPjrtSharding    **outputs);
/* Whether an output of @module's entry is not reduced yet. */
gboolean ghlo_pjrt_gives_sums    (GhloIrModule         *module);
/* Has the type of @module's entry be that of what it takes and gives. What it says of the shardings of those that have
 * another type goes: readers of the program's text expect one of the type's rank. */
void     ghlo_pjrt_update_entry_type (GhloIrModule     *module);

G_END_DECLS
