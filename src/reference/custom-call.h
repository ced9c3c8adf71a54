/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls: how a target is resolved to a kernel, and the kernels that have
 * files of their own.
 */

#pragma once

#include "reference/kernel.h"
#include "runtime/custom-calls.h"

G_BEGIN_DECLS

/* The kernel of a target that the library implements itself, or NULL. */
GhloRefKernel ghlo_ref_custom_target (const char *name);
/* Answers the call with the application's function that the step refers to. */
gboolean ghlo_ref_custom_application (GhloRefCall *call, GError **error);
/* An error message for a target that neither the library nor the application implements. It lists the known
 * targets and suggests a remedy. The caller frees it. */
char    *ghlo_ref_custom_explain (const char *name, const GhloCustomTargets *custom_targets);

/* Whether the static types of the call's operands and results fit its target. If not, @problem receives a
 * sentence that the caller owns. */
gboolean ghlo_ref_custom_check (const GhloIrOp *op, char **problem);

/* The largest elements along the last dimension, and their indices. k is the second operand or the attribute
 * "k" of the call, of its mhlo.attributes, or of its backend_config. */
gboolean ghlo_ref_custom_top_k (GhloRefCall *call, GError **error);

/* "ApproxTopK", computed exactly (ir/approx-top-k.h). */
gboolean ghlo_ref_custom_approx_top_k (GhloRefCall *call, GError **error);

/* reduce_window with a function instead of a region. The window's sizes, strides, dilations and padding are
 * operands that follow the initial values. */
gboolean ghlo_ref_custom_reduce_window (GhloRefCall *call, GError **error);

/* rng_bit_generator with the shape of its output as a second operand. */
gboolean ghlo_ref_custom_rng_bit_generator (GhloRefCall *call, GError **error);

G_END_DECLS
