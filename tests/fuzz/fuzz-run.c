/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes the verifier, reference executor, passes and CPU plans: a program that verifies is
 * run on zeros, within limits of time and memory, unchanged on the reference executor and
 * after the passes on the CPU. A run may fail, but with an error, and on the CPU only where
 * it fails on the reference executor or reaches a limit.
 */

#include <stdlib.h>
#include <string.h>

#include "../unit/random/watchdog.h"
#include "base/ghlo-error.h"
#include "compiler/devices.h"
#include "compiler/optimize.h"
#include "import/import.h"
#include "ir/verify/verify.h"
#include "reference/device.h"

enum { MEMORY_LIMIT = 64 * 1024 * 1024, RUN_LIMIT = 200000, CODE_LIMIT = 10000000 /* microseconds */,
       MAX_INPUT_ELEMENTS = 4096,
       MAX_OUTPUTS = 1024 };

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

int
LLVMFuzzerInitialize (int    *argc,
                      char ***argv)
{
  ghlo_memory_set_limit (MEMORY_LIMIT);

  return 0;
}

/* Returns zeros for an argument of a function; NULL where they cannot be made or are too large. */
static GhloValue *
make_input (const GhloIrType *type)
{
  g_autoptr (GhloTensorType) tensor_type = NULL;

  if (type->kind == GHLO_IR_TYPE_TOKEN)
    return ghlo_value_new_token ();
  if (type->kind != GHLO_IR_TYPE_TENSOR || type->text != NULL)
    return NULL;

  tensor_type = ghlo_ir_type_to_tensor_type (type);
  for (guint i = 0; i < tensor_type->rank; i++)
    if (tensor_type->dimensions[i] < 0)
      tensor_type->dimensions[i] = 2;
  if (ghlo_tensor_type_get_n_elements (tensor_type) < 0
      || ghlo_tensor_type_get_n_elements (tensor_type) > MAX_INPUT_ELEMENTS)
    return NULL;

  return ghlo_value_new_tensor (tensor_type, NULL);
}

static void
value_free (gpointer value)
{
  if (value != NULL)
    ghlo_value_unref (value);
}

static GPtrArray *
make_inputs (GhloIrOp *function)
{
  GhloIrBlock *body = ghlo_ir_func_get_body (function);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (value_free);

  for (guint i = 0; i < body->n_arguments; i++)
    {
      GhloValue *input = make_input (body->arguments[i]->type);

      if (input == NULL)
        return NULL;
      g_ptr_array_add (inputs, input);
    }

  return g_steal_pointer (&inputs);
}

static gboolean
run_once (GhloPrepared       *prepared,
          GPtrArray          *inputs,
          GhloValue         **outputs,
          guint               n_outputs,
          const GhloMonitor  *monitor,
          GError            **error)
{
  gboolean ok = ghlo_prepared_run (prepared, NULL, (GhloValue *const *) inputs->pdata, inputs->len, outputs, monitor,
                                   error);

  for (guint i = 0; ok && i < n_outputs; i++)
    value_free (g_steal_pointer (&outputs[i]));

  return ok;
}

/* Prepares and runs @function of @module, and once more after its machine code is ready. */
static gboolean
run_on (GhloDeviceCore     *device,
        GhloIrModule       *module,
        GhloIrOp           *function,
        GPtrArray          *inputs,
        const GhloMonitor  *monitor,
        GError            **error)
{
  guint n_outputs = ghlo_ir_op_get (function, "function_type")->type->n_results;
  g_autofree GhloValue **outputs = g_new0 (GhloValue *, n_outputs + 1);
  g_autoptr (GhloPrepared) prepared = ghlo_devices_prepare (device, module, function, monitor, error);

  if (prepared == NULL || !run_once (prepared, inputs, outputs, n_outputs, monitor, error))
    return FALSE;
  if (device == ghlo_reference_device ())
    return TRUE;
  watchdog_begin (monitor->cancellable, CODE_LIMIT);

  return ghlo_prepared_wait_for_code (prepared, monitor, error)
         && run_once (prepared, inputs, outputs, n_outputs, monitor, error);
}

/* Returns whether the run ended without reaching a limit. */
static gboolean
has_ended (gboolean      ok,
           const GError *error)
{
  g_assert_true (ok == (error == NULL));

  return !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
         && !g_error_matches (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
}

static GhloIrOp *
find_function (GhloIrModule *module,
               const char   *name)
{
  GhloIrBlock *body = ghlo_ir_op_region_block (module->op, 0);

  for (GhloIrOp *op = body->first; op != NULL; op = op->next)
    if (op->kind == GHLO_OP_FUNC_FUNC && g_strcmp0 (ghlo_ir_op_get_string (op, "sym_name"), name) == 0)
      return op;

  return NULL;
}

static void
run_function (GhloIrModule *module,
              GhloIrModule *optimized,
              GhloIrOp     *function)
{
  GhloDeviceCore *reference = ghlo_reference_device (), *cpu = ghlo_devices_find ("cpu");
  GhloIrOp *other = optimized != NULL ? find_function (optimized, ghlo_ir_op_get_string (function, "sym_name")) : NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL, cpu_error = NULL;
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GPtrArray) inputs = NULL;
  gboolean ok;

  if (ghlo_ir_func_get_body (function) == NULL
      || ghlo_ir_op_get (function, "function_type")->type->n_results > MAX_OUTPUTS)
    return;
  inputs = make_inputs (function);
  if (inputs == NULL)
    return;
  watchdog_begin (cancellable, RUN_LIMIT);
  ok = run_on (reference, module, function, inputs, &monitor, &error);
  if (has_ended (ok, error) && other != NULL)
    {
      watchdog_begin (cancellable, RUN_LIMIT);
      if (has_ended (run_on (cpu, optimized, other, inputs, &monitor, &cpu_error), cpu_error) && ok
          && cpu_error != NULL)
        g_error ("fails on the CPU alone: %s", cpu_error->message);
    }
  watchdog_end ();
}

/* Returns the module after the passes, with its fusions; NULL when they took too long. */
static GhloIrModule *
optimize (GhloIrModule *module)
{
  const GhloOptimizeOptions options = { .level = 2, .evaluator = ghlo_reference_device () };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;
  GhloIrModule *optimized;

  watchdog_begin (cancellable, RUN_LIMIT);
  optimized = ghlo_optimize (module, &options, &monitor, NULL, &error);
  if (optimized != NULL
      && !ghlo_fuse (optimized, ghlo_devices_find ("cpu"), &options, NULL, NULL, &monitor, NULL, &error))
    g_clear_pointer (&optimized, ghlo_ir_module_unref);
  watchdog_end ();
  if (optimized == NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_error ("the passes fail: %s", error->message);

  return optimized;
}

int
LLVMFuzzerTestOneInput (const guint8 *data,
                        gsize         size)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("fuzz.mlir", (const char *) data, size);
  g_autoptr (GhloIrModule) module = ghlo_import_text ((const char *) data, size, GHLO_IMPORT_DEFAULT, diagnostics,
    NULL);
  g_autoptr (GhloIrModule) optimized = NULL;
  GhloIrBlock *body;

  if (module == NULL || !ghlo_ir_verify (module, diagnostics, NULL))
    {
      g_assert_cmpuint (diagnostics->n_errors, >, 0);
      return 0;
    }

  optimized = optimize (module);
  body = ghlo_ir_op_region_block (module->op, 0);
  for (GhloIrOp *op = body != NULL ? body->first : NULL; op != NULL; op = op->next)
    if (op->kind == GHLO_OP_FUNC_FUNC)
      run_function (module, optimized, op);

  return 0;
}
