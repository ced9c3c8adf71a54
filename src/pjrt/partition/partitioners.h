/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Partitioners of the application's: functions that say what each partition does for a custom call of some name, in
 * shards of what it takes and gives (jax.experimental.custom_partitioning has one for all of its calls). They are
 * registered for the process by PJRT's extension Custom_Partitioner. A program that makes such a call is compiled with
 * what its partitioner says for it.
 */

#pragma once

#include "compiler/executable-core.h"
#include "pjrt/abi-extensions.h"
#include "pjrt/sharding/propagation.h"

G_BEGIN_DECLS

/* NULL where nobody has registered one for custom calls of that name; else it stays. */
JAX_CustomCallPartitioner_Callbacks *ghlo_pjrt_partitioner_find (const char *name);
/* Takes one over. One of that name stays, and @partitioner goes. */
gboolean ghlo_pjrt_partitioner_register (const char                           *name,
                                         gsize                                 name_size,
                                         JAX_CustomCallPartitioner_Callbacks  *partitioner,
                                         GError                              **error);
void     ghlo_pjrt_partitioners_fill    (PJRT_Custom_Partitioner_Extension    *extension);

/* Whether @module makes calls that a partitioner is registered for. */
gboolean ghlo_pjrt_has_partitioned_calls (const GhloIrModule    *module);
/* Puts what each of @n_partitions partitions does in the place of these calls of @request's module, whose values lie as
 * @propagation says, and adds what answers it to its targets. *@n_calls: how many there were; *@have_effects becomes
 * TRUE where one of them calls the application for its effects. */
gboolean ghlo_pjrt_partition_calls      (GhloCompileRequest   *request,
                                         GhloPjrtPropagation  *propagation,
                                         guint                 n_partitions,
                                         guint                *n_calls,
                                         gboolean             *have_effects,
                                         GError              **error);

G_END_DECLS
