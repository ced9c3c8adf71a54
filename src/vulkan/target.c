/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a Vulkan device offers to plans. Pointers to its memory are device addresses.
 */

#include "vulkan/target.h"

#include "kernel/lower.h"
#include "plan/epilogue.h"
#include "vulkan/attention/attention.h"
#include "vulkan/facts.h"
#include "vulkan/features.h"
#include "vulkan/memory.h"
#include "vulkan/product/product.h"
#include "vulkan/queue.h"
#include "vulkan/recording.h"
#include "vulkan/reduction.h"
#include "vulkan/stopwatch.h"
#include "vulkan/transfer.h"

static gpointer
space_alloc (gpointer   self,
             gsize      size,
             GError   **error)
{
  GhloVulkanDevice *device = self;

  return GSIZE_TO_POINTER (ghlo_vulkan_memory_alloc (device->memory, GHLO_VULKAN_LOCAL, size, error));
}

static gpointer
space_map (gpointer self,
           gpointer address)
{
  return ghlo_vulkan_memory_find (((GhloVulkanDevice *) self)->memory, ghlo_vulkan_address (address)).host;
}

static gpointer
space_alloc_host_visible (gpointer        self,
                          gsize           size,
                          gconstpointer  *host,
                          GError        **error)
{
  GhloVulkanDevice *device = self;
  guint64 address = ghlo_vulkan_memory_alloc (device->memory, GHLO_VULKAN_READBACK, size, error);

  *host = address != 0 ? ghlo_vulkan_memory_find (device->memory, address).host : NULL;

  return GSIZE_TO_POINTER (address);
}

static void
space_free (gpointer self,
            gpointer memory,
            gsize    size)
{
  GhloVulkanDevice *device = self;

  ghlo_vulkan_memory_free (device->memory, ghlo_vulkan_address (memory), size, ghlo_vulkan_queue_value (device->queue));
}

static gboolean
space_upload (gpointer            self,
              gconstpointer       from,
              gpointer            to,
              gsize               size,
              const GhloMonitor  *monitor,
              GError            **error)
{
  return ghlo_vulkan_upload (self, from, ghlo_vulkan_address (to), size, monitor, error);
}

static gboolean
space_download (gpointer            self,
                gconstpointer       from,
                gpointer            to,
                gsize               size,
                const GhloMonitor  *monitor,
                GError            **error)
{
  return ghlo_vulkan_download (self, ghlo_vulkan_address (from), to, size, monitor, error);
}

static gboolean
space_start (gpointer   self,
             GError   **error)
{
  return ghlo_vulkan_stopwatch_start (((GhloVulkanDevice *) self)->stopwatch, error);
}

static gboolean
space_finish (gpointer            self,
              gint64             *nanoseconds,
              const GhloMonitor  *monitor,
              GError            **error)
{
  return ghlo_vulkan_stopwatch_stop (((GhloVulkanDevice *) self)->stopwatch, nanoseconds, monitor, error);
}

static gboolean
space_submit (gpointer   self,
              guint64   *number,
              GError   **error)
{
  return ghlo_vulkan_queue_submit (((GhloVulkanDevice *) self)->queue, number, error);
}

static gboolean
space_await (gpointer            self,
             guint64             number,
             const GhloMonitor  *monitor,
             GError            **error)
{
  return ghlo_vulkan_queue_await (((GhloVulkanDevice *) self)->queue, number, monitor, error);
}

/* Implementations for operations that are more than one kernel or use other shaders; single kernels are tried last. */
static const struct
{
  GhloIrOpKind                  op;
  const GhloStepImplementation *implementation;
} rows[] = {
  { GHLO_OP_STABLEHLO_COMPOSITE, &ghlo_vulkan_step_attention },        /* fusions */
  { GHLO_OP_STABLEHLO_COMPOSITE, &ghlo_vulkan_step_product },
  { GHLO_OP_STABLEHLO_CONVOLUTION, &ghlo_vulkan_step_product },
  { GHLO_OP_STABLEHLO_DOT, &ghlo_vulkan_step_product },
  { GHLO_OP_STABLEHLO_DOT_GENERAL, &ghlo_vulkan_step_product },
#ifdef GHLO_HAS_SHADERS
  { GHLO_OP_CHLO_TOP_K, &ghlo_vulkan_step_top_k },
  { GHLO_OP_STABLEHLO_CHOLESKY, &ghlo_vulkan_step_cholesky },
  { GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE, &ghlo_vulkan_step_dynamic_update_slice },
  { GHLO_OP_STABLEHLO_FFT, &ghlo_vulkan_step_fft },
  { GHLO_OP_STABLEHLO_REDUCE_WINDOW, &ghlo_vulkan_step_cumulative },
  { GHLO_OP_STABLEHLO_RNG_BIT_GENERATOR, &ghlo_vulkan_step_random },
  { GHLO_OP_STABLEHLO_SCATTER, &ghlo_vulkan_step_scatter },
  { GHLO_OP_STABLEHLO_SORT, &ghlo_vulkan_step_sort },
  { GHLO_OP_STABLEHLO_TRIANGULAR_SOLVE, &ghlo_vulkan_step_triangular_solve },
#endif
  { GHLO_OP_STABLEHLO_SELECT_AND_SCATTER, &ghlo_vulkan_step_select_and_scatter },
  { GHLO_N_OPS, NULL },
};

