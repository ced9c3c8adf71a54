/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step implementations of Vulkan devices.
 */

#pragma once

#include "device/device.h"
#include "gpu/device.h"

G_BEGIN_DECLS

/* These implement the functions of GhloDeviceCoreClass. */
const GhloStepImplementation *ghlo_gpu_find_step          (GhloDeviceCore               *self,
                                                           const GhloIrOp               *op,
                                                           const GhloStepImplementation *previous);
const char                   *ghlo_gpu_unsupported_reason (GhloDeviceCore               *core,
                                                           GhloFusionKind                kind,
                                                           const GhloIrOp *const        *ops,
                                                           guint                         n_ops);

extern const GhloStepImplementation ghlo_gpu_step_attention;
extern const GhloStepImplementation ghlo_gpu_step_cholesky;
extern const GhloStepImplementation ghlo_gpu_step_copy;      /* for no operation */
extern const GhloStepImplementation ghlo_gpu_step_cumulative;
extern const GhloStepImplementation ghlo_gpu_step_dynamic_update_slice;
extern const GhloStepImplementation ghlo_gpu_step_fft;
extern const GhloStepImplementation ghlo_gpu_step_kernel;
extern const GhloStepImplementation ghlo_gpu_step_product;   /* dot_general, dot, convolution */
extern const GhloStepImplementation ghlo_gpu_step_random;
extern const GhloStepImplementation ghlo_gpu_step_scatter;
extern const GhloStepImplementation ghlo_gpu_step_select_and_scatter;
extern const GhloStepImplementation ghlo_gpu_step_sort;
extern const GhloStepImplementation ghlo_gpu_step_top_k;
extern const GhloStepImplementation ghlo_gpu_step_triangular_solve;

G_END_DECLS
