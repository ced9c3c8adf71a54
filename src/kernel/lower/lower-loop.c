/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lowers a loop to one kernel without parallel axes. Each carried value has one element for each point of a common
 * shape, or a single element. Each stage has a graph: the initial values, the condition, the next values, and the
 * results.
 *
 * Sums are computed in the same order as by a loop of steps, so that both give the same bits.
 */

#include "kernel/lower/emit-private.h"

#include "base/fail.h"
#include "base/sizes.h"
#include "ir/outline.h"

#include <string.h>

enum { FIRST, CONDITION, BODY, RESULT, N_STAGES };

/* With many more points a loop of steps is as fast, and its steps use threads (measured: 100 iterations of an addition
 * take 0.12 of the time of steps with 64 points, 0.5 with 1024, 0.9 with 4096). MAX_BYTES limits all carried values. */
enum { MAX_POINTS = 2048, MAX_BYTES = 256 * 1024 };

typedef struct
{
  const GhloKernelGroup *group;
  GhloLowerLoop          loop;
  GhloLowering           stages[N_STAGES];
  GhloLowerOutput       *outputs[N_STAGES];     /* owned */
  guint                  n_outputs[N_STAGES];
  GhloEmission           emissions[N_STAGES];
  GhloKernelBuilder     *builder;
  guint                  going;                 /* the temporary with the result of the condition */
} Loop;

static const char *
find_reason (const Loop *self)
{
  for (guint i = 0; i < N_STAGES; i++)
    if (self->stages[i].reason != NULL)
      return self->stages[i].reason;

  return NULL;
}

/* Points */

/* Returns the type that is reduced in a region of the loop, or NULL. */
static const GhloIrType *
find_reduced (const GhloIrBlock *block)
{
  for (const GhloIrOp *op = block != NULL ? block->first : NULL; op != NULL; op = op->next)
    if (op->kind == GHLO_OP_STABLEHLO_REDUCE && op->n_operands > 0)
      return ghlo_ir_op_operand (op, 0)->type;

  return NULL;
}

static const GhloIrType *
find_carried_shape (const GhloLowerLoop *loop)
{
  for (guint i = 0; i < loop->n_carried; i++)
    if (loop->carried[i].kind == GHLO_CARRIED_TEMPORARY && !loop->carried[i].is_row)
      return loop->carried[i].type;
  for (guint i = 0; i < loop->n_carried; i++)
    if (loop->carried[i].kind == GHLO_CARRIED_STACK)
      return ghlo_ir_op_operand (loop->carried[i].next->op, 1)->type;

  return NULL;
}

/* Returns the shape that is reduced, else the shape of carried values; NULL where everything has a single element. */
static const GhloIrType *
find_shape (const GhloLowerLoop *loop)
{
  const GhloIrType *type = find_reduced (loop->condition);

  if (type == NULL)
    type = find_reduced (loop->body);

  return type != NULL ? type : find_carried_shape (loop);
}

static gboolean
count_points (const GhloIrType *type,
              gint64           *n)
{
  *n = 1;
  for (guint i = 0; type != NULL && i < type->rank; i++)
    if (type->dimensions[i] < 1 || __builtin_mul_overflow (*n, type->dimensions[i], n) || *n > MAX_POINTS)
      return FALSE;

  return TRUE;
}

static gboolean
fits (const GhloLowerLoop *loop,
      gint64               n_points)
{
  gint64 bytes = 0;

  for (guint i = 0; i < loop->n_carried; i++)
    if (loop->carried[i].kind == GHLO_CARRIED_TEMPORARY)
      {
        const GhloIrType *type = loop->carried[i].type;

        g_assert (type != NULL);
        bytes += GHLO_CARRIED_N * ghlo_element_info (type->element_type)->size
                 * (loop->carried[i].is_row ? 1 : n_points);
      }

  return bytes <= MAX_BYTES;
}

