/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Emits blocks from the graph. Values that a full block needs from another block are kept in temporaries: folds,
 * row expressions, and full expressions that are cheaper to keep than to recompute, as long as they fit.
 */

#include "kernel/lower/emit-private.h"

/* Limit for kept full expressions: the smallest usual size of an L2 cache. */
enum { KEPT_BYTES = 256 * 1024 };

/* Returns whether an expression costs nothing, so that it is recomputed wherever it is needed. */
static gboolean
is_free (const GhloEmission *self,
         const GhloExpr     *expr)
{
  if (expr->kind != GHLO_NODE_LOAD || expr->operands[0] != GHLO_LOWER_NONE)
    return expr->kind == GHLO_NODE_CONSTANT || expr->kind == GHLO_EXPR_COORDINATE || expr->kind == GHLO_NODE_INSIDE
           || expr->kind == GHLO_NODE_TEMPORARY;
  for (guint i = 0; i < self->lowering->n_dynamic_offsets; i++)
    if (ghlo_emission_has_dynamic_offset (self, expr, i))
      return FALSE;

  /* Later, an element of a result may be another one. */
  return ghlo_lower_read (self->lowering, expr->ref)->buffer < self->lowering->group->n_operands;
}

static gboolean
is_expensive (const GhloExpr *expr)
{
  return expr->kind < GHLO_N_NODES
         && (ghlo_node_spec (expr->kind)->role == GHLO_NODE_FUNCTION || expr->kind == GHLO_NODE_DIVIDE
             || expr->kind == GHLO_NODE_SQRT || expr->kind == GHLO_NODE_REMAINDER);
}

static guint
find_block (GhloEmission *self,
            gboolean      is_full,
            guint         level,
            gboolean      is_ordered)
{
  guint i = 0;

  while (self->blocks[i].is_full != is_full || self->blocks[i].level != level
         || self->blocks[i].is_ordered != is_ordered)
    i++;

  return i;
}

static void
add_block (GhloEmission *self,
           gboolean      is_full,
           guint         level,
           gboolean      is_ordered)
{
  self->blocks[self->n_blocks++] =
    (GhloEmissionBlock) { is_full, is_ordered, level, g_array_new (FALSE, FALSE, sizeof (guint32)) };
}

static gboolean
is_full_output (const GhloEmission *self,
                guint               output)
{
  const GhloIndex *index = &self->outputs[output].index;

  for (guint i = 0; i < index->rank; i++)
    for (guint k = self->lowering->n_parallel; k < self->lowering->n_axes; k++)
      if (index->dimensions[i]->strides[k] != 0)
        return TRUE;

  return FALSE;
}

/* For each level: the row block, then the full block with folds in any order, then the full block with folds in
 * order. */
static void
make_blocks (GhloEmission *self)
{
  GhloLowering *lowering = self->lowering;
  guint n_levels = 1;

  for (guint i = 0; i < lowering->folds->len; i++)
    n_levels = MAX (n_levels, ghlo_fold (lowering, i)->level + 2);
  for (guint i = 0; i < n_levels; i++)
    {
      add_block (self, FALSE, i, FALSE);
      add_block (self, TRUE, i, FALSE);
      add_block (self, TRUE, i, TRUE);
    }
  for (guint i = 0; i < lowering->folds->len; i++)
    {
      const GhloLowerFold *fold = ghlo_fold (lowering, i);

      self->blocks[find_block (self, TRUE, fold->level, fold->n_chains == 1)].has_folds = TRUE;
    }
  for (guint i = 0; i < self->n_outputs; i++)
    {
      guint level = ghlo_expr (lowering, self->outputs[i].expr)->level;
      GArray *sinks = self->blocks[find_block (self, is_full_output (self, i), level, FALSE)].sinks;

      g_array_append_val (sinks, self->outputs[i].expr);
      for (guint k = 0; k < lowering->n_dynamic_offsets; k++)
        if (ghlo_lower_uses_dynamic_offset (&self->outputs[i].index, k))
          g_array_append_val (sinks, lowering->dynamic_offsets[k].expr);
    }
}

static gboolean
fits (const GhloEmission *self,
      const GhloExpr     *expr)
{
  gint64 bytes = ghlo_element_info (expr->type)->size;

  for (guint i = self->n_parallel; i < self->n_axes; i++)
    if (__builtin_mul_overflow (bytes, self->extents[i], &bytes))
      return FALSE;

  return bytes <= KEPT_BYTES - self->kept_bytes;
}

