/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each rate is that of a program that does little else. Programs are compiled and run like any others, so the rate is
 * that of the device with this library's steps. Transfers are measured by placing and fetching values.
 */

#include "compiler/calibrate.h"

#include <string.h>

#include "compiler/devices.h"
#include "compiler/optimize.h"
#include "compiler/read-module.h"
#include "reference/device.h"
#include "runtime/place.h"

enum
{
  MIN_RUNS = 3,
  MAX_RUNS = 100,
  MAX_TIME = 200000000,              /* nanoseconds; then no further run is made */
  ENOUGH = 4000000,                  /* nanoseconds; after a run that takes this long, no larger size is measured */
  N_STEPS = 64,                      /* in sequence */
  N_SCALARS = 64,                    /* operations per element */
  TRANSFER = 32 << 20,               /* bytes */
};

static void
write_sum (GString    *text,
           const char *element,
           guint       size)
{
  g_autofree char *type = g_strdup_printf ("tensor<%ux%s>", size, element);

  g_string_append_printf (text, "func.func @main(%%x: %s, %%y: %s) -> %s {\n"
                          "  %%0 = stablehlo.add %%x, %%y : %s\n  return %%0 : %s\n}\n", type, type, type, type, type);
}

/* One kernel that no pass can simplify. */
static void
write_scalars (GString    *text,
               const char *element,
               guint       size)
{
  g_autofree char *type = g_strdup_printf ("tensor<%ux%s>", size, element);

  g_string_append_printf (text, "func.func @main(%%v0: %s, %%y: %s) -> %s {\n", type, type, type);
  for (guint i = 0; i < N_SCALARS; i++)
    g_string_append_printf (text, "  %%v%u = stablehlo.%s %%v%u, %s : %s\n", i + 1, i % 2 == 0 ? "multiply" : "add", i,
                            i % 2 == 0 ? "%y" : "%v0", type);
  g_string_append_printf (text, "  return %%v%u : %s\n}\n", (guint) N_SCALARS, type);
}

static void
append_product (GString    *text,
                const char *type,
                guint       result,
                guint       operand)
{
  g_string_append_printf (text, "  %%v%u = stablehlo.dot_general %%v%u, %%y, contracting_dims = [1] x [0] : (%s, %s) "
                          "-> %s\n", result, operand, type, type, type);
}

static void
write_products (GString    *text,
                const char *element,
                guint       size,
                guint       n)
{
  g_autofree char *type = g_strdup_printf ("tensor<%ux%ux%s>", size, size, element);

  g_string_append_printf (text, "func.func @main(%%v0: %s, %%y: %s) -> %s {\n", type, type, type);
  for (guint i = 0; i < n; i++)
    append_product (text, type, i + 1, i);
  g_string_append_printf (text, "  return %%v%u : %s\n}\n", n, type);
}

static void
write_product (GString    *text,
               const char *element,
               guint       size)
{
  write_products (text, element, size, 1);
}

/* Each product needs the previous one, and none can be fused. */
static void
write_steps (GString    *text,
             const char *element,
             guint       size)
{
  write_products (text, element, size, N_STEPS);
}

/* The measured seconds without the overhead of a run. */
static double
subtract_overhead (double                 seconds,
                   const GhloDeviceRates *rates)
{
  return MAX (seconds - rates->run, seconds / 10);
}

static double
rate_run (double                 seconds,
          guint                  size,
          const GhloDeviceRates *rates)
{
  return seconds;
}

static double
rate_step (double                 seconds,
           guint                  size,
           const GhloDeviceRates *rates)
{
  return subtract_overhead (seconds, rates) / N_STEPS;
}

static double
rate_bytes (double                 seconds,
            guint                  size,
            const GhloDeviceRates *rates)
{
  return 3.0 * sizeof (float) * size / subtract_overhead (seconds, rates);
}

static double
rate_scalars (double                 seconds,
              guint                  size,
              const GhloDeviceRates *rates)
{
  return (double) N_SCALARS * size / subtract_overhead (seconds, rates);
}

static double
rate_products (double                 seconds,
               guint                  size,
               const GhloDeviceRates *rates)
{
  return 2.0 * size * size * size / subtract_overhead (seconds, rates);
}

