/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reports to the application how values of a program of several partitions are sharded, when the program is compiled
 * (jax.debug.inspect_array_sharding). The package for JAX emits a custom call of "ghlo_inspect_sharding" on the
 * value, whose configuration has the number of a function (callbacks.h). JAX itself emits the address of a function.
 * Such an address is not called, since programs may come from untrusted sources.
 */

#pragma once

#include "ir/module.h"
#include "pjrt/sharding/propagation.h"

G_BEGIN_DECLS

/* Whether @module contains such calls. */
gboolean ghlo_pjrt_has_inspections    (const GhloIrModule   *module);
/* Calls each of the functions with the sharding of its value, as an xla.OpSharding, and removes the custom calls
 * from @module. */
gboolean ghlo_pjrt_inspect_shardings  (GhloIrModule         *module,
                                       GhloPjrtPropagation  *propagation,
                                       GError              **error);

G_END_DECLS
