/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Emits the nodes and accesses of the current block from expressions of the graph.
 */

#include "kernel/lower/emit-private.h"

#include "base/bits.h"
#include "base/sizes.h"

gboolean
ghlo_emission_has_dynamic_offset (const GhloEmission *self,
                                  const GhloExpr     *load,
                                  guint               number)
{
  return ghlo_lower_uses_dynamic_offset (&ghlo_lower_read (self->lowering, load->ref)->index, number);
}

static void
emit_operand (GhloEmission *self,
              guint32       operand,
              guint         block)
{
  ghlo_emission_expr (self, operand, block);
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

/* Returns whether @affine is @factor × @other, plus a constant, ignoring dynamic offsets. */
static gboolean
is_multiple (const GhloAffine *affine,
             const GhloAffine *other,
             gint64           *factor)
{
  GhloAffine difference = *affine;

  *factor = 0;
  for (guint i = 0; i < GHLO_LOWER_MAX_AXES; i++)
    if (other->strides[i] != 0 && *factor == 0)
      *factor = affine->strides[i] / other->strides[i];
  for (guint i = 0; i < GHLO_LOWER_MAX_AXES; i++)
    if (!ghlo_int_add_product (&difference.strides[i], -*factor, other->strides[i]) || difference.strides[i] != 0)
      return FALSE;

  return *factor != 0;
}

/* An access under construction: its form without the terms, and the dimensions (bits) that are covered by terms. */
typedef struct
{
  const GhloEmissionPlace *place;
  GhloAffine               affine;
  guint                    taken;
  guint                    n_terms;
  GhloKernelTerm           terms[GHLO_LOWER_MAX_GUARDS];
} Access;

/* Adds a guard, whose position in the axes that remain is @position, as a term. If a dimension is a multiple of the
 * position, the term replaces it in the address: the access is then known to be in bounds. */
static void
add_guard_term (const GhloEmission   *self,
                Access               *access,
                const GhloIndexGuard *guard,
                const GhloAffine     *position)
{
  const GhloIndex *index = access->place->index;
  const GhloView *view = ghlo_emission_view (self, access->place->buffer);
  GhloKernelTerm *term = &access->terms[access->n_terms++];

  *term = (GhloKernelTerm) { .node = GHLO_KERNEL_NONE, .step = guard->step, .end = guard->end,
                             .offset = position->offset };
  ghlo_emission_set_strides (self, position, term->strides);
  if (guard->step > 1)
    term->stride = index->rank > 0 ? view->strides[guard->dimension] : 0;
  for (guint i = 0; i < index->rank && guard->step == 1 && term->stride == 0; i++)
    {
      GhloAffine affine = *index->dimensions[i];
      gint64 factor, offset = access->affine.offset;

      ghlo_emission_set_member (self, &affine);
      if ((access->taken & 1u << i) != 0 || !is_multiple (&affine, position, &factor)
          || !ghlo_int_add_product (&offset, factor * view->strides[i], -position->offset))
        continue;
      access->taken |= 1u << i;
      term->stride = factor * view->strides[i];
      access->affine.offset = offset;
      for (guint k = 0; k < GHLO_LOWER_MAX_AXES; k++)
        access->affine.strides[k] -= affine.strides[k] * view->strides[i];
    }
}

static void
add_dynamic_offset_terms (GhloEmission     *self,
                          const GhloAffine *affine)
{
  for (guint i = 0; i < self->lowering->n_dynamic_offsets; i++)
    {
      const GhloDynamicOffset *dynamic_offset = &self->lowering->dynamic_offsets[i];
      const GhloKernelTerm term = { .clamps = TRUE, .step = 1, .end = dynamic_offset->end,
                                    .node = self->nodes[dynamic_offset->expr],
                                    .stride = affine->strides[GHLO_LOWER_MAX_AXES + i] };

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
  Access access = { .place = place, .affine = place->affine };
  guint added;

  ghlo_emission_set_member (self, &access.affine);
  for (guint i = index->n_guards; i > 0; i--)
    {
      const GhloIndexGuard *guard = &index->guards[i - 1];
      GhloAffine position = *guard->position;

      ghlo_emission_set_member (self, &position);
      if (guard->step > 1 || !always_holds (self, &position, guard->end))
        add_guard_term (self, &access, guard, &position);
    }
  ghlo_emission_set_strides (self, &access.affine, strides);
  /* An index without dimensions is only used for its guards; its address is the start of the buffer, which always
   * exists. */
  added = ghlo_kernel_add_access (self->builder, place->buffer, type,
                                  has_place ? access.affine.offset - self->starts[place->buffer] : 0, strides);
  for (guint i = 0; i < access.n_terms; i++)
    ghlo_kernel_add_term (self->builder, &access.terms[i]);
  add_dynamic_offset_terms (self, &access.affine);

  return added;
}

static guint
emit_coordinate (GhloEmission   *self,
                 const GhloExpr *expr)
{
  GhloAffine affine = *ghlo_coordinate (self->lowering, expr->ref);
  guint64 mask = ghlo_low_bits (ghlo_element_info (expr->type)->bits);
  guint sum = GHLO_KERNEL_NONE;

  ghlo_emission_set_member (self, &affine);
  for (guint i = 0; i < self->n_all; i++)
    {
      gint64 stride = affine.strides[self->last[i]];
      guint term;

      if (stride == 0)
        continue;
      term = ghlo_kernel_add_leaf (self->builder, GHLO_NODE_AXIS, expr->type, i);
      if (stride != 1)
        term = ghlo_kernel_add_node (self->builder, GHLO_NODE_MULTIPLY, expr->type, term,
                                     ghlo_kernel_add_constant (self->builder, expr->type, (guint64) stride & mask),
                                     GHLO_KERNEL_NONE);
      sum = sum == GHLO_KERNEL_NONE ? term
            : ghlo_kernel_add_node (self->builder, GHLO_NODE_ADD, expr->type, sum, term, GHLO_KERNEL_NONE);
    }
  if (sum == GHLO_KERNEL_NONE)
    return ghlo_kernel_add_constant (self->builder, expr->type, (guint64) affine.offset & mask);
  if (affine.offset == 0)
    return sum;

  return ghlo_kernel_add_node (self->builder, GHLO_NODE_ADD, expr->type, sum,
                               ghlo_kernel_add_constant (self->builder, expr->type, (guint64) affine.offset & mask),
                               GHLO_KERNEL_NONE);
}

static guint
emit_load (GhloEmission   *self,
           const GhloExpr *expr)
{
  guint access = ghlo_emission_access (self, expr->ref, expr->type);

  return ghlo_kernel_add_load (self->builder, expr->type, access,
                               expr->operands[0] != GHLO_LOWER_NONE ? self->nodes[expr->operands[0]]
                               : GHLO_KERNEL_NONE);
}

static guint
make_node (GhloEmission   *self,
           const GhloExpr *expr)
{
  GhloKernelBuilder *builder = self->builder;
  guint operands[3];

  switch (expr->kind)
    {
    case GHLO_NODE_CONSTANT:
      return ghlo_kernel_add_constant (builder, expr->type, expr->bits);
    case GHLO_EXPR_COORDINATE:
      return emit_coordinate (self, expr);
    case GHLO_EXPR_FOLD:
      return ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, expr->type, self->fold_temporaries[expr->ref]);
    case GHLO_NODE_LEFT:
    case GHLO_NODE_RIGHT:
      return ghlo_kernel_add_leaf (builder, expr->kind, expr->type, self->folds[expr->ref]);
    case GHLO_NODE_LOAD:
      return emit_load (self, expr);
    case GHLO_NODE_INSIDE:
      return ghlo_kernel_add_leaf (builder, GHLO_NODE_INSIDE, expr->type,
                                   ghlo_emission_access (self, expr->ref, GHLO_ELEMENT_TYPE_UI8));
    case GHLO_NODE_TEMPORARY:
      return ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, expr->type,
                                   self->lowering->loop->carried[expr->ref / 2]
                                     .temporaries[expr->ref % 2][GHLO_CARRIED_CURRENT]);
    default:
      break;
    }
  for (guint i = 0; i < G_N_ELEMENTS (operands); i++)
    operands[i] = expr->operands[i] != GHLO_LOWER_NONE ? self->nodes[expr->operands[i]] : GHLO_KERNEL_NONE;

  return ghlo_kernel_add_node (builder, expr->kind, expr->type, operands[0], operands[1], operands[2]);
}