/* In the order of measuring: later probes use the results of earlier ones. */
static const struct
{
  const char *detail;
  void      (*write) (GString    *text,
                      const char *element,
                      guint       size);
  const char *element;
  guint       sizes[5];             /* a larger size is measured where the previous one is too fast; 0: no more */
  double    (*rate)  (double                 seconds,
                      guint                  size,
                      const GhloDeviceRates *rates);
  gsize       offset;               /* of the rate in GhloDeviceRates */
} probes[] = {
  { "a run", write_sum, "f32", { 4 }, rate_run, G_STRUCT_OFFSET (GhloDeviceRates, run) },
  { "steps", write_steps, "f32", { 8 }, rate_step, G_STRUCT_OFFSET (GhloDeviceRates, step) },
  { "memory", write_sum, "f32", { 1 << 20, 1 << 22, 1 << 24 }, rate_bytes, G_STRUCT_OFFSET (GhloDeviceRates, bytes) },
  { "elementwise operations", write_scalars, "f32", { 1 << 18, 1 << 20, 1 << 22, 1 << 24 }, rate_scalars,
    G_STRUCT_OFFSET (GhloDeviceRates, scalars) },
  { "products of f32", write_product, "f32", { 256, 512, 1024, 2048, 4096 }, rate_products,
    G_STRUCT_OFFSET (GhloDeviceRates, products[GHLO_PRODUCT_F32]) },
  { "products of f16", write_product, "f16", { 256, 512, 1024, 2048, 4096 }, rate_products,
    G_STRUCT_OFFSET (GhloDeviceRates, products[GHLO_PRODUCT_NARROW]) },
  { "products of f64", write_product, "f64", { 256, 512, 1024, 2048, 4096 }, rate_products,
    G_STRUCT_OFFSET (GhloDeviceRates, products[GHLO_PRODUCT_WIDE]) },
};

static GhloPrepared *
prepare (GhloDeviceCore     *device,
         const char         *text,
         const GhloMonitor  *monitor,
         GError            **error)
{
  const GhloOptimizeOptions options = { .level = 2, .excess_precision = TRUE, .evaluator = ghlo_reference_device () };
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("calibrate", text, strlen (text));
  g_autoptr (GhloIrModule) module = ghlo_read_module (bytes, diagnostics, monitor, NULL, error);
  g_autoptr (GhloIrModule) made = module != NULL ? ghlo_optimize (module, &options, monitor, NULL, error) : NULL;

  if (made == NULL || !ghlo_fuse (made, device, &options, NULL, NULL, monitor, NULL, error))
    return NULL;

  return ghlo_devices_prepare (device, made, ghlo_ir_module_get_entry (made), monitor, error);
}

