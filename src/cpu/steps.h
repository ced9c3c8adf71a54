/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the CPU computes operations with, one file step-NAME.c for each. They are rows
 * of the table in target.c, but for elementwise ones.
 */

#pragma once

#include "plan/target.h"

G_BEGIN_DECLS

extern const GhloStepImplementation ghlo_cpu_step_cholesky;
extern const GhloStepImplementation ghlo_cpu_step_concatenate;
extern const GhloStepImplementation ghlo_cpu_step_convolution;
extern const GhloStepImplementation ghlo_cpu_step_copy;   /* a target's copy: op is NULL */
extern const GhloStepImplementation ghlo_cpu_step_cumulative;
extern const GhloStepImplementation ghlo_cpu_step_dot;
extern const GhloStepImplementation ghlo_cpu_step_dynamic_slice;
extern const GhloStepImplementation ghlo_cpu_step_dynamic_update_slice;
extern const GhloStepImplementation ghlo_cpu_step_elementwise;
extern const GhloStepImplementation ghlo_cpu_step_gather;
extern const GhloStepImplementation ghlo_cpu_step_iota;
extern const GhloStepImplementation ghlo_cpu_step_pad;
extern const GhloStepImplementation ghlo_cpu_step_random;
extern const GhloStepImplementation ghlo_cpu_step_reduce;
extern const GhloStepImplementation ghlo_cpu_step_scatter;
extern const GhloStepImplementation ghlo_cpu_step_sort;
extern const GhloStepImplementation ghlo_cpu_step_top_k;
extern const GhloStepImplementation ghlo_cpu_step_triangular_solve;

/* Whether there are elementwise loops for @op, of some element types at least. */
gboolean ghlo_cpu_has_elementwise (GhloIrOpKind op);

/* For takes(): any strides will do. */
gboolean ghlo_cpu_takes_any (const GhloIrOp *op,
                             guint           index,
                             const GhloView *operand);

G_END_DECLS
