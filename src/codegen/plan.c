/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making a plan: operation by operation. What is no view, no copy and no loop is a
 * kernel of the target, or else a step of the fallback executor.
 */

#include "codegen/plan.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "codegen/build.h"
#include "ir/outline.h"

/* How often a long plan looks whether to stop. */
enum { LOOK = 256 };

static gboolean
unsupported (GError         **error,
             const GhloIrOp  *op,
             const char      *reason)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "%s cannot be planned: %s", ghlo_ir_op_get_name (op), reason);

  return FALSE;
}

static gboolean
can_hold (const GhloIrType *type)
{
  if (type->kind == GHLO_IR_TYPE_TUPLE)
    {
      for (guint i = 0; i < type->rank; i++)
        if (!can_hold (type->members[i]))
          return FALSE;
      return TRUE;
    }
  if (type->kind == GHLO_IR_TYPE_TOKEN)
    return TRUE;

  return type->kind == GHLO_IR_TYPE_TENSOR && ghlo_ir_type_has_static_shape (type)
         && type->element_type != GHLO_ELEMENT_TYPE_INVALID;
}

/* An operand as a kernel takes it: as it is, or a dense copy. */
static GhloCodeOperand
kernel_operand (GhloCodeBuilder      *self,
                const GhloCodeKernel *kernel,
                const GhloIrOp       *op,
                guint                 index)
{
  GhloCodeValue *value = ghlo_code_value (self, ghlo_ir_op_operand (op, index));

  if (value->operand.buffer == GHLO_CODE_NO_BUFFER || ghlo_code_is_dense (&value->operand)
      || (kernel != NULL && kernel->takes != NULL && kernel->takes (op, index, &value->operand)))
    return value->operand;

  return ghlo_code_densify (self, value);
}

/* The buffer of operand @index when result 0 may be written over it. */
static gboolean
find_in_place (GhloCodeBuilder       *self,
               const GhloCodeKernel  *kernel,
               const GhloIrOp        *op,
               const GhloCodeOperand *operands,
               guint32               *buffer)
{
  int index = kernel->in_place != NULL ? kernel->in_place (op) : -1;
  const GhloCodeOperand *operand = index >= 0 ? &operands[index] : NULL;

  /* No other use of the memory is to come, and none of this operation's own. */
  if (operand == NULL || operand->buffer == GHLO_CODE_NO_BUFFER || !ghlo_code_is_whole (self, operand)
      || ghlo_code_buffer (self, operand->buffer)->kind != GHLO_CODE_BUFFER_TEMPORARY
      || ghlo_code_buffer_state (self, operand->buffer)->uses != 0
      || ghlo_code_type_size (op->results[0].type) != ghlo_code_buffer (self, operand->buffer)->size)
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    if (i != (guint) index && operands[i].buffer == operand->buffer)
      return FALSE;
  *buffer = operand->buffer;

  return TRUE;
}

/* Whether the buffer is one of this scope, so that nothing here happens again
 * before what made it does; a loop's carried buffers are of its body. */
static gboolean
is_of_scope (GhloCodeBuilder *self,
             guint32          buffer)
{
  return ghlo_code_buffer_state (self, buffer)->scope == self->scope;
}

static gboolean
build_kernel (GhloCodeBuilder       *self,
              const GhloCodeKernel  *kernel,
              const GhloIrOp        *op,
              gboolean              *built,
              GError               **error)
{
  g_autofree GhloCodeOperand *operands = g_new0 (GhloCodeOperand, op->n_operands + 1);
  g_autofree GhloCodeOperand *results = g_new0 (GhloCodeOperand, op->n_results + 1);
  GError *problem = NULL;
  gpointer prepared;
  gsize scratch = 0;
  GhloCodeStep *step;
  guint32 buffer;

  for (guint i = 0; i < op->n_results; i++)
    results[i] = ghlo_code_dense_operand (self, GHLO_CODE_NO_BUFFER, op->results[i].type);
  for (guint i = 0; i < op->n_operands; i++)
    operands[i] = kernel_operand (self, kernel, op, i);
  prepared = kernel->prepare (op, operands, results, &scratch, &problem);
  *built = prepared != NULL;
  if (prepared == NULL)
    {
      if (problem != NULL)
        g_propagate_error (error, problem);
      return problem == NULL;
    }

  ghlo_code_use_operands (self, op);
  if (op->n_results > 0 && find_in_place (self, kernel, op, operands, &buffer) && is_of_scope (self, buffer))
    results[0] = ghlo_code_dense_operand (self, buffer, op->results[0].type);
  for (guint i = 0; i < op->n_results; i++)
    if (results[i].buffer == GHLO_CODE_NO_BUFFER)
      results[i] = ghlo_code_add_result (self, &op->results[i]);
  step = ghlo_code_add_step (self, GHLO_CODE_STEP_KERNEL, op, op->n_operands, op->n_results);
  step->kernel = kernel;
  step->prepared = prepared;
  memcpy (step->operands, operands, op->n_operands * sizeof *operands);
  memcpy (step->results, results, op->n_results * sizeof *results);
  if (scratch > 0)
    step->scratch = ghlo_code_add_buffer (self, GHLO_CODE_BUFFER_TEMPORARY, 0, scratch);
  ghlo_code_touch_step (self, step);
  for (guint i = 0; i < op->n_results; i++)
    ghlo_code_bind (self, &op->results[i], results[i]);

  return TRUE;
}