static void
keep (GhloEmission *self,
      guint32       number,
      guint         block)
{
  const GhloExpr *expr = ghlo_expr (self->lowering, number);

  self->keepers[number] = block + 1;
  g_array_append_val (self->blocks[block].sinks, number);
  if (!expr->is_row)
    for (gint64 bytes = ghlo_element_info (expr->type)->size, i = self->n_parallel; i <= self->n_axes; i++)
      {
        if (i == self->n_axes)
          self->kept_bytes += bytes;
        else
          bytes *= self->extents[i];
      }
}

/* Finds among the expressions from which full block @block computes expression @number those that another block should
 * keep. */
static void
visit (GhloEmission *self,
       guint32       number,
       guint         block)
{
  const GhloExpr *expr = ghlo_expr (self->lowering, number);

  if (is_free (self, expr) || expr->kind == GHLO_EXPR_FOLD || self->keepers[number] != 0
      || self->visited[number] == block + 1)
    return;
  self->visited[number] = block + 1;
  if (expr->is_row)
    {
      keep (self, number, find_block (self, FALSE, expr->level, FALSE));
      return;
    }
  if (self->seen[number] == 0)
    self->seen[number] = block + 1;
  else if (is_expensive (expr) && fits (self, expr))
    {
      keep (self, number, self->seen[number] - 1);
      return;
    }
  ghlo_emission_foreach_operand (self, number, block, visit);
}

static gboolean
is_fold_here (const GhloEmission *self,
              guint               fold,
              guint               block)
{
  const GhloLowerFold *f = ghlo_fold (self->lowering, fold);
  const GhloEmissionBlock *b = &self->blocks[block];

  return b->is_full && f->level == b->level && (f->n_chains == 1) == b->is_ordered;
}

static void
choose_kept (GhloEmission *self)
{
  GhloLowering *lowering = self->lowering;

  for (guint b = 0; b < self->n_blocks; b++)
    {
      const GhloEmissionBlock *block = &self->blocks[b];

      if (!block->is_full)
        continue;
      for (guint i = 0; i < lowering->folds->len; i++)
        if (is_fold_here (self, i, b))
          visit (self, ghlo_fold (lowering, i)->update, b);
      for (guint i = 0; i < block->sinks->len; i++)
        visit (self, g_array_index (block->sinks, guint32, i), b);
    }
}

void
ghlo_emission_add_axes (GhloEmission *self)
{
  for (guint i = 0; i < self->n_all; i++)
    {
      gboolean is_parallel = i < self->n_parallel, is_inner = i < self->n_axes;
      char name[] = { is_parallel ? 'p' : is_inner ? 'i' : 'n',
                      (char) ('0' + (is_parallel ? i : is_inner ? i - self->n_parallel : 0)), '\0' };

      ghlo_kernel_add_axis (self->builder, name, self->extents[i], is_parallel,
                            is_parallel && (i == 0 || self->lowering->group->computes_parts));
    }
}

void
ghlo_emission_add_buffers (GhloEmission *self)
{
  const GhloKernelGroup *group = self->lowering->group;

  for (guint i = 0; i < group->n_operands + group->n_results; i++)
    {
      gboolean is_written = i >= group->n_operands;
      g_autofree char *name = g_strdup_printf ("%s%u", is_written ? "result" : "operand",
                                               is_written ? i - group->n_operands : i);

      self->starts[i] = ghlo_lower_add_view (self->builder, name, ghlo_emission_view (self, i), is_written);
    }
}

/* Returns whether both views have the same elements at the same offsets. */
static gboolean
has_same_layout (const GhloView *a,
                 const GhloView *b)
{
  if (a->element_type != b->element_type || a->rank != b->rank)
    return FALSE;
  for (guint i = 0; i < a->rank; i++)
    if (a->dimensions[i] != b->dimensions[i] || (a->dimensions[i] != 1 && a->strides[i] != b->strides[i]))
      return FALSE;

  return TRUE;
}

/* Returns whether operand @operand is read only at the element that @output writes, in the same form. Only in maps,
 * since reductions read elements again, and not for complex numbers, whose parts are written separately. */
