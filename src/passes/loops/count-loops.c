/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "count-loops": counted loops get the form "while (counter < end) counter += step" with constants, which
 * ir/loop.h recognizes. The original condition may have its operands swapped, use <= or !=, or count by subtraction. A
 * loop of one iteration is replaced by its body, a loop of none by its initial values.
 */

#include "passes/context.h"

#include <string.h>

#include "ir/loop.h"
#include "passes/constant.h"
#include "passes/effects.h"
#include "passes/rewrite.h"
#include "passes/walk.h"

typedef struct
{
  GhloIrModule *module;
  GhloIrOp     *loop, *compare;
  GhloIrBlock  *condition, *body;
  guint         counter;       /* index among the carried values */
  gint64        end, step;
  gboolean      end_is_left;   /* the comparison is "end ? counter" */
} Count;

static gboolean
is_counter (const Count       *self,
            const GhloIrValue *value,
            guint             *index)
{
  if (value->op != NULL || value->block != self->condition || value->type->rank != 0
      || !ghlo_type_is_integer (value->type))
    return FALSE;
  *index = value->index;

  return TRUE;
}

/* Finds the comparison of a carried integer with a constant. */
static gboolean
find_comparison (Count *self)
{
  const GhloIrOp *terminator = ghlo_pass_terminator (self->condition);
  GhloIrValue *lhs, *rhs;

  if (terminator == NULL || terminator->n_operands != 1)
    return FALSE;
  self->compare = ghlo_ir_op_operand (terminator, 0)->op;
  if (self->compare == NULL || self->compare->kind != GHLO_OP_STABLEHLO_COMPARE
      || self->compare->block != self->condition)
    return FALSE;
  lhs = ghlo_ir_op_operand (self->compare, 0);
  rhs = ghlo_ir_op_operand (self->compare, 1);
  if (is_counter (self, lhs, &self->counter))
    return ghlo_ir_value_get_constant (rhs, &self->end);
  self->end_is_left = TRUE;

  return is_counter (self, rhs, &self->counter) && ghlo_ir_value_get_constant (lhs, &self->end);
}

/* Finds how the body changes the counter: counter + step or counter - (-step). */
static gboolean
find_step (Count *self)
{
  const GhloIrOp *terminator = ghlo_pass_terminator (self->body);
  const GhloIrOp *next = terminator != NULL && terminator->n_operands == self->loop->n_operands
                         ? ghlo_ir_op_operand (terminator, self->counter)->op : NULL;
  const GhloIrValue *counter = self->body->arguments[self->counter];

  if (next == NULL || next->n_operands != 2)
    return FALSE;
  if (next->kind == GHLO_OP_STABLEHLO_ADD)
    for (guint i = 0; i < 2; i++)
      if (ghlo_ir_op_operand (next, i) == counter)
        return ghlo_ir_value_get_constant (ghlo_ir_op_operand (next, 1 - i), &self->step);
  if (next->kind == GHLO_OP_STABLEHLO_SUBTRACT && ghlo_ir_op_operand (next, 0) == counter
      && ghlo_ir_value_get_constant (ghlo_ir_op_operand (next, 1), &self->step))
    return !__builtin_sub_overflow (0, self->step, &self->step);

  return FALSE;
}

static GhloIrValue *
put_constant (Count            *self,
              const GhloIrType *type,
              gint64            number,
              GhloIrOp         *before)
{
  GhloIrOp *op = ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_CONSTANT,
    .result_types = &type,
    .n_results = 1,
    .attributes = &(GhloIrNamedAttr) { "value",
                                       ghlo_make_dense_splat (self->module, type, (GhloScalar) { .i = number }) },
    .n_attributes = 1,
    .location = before->location,
    .line = before->line,
    .column = before->column,
  });

  ghlo_ir_op_insert_before (op, before);

  return &op->results[0];
}

/* Gets the end for a comparison "counter < end" that is equivalent to the loop's; FALSE when there is none. */
static gboolean
find_plain_end (const Count *self,
                const char  *word,
                gint64      *end)
{
  GhloIrValue *start = ghlo_ir_op_operand (self->loop, self->counter);
  gint64 first;

  *end = self->end;
  if (strcmp (word, self->end_is_left ? "GT" : "LT") == 0)
    return TRUE;
  if (strcmp (word, self->end_is_left ? "GE" : "LE") == 0)
    return !__builtin_add_overflow (self->end, 1, end);
  /* "!=" is equivalent only when the counter reaches the end exactly. */
  return strcmp (word, "NE") == 0 && self->step > 0 && ghlo_ir_value_get_constant (start, &first)
         && first <= self->end && ((guint64) self->end - (guint64) first) % (guint64) self->step == 0;
}

