/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The processor as a device: plans over its step implementations. It works in host memory.
 */

#include "cpu/device.h"

#include "cpu/convolution/convolution.h"
#include "cpu/gemm/dot-general.h"
#include "cpu/gemm/epilogue.h"
#include "cpu/isa/level.h"
#include "cpu/library/blas.h"
#include "cpu/library/onednn.h"
#include "cpu/target.h"
#include "kernel/lower.h"
#include "runtime/memory.h"
#include "runtime/planned.h"

static const GhloStepTarget *
get_target (GhloDeviceCore *self)
{
  return ghlo_cpu_target ();
}

static const GhloStepRates *
get_rates (GhloDeviceCore *self)
{
  return ghlo_cpu_target ()->rates;
}

static GBytes *
identify (GhloDeviceCore *self)
{
  return ghlo_cpu_identify ();
}

static const char *
declines (GhloDeviceCore        *self,
          const char            *kind,
          const GhloIrOp *const *ops,
          guint                  n_ops)
{
  if (g_str_equal (kind, "step"))
    return NULL;
  if (g_str_equal (kind, "channels-last"))
    return ghlo_cpu_convolution_declines_layout (ops[0]);
  if (g_str_equal (kind, "expand-dots"))
    return ghlo_cpu_dot_declines_expansion (ops[0]);
  if (g_str_equal (kind, "loop"))
    return ghlo_kernel_loop_obstacle (ops, n_ops);
  if (g_str_equal (kind, "epilogue"))
    return ghlo_step_epilogue_obstacle (ops, n_ops);
  if (!g_str_equal (kind, "map") && !g_str_equal (kind, "reduction"))
    return "the CPU does not support this kind of fusion";
  for (guint i = 0; i < n_ops; i++)
    {
      const char *reason = ghlo_kernel_obstacle (ops[i]);

      if (reason != NULL)
        return reason;
    }

  return NULL;
}

static guint64
get_memory (GhloDeviceCore *self)
{
  return ghlo_memory_get_limit ();
}

/* Adds the libraries that steps call, as names with versions. */
static void
add_facts (GhloDeviceCore *self,
           GArray         *facts)
{
  g_autofree char *onednn = ghlo_cpu_onednn_dup_version ();
  const GhloCpuBlas *blas = ghlo_cpu_blas ();
  char **libraries = g_new0 (char *, 3);
  guint n = 0;

  if (onednn != NULL)
    libraries[n++] = g_strdup_printf ("oneDNN %s", onednn);
  if (blas != NULL)
    libraries[n++] = g_strdup_printf ("OpenBLAS %s (%s)", blas->version, blas->core);
  ghlo_device_facts_add_words (facts, "libraries", "libraries", libraries);
}

GhloDeviceCore *
ghlo_cpu_device (void)
{
  static const GhloDeviceCoreClass klass = {
    .name = "cpu",
    .get_memory = get_memory,
    .add_facts = add_facts,
    .get_rates = get_rates,
    .identify = identify,
    .declines = declines,
    .prepare = ghlo_planned_prepare,
    .release = ghlo_planned_release,
    .start = ghlo_planned_start,
    .get_target = get_target,
    .get_plan = ghlo_planned_get_plan,
    .describe = ghlo_planned_describe,
    .measure = ghlo_planned_measure,
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
