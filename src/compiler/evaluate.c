/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One operation run by a device, on constants.
 */

#include "compiler/evaluate.h"

#include "base/ghlo-error.h"

/* The outermost module of a new program, with an empty body. */
static GhloIrBlock *
begin_module (GhloIrModule *module)
{
  module->op = ghlo_ir_op_new (module, &(GhloIrOpState) { .kind = GHLO_OP_BUILTIN_MODULE, .n_regions = 1 });

  return ghlo_ir_region_add_block (module, &module->op->regions[0]);
}

static GhloIrOp *
add_function (GhloIrModule     *module,
              GhloIrBlock      *body,
              const GhloIrType *type)
{
  const GhloIrNamedAttr attributes[] = {
    { "sym_name", ghlo_ir_attr_string (module, "main", -1) },
    { "function_type", ghlo_ir_attr_type (module, type) },
  };
  GhloIrOp *function = ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = GHLO_OP_FUNC_FUNC, .n_regions = 1, .attributes = attributes, .n_attributes = G_N_ELEMENTS (attributes),
  });

  ghlo_ir_block_append (body, function);

  return function;
}

/* A program whose function "main" takes what @op takes and gives what it gives. */
static GhloIrModule *
outline (const GhloIrOp          *op,
         const GhloIrAttr *const *operands)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("<constant>");
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);
  g_autofree const GhloIrType **inputs = g_new (const GhloIrType *, op->n_operands + 1);
  g_autofree const GhloIrType **results = g_new (const GhloIrType *, op->n_results + 1);
  g_autofree GhloIrValue **returned = g_new (GhloIrValue *, op->n_results + 1);
  GhloIrBlock *body = begin_module (module), *block;
  GhloIrOp *function, *copy;

  for (guint i = 0; i < op->n_operands; i++)
    inputs[i] = ghlo_ir_type_copy (module, operands[i]->type, made);
  for (guint i = 0; i < op->n_results; i++)
    results[i] = ghlo_ir_type_copy (module, op->results[i].type, made);
  function = add_function (module, body, ghlo_ir_type_function (module, inputs, op->n_operands, results,
                                                                op->n_results));
  block = ghlo_ir_region_add_block (module, &function->regions[0]);
  /* An operand that is used twice is one argument for both; the other gets no user. */
  for (guint i = 0; i < op->n_operands; i++)
    g_hash_table_insert (made, ghlo_ir_op_operand (op, i), ghlo_ir_block_add_argument (module, block, inputs[i], NULL));

  copy = ghlo_ir_op_copy (module, op, FALSE, made);
  ghlo_ir_block_append (block, copy);
  for (guint i = 0; i < op->n_results; i++)
    returned[i] = &copy->results[i];
  ghlo_ir_block_append (block, ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = GHLO_OP_FUNC_RETURN, .operands = returned, .n_operands = op->n_results,
  }));

  return g_steal_pointer (&module);
}

/* The tensor of a dense attribute, its bytes shared where they are written out. */
static GhloValue *
value_of (const GhloIrAttr *attr,
          GError          **error)
{
  g_autoptr (GhloTensorType) type = ghlo_ir_type_to_tensor_type (attr->type);
  GhloValue *value;

  if (!attr->dense.splat)
    return ghlo_value_new_for_bytes (type, attr->dense.bytes, error);

  value = ghlo_value_new_tensor (type, error);
  if (value != NULL)
    for (gsize i = 0; i < value->n_elements; i++)
      ghlo_element_store (type->element_type, value->data + i * ghlo_element_info (type->element_type)->size,
                          ghlo_ir_dense_get (attr, 0));

  return value;
}

static const GhloIrAttr *
attr_of (GhloIrModule     *module,
         const GhloIrType *type,
         GhloValue        *value)
{
  gsize size = ghlo_element_info (type->element_type)->size;

  /* A copy: the attribute outlives the run, and values of ours are counted memory. */
  return ghlo_ir_attr_dense (module, type, g_bytes_new (value->data, value->n_bytes), value->n_bytes == size, NULL);
}

static void
clear_values (GhloValue **values,
              guint       n)
{
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&values[i], ghlo_value_unref);
}

static gboolean
run_outlined (GhloDeviceEvaluator     *self,
              GhloIrModule            *program,
              const GhloIrOp          *op,
              const GhloIrAttr *const *operands,
              GhloValue              **outputs,
              GError                 **error)
{
  g_autofree GhloValue **inputs = g_new0 (GhloValue *, op->n_operands + 1);
  const GhloMonitor monitor = { .cancellable = self->monitor != NULL ? self->monitor->cancellable : NULL };
  g_autoptr (GhloPrepared) prepared = ghlo_device_core_prepare (self->device, program,
                                                                ghlo_ir_module_get_entry (program), NULL, &monitor,
                                                                error);
  gboolean ok = prepared != NULL;

  for (guint i = 0; ok && i < op->n_operands; i++)
    ok = (inputs[i] = value_of (operands[i], error)) != NULL;
  ok = ok && ghlo_prepared_run (prepared, NULL, inputs, op->n_operands, outputs, &monitor, error);
  clear_values (inputs, op->n_operands);

  return ok;
}

static gboolean
evaluate (gpointer                 data,
          GhloIrModule            *module,
          const GhloIrOp          *op,
          const GhloIrAttr *const *operands,
          GPtrArray               *results,
          GError                 **error)
{
  g_autoptr (GhloIrModule) program = outline (op, operands);
  g_autofree GhloValue **outputs = g_new0 (GhloValue *, op->n_results + 1);

  if (!run_outlined (data, program, op, operands, outputs, error))
    return FALSE;

  for (guint i = 0; i < op->n_results; i++)
    g_ptr_array_add (results, (gpointer) attr_of (module, op->results[i].type, outputs[i]));
  clear_values (outputs, op->n_results);

  return TRUE;
}

GhloPassEvaluator
ghlo_device_evaluator (GhloDeviceEvaluator *self)
{
  return (GhloPassEvaluator) { evaluate, self };
}
