/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Building a plan: brings values to the memory where they are needed. Whole buffers are transferred, so that a view of
 * the source is the same view of the target; to transfer a part of a buffer, a dense copy of it is made first.
 * Constants are not transferred: they have a buffer in each memory where they are needed. A copy is a step of a device
 * that works in the memory of both ends.
 */

#include "plan/build.h"

/* A buffer with the contents of another one, in another memory, and the scope in which it is valid. */
typedef struct
{
  guint32              buffer;
  const GhloStepScope *scope;
} Transferred;

guint32
ghlo_step_target_space (const GhloStepPlan *plan,
                        GhloDeviceCore     *target)
{
  guint32 space = 0;

  if (target->memory == NULL)
    return plan->host;
  while (plan->arenas[space].memory != target->memory)
    space++;

  return space;
}

static GhloStepBuffer *
get_buffer (const GhloStepBuilder *self,
            guint32                buffer)
{
  return &g_array_index (self->buffers, GhloStepBuffer, buffer);
}

guint32
ghlo_step_get_space (const GhloStepBuilder *self,
                     const GhloStepOperand *operand)
{
  return operand->buffer != GHLO_STEP_NONE ? get_buffer (self, operand->buffer)->space : 0;
}

gboolean
ghlo_step_needs_packing (const GhloStepBuilder *self,
                         const GhloStepOperand *operand,
                         guint32                space)
{
  const GhloStepBuffer *buffer;

  if (operand->buffer == GHLO_STEP_NONE)
    return FALSE;
  buffer = get_buffer (self, operand->buffer);

  return buffer->space != space && buffer->kind == GHLO_STEP_BUFFER_TEMPORARY
         && buffer->size > ghlo_step_type_size (operand->type);
}

/* The scope to which a transfer of @buffer is added: outside of the loops that do not change it, or the
 * current scope. */
static GhloStepScope *
find_scope (const GhloStepBuilder *self,
            guint32                buffer)
{
  GhloStepScope *found = self->scope;

  for (GhloStepScope *scope = self->scope; scope->parent != NULL && buffer < scope->n_before; scope = scope->parent)
    if (scope->is_repeated)
      found = scope->parent;

  return found;
}

/* In an outer scope, the transfer is inserted before the current step, a loop that was added already. */
static void
add_transfer (GhloStepBuilder *self,
              GhloStepScope   *scope,
              guint32          from,
              guint32          to)
{
  GhloStep *step = ghlo_step_add (self, GHLO_STEP_TRANSFER, NULL, 1, 1);

  step->operands[0].buffer = from;
  step->results[0].buffer = to;
  self->plan->n_transfers++;
  self->plan->transfer_bytes += get_buffer (self, from)->size;
  if (scope == self->scope)
    return;
  g_ptr_array_set_size (self->scope->steps, (int) self->scope->steps->len - 1);
  g_ptr_array_insert (scope->steps, (int) scope->steps->len - 1, step);
}

/* Adds a copy of the contents of @buffer to @space. */
static Transferred
transfer (GhloStepBuilder *self,
          guint32          buffer,
          guint32          space)
{
  const GhloStepBuffer from = *get_buffer (self, buffer);
  gboolean is_constant = from.kind == GHLO_STEP_BUFFER_CONSTANT;
  GhloStepScope *scope = is_constant ? self->scopes->pdata[0] : find_scope (self, buffer);
  guint32 made = ghlo_step_add_buffer (self, is_constant ? from.kind : GHLO_STEP_BUFFER_TEMPORARY, 0, from.size,
                                       space);

  get_buffer (self, made)->scope = scope->number;
  if (is_constant)
    get_buffer (self, made)->bytes = g_bytes_ref (from.bytes);
  else if (from.size > 0)
    add_transfer (self, scope, buffer, made);

  return (Transferred) { made, scope };
}

/* The same view of a buffer with the same contents in @space. */
static GhloStepOperand
operand_in (GhloStepBuilder       *self,
            const GhloStepOperand *operand,
            guint32                space)
{
  GhloStepOperand there = *operand;
  guint32 source = ghlo_step_get_space (self, operand);
  Transferred *transferred;
  gpointer key;

  if (operand->buffer == GHLO_STEP_NONE || source == space)
    return there;
  if (source != 0 && space != 0)
    {
      there = operand_in (self, operand, 0);
      return operand_in (self, &there, space);
    }
  key = GSIZE_TO_POINTER ((gsize) operand->buffer * self->plan->n_arenas + space);
  transferred = g_hash_table_lookup (self->transferred, key);
  if (transferred == NULL)
    {
      transferred = ghlo_ir_arena_alloc (&self->arena, sizeof *transferred);
      g_hash_table_insert (self->transferred, key, transferred);
    }
  if (transferred->scope == NULL || !ghlo_step_is_inside (self->scope, transferred->scope))
    *transferred = transfer (self, operand->buffer, space);
  there.buffer = transferred->buffer;

  return there;
}

