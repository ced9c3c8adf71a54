/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From the graph to blocks. What a full block needs of another block lies in temporaries: folds, row
 * items, and those full items that cost more to compute again than to keep, while they fit.
 */

#include "kernel/lower/private.h"

#include "base/bits.h"
#include "base/fail.h"

#include <string.h>

enum
{
  MAX_CHAINS = 64,              /* lanes of four vectors of 16 f32, or eight of 8 */
  MIN_POINTS = 32,              /* parallel points side by side that fill vectors without chains */
  CHAIN = 512,                  /* most elements that are folded one after the other */
  KEPT_BYTES = 256 * 1024,      /* of full items: as much as a cache of the second level has at least */
  MAX_BLOCKS = 3 * GHLO_LOWER_MAX_LEVELS,
};

typedef struct
{
  gboolean is_full, is_ordered;
  guint    level;
  GArray  *sinks;               /* items that are stored or kept; of folds nothing */
  gboolean has_folds;
} Block;

typedef struct
{
  GhloLowering      *lowering;
  GhloKernelBuilder *builder;
  const guint32     *roots;
  const GhloIndex   *indices;
  gint64            *starts;
  guint16           *shared;            /* as GhloKernelBuffer has it, of operands */
  /* Axes after merging: the last axis of the domain in each, and its extent. */
  guint              n_axes, n_parallel;
  guint              last[GHLO_LOWER_MAX_AXES];
  gint64             extents[GHLO_LOWER_MAX_AXES];
  guint              n_chains;
  gint64             split;
  guint              n_blocks;
  Block              blocks[MAX_BLOCKS];
  /* Of each item: 1 + the block that keeps it, the first and the last full block that needed it, its temporary, its
   * node in the block at hand. */
  guint8            *keepers, *seen, *visited;
  guint16           *temporaries, *nodes;
  guint16           *folds, *fold_temporaries;  /* of each fold of the graph: its number in the block, its temporary */
  gint64             kept_bytes;
} Emission;

/* Axes */

static const GhloView *
view_of (const Emission *self,
         guint           buffer)
{
  const GhloKernelGroup *group = self->lowering->group;

  return buffer < group->n_operands ? &group->operands[buffer] : &group->results[buffer - group->n_operands];
}

static GhloAffine
leaf_form (const Emission  *self,
           guint            buffer,
           const GhloIndex *index)
{
  const GhloView *view = view_of (self, buffer);
  GhloAffine form = { 0 };

  for (guint i = 0; i < index->rank; i++)
    {
      form.offset += index->dimensions[i].offset * view->strides[i];
      for (guint k = 0; k < GHLO_LOWER_MAX_AXES; k++)
        form.strides[k] += index->dimensions[i].strides[k] * view->strides[i];
    }

  return form;
}

static gboolean
follows (const GhloLowering *lowering,
         const GhloAffine   *form,
         guint               axis)
{
  return form->strides[axis] == form->strides[axis + 1] * lowering->extents[axis + 1];
}

static gboolean
index_follows (const Emission  *self,
               guint            buffer,
               const GhloIndex *index,
               guint            axis)
{
  GhloAffine form = leaf_form (self, buffer, index);

  for (guint i = 0; i < index->n_guards; i++)
    if (!follows (self->lowering, &index->guards[i].position, axis))
      return FALSE;

  return follows (self->lowering, &form, axis);
}

/* Whether going over @axis and the one behind it is going over one axis for all that depends on them. */
static gboolean
can_merge (const Emission *self,
           guint           axis)
{
  GhloLowering *lowering = self->lowering;

  if (axis + 1 == lowering->n_parallel)
    return FALSE;
  for (guint i = 0; i < lowering->leaves->len; i++)
    if (!index_follows (self, ghlo_leaf (lowering, i)->buffer, &ghlo_leaf (lowering, i)->index, axis))
      return FALSE;
  for (guint i = 0; i < lowering->group->n_results; i++)
    if (!index_follows (self, lowering->group->n_operands + i, &self->indices[i], axis))
      return FALSE;
  for (guint i = 0; i < lowering->coordinates->len; i++)
    if (!follows (lowering, &g_array_index (lowering->coordinates, GhloAffine, i), axis))
      return FALSE;

  return TRUE;
}

