/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Accesses of random kernels. A draft access has strides and terms; the range of elements that it reaches determines
 * its offset in the buffer and the buffer's size.
 */

#include "random-draw.h"

#define NONE GHLO_KERNEL_NONE

enum { MAX_TERMS = 3, MAX_REACH = 1 << 16 };

typedef struct
{
  gint64         strides[GHLO_KERNEL_MAX_AXES];
  GhloKernelTerm terms[MAX_TERMS];
  guint          n_terms;
  gint64         low, high;     /* bytes reached before and after the offset, without the element itself */
} Draft;

static void
reach (Draft  *self,
       gint64  stride,
       gint64  extent)
{
  self->low += MIN (stride, 0) * (extent - 1);
  self->high += MAX (stride, 0) * (extent - 1);
}

/* Puts the axes of @axes into random order, and returns their number. */
static guint
draw_order (Draw  *self,
            guint  axes,
            guint *order)
{
  guint n = 0;

  for (guint i = 0; i < self->n_axes; i++)
    if ((axes & 1u << i) != 0)
      {
        guint place = draw_percent (self, 50) ? 0 : draw (self, n + 1);

        memmove (order + place + 1, order + place, (n - place) * sizeof *order);
        order[place] = i;
        n++;
      }

  return n;
}

/* Strides for most of @axes: mostly dense, some with gaps, some negative, some overlapping. */
static Draft
draft_input (Draw  *self,
             gint64 size,
             guint  axes)
{
  Draft draft = { .n_terms = 0 };
  guint order[GHLO_KERNEL_MAX_AXES], n = draw_order (self, draw_axes (self, axes, 80), order);
  gint64 stride = draw_percent (self, 15) ? size * (2 + draw (self, 3)) : size;

  for (guint i = 0; i < n; i++)
    {
      gint64 extent = self->extents[order[i]], taken = draw_percent (self, 5) ? size : stride;

      if (taken > MAX_REACH / extent)
        break;
      draft.strides[order[i]] = draw_percent (self, 20) ? -taken : taken;
      reach (&draft, draft.strides[order[i]], extent);
      stride = MAX (stride, taken * extent) + (draw_percent (self, 10) ? size : 0);
    }

  return draft;
}

static guint
draw_index (Draw *self)
{
  GhloElementType type = draw_type_of (self, GHLO_NODE_TYPES_S | GHLO_NODE_TYPES_U);

  return self->has_order ? draw_whole (self, type) : draw_operand (self, type);
}

/* Adds a term to a loaded access; its nodes are new or existing ones. */
static void
draft_term (Draw   *self,
            Draft  *draft,
            gint64  size,
            guint   axes)
{
  GhloKernelTerm *term = &draft->terms[draft->n_terms++];

  *term = (GhloKernelTerm) { .node = NONE, .step = 1 };
  term->clamps = draw_percent (self, 40);
  if (draw_percent (self, term->clamps ? 70 : 30))
    term->node = draw_index (self);
  else if (!term->clamps && draw_percent (self, 40))
    term->step = 2 + draw (self, 2);
  term->end = 1 + draw (self, 10);
  term->offset = (gint64) draw (self, 10) - 5;
  term->stride = size * ((gint64) draw (self, 9) - 2);
  axes = draw_axes (self, axes, term->node != NONE ? 20 : 60);
  for (guint i = 0; i < self->n_axes; i++)
    if ((axes & 1u << i) != 0)
      term->strides[i] = draw_percent (self, 60) ? 1 : (gint64) draw (self, 6) - 2;
  reach (draft, term->stride, term->end);
}

static guint
axes_of_draft (const Draft *self)
{
  guint axes = 0;

  for (guint i = 0; i < GHLO_KERNEL_MAX_AXES; i++)
    {
      if (self->strides[i] != 0)
        axes |= 1u << i;
      for (guint j = 0; j < self->n_terms; j++)
        if (self->terms[j].strides[i] != 0)
          axes |= 1u << i;
    }

  return axes;
}

static DrawnAccess
add_access (Draw            *self,
            const Draft     *draft,
            GhloElementType  type,
            guint            buffer,
            gint64           offset)
{
  DrawnAccess access = { .type = type, .axes = axes_of_draft (draft), .block = NONE, .has_terms = draft->n_terms > 0 };

  access.number = ghlo_kernel_add_access (self->builder, buffer, type, offset, draft->strides);
  self->n_accesses++;
  for (guint i = 0; i < draft->n_terms; i++)
    {
      ghlo_kernel_add_term (self->builder, &draft->terms[i]);
      if (draft->terms[i].node != NONE)
        access.block = self->n_blocks;
    }

  return access;
}

