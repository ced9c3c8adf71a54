/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nodes and accesses of the block at hand, of items of the graph.
 */

#include "kernel/lower/emit-private.h"

#include "base/bits.h"

#include <string.h>

gboolean
ghlo_emission_has_start (const GhloEmission *self,
                         const GhloItem     *load,
                         guint               start)
{
  return ghlo_lower_uses_start (&ghlo_leaf (self->lowering, load->which)->index, start);
}

static void
emit_operand (GhloEmission *self,
              guint32       operand,
              guint         block)
{
  ghlo_emission_item (self, operand, block);
}

/* Guards that hold at every point are none. */
static gboolean
always_holds (const GhloEmission   *self,
              const GhloIndexGuard *guard)
{
  gint64 least = guard->position.offset, most = least;

  for (guint i = 0; i < GHLO_LOWER_MAX_AXES; i++)
    {
      gint64 reach = guard->position.strides[i] * (self->lowering->extents[i] - 1);

      least += MIN (reach, 0);
      most += MAX (reach, 0);
    }

  return least >= 0 && most < guard->end;
}

/* Whether @form is @factor × @other + @rest, starts left out. */
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
add_guard_term (GhloEmission         *self,
                const GhloIndexGuard *guard,
                const GhloView       *view,
                GhloIndex            *index,
                GhloKernelTerm       *term)
{
  *term = (GhloKernelTerm) { .node = GHLO_KERNEL_NONE, .step = 1, .end = guard->end,
                             .offset = guard->position.offset };
  ghlo_emission_set_strides (self, &guard->position, term->strides);
  for (guint i = 0; i < index->rank && term->stride == 0; i++)
    {
      gint64 factor, rest;

      if (!is_multiple (&index->dimensions[i], &guard->position, &factor, &rest))
        continue;
      term->stride = factor * view->strides[i];
      index->dimensions[i].offset = rest;
      memset (index->dimensions[i].strides, 0, GHLO_LOWER_MAX_AXES * sizeof rest);
    }
}

static void
add_start_terms (GhloEmission     *self,
                 const GhloAffine *form)
{
  for (guint i = 0; i < self->lowering->n_starts; i++)
    {
      const GhloLowerStart *start = &self->lowering->starts[i];
      const GhloKernelTerm term = { .clamps = TRUE, .step = 1, .end = start->end, .node = self->nodes[start->item],
                                    .stride = form->strides[GHLO_LOWER_MAX_AXES + i] };

      if (term.stride != 0)
        ghlo_kernel_add_term (self->builder, &term);
    }
}

/* The last guards are those of the operand's own dimensions. */
guint
ghlo_emission_access (GhloEmission    *self,
                      guint            buffer,
                      GhloElementType  type,
                      const GhloIndex *at)
{
  const GhloView *view = ghlo_emission_view (self, buffer);
  GhloKernelTerm terms[GHLO_LOWER_MAX_GUARDS];
  gint64 strides[GHLO_KERNEL_MAX_AXES];
  GhloIndex index = *at;
  guint access, n_terms = 0;
  GhloAffine form;

  for (guint i = 0; i < index.rank; i++)
    ghlo_emission_set_member (self, &index.dimensions[i]);
  for (guint i = 0; i < index.n_guards; i++)
    ghlo_emission_set_member (self, &index.guards[i].position);
  for (guint i = index.n_guards; i > 0; i--)
    if (!always_holds (self, &index.guards[i - 1]))
      add_guard_term (self, &index.guards[i - 1], view, &index, &terms[n_terms++]);
  form = ghlo_emission_place (self, buffer, &index);
  ghlo_emission_set_strides (self, &form, strides);
  /* Without dimensions it is no element of the buffer, but one that is always there. */
  access = ghlo_kernel_add_access (self->builder, buffer, type, index.rank > 0 || view->rank == 0
                                   ? form.offset - self->starts[buffer] : 0, strides);
  for (guint i = 0; i < n_terms; i++)
    ghlo_kernel_add_term (self->builder, &terms[i]);
  add_start_terms (self, &form);

  return access;
}

static guint
emit_coordinate (GhloEmission   *self,
                 const GhloItem *item)
{
  GhloAffine form = g_array_index (self->lowering->coordinates, GhloAffine, item->which);
  guint64 mask = ghlo_low_bits (ghlo_element_info (item->type)->bits);
  guint sum = GHLO_KERNEL_NONE;

  ghlo_emission_set_member (self, &form);
  for (guint i = 0; i < self->n_all; i++)
    {
      gint64 stride = form.strides[self->last[i]];
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
    return ghlo_kernel_add_constant (self->builder, item->type, (guint64) form.offset & mask);
  if (form.offset == 0)
    return sum;

  return ghlo_kernel_add_node (self->builder, GHLO_NODE_ADD, item->type, sum,
                               ghlo_kernel_add_constant (self->builder, item->type, (guint64) form.offset & mask),
                               GHLO_KERNEL_NONE);
}

static guint
emit_load (GhloEmission   *self,
           const GhloItem *item)
{
  const GhloLeaf *leaf = ghlo_leaf (self->lowering, item->which);
  guint access = ghlo_emission_access (self, leaf->buffer, item->type, &leaf->index);

  return ghlo_kernel_add_load (self->builder, item->type, access,
                               item->operands[0] != GHLO_LOWER_NONE ? self->nodes[item->operands[0]]
                               : GHLO_KERNEL_NONE);
}

static guint
make_node (GhloEmission   *self,
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
                                   ghlo_emission_access (self, 0, GHLO_ELEMENT_TYPE_UI8,
                                                         &ghlo_leaf (self->lowering, item->which)->index));
    case GHLO_NODE_TEMPORARY:
      return ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, item->type,
                                   self->lowering->loop->carried[item->which / 2]
                                     .temporaries[item->which % 2][GHLO_CARRIED_NOW]);
    default:
      break;
    }
  for (guint i = 0; i < G_N_ELEMENTS (operands); i++)
    operands[i] = item->operands[i] != GHLO_LOWER_NONE ? self->nodes[item->operands[i]] : GHLO_KERNEL_NONE;

  return ghlo_kernel_add_node (builder, item->kind, item->type, operands[0], operands[1], operands[2]);
}

void
ghlo_emission_foreach_operand (GhloEmission *self,
                               guint32       number,
                               guint         block,
                               void        (*func) (GhloEmission *self,
                                                    guint32       operand,
                                                    guint         block))
{
  const GhloItem *item = ghlo_item (self->lowering, number);

  for (guint i = 0; i < G_N_ELEMENTS (item->operands); i++)
    if (item->operands[i] != GHLO_LOWER_NONE)
      func (self, item->operands[i], block);
  for (guint i = 0; item->kind == GHLO_NODE_LOAD && i < self->lowering->n_starts; i++)
    if (ghlo_emission_has_start (self, item, i))
      func (self, self->lowering->starts[i].item, block);
}

guint
ghlo_emission_item (GhloEmission *self,
                    guint32       number,
                    guint         block)
{
  const GhloItem *item = ghlo_item (self->lowering, number);

  if (self->nodes[number] != GHLO_KERNEL_NONE)
    return self->nodes[number];
  if (self->keepers[number] != 0 && self->keepers[number] - 1u < block)
    self->nodes[number] = ghlo_kernel_add_leaf (self->builder, GHLO_NODE_TEMPORARY, item->type,
                                                self->temporaries[number]);
  else
    {
      ghlo_emission_foreach_operand (self, number, block, emit_operand);
      self->nodes[number] = make_node (self, item);
    }

  return self->nodes[number];
}