/* The fallback executor runs the operation as a function of its own. */
static gboolean
build_reference (GhloCodeBuilder  *self,
                 const GhloIrOp   *op,
                 const char       *reason,
                 GError          **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (GhloIrModule) module = ghlo_ir_outline (op, inputs);
  g_autofree GhloCodeOperand *operands = g_new0 (GhloCodeOperand, inputs->len + 1);
  GhloCodeStep *step;

  for (guint i = 0; i < inputs->len; i++)
    {
      GhloCodeValue *value = ghlo_code_value (self, g_ptr_array_index (inputs, i));

      if (value->members != NULL)
        return unsupported (error, op, "it takes a tuple");
      operands[i] = value->operand.buffer != GHLO_CODE_NO_BUFFER ? ghlo_code_densify (self, value) : value->operand;
    }
  for (guint i = 0; i < op->n_results; i++)
    if (op->results[i].type->kind == GHLO_IR_TYPE_TUPLE)
      return unsupported (error, op, "it gives a tuple");
  ghlo_code_use_operands (self, op);
  step = ghlo_code_add_step (self, GHLO_CODE_STEP_REFERENCE, op, inputs->len, op->n_results);
  step->reason = reason;
  step->module = g_steal_pointer (&module);
  memcpy (step->operands, operands, inputs->len * sizeof *operands);
  for (guint i = 0; i < op->n_results; i++)
    {
      step->results[i] = ghlo_code_add_result (self, &op->results[i]);
      ghlo_code_bind (self, &op->results[i], step->results[i]);
    }
  ghlo_code_touch_step (self, step);

  return TRUE;
}

/* Uses inside of the operation's regions, of values from outside of it. */
static gboolean
check_op (const GhloIrOp  *op,
          GError         **error)
{
  for (guint i = 0; i < op->n_results; i++)
    if (!can_hold (op->results[i].type))
      return unsupported (error, op, "the shape of a result is not known, or no buffer holds it");
  if (op->kind == GHLO_OP_FUNC_CALL || op->kind == GHLO_OP_STABLEHLO_COMPOSITE)
    return unsupported (error, op, "a call was not put in its place");

  return TRUE;
}

static gboolean
build_op (GhloCodeBuilder  *self,
          const GhloIrOp   *op,
          GError          **error)
{
  const GhloCodeKernel *kernel;
  gboolean built;

  if (++self->n_ops % LOOK == 0 && ghlo_monitor_cancelled (self->monitor, error))
    return FALSE;
  if (!check_op (op, error))
    return FALSE;
  if (ghlo_code_build_view (self, op) || ghlo_code_build_moves (self, op))
    return TRUE;
  if (!ghlo_code_build_control (self, op, &built, error) || built)
    return built;
  kernel = self->target->find (op);
  if (kernel != NULL && (!build_kernel (self, kernel, op, &built, error) || built))
    return built;

  return build_reference (self, op, kernel != NULL ? "its kernel declines it" : "there is no kernel for it", error);
}

gboolean
ghlo_code_build_block (GhloCodeBuilder    *self,
                       const GhloIrBlock  *block,
                       GError            **error)
{
  for (const GhloIrOp *op = block->first; op != block->last; op = op->next)
    if (!build_op (self, op, error))
      return FALSE;

  return TRUE;
}

/* The function's results, where the caller finds them. */
static void
build_outputs (GhloCodeBuilder   *self,
               const GhloIrBlock *block,
               const guint32     *outputs)
{
  for (guint i = 0; i < block->last->n_operands; i++)
    {
      const GhloIrValue *value = ghlo_ir_op_operand (block->last, i);
      const GhloCodeOperand *from = &ghlo_code_value (self, value)->operand;
      GhloCodeOperand to;

      if (value->type->kind != GHLO_IR_TYPE_TENSOR
          || (from->buffer == outputs[i] && ghlo_code_is_whole (self, from)))
        continue;
      to = ghlo_code_dense_operand (self, outputs[i], value->type);
      ghlo_code_add_copy (self, block->last, from, &to);
    }
}

static gboolean
check_signature (const GhloIrOp    *function,
                 const GhloIrBlock *body,
                 GError           **error)
{
  if (body == NULL || function->regions[0].first != function->regions[0].last)
    return unsupported (error, function, "it has not one block");
  for (guint i = 0; i < body->n_arguments; i++)
    if (!can_hold (body->arguments[i]->type) || body->arguments[i]->type->kind == GHLO_IR_TYPE_TUPLE)
      return unsupported (error, function, "the shape of an input is not known, or no buffer holds it");
  for (guint i = 0; i < body->last->n_operands; i++)
    if (ghlo_ir_op_operand (body->last, i)->type->kind == GHLO_IR_TYPE_TUPLE)
      return unsupported (error, function, "it gives a tuple");

  return TRUE;
}