static guint
add_buffer (Draw     *self,
            gint64    size,
            gboolean  is_written)
{
  char name[16];

  g_snprintf (name, sizeof name, "%s%u", is_written ? "y" : "x", self->n_buffers++);

  return ghlo_kernel_add_buffer (self->builder, name, size, is_written);
}

/* Places the access in an input that is large enough, or in a new one. */
static DrawnAccess
place_input (Draw            *self,
             const Draft     *draft,
             GhloElementType  type)
{
  const gint64 size = ghlo_element_info (type)->size, length = draft->high - draft->low + size;
  DrawnBuffer *buffer = NULL;
  guint n = 0;

  for (guint i = 0; i < self->n_inputs; i++)
    if (self->inputs[i].type == type && self->inputs[i].size >= length && draw (self, ++n) == 0)
      buffer = &self->inputs[i];
  if (buffer == NULL || draw_percent (self, 50))
    {
      if (self->n_buffers >= 40)
        return (DrawnAccess) { .number = NONE };
      buffer = &self->inputs[self->n_inputs++];
      *buffer = (DrawnBuffer) { .type = type, .size = length + size * draw (self, 2) };
      buffer->number = add_buffer (self, buffer->size, FALSE);
    }

  return add_access (self, draft, type, buffer->number,
                     (gint64) draw (self, (guint) ((buffer->size - length) / size) + 1) * size - draft->low);
}

/* Finds an earlier access that can be used here. */
static gboolean
find_input (Draw            *self,
            GhloElementType  type,
            DrawnAccess     *access)
{
  guint n = 0;

  for (guint i = 0; i < self->n_in_place; i++)
    if (self->in_place[i].type == type && draw (self, ++n) == 0)
      *access = self->in_place[i];
  if (n > 0)
    return TRUE;
  for (guint i = 0; i < self->n_loads; i++)
    if (self->loads[i].type == type && (self->loads[i].axes & ~draw_scope (self)) == 0
        && (self->loads[i].block == NONE || self->loads[i].block == self->n_blocks) && draw (self, ++n) == 0)
      *access = self->loads[i];

  return n > 0;
}

DrawnAccess
draw_input (Draw            *self,
            GhloElementType  type)
{
  const gint64 size = ghlo_element_info (type)->size;
  DrawnAccess access = { .number = NONE };
  Draft draft;

  if (draw_percent (self, 40) && find_input (self, type, &access))
    return access;
  if (self->n_accesses >= 100)
    return access;
  draft = draft_input (self, size, draw_scope (self));
  /* Index nodes may draw accesses themselves, recursively. */
  while (draft.n_terms < 2 && self->n_nodes - self->pool < 40 && draw_percent (self, 35))
    draft_term (self, &draft, size, draw_scope (self));
  access = place_input (self, &draft, type);
  if (access.number != NONE)
    self->loads[self->n_loads++] = access;

  return access;
}

guint
draw_factor (Draw            *self,
             GhloElementType  type,
             guint            axes)
{
  Draft draft = draft_input (self, ghlo_element_info (type)->size, axes);

  return place_input (self, &draft, type).number;
}

/* Gives @axis, whose points must be @stride apart, a guard instead of a stride. Returns the extent that it reaches. */
static gint64
draft_guard (Draw   *self,
             Draft  *draft,
             guint   axis,
             gint64  stride)
{
  GhloKernelTerm *term = &draft->terms[draft->n_terms++];
  gint64 extent = self->extents[axis];

  *term = (GhloKernelTerm) { .node = NONE, .step = 1 + draw (self, 3), .offset = (gint64) draw (self, 5) - 2 };
  term->end = 1 + draw (self, (guint) extent);
  term->stride = stride * term->step;
  term->strides[axis] = 1;
  reach (draft, term->stride, term->end);

  return term->stride * MAX (extent, term->end);
}

