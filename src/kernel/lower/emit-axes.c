/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The axes of kernels: those of the domain, merged where everything traverses several axes as one; and the order of
 * folds over them.
 */

#include "kernel/lower/emit-private.h"

#include "base/fail.h"
#include "kernel/schedule.h"

enum
{
  MAX_MEMBER_EXPRS = 128,       /* expressions of all members of a point */
  MIN_ROWS = 16,                /* the least number of rows that become points */
  MAX_CHAINS = 64,              /* lanes of four vectors of 16 f32, or of eight vectors of 8 */
  MIN_POINTS = 32,              /* adjacent parallel points that fill vectors without chains */
  MAX_CHAIN = 512,              /* the most elements that are folded in sequence */
  MIN_CHAIN = 64,               /* with fewer chains: as many as leave PARTS parts, but not fewer than this */
  PARTS = 128,
};

const GhloView *
ghlo_emission_view (const GhloEmission *self,
                    guint               buffer)
{
  const GhloKernelGroup *group = self->lowering->group;

  return buffer < group->n_operands ? &group->operands[buffer] : &group->results[buffer - group->n_operands];
}

static GhloEmissionPlace
find_place (const GhloEmission *self,
            guint               buffer,
            const GhloIndex    *index)
{
  const GhloView *view = ghlo_emission_view (self, buffer);
  GhloEmissionPlace place = {
    buffer, index, { .offset = index->part * ghlo_element_info (view->element_type)->size / 2 }
  };
  gint64 magnitude = 0;

  for (guint i = 0; i < index->rank; i++)
    {
      if (!ghlo_lower_add_magnitude (self->lowering, index->dimensions[i], view->strides[i], &magnitude))
        {
          ghlo_lower_refuse (self->lowering, "its addresses are too large");
          break;
        }
      place.affine.offset += index->dimensions[i]->offset * view->strides[i];
      for (guint k = 0; k < GHLO_LOWER_MAX_VARIABLES; k++)
        place.affine.strides[k] += index->dimensions[i]->strides[k] * view->strides[i];
    }

  return place;
}

void
ghlo_emission_find_places (GhloEmission *self)
{
  const GhloLowering *lowering = self->lowering;

  self->first_stored = lowering->reads->len;
  self->n_places = self->first_stored + self->n_outputs;
  self->places = g_new0 (GhloEmissionPlace, self->n_places);
  for (guint i = 0; i < self->first_stored; i++)
    self->places[i] = find_place (self, ghlo_lower_read (lowering, i)->buffer, &ghlo_lower_read (lowering, i)->index);
  for (guint i = 0; i < self->n_outputs; i++)
    if (self->outputs[i].temporary == GHLO_KERNEL_NONE)
      self->places[self->first_stored + i] = find_place (self, lowering->group->n_operands + self->outputs[i].result,
                                                         &self->outputs[i].index);
}

static gboolean
follows (const GhloLowering *lowering,
         const GhloAffine   *affine,
         guint               axis)
{
  return affine->strides[axis] == affine->strides[axis + 1] * lowering->extents[axis + 1];
}

static gboolean
place_follows (const GhloEmission      *self,
               const GhloEmissionPlace *place,
               guint                    axis)
{
  if (place->index == NULL)
    return TRUE;
  for (guint i = 0; i < place->index->n_guards; i++)
    if (!follows (self->lowering, place->index->guards[i].position, axis))
      return FALSE;

  return follows (self->lowering, &place->affine, axis);
}

/* Returns whether everything that depends on @axis and the next axis traverses them as one axis. */
static gboolean
can_merge (const GhloEmission *self,
           guint               axis)
{
  GhloLowering *lowering = self->lowering;

  if (axis + 1 == lowering->n_parallel)
    return FALSE;
  for (guint i = 0; i < self->n_places; i++)
    if (!place_follows (self, &self->places[i], axis))
      return FALSE;
  for (guint i = 0; i < lowering->coordinates->len; i++)
    if (!follows (lowering, ghlo_coordinate (lowering, i), axis))
      return FALSE;

  return TRUE;
}

static gboolean
all_can_merge (const GhloEmission *stages,
               guint               n_stages,
               guint               axis)
{
  for (guint i = 0; i < n_stages; i++)
    if (!can_merge (&stages[i], axis))
      return FALSE;

  return TRUE;
}

static void
add_axis (GhloEmission *self,
          guint         axis,
          gboolean      is_merged)
{
  if (!is_merged)
    {
      self->extents[self->n_axes++] = 1;
      self->n_parallel += axis < self->lowering->n_parallel;
    }
  self->last[self->n_axes - 1] = axis;
  self->extents[self->n_axes - 1] *= self->lowering->extents[axis];
}