static gboolean
merge_axes (Emission *self)
{
  const GhloLowering *lowering = self->lowering;

  for (guint i = 0; i < lowering->n_axes; i++)
    {
      gboolean is_merged = i > 0 && can_merge (self, i - 1);

      if (!is_merged)
        {
          self->extents[self->n_axes++] = 1;
          self->n_parallel += i < lowering->n_parallel;
        }
      self->last[self->n_axes - 1] = i;
      self->extents[self->n_axes - 1] *= lowering->extents[i];
    }
  if (self->n_axes > GHLO_KERNEL_MAX_AXES)
    return GHLO_FALSE_AFTER (ghlo_lower_refuse (self->lowering, "it has too many dimensions"));

  return TRUE;
}

/* Whether some operand's elements are adjacent along the last axis. */
static gboolean
has_rows (const Emission *self)
{
  GhloLowering *lowering = self->lowering;

  for (guint i = 0; i < lowering->items->len; i++)
    {
      const GhloItem *item = ghlo_item (lowering, i);

      if (item->kind == GHLO_NODE_LOAD)
        {
          const GhloLeaf *leaf = ghlo_leaf (lowering, item->which);
          GhloAffine form = leaf_form (self, leaf->buffer, &leaf->index);

          if (form.strides[self->last[self->n_axes - 1]] == ghlo_element_info (item->type)->size)
            return TRUE;
        }
    }

  return FALSE;
}

/* Of folds that are free in their order; by shapes and strides alone. */
static void
choose_order (Emission *self)
{
  gint64 rest = 1;

  self->n_chains = 1;
  if (self->n_axes == self->n_parallel)
    return;
  if (has_rows (self) || self->n_parallel == 0 || self->extents[self->n_parallel - 1] < MIN_POINTS)
    while (self->n_chains < MAX_CHAINS && self->n_chains * 2 <= self->extents[self->n_axes - 1])
      self->n_chains *= 2;
  for (guint i = self->n_parallel + 1; i < self->n_axes; i++)
    rest *= self->extents[i];
  self->split = MAX (CHAIN * (gint64) self->n_chains / rest, 1);
  if (self->split >= self->extents[self->n_parallel])
    self->split = 0;
}

static void
set_strides (const Emission   *self,
             const GhloAffine *form,
             gint64           *strides)
{
  for (guint i = 0; i < GHLO_KERNEL_MAX_AXES; i++)
    strides[i] = i < self->n_axes ? form->strides[self->last[i]] : 0;
}

/* Blocks */

/* Items that cost nothing are computed wherever they are needed. */
static gboolean
is_free (const GhloItem *item)
{
  return item->kind == GHLO_NODE_CONSTANT || item->kind == GHLO_ITEM_COORDINATE || item->kind == GHLO_NODE_INSIDE
         || (item->kind == GHLO_NODE_LOAD && item->operands[0] == GHLO_LOWER_NONE);
}

static gboolean
is_expensive (const GhloItem *item)
{
  return item->kind < GHLO_N_NODES
         && (ghlo_node_spec (item->kind)->role == GHLO_NODE_FUNCTION || item->kind == GHLO_NODE_DIVIDE
             || item->kind == GHLO_NODE_SQRT || item->kind == GHLO_NODE_REMAINDER);
}

static guint
find_block (Emission *self,
            gboolean  is_full,
            guint     level,
            gboolean  is_ordered)
{
  guint i = 0;

  while (self->blocks[i].is_full != is_full || self->blocks[i].level != level
         || self->blocks[i].is_ordered != is_ordered)
    i++;

  return i;
}

static void
add_block (Emission *self,
           gboolean  is_full,
           guint     level,
           gboolean  is_ordered)
{
  self->blocks[self->n_blocks++] =
    (Block) { is_full, is_ordered, level, g_array_new (FALSE, FALSE, sizeof (guint32)) };
}