/* Adds a guard on a number alone, which may differ at each point. */
static void
draft_mask (Draw  *self,
            Draft *draft)
{
  GhloKernelTerm *term = &draft->terms[draft->n_terms++];

  *term = (GhloKernelTerm) { .node = draw_whole (self, draw_type_of (self, GHLO_NODE_TYPES_S | GHLO_NODE_TYPES_U)),
                             .step = 1 + draw (self, 2), .offset = (gint64) draw (self, 5) - 2,
                             .end = 1 + draw (self, 100) };
}

/* Draws a node that is the same at all points; *@counts is whether only within an iteration. NONE where there is
 * none. */
static guint
draw_uniform (Draw     *self,
              gboolean *counts)
{
  GhloElementType type = draw_type_of (self, GHLO_NODE_TYPES_S | GHLO_NODE_TYPES_U);

  *counts = TRUE;
  for (guint i = 0; i < self->n_axes; i++)
    if ((self->loops & 1u << i) != 0 && draw_percent (self, 30))
      return draw_leaf (self, GHLO_NODE_AXIS, type, i);
  for (guint i = 0; i < self->n_temporaries; i++)
    if (self->temporaries[i].counts && draw_percent (self, 50))
      return draw_leaf (self, GHLO_NODE_TEMPORARY, self->temporaries[i].type, self->temporaries[i].number);
  *counts = FALSE;
  if (self->n_buffers < 40)
    {
      const Draft draft = { .n_terms = 0 };
      DrawnAccess access = place_input (self, &draft, type);

      return access.number != NONE ? draw_load (self, &access) : NONE;
    }

  return NONE;
}

/* Adds an index whose values are @stride apart, beyond what is below. Returns the extent that it reaches. */
static gint64
draft_index (Draw   *self,
             Draft  *draft,
             gint64  stride)
{
  GhloKernelTerm *term;
  gboolean counts;
  guint node = draw_uniform (self, &counts);

  if (node == NONE)
    return stride;
  term = &draft->terms[draft->n_terms++];
  *term = (GhloKernelTerm) { .node = node, .clamps = draw_percent (self, 70), .step = 1,
                             .offset = (gint64) draw (self, 3) - 1, .end = 1 + draw (self, 5), .stride = stride };
  reach (draft, stride, term->end);

  /* Windows that begin anywhere may overlap only if they do so for all points at once. */
  return counts ? stride * term->end : stride;
}

/* Keeps each two points at least @unit apart. */
static Draft
draft_output (Draw   *self,
              gint64  unit,
              gboolean has_indices)
{
  Draft draft = { .n_terms = 0 };
  guint order[GHLO_KERNEL_MAX_AXES];
  guint axes = draw_axes (self, self->loops, 60) | self->axes | ((1u << self->n_parallel) - 1);
  guint n = draw_order (self, axes, order), guarded = draw_percent (self, 20) ? draw (self, 8) : NONE;
  guint indexed = has_indices && draw_percent (self, 25) ? draw (self, n + 1) : NONE;
  gint64 stride = unit;

  for (guint i = 0; i <= n; i++)
    {
      if (i == indexed)
        stride = draft_index (self, &draft, stride);
      if (i == n)
        break;
      if (i == guarded)
        {
          stride = draft_guard (self, &draft, order[i], stride);
          continue;
        }
      draft.strides[order[i]] = draw_percent (self, 15) ? -stride : stride;
      reach (&draft, draft.strides[order[i]], self->extents[order[i]]);
      stride = stride * self->extents[order[i]] + (draw_percent (self, 10) ? unit : 0);
    }
  if (has_indices && draw_percent (self, 15))
    draft_mask (self, &draft);

  return draft;
}

guint
draw_outputs (Draw            *self,
              GhloElementType  type,
              gboolean         has_indices,
              DrawnAccess     *accesses)
{
  const gint64 size = ghlo_element_info (type)->size;
  const guint n = self->n_accesses < 200 && draw_percent (self, 25) ? 2 : 1;
  const gboolean is_interleaved = n == 2 && draw_percent (self, 50);
  const Draft draft = draft_output (self, is_interleaved ? 2 * size : size, has_indices);
  const gint64 length = draft.high - draft.low + size;
  const gint64 apart = n == 1 ? 0 : is_interleaved ? size : length + size * draw (self, 2);
  guint buffer;

  if (self->n_buffers >= 60)
    return 0;
  buffer = add_buffer (self, length + apart, TRUE);
  for (guint i = 0; i < n; i++)
    accesses[i] = add_access (self, &draft, type, buffer, apart * i - draft.low);

  return n;
}
