/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step implementations of Vulkan devices.
 */

#pragma once

#include "plan/target.h"
#include "vulkan/device.h"

G_BEGIN_DECLS

/* Returns what @device offers to plans; never freed. */
const GhloStepTarget *ghlo_vulkan_target_new (GhloVulkanDevice     *device);
/* Returns the reason why the device does not compute @ops as one step, a fusion of @kind, or NULL if it does; see
 * GhloDeviceCoreClass. */
const char           *ghlo_vulkan_decline_reason (GhloVulkanDevice      *device,
                                                  const char            *kind,
                                                  const GhloIrOp *const *ops,
                                                  guint                  n_ops);

/* Converts an address within the device's memory from a pointer. */
static inline guint64
ghlo_vulkan_address (gconstpointer data)
{
  return GPOINTER_TO_SIZE (data);
}

extern const GhloStepImplementation ghlo_vulkan_step_attention;
extern const GhloStepImplementation ghlo_vulkan_step_copy;      /* the copy of GhloStepTarget, for no operation */
extern const GhloStepImplementation ghlo_vulkan_step_kernel;
extern const GhloStepImplementation ghlo_vulkan_step_product;   /* dot_general, dot, convolution */
extern const GhloStepImplementation ghlo_vulkan_step_select_and_scatter;
#ifdef GHLO_HAS_SHADERS
extern const GhloStepImplementation ghlo_vulkan_step_cholesky;
extern const GhloStepImplementation ghlo_vulkan_step_cumulative;
extern const GhloStepImplementation ghlo_vulkan_step_dynamic_update_slice;
extern const GhloStepImplementation ghlo_vulkan_step_fft;
extern const GhloStepImplementation ghlo_vulkan_step_random;
extern const GhloStepImplementation ghlo_vulkan_step_scatter;
extern const GhloStepImplementation ghlo_vulkan_step_sort;
extern const GhloStepImplementation ghlo_vulkan_step_top_k;
extern const GhloStepImplementation ghlo_vulkan_step_triangular_solve;
#endif

G_END_DECLS