static const char *
set_domain (Loop *self)
{
  const GhloIrType *type = find_shape (&self->loop);
  const GhloIrType none = { .kind = GHLO_IR_TYPE_TENSOR };
  gint64 n_points;

  if (type != NULL && (type->kind != GHLO_IR_TYPE_TENSOR || !ghlo_ir_type_has_static_shape (type)))
    return "its shapes are not static";
  if (!count_points (type, &n_points))
    return "it has so many elements that several threads should share them";
  if (!fits (&self->loop, n_points))
    return "its carried values do not fit in the cache";
  if (type == NULL)
    type = &none;
  for (guint i = 0; i < N_STAGES; i++)
    {
      GhloLowering *stage = &self->stages[i];

      if (type->rank > GHLO_KERNEL_MAX_AXES
          || !ghlo_lower_set_domain (stage, type, ((guint64) 1 << type->rank) - 1))
        return "it has too many dimensions";
      stage->loop = &self->loop;
      stage->extents[GHLO_LOWER_LOOP_AXIS] = self->loop.trips;
    }

  return NULL;
}

/* Outputs */

/* Adds the parts of @value as outputs of @stage; FALSE where a kernel cannot compute it. For outputs that go to
 * temporaries, @result is the carried value for now. */
static gboolean
add_root (Loop              *self,
          guint              stage,
          const GhloIrValue *value,
          guint16            temporary,
          guint              result)
{
  for (guint part = 0; part < ghlo_lower_n_parts (value->type); part++)
    {
      GhloLowerOutput *output = &self->outputs[stage][self->n_outputs[stage]++];

      output->temporary = temporary;
      output->result = result;
      if (!ghlo_lower_output (&self->stages[stage], value, part, output))
        return FALSE;
    }

  return TRUE;
}

/* Adds as an output of the body, for each part, the element that @update writes into an array. */
static gboolean
add_update (Loop           *self,
            const GhloIrOp *update,
            guint           result)
{
  GhloLowering *body = &self->stages[BODY];
  const GhloIrValue *value = ghlo_ir_op_operand (update, 1);

  for (guint part = 0; part < ghlo_lower_n_parts (value->type); part++)
    {
      GhloLowerOutput *output = &self->outputs[BODY][self->n_outputs[BODY]++];
      GhloIndex index = ghlo_lower_origin (body, value->type->rank, NULL);

      index.part = part;
      *output = (GhloLowerOutput) { .temporary = GHLO_KERNEL_NONE, .result = result };
      output->expr = ghlo_lower_encode (body, value->type->element_type, ghlo_lower_value (body, value, &index));
      if (output->expr == GHLO_LOWER_NONE || !ghlo_lower_update_index (body, update, &index, &output->index))
        return FALSE;
    }

  return TRUE;
}

/* In their order, the innermost first. */
static gboolean
add_updates (Loop  *self,
             guint  number,
             guint  result)
{
  const GhloIrOp *updates[GHLO_LOWER_MAX_UPDATES];

  for (guint n = ghlo_lower_list_updates (&self->loop, number, updates); n > 0; n--)
    if (!add_update (self, updates[n - 1], result))
      return FALSE;

  return TRUE;
}

static gboolean
add_result (Loop *self,
            guint result)
{
  const GhloKernelGroup *group = self->group;
  const GhloIrValue *value = ghlo_lower_get_result (group, result);
  const guint first = self->n_outputs[BODY];
  const GhloIrOp *op;

  if (value->op == self->loop.op && self->loop.carried[value->index].kind == GHLO_CARRIED_ARRAY)
    return add_updates (self, value->index, result);
  if (value->op != self->loop.op || self->loop.carried[value->index].kind != GHLO_CARRIED_STACK)
    return add_root (self, RESULT, value, GHLO_KERNEL_NONE, result);
  op = self->loop.carried[value->index].next->op;
  if (!add_root (self, BODY, ghlo_ir_op_operand (op, 1), GHLO_KERNEL_NONE, result))
    return FALSE;
  for (guint i = first; i < self->n_outputs[BODY]; i++)
    {
      GhloLowerOutput *output = &self->outputs[BODY][i];
      const GhloIndex update = output->index;

      if (!ghlo_lower_stack_index (&self->stages[BODY], op, &update, &output->index))
        return FALSE;
    }

  return TRUE;
}

