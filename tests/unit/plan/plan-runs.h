/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the tests of plans: plans of a program on the CPU, unfused and fused, and runs of them, which must give the
 * reference executor's numbers and the same bits as each other.
 */

#pragma once

#include "../reference/kernel-programs.h"

#include "compiler/devices.h"
#include "compiler/optimize.h"
#include "ir/print/print.h"

enum { MAX_INPUTS = 32, MAX_OUTPUTS = 8 };

/* Of optimization. */
static guint level = 1;

static inline GhloIrModule *
fuse (const char *text)
{
  const GhloOptimizeOptions options = { .level = level };
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("fused", text, strlen (text));
  GhloIrModule *module = parse (text);
  g_autoptr (GError) error = NULL;

  ghlo_fuse (module, ghlo_devices_find ("cpu"), &options, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  if (!ghlo_ir_verify (module, diagnostics, NULL))
    g_error ("fusion leaves what does not verify:\n%s", text);

  return module;
}

static inline char *
print_plan (GhloIrModule *module)
{
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  g_autoptr (GError) error = NULL;
  GhloPrepared *prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error);
  char *printed;

  g_assert_no_error (error);
  printed = ghlo_prepared_describe (prepared);
  ghlo_prepared_free (prepared);

  return printed;
}

static inline void
run_on (GhloDeviceCore *device,
        GhloIrModule   *module,
        GhloValue     **inputs,
        guint           n_inputs,
        GhloValue     **outputs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module),
                                                            NULL, &error);

  g_assert_no_error (error);
  ghlo_prepared_run (prepared, NULL, inputs, n_inputs, outputs, NULL, &error);
  g_assert_no_error (error);
}

/* Fills in numbers whose products and sums are exact. */
static inline void
fill (GhloValue *value)
{
  gboolean is_float = ghlo_element_type_is_float (value->type->element_type) || is_complex (value);

  for (gsize i = 0; i < value->n_elements; i++)
    if (is_float)
      set_number (value, i, CMPLX (g_test_rand_int_range (-8, 9) / 4.0, g_test_rand_int_range (-8, 9) / 4.0));
    else
      set_number (value, i, g_test_rand_int_range (0, 4));
}

enum { REFERENCE, CPU, FUSED, FUSED_REFERENCE, READ_AGAIN, N_RUNS };

typedef struct
{
  GhloValue *runs[N_RUNS][MAX_OUTPUTS];
} Outputs;

static inline void
run_all (const char  *text,
         GhloValue  **inputs,
         guint        n_inputs,
         Outputs     *outputs)
{
  GhloDeviceCore *reference = ghlo_reference_device (), *cpu = ghlo_devices_find ("cpu");
  g_autoptr (GhloIrModule) plain = parse (text), fused = fuse (text), again = NULL;
  g_autofree char *printed = ghlo_ir_to_string (fused, GHLO_IR_PRINT_DEFAULT);

  again = parse (printed);
  run_on (reference, plain, inputs, n_inputs, outputs->runs[REFERENCE]);
  run_on (cpu, plain, inputs, n_inputs, outputs->runs[CPU]);
  run_on (cpu, fused, inputs, n_inputs, outputs->runs[FUSED]);
  run_on (reference, fused, inputs, n_inputs, outputs->runs[FUSED_REFERENCE]);
  run_on (cpu, again, inputs, n_inputs, outputs->runs[READ_AGAIN]);
}

static inline gboolean
same_bits (const GhloValue *a,
           const GhloValue *b)
{
  return a->n_bytes == b->n_bytes && memcmp (a->data, b->data, a->n_bytes) == 0;
}

static inline void
check_output (const Outputs *outputs,
              guint          output,
              const char    *text)
{
  GhloValue *values[N_RUNS];

  for (guint i = 0; i < N_RUNS; i++)
    values[i] = outputs->runs[i][output];
  for (gsize i = 0; i < values[REFERENCE]->n_elements; i++)
    if (number_at (values[REFERENCE], i) != number_at (values[CPU], i))
      g_error ("element %" G_GSIZE_FORMAT " of %u differs from the reference executor's:\n%s", i, output, text);
  if (!same_bits (values[CPU], values[FUSED]))
    g_error ("a fusion gives other bits:\n%s", text);
  if (!same_bits (values[REFERENCE], values[FUSED_REFERENCE]))
    g_error ("a fusion gives other bits on the reference executor:\n%s", text);
  if (!same_bits (values[CPU], values[READ_AGAIN]))
    g_error ("a fusion that was printed and read again gives other bits:\n%s", text);
  for (guint i = 0; i < N_RUNS; i++)
    ghlo_value_unref (values[i]);
}

/* Checks the first function's results, unfused, fused, and fused and then printed and parsed again, against the
 * reference executor's. */
static inline void
check_runs (const char *text)
{
  g_autoptr (GhloIrModule) module = parse (text);
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
  GhloValue *inputs[MAX_INPUTS];
  Outputs outputs = { 0 };

  for (guint i = 0; i < body->n_arguments; i++)
    {
      g_autoptr (GhloTensorType) type = ghlo_ir_type_to_tensor_type (body->arguments[i]->type);

      inputs[i] = ghlo_value_new_tensor (type, NULL);
      fill (inputs[i]);
    }
  g_assert_cmpuint (body->last->n_operands, <=, MAX_OUTPUTS);
  run_all (text, inputs, body->n_arguments, &outputs);
  for (guint i = 0; i < body->last->n_operands; i++)
    check_output (&outputs, i, text);
  for (guint i = 0; i < body->n_arguments; i++)
    ghlo_value_unref (inputs[i]);
}

/* The plan has lines that contain the given words, a list that ends with NULL, and the program's results are
 * unchanged. */
static inline void
check (const char *text,
       ...)
{
  g_autoptr (GhloIrModule) fused = fuse (text);
  g_autofree char *plan = print_plan (fused);
  const char *word;
  va_list words;

  va_start (words, text);
  while ((word = va_arg (words, const char *)) != NULL)
    if (strstr (plan, word) == NULL)
      g_error ("expected \"%s\" in\n%s", word, plan);
  va_end (words);
  check_runs (text);
}
