/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lowers reductions, of whole dimensions and of windows, to folds.
 */

#include "kernel/lower/lowering.h"

#include "base/fail.h"
#include "kernel/scalar.h"

/* MIN_FREE: fewest elements in which a position is looked for in several parts; merging these takes as long as some
 * hundred elements. */
enum { MAX_RESULTS = 8, MIN_FREE = 1024 };

/* Folds */

/* Returns the bits of the neutral element. */
static gboolean
find_identity (GhloCombiner     combiner,
               GhloElementType  type,
               guint64         *bits)
{
  GhloScalar value;

  *bits = 0;
  if (!ghlo_combiner_neutral (combiner, type, &value))
    return FALSE;
  ghlo_element_store (type, bits, value);
  *bits = GUINT64_FROM_LE (*bits);

  return TRUE;
}

static gint64
count_reduced (const GhloLowering *self)
{
  gint64 n = 1;

  for (guint i = self->n_parallel; i < self->n_axes; i++)
    n *= self->extents[i];

  return n;
}

static guint32
get_init (GhloLowering   *self,
          const GhloIrOp *op,
          guint           result,
          guint           part)
{
  GhloIndex scalar = ghlo_lower_origin (self, 0, NULL);

  scalar.part = part;

  return ghlo_lower_value (self, ghlo_ir_op_operand (op, op->n_operands / 2 + result), &scalar);
}

guint
ghlo_lower_add_fold (GhloLowering    *self,
                     GhloElementType  type,
                     guint            level,
                     guint64          identity,
                     guint            n_chains)
{
  const GhloLowerFold fold = { .type = type, .identity = identity, .update = GHLO_LOWER_NONE,
                               .merge = GHLO_LOWER_NONE, .level = level, .n_chains = n_chains };

  g_array_append_val (self->folds, fold);

  return self->folds->len - 1;
}

/* Returns whether narrow floats are rounded at each step, which must match the reference executor (base/element.h). */
static gboolean
rounds_each_step (const GhloLowering *self,
                  GhloCombiner        combiner,
                  GhloElementType     type)
{
  if (ghlo_lower_stored (type) == ghlo_lower_type (type) || ghlo_combiner_is_exact (combiner, GHLO_ELEMENT_CLASS_FLOAT))
    return FALSE;

  return count_reduced (self) <= (gint64) ghlo_element_short_sum (type);
}

/* Whether windows have more elements along their last dimension than there are results in a row: a window's elements
 * are the better lanes then. */
static gboolean
has_long_windows (const GhloLowering *self)
{
  gint64 last[2] = { 1, 1 };

  for (guint i = 0; i < self->n_axes; i++)
    if (self->extents[i] > 1)
      last[i >= self->n_parallel] = self->extents[i];

  return last[1] > last[0];
}

/* Makes the fold of one operand with a known combiner. The initial value is combined at the end. If each step is
 * rounded, the fold starts with it instead. */
static gboolean
make_combined (GhloLowering   *self,
               const GhloIrOp *op,
               GhloCombiner    combiner,
               guint32         value)
{
  GhloElementType element = op->results[0].type->element_type, type = ghlo_lower_type (element);
  gboolean is_rounded = rounds_each_step (self, combiner, element);
  gboolean is_exact = ghlo_combiner_is_exact (combiner, ghlo_element_info (element)->element_class);
  gboolean is_ordered = is_rounded || (self->window != NULL && (!is_exact || !has_long_windows (self)));
  guint32 init = get_init (self, op, 0, 0), left;
  guint64 identity;
  guint fold;

  if (init == GHLO_LOWER_NONE)
    return FALSE;
  if (!find_identity (combiner, type, &identity))
    return GHLO_FALSE_AFTER (ghlo_lower_refuse (self, "its reduction has no neutral element"));
  if (is_rounded && ghlo_expr (self, init)->kind != GHLO_NODE_CONSTANT)
    return GHLO_FALSE_AFTER (ghlo_lower_refuse (self, "its reduction has an initial value that is not a constant"));
  fold = ghlo_lower_add_fold (self, type, ghlo_expr (self, value)->level,
                              is_rounded ? ghlo_expr (self, init)->bits : identity, is_ordered ? 1 : 0);
  left = ghlo_lower_fold_operand (self, GHLO_NODE_LEFT, fold);
  value = ghlo_lower_combine (self, combiner, type, left, value);
  if (is_rounded)
    value = ghlo_lower_round (self, element, value);
  ghlo_fold (self, fold)->update = value;
  if (!is_rounded)
    ghlo_fold (self, fold)->merge =
      ghlo_lower_combine (self, combiner, type, left, ghlo_lower_fold_operand (self, GHLO_NODE_RIGHT, fold));

  return self->reason == NULL;
}

