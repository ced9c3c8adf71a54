/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "split-windows": a reduction of windows of several dimensions is one of each dimension after the other,
 * where the order of combining may change: its time then grows with the sum of the windows' sizes instead of their
 * product, and only one of them may have to read neighbours with a stride.
 */

#include "passes/rewrite.h"

#include "ir/window.h"
#include "passes/constant.h"
#include "passes/walk.h"

/* What an element counts for where neighbours are read with a stride, which takes apart what was loaded. */
#define STRIDED 4.0
/* Bytes that a cache holds. */
#define CACHE 8e6

typedef struct
{
  /* What writing and reading an element between two windows counts for, in elements that are combined: where a cache
   * holds all of them, where it does and they are combined as fast as they are read, and where memory holds them. */
  double between, fast, memory;
  /* How much must be saved at least: a share, and combined elements, beside which further steps take no time. */
  double   least_share, least_saved;
  gboolean by_stride;                   /* the order of dimensions: that of strides, else what leaves few elements */
} Costs;

/* By whether the device declines to split windows wherever that pays (GHLO_FUSION_SPLIT_WINDOWS). */
static const Costs all_costs[] = { { 1, 3, 6, 1.25, 1024, FALSE }, { 2, 2, 2, 2, 16384, TRUE } };

/* The dimensions whose windows have several elements, in the order in which they are reduced. */
typedef struct
{
  GhloIrWindow window;
  gsize        size;                    /* bytes of an element */
  gboolean     is_fast;                 /* wide integers, and sums of floats */
  guint        n, dimensions[GHLO_MAX_RANK];
} Stages;

/* Whether elements may be combined in any order and, for padding that several windows see, together with the initial
 * value again. Sums of floats may where the device has an order of its own anyway, unless they round at every step. */
static gboolean
may_split (const GhloIrOp     *combine,
           const GhloIrValue  *initial,
           const GhloIrWindow *window)
{
  const GhloElementType type = initial->type->element_type;
  double n_taps = 1;
  GhloScalar scalar;

  switch (combine->kind)
    {
    case GHLO_OP_STABLEHLO_AND:
    case GHLO_OP_STABLEHLO_MAXIMUM:
    case GHLO_OP_STABLEHLO_MINIMUM:
    case GHLO_OP_STABLEHLO_OR:
      return !ghlo_element_type_is_complex (type);
    case GHLO_OP_STABLEHLO_ADD:
      if (ghlo_element_type_is_integer (type))
        return ghlo_value_is_neutral (initial, combine->kind);
      for (guint i = 0; i < window->rank; i++)
        n_taps *= (double) window->dims[i].size;
      return ghlo_element_type_is_float (type) && !ghlo_element_type_is_complex (type)
             && ghlo_value_get_splat (initial, &scalar) && scalar.f == 0
             && (ghlo_element_info (type)->bits >= 32 || n_taps > (double) ghlo_element_short_sum (type));
    case GHLO_OP_STABLEHLO_MULTIPLY:
    case GHLO_OP_STABLEHLO_XOR:
      return ghlo_element_type_is_integer (type) && ghlo_value_is_neutral (initial, combine->kind);
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

/* What each element counts for in windows of @dimension. */
static double
element_cost (const Stages *self,
              guint         dimension)
{
  return dimension + 1 == self->window.rank && self->window.dims[dimension].stride > 1 ? STRIDED : 1;
}

/* What comes first has the largest: elements that are left out, by those that are combined for each of the others. */
static double
find_gain (const Stages *self,
           const Costs  *costs,
           guint         dimension)
{
  const GhloIrWindowDim *dim = &self->window.dims[dimension];

  return costs->by_stride ? (double) dim->stride
         : ((double) dim->input / (double) MAX (dim->output, 1) - 1)
           / ((double) dim->size * element_cost (self, dimension));
}

static void
order_stages (Stages      *self,
              const Costs *costs)
{
  self->n = 0;
  for (guint i = 0; i < self->window.rank; i++)
    if (self->window.dims[i].size > 1)
      {
        const double gain = find_gain (self, costs, i);
        guint place = self->n++;

        for (; place > 0 && find_gain (self, costs, self->dimensions[place - 1]) < gain; place--)
          self->dimensions[place] = self->dimensions[place - 1];
        self->dimensions[place] = i;
      }
}

/* Whether this saves enough. */
static gboolean
saves (const Stages *self,
       const Costs  *costs)
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
      stages += n * (double) dim->size * element_cost (self, self->dimensions[i]);
      if (i + 1 < self->n)
        stages += n * (n * (double) self->size > CACHE ? costs->memory
                       : self->is_fast ? costs->fast : costs->between);
    }

  return whole >= costs->least_share * stages && whole - stages >= costs->least_saved;
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
  const Costs *costs;
  gboolean is_wide_sum;
  GhloElementType type;
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
  if (combine == NULL || ghlo_ir_window_read (&stages.window, op) != NULL
      || !may_split (combine, initial, &stages.window))
    return FALSE;
  type = value->type->element_type;
  is_wide_sum = combine->kind == GHLO_OP_STABLEHLO_ADD && ghlo_element_type_is_float (type)
                && ghlo_element_info (type)->bits < 32;
  stages.size = is_wide_sum ? sizeof (float) : ghlo_element_info (type)->size;
  stages.is_fast = stages.size >= 4 && (ghlo_element_type_is_integer (type) || combine->kind == GHLO_OP_STABLEHLO_ADD);
  costs = &all_costs[ghlo_rewrite_is_declined (self, GHLO_FUSION_SPLIT_WINDOWS, op)];
  order_stages (&stages, costs);
  if (stages.n < 2 || !saves (&stages, costs))
    return FALSE;
  /* Sums of narrow floats are rounded once. */
  if (is_wide_sum)
    {
      value = ghlo_make_convert (self, value, GHLO_ELEMENT_TYPE_F32);
      initial = ghlo_make_number (self, ghlo_make_type (self, value->type, NULL, 0), 0);
    }
  for (guint i = 0; i < stages.n; i++)
    value = make_stage (self, &stages, i, combine, value, initial);

  return ghlo_rewrite_replace (self, op, ghlo_make_convert (self, value, type));
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_REDUCE_WINDOW, split_windows },
};

gboolean
ghlo_pass_split_windows (GhloIrModule     *module,
                         GhloPassContext  *context,
                         GError          **error)
{
  return ghlo_rewrite_module (module, context, rows, G_N_ELEMENTS (rows), error);
}