static const GhloStepImplementation *
find (gpointer                      self,
      const GhloIrOp               *op,
      const GhloStepImplementation *previous)
{
  gboolean is_next = previous == NULL;

  for (guint i = 0; rows[i].implementation != NULL; i++)
    if (rows[i].op == op->kind && is_next)
      return rows[i].implementation;
    else if (rows[i].op == op->kind)
      is_next = rows[i].implementation == previous;

  return previous != &ghlo_vulkan_step_kernel && ghlo_kernel_has_kind (op->kind) ? &ghlo_vulkan_step_kernel : NULL;
}

static gboolean
has_type (const GhloVulkanDevice *device,
          const GhloIrType       *type)
{
  const guint64 types = ghlo_vulkan_features_types (&device->features);

  return type->kind != GHLO_IR_TYPE_TENSOR || (type->element_type != GHLO_ELEMENT_TYPE_F64
                                               && type->element_type != GHLO_ELEMENT_TYPE_COMPLEX_F64)
         || (types >> GHLO_ELEMENT_TYPE_F64 & 1) != 0;
}

/* Whether the device has a step for @op, and has the types of its operands and results. */
static const char *
step_decline_reason (const GhloVulkanDevice *device,
                     const GhloIrOp         *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!has_type (device, ghlo_ir_op_operand (op, i)->type))
      return "the device has no f64";
  for (guint i = 0; i < op->n_results; i++)
    if (!has_type (device, op->results[i].type))
      return "the device has no f64";
  if (find (NULL, op, NULL) == NULL)
    return "it is not implemented";

  return op->kind == GHLO_OP_STABLEHLO_COMPOSITE || find (NULL, op, NULL) == &ghlo_vulkan_step_kernel
         ? ghlo_kernel_obstacle (op) : NULL;
}

static const char *
epilogue_decline_reason (const GhloVulkanDevice *device,
                         const GhloIrOp *const  *ops,
                         guint                   n_ops)
{
  const char *reason = ghlo_step_epilogue_obstacle (ops, n_ops);

  for (guint i = 0; i < n_ops && reason == NULL; i++)
    if (ghlo_step_is_dot (ops[i]) || ops[i]->kind == GHLO_OP_STABLEHLO_CONVOLUTION)
      {
        reason = step_decline_reason (device, ops[i]);
        if (reason == NULL)
          reason = ghlo_vulkan_product_obstacle (ops[i]);
      }

  return reason;
}

const char *
ghlo_vulkan_decline_reason (GhloVulkanDevice      *device,
                            const char            *kind,
                            const GhloIrOp *const *ops,
                            guint                  n_ops)
{
  if (g_str_equal (kind, "step") || g_str_equal (kind, "expand-dots"))
    return step_decline_reason (device, ops[0]);
  if (g_str_equal (kind, "loop"))
    return ghlo_kernel_loop_obstacle (ops, n_ops);
  if (g_str_equal (kind, "attention"))
    return ghlo_vulkan_attention_obstacle (device, ops, n_ops);
  if (g_str_equal (kind, "epilogue"))
    return epilogue_decline_reason (device, ops, n_ops);
  if (!g_str_equal (kind, "map") && !g_str_equal (kind, "reduction"))
    return "Vulkan devices have no fusion of that kind";
  for (guint i = 0; i < n_ops; i++)
    {
      const char *reason = ghlo_kernel_obstacle (ops[i]);

      if (reason != NULL)
        return reason;
    }

  return ghlo_vulkan_reduction_obstacle (ops, n_ops);
}

const GhloStepTarget *
ghlo_vulkan_target_new (GhloVulkanDevice *device)
{
  GhloStepSpace *space = g_new (GhloStepSpace, 1);
  GhloStepTarget *target = g_new (GhloStepTarget, 1);

  *space = (GhloStepSpace) {
    .name = "vulkan", .self = device, .alloc = space_alloc, .free = space_free,
    .alloc_host_visible = space_alloc_host_visible,
    .get_host_address = ghlo_vulkan_device_is_unified (device) ? space_map : NULL,
    .upload = space_upload, .download = space_download, .start = space_start, .finish = space_finish,
    .submit = space_submit, .await = space_await, .recorder = &ghlo_vulkan_recorder,
  };
  *target = (GhloStepTarget) {
    .name = device->core.names[0], .self = device, .space = space, .find = find, .copy = &ghlo_vulkan_step_copy,
    .rates = ghlo_vulkan_get_rates (&device->core),
  };

  return target;
}