/* Sets @bits to the identity of complex folds: the neutral element. Where there is none, they start with the initial
 * value and are ordered: the product of an infinity and 1 contains a NaN. */
static gboolean
find_complex_identity (GhloLowering   *self,
                       const GhloIrOp *op,
                       GhloCombiner    combiner,
                       guint64        *bits,
                       gboolean       *is_ordered)
{
  GhloElementType element = op->results[0].type->element_type;
  GhloScalar neutral;

  *is_ordered = self->window != NULL || !ghlo_combiner_neutral (combiner, element, &neutral);
  for (guint part = 0; part < 2; part++)
    if (*is_ordered)
      {
        guint32 init = get_init (self, op, 0, part);

        if (init == GHLO_LOWER_NONE || ghlo_expr (self, init)->kind != GHLO_NODE_CONSTANT)
          return GHLO_FALSE_AFTER (ghlo_lower_refuse (self,
                                                      "its reduction has an initial value that is not a constant"));
        bits[part] = ghlo_expr (self, init)->bits;
      }
    else
      bits[part] = ghlo_float_to_bits (element, part == 0 ? neutral.c.re : neutral.c.im);

  return TRUE;
}

/* Makes two folds, for the parts of complex numbers. */
static gboolean
make_complex_folds (GhloLowering   *self,
                    const GhloIrOp *op,
                    GhloCombiner    combiner,
                    const guint32  *elements,
                    guint           level)
{
  GhloElementType type = ghlo_element_type_real_part (op->results[0].type->element_type);
  GhloComplexExpr value = { elements[0], elements[1] }, left, right;
  guint first = self->folds->len;
  gboolean is_ordered;
  guint64 bits[2];

  if (combiner == GHLO_COMBINER_NONE)
    return GHLO_FALSE_AFTER (ghlo_lower_refuse (self, "kernels do not support its reduction"));
  if (!find_complex_identity (self, op, combiner, bits, &is_ordered))
    return FALSE;
  for (guint part = 0; part < 2; part++)
    ghlo_lower_add_fold (self, type, level, bits[part], is_ordered ? 1 : 0);
  left.re = ghlo_lower_fold_operand (self, GHLO_NODE_LEFT, first);
  left.im = ghlo_lower_fold_operand (self, GHLO_NODE_LEFT, first + 1);
  value = ghlo_lower_complex_combine (self, combiner, type, left, value);
  ghlo_fold (self, first)->update = value.re;
  ghlo_fold (self, first + 1)->update = value.im;
  if (is_ordered)
    return self->reason == NULL;
  right.re = ghlo_lower_fold_operand (self, GHLO_NODE_RIGHT, first);
  right.im = ghlo_lower_fold_operand (self, GHLO_NODE_RIGHT, first + 1);
  value = ghlo_lower_complex_combine (self, combiner, type, left, right);
  ghlo_fold (self, first)->merge = value.re;
  ghlo_fold (self, first + 1)->merge = value.im;

  return self->reason == NULL;
}

/* Returns the expression for @value of a reduction's body; @values has those of the arguments. */
static guint32
make_body_value (GhloLowering      *self,
                 GHashTable        *values,
                 const GhloIrValue *value)
{
  enum { MAX_OPERANDS = 3 };
  guint32 operands[MAX_OPERANDS], expr = GPOINTER_TO_UINT (g_hash_table_lookup (values, value));
  const GhloIndex scalar = ghlo_lower_origin (self, 0, NULL);
  const GhloIrOp *op = value->op;

  if (expr != 0)
    return expr - 1;
  if (op == NULL || op->n_results != 1 || op->n_operands > MAX_OPERANDS || self->depth == GHLO_LOWER_MAX_DEPTH)
    return ghlo_lower_refuse (self, "its reduction body is not a chain of elementwise operations");
  if (op->kind == GHLO_OP_STABLEHLO_CONSTANT)
    return ghlo_lower_value (self, value, &scalar);
  self->depth++;
  for (guint i = 0; i < op->n_operands; i++)
    operands[i] = make_body_value (self, values, ghlo_ir_op_operand (op, i));
  self->depth--;
  for (guint i = 0; i < op->n_operands; i++)
    if (operands[i] == GHLO_LOWER_NONE)
      return GHLO_LOWER_NONE;
  expr = op->n_operands > 0 ? ghlo_lower_scalar (self, op, operands)
         : ghlo_lower_refuse (self, "its reduction body is not a chain of elementwise operations");
  if (expr != GHLO_LOWER_NONE)
    g_hash_table_insert (values, (gpointer) value, GUINT_TO_POINTER (expr + 1));

  return expr;
}