static gboolean
may_share (const GhloEmission    *self,
           guint                  operand,
           const GhloLowerOutput *output)
{
  GhloLowering *lowering = self->lowering;
  const GhloView *from = &lowering->group->operands[operand], *to = &lowering->group->results[output->result];
  const GhloIndex *index = &output->index;
  gboolean is_read = FALSE;

  if (ghlo_element_type_is_complex (to->element_type))
    return FALSE;
  if (lowering->folds->len > 0 || !has_same_layout (from, to))
    return FALSE;
  for (guint i = 0; i < lowering->reads->len; i++)
    {
      const GhloLowerRead *read = ghlo_lower_read (lowering, i);

      if (read->buffer != operand)
        continue;
      is_read = TRUE;
      if (read->index.n_guards > 0 || !ghlo_lower_same_index (&read->index, index))
        return FALSE;
    }

  return is_read;
}

/* Finds operands that may be overwritten. Each goes to the first result that can replace it, and each result takes
 * one. */
static void
share_buffers (GhloEmission *self)
{
  const GhloKernelGroup *group = self->lowering->group;
  g_autofree gboolean *is_shared = g_new0 (gboolean, group->n_operands + 1);

  for (guint r = 0; r < self->n_outputs; r++)
    for (guint i = 0; i < group->n_operands; i++)
      if (!is_shared[i] && may_share (self, i, &self->outputs[r]))
        {
          is_shared[i] = TRUE;
          ghlo_kernel_share_buffer (self->builder, i, group->n_operands + self->outputs[r].result);
          break;
        }
}

guint
ghlo_emission_inner_axes (const GhloEmission *self)
{
  return ((1u << self->n_axes) - 1) & ~((1u << self->n_parallel) - 1);
}

static void
add_temporaries (GhloEmission *self)
{
  GhloLowering *lowering = self->lowering;

  for (guint i = 0; i < lowering->folds->len; i++)
    {
      g_autofree char *name = g_strdup_printf ("fold%u", i);

      self->fold_temporaries[i] = ghlo_kernel_add_temporary (self->builder, name, ghlo_fold (lowering, i)->type, 0);
    }
  for (guint i = 0; i < lowering->exprs->len; i++)
    if (self->keepers[i] != 0)
      {
        const GhloExpr *expr = ghlo_expr (lowering, i);
        g_autofree char *name = g_strdup_printf ("%s%u", expr->is_row ? "row" : "value", i);

        self->temporaries[i] = ghlo_kernel_add_temporary (self->builder, name, expr->type,
                                                          expr->is_row ? 0 : ghlo_emission_inner_axes (self));
      }
}

static gboolean
is_root_here (const GhloEmission *self,
              guint               output,
              guint               block)
{
  const GhloEmissionBlock *b = &self->blocks[block];

  return !b->is_ordered && is_full_output (self, output) == b->is_full
         && ghlo_expr (self->lowering, self->outputs[output].expr)->level == b->level;
}

static void
emit_output (GhloEmission          *self,
             const GhloLowerOutput *output)
{
  const GhloKernelGroup *group = self->lowering->group;
  const guint node = self->nodes[output->expr];

  if (output->temporary != GHLO_KERNEL_NONE)
    ghlo_kernel_keep (self->builder, node, output->temporary);
  else
    ghlo_kernel_store (self->builder, node,
                       ghlo_emission_access (self, self->first_stored + (guint) (output - self->outputs),
                                             ghlo_lower_stored (group->results[output->result].element_type)));
}

static void
emit_stores (GhloEmission *self,
             guint         block)
{
  for (guint i = 0; i < self->blocks[block].sinks->len; i++)
    ghlo_emission_expr (self, g_array_index (self->blocks[block].sinks, guint32, i), block);
  for (guint i = 0; i < self->lowering->exprs->len; i++)
    if (self->keepers[i] == block + 1)
      ghlo_kernel_keep (self->builder, self->nodes[i], self->temporaries[i]);
  for (guint i = 0; i < self->n_outputs; i++)
    if (is_root_here (self, i, block))
      emit_output (self, &self->outputs[i]);
}

static void
forget_nodes (GhloEmission *self)
{
  for (guint i = 0; i < self->lowering->exprs->len; i++)
    self->nodes[i] = GHLO_KERNEL_NONE;
}

static void
emit_folds (GhloEmission *self,
            guint         block)
{
  GhloLowering *lowering = self->lowering;
  gboolean is_merged = !self->blocks[block].is_ordered && (self->n_chains > 1 || self->split > 0);

  for (guint i = 0; i < lowering->folds->len; i++)
    if (is_fold_here (self, i, block))
      ghlo_kernel_set_update (self->builder, self->folds[i],
                              ghlo_emission_expr (self, ghlo_fold (lowering, i)->update, block));
  if (!is_merged)
    return;
  ghlo_kernel_begin_merge (self->builder);
  forget_nodes (self);
  for (guint i = 0; i < lowering->folds->len; i++)
    if (is_fold_here (self, i, block))
      ghlo_kernel_set_merge (self->builder, self->folds[i],
                             ghlo_emission_expr (self, ghlo_fold (lowering, i)->merge, block));
}

