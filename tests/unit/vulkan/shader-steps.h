/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the tests of steps that are shaders: a program on a Vulkan device, in which one step is the device's, and
 * the same program on the CPU, with the same bits.
 */

#pragma once

#include "../reference/kernel-programs.h"

#include "compiler/devices.h"
#include "compiler/optimize.h"
#include "runtime/place.h"
#include "gpu/device.h"

enum { STEPS_MAX = 16 };

/* NULL where there is no device, in which case the test is skipped. */
static inline GhloGpuDevice *
find_vulkan (void)
{
  GhloDeviceCore *device = ghlo_devices_find ("vulkan");

  if (device == NULL)
    g_test_skip ("there is no Vulkan device");

  return (GhloGpuDevice *) device;
}

typedef struct
{
  const char *implementation;     /* what to look for among the device's steps … */
  gboolean    found;
  const char *reason;             /* … or why the device declined an operation of that name; nullable */
} StepSearch;

static inline void
look_at_step (GhloStep *step,
              gpointer  data)
{
  StepSearch *search = data;

  if (step->kind == GHLO_STEP_COMPUTE && step->target->memory != NULL
      && g_str_equal (step->implementation->name, search->implementation))
    search->found = TRUE;
  if (step->op != NULL && step->reasons != NULL && g_str_has_suffix (ghlo_ir_op_get_name (step->op),
                                                                     search->implementation))
    search->reason = step->reasons[0];
}

/* Fills @outputs and @search; the reference device has no steps. */
static inline void
run_on (GhloDeviceCore  *device,
        const char      *text,
        const char      *implementation,
        GhloValue      **inputs,
        guint            n_inputs,
        GhloValue      **outputs,
        StepSearch      *search)
{
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL,
                                                            &error);
  const GhloStepPlan *plan;

  g_assert_no_error (error);
  *search = (StepSearch) { .implementation = implementation };
  plan = ghlo_prepared_get_plan (prepared);
  if (plan != NULL)
    ghlo_step_plan_foreach (plan, look_at_step, search);
  ghlo_prepared_run (prepared, NULL, inputs, n_inputs, outputs, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < ghlo_prepared_get_n_outputs (prepared); i++)
    {
      ghlo_value_fetch (outputs[i], NULL, &error);
      g_assert_no_error (error);
    }
}

/* Runs the program with its operations merged. Returns how it was run. */
static inline char *
run_fused (const char  *device,
           const char  *text,
           GhloValue  **inputs,
           GhloValue  **outputs)
{
  const GhloOptimizeOptions options = { .level = 2 };
  GhloDeviceCore *core = ghlo_devices_find (device);
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = NULL;
  GhloIrOp *entry;

  ghlo_fuse (module, core, &options, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  entry = ghlo_ir_module_get_entry (module);
  prepared = ghlo_devices_prepare (core, module, entry, NULL, &error);
  g_assert_no_error (error);
  ghlo_prepared_run (prepared, NULL, inputs, ghlo_ir_func_get_body (entry)->n_arguments, outputs, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < ghlo_prepared_get_n_outputs (prepared); i++)
    {
      ghlo_value_fetch (outputs[i], NULL, &error);
      g_assert_no_error (error);
    }

  return ghlo_prepared_describe (prepared);
}

/* Compares bits; where floats are computed, any NaN equals any other. */
static inline void
assert_same (const GhloValue *found,
             const GhloValue *expected,
             gboolean         any_nan,
             const char      *text)
{
  gsize size = expected->n_elements > 0 ? expected->n_bytes / expected->n_elements : 0;

  g_assert_cmpuint (found->n_bytes, ==, expected->n_bytes);
  for (gsize i = 0; i < expected->n_elements; i++)
    if (memcmp (found->data + i * size, expected->data + i * size, size) != 0)
      {
        Number f = number_at (found, i), e = number_at (expected, i);

        if (any_nan && isnan (creal (f)) && isnan (creal (e)))
          continue;
        g_error ("element %" G_GSIZE_FORMAT " is %g%+gi, expected %g%+gi, in\n%s", i, creal (f), cimag (f), creal (e),
                 cimag (e), text);
      }
}

/* Runs @text, which must have a step of @implementation on the device and @n_outputs results with the CPU's bits. */
static inline void
check_computed (const char  *text,
                const char  *implementation,
                GhloValue  **inputs,
                guint        n_inputs,
                guint        n_outputs,
                gboolean     any_nan)
{
  GhloValue *found[STEPS_MAX] = { NULL }, *expected[STEPS_MAX] = { NULL };
  StepSearch search;

  g_assert_cmpuint (n_outputs, <=, STEPS_MAX);
  run_on (ghlo_devices_find ("cpu"), text, implementation, inputs, n_inputs, expected, &search);
  run_on (ghlo_devices_find ("vulkan"), text, implementation, inputs, n_inputs, found, &search);
  if (!search.found)
    g_error ("the device has no step %s (%s) for\n%s", implementation, search.reason != NULL ? search.reason : "?",
             text);
  for (guint i = 0; i < n_outputs; i++)
    {
      assert_same (found[i], expected[i], any_nan, text);
      ghlo_value_unref (found[i]);
      ghlo_value_unref (expected[i]);
    }
}

static inline void
check_step (const char  *text,
            const char  *implementation,
            GhloValue  **inputs,
            guint        n_inputs,
            guint        n_outputs)
{
  check_computed (text, implementation, inputs, n_inputs, n_outputs, FALSE);
}

/* The same for a program in which no step of @implementation is the device's, for @reason. */
static inline void
check_declined (const char  *text,
                const char  *implementation,
                GhloValue  **inputs,
                guint        n_inputs,
                guint        n_outputs,
                const char  *reason)
{
  GhloValue *found[STEPS_MAX] = { NULL };
  StepSearch search;

  run_on (ghlo_devices_find ("vulkan"), text, implementation, inputs, n_inputs, found, &search);
  g_assert_false (search.found);
  g_assert_cmpstr (search.reason, ==, reason);
  for (guint i = 0; i < n_outputs; i++)
    ghlo_value_unref (found[i]);
}

static inline GhloValue *
new_tensor (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse (text, &error);
  GhloValue *value;

  g_assert_no_error (error);
  value = ghlo_value_new_tensor (type, &error);
  g_assert_no_error (error);

  return value;
}

/* Random bits, or few different values, so that many elements are equal; some floats are NaNs, infinities and zeros. */
static inline GhloValue *
new_bits (const char *text,
          gboolean    few)
{
  GhloValue *value = new_tensor (text);
  GhloElementType part = ghlo_element_type_real_part (value->type->element_type);
  const GhloElementInfo *info = ghlo_element_info (part);
  static const double special[] = { 0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, -NAN, 2.0, -2.0 };

  for (gsize i = 0; i < value->n_bytes / info->size; i++)
    {
      guint64 bits = (guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();

      if (part == GHLO_ELEMENT_TYPE_I1)
        bits &= 1;
      if (few && info->element_class == GHLO_ELEMENT_CLASS_FLOAT)
        ghlo_element_store (part, value->data + i * info->size,
                            (GhloScalar) { .f = special[bits % G_N_ELEMENTS (special)] });
      else if (info->bits < 8 || few)
        ghlo_element_store (part, value->data + i * info->size, (GhloScalar) { .i = (gint64) (bits % 8) - 4 });
      else
        memcpy (value->data + i * info->size, &bits, info->size);
    }

  return value;
}