/* Applies @op's body to @left and @elements. */
static gboolean
apply_body (GhloLowering   *self,
            const GhloIrOp *op,
            const guint32  *left,
            const guint32  *elements,
            guint32        *results)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);
  guint n = op->n_results;

  if (block == NULL || block->n_arguments != 2 * n || block->last->n_operands != n)
    return GHLO_FALSE_AFTER (ghlo_lower_refuse (self, "its reduction body is not a chain of elementwise operations"));
  for (guint i = 0; i < n; i++)
    {
      g_hash_table_insert (values, block->arguments[i], GUINT_TO_POINTER (left[i] + 1));
      g_hash_table_insert (values, block->arguments[n + i], GUINT_TO_POINTER (elements[i] + 1));
    }
  for (guint i = 0; i < n && self->reason == NULL; i++)
    results[i] = make_body_value (self, values, ghlo_ir_op_operand (block->last, i));

  return self->reason == NULL;
}

/* Lets two folds that look for an element and its position have any order: where two results are merged, the one with
 * the lower position is on the left of the body. */
static gboolean
make_free (GhloLowering   *self,
           const GhloIrOp *op,
           guint           first)
{
  enum { VALUE, POSITION, N_PARTS };
  guint32 x[N_PARTS], y[N_PARTS], lower[N_PARTS], higher[N_PARTS], merged[N_PARTS], is_lower;

  for (guint i = 0; i < N_PARTS; i++)
    {
      x[i] = ghlo_lower_fold_operand (self, GHLO_NODE_LEFT, first + i);
      y[i] = ghlo_lower_fold_operand (self, GHLO_NODE_RIGHT, first + i);
    }
  is_lower = ghlo_lower_node (self, GHLO_NODE_LESS, GHLO_ELEMENT_TYPE_I1, x[POSITION], y[POSITION], GHLO_LOWER_NONE);
  for (guint i = 0; i < N_PARTS; i++)
    {
      const GhloElementType type = ghlo_fold (self, first + i)->type;

      lower[i] = ghlo_lower_node (self, GHLO_NODE_SELECT, type, is_lower, x[i], y[i]);
      higher[i] = ghlo_lower_node (self, GHLO_NODE_SELECT, type, is_lower, y[i], x[i]);
    }
  if (!apply_body (self, op, lower, higher, merged))
    return FALSE;
  for (guint i = 0; i < N_PARTS; i++)
    {
      ghlo_fold (self, first + i)->merge = merged[i];
      ghlo_fold (self, first + i)->n_chains = 0;
    }

  return TRUE;
}

/* Any other computation: folds from the first element to the last, starting with the initial values. */
static gboolean
make_general (GhloLowering   *self,
              const GhloIrOp *op,
              const guint32  *elements,
              guint           level)
{
  guint32 left[MAX_RESULTS], updates[MAX_RESULTS];
  guint64 inits[MAX_RESULTS];
  guint first = self->folds->len;

  for (guint i = 0; i < op->n_results; i++)
    {
      guint32 init = get_init (self, op, i, 0);

      if (init == GHLO_LOWER_NONE || ghlo_expr (self, init)->kind != GHLO_NODE_CONSTANT)
        return GHLO_FALSE_AFTER (ghlo_lower_refuse (self,
                                                    "its reduction has an initial value that is not a constant"));
      inits[i] = ghlo_expr (self, init)->bits;
      ghlo_lower_add_fold (self, ghlo_expr (self, init)->type, level, inits[i], 1);
      left[i] = ghlo_lower_fold_operand (self, GHLO_NODE_LEFT, first + i);
    }
  if (!apply_body (self, op, left, elements, updates))
    return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    ghlo_fold (self, first + i)->update = updates[i];

  return self->window != NULL || self->loop != NULL || count_reduced (self) < MIN_FREE
         || !ghlo_lower_is_arg_reduction (self, op, left, elements, updates, inits) || make_free (self, op, first);
}