static gboolean
is_full_root (const Emission *self,
              guint           root)
{
  const GhloIndex *index = &self->indices[root];

  for (guint i = 0; i < index->rank; i++)
    for (guint k = self->lowering->n_parallel; k < self->lowering->n_axes; k++)
      if (index->dimensions[i].strides[k] != 0)
        return TRUE;

  return FALSE;
}

/* The row block of each level, then the full ones: folds of any order, and those in order. */
static void
make_blocks (Emission *self)
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
  for (guint i = 0; i < lowering->group->n_results; i++)
    {
      guint level = ghlo_item (lowering, self->roots[i])->level;

      g_array_append_val (self->blocks[find_block (self, is_full_root (self, i), level, FALSE)].sinks,
                          self->roots[i]);
    }
}

static gboolean
fits (const Emission *self,
      const GhloItem *item)
{
  gint64 bytes = ghlo_element_info (item->type)->size;

  for (guint i = self->n_parallel; i < self->n_axes; i++)
    if (__builtin_mul_overflow (bytes, self->extents[i], &bytes))
      return FALSE;

  return bytes <= KEPT_BYTES - self->kept_bytes;
}

static void
keep (Emission *self,
      guint32   number,
      guint     block)
{
  const GhloItem *item = ghlo_item (self->lowering, number);

  self->keepers[number] = block + 1;
  g_array_append_val (self->blocks[block].sinks, number);
  if (!item->is_row)
    for (gint64 bytes = ghlo_element_info (item->type)->size, i = self->n_parallel; i <= self->n_axes; i++)
      {
        if (i == self->n_axes)
          self->kept_bytes += bytes;
        else
          bytes *= self->extents[i];
      }
}

/* Calls @func for each item that item @number is computed from. */
static void
foreach_operand (Emission *self,
                 guint32   number,
                 guint     block,
                 void    (*func) (Emission *self,
                                  guint32   operand,
                                  guint     block))
{
  const GhloItem *item = ghlo_item (self->lowering, number);

  for (guint i = 0; i < G_N_ELEMENTS (item->operands); i++)
    if (item->operands[i] != GHLO_LOWER_NONE)
      func (self, item->operands[i], block);
}

/* Finds what the full block @block needs of item @number that another block had better keep. */
static void
visit (Emission *self,
       guint32   number,
       guint     block)
{
  const GhloItem *item = ghlo_item (self->lowering, number);

  if (is_free (item) || item->kind == GHLO_ITEM_FOLD || self->keepers[number] != 0
      || self->visited[number] == block + 1)
    return;
  self->visited[number] = block + 1;
  if (item->is_row)
    {
      keep (self, number, find_block (self, FALSE, item->level, FALSE));
      return;
    }
  if (self->seen[number] == 0)
    self->seen[number] = block + 1;
  else if (is_expensive (item) && fits (self, item))
    {
      keep (self, number, self->seen[number] - 1);
      return;
    }
  foreach_operand (self, number, block, visit);
}

static void
choose_kept (Emission *self)
{
  GhloLowering *lowering = self->lowering;

  for (guint b = 0; b < self->n_blocks; b++)
    {
      const Block *block = &self->blocks[b];

      if (!block->is_full)
        continue;
      for (guint i = 0; i < lowering->folds->len; i++)
        {
          const GhloLowerFold *fold = ghlo_fold (lowering, i);

          if (fold->level == block->level && (fold->n_chains == 1) == block->is_ordered)
            visit (self, fold->update, b);
        }
      for (guint i = 0; i < block->sinks->len; i++)
        visit (self, g_array_index (block->sinks, guint32, i), b);
    }
}

/* Nodes */

static guint emit_item (Emission *self,
                        guint32   number,
                        guint     block);

static void
emit_operand (Emission *self,
              guint32   operand,
              guint     block)
{
  emit_item (self, operand, block);
}

