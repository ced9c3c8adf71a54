/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recognizes cumulative reductions: the dimension and direction of the window, and how steps are rounded.
 */

#include "kernel/cumulative.h"

#include "base/sizes.h"

/* Finds the dimension that the window spans, and which side is padded. */
static gboolean
find_dimension (GhloCumulative *self,
                const GhloIrOp *op,
                const GhloView *operand)
{
  gsize n_sizes, n_padding;
  g_autofree gint64 *sizes = ghlo_ir_op_dup_ints (op, "window_dimensions", &n_sizes);
  g_autofree gint64 *padding = ghlo_ir_op_dup_ints (op, "padding", &n_padding);
  guint found = 0;

  if (sizes == NULL || n_sizes != operand->rank || (padding != NULL && n_padding != 2 * n_sizes))
    return FALSE;
  for (guint i = 0; i < operand->rank; i++)
    {
      gint64 low = padding != NULL ? padding[2 * i] : 0, high = padding != NULL ? padding[2 * i + 1] : 0;

      if (sizes[i] == 1 && low == 0 && high == 0)
        continue;
      if (sizes[i] != operand->dimensions[i] || MIN (low, high) != 0 || MAX (low, high) != sizes[i] - 1)
        return FALSE;
      found++;
      self->dimension = i;
      self->backward = high > 0;
    }
  /* A window of one element is cumulative over a dimension of one element. */
  for (guint i = 0; found == 0 && i < operand->rank; i++)
    if (operand->dimensions[i] == 1)
      {
        found = 1;
        self->dimension = i;
      }

  return found == 1;
}

/* Determines the type in which elements are combined, and whether each step is rounded. */
static void
find_number (GhloCumulative *self,
             gint64          n_terms)
{
  const GhloElementInfo *info = ghlo_element_info (self->type);
  gboolean is_short = (gsize) n_terms <= ghlo_element_short_sum (self->type), is_narrow = info->bits < 32;
  gboolean is_sum = self->combiner == GHLO_COMBINER_ADD, is_product = self->combiner == GHLO_COMBINER_MULTIPLY;

  self->number = GHLO_ELEMENT_TYPE_I64;
  if (info->element_class != GHLO_ELEMENT_CLASS_FLOAT)
    return;
  self->rounds = is_narrow && is_short && (is_sum || is_product);
  self->restarts = self->rounds && self->backward;
  self->number = info->size == 8 || (info->size == 4 && is_sum && !is_short) ? GHLO_ELEMENT_TYPE_F64
                                                                             : GHLO_ELEMENT_TYPE_F32;
}

const char *
ghlo_cumulative_read (GhloCumulative *self,
                      const GhloIrOp *op,
                      const GhloView *operand,
                      const GhloView *result)
{
  *self = (GhloCumulative) { .type = ghlo_element_type_real_part (operand->element_type) };
  if (op->n_operands != 2 || op->n_results != 1)
    return "it reduces more than one tensor";
  if (operand->rank == 0 || operand->rank >= GHLO_MAX_RANK)
    return "there is no loop for its rank";
  if (operand->element_type != result->element_type)
    return "its result has another element type than its operand";
  self->is_complex = ghlo_element_type_is_complex (operand->element_type);
  self->combiner = ghlo_combiner_of (ghlo_ir_op_region_block (op, 0), operand->element_type);
  if (self->combiner == GHLO_COMBINER_NONE || (self->is_complex && self->combiner != GHLO_COMBINER_ADD))
    return "there is no loop for its computation";
  if (!ghlo_ir_op_ints_are (op, "window_strides", 1) || !ghlo_ir_op_ints_are (op, "base_dilations", 1)
      || !ghlo_ir_op_ints_are (op, "window_dilations", 1) || !find_dimension (self, op, operand))
    return "its window is not that of a cumulative reduction";
  find_number (self, operand->dimensions[self->dimension]);

  return NULL;
}

gboolean
ghlo_cumulative_start_is_neutral (GhloCombiner    combiner,
                                  const GhloView *start)
{
  GhloElementType type = start->element_type;
  GhloScalar neutral;

  return ghlo_combiner_is_idempotent (combiner)
         || (start->data != NULL && ghlo_combiner_neutral (combiner, type, &neutral)
             && ghlo_scalar_equal (type, ghlo_element_load (type, start->data), neutral));
}