/* Rewrites the comparison as "counter < end". TRUE when something changed. */
static gboolean
make_plain (Count *self)
{
  const GhloIrAttr *direction = ghlo_ir_op_get (self->compare, "comparison_direction");
  const GhloIrType *type = ghlo_ir_op_operand (self->compare, 0)->type;
  const char *word = direction != NULL ? ghlo_ir_enum_word (direction) : "";
  GhloScalar scalar;
  GhloIrValue *value;
  gint64 end;

  if (!find_plain_end (self, word, &end) || (!self->end_is_left && strcmp (word, "LT") == 0))
    return FALSE;
  scalar = ghlo_element_round (type->element_type, (GhloScalar) { .i = end });
  if (scalar.i != end || self->step <= 0)
    return FALSE;
  value = put_constant (self, type, end, self->compare);
  ghlo_ir_op_set_operand (self->compare, 0, self->condition->arguments[self->counter]);
  ghlo_ir_op_set_operand (self->compare, 1, value);
  ghlo_ir_op_set (self->module, self->compare, "comparison_direction",
                  ghlo_ir_attr_enum (self->module, GHLO_IR_ENUM_COMPARISON_DIRECTION,
                                     ghlo_ir_enum_from_word (GHLO_IR_ENUM_COMPARISON_DIRECTION, "LT")));

  return TRUE;
}

/* Replaces counter - constant by counter + constant, which is the same, since integers wrap. */
static gboolean
make_sum (Count *self)
{
  GhloIrOp *next = ghlo_ir_op_operand (ghlo_pass_terminator (self->body), self->counter)->op, *sum;
  const GhloIrType *type = next->results[0].type;

  if (next->kind != GHLO_OP_STABLEHLO_SUBTRACT || next->block != self->body || self->step <= 0)
    return FALSE;
  sum = ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_ADD,
    .operands = (GhloIrValue *[]) { ghlo_ir_op_operand (next, 0), put_constant (self, type, self->step, next) },
    .n_operands = 2,
    .result_types = &type,
    .n_results = 1,
    .location = next->location,
    .line = next->line,
    .column = next->column,
  });
  ghlo_ir_op_insert_before (sum, next);
  ghlo_ir_value_replace (&next->results[0], &sum->results[0]);
  ghlo_pass_erase (next);

  return TRUE;
}

static gboolean
condition_is_pure (const Count *self)
{
  for (const GhloIrOp *op = self->condition->first; op != NULL; op = op->next)
    if (!ghlo_pass_is_pure (op, NULL))
      return FALSE;

  return TRUE;
}

/* Whether the carried values have the same types before, in, and after the loop. */
static gboolean
types_agree (const Count *self)
{
  const GhloIrOp *terminator = ghlo_pass_terminator (self->body);

  for (guint i = 0; i < self->loop->n_operands; i++)
    if (ghlo_ir_op_operand (self->loop, i)->type != self->body->arguments[i]->type
        || ghlo_ir_op_operand (self->loop, i)->type != self->loop->results[i].type
        || ghlo_ir_op_operand (self->loop, i)->type != ghlo_ir_op_operand (terminator, i)->type)
      return FALSE;

  return TRUE;
}

/* Replaces a loop of one iteration, or none. */
static gboolean
unroll (Count  *self,
        gint64  trips)
{
  guint n = self->loop->n_operands;
  g_autofree GhloIrValue **values = g_new (GhloIrValue *, n + 1);
  const GhloIrOp *terminator;

  if (trips < 0 || trips > 1 || !condition_is_pure (self) || !types_agree (self))
    return FALSE;
  for (guint i = 0; i < n; i++)
    values[i] = ghlo_ir_op_operand (self->loop, i);
  if (trips == 1)
    {
      terminator = ghlo_pass_splice (self->body, self->loop, values);
      for (guint i = 0; i < n; i++)
        values[i] = ghlo_ir_op_operand (terminator, i);
    }
  for (guint i = 0; i < n; i++)
    ghlo_ir_value_replace (&self->loop->results[i], values[i]);
  ghlo_pass_erase (self->loop);

  return TRUE;
}

static guint
count_loop (GhloIrModule *module,
            GhloIrOp     *loop)
{
  Count self = { .module = module, .loop = loop };
  GhloIrCountedLoop counted;
  guint n = 0;

  self.condition = ghlo_ir_op_region_block (loop, 0);
  self.body = ghlo_ir_op_region_block (loop, 1);
  if (self.condition == NULL || self.body == NULL)
    return 0;
  if (find_comparison (&self) && find_step (&self))
    n += make_plain (&self) + make_sum (&self);
  if (ghlo_ir_counted_loop (loop, &counted))
    n += unroll (&self, counted.trips);

  return n;
}

gboolean
ghlo_pass_count_loops (GhloIrModule     *module,
                       GhloPassContext  *context,
                       GError          **error)
{
  /* Changing a loop leaves the loops around it in place. */
  return ghlo_pass_each_loop (module, context->monitor, count_loop, &context->n_changes, error);
}