/* Adds the outputs of all stages; temporaries have no indices yet. */
static gboolean
add_outputs (Loop *self)
{
  const GhloLowerLoop *loop = &self->loop;
  const guint n = 2 * (loop->n_carried + GHLO_LOWER_MAX_UPDATES * self->group->n_results) + 1;

  for (guint i = 0; i < N_STAGES; i++)
    self->outputs[i] = g_new0 (GhloLowerOutput, n);
  for (guint i = 0; i < loop->n_carried; i++)
    if (loop->carried[i].kind == GHLO_CARRIED_TEMPORARY
        && (!add_root (self, FIRST, loop->carried[i].first, 0, i)
            || !add_root (self, BODY, loop->carried[i].next, 0, i)))
      return FALSE;
  for (guint i = 0; i < self->group->n_results; i++)
    if (!add_result (self, i))
      return FALSE;

  return loop->condition == NULL || add_root (self, CONDITION, ghlo_ir_op_operand (loop->condition->last, 0), 0, 0);
}

/* Arrays */

/* Finds the arrays that stay in results: those that change only by updates of single elements. */
static void
find_arrays (Loop *self)
{
  for (guint i = 0; i < self->group->n_results; i++)
    {
      const GhloIrValue *value = ghlo_lower_get_result (self->group, i);
      const GhloIrOp *updates[GHLO_LOWER_MAX_UPDATES];
      GhloLowerCarried *carried = value->op == self->loop.op ? &self->loop.carried[value->index] : NULL;

      if (carried == NULL || carried->kind != GHLO_CARRIED_TEMPORARY || carried->is_row
          || ghlo_lower_list_updates (&self->loop, value->index, updates) == 0)
        continue;
      carried->kind = GHLO_CARRIED_ARRAY;
      carried->result = i;
    }
}

/* Whether the kernel uses @operand other than as the beginning of an array. */
static gboolean
is_used_otherwise (const Loop *self,
                   guint       operand,
                   guint       array)
{
  for (guint i = 0; i < N_STAGES; i++)
    for (guint k = 0; k < self->stages[i].reads->len; k++)
      if (ghlo_lower_read (&self->stages[i], k)->buffer == operand)
        return TRUE;
  for (guint i = 0; i < array; i++)
    if (self->loop.carried[i].kind == GHLO_CARRIED_ARRAY
        && ghlo_lower_find_operand (&self->stages[BODY], self->loop.carried[i].first) == (gint) operand)
      return TRUE;

  return FALSE;
}

/* Lets each array begin with an operand. Its elements must be read and written in order: without folds, all blocks of
 * the body that do so are one. */
static gboolean
share_arrays (Loop    *self,
              guint64 *begins)
{
  GhloLowering *body = &self->stages[BODY];

  /* @begins has no more bits. */
  if (self->group->n_operands > GHLO_KERNEL_MAX_BUFFERS)
    return GHLO_FALSE_AFTER (ghlo_lower_refuse (body, "its kernel would be too large"));
  for (guint i = 0; i < self->loop.n_carried; i++)
    {
      const GhloLowerCarried *carried = &self->loop.carried[i];
      const gint operand = ghlo_lower_find_operand (body, carried->first);

      if (carried->kind != GHLO_CARRIED_ARRAY)
        continue;
      if (operand < 0 || is_used_otherwise (self, (guint) operand, i))
        return GHLO_FALSE_AFTER (ghlo_lower_refuse (body, "an array that it updates has no operand of its own"));
      if (body->folds->len > 0)
        return GHLO_FALSE_AFTER (ghlo_lower_refuse (body, "it updates an array and reduces others"));
      ghlo_kernel_share_buffer (self->builder, (guint) operand, self->group->n_operands + carried->result);
      *begins |= (guint64) 1 << operand;
    }

  return TRUE;
}

/* Blocks */