/* Makes two inputs of the function's types in the device's memory. All elements are the same normal number. */
static gboolean
make_inputs (GhloDeviceCore       *device,
             const GhloStepPlan   *plan,
             GhloValue            *inputs[2],
             const GhloMonitor    *monitor,
             GError              **error)
{
  for (guint i = 0; i < 2; i++)
    {
      const GhloIrBlock *body = ghlo_ir_func_get_body (plan->function);
      g_autoptr (GhloTensorType) type = ghlo_ir_type_to_tensor_type (body->arguments[i]->type);
      g_autoptr (GhloValue) value = ghlo_value_new_uninitialized (type, error);

      if (value == NULL)
        return FALSE;
      memset (value->data, 0x3c, value->n_bytes);
      inputs[i] = ghlo_value_place (value, device, monitor, error);
      if (inputs[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

/* The time of the fastest run in seconds; negative with @error. */
static double
time_runs (GhloPrepared       *prepared,
           GhloValue         **inputs,
           const GhloMonitor  *monitor,
           GError            **error)
{
  const GhloMonitor quiet = { .cancellable = monitor != NULL ? monitor->cancellable : NULL };
  gint64 best = G_MAXINT64, total = 0;

  for (guint n = 0; n < MAX_RUNS && (n < MIN_RUNS || total < MAX_TIME); n++)
    {
      gint64 start = ghlo_run_profile_now (), taken;
      GhloValue *output;

      if (!ghlo_prepared_run (prepared, NULL, inputs, 2, &output, &quiet, error))
        return -1;
      taken = ghlo_run_profile_now () - start;
      ghlo_value_unref (output);
      best = MIN (best, taken);
      total += taken;
    }

  return (double) MAX (best, 1) / 1e9;
}

/* Whether @target runs all steps, without transfers. */
static gboolean
is_all_of (const GhloStepPlan   *plan,
           const GhloDeviceCore *device)
{
  for (guint i = 0; i < plan->body.n_steps; i++)
    if (plan->body.steps[i]->kind != GHLO_STEP_COMPUTE || plan->body.steps[i]->target != device)
      return FALSE;

  return TRUE;
}

/* *@seconds is 0 where the device does not support the program. */
static gboolean
time_program (GhloDeviceCore     *device,
              const char         *text,
              double             *seconds,
              const GhloMonitor  *monitor,
              GError            **error)
{
  g_autoptr (GhloPrepared) prepared = prepare (device, text, monitor, error);
  const GhloStepPlan *plan = prepared != NULL ? ghlo_prepared_get_plan (prepared) : NULL;
  GhloValue *inputs[2] = { NULL };

  *seconds = 0;
  if (prepared == NULL)
    return FALSE;
  if (plan == NULL || !is_all_of (plan, device))
    return TRUE;
  if (ghlo_prepared_wait_for_code (prepared, monitor, error) && make_inputs (device, plan, inputs, monitor, error))
    *seconds = time_runs (prepared, inputs, monitor, error);
  else
    *seconds = -1;
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    g_clear_pointer (&inputs[i], ghlo_value_unref);

  return *seconds >= 0;
}

static gboolean
run_probe (GhloDeviceCore     *device,
           guint               probe,
           GhloDeviceRates    *rates,
           const GhloMonitor  *monitor,
           GError            **error)
{
  double *rate = (double *) (gpointer) ((guint8 *) rates + probes[probe].offset);

  *rate = 0;
  for (guint i = 0; i < G_N_ELEMENTS (probes[probe].sizes) && probes[probe].sizes[i] > 0; i++)
    {
      const guint size = probes[probe].sizes[i];
      g_autoptr (GString) text = g_string_new (NULL);
      double seconds;

      probes[probe].write (text, probes[probe].element, size);
      if (!time_program (device, text->str, &seconds, monitor, error))
        return FALSE;
      if (seconds > 0)
        *rate = probes[probe].rate (seconds, size, rates);
      if (seconds == 0 || seconds * 1e9 >= ENOUGH)
        break;
    }

  return TRUE;
}

/* Measures transfers to the device and back. */
static gboolean
time_transfers (GhloDeviceCore     *device,
                GhloDeviceRates    *rates,
                const GhloMonitor  *monitor,
                GError            **error)
{
  const gint64 size = TRANSFER;
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_UI8, &size, 1);
  g_autoptr (GhloValue) value = ghlo_value_new_tensor (type, error);
  gint64 up = G_MAXINT64, down = G_MAXINT64;

  if (value == NULL)
    return FALSE;
  for (guint n = 0; n < MIN_RUNS; n++)
    {
      gint64 start = ghlo_run_profile_now (), there;
      g_autoptr (GhloValue) placed = ghlo_value_place (value, device, monitor, error);

      if (placed == NULL)
        return FALSE;
      there = ghlo_run_profile_now ();
      if (!ghlo_value_fetch (placed, monitor, error))
        return FALSE;
      up = MIN (up, there - start);
      down = MIN (down, ghlo_run_profile_now () - there);
    }
  rates->uploads = TRANSFER * 1e9 / (double) MAX (up, 1);
  rates->downloads = TRANSFER * 1e9 / (double) MAX (down, 1);

  return TRUE;
}

gboolean
ghlo_calibrate (GhloDeviceCore     *device,
                GhloDeviceRates    *rates,
                const GhloMonitor  *monitor,
                GError            **error)
{
  const guint n = G_N_ELEMENTS (probes);
  GhloDeviceRates measured = { 0 };

  for (guint i = 0; i < n; i++)
    {
      ghlo_monitor_progress (monitor, (double) i / (n + 1), probes[i].detail);
      if (!run_probe (device, i, &measured, monitor, error))
        return FALSE;
    }
  ghlo_monitor_progress (monitor, (double) n / (n + 1), "transfers");
  if (!ghlo_device_core_is_host (device) && !time_transfers (device, &measured, monitor, error))
    return FALSE;
  *rates = measured;

  return TRUE;
}
