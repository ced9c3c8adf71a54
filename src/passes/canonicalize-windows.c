/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A reduction of windows of several dimensions is one of each dimension after the other, where the order of combining
 * has no effect: its time then grows with the sum of the windows' sizes instead of their product, and only one of them
 * may have to read neighbours with a stride.
 */

#include "passes/canonicalize.h"

#include "ir/window.h"
#include "passes/constant.h"
#include "passes/walk.h"

/* What writing and reading an element between two windows counts for, in elements that are combined. */
#define BETWEEN 2.0
/* What an element counts for where neighbours are read with a stride, which takes apart what was loaded. */
#define STRIDED 4.0
/* The least number of combined elements that must be saved, beside which further steps take no time. */
#define LEAST_SAVED 16384.0

/* The dimensions whose windows have several elements, in the order in which they are reduced. */
typedef struct
{
  GhloIrWindow window;
  guint        n, dimensions[GHLO_MAX_RANK];
} Stages;

/* Whether elements may be combined in any order and, for padding that several windows see, together with the initial
 * value again. */
static gboolean
is_exact (const GhloIrOp    *combine,
          const GhloIrValue *initial)
{
  switch (combine->kind)
    {
    case GHLO_OP_STABLEHLO_AND:
    case GHLO_OP_STABLEHLO_MAXIMUM:
    case GHLO_OP_STABLEHLO_MINIMUM:
    case GHLO_OP_STABLEHLO_OR:
      return !ghlo_element_type_is_complex (initial->type->element_type);
    case GHLO_OP_STABLEHLO_ADD:
    case GHLO_OP_STABLEHLO_MULTIPLY:
    case GHLO_OP_STABLEHLO_XOR:
      return ghlo_element_type_is_integer (initial->type->element_type)
             && ghlo_value_is_neutral (initial, combine->kind);
    default:
      return FALSE;
    }
}

/* The operation of two scalars that the region of @op is, or NULL. */
static const GhloIrOp *
find_combine (const GhloIrOp *op)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  const GhloIrType *scalar = ghlo_ir_op_operand (op, 1)->type;
  const GhloIrOp *combine = block != NULL ? block->first : NULL;
  const GhloIrValue *x, *y;

  if (combine == NULL || block->n_arguments != 2 || combine->next != ghlo_pass_terminator (block)
      || combine->n_operands != 2 || combine->n_results != 1 || block->last->n_operands != 1
      || ghlo_ir_op_operand (block->last, 0) != &combine->results[0] || combine->results[0].type != scalar)
    return NULL;
  x = ghlo_ir_op_operand (combine, 0);
  y = ghlo_ir_op_operand (combine, 1);

  return (x == block->arguments[0] && y == block->arguments[1])
         || (x == block->arguments[1] && y == block->arguments[0]) ? combine : NULL;
}

/* Windows with large strides come first, since they leave the fewest elements. */
static void
order_stages (Stages *self)
{
  const GhloIrWindowDim *dims = self->window.dims;

  self->n = 0;
  for (guint i = 0; i < self->window.rank; i++)
    if (dims[i].size > 1)
      {
        guint place = self->n++;

        for (; place > 0 && dims[self->dimensions[place - 1]].stride < dims[i].stride; place--)
          self->dimensions[place] = self->dimensions[place - 1];
        self->dimensions[place] = i;
      }
}

/* What each element counts for in windows of @dimension. */
static double
element_cost (const Stages *self,
              guint         dimension)
{
  return dimension + 1 == self->window.rank && self->window.dims[dimension].stride > 1 ? STRIDED : 1;
}

/* Whether this saves enough. */
static gboolean
saves (const Stages *self)
{
  double n = 1, whole = element_cost (self, self->window.rank - 1), stages = 0;

  for (guint i = 0; i < self->window.rank; i++)
    {
      n *= (double) (self->window.dims[i].size > 1 ? self->window.dims[i].input : self->window.dims[i].output);
      whole *= (double) self->window.dims[i].output * (double) self->window.dims[i].size;
    }
  for (guint i = 0; i < self->n; i++)
    {
      const GhloIrWindowDim *dim = &self->window.dims[self->dimensions[i]];

      n *= (double) dim->output / (double) MAX (dim->input, 1);
      stages += n * ((double) dim->size * element_cost (self, self->dimensions[i]) + (i + 1 < self->n ? BETWEEN : 0));
    }

  return whole >= 2 * stages && whole - stages >= LEAST_SAVED;
}

/* Reduces the windows of one dimension. The first stage also does what @self states for dimensions without windows of
 * several elements. */
static GhloIrValue *
make_stage (GhloRewriter   *rewriter,
            const Stages   *self,
            guint           stage,
            const GhloIrOp *combine,
            GhloIrValue    *operand,
            GhloIrValue    *initial)
{
  GhloIrWindow window = { .rank = self->window.rank };

  for (guint i = 0; i < window.rank; i++)
    {
      const GhloIrWindowDim *dim = &self->window.dims[i];
      const gint64 n = operand->type->dimensions[i];

      if (i == self->dimensions[stage] || (stage == 0 && dim->size == 1))
        window.dims[i] = *dim;
      else
        window.dims[i] = (GhloIrWindowDim) { .input = n, .output = n, .size = 1, .stride = 1, .base_dilation = 1,
                                             .window_dilation = 1 };
    }

  return ghlo_make_reduce_window (rewriter, combine->kind, operand, initial, &window);
}

static gboolean
split_windows (GhloRewriter *self,
               GhloIrOp     *op)
{
  GhloIrValue *value, *initial;
  const GhloIrOp *combine;
  Stages stages;

  if (op->n_operands != 2 || op->n_results != 1)
    return FALSE;
  value = ghlo_ir_op_operand (op, 0);
  initial = ghlo_ir_op_operand (op, 1);
  if (!ghlo_type_is_plain (value->type) || !ghlo_type_is_plain (initial->type)
      || !ghlo_type_is_plain (op->results[0].type) || value->type->rank != op->results[0].type->rank
      || value->type->element_type != op->results[0].type->element_type || initial->type->rank != 0)
    return FALSE;
  combine = find_combine (op);
  if (combine == NULL || !is_exact (combine, initial) || ghlo_ir_window_read (&stages.window, op) != NULL)
    return FALSE;
  order_stages (&stages);
  if (stages.n < 2 || !saves (&stages))
    return FALSE;
  for (guint i = 0; i < stages.n; i++)
    value = make_stage (self, &stages, i, combine, value, initial);

  return ghlo_rewrite_replace (self, op, value);
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_REDUCE_WINDOW, split_windows },
};

const GhloRuleGroup ghlo_canonicalize_windows = { rows, G_N_ELEMENTS (rows) };