/* Guards that hold at every point are none. */
static gboolean
always_holds (const Emission       *self,
              const GhloIndexGuard *guard)
{
  gint64 least = guard->position.offset, most = least;

  for (guint i = 0; i < self->lowering->n_axes; i++)
    {
      gint64 reach = guard->position.strides[i] * (self->lowering->extents[i] - 1);

      least += MIN (reach, 0);
      most += MAX (reach, 0);
    }

  return least >= 0 && most < guard->end;
}

/* Whether @form is @factor × @other + @rest. */
static gboolean
is_multiple (const GhloAffine *form,
             const GhloAffine *other,
             gint64           *factor,
             gint64           *rest)
{
  *factor = 0;
  for (guint i = 0; i < GHLO_LOWER_MAX_AXES; i++)
    if (other->strides[i] != 0 && *factor == 0)
      *factor = form->strides[i] / other->strides[i];
  for (guint i = 0; i < GHLO_LOWER_MAX_AXES; i++)
    if (form->strides[i] != *factor * other->strides[i])
      return FALSE;
  *rest = form->offset - *factor * other->offset;

  return *factor != 0;
}

/* A guard as a term. Where a dimension moves with its position, that one's place becomes the term's: the access is
 * known to be within the buffer then. */
static void
add_guard_term (Emission             *self,
                const GhloIndexGuard *guard,
                const GhloView       *view,
                GhloIndex            *index,
                GhloKernelTerm       *term)
{
  *term = (GhloKernelTerm) { .node = GHLO_KERNEL_NONE, .step = 1, .end = guard->end,
                             .offset = guard->position.offset };
  set_strides (self, &guard->position, term->strides);
  for (guint i = 0; i < index->rank && term->stride == 0; i++)
    {
      gint64 factor, rest;

      if (!is_multiple (&index->dimensions[i], &guard->position, &factor, &rest))
        continue;
      term->stride = factor * view->strides[i];
      index->dimensions[i] = (GhloAffine) { .offset = rest };
    }
}

/* The last guards are those of the operand's own dimensions. */
static guint
emit_access (Emission        *self,
             guint            buffer,
             GhloElementType  type,
             const GhloIndex *wanted)
{
  const GhloView *view = view_of (self, buffer);
  GhloKernelTerm terms[GHLO_LOWER_MAX_GUARDS];
  gint64 strides[GHLO_KERNEL_MAX_AXES];
  GhloIndex index = *wanted;
  guint access, n_terms = 0;
  GhloAffine form;

  for (guint i = index.n_guards; i > 0; i--)
    if (!always_holds (self, &index.guards[i - 1]))
      add_guard_term (self, &index.guards[i - 1], view, &index, &terms[n_terms++]);
  form = leaf_form (self, buffer, &index);
  set_strides (self, &form, strides);
  /* Without dimensions it is no element of the buffer, but one that is always there. */
  access = ghlo_kernel_add_access (self->builder, buffer, type, index.rank > 0 || view->rank == 0
                                   ? form.offset - self->starts[buffer] : 0, strides);
  for (guint i = 0; i < n_terms; i++)
    ghlo_kernel_add_term (self->builder, &terms[i]);

  return access;
}

static guint
emit_coordinate (Emission       *self,
                 const GhloItem *item)
{
  const GhloAffine *form = &g_array_index (self->lowering->coordinates, GhloAffine, item->which);
  guint64 mask = ghlo_low_bits (ghlo_element_info (item->type)->bits);
  guint sum = GHLO_KERNEL_NONE;

  for (guint i = 0; i < self->n_axes; i++)
    {
      gint64 stride = form->strides[self->last[i]];
      guint term;

      if (stride == 0)
        continue;
      term = ghlo_kernel_add_leaf (self->builder, GHLO_NODE_AXIS, item->type, i);
      if (stride != 1)
        term = ghlo_kernel_add_node (self->builder, GHLO_NODE_MULTIPLY, item->type, term,
                                     ghlo_kernel_add_constant (self->builder, item->type, (guint64) stride & mask),
                                     GHLO_KERNEL_NONE);
      sum = sum == GHLO_KERNEL_NONE ? term
            : ghlo_kernel_add_node (self->builder, GHLO_NODE_ADD, item->type, sum, term, GHLO_KERNEL_NONE);
    }
  if (sum == GHLO_KERNEL_NONE)
    return ghlo_kernel_add_constant (self->builder, item->type, (guint64) form->offset & mask);
  if (form->offset == 0)
    return sum;

  return ghlo_kernel_add_node (self->builder, GHLO_NODE_ADD, item->type, sum,
                               ghlo_kernel_add_constant (self->builder, item->type, (guint64) form->offset & mask),
                               GHLO_KERNEL_NONE);
}