void
ghlo_emission_foreach_operand (GhloEmission *self,
                               guint32       number,
                               guint         block,
                               void        (*func) (GhloEmission *self,
                                                    guint32       operand,
                                                    guint         block))
{
  const GhloExpr *expr = ghlo_expr (self->lowering, number);

  for (guint i = 0; i < G_N_ELEMENTS (expr->operands); i++)
    if (expr->operands[i] != GHLO_LOWER_NONE)
      func (self, expr->operands[i], block);
  for (guint i = 0; expr->kind == GHLO_NODE_LOAD && i < self->lowering->n_dynamic_offsets; i++)
    if (ghlo_emission_has_dynamic_offset (self, expr, i))
      func (self, self->lowering->dynamic_offsets[i].expr, block);
}

guint
ghlo_emission_expr (GhloEmission *self,
                    guint32       number,
                    guint         block)
{
  const GhloExpr *expr = ghlo_expr (self->lowering, number);

  if (self->nodes[number] != GHLO_KERNEL_NONE)
    return self->nodes[number];
  if (self->keepers[number] != 0 && self->keepers[number] - 1u < block)
    self->nodes[number] = ghlo_kernel_add_leaf (self->builder, GHLO_NODE_TEMPORARY, expr->type,
                                                self->temporaries[number]);
  else
    {
      ghlo_emission_foreach_operand (self, number, block, emit_operand);
      self->nodes[number] = make_node (self, expr);
    }

  return self->nodes[number];
}