/* Returns one part of operand @operand at the point, for a reduction of whole dimensions. */
static guint32
get_element (GhloLowering   *self,
             const GhloIrOp *op,
             guint           operand,
             guint           part)
{
  const GhloIrValue *value = ghlo_ir_op_operand (op, operand);
  GhloIndex index;

  if (value->type->rank != self->rank || !ghlo_lower_identity (self, value->type, FALSE, &index)
      || ghlo_lower_reduced_dimensions (op) != self->is_reduced)
    return ghlo_lower_refuse (self, "its reductions have different shapes");
  index.part = part;

  return ghlo_lower_value (self, value, &index);
}

/* The same for a window; elements in the padding are the initial value. */
static guint32
get_window_element (GhloLowering   *self,
                    const GhloIrOp *op,
                    guint           operand,
                    guint           part)
{
  const GhloIrValue *value = ghlo_ir_op_operand (op, operand);
  const guint rank = value->type->rank;
  const GhloIndex outer = ghlo_lower_origin (self, rank, NULL);
  GhloIndex index = outer;
  g_autofree GhloIrWindow *window = g_new (GhloIrWindow, 1);   /* large, and this function recurses */
  const char *reason = ghlo_ir_window_read (window, op);

  if (reason != NULL)
    return ghlo_lower_refuse (self, reason);
  index.part = part;
  for (guint i = 0; i < rank; i++)
    {
      const GhloIrWindowDim *dim = &window->dims[i];
      GhloAffine affine = { .offset = -dim->padding_low };

      if (dim->base_dilation != 1)
        return ghlo_lower_refuse (self, "its windows have a base dilation");
      if (self->axes[i] >= 0)
        affine.strides[self->axes[i]] = dim->stride;
      if (self->axes[rank + i] >= 0)
        affine.strides[self->axes[rank + i]] = dim->window_dilation;
      reason = ghlo_lower_set_position (self, value, dim, ghlo_lower_affine (self, &affine), i, &index);
      if (reason != NULL)
        return ghlo_lower_refuse (self, reason);
    }

  return ghlo_lower_guarded (self, value, &index, &outer, get_init (self, op, operand, part));
}

static gboolean
is_complex (const GhloIrOp *op)
{
  return ghlo_element_type_is_complex (op->results[0].type->element_type);
}

/* Sets @elements to the operands of @op at the point, one for each result, or the parts of a complex one; FALSE where
 * they cannot be expressed. */
static gboolean
get_elements (GhloLowering   *self,
              const GhloIrOp *op,
              guint32        *elements)
{
  guint n_parts = 1 + is_complex (op);

  if (op->n_results > (n_parts == 2 ? 1 : MAX_RESULTS))
    ghlo_lower_refuse (self, "its reduction has too many results");
  if (self->window != NULL ? op != self->window : op->kind != GHLO_OP_STABLEHLO_REDUCE)
    ghlo_lower_refuse (self, "its reductions have different shapes");
  for (guint i = 0; i < op->n_results * n_parts && self->reason == NULL; i++)
    elements[i] = self->window != NULL ? get_window_element (self, op, i / n_parts, i % n_parts)
                  : get_element (self, op, i / n_parts, i % n_parts);

  return self->reason == NULL;
}

/* Returns whether the order of combining does not matter, or is fixed. */
static gboolean
is_exact (const GhloIrOp *op,
          GhloCombiner    combiner)
{
  GhloElementType type = op->results[0].type->element_type;

  return combiner == GHLO_COMBINER_NONE
         || ghlo_combiner_is_exact (combiner, ghlo_element_info (type)->element_class);
}

/* Returns the first fold of @op, or GHLO_LOWER_NONE. */
static guint32
make_folds (GhloLowering   *self,
            const GhloIrOp *op)
{
  GhloCombiner combiner = GHLO_COMBINER_NONE;
  guint32 elements[MAX_RESULTS] = { 0 }, first;
  guint level = 0;

  if (!get_elements (self, op, elements))
    return GHLO_LOWER_NONE;
  for (guint i = 0; i < op->n_results + is_complex (op); i++)
    level = MAX (level, ghlo_expr (self, elements[i])->level);
  if (level + 1 >= GHLO_LOWER_MAX_LEVELS)
    return ghlo_lower_refuse (self, "its chain of dependent reductions is too long");
  first = self->folds->len;
  if (op->n_results == 1)
    combiner = ghlo_combiner_of (ghlo_ir_op_region_block (op, 0), op->results[0].type->element_type);
  if (self->loop != NULL && !is_exact (op, combiner))
    return ghlo_lower_refuse (self, "a kernel might combine its elements in another order");
  if (is_complex (op) ? !make_complex_folds (self, op, combiner, elements, level)
      : combiner != GHLO_COMBINER_NONE ? !make_combined (self, op, combiner, elements[0])
      : !make_general (self, op, elements, level))
    return GHLO_LOWER_NONE;

  return first;
}