static gboolean
build_function (GhloCodeBuilder  *self,
                GError          **error)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (self->plan->function);
  g_autofree guint32 *outputs = NULL;

  if (!check_signature (self->plan->function, body, error))
    return FALSE;
  self->plan->n_inputs = body->n_arguments;
  self->plan->n_outputs = body->last->n_operands;
  outputs = g_new (guint32, self->plan->n_outputs + 1);
  ghlo_code_open_scope (self, FALSE);
  for (guint i = 0; i < body->n_arguments; i++)
    {
      const GhloIrType *type = body->arguments[i]->type;
      gboolean token = type->kind == GHLO_IR_TYPE_TOKEN;
      guint32 buffer = ghlo_code_add_buffer (self, GHLO_CODE_BUFFER_INPUT, i, token ? 0 : ghlo_code_type_size (type));

      ghlo_code_bind (self, body->arguments[i], token ? (GhloCodeOperand) { .buffer = GHLO_CODE_NO_BUFFER, .type = type }
                                                      : ghlo_code_dense_operand (self, buffer, type));
    }
  for (guint i = 0; i < body->last->n_operands; i++)
    {
      const GhloIrValue *value = ghlo_ir_op_operand (body->last, i);
      gboolean tensor = value->type->kind == GHLO_IR_TYPE_TENSOR;

      outputs[i] = ghlo_code_add_buffer (self, GHLO_CODE_BUFFER_OUTPUT, i, tensor ? ghlo_code_type_size (value->type) : 0);
      if (tensor && value->op != NULL && value->op->block == body && !g_hash_table_contains (self->wanted, value))
        g_hash_table_insert (self->wanted, (gpointer) value, GUINT_TO_POINTER (outputs[i] + 1));
    }
  if (!ghlo_code_build_block (self, body, error))
    return FALSE;
  build_outputs (self, body, outputs);
  ghlo_code_close_scope (self, &self->plan->body);

  return TRUE;
}

static void
scope_free (gpointer data)
{
  GhloCodeScope *scope = data;

  g_clear_pointer (&scope->steps, g_ptr_array_unref);
  g_array_unref (scope->used);
  g_free (scope);
}

static void free_body (GhloCodeBody *body);

static void
step_free (GhloCodeStep *step)
{
  for (guint i = 0; i < step->n_bodies; i++)
    free_body (&step->bodies[i]);
  if (step->kernel != NULL && step->kernel->release != NULL)
    step->kernel->release (step->prepared);
  g_clear_pointer (&step->module, ghlo_ir_module_unref);
  g_free (step->bodies);
  g_free (step->exchanges);
  g_free (step->operands);
  g_free (step->results);
  g_free (step);
}

static void
free_body (GhloCodeBody *body)
{
  for (guint i = 0; i < body->n_steps; i++)
    step_free (body->steps[i]);
  g_free (body->steps);
}

/* What a plan that failed leaves in scopes that were never closed. */
static void
free_open_scopes (GhloCodeBuilder *self)
{
  for (; self->scope != NULL; self->scope = self->scope->parent)
    for (guint i = 0; self->scope->steps != NULL && i < self->scope->steps->len; i++)
      step_free (g_ptr_array_index (self->scope->steps, i));
}

GhloCodePlan *
ghlo_code_plan_new (GhloIrModule          *module,
                    GhloIrOp              *function,
                    const GhloCodeTarget  *target,
                    const GhloMonitor     *monitor,
                    GError               **error)
{
  g_autoptr (GhloCodePlan) plan = g_new0 (GhloCodePlan, 1);
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL), wanted = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) constants = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) scopes = g_ptr_array_new_with_free_func (scope_free);
  g_autoptr (GArray) states = g_array_new (FALSE, FALSE, sizeof (GhloCodeBufferState));
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (GhloCodeExchange));
  GhloCodeBuilder self = {
    .plan = plan, .target = target, .monitor = monitor, .values = values, .wanted = wanted, .constants = constants,
    .scopes = scopes, .states = states, .pairs = pairs,
    .buffers = g_array_new (FALSE, FALSE, sizeof (GhloCodeBuffer)),
  };
  gboolean ok;

  plan->module = ghlo_ir_module_ref (module);
  plan->function = function;
  ok = build_function (&self, error);
  if (!ok)
    free_open_scopes (&self);
  plan->n_steps = self.n_steps;
  plan->n_buffers = self.buffers->len;
  plan->buffers = (GhloCodeBuffer *) g_array_free (self.buffers, FALSE);
  if (!ok)
    return NULL;
  ghlo_code_plan_memory (plan, (const GhloCodeExchange *) pairs->data, pairs->len);

  return g_steal_pointer (&plan);
}

void
ghlo_code_plan_free (GhloCodePlan *self)
{
  free_body (&self->body);
  for (guint i = 0; i < self->n_buffers; i++)
    g_clear_pointer (&self->buffers[i].bytes, g_bytes_unref);
  g_free (self->buffers);
  ghlo_ir_module_unref (self->module);
  g_free (self);
}
