/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Building a plan, operation by operation. An operation that is neither a view, a fusion, a loop, a branch nor a call
 * is a step of a target, or else one of the fallback executor.
 */

#include "plan/plan.h"

#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "ir/loop.h"
#include "ir/outline.h"
#include "plan/build.h"
#include "plan/place.h"

/* Whether everything that steps compute from the type's dimensions fits into 63 bits. Dimensions of size 0 count as 1,
 * since the other dimensions of an empty tensor may be larger than any memory. */
static gboolean
has_small_extents (const GhloIrType *type)
{
  gsize size = ghlo_element_info (type->element_type)->size;

  for (guint i = 0; i < type->rank; i++)
    if (!ghlo_size_mul (&size, size, (gsize) MAX (type->dimensions[i], 1)) || size > GHLO_MAX_TENSOR_BYTES)
      return FALSE;

  return TRUE;
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
         && type->element_type != GHLO_ELEMENT_TYPE_INVALID && has_small_extents (type);
}

/* Operations that communicate with each other, or with the caller, within one run: run one by one, they would not find
 * each other. */
static gboolean
communicates (const GhloIrOp *op)
{
  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_SEND:
    case GHLO_OP_STABLEHLO_RECV:
    case GHLO_OP_STABLEHLO_INFEED:
    case GHLO_OP_STABLEHLO_OUTFEED:
    case GHLO_OP_INTERPRETER_PROBE:
      return TRUE;
    default:
      return FALSE;
    }
}

/* Calls are expanded, so a plan may be larger than any program. */
static gboolean
check_size (GhloStepBuilder *self,
            const GhloIrOp  *op,
            GError         **error)
{
  gsize size = self->plan->arena.total + self->arena.total + self->buffers->len * sizeof (GhloStepBuffer);

  if (++self->n_ops > GHLO_STEP_MAX_OPS)
    return ghlo_step_unsupported (op, "the program has too many operations once its calls are expanded", error);
  if (size > GHLO_STEP_MAX_BYTES)
    return ghlo_step_unsupported (op, "the plan itself takes too much memory", error);
  if (size > self->most_bytes)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY,
                   "planning the program takes more than the %" G_GSIZE_FORMAT
                   " bytes that the memory limit leaves for it", self->most_bytes);
      return FALSE;
    }

  return TRUE;
}

static gboolean
check_op (GhloStepBuilder *self,
          const GhloIrOp  *op,
          GError         **error)
{
  if (!ghlo_step_poll (self->poll) || !check_size (self, op, error))
    return FALSE;
  if (communicates (op))
    return ghlo_step_unsupported (op, "it exchanges data with other operations or with the caller during a run", error);
  for (guint i = 0; i < op->n_operands; i++)
    if (!can_hold (op->operands[i].value->type))
      return ghlo_step_unsupported (op, "an operand has a dynamic shape, or a type that no buffer can hold", error);
  for (guint i = 0; i < op->n_results; i++)
    if (!can_hold (op->results[i].type))
      return ghlo_step_unsupported (op, "a result has a dynamic shape, or a type that no buffer can hold", error);

  return TRUE;
}

/* Adds a step in which the fallback executor runs the operation, outlined into a function. */
static gboolean
build_reference (GhloStepBuilder *self,
                 const GhloIrOp  *op,
                 GError         **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  GhloStep *step;

  ghlo_ir_outline_inputs (&op, 1, inputs);
  for (guint i = 0; i < inputs->len; i++)
    {
      GhloStepValue *value = ghlo_step_value (self, g_ptr_array_index (inputs, i));

      if (value->members != NULL)
        return ghlo_step_unsupported (op, "it reads a tuple", error);
      if (!can_hold (((const GhloIrValue *) g_ptr_array_index (inputs, i))->type))
        return ghlo_step_unsupported (op, "it reads a value with a dynamic shape, or a type that no buffer can hold",
                                      error);
      ghlo_step_materialize (self, value, self->plan->host, TRUE);
    }
  for (guint i = 0; i < op->n_results; i++)
    if (op->results[i].type->kind == GHLO_IR_TYPE_TUPLE)
      return ghlo_step_unsupported (op, "it returns a tuple", error);
  step = ghlo_step_add (self, GHLO_STEP_REFERENCE, op, inputs->len, op->n_results);
  step->reasons = ghlo_ir_arena_copy (&self->plan->arena, self->reasons, self->plan->n_devices * sizeof (const char *));
  for (guint i = 0; i < inputs->len; i++)
    step->operands[i] = ghlo_step_materialize (self, ghlo_step_value (self, g_ptr_array_index (inputs, i)),
                                               self->plan->host, TRUE);
  for (guint i = 0; i < op->n_results; i++)
    {
      step->results[i] = ghlo_step_add_result (self, op->results[i].type, self->plan->host);
      ghlo_step_bind (self, &op->results[i], step->results[i]);
    }
  self->plan->n_reference++;

  return TRUE;
}

