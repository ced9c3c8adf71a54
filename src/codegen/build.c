/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making a plan: buffers, values and steps. Each use of a buffer widens the time in
 * which it holds its memory; a use inside of a loop, of what was made outside, lasts
 * for the whole loop.
 */

#include "codegen/build.h"

#include "base/sizes.h"

guint32
ghlo_code_add_buffer (GhloCodeBuilder    *self,
                      GhloCodeBufferKind  kind,
                      guint               index,
                      gsize               size)
{
  GhloCodeBuffer buffer = { .kind = kind, .index = index, .size = size, .first = self->n_steps,
                            .last = self->n_steps };
  GhloCodeBufferState state = { .scope = self->scope };

  g_array_append_val (self->buffers, buffer);
  g_array_append_val (self->states, state);

  return self->buffers->len - 1;
}

gsize
ghlo_code_type_size (const GhloIrType *type)
{
  gsize count;

  return ghlo_shape_count (type->dimensions, type->rank, &count)
         ? count * ghlo_element_info (type->element_type)->size : 0;
}

/* Row-major strides; they live in the plan's module. */
static const gint64 *
dense_strides (GhloCodeBuilder  *self,
               const GhloIrType *type)
{
  gint64 *strides = ghlo_ir_module_alloc (self->plan->module, MAX (type->rank, 1) * sizeof (gint64));
  gint64 stride = ghlo_element_info (type->element_type)->size;

  for (guint i = type->rank; i > 0; i--)
    {
      strides[i - 1] = stride;
      stride *= type->dimensions[i - 1];
    }

  return strides;
}

GhloCodeOperand
ghlo_code_dense_operand (GhloCodeBuilder  *self,
                         guint32           buffer,
                         const GhloIrType *type)
{
  return (GhloCodeOperand) { .buffer = buffer, .type = type, .strides = dense_strides (self, type) };
}

gboolean
ghlo_code_is_dense (const GhloCodeOperand *operand)
{
  const GhloView view = { .element_type = operand->type->element_type, .rank = operand->type->rank,
                          .dimensions = operand->type->dimensions, .strides = operand->strides };

  return ghlo_view_is_dense (&view);
}

gboolean
ghlo_code_is_whole (const GhloCodeBuilder *self,
                    const GhloCodeOperand *operand)
{
  return operand->offset == 0 && ghlo_code_is_dense (operand)
         && ghlo_code_buffer (self, operand->buffer)->size == ghlo_code_type_size (operand->type);
}

GhloCodeValue *
ghlo_code_value (const GhloCodeBuilder *self,
                 const GhloIrValue     *value)
{
  return g_hash_table_lookup (self->values, value);
}

static guint
count_uses (const GhloIrValue *value)
{
  guint n = 0;

  for (const GhloIrUse *use = value->uses; use != NULL; use = use->next)
    n++;

  return n;
}

/* Adds to the uses of the buffers under a value; a tuple's are those of all its members. */
static void
add_uses (GhloCodeBuilder     *self,
          const GhloCodeValue *value,
          int                  n)
{
  if (value->members != NULL)
    for (guint i = 0; i < value->type->rank; i++)
      add_uses (self, value->members[i], n);
  else if (value->operand.buffer != GHLO_CODE_NO_BUFFER)
    ghlo_code_buffer_state (self, value->operand.buffer)->uses += n;
}

void
ghlo_code_bind_same (GhloCodeBuilder   *self,
                     const GhloIrValue *value,
                     GhloCodeValue     *same)
{
  g_hash_table_insert (self->values, (gpointer) value, same);
  add_uses (self, same, (int) count_uses (value));
}

void
ghlo_code_bind (GhloCodeBuilder   *self,
                const GhloIrValue *value,
                GhloCodeOperand    operand)
{
  GhloCodeValue *made = ghlo_ir_module_alloc (self->plan->module, sizeof *made);

  made->type = value->type;
  made->operand = operand;
  ghlo_code_bind_same (self, value, made);
}

void
ghlo_code_use_operands (GhloCodeBuilder *self,
                        const GhloIrOp  *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    add_uses (self, ghlo_code_value (self, ghlo_ir_op_operand (op, i)), -1);
}

static gboolean
is_inside (const GhloCodeScope *scope,
           const GhloCodeScope *outer)
{
  for (; scope != NULL; scope = scope->parent)
    if (scope == outer)
      return TRUE;

  return FALSE;
}

GhloCodeOperand
ghlo_code_densify (GhloCodeBuilder *self,
                   GhloCodeValue   *value)
{
  if (ghlo_code_is_dense (&value->operand))
    return value->operand;
  if (value->dense_scope != NULL && is_inside (self->scope, value->dense_scope))
    {
      ghlo_code_touch (self, value->dense.buffer);
      return value->dense;
    }
  value->dense = ghlo_code_dense_operand (self, ghlo_code_add_buffer (self, GHLO_CODE_BUFFER_TEMPORARY, 0,
                                                                      ghlo_code_type_size (value->operand.type)),
                                          value->operand.type);
  value->dense_scope = self->scope;
  ghlo_code_add_copy (self, NULL, &value->operand, &value->dense);

  return value->dense;
}

