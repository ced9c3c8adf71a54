/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Computations that each partition of a program does by itself: the bodies of sdy.manual_computation, which contain
 * the collective operations (JAX's shard_map and pmap create such programs). A body becomes a program of its own. The
 * operation becomes a custom call which runs that program on one thread per partition, each with its parts of the
 * operands. The threads meet as processes of the reference executor, which runs the collective operations. When one
 * fails, all fail; none waits for another that will not come.
 */

#pragma once

#include "compiler/executable-core.h"
#include "pjrt/sharding/sharding.h"

G_BEGIN_DECLS

/* Replaces all manual computations in @request's module by custom calls, and adds the targets of these calls to its
 * targets. *@n_extracted becomes their number. Sets UNSUPPORTED for manual computations that cannot be replaced: those
 * with shards of different sizes, or in a function that another one calls. @external: the shardings of the inputs,
 * then of the outputs. Unreduced inputs and outputs that only go into, or come out of, one manual computation keep
 * their addends: their shardings, and the types of the program's entry, become those of stacks of addends. */
gboolean ghlo_pjrt_extract_manual (GhloCompileRequest  *request,
                                   GhloPjrtSharding   **external,
                                   guint                n_partitions,
                                   guint               *n_extracted,
                                   GError             **error);

G_END_DECLS