static gboolean
build_op (GhloStepBuilder *self,
          const GhloIrOp  *op,
          GError         **error)
{
  gboolean built;

  if (!check_op (self, op, error))
    return FALSE;
  if (ghlo_step_build_view (self, op))
    return TRUE;
  if (!ghlo_step_build_fusion (self, op, &built, error))
    return FALSE;
  if (built)
    return TRUE;
  if (!ghlo_step_build_control (self, op, &built, error))
    return FALSE;
  if (built || (ghlo_step_has_plain_types (op) && ghlo_step_build_implementation (self, op, NULL)))
    return TRUE;
  for (guint i = 0; i < self->plan->n_devices && !ghlo_step_has_plain_types (op); i++)
    self->reasons[i] = "only the fallback executor supports tuples and quantized types";

  return build_reference (self, op, error);
}

/* The block of a called function is built again for each call. */
static void
forget_values (GhloStepBuilder *self,
               const GhloIrOp  *first)
{
  for (const GhloIrOp *op = first; op != NULL; op = op->next)
    for (guint i = 0; i < op->n_results; i++)
      g_hash_table_remove (self->values, &op->results[i]);
}

gboolean
ghlo_step_build_ops (GhloStepBuilder *self,
                     const GhloIrOp  *first,
                     GError         **error)
{
  g_assert (first != NULL);
  if (self->nesting >= GHLO_MAX_STEP_NESTING)
    return ghlo_step_unsupported (first, "calls and regions are nested too deeply", error);
  self->nesting++;
  if (self->depth > 0)
    forget_values (self, first);
  for (const GhloIrOp *op = first; op->next != NULL; op = op->next)
    if (!ghlo_ir_counts_only (op) && !build_op (self, op, error))
      return FALSE;
  self->nesting--;

  return TRUE;
}

/* Adds the function's results: a result is copied to an output buffer, unless it is an input as it is. */
static void
build_outputs (GhloStepBuilder   *self,
               const GhloIrBlock *block)
{
  GhloStepPlan *plan = self->plan;

  for (guint i = 0; i < plan->n_outputs; i++)
    {
      const GhloIrValue *value = ghlo_ir_op_operand (block->last, i);
      const GhloStepOperand *from = &ghlo_step_value (self, value)->operand;
      const GhloStepBuffer *buffer = from->buffer != GHLO_STEP_NONE
                                     ? &g_array_index (self->buffers, GhloStepBuffer, from->buffer) : NULL;
      GhloStepOperand to;

      plan->outputs[i] = plan->aliased_inputs[i] = GHLO_STEP_NONE;
      if (buffer == NULL)
        continue;
      if (buffer->kind == GHLO_STEP_BUFFER_INPUT && from->offset == 0 && ghlo_step_is_dense (from)
          && buffer->size == ghlo_step_type_size (value->type))
        {
          plan->aliased_inputs[i] = buffer->index;
          continue;
        }
      plan->outputs[i] = ghlo_step_add_buffer (self, GHLO_STEP_BUFFER_OUTPUT, i, ghlo_step_type_size (value->type),
                                               plan->io_arena);
      to = ghlo_step_dense_operand (self, plan->outputs[i], value->type);
      ghlo_step_add_copy (self, from, &to);
    }
}

static gboolean
check_signature (const GhloIrOp    *function,
                 const GhloIrBlock *body,
                 GError           **error)
{
  if (body == NULL || function->regions[0].first != function->regions[0].last)
    return ghlo_step_unsupported (function, "it does not have a body of exactly one block", error);
  for (guint i = 0; i < body->n_arguments; i++)
    if (!can_hold (body->arguments[i]->type) || body->arguments[i]->type->kind == GHLO_IR_TYPE_TUPLE)
      return ghlo_step_unsupported (function, "an input has a dynamic shape, or a type that no buffer can hold", error);
  for (guint i = 0; i < body->last->n_operands; i++)
    if (ghlo_ir_op_operand (body->last, i)->type->kind == GHLO_IR_TYPE_TUPLE)
      return ghlo_step_unsupported (function, "it returns a tuple", error);

  return TRUE;
}

