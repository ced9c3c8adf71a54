/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Emits the nodes and accesses of the current block from items of the graph.
 */

#include "kernel/lower/emit-private.h"

#include "base/bits.h"
#include "base/sizes.h"

gboolean
ghlo_emission_has_start (const GhloEmission *self,
                         const GhloItem     *load,
                         guint               start)
{
  return ghlo_lower_uses_start (&ghlo_leaf (self->lowering, load->ref)->index, start);
}

static void
emit_operand (GhloEmission *self,
              guint32       operand,
              guint         block)
{
  ghlo_emission_item (self, operand, block);
}

/* Returns whether a guard holds at every point and can be dropped. */
static gboolean
always_holds (const GhloEmission *self,
              const GhloAffine   *position,
              gint64              end)
{
  gint64 least = position->offset, most = least;

  for (guint i = 0; i < GHLO_LOWER_MAX_AXES; i++)
    {
      gint64 reach = position->strides[i] * (self->lowering->extents[i] - 1);

      least += MIN (reach, 0);
      most += MAX (reach, 0);
    }

  return least >= 0 && most < end;
}

/* Returns whether @form is @factor × @other, plus a constant, ignoring starts. */
static gboolean
is_multiple (const GhloAffine *form,
             const GhloAffine *other,
             gint64           *factor)
{
  GhloAffine difference = *form;

  *factor = 0;
  for (guint i = 0; i < GHLO_LOWER_MAX_AXES; i++)
    if (other->strides[i] != 0 && *factor == 0)
      *factor = form->strides[i] / other->strides[i];
  for (guint i = 0; i < GHLO_LOWER_MAX_AXES; i++)
    if (!ghlo_int_add_product (&difference.strides[i], -*factor, other->strides[i]) || difference.strides[i] != 0)
      return FALSE;

  return *factor != 0;
}

/* An access under construction: its form without the terms, and the dimensions (bits) that are covered by terms. */
typedef struct
{
  const GhloEmissionPlace *place;
  GhloAffine               form;
  guint                    taken;
  guint                    n_terms;
  GhloKernelTerm           terms[GHLO_LOWER_MAX_GUARDS];
} Access;

/* Adds a guard as a term. If a dimension is a multiple of the guard's position, the term replaces it in the address:
 * the access is then known to be in bounds. */
static void
add_guard_term (const GhloEmission *self,
                Access             *access,
                const GhloAffine   *position,
                gint64              end)
{
  const GhloIndex *index = access->place->index;
  const GhloView *view = ghlo_emission_view (self, access->place->buffer);
  GhloKernelTerm *term = &access->terms[access->n_terms++];

  *term = (GhloKernelTerm) { .node = GHLO_KERNEL_NONE, .step = 1, .end = end, .offset = position->offset };
  ghlo_emission_set_strides (self, position, term->strides);
  for (guint i = 0; i < index->rank && term->stride == 0; i++)
    {
      GhloAffine form = *index->dimensions[i];
      gint64 factor, offset = access->form.offset;

      ghlo_emission_set_member (self, &form);
      if ((access->taken & 1u << i) != 0 || !is_multiple (&form, position, &factor)
          || !ghlo_int_add_product (&offset, factor * view->strides[i], -position->offset))
        continue;
      access->taken |= 1u << i;
      term->stride = factor * view->strides[i];
      access->form.offset = offset;
      for (guint k = 0; k < GHLO_LOWER_MAX_AXES; k++)
        access->form.strides[k] -= form.strides[k] * view->strides[i];
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

/* Guards are handled last to first, since the last ones are those of the operand's own dimensions. */
guint
ghlo_emission_access (GhloEmission    *self,
                      guint            number,
                      GhloElementType  type)
{
  const GhloEmissionPlace *place = &self->places[number];
  const GhloIndex *index = place->index;
  gint64 strides[GHLO_KERNEL_MAX_AXES];
  gboolean has_place = index->rank > 0 || ghlo_emission_view (self, place->buffer)->rank == 0;
  Access access = { .place = place, .form = place->form };
  guint added;

  ghlo_emission_set_member (self, &access.form);
  for (guint i = index->n_guards; i > 0; i--)
    {
      GhloAffine position = *index->guards[i - 1].position;

      ghlo_emission_set_member (self, &position);
      if (!always_holds (self, &position, index->guards[i - 1].end))
        add_guard_term (self, &access, &position, index->guards[i - 1].end);
    }
  ghlo_emission_set_strides (self, &access.form, strides);
  /* An index without dimensions is only used for its guards; its address is the start of the buffer, which always
   * exists. */
  added = ghlo_kernel_add_access (self->builder, place->buffer, type,
                                  has_place ? access.form.offset - self->starts[place->buffer] : 0, strides);
  for (guint i = 0; i < access.n_terms; i++)
    ghlo_kernel_add_term (self->builder, &access.terms[i]);
  add_start_terms (self, &access.form);

  return added;
}

static guint
emit_coordinate (GhloEmission   *self,
                 const GhloItem *item)
{
  GhloAffine form = *ghlo_coordinate (self->lowering, item->ref);
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
  guint access = ghlo_emission_access (self, item->ref, item->type);

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
      return ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, item->type, self->fold_temporaries[item->ref]);
    case GHLO_NODE_LEFT:
    case GHLO_NODE_RIGHT:
      return ghlo_kernel_add_leaf (builder, item->kind, item->type, self->folds[item->ref]);
    case GHLO_NODE_LOAD:
      return emit_load (self, item);
    case GHLO_NODE_INSIDE:
      return ghlo_kernel_add_leaf (builder, GHLO_NODE_INSIDE, item->type,
                                   ghlo_emission_access (self, item->ref, GHLO_ELEMENT_TYPE_UI8));
    case GHLO_NODE_TEMPORARY:
      return ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, item->type,
                                   self->lowering->loop->carried[item->ref / 2]
                                     .temporaries[item->ref % 2][GHLO_CARRIED_CURRENT]);
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
