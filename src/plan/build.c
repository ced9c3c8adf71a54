/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Building a plan: buffers, values and steps.
 */

#include "plan/build.h"

#include "base/sizes.h"

guint32
ghlo_step_add_buffer (GhloStepBuilder   *self,
                      GhloStepBufferKind kind,
                      guint              index,
                      gsize              size,
                      guint32            space)
{
  GhloStepBuffer buffer = { .kind = kind, .index = index, .size = size, .space = space,
                            .scope = self->scope->number };

  g_array_append_val (self->buffers, buffer);

  return self->buffers->len - 1;
}

gsize
ghlo_step_type_size (const GhloIrType *type)
{
  gsize count;

  return ghlo_shape_count (type->dimensions, type->rank, &count)
         ? count * ghlo_element_info (type->element_type)->size : 0;
}

/* Row-major strides. */
static const gint64 *
dense_strides (GhloStepBuilder  *self,
               const GhloIrType *type)
{
  gint64 *strides = ghlo_ir_arena_alloc (&self->plan->arena, MAX (type->rank, 1) * sizeof (gint64));

  ghlo_shape_strides (type->dimensions, type->rank, ghlo_element_info (type->element_type)->size, strides);

  return strides;
}

GhloStepOperand
ghlo_step_dense_operand (GhloStepBuilder  *self,
                         guint32           buffer,
                         const GhloIrType *type)
{
  if (type->kind == GHLO_IR_TYPE_TOKEN)
    return (GhloStepOperand) { .buffer = GHLO_STEP_NONE, .type = type };

  return (GhloStepOperand) { .buffer = buffer, .type = type, .strides = dense_strides (self, type) };
}

gboolean
ghlo_step_is_dense (const GhloStepOperand *operand)
{
  const GhloView view = ghlo_step_view (operand);

  return operand->buffer != GHLO_STEP_NONE && ghlo_view_is_dense (&view);
}

gboolean
ghlo_step_is_whole (const GhloStepPlan    *plan,
                    const GhloStepOperand *operand)
{
  return operand->offset == 0 && ghlo_step_is_dense (operand)
         && plan->buffers[operand->buffer].size == ghlo_step_type_size (operand->type);
}

GhloStepValue *
ghlo_step_value (const GhloStepBuilder *self,
                 const GhloIrValue     *value)
{
  return g_hash_table_lookup (self->values, value);
}

void
ghlo_step_bind_same (GhloStepBuilder   *self,
                     const GhloIrValue *value,
                     GhloStepValue     *same)
{
  g_hash_table_insert (self->values, (gpointer) value, same);
}

void
ghlo_step_bind (GhloStepBuilder   *self,
                const GhloIrValue *value,
                GhloStepOperand    operand)
{
  GhloStepValue *made = ghlo_ir_arena_alloc (&self->arena, sizeof *made);

  made->type = value->type;
  made->operand = operand;
  ghlo_step_bind_same (self, value, made);
}

gboolean
ghlo_step_is_inside (const GhloStepScope *scope,
                     const GhloStepScope *outer)
{
  while (scope != NULL && scope != outer)
    scope = scope->parent;

  return scope != NULL;
}

GhloStepOperand
ghlo_step_add_result (GhloStepBuilder  *self,
                      const GhloIrType *type,
                      guint32           space)
{
  if (type->kind == GHLO_IR_TYPE_TOKEN)
    return ghlo_step_dense_operand (self, GHLO_STEP_NONE, type);

  return ghlo_step_dense_operand (self, ghlo_step_add_buffer (self, GHLO_STEP_BUFFER_TEMPORARY, 0,
                                                              ghlo_step_type_size (type), space), type);
}

GhloStep *
ghlo_step_add (GhloStepBuilder *self,
               GhloStepKind     kind,
               const GhloIrOp  *op,
               guint            n_operands,
               guint            n_results)
{
  GhloIrArena *arena = &self->plan->arena;
  GhloStep *step = ghlo_ir_arena_alloc (arena, sizeof *step);

  step->kind = kind;
  step->op = op;
  step->n_operands = n_operands;
  step->n_results = n_results;
  step->operands = ghlo_ir_arena_alloc (arena, n_operands * sizeof (GhloStepOperand));
  step->results = ghlo_ir_arena_alloc (arena, n_results * sizeof (GhloStepOperand));
  step->scratch = GHLO_STEP_NONE;
  step->trips = -1;
  self->plan->max_views = MAX (self->plan->max_views, n_operands + n_results);
  g_ptr_array_add (self->scope->steps, step);

  return step;
}

void
ghlo_step_open_scope (GhloStepBuilder *self,
                      guint32          n_before,
                      gboolean         is_repeated)
{
  GhloStepScope *scope = g_new0 (GhloStepScope, 1);

  scope->parent = self->scope;
  scope->number = self->scopes->len;
  scope->n_before = n_before;
  scope->is_repeated = is_repeated;
  scope->steps = g_ptr_array_new ();
  g_ptr_array_add (self->scopes, scope);
  self->scope = scope;
}

void
ghlo_step_close_scope (GhloStepBuilder *self,
                       GhloStepBody    *body)
{
  GhloStepScope *scope = self->scope;

  body->scope = scope->number;
  body->n_steps = scope->steps->len;
  body->steps = ghlo_ir_arena_copy (&self->plan->arena, scope->steps->pdata, body->n_steps * sizeof (GhloStep *));
  g_clear_pointer (&scope->steps, g_ptr_array_unref);
  self->scope = scope->parent;
}
