/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU's step implementations, one file step-NAME.c for each. They are listed in the table of find-step.c, except
 * for the elementwise one.
 */

#pragma once

#include "base/ghlo-error.h"
#include "device/device.h"

G_BEGIN_DECLS

extern const GhloStepImplementation ghlo_cpu_step_attention;
extern const GhloStepImplementation ghlo_cpu_step_cholesky;
extern const GhloStepImplementation ghlo_cpu_step_concatenate;
extern const GhloStepImplementation ghlo_cpu_step_copy;   /* the target's copies; there is no operation for these */
extern const GhloStepImplementation ghlo_cpu_step_cumulative;
extern const GhloStepImplementation ghlo_cpu_step_dynamic_slice;
extern const GhloStepImplementation ghlo_cpu_step_dynamic_update_slice;
extern const GhloStepImplementation ghlo_cpu_step_elementwise;
extern const GhloStepImplementation ghlo_cpu_step_fft;
extern const GhloStepImplementation ghlo_cpu_step_gather;
extern const GhloStepImplementation ghlo_cpu_step_iota;
extern const GhloStepImplementation ghlo_cpu_step_kernel;
extern const GhloStepImplementation ghlo_cpu_step_pad;
extern const GhloStepImplementation ghlo_cpu_step_pool_gradient;
extern const GhloStepImplementation ghlo_cpu_step_product;
extern const GhloStepImplementation ghlo_cpu_step_random;
extern const GhloStepImplementation ghlo_cpu_step_reduce;
extern const GhloStepImplementation ghlo_cpu_step_routine;
extern const GhloStepImplementation ghlo_cpu_step_scatter;
extern const GhloStepImplementation ghlo_cpu_step_select_and_scatter;
extern const GhloStepImplementation ghlo_cpu_step_sort;
extern const GhloStepImplementation ghlo_cpu_step_top_k;
extern const GhloStepImplementation ghlo_cpu_step_triangular_solve;

/* Implements GhloDeviceCoreClass.find_step. */
const GhloStepImplementation *ghlo_cpu_find_step (GhloDeviceCore               *self,
                                                  const GhloIrOp               *op,
                                                  const GhloStepImplementation *previous);
/* Whether there are elementwise loops for @op, at least for some element types. */
gboolean ghlo_cpu_has_elementwise (GhloIrOpKind op);

/* For finish (): FALSE where another algorithm than the selected one has to be used and wants more scratch than was
 * planned. That happens where memory is short, or where a library has failed to generate code. */
static inline gboolean
ghlo_cpu_step_has_scratch (const GhloStepRequest *request,
                           gsize                  scratch,
                           GError               **error)
{
  if (scratch > request->scratch)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                 "there is too little memory to prepare the algorithm selected for %s, and another one needs %"
                 G_GSIZE_FORMAT " bytes of scratch memory, but only %" G_GSIZE_FORMAT " are planned",
                 ghlo_ir_op_get_name (request->op), scratch, request->scratch);

  return scratch <= request->scratch;
}

G_END_DECLS