/* Where only one element is reduced, the body is applied once. */
static guint32
reduce_single (GhloLowering   *self,
               const GhloIrOp *op,
               guint           result)
{
  guint32 inits[MAX_RESULTS], elements[MAX_RESULTS], results[MAX_RESULTS];

  if (is_complex (op))
    return ghlo_lower_refuse (self, "it reduces a single complex number");
  if (!get_elements (self, op, elements))
    return GHLO_LOWER_NONE;
  for (guint i = 0; i < op->n_results; i++)
    {
      inits[i] = get_init (self, op, i, 0);
      if (inits[i] == GHLO_LOWER_NONE)
        return GHLO_LOWER_NONE;
    }

  return apply_body (self, op, inits, elements, results) ? results[result] : GHLO_LOWER_NONE;
}

/* Returns one part of the result of the complex folds from @first on, combined with the initial value unless they start
 * with it. */
static guint32
finish_complex (GhloLowering   *self,
                const GhloIrOp *op,
                guint           first,
                guint           part)
{
  GhloElementType element = op->results[0].type->element_type;
  GhloCombiner combiner = ghlo_combiner_of (ghlo_ir_op_region_block (op, 0), element);
  const GhloComplexExpr init = { get_init (self, op, 0, 0), get_init (self, op, 0, 1) };
  GhloComplexExpr value = { ghlo_lower_fold_result (self, first), ghlo_lower_fold_result (self, first + 1) };

  if (init.re == GHLO_LOWER_NONE || init.im == GHLO_LOWER_NONE)
    return GHLO_LOWER_NONE;
  if (ghlo_fold (self, first)->merge == GHLO_LOWER_NONE)
    return part == 0 ? value.re : value.im;
  if (ghlo_expr (self, init.re)->kind != GHLO_NODE_CONSTANT || ghlo_expr (self, init.im)->kind != GHLO_NODE_CONSTANT
      || ghlo_expr (self, init.re)->bits != ghlo_fold (self, first)->identity
      || ghlo_expr (self, init.im)->bits != ghlo_fold (self, first + 1)->identity)
    value = ghlo_lower_complex_combine (self, combiner, ghlo_element_type_real_part (element), init, value);

  return part == 0 ? value.re : value.im;
}

guint32
ghlo_lower_reduce (GhloLowering    *self,
                   const GhloIrOp  *op,
                   guint            result,
                   const GhloIndex *index)
{
  GhloElementType element = op->results[result].type->element_type;
  guint32 first = GPOINTER_TO_UINT (g_hash_table_lookup (self->reductions, op)), value, init;
  GhloIndex identity;
  gboolean is_combined;

  if (!ghlo_lower_identity (self, op->results[result].type, TRUE, &identity)
      || !ghlo_lower_same_element (&identity, index))
    return ghlo_lower_refuse (self, "the result of its reduction is read at another index than its own");
  if (self->n_axes == self->n_parallel)
    return reduce_single (self, op, result);
  if (first == 0)
    {
      first = make_folds (self, op) + 1;
      if (first == 0)
        return GHLO_LOWER_NONE;
      g_hash_table_insert (self->reductions, (gpointer) op, GUINT_TO_POINTER (first));
    }
  if (is_complex (op))
    return finish_complex (self, op, first - 1, index->part);
  value = ghlo_lower_fold_result (self, first - 1 + result);
  is_combined = ghlo_fold (self, first - 1)->merge != GHLO_LOWER_NONE && op->n_results == 1;
  if (!is_combined)
    return value;
  init = get_init (self, op, result, 0);
  if (ghlo_expr (self, init)->kind != GHLO_NODE_CONSTANT
      || ghlo_expr (self, init)->bits != ghlo_fold (self, first - 1)->identity)
    value = ghlo_lower_combine (self, ghlo_combiner_of (ghlo_ir_op_region_block (op, 0), element),
                                ghlo_lower_type (element), init, value);

  return ghlo_lower_round (self, element, value);
}