GhloCodeOperand
ghlo_code_add_result (GhloCodeBuilder   *self,
                      const GhloIrValue *result)
{
  guint32 wanted = GPOINTER_TO_UINT (g_hash_table_lookup (self->wanted, result));
  guint32 buffer;

  if (result->type->kind == GHLO_IR_TYPE_TOKEN)
    return (GhloCodeOperand) { .buffer = GHLO_CODE_NO_BUFFER, .type = result->type };
  if (wanted > 0)
    buffer = wanted - 1;
  else
    buffer = ghlo_code_add_buffer (self, GHLO_CODE_BUFFER_TEMPORARY, 0, ghlo_code_type_size (result->type));

  return ghlo_code_dense_operand (self, buffer, result->type);
}

/* Steps. */

GhloCodeStep *
ghlo_code_add_step (GhloCodeBuilder  *self,
                    GhloCodeStepKind  kind,
                    const GhloIrOp   *op,
                    guint             n_operands,
                    guint             n_results)
{
  GhloCodeStep *step = g_new0 (GhloCodeStep, 1);

  step->kind = kind;
  step->number = self->n_steps++;
  step->op = op;
  step->n_operands = n_operands;
  step->n_results = n_results;
  step->operands = g_new0 (GhloCodeOperand, n_operands + 1);
  step->results = g_new0 (GhloCodeOperand, n_results + 1);
  step->scratch = GHLO_CODE_NO_BUFFER;
  g_ptr_array_add (self->scope->steps, step);

  return step;
}

void
ghlo_code_touch (GhloCodeBuilder *self,
                 guint32          buffer)
{
  GhloCodeBuffer *it = buffer != GHLO_CODE_NO_BUFFER ? ghlo_code_buffer (self, buffer) : NULL;
  guint now = self->n_steps > 0 ? self->n_steps - 1 : 0;

  if (it == NULL || it->kind != GHLO_CODE_BUFFER_TEMPORARY)
    return;
  it->first = MIN (it->first, now);
  it->last = MAX (it->last, now);
  /* The outermost loop around this that the buffer is not of holds it to its end. */
  for (GhloCodeScope *scope = self->scope; scope != NULL; scope = scope->parent)
    {
      if (scope == ghlo_code_buffer_state (self, buffer)->scope)
        break;
      if (scope->repeats)
        g_array_append_val (scope->used, buffer);
    }
}

void
ghlo_code_touch_step (GhloCodeBuilder    *self,
                      const GhloCodeStep *step)
{
  for (guint i = 0; i < step->n_operands; i++)
    ghlo_code_touch (self, step->operands[i].buffer);
  for (guint i = 0; i < step->n_results; i++)
    ghlo_code_touch (self, step->results[i].buffer);
  ghlo_code_touch (self, step->scratch);
}

void
ghlo_code_add_copy (GhloCodeBuilder       *self,
                    const GhloIrOp        *op,
                    const GhloCodeOperand *from,
                    const GhloCodeOperand *to)
{
  GhloCodeStep *step;

  if (ghlo_code_type_size (to->type) == 0)
    return;
  step = ghlo_code_add_step (self, GHLO_CODE_STEP_COPY, op, 1, 1);
  step->operands[0] = *from;
  step->results[0] = *to;
  ghlo_code_touch_step (self, step);
}

void
ghlo_code_open_scope (GhloCodeBuilder *self,
                      gboolean         repeats)
{
  GhloCodeScope *scope = g_new0 (GhloCodeScope, 1);

  scope->parent = self->scope;
  scope->steps = g_ptr_array_new ();
  scope->repeats = repeats;
  scope->first = self->n_steps > 0 ? self->n_steps - 1 : 0;
  scope->used = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_ptr_array_add (self->scopes, scope);
  self->scope = scope;
}

void
ghlo_code_close_scope (GhloCodeBuilder *self,
                       GhloCodeBody    *body)
{
  GhloCodeScope *scope = self->scope;
  guint end = self->n_steps > 0 ? self->n_steps - 1 : 0;

  /* What comes from outside must live from the loop's first step to its last. */
  for (guint i = 0; i < scope->used->len; i++)
    {
      GhloCodeBuffer *buffer = ghlo_code_buffer (self, g_array_index (scope->used, guint32, i));

      buffer->last = MAX (buffer->last, end);
      buffer->first = MIN (buffer->first, scope->first);
    }
  body->n_steps = scope->steps->len;
  body->steps = (GhloCodeStep **) g_ptr_array_free (scope->steps, FALSE);
  scope->steps = NULL;
  self->scope = scope->parent;
}
