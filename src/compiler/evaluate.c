/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Evaluates one operation on constants by running it on a device.
 */

#include "compiler/evaluate.h"

#include "base/bytes.h"
#include "base/ghlo-error.h"
#include "ir/outline.h"

/* The tensor of a dense attribute; shares its bytes unless it is a splat. */
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
attr_of (GhloIrModule      *module,
         const GhloIrType  *type,
         GhloValue         *value,
         GError           **error)
{
  gsize size = ghlo_element_info (type->element_type)->size;
  /* The attribute outlives the run, and the value's memory counts towards the memory limit. */
  GBytes *bytes = ghlo_bytes_copy (value->data, value->n_bytes, error);

  return bytes != NULL ? ghlo_ir_attr_dense (module, type, bytes, value->n_bytes == size, NULL) : NULL;
}

/* The attribute of an operand; equal operands have the same one. */
static const GhloIrAttr *
constant_of (const GhloIrOp          *op,
             const GhloIrAttr *const *operands,
             const GhloIrValue       *operand)
{
  guint i = 0;

  while (ghlo_ir_op_operand (op, i) != operand)
    i++;

  return operands[i];
}

static gboolean
run_outlined (GhloDeviceEvaluator     *self,
              GhloIrModule            *program,
              const GhloIrOp          *op,
              const GhloIrAttr *const *operands,
              GhloValue              **outputs,
              GError                 **error)
{
  const GhloMonitor monitor = { .cancellable = self->monitor != NULL ? self->monitor->cancellable : NULL };
  g_autoptr (GPtrArray) taken = g_ptr_array_new ();
  GhloIrOp *function = ghlo_ir_outline (program, &op, 1, ghlo_ir_op_get_name (op), taken, NULL);
  g_autofree GhloValue **inputs = g_new0 (GhloValue *, taken->len + 1);
  g_autoptr (GhloPrepared) prepared = ghlo_device_core_prepare (self->device, program, function, NULL, &monitor,
                                                                error);
  gboolean ok = prepared != NULL;

  for (guint i = 0; ok && i < taken->len; i++)
    ok = (inputs[i] = value_of (constant_of (op, operands, taken->pdata[i]), error)) != NULL;
  ok = ok && ghlo_prepared_run (prepared, NULL, inputs, taken->len, outputs, &monitor, error);
  ghlo_values_clear (inputs, taken->len);

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
  g_autoptr (GhloIrModule) program = ghlo_ir_outline_module_new (module);
  g_autofree GhloValue **outputs = g_new0 (GhloValue *, op->n_results + 1);
  gboolean ok = TRUE;

  if (!run_outlined (data, program, op, operands, outputs, error))
    return FALSE;

  for (guint i = 0; ok && i < op->n_results; i++)
    {
      const GhloIrAttr *attr = attr_of (module, op->results[i].type, outputs[i], error);

      ok = attr != NULL;
      if (ok)
        g_ptr_array_add (results, (gpointer) attr);
    }
  ghlo_values_clear (outputs, op->n_results);

  return ok;
}

GhloPassEvaluator
ghlo_device_evaluator (GhloDeviceEvaluator *self)
{
  return (GhloPassEvaluator) { evaluate, self };
}
