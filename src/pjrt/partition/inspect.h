/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Telling the application how values of a program of several partitions lie, when it is compiled
 * (jax.debug.inspect_array_sharding). The package for JAX writes a custom call of "ghlo_inspect_sharding" of the value,
 * whose configuration has a function's number (callbacks.h). JAX itself writes the address of a function, which is not
 * called: programs come from strangers.
 */

#pragma once

#include "ir/module.h"
#include "pjrt/sharding/propagation.h"

G_BEGIN_DECLS

/* Whether @module has such calls. */
gboolean ghlo_pjrt_has_inspections    (const GhloIrModule   *module);
/* Tells each of the functions how its value lies, as an xla.OpSharding, and removes their calls from @module. */
gboolean ghlo_pjrt_inspect_shardings  (GhloIrModule         *module,
                                       GhloPjrtPropagation  *propagation,
                                       GError              **error);

G_END_DECLS
