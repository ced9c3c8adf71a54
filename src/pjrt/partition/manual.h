/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a program of several partitions does on each by itself: the bodies of sdy.manual_computation, which have the
 * collective operations (shard_map and pmap of JAX's are such programs). A body becomes a program of its own, and the
 * operation a custom call, which has as many threads run it as there are partitions, each with its parts of the
 * operands; they meet as the reference executor's processes do, which runs the collective operations. Where one fails
 * all do; none waits for another that does not come.
 */

#pragma once

#include "compiler/executable-core.h"
#include "pjrt/sharding/sharding.h"

G_BEGIN_DECLS

/* Takes all of them out of @request's module, and adds what answers the calls to its targets. UNSUPPORTED for what
 * cannot be done: shards of different sizes, one in a function that another one calls. TRUE with *n_cut: how many there
 * were. @border: the shardings of inputs and then of outputs. Those that are sums, and go into one alone or come out of
 * one, keep their addends: their shardings and the types of the program's entry become those of stacks of these. */
gboolean ghlo_pjrt_cut_manual (GhloCompileRequest  *request,
                               GhloPjrtSharding   **border,
                               guint                n_partitions,
                               guint               *n_cut,
                               GError             **error);

G_END_DECLS
