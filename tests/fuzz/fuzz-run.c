/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes verifier and reference executor: whatever verifies is run, on zeros,
 * within limits of time and memory. A run may fail, but with an error.
 */

#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "ir/verify.h"
#include "reference/reference.h"

enum { MEMORY_LIMIT = 64 * 1024 * 1024, RUN_LIMIT = 200000 /* microseconds */, MAX_INPUT_ELEMENTS = 4096 };

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* The watchdog cancels the run whose deadline has passed. */
static GMutex mutex;
static GCancellable *running;     /* under mutex */
static gint64 deadline;           /* under mutex */

static gpointer
watch (gpointer data)
{
  while (TRUE)
    {
      g_usleep (20000);
      g_mutex_lock (&mutex);
      if (running != NULL && g_get_monotonic_time () > deadline)
        g_cancellable_cancel (running);
      g_mutex_unlock (&mutex);
    }

  return NULL;
}

int
LLVMFuzzerInitialize (int    *argc,
                      char ***argv)
{
  ghlo_memory_set_limit (MEMORY_LIMIT);
  g_thread_unref (g_thread_new ("watchdog", watch, NULL));

  return 0;
}

static void
set_running (GCancellable *cancellable)
{
  g_mutex_lock (&mutex);
  running = cancellable;
  deadline = g_get_monotonic_time () + RUN_LIMIT;
  g_mutex_unlock (&mutex);
}

/* Zeros for an argument of a function; NULL for what cannot be made or is large. */
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

static void
run_function (GhloIrModule *module,
              GhloIrOp     *function)
{
  const GhloExecutor *executor = ghlo_reference_executor ();
  const GhloIrAttr *type = ghlo_ir_op_get (function, "function_type");
  GhloIrBlock *body = ghlo_ir_func_get_body (function);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (value_free);
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func (value_free);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GhloMonitor monitor = { .cancellable = cancellable };
  GhloPrepared *prepared;

  if (body == NULL || type->type->n_results > 1024)
    return;
  for (guint i = 0; i < body->n_arguments; i++)
    {
      GhloValue *input = make_input (body->arguments[i]->type);

      if (input == NULL)
        return;
      g_ptr_array_add (inputs, input);
    }

  prepared = executor->prepare (module, function, &monitor, &error);
  if (prepared == NULL)
    {
      g_assert_nonnull (error);
      return;
    }
  g_ptr_array_set_size (outputs, (int) type->type->n_results);
  set_running (cancellable);
  if (!executor->run (prepared, NULL, (GhloValue *const *) inputs->pdata, inputs->len, (GhloValue **) outputs->pdata,
                      &monitor, &error))
    {
      g_assert_nonnull (error);
      /* What a failed run left in the array is not ours. */
      memset (outputs->pdata, 0, outputs->len * sizeof (gpointer));
    }
  set_running (NULL);
  executor->release (prepared);
}

int
LLVMFuzzerTestOneInput (const guint8 *data,
                        gsize         size)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("fuzz.mlir", (const char *) data, size);
  g_autoptr (GhloIrModule) module = ghlo_import_text ((const char *) data, size, GHLO_IMPORT_DEFAULT, diagnostics,
    NULL);
  GhloIrBlock *body;

  if (module == NULL || !ghlo_ir_verify (module, diagnostics, NULL))
    {
      g_assert_cmpuint (diagnostics->n_errors, >, 0);
      return 0;
    }

  body = ghlo_ir_op_region_block (module->op, 0);
  for (GhloIrOp *op = body != NULL ? body->first : NULL; op != NULL; op = op->next)
    if (op->kind == GHLO_OP_FUNC_FUNC)
      run_function (module, op);

  return 0;
}