gboolean
ghlo_emission_merge_axes (GhloEmission *stages,
                          guint         n_stages)
{
  GhloLowering *lowering = stages[0].lowering;

  for (guint i = 0; i < lowering->n_axes; i++)
    {
      gboolean is_merged = i > 0 && all_can_merge (stages, n_stages, i - 1);

      for (guint k = 0; k < n_stages; k++)
        add_axis (&stages[k], i, is_merged);
    }
  for (guint k = 0; k < n_stages; k++)
    {
      GhloEmission *stage = &stages[k];

      stage->n_all = stage->n_axes;
      if (!ghlo_lower_is_counted (lowering))
        continue;
      stage->last[stage->n_all] = GHLO_LOWER_LOOP_AXIS;
      stage->extents[stage->n_all++] = lowering->extents[GHLO_LOWER_LOOP_AXIS];
    }
  if (stages[0].n_all > GHLO_KERNEL_MAX_AXES)
    return GHLO_FALSE_AFTER (ghlo_lower_refuse (lowering, "it has too many dimensions"));

  return TRUE;
}

/* Returns the size of an element at @place in bytes. */
static gint64
element_size (const GhloEmission      *self,
              const GhloEmissionPlace *place)
{
  return ghlo_element_info (ghlo_emission_view (self, place->buffer)->element_type)->size;
}

/* Returns whether the last axis traverses rows of @n elements at @place, and the axis before it consecutive rows. */
static gboolean
has_short_rows (const GhloEmission      *self,
                const GhloEmissionPlace *place,
                gint64                   n)
{
  const gint64 size = element_size (self, place), *strides = place->affine.strides;

  return strides[self->last[self->n_axes - 1]] == size && strides[self->last[self->n_axes - 2]] == n * size;
}

/* Vectors along such a short row would be nearly empty. Vectors across rows would store elements that are apart, which
 * costs as much as everything else. Instead, the stores of all elements of a point are interleaved into whole vectors
 * (cpu/llvm/strides.c). An epilogue keeps the axes of the operation that it follows. */
void
ghlo_emission_choose_members (GhloEmission *self)
{
  const GhloLowering *lowering = self->lowering;
  gint64 n = self->n_axes > 0 ? self->extents[self->n_axes - 1] : 0;

  if (self->n_axes < 2 || self->n_parallel != self->n_axes || self->n_all != self->n_axes
      || lowering->n_dynamic_offsets > 0 || lowering->group->input_op != NULL || lowering->group->computes_parts
      || n < 2 || n > GHLO_SCHEDULE_LANE_STRIDE
      || n * lowering->exprs->len > MAX_MEMBER_EXPRS || self->extents[self->n_axes - 2] < MIN_ROWS)
    return;
  for (guint i = 0; i < self->n_outputs; i++)
    if (self->outputs[i].temporary != GHLO_KERNEL_NONE
        || !has_short_rows (self, &self->places[self->first_stored + i], n))
      return;

  self->n_members = (guint) n;
  self->n_parallel = self->n_all = --self->n_axes;
}

void
ghlo_emission_set_member (const GhloEmission *self,
                          GhloAffine         *affine)
{
  if (self->n_members == 1)
    return;
  affine->offset += affine->strides[self->last[self->n_axes]] * self->member;
  for (guint i = self->last[self->n_axes - 1] + 1; i <= self->last[self->n_axes]; i++)
    affine->strides[i] = 0;
}

/* Returns whether adjacent parallel points read the same elements. */
static gboolean
is_shared (const GhloEmission      *self,
           const GhloEmissionPlace *place)
{
  return self->n_parallel > 0 && place->affine.strides[self->last[self->n_parallel - 1]] == 0;
}

/* Returns whether an operand's elements are adjacent along the last axis, other than those that adjacent points
 * share. */
static gboolean
has_rows (const GhloEmission *self)
{
  for (guint i = 0; i < self->first_stored; i++)
    if (self->places[i].affine.strides[self->last[self->n_axes - 1]] == element_size (self, &self->places[i])
        && !is_shared (self, &self->places[i]))
      return TRUE;

  return FALSE;
}

void
ghlo_emission_choose_order (GhloEmission *self)
{
  gint64 rest = 1, chain;

  self->n_chains = 1;
  if (self->n_axes == self->n_parallel)
    return;
  if (has_rows (self) || self->n_parallel == 0 || self->extents[self->n_parallel - 1] < MIN_POINTS)
    while (self->n_chains < MAX_CHAINS && self->n_chains * 2 <= self->extents[self->n_axes - 1])
      self->n_chains *= 2;
  for (guint i = self->n_parallel + 1; i < self->n_axes; i++)
    rest *= self->extents[i];
  chain = self->n_chains < MAX_CHAINS
          ? CLAMP (self->extents[self->n_parallel] * rest / (PARTS * (gint64) self->n_chains), MIN_CHAIN, MAX_CHAIN)
          : MAX_CHAIN;
  self->split = MAX (chain * (gint64) self->n_chains / rest, 1);
  if (self->split >= self->extents[self->n_parallel])
    self->split = 0;
}

void
ghlo_emission_set_strides (const GhloEmission *self,
                           const GhloAffine   *affine,
                           gint64             *strides)
{
  for (guint i = 0; i < GHLO_KERNEL_MAX_AXES; i++)
    strides[i] = i < self->n_all ? affine->strides[self->last[i]] : 0;
}