static gboolean
build_function (GhloStepBuilder *self,
                GError         **error)
{
  GhloStepPlan *plan = self->plan;
  const GhloIrBlock *body = ghlo_ir_func_get_body (plan->function);

  if (!check_signature (plan->function, body, error))
    return FALSE;
  plan->n_inputs = body->n_arguments;
  plan->n_outputs = body->last->n_operands;
  plan->inputs = ghlo_ir_arena_alloc (&plan->arena, plan->n_inputs * sizeof (guint32));
  plan->outputs = ghlo_ir_arena_alloc (&plan->arena, plan->n_outputs * sizeof (guint32));
  plan->aliased_inputs = ghlo_ir_arena_alloc (&plan->arena, plan->n_outputs * sizeof (guint));
  for (const GhloIrOp *op = body->first; op != NULL; op = op->next)
    self->poll->n_ops++;
  ghlo_step_open_scope (self, 0, FALSE);
  for (guint i = 0; i < body->n_arguments; i++)
    {
      const GhloIrType *type = body->arguments[i]->type;
      gsize size = type->kind == GHLO_IR_TYPE_TOKEN ? 0 : ghlo_step_type_size (type);
      guint32 buffer = ghlo_step_add_buffer (self, GHLO_STEP_BUFFER_INPUT, i, size, plan->io_arena);

      plan->inputs[i] = buffer;
      ghlo_step_bind (self, body->arguments[i], ghlo_step_dense_operand (self, buffer, type));
    }
  if (!ghlo_step_build_ops (self, body->first, error))
    return FALSE;
  build_outputs (self, body);
  ghlo_step_close_scope (self, &plan->body);

  return TRUE;
}

/* Adds an arena for each memory that the targets work in. */
static gboolean
find_arenas (GhloStepPlan          *plan,
             GhloDeviceCore *const *targets,
             guint                  n_targets,
             GError               **error)
{
  plan->devices = ghlo_ir_arena_copy (&plan->arena, targets, n_targets * sizeof (GhloDeviceCore *));
  plan->n_devices = n_targets;
  plan->arenas = ghlo_ir_arena_alloc (&plan->arena, (n_targets + 1) * sizeof (GhloStepArena));
  plan->n_arenas = 1;
  for (guint i = 0; i < n_targets; i++)
    {
      guint k = 0;

      while (k < plan->n_arenas && plan->arenas[k].memory != targets[i]->memory)
        k++;
      if (k == plan->n_arenas)
        plan->arenas[plan->n_arenas++].memory = targets[i]->memory;
      plan->arenas[k].commands = targets[i]->command_buffers;
    }
  for (guint i = 1; i < plan->n_arenas && plan->host == 0; i++)
    if (plan->arenas[i].memory->klass->map != NULL)
      plan->host = i;
  plan->io_arena = ghlo_step_target_space (plan, targets[0]);
  for (guint i = 0; i < n_targets; i++)
    if (targets[i]->memory == NULL)
      return TRUE;

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
               "expected a device in host memory to run the operations that '%s' does not support, found none",
               targets[0]->names[0]);

  return FALSE;
}

/* Chooses between the preferred target and the first one in host memory. */
static GHashTable *
place_steps (const GhloIrOp        *function,
             GhloDeviceCore *const *targets,
             guint                  n_targets)
{
  for (guint i = 1; i < n_targets; i++)
    if (targets[i]->memory == NULL)
      return ghlo_step_place (function, targets[0], targets[i]);

  return NULL;
}

/* In a plan that failed, scopes may be left open. */
static void
scope_free (gpointer data)
{
  GhloStepScope *scope = data;

  g_clear_pointer (&scope->steps, g_ptr_array_unref);
  g_free (scope);
}

