/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Control flow, calls, tuples, tokens, and operations that return their operands.
 */

#include "reference/frame.h"
#include "reference/kernels.h"

/* Runs a region without arguments whose results become those of the operation. */
static gboolean
run_branch (GhloRefCall *call,
            guint        region,
            GError     **error)
{
  const GhloRefStep *step = ghlo_ref_call_get_step (call);

  if (step == NULL || region >= step->n_regions || step->regions[region].n_returned != call->op->n_results)
    return ghlo_ref_fail (call, error, "expected region %u to have %u results", region, call->op->n_results);

  return ghlo_ref_run_region (call, region, NULL, 0, call->results, error);
}

static gboolean
read_scalar (GhloRefCall     *call,
             const GhloValue *value,
             gint64          *number,
             GError         **error)
{
  if (value->kind != GHLO_VALUE_TENSOR || value->n_elements != 1)
    {
      g_autofree char *found = ghlo_ref_value_describe (value);

      return ghlo_ref_fail (call, error, "expected a scalar as condition or branch index, found %s", found);
    }
  *number = ghlo_ref_load (value, 0).i;

  return TRUE;
}

gboolean
ghlo_ref_if (GhloRefCall *call,
             GError     **error)
{
  gint64 predicate;

  return read_scalar (call, call->operands[0], &predicate, error)
         && run_branch (call, predicate != 0 ? 0 : 1, error);
}

gboolean
ghlo_ref_case (GhloRefCall *call,
               GError     **error)
{
  gint64 index, n = call->op->n_regions;

  if (!read_scalar (call, call->operands[0], &index, error))
    return FALSE;

  return run_branch (call, index >= 0 && index < n ? index : n - 1, error);
}

/* The progress of a counted loop, whose condition is "argument < constant" on integers. For any other loop,
 * limit is not above first. */
typedef struct
{
  guint  argument;
  gint64 first, limit;
} Counter;

static Counter
find_counter (const GhloRefCall *call,
              GhloValue *const  *values)
{
  static const Counter none = { 0 };
  GhloIrBlock *block = ghlo_ir_op_region_block (call->op, 0);
  const GhloIrValue *predicate, *index, *limit;
  const GhloIrAttr *direction, *constant;

  if (block == NULL || block->last == NULL || block->last->n_operands != 1)
    return none;
  predicate = ghlo_ir_op_operand (block->last, 0);
  if (predicate->op == NULL || predicate->op->kind != GHLO_OP_STABLEHLO_COMPARE)
    return none;
  index = ghlo_ir_op_operand (predicate->op, 0);
  limit = ghlo_ir_op_operand (predicate->op, 1);
  direction = ghlo_ir_op_get (predicate->op, "comparison_direction");
  if (index->block != block || limit->op == NULL || limit->op->kind != GHLO_OP_STABLEHLO_CONSTANT
      || direction == NULL || g_strcmp0 (ghlo_ir_enum_word (direction), "LT") != 0
      || !ghlo_element_type_is_integer (index->type->element_type))
    return none;
  constant = ghlo_ir_op_get (limit->op, "value");
  if (constant == NULL || constant->kind != GHLO_IR_ATTR_DENSE || constant->dense.n_elements != 1)
    return none;

  return (Counter) {
    .argument = index->index,
    .first = ghlo_ref_load (values[index->index], 0).i,
    .limit = ghlo_ir_dense_get (constant, 0).i,
  };
}

static gboolean
check_loop (const GhloRefCall *call,
            GError           **error)
{
  const GhloRefStep *step = ghlo_ref_call_get_step (call);
  guint n = call->n_operands;

  if (step == NULL || step->n_regions != 2
      || !step->regions[0].is_present || step->regions[0].n_arguments != n || step->regions[0].n_returned != 1
      || !step->regions[1].is_present || step->regions[1].n_arguments != n || step->regions[1].n_returned != n)
    return ghlo_ref_fail (call, error, "expected a condition and a body over %u values", n);

  return TRUE;
}

static gboolean
loop_goes_on (GhloRefCall *call,
              GhloValue  **values,
              gint64      *goes_on,
              GError     **error)
{
  g_autoptr (GhloValue) predicate = NULL;

  return ghlo_ref_continue (call, error)
         && ghlo_ref_run_region (call, 0, values, call->n_operands, &predicate, error)
         && read_scalar (call, predicate, goes_on, error);
}

/* @values are owned at all times. The body takes them, so that a value it replaces is freed as soon as it is
 * no longer used. */
static gboolean
run_loop (GhloRefCall *call,
          GhloValue  **values,
          GError     **error)
{
  const GhloRefBlock *body = &ghlo_ref_call_get_step (call)->regions[1];
  g_autofree GhloValue **next = g_new0 (GhloValue *, call->n_operands + 1);
  guint n = call->n_operands;
  Counter counter = find_counter (call, values);
  gint64 goes_on;

  for (;;)
    {
      if (!loop_goes_on (call, values, &goes_on, error))
        return FALSE;
      if (!goes_on)
        return TRUE;
      if (!ghlo_ref_frame_run (call->frame, body, values, next, error))
        return FALSE;
      for (guint i = 0; i < n; i++)
        values[i] = g_steal_pointer (&next[i]);
      if (counter.limit > counter.first)
        ghlo_ref_call_report (call, (double) (ghlo_ref_load (values[counter.argument], 0).i - counter.first)
                                    / ((double) counter.limit - counter.first));
    }
}

