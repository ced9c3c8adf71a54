/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls: who answers them, and kernels that stand in files of their own.
 */

#pragma once

#include "reference/kernel.h"
#include "runtime/custom-calls.h"

G_BEGIN_DECLS

/* The kernel of a target that the library answers itself, or NULL. */
GhloRefKernel ghlo_ref_custom_target (const char *name);
/* Has the application's function of the step answer the call. */
gboolean ghlo_ref_custom_application (GhloRefCall *call, GError **error);
/* What to say of a target that nobody answers, with those that there are and what to do; the caller frees it. */
char    *ghlo_ref_custom_explain (const char *name, const GhloCustomTargets *custom_targets);

/* Whether what is known before a run of the call's operands and results fits its target; else a sentence in @problem,
 * owned by the caller. */
gboolean ghlo_ref_custom_check (const GhloIrOp *op, char **problem);

/* The largest elements along the last dimension and their indices: k from the
 * second operand, or from the attribute "k" of the call, of its
 * mhlo.attributes, or of its backend_config. */
gboolean ghlo_ref_custom_top_k (GhloRefCall *call, GError **error);

/* "ApproxTopK", exactly (ir/approx-top-k.h). */
gboolean ghlo_ref_custom_approx_top_k (GhloRefCall *call, GError **error);

/* reduce_window with a function instead of a region, and the window's sizes,
 * strides, dilations and padding as operands behind the initial values. */
gboolean ghlo_ref_custom_reduce_window (GhloRefCall *call, GError **error);

/* rng_bit_generator with the shape of its bits as a second operand. */
gboolean ghlo_ref_custom_rng_bit_generator (GhloRefCall *call, GError **error);

G_END_DECLS
