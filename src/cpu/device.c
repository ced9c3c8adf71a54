/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The processor as a device: plans over its step implementations. It works in host memory.
 */

#include "cpu/device.h"

#include <string.h>

#include "cpu/attention/attention.h"
#include "cpu/convolution/convolution.h"
#include "cpu/gemm/dequantization.h"
#include "cpu/gemm/dot-general.h"
#include "cpu/gemm/prologue.h"
#include "cpu/isa/level.h"
#include "cpu/jit/emitter.h"
#include "cpu/library/blas.h"
#include "cpu/library/onednn.h"
#include "cpu/steps.h"
#include "kernel/lower.h"
#include "plan/epilogue.h"
#include "runtime/parallel.h"
#include "runtime/rates-cache.h"

/* Approximate rates of one core: bytes moved, scalar operations, and the speed of narrow and wide products relative
 * to f32 products. RUN_SECONDS and STEP_SECONDS are the times of a run, and of a step, on a few numbers. MEMORY_CORES
 * is the number of cores up to which each one gets its full memory bandwidth. */
#define CORE_BYTES   2e10
#define CORE_SCALARS 4e9
#define NARROW_SHARE 0.5
#define WIDE_SHARE   0.5
#define RUN_SECONDS  1e-6
#define STEP_SECONDS 3e-7
enum { MEMORY_CORES = 8 };

/* What the rates depend on. */
static GBytes *
identify (void)
{
  const char *model = ghlo_cpu_model ();
  char *text = g_strdup_printf ("cpu %s; %s; %u threads", model != NULL ? model : "",
                                ghlo_cpu_level_name (ghlo_cpu_level ()), ghlo_parallel_n_workers ());

  return g_bytes_new_take (text, strlen (text));
}

static void
find_rates (GhloDeviceCore *device)
{
  static GhloDeviceRates rates;
  const guint n = ghlo_parallel_n_workers ();
  const double products = n * ghlo_cpu_rate ();

  device->identity = identify ();
  device->rates = &rates;
  if (!ghlo_rates_recall (device->identity, &rates))
    rates = (GhloDeviceRates) {
      .bytes = MIN (n, MEMORY_CORES) * CORE_BYTES, .scalars = n * CORE_SCALARS, .run = RUN_SECONDS,
      .step = STEP_SECONDS, .products = { products, products * NARROW_SHARE, products * WIDE_SHARE },
    };
}

static const char *
product_reason (const GhloIrOp *const *ops,
                guint                  n_ops)
{
  const char *reason = ghlo_step_epilogue_obstacle (ops, n_ops);
  const GhloIrOp *product;
  guint computed = ghlo_step_find_computed (ops, n_ops, &product);

  if (reason != NULL || computed == GHLO_STEP_NONE || ghlo_cpu_dequantization_pays (product, computed, ops, n_ops))
    return reason;

  return ghlo_cpu_prologue_obstacle (product, computed);
}

/* Lanes with padding between them are computed one by one; the step for pads copies what is strided. */
static const char *
map_reason (const GhloIrOp *const *ops,
            guint                  n_ops)
{
  for (guint i = 0; i < n_ops; i++)
    {
      gsize rank;
      const gint64 *interior = ops[i]->kind == GHLO_OP_STABLEHLO_PAD
                               ? ghlo_ir_op_get_ints (ops[i], "interior_padding", &rank) : NULL;

      if (interior != NULL && rank > 0 && interior[rank - 1] > 0)
        return "it pads between adjacent elements";
    }

  return ghlo_kernel_obstacle_of_group (ops, n_ops);
}

static const char *
gemv_reason (const GhloIrOp *product)
{
  for (guint operand = 0; operand < 2; operand++)
    if (ghlo_cpu_dequantization_pays (product, operand, NULL, 0))
      return "the product reads weights of 4 bits";

  return ghlo_code_module_id () != NULL ? NULL : "without machine code the matrix is computed in blocks";
}

static const char *
unsupported_reason (GhloDeviceCore        *self,
                    GhloFusionKind         kind,
                    const GhloIrOp *const *ops,
                    guint                  n_ops)
{
  switch (kind)
    {
    case GHLO_FUSION_LOOP:
      return ghlo_kernel_loop_obstacle (ops, n_ops);
    case GHLO_FUSION_EPILOGUE:
      return product_reason (ops, n_ops);
    case GHLO_FUSION_REDUCTION:
    case GHLO_FUSION_MAP:
      return map_reason (ops, n_ops);
    case GHLO_FUSION_STEP:
    case GHLO_FUSION_SPLIT_WINDOWS:
      return NULL;
    case GHLO_FUSION_CHANNELS_LAST:
      return ghlo_cpu_convolution_declines_layout (ops[0]);
    case GHLO_FUSION_EXPAND_DOTS:
      return ghlo_cpu_dot_declines_expansion (ops[0]);
    case GHLO_FUSION_EXPAND_GEMV:
      return gemv_reason (ops[0]);
    case GHLO_FUSION_NARROW_DOTS:
      return ghlo_cpu_dot_declines_bf16 (ops[0]);
    case GHLO_FUSION_ATTENTION:
      return ghlo_cpu_attention_declines (ops, n_ops);
    default:
      return "the CPU does not support this kind of fusion";
    }
}

/* Adds the libraries that steps call, as names with versions. */
static void
add_properties (GhloDeviceCore *self,
                GArray         *properties)
{
  g_autofree char *onednn = ghlo_cpu_onednn_dup_version ();
  const GhloCpuBlas *blas = ghlo_cpu_blas ();
  char **libraries = g_new0 (char *, 3);
  guint n = 0;

  if (onednn != NULL)
    libraries[n++] = g_strdup_printf ("oneDNN %s", onednn);
  if (blas != NULL)
    libraries[n++] = g_strdup_printf ("OpenBLAS %s (%s)", blas->version, blas->core);
  ghlo_device_properties_add_words (properties, "libraries", "libraries", libraries);
}

GhloDeviceCore *
ghlo_cpu_device (void)
{
  static const GhloDeviceCoreClass klass = {
    .name = "cpu",
    .add_properties = add_properties,
    .unsupported_reason = unsupported_reason,
    .find_step = ghlo_cpu_find_step,
    .copy_step = &ghlo_cpu_step_copy,
  };
  static const char *const names[] = { "cpu", NULL };
  static const char *const features[] = { "every-operation", "every-element-type", NULL };
  static GhloDeviceCore device = {
    .klass = &klass,
    .kind = GHLO_DEVICE_KIND_CPU,
    .names = names,
    .title = "CPU",
    .driver = "ghlo " GHLO_VERSION,
    .features = features,
    .wants_passes = TRUE,
  };

  static gsize known;

  if (g_once_init_enter (&known))
    {
      device.model = ghlo_cpu_model ();
      device.vector_level = ghlo_cpu_level_name (ghlo_cpu_level ());
      find_rates (&device);
      g_once_init_leave (&known, 1);
    }

  return &device;
}

void
ghlo_cpu_find_devices (GPtrArray *devices)
{
  GhloDeviceCore *device = ghlo_cpu_device ();

  if (!g_ptr_array_find (devices, device, NULL))
    g_ptr_array_add (devices, device);
}
