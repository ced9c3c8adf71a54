/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The work of operations, computed from their types.
 */

#include "plan/work.h"

#include "base/element.h"
#include "ir/cost.h"
#include "plan/plan.h"

/* The maximum number of views that are followed. */
enum { MAX_VIEWS = 64 };

static GhloProductRate
product_of (const GhloIrOp *op)
{
  const GhloIrType *type = op->n_operands > 0 ? ghlo_ir_op_operand (op, 0)->type : NULL;
  GhloElementType element = type != NULL ? type->element_type : GHLO_ELEMENT_TYPE_INVALID;

  if (element == GHLO_ELEMENT_TYPE_F64 || ghlo_element_type_is_complex (element))
    return GHLO_PRODUCT_WIDE;

  return element != GHLO_ELEMENT_TYPE_INVALID && ghlo_element_info (element)->size <= 2 ? GHLO_PRODUCT_NARROW
                                                                                        : GHLO_PRODUCT_F32;
}

void
ghlo_step_work_add (GhloStepWork   *work,
                    const GhloIrOp *op)
{
  GhloIrCost cost = { .exact = TRUE };

  ghlo_ir_cost_add (&cost, op);
  work->scalars += cost.scalar_operations;
  work->products[product_of (op)] += cost.product_operations;
  work->exact &= cost.exact;
}

/* Negative where a rate is not known. */
static double
operations_time (const GhloStepWork    *work,
                 const GhloDeviceRates *rates)
{
  double seconds = work->scalars / rates->scalars;

  for (guint i = 0; i < GHLO_N_PRODUCT_RATES; i++)
    {
      if (work->products[i] > 0 && rates->products[i] <= 0)
        return -1;
      seconds += work->products[i] > 0 ? work->products[i] / rates->products[i] : 0;
    }

  return seconds;
}

double
ghlo_step_work_time (const GhloStepWork    *work,
                     const GhloDeviceRates *rates)
{
  double operations;

  if (rates == NULL || rates->bytes <= 0 || rates->scalars <= 0)
    return -1;
  operations = operations_time (work, rates);

  return operations < 0 ? -1 : MAX (work->bytes / rates->bytes, operations);
}

const GhloIrValue *
ghlo_step_source (const GhloIrValue *value)
{
  for (guint n = 0; n < MAX_VIEWS && value->op != NULL; n++)
    {
      if (value->op->n_operands == 0 || !ghlo_step_is_view (value->op))
        break;
      value = ghlo_ir_op_operand (value->op, 0);
    }

  return value;
}

double
ghlo_step_value_bytes (const GhloIrValue *value)
{
  const GhloIrType *type = value->type;

  if (type->kind != GHLO_IR_TYPE_TENSOR || !ghlo_ir_type_has_static_shape (type))
    return 0;

  return ghlo_ir_type_count_elements (type) * ghlo_element_info (type->element_type)->size;
}

/* The operand whose size says how many bytes @op writes in place; GHLO_STEP_NONE where it does not work in place. */
static guint
find_update (const GhloIrOp *op,
             guint           result)
{
  if (op->kind == GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE)
    return 1;

  return op->kind == GHLO_OP_STABLEHLO_SCATTER ? op->n_results + 1 + result : GHLO_STEP_NONE;
}

/* The source of a broadcast has fewer bytes than the broadcast itself, and a slice fewer than its source. */
double
ghlo_step_bytes_read (const GhloIrOp *op,
                      guint           operand)
{
  const GhloIrValue *value = ghlo_ir_op_operand (op, operand);
  double bytes = MIN (ghlo_step_value_bytes (value), ghlo_step_value_bytes (ghlo_step_source (value)));

  if (find_update (op, 0) != GHLO_STEP_NONE && operand < op->n_results)
    return 0;

  return ghlo_ir_op_reads_part (op, operand) ? MIN (bytes, ghlo_step_value_bytes (&op->results[0])) : bytes;
}

double
ghlo_step_bytes_written (const GhloIrOp *op,
                         guint           result)
{
  guint update = find_update (op, result);

  return ghlo_step_value_bytes (update != GHLO_STEP_NONE ? ghlo_ir_op_operand (op, update) : &op->results[result]);
}