static void
emit_block (GhloEmission *self,
            guint         block)
{
  GhloLowering *lowering = self->lowering;
  const GhloEmissionBlock *b = &self->blocks[block];

  if (b->sinks->len == 0 && !b->has_folds)
    return;
  ghlo_kernel_begin_points (self->builder, b->is_full ? ghlo_emission_inner_axes (self) : 0);
  if (b->has_folds)
    ghlo_kernel_set_order (self->builder, b->is_ordered ? 1 : self->n_chains, b->is_ordered ? 0 : self->split);
  for (guint i = 0; i < lowering->folds->len; i++)
    if (is_fold_here (self, i, block))
      self->folds[i] = ghlo_kernel_add_fold (self->builder, ghlo_fold (lowering, i)->type, self->fold_temporaries[i],
                                             ghlo_fold (lowering, i)->identity);
  for (self->member = 0; self->member < self->n_members; self->member++)
    {
      forget_nodes (self);
      emit_stores (self, block);
    }
  if (b->has_folds)
    emit_folds (self, block);
  ghlo_kernel_end_block (self->builder);
}

void
ghlo_emission_init (GhloEmission          *self,
                    GhloLowering          *lowering,
                    const GhloLowerOutput *outputs,
                    guint                  n_outputs,
                    gint64                *starts)
{
  guint n_exprs = lowering->exprs->len + 1, n_folds = lowering->folds->len + 1;

  *self = (GhloEmission) {
    .lowering = lowering, .outputs = outputs, .n_outputs = n_outputs, .n_members = 1,
    .keepers = g_new0 (guint8, n_exprs), .seen = g_new0 (guint8, n_exprs), .visited = g_new0 (guint8, n_exprs),
    .temporaries = g_new0 (guint16, n_exprs), .nodes = g_new0 (guint16, n_exprs),
    .folds = g_new0 (guint16, n_folds), .fold_temporaries = g_new0 (guint16, n_folds),
  };
  self->starts = starts;
  ghlo_emission_find_places (self);
}

void
ghlo_emission_clear (GhloEmission *self)
{
  for (guint i = 0; i < self->n_blocks; i++)
    g_array_unref (self->blocks[i].sinks);
  g_free (self->places);
  g_free (self->keepers);
  g_free (self->seen);
  g_free (self->visited);
  g_free (self->temporaries);
  g_free (self->nodes);
  g_free (self->folds);
  g_free (self->fold_temporaries);
}

void
ghlo_emission_emit (GhloEmission *self)
{
  ghlo_emission_choose_order (self);
  make_blocks (self);
  choose_kept (self);
  add_temporaries (self);
  for (guint i = 0; i < self->n_blocks; i++)
    emit_block (self, i);
}

GhloKernel *
ghlo_emission_end (GhloLowering      *lowering,
                   GhloKernelBuilder *builder)
{
  g_autoptr (GError) error = NULL;
  GhloKernel *kernel = ghlo_kernel_builder_end (builder, &error);

  if (kernel == NULL)
    {
      g_debug ("a group cannot be lowered to a kernel: %s", error->message);
      ghlo_lower_refuse (lowering, "its kernel would be too large");
    }

  return kernel;
}

GhloKernel *
ghlo_lower_emit (GhloLowering          *self,
                 const GhloLowerOutput *outputs,
                 guint                  n_outputs,
                 gint64                *starts)
{
  GhloEmission emission;
  gboolean ok;

  ghlo_emission_init (&emission, self, outputs, n_outputs, starts);
  ok = self->reason == NULL && ghlo_emission_merge_axes (&emission, 1);
  if (ok)
    {
      ghlo_emission_choose_members (&emission);
      emission.builder = ghlo_kernel_builder_new (self->folds->len > 0 ? "reduction" : "map");
      ghlo_emission_add_axes (&emission);
      ghlo_emission_add_buffers (&emission);
      share_buffers (&emission);
      ghlo_emission_emit (&emission);
    }
  ghlo_emission_clear (&emission);

  return ok ? ghlo_emission_end (self, emission.builder) : NULL;
}