static void
add_carried (Loop *self,
             guint number)
{
  static const char *const names[] = { "carried", "first", "next" }, *const parts[] = { "", "i" };
  GhloLowerCarried *carried = &self->loop.carried[number];
  const guint axes = carried->is_row ? 0 : ghlo_emission_inner_axes (&self->emissions[FIRST]);

  for (guint part = 0; part < ghlo_lower_n_parts (carried->type); part++)
    for (guint k = 0; k < GHLO_CARRIED_N; k++)
      {
        g_autofree char *name = g_strdup_printf ("%s%u%s", names[k], number, parts[part]);

        carried->temporaries[part][k] =
          ghlo_kernel_add_temporary (self->builder, name, ghlo_lower_stored (carried->type->element_type), axes);
      }
}

/* Sets the temporaries in which the outputs of @stage are kept. */
static void
set_temporaries (Loop  *self,
                 guint  stage,
                 guint  kind)
{
  for (guint i = 0; i < self->n_outputs[stage]; i++)
    {
      GhloLowerOutput *output = &self->outputs[stage][i];

      if (output->temporary != GHLO_KERNEL_NONE)
        output->temporary = self->loop.carried[output->result].temporaries[output->index.part][kind];
    }
}

static void
add_temporaries (Loop *self)
{
  for (guint i = 0; i < self->loop.n_carried; i++)
    if (self->loop.carried[i].kind == GHLO_CARRIED_TEMPORARY)
      add_carried (self, i);
  if (self->loop.condition != NULL)
    self->going = self->outputs[CONDITION][0].temporary =
      ghlo_kernel_add_temporary (self->builder, "going", GHLO_ELEMENT_TYPE_I1, 0);
  set_temporaries (self, FIRST, GHLO_CARRIED_FIRST);
  set_temporaries (self, BODY, GHLO_CARRIED_NEXT);
}

static void
emit_loop (Loop *self)
{
  ghlo_emission_emit (&self->emissions[FIRST]);
  if (self->loop.condition != NULL)
    ghlo_kernel_begin_while (self->builder, self->going);
  else
    ghlo_kernel_begin_loop (self->builder, self->emissions[BODY].n_axes);
  for (guint i = 0; i < self->loop.n_carried; i++)
    {
      const GhloLowerCarried *carried = &self->loop.carried[i];

      for (guint part = 0; carried->kind == GHLO_CARRIED_TEMPORARY && part < ghlo_lower_n_parts (carried->type); part++)
        ghlo_kernel_add_carry (self->builder, carried->temporaries[part][GHLO_CARRIED_CURRENT],
                               carried->temporaries[part][GHLO_CARRIED_FIRST],
                               carried->temporaries[part][GHLO_CARRIED_NEXT]);
    }
  if (self->loop.condition != NULL)
    {
      ghlo_emission_emit (&self->emissions[CONDITION]);
      ghlo_kernel_begin_body (self->builder);
    }
  ghlo_emission_emit (&self->emissions[BODY]);
  ghlo_kernel_end_block (self->builder);
  ghlo_emission_emit (&self->emissions[RESULT]);
}

static GhloKernel *
emit (Loop    *self,
      gint64  *starts,
      guint64 *begins)
{
  GhloKernel *kernel = NULL;

  for (guint i = 0; i < N_STAGES; i++)
    ghlo_emission_init (&self->emissions[i], &self->stages[i], self->outputs[i], self->n_outputs[i], starts);
  if (find_reason (self) == NULL && ghlo_emission_merge_axes (self->emissions, N_STAGES))
    {
      self->builder = ghlo_kernel_builder_new ("loop");
      for (guint i = 0; i < N_STAGES; i++)
        self->emissions[i].builder = self->builder;
      ghlo_emission_add_axes (&self->emissions[FIRST]);
      ghlo_emission_add_buffers (&self->emissions[FIRST]);
      add_temporaries (self);
      if (share_arrays (self, begins))
        {
          emit_loop (self);
          kernel = ghlo_emission_end (&self->stages[FIRST], self->builder);
        }
      else
        ghlo_kernel_builder_free (self->builder);
    }
  for (guint i = 0; i < N_STAGES; i++)
    ghlo_emission_clear (&self->emissions[i]);

  return kernel;
}