static gboolean
is_of_host (const GhloStep *step)
{
  return step->kind == GHLO_STEP_REFERENCE || (step->kind == GHLO_STEP_COMPUTE && step->target->memory == NULL);
}

/* The target that copies in @space: the first one that works there. Where the host does too, it is the one that ran the
 * previous step, so that neither waits for the other. */
static GhloDeviceCore *
find_copier (const GhloStepBuilder *self,
             guint32                space)
{
  const GhloStepPlan *plan = self->plan;
  const GPtrArray *steps = self->scope->steps;
  const gboolean by_host = steps->len > 0 && is_of_host (steps->pdata[steps->len - 1]);
  GhloDeviceCore *found = NULL;

  for (guint i = 0; i < plan->n_devices; i++)
    if (ghlo_step_target_space (plan, plan->devices[i]) == space
        && (found == NULL || (by_host && plan->devices[i]->memory == NULL)))
      found = plan->devices[i];

  return found;
}

/* Adds a copy within one memory. */
static void
copy (GhloStepBuilder       *self,
      const GhloStepOperand *from,
      const GhloStepOperand *to)
{
  const GhloView views[] = { ghlo_step_view (from), ghlo_step_view (to) };
  const GhloStepRequest request = { .n_operands = 1, .n_results = 1, .operands = &views[0], .results = &views[1] };
  GhloStepOperandSelection operand = { .in_place = GHLO_STEP_NONE };
  GhloStepSelection selection = { .operands = &operand };
  guint32 space = ghlo_step_get_space (self, to);
  GhloDeviceCore *target = find_copier (self, space);
  GhloStep *step;

  ghlo_step_select (target->klass->copy_step, target, &request, &selection);
  step = ghlo_step_add (self, GHLO_STEP_COMPUTE, NULL, 1, 1);
  step->target = target;
  step->implementation = target->klass->copy_step;
  step->operands[0] = *from;
  step->operands[0].in_place = GHLO_STEP_NONE;
  step->results[0] = *to;
  if (selection.scratch > 0)
    step->scratch = ghlo_step_add_buffer (self, GHLO_STEP_BUFFER_TEMPORARY, 0, selection.scratch, space);
}

void
ghlo_step_add_copy (GhloStepBuilder       *self,
                    const GhloStepOperand *from,
                    const GhloStepOperand *to)
{
  guint32 space = ghlo_step_get_space (self, to);
  GhloStepOperand here = *from;

  if (ghlo_step_type_size (to->type) == 0)
    return;
  if (ghlo_step_needs_packing (self, from, space))
    {
      here = ghlo_step_add_result (self, from->type, ghlo_step_get_space (self, from));
      copy (self, from, &here);
    }
  here = operand_in (self, &here, space);
  copy (self, &here, to);
}

GhloStepOperand
ghlo_step_materialize (GhloStepBuilder *self,
                       GhloStepValue   *value,
                       guint32          space,
                       gboolean         is_dense)
{
  gboolean needs_packing = ghlo_step_needs_packing (self, &value->operand, space);

  if (value->operand.buffer == GHLO_STEP_NONE
      || (!needs_packing && (!is_dense || ghlo_step_is_dense (&value->operand))))
    return operand_in (self, &value->operand, space);
  if (value->dense_scope == NULL || !ghlo_step_is_inside (self->scope, value->dense_scope))
    {
      guint32 where = needs_packing ? ghlo_step_get_space (self, &value->operand) : space;

      value->dense = ghlo_step_add_result (self, value->operand.type, where);
      value->dense_scope = self->scope;
      ghlo_step_add_copy (self, &value->operand, &value->dense);
    }

  return operand_in (self, &value->dense, space);
}

GhloStepOperand
ghlo_step_densify (GhloStepBuilder *self,
                   GhloStepValue   *value)
{
  return ghlo_step_materialize (self, value, ghlo_step_get_space (self, &value->operand), TRUE);
}
