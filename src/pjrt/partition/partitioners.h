/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Partitioners of the application: functions that say what each partition does for a custom call of a given name, in
 * terms of shards of its operands and results (jax.experimental.custom_partitioning uses one for all of its calls).
 * They are registered for the process through PJRT's extension Custom_Partitioner. A program that contains such a
 * call is compiled with the answer of its partitioner.
 */

#pragma once

#include "compiler/executable-core.h"
#include "pjrt/abi-extensions.h"
#include "pjrt/sharding/propagation.h"

G_BEGIN_DECLS

/* Returns NULL when no partitioner is registered for custom calls of that name. Partitioners are never unregistered. */
JAX_CustomCallPartitioner_Callbacks *ghlo_pjrt_partitioner_find (const char *name);
/* Takes over @partitioner. If one is registered under the name already, that one stays and @partitioner is freed. */
gboolean ghlo_pjrt_partitioner_register (const char                           *name,
                                         gsize                                 name_size,
                                         JAX_CustomCallPartitioner_Callbacks  *partitioner,
                                         GError                              **error);
void     ghlo_pjrt_partitioners_fill    (PJRT_Custom_Partitioner_Extension    *extension);

/* Whether @module contains calls for which a partitioner is registered. */
gboolean ghlo_pjrt_has_partitioned_calls (const GhloIrModule    *module);
/* Replaces these calls in @request's module, whose values are sharded as @propagation says, by what each of
 * @n_partitions partitions does, and adds the targets of the new calls to its targets. *@n_calls becomes their
 * number; *@have_effects becomes TRUE when one of them has side effects in the application. */
gboolean ghlo_pjrt_partition_calls      (GhloCompileRequest   *request,
                                         GhloPjrtPropagation  *propagation,
                                         guint                 n_partitions,
                                         guint                *n_calls,
                                         gboolean             *have_effects,
                                         GError              **error);

G_END_DECLS