/* Lowers the loop, with @has_arrays even where arrays stay in results. */
static GhloKernel *
lower (const GhloKernelGroup  *group,
       const GhloIrOp         *op,
       gboolean                has_arrays,
       gint64                 *starts,
       guint64                *begins,
       const char            **reason)
{
  g_autofree Loop *self = g_new0 (Loop, 1);
  GhloKernel *kernel = NULL;

  self->group = group;
  for (guint i = 0; i < N_STAGES; i++)
    ghlo_lower_init (&self->stages[i], group);
  *reason = ghlo_lower_read_loop (&self->loop, op);
  if (*reason == NULL && has_arrays)
    find_arrays (self);
  if (*reason == NULL)
    *reason = set_domain (self);
  if (*reason == NULL)
    {
      kernel = add_outputs (self) ? emit (self, starts, begins) : NULL;
      *reason = find_reason (self);
      if (kernel == NULL && *reason == NULL)
        *reason = "its values have different shapes";
    }
  for (guint i = 0; i < N_STAGES; i++)
    {
      ghlo_lower_clear (&self->stages[i]);
      g_free (self->outputs[i]);
    }
  g_free (self->loop.carried);

  return kernel;
}

/* Small arrays are faster in temporaries. */
GhloKernel *
ghlo_lower_loop (const GhloKernelGroup  *group,
                 const GhloIrOp         *op,
                 gint64                 *starts,
                 guint64                *begins,
                 const char            **reason)
{
  const char *reason_of_arrays;
  GhloKernel *kernel;

  *begins = 0;
  kernel = lower (group, op, FALSE, starts, begins, reason);
  if (kernel == NULL)
    kernel = lower (group, op, TRUE, starts, begins, &reason_of_arrays);
  if (kernel != NULL)
    *reason = NULL;

  return kernel;
}

/* Queries before there is a group */

/* Makes a dense view, with @strides as storage; FALSE where the type has none. */
static gboolean
make_view (const GhloIrType *type,
           gint64           *strides,
           GhloView         *view)
{
  static const gint64 none[1];

  if (type->kind != GHLO_IR_TYPE_TENSOR || type->rank > GHLO_LOWER_MAX_RANK || !ghlo_ir_type_has_static_shape (type))
    return FALSE;
  ghlo_shape_strides (type->rank > 0 ? type->dimensions : none, type->rank,
                      ghlo_element_info (type->element_type)->size, strides);
  *view = (GhloView) { .element_type = type->element_type, .rank = type->rank,
                       .dimensions = type->rank > 0 ? type->dimensions : none, .strides = strides };

  return TRUE;
}

const char *
ghlo_kernel_loop_obstacle (const GhloIrOp *const *ops,
                           guint                  n_ops)
{
  const GhloIrOp *op = ops[n_ops - 1];
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autofree GhloView *views = NULL;
  g_autofree gint64 *strides = NULL;
  g_auto (GhloLoweredKernel) lowered = { NULL };
  GhloKernelGroup group = { .op = op, .n_results = op->n_results };
  const char *reason;

  ghlo_ir_outline_inputs (ops, n_ops, inputs);
  g_ptr_array_add (inputs, NULL);
  group.inputs = (const GhloIrValue *const *) inputs->pdata;
  group.n_operands = inputs->len - 1;
  views = g_new (GhloView, group.n_operands + group.n_results + 1);
  strides = g_new (gint64, (gsize) GHLO_LOWER_MAX_RANK * (group.n_operands + group.n_results + 1));
  for (guint i = 0; i < group.n_operands + group.n_results; i++)
    if (!make_view (i < group.n_operands ? group.inputs[i]->type : op->results[i - group.n_operands].type,
                    strides + (gsize) GHLO_LOWER_MAX_RANK * i, &views[i]))
      return "its shapes are not static";
  group.operands = views;
  group.results = views + group.n_operands;
  (void) ghlo_kernel_lower (&group, &lowered, &reason);

  return reason;
}