static guint
emit_load (Emission       *self,
           const GhloItem *item)
{
  const GhloLeaf *leaf = ghlo_leaf (self->lowering, item->which);
  guint access = emit_access (self, leaf->buffer, item->type, &leaf->index);

  return ghlo_kernel_add_load (self->builder, item->type, access,
                               item->operands[0] != GHLO_LOWER_NONE ? self->nodes[item->operands[0]]
                               : GHLO_KERNEL_NONE);
}

static guint
make_node (Emission       *self,
           const GhloItem *item)
{
  GhloKernelBuilder *builder = self->builder;
  guint operands[3];

  switch (item->kind)
    {
    case GHLO_NODE_CONSTANT:
      return ghlo_kernel_add_constant (builder, item->type, item->bits);
    case GHLO_ITEM_COORDINATE:
      return emit_coordinate (self, item);
    case GHLO_ITEM_FOLD:
      return ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, item->type, self->fold_temporaries[item->which]);
    case GHLO_NODE_LEFT:
    case GHLO_NODE_RIGHT:
      return ghlo_kernel_add_leaf (builder, item->kind, item->type, self->folds[item->which]);
    case GHLO_NODE_LOAD:
      return emit_load (self, item);
    case GHLO_NODE_INSIDE:
      return ghlo_kernel_add_leaf (builder, GHLO_NODE_INSIDE, item->type,
                                   emit_access (self, 0, GHLO_ELEMENT_TYPE_UI8,
                                                &ghlo_leaf (self->lowering, item->which)->index));
    default:
      break;
    }
  for (guint i = 0; i < G_N_ELEMENTS (operands); i++)
    operands[i] = item->operands[i] != GHLO_LOWER_NONE ? self->nodes[item->operands[i]] : GHLO_KERNEL_NONE;

  return ghlo_kernel_add_node (builder, item->kind, item->type, operands[0], operands[1], operands[2]);
}

/* The node of item @number in @block. */
static guint
emit_item (Emission *self,
           guint32   number,
           guint     block)
{
  const GhloItem *item = ghlo_item (self->lowering, number);

  if (self->nodes[number] != GHLO_KERNEL_NONE)
    return self->nodes[number];
  if (self->keepers[number] != 0 && self->keepers[number] - 1u < block)
    self->nodes[number] = ghlo_kernel_add_leaf (self->builder, GHLO_NODE_TEMPORARY, item->type,
                                                self->temporaries[number]);
  else
    {
      foreach_operand (self, number, block, emit_operand);
      self->nodes[number] = make_node (self, item);
    }

  return self->nodes[number];
}

/* Tables */

static void
add_axes (Emission *self)
{
  for (guint i = 0; i < self->n_axes; i++)
    {
      gboolean is_parallel = i < self->n_parallel;
      char name[] = { is_parallel ? 'p' : 'i', (char) ('0' + (is_parallel ? i : i - self->n_parallel)), '\0' };

      ghlo_kernel_add_axis (self->builder, name, self->extents[i], is_parallel, is_parallel && i == 0);
    }
}

static void
add_buffers (Emission *self)
{
  const GhloKernelGroup *group = self->lowering->group;

  for (guint i = 0; i < group->n_operands + group->n_results; i++)
    {
      gboolean is_written = i >= group->n_operands;
      g_autofree char *name = g_strdup_printf ("%s%u", is_written ? "result" : "operand",
                                               is_written ? i - group->n_operands : i);

      self->starts[i] = ghlo_lower_add_view (self->builder, name, view_of (self, i), is_written);
    }
}