gboolean
ghlo_ref_while (GhloRefCall *call,
                GError     **error)
{
  guint n = call->n_operands;
  g_autofree GhloValue **values = NULL;
  gboolean ok;

  if (!check_loop (call, error))
    return FALSE;
  values = g_new0 (GhloValue *, n + 1);
  for (guint i = 0; i < n; i++)
    values[i] = ghlo_ref_call_take_operand (call, i);

  ok = run_loop (call, values, error);
  for (guint i = 0; i < n && ok; i++)
    ok = ghlo_ref_pass (call, i, values[i], error);
  ghlo_values_clear (values, n);

  return ok;
}

static gboolean
run_callee (GhloRefCall *call,
            const char  *attribute,
            GError     **error)
{
  const GhloRefStep *step = ghlo_ref_call_get_step (call);
  const GhloRefFunction *callee = step != NULL ? step->callee : NULL;
  const char *name = ghlo_ir_op_get_string (call->op, attribute);
  g_autofree GhloValue **arguments = NULL;

  if (callee == NULL)
    return ghlo_ref_fail (call, error, "expected a function '@%s' with a body, found none", name != NULL ? name : "");
  if (callee->body.n_arguments != call->n_operands || callee->body.n_returned != call->op->n_results)
    return ghlo_ref_fail (call, error, "expected function '@%s' with %u arguments and %u results, found %u and %u",
                          name, call->n_operands, call->op->n_results, callee->body.n_arguments,
                          callee->body.n_returned);

  arguments = g_new (GhloValue *, call->n_operands + 1);
  for (guint i = 0; i < call->n_operands; i++)
    arguments[i] = ghlo_ref_call_take_operand (call, i);

  return ghlo_ref_enter_function (call->frame->process, callee, call->frame->depth + 1, arguments, call->results,
                                  error);
}

gboolean
ghlo_ref_call (GhloRefCall *call,
               GError     **error)
{
  return run_callee (call, "callee", error);
}

gboolean
ghlo_ref_composite (GhloRefCall *call,
                    GError     **error)
{
  return run_callee (call, "decomposition", error);
}

gboolean
ghlo_ref_tuple (GhloRefCall *call,
                GError     **error)
{
  call->results[0] = ghlo_value_new_tuple (call->operands, call->n_operands);

  return TRUE;
}

gboolean
ghlo_ref_get_tuple_element (GhloRefCall *call,
                            GError     **error)
{
  const GhloValue *tuple = call->operands[0];
  gint64 index = ghlo_ir_op_get_int (call->op, "index", -1);

  if (tuple->kind != GHLO_VALUE_TUPLE || index < 0 || index >= tuple->n_members)
    return ghlo_ref_fail (call, error, "expected an index below %u, found %" G_GINT64_FORMAT, tuple->n_members, index);

  return ghlo_ref_pass (call, 0, tuple->members[index], error);
}

static gboolean
pass_all (GhloRefCall *call,
          GError     **error)
{
  if (call->n_operands != call->op->n_results)
    return ghlo_ref_fail (call, error, "expected as many operands as results, found %u and %u", call->n_operands,
                          call->op->n_results);
  for (guint i = 0; i < call->n_operands; i++)
    if (!ghlo_ref_pass (call, i, call->operands[i], error))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ref_optimization_barrier (GhloRefCall *call,
                               GError     **error)
{
  return pass_all (call, error);
}

gboolean
ghlo_ref_identity (GhloRefCall *call,
                   GError     **error)
{
  return pass_all (call, error);
}

/* Operations that only describe how tensors are to be sharded. */
gboolean
ghlo_ref_no_op (GhloRefCall *call,
                GError     **error)
{
  return TRUE;
}

gboolean
ghlo_ref_conversion_cast (GhloRefCall *call,
                          GError     **error)
{
  return pass_all (call, error);
}

/* Supported only on one device, where each shard is the whole tensor. */
gboolean
ghlo_ref_manual_computation (GhloRefCall *call,
                             GError     **error)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (call->op, 0);
  const GhloRefStep *step = ghlo_ref_call_get_step (call);

  for (guint i = 0; block != NULL && i < call->n_operands && i < block->n_arguments; i++)
    if (!ghlo_ref_value_fits (call->operands[i], block->arguments[i]->type))
      {
        g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                     "expected a computation on one device, found operand %u split between devices", i);
        return FALSE;
      }
  if (step == NULL || step->regions[0].n_returned != call->op->n_results)
    return ghlo_ref_fail (call, error, "expected a region with %u results", call->op->n_results);
  if (!ghlo_ref_run_region (call, 0, call->operands, call->n_operands, call->results, error))
    return FALSE;

  for (guint i = 0; i < call->op->n_results; i++)
    if (!ghlo_ref_value_fits (call->results[i], call->op->results[i].type))
      {
        g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                     "expected a computation on one device, found result %u split between devices", i);
        return FALSE;
      }

  return TRUE;
}

gboolean
ghlo_ref_after_all (GhloRefCall *call,
                    GError     **error)
{
  call->results[0] = ghlo_value_new_token ();

  return TRUE;
}

gboolean
ghlo_ref_create_token (GhloRefCall *call,
                       GError     **error)
{
  return ghlo_ref_after_all (call, error);
}