GhloStepPlan *
ghlo_step_plan_new (const GhloIrModule    *module,
                    const GhloIrOp        *function,
                    GhloDeviceCore *const *targets,
                    guint                  n_targets,
                    gboolean               may_use_host,
                    gsize                  most_bytes,
                    const GhloMonitor     *monitor,
                    GError               **error)
{
  g_autoptr (GhloStepPlan) plan = g_new0 (GhloStepPlan, 1);
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL), constants = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) transferred = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) alike = g_hash_table_new (ghlo_step_hash_alike, ghlo_step_is_alike);
  g_autoptr (GPtrArray) scopes = g_ptr_array_new_with_free_func (scope_free);
  g_autoptr (GArray) buffers = g_array_new (FALSE, FALSE, sizeof (GhloStepBuffer));
  g_autoptr (GHashTable) placed = may_use_host ? place_steps (function, targets, n_targets) : NULL;
  g_autofree const char **reasons = g_new0 (const char *, n_targets);
  GhloStepPoll poll = { monitor, error };
  GhloStepBuilder self = {
    .plan = plan, .reasons = reasons, .placed = placed, .poll = &poll, .values = values, .constants = constants,
    .alike = alike, .transferred = transferred, .scopes = scopes, .buffers = buffers, .most_bytes = most_bytes,
  };
  gboolean ok;

  /* Only the reference count changes. */
  plan->module = ghlo_ir_module_ref ((GhloIrModule *) module);
  plan->function = function;
  ok = find_arenas (plan, targets, n_targets, error) && build_function (&self, error);
  plan->n_scopes = scopes->len;
  plan->n_buffers = buffers->len;
  plan->buffers = ghlo_ir_arena_copy (&plan->arena, buffers->data, buffers->len * sizeof (GhloStepBuffer));
  ghlo_ir_arena_clear (&self.arena);
  ok = ok && ghlo_step_plan_stride_results (plan, &poll) && ghlo_step_plan_coalesce (plan, &poll)
       && ghlo_step_plan_find_donations (plan, &poll) && ghlo_step_plan_assign (plan, &poll)
       && ghlo_step_plan_find_predicated (plan, &poll) && ghlo_step_plan_deduplicate (plan, &poll);

  return ok ? g_steal_pointer (&plan) : NULL;
}

void
ghlo_step_plan_free (GhloStepPlan *self)
{
  for (guint i = 0; i < self->n_compiled_steps; i++)
    ghlo_step_free (self->compiled_steps[i]->step->implementation, self->compiled_steps[i]->compiled);
  ghlo_step_plan_clear_selection_states (self);
  for (guint i = 0; i < self->n_buffers; i++)
    g_clear_pointer (&self->buffers[i].bytes, g_bytes_unref);
  ghlo_ir_arena_clear (&self->arena);
  ghlo_ir_module_unref (self->module);
  g_free (self);
}

GhloBufferRef
ghlo_step_get_predicate (const GhloStep *self)
{
  const GhloStepBody *condition = self->kind == GHLO_STEP_LOOP && self->trips < 0 ? &self->bodies[0] : NULL;
  const GhloStep *last = condition != NULL && condition->n_steps > 0 ? condition->steps[condition->n_steps - 1] : NULL;

  if (last == NULL || last->kind != GHLO_STEP_TRANSFER || last->results[0].buffer != condition->result.buffer)
    return (GhloBufferRef) { GHLO_STEP_NONE, 0 };

  return (GhloBufferRef) { last->operands[0].buffer, (gint64) condition->result.offset };
}

gsize
ghlo_step_plan_get_size (const GhloStepPlan *self)
{
  return sizeof *self + self->arena.total;
}

static gboolean
visit (const GhloStepBody *body,
       GhloStepPoll       *poll,
       void              (*func) (GhloStep *step,
                                  gpointer  data),
       gpointer            data)
{
  for (guint i = 0; i < body->n_steps; i++)
    {
      if (!ghlo_step_poll (poll))
        return FALSE;
      func (body->steps[i], data);
      for (guint k = 0; k < body->steps[i]->n_bodies; k++)
        if (!visit (&body->steps[i]->bodies[k], poll, func, data))
          return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_step_plan_walk (const GhloStepPlan *plan,
                     GhloStepPoll       *poll,
                     void              (*func) (GhloStep *step,
                                                gpointer  data),
                     gpointer            data)
{
  return visit (&plan->body, poll, func, data);
}

void
ghlo_step_plan_foreach (const GhloStepPlan *self,
                        void              (*func) (GhloStep *step,
                                                   gpointer  data),
                        gpointer            data)
{
  GhloStepPoll nobody = { NULL };

  visit (&self->body, &nobody, func, data);
}