/* Whether operand @operand is read only where, and as, result @result is written: of a map, since reductions read
 * again what they have read. */
static gboolean
may_share (const Emission *self,
           guint           operand,
           guint           result)
{
  GhloLowering *lowering = self->lowering;
  const GhloView *from = &lowering->group->operands[operand], *to = &lowering->group->results[result];
  const GhloIndex *index = &self->indices[result];
  gboolean is_read = FALSE;

  if (lowering->folds->len > 0 || from->element_type != to->element_type || from->rank != to->rank
      || (to->rank > 0 && memcmp (from->dimensions, to->dimensions, to->rank * sizeof *to->dimensions) != 0)
      || !ghlo_view_is_dense (from))
    return FALSE;
  for (guint i = 0; i < lowering->leaves->len; i++)
    {
      const GhloLeaf *leaf = ghlo_leaf (lowering, i);

      if (leaf->buffer != operand)
        continue;
      is_read = TRUE;
      if (leaf->index.n_guards > 0 || memcmp (&leaf->index, index, sizeof *index) != 0)
        return FALSE;
    }

  return is_read;
}

/* Operands that may be written over: each by the first result that takes its place, of which each takes one. */
static void
share_buffers (Emission *self)
{
  const GhloKernelGroup *group = self->lowering->group;

  for (guint r = 0; r < group->n_results; r++)
    for (guint i = 0; i < group->n_operands; i++)
      if (self->shared[i] == GHLO_KERNEL_NONE && may_share (self, i, r))
        {
          self->shared[i] = group->n_operands + r;
          ghlo_kernel_share_buffer (self->builder, i, self->shared[i]);
          break;
        }
}

static guint
inner_axes (const Emission *self)
{
  return ((1u << self->n_axes) - 1) & ~((1u << self->n_parallel) - 1);
}

static void
add_temporaries (Emission *self)
{
  GhloLowering *lowering = self->lowering;

  for (guint i = 0; i < lowering->folds->len; i++)
    {
      g_autofree char *name = g_strdup_printf ("fold%u", i);

      self->fold_temporaries[i] = ghlo_kernel_add_temporary (self->builder, name, ghlo_fold (lowering, i)->type, 0);
    }
  for (guint i = 0; i < lowering->items->len; i++)
    if (self->keepers[i] != 0)
      {
        const GhloItem *item = ghlo_item (lowering, i);
        g_autofree char *name = g_strdup_printf ("%s%u", item->is_row ? "row" : "value", i);

        self->temporaries[i] = ghlo_kernel_add_temporary (self->builder, name, item->type,
                                                          item->is_row ? 0 : inner_axes (self));
      }
}

static gboolean
is_root_here (const Emission *self,
              guint           root,
              guint           block)
{
  const Block *b = &self->blocks[block];

  return !b->is_ordered && is_full_root (self, root) == b->is_full
         && ghlo_item (self->lowering, self->roots[root])->level == b->level;
}

static void
emit_stores (Emission *self,
             guint     block)
{
  const GhloKernelGroup *group = self->lowering->group;

  for (guint i = 0; i < self->blocks[block].sinks->len; i++)
    emit_item (self, g_array_index (self->blocks[block].sinks, guint32, i), block);
  for (guint i = 0; i < self->lowering->items->len; i++)
    if (self->keepers[i] == block + 1)
      ghlo_kernel_keep (self->builder, self->nodes[i], self->temporaries[i]);
  for (guint i = 0; i < group->n_results; i++)
    if (is_root_here (self, i, block))
      ghlo_kernel_store (self->builder, self->nodes[self->roots[i]],
                         emit_access (self, group->n_operands + i, ghlo_lower_stored (group->results[i].element_type),
                                      &self->indices[i]));
}

static void
forget_nodes (Emission *self)
{
  for (guint i = 0; i < self->lowering->items->len; i++)
    self->nodes[i] = GHLO_KERNEL_NONE;
}

static gboolean
is_fold_here (const Emission *self,
              guint           fold,
              guint           block)
{
  const GhloLowerFold *f = ghlo_fold (self->lowering, fold);
  const Block *b = &self->blocks[block];

  return b->is_full && f->level == b->level && (f->n_chains == 1) == b->is_ordered;
}

static void
emit_folds (Emission *self,
            guint     block)
{
  GhloLowering *lowering = self->lowering;
  gboolean is_merged = !self->blocks[block].is_ordered && (self->n_chains > 1 || self->split > 0);

  for (guint i = 0; i < lowering->folds->len; i++)
    if (is_fold_here (self, i, block))
      ghlo_kernel_set_update (self->builder, self->folds[i], emit_item (self, ghlo_fold (lowering, i)->update, block));
  if (!is_merged)
    return;
  ghlo_kernel_begin_merge (self->builder);
  forget_nodes (self);
  for (guint i = 0; i < lowering->folds->len; i++)
    if (is_fold_here (self, i, block))
      ghlo_kernel_set_merge (self->builder, self->folds[i], emit_item (self, ghlo_fold (lowering, i)->merge, block));
}

static void
emit_block (Emission *self,
            guint     block)
{
  GhloLowering *lowering = self->lowering;
  const Block *b = &self->blocks[block];

  if (b->sinks->len == 0 && !b->has_folds)
    return;
  forget_nodes (self);
  ghlo_kernel_begin_points (self->builder, b->is_full ? inner_axes (self) : 0);
  if (b->has_folds)
    ghlo_kernel_set_order (self->builder, b->is_ordered ? 1 : self->n_chains, b->is_ordered ? 0 : self->split);
  for (guint i = 0; i < lowering->folds->len; i++)
    if (is_fold_here (self, i, block))
      self->folds[i] = ghlo_kernel_add_fold (self->builder, ghlo_fold (lowering, i)->type, self->fold_temporaries[i],
                                             ghlo_fold (lowering, i)->identity);
  emit_stores (self, block);
  if (b->has_folds)
    emit_folds (self, block);
  ghlo_kernel_end_block (self->builder);
}

static void
clear (Emission *self)
{
  for (guint i = 0; i < self->n_blocks; i++)
    g_array_unref (self->blocks[i].sinks);
  g_free (self->keepers);
  g_free (self->seen);
  g_free (self->visited);
  g_free (self->temporaries);
  g_free (self->nodes);
  g_free (self->folds);
  g_free (self->fold_temporaries);
}

GhloKernel *
ghlo_lower_emit (GhloLowering    *self,
                 const guint32   *roots,
                 const GhloIndex *indices,
                 gint64          *starts,
                 guint16         *shared)
{
  g_autoptr (GError) error = NULL;
  guint n_items = self->items->len, n_folds = self->folds->len + 1;
  GhloKernel *kernel;
  Emission emission = {
    .lowering = self, .roots = roots, .indices = indices, .starts = starts, .shared = shared,
    .keepers = g_new0 (guint8, n_items), .seen = g_new0 (guint8, n_items), .visited = g_new0 (guint8, n_items),
    .temporaries = g_new0 (guint16, n_items), .nodes = g_new0 (guint16, n_items),
    .folds = g_new0 (guint16, n_folds), .fold_temporaries = g_new0 (guint16, n_folds),
  };

  if (!merge_axes (&emission))
    {
      clear (&emission);
      return NULL;
    }
  choose_order (&emission);
  make_blocks (&emission);
  choose_kept (&emission);
  emission.builder = ghlo_kernel_builder_new (self->folds->len > 0 ? "reduction" : "map");
  add_axes (&emission);
  add_buffers (&emission);
  share_buffers (&emission);
  add_temporaries (&emission);
  for (guint i = 0; i < emission.n_blocks; i++)
    emit_block (&emission, i);
  clear (&emission);
  kernel = ghlo_kernel_builder_end (emission.builder, &error);
  if (kernel == NULL)
    {
      g_debug ("a group is no kernel: %s", error->message);
      ghlo_lower_refuse (self, "it is larger than kernels may be");
    }

  return kernel;
}
