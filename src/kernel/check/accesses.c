/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Accesses and their terms: fields, alignment, and the range of bytes that they reach, by interval arithmetic. The
 * magnitudes of all parts are added up as well, to ensure that no executor's sums overflow.
 */

#include "kernel/check/checker.h"

#include <string.h>

/* An interval to which parts are added. */
typedef struct
{
  gint64   low, high;
  gint64   magnitude;           /* sum of the magnitudes of all parts */
  gboolean overflows;
} Range;

static Range
begin_range (gint64 offset)
{
  return (Range) { .low = offset, .high = offset, .magnitude = ABS (MAX (offset, -G_MAXINT64)),
                   .overflows = offset == G_MININT64 };
}

/* Adds @factor times the interval [@low, @high], which is not empty. */
static void
add_part (Range  *range,
          gint64  factor,
          gint64  low,
          gint64  high)
{
  gint64 a, b, magnitude;

  if (range->overflows || __builtin_mul_overflow (factor, low, &a) || __builtin_mul_overflow (factor, high, &b)
      || a == G_MININT64 || b == G_MININT64)
    {
      range->overflows = TRUE;
      return;
    }
  magnitude = MAX (ABS (a), ABS (b));
  range->overflows = __builtin_add_overflow (range->magnitude, magnitude, &range->magnitude);
  if (range->overflows)
    return;
  range->low += MIN (a, b);
  range->high += MAX (a, b);
}

/* Adds @strides × coordinates. */
static void
add_axes (GhloKernelCheck *self,
          Range           *range,
          const gint64    *strides)
{
  for (guint i = 0; i < self->kernel->n_axes; i++)
    add_part (range, strides[i], 0, self->kernel->axes[i].extent - 1);
}

static gboolean
check_strides (GhloKernelCheck *self,
               guint            access,
               const gint64    *strides,
               gint64           unit)
{
  for (guint i = 0; i < GHLO_KERNEL_MAX_AXES; i++)
    {
      if (i >= self->kernel->n_axes && strides[i] != 0)
        return ghlo_kernel_check_fail (self, "access %u: it has a stride of axis %u, which does not exist", access, i);
      if (strides[i] % unit != 0)
        return ghlo_kernel_check_fail (self, "access %u: axis %u (%s): expected a stride that is a multiple of %"
                                       G_GINT64_FORMAT ", found %" G_GINT64_FORMAT, access, i,
                                       self->kernel->axes[i].name, unit, strides[i]);
    }

  return TRUE;
}

static gboolean
check_term_fields (GhloKernelCheck *self,
                   guint            access,
                   guint            number)
{
  static const guint8 zeros[sizeof ((GhloKernelTerm *) 0)->reserved];
  const GhloKernelTerm *term = &self->kernel->terms[number];
  const gint64 size = ghlo_element_info (self->kernel->accesses[access].type)->size;
  gint64 reach;

  if (memcmp (term->reserved, zeros, sizeof zeros) != 0)
    return ghlo_kernel_check_fail (self, "access %u, term %u: expected reserved fields that are 0", access, number);
  if (term->node != GHLO_KERNEL_NONE && term->node >= self->kernel->n_nodes)
    return ghlo_kernel_check_fail (self, "access %u, term %u: there is no node %u", access, number, term->node);
  if (term->clamps > 1)
    return ghlo_kernel_check_fail (self, "access %u, term %u: clamps is neither 0 nor 1", access, number);
  if (term->step < 1 || (term->clamps && term->step != 1))
    return ghlo_kernel_check_fail (self, "access %u, term %u: expected a step of 1%s, found %" G_GINT64_FORMAT, access,
                                   number, term->clamps ? " with a clamp" : " or more", term->step);
  if (term->end < 1 || __builtin_mul_overflow (term->end, term->step, &reach))
    return ghlo_kernel_check_fail (self, "access %u, term %u: expected an end of 1 or more that times step fits 63 "
                                   "bits, found %" G_GINT64_FORMAT, access, number, term->end);
  if (term->stride % size != 0)
    return ghlo_kernel_check_fail (self, "access %u, term %u: expected a stride that is a multiple of %"
                                   G_GINT64_FORMAT ", found %" G_GINT64_FORMAT, access, number, size, term->stride);

  return check_strides (self, access, term->strides, 1);
}

/* Adds the contribution of a term to the address; FALSE where its guard never holds. */
static gboolean
add_term (const GhloKernelTerm *term,
          const Range          *position,
          Range                *address)
{
  gint64 low = 0, high = term->end - 1;

  if (term->node == GHLO_KERNEL_NONE && term->clamps)
    {
      low = CLAMP (position->low, 0, term->end - 1);
      high = CLAMP (position->high, 0, term->end - 1);
    }
  else if (term->node == GHLO_KERNEL_NONE)
    {
      /* Multiples of step: the first one is rounded up, the last one down. */
      low = MAX (position->low, 0) / term->step + (MAX (position->low, 0) % term->step != 0);
      if (position->high < 0 || low > MIN (high, position->high / term->step))
        return FALSE;
      high = MIN (high, position->high / term->step);
    }
  add_part (address, term->stride, low, high);

  return TRUE;
}

/* Sets the reach of the access. */
static gboolean
check_reach (GhloKernelCheck *self,
             guint            number)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  const GhloKernelBuffer *buffer = &self->kernel->buffers[access->buffer];
  Range address = begin_range (access->offset);
  gboolean is_inside = TRUE;

  add_axes (self, &address, access->strides);
  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    {
      const GhloKernelTerm *term = &self->kernel->terms[i];
      Range position = begin_range (term->offset);

      add_axes (self, &position, term->strides);
      if (position.overflows)
        return ghlo_kernel_check_fail (self, "access %u, term %u: its position does not fit 63 bits", number, i);
      is_inside = add_term (term, &position, &address) && is_inside;
    }
  add_part (&address, 1, 0, ghlo_element_info (access->type)->size);
  if (address.overflows)
    return ghlo_kernel_check_fail (self, "access %u: its address does not fit 63 bits", number);
  if (!is_inside)
    return TRUE;
  if (address.low < 0 || address.high > buffer->size)
    return ghlo_kernel_check_fail (self, "access %u: it reaches the bytes [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                                   ") of buffer %u (%s), which has %" G_GINT64_FORMAT, number, address.low,
                                   address.high, access->buffer, buffer->name, buffer->size);
  self->reaches[number] = (GhloKernelReach) { address.low, address.high };

  return TRUE;
}

static gboolean
check_access (GhloKernelCheck *self,
              guint            number)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  gint64 size;

  if (!ghlo_kernel_check_is_type (access->type))
    return ghlo_kernel_check_fail (self, "access %u: nodes cannot have its type %u", number, access->type);
  size = ghlo_element_info (access->type)->size;
  if (access->reserved != 0)
    return ghlo_kernel_check_fail (self, "access %u: expected reserved fields that are 0", number);
  if (access->buffer >= self->kernel->n_buffers)
    return ghlo_kernel_check_fail (self, "access %u: there is no buffer %u", number, access->buffer);
  if (access->offset % size != 0)
    return ghlo_kernel_check_fail (self, "access %u: expected an offset that is a multiple of %" G_GINT64_FORMAT
                                   ", found %" G_GINT64_FORMAT, number, size, access->offset);
  if (!check_strides (self, number, access->strides, size))
    return FALSE;
  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    if (!check_term_fields (self, number, i))
      return FALSE;

  return check_reach (self, number);
}

gboolean
ghlo_kernel_check_accesses (GhloKernelCheck *self)
{
  guint n_terms = 0;

  for (guint i = 0; i < self->kernel->n_accesses; i++)
    {
      const GhloKernelAccess *access = &self->kernel->accesses[i];

      if (access->first_term != n_terms || access->n_terms > self->kernel->n_terms - n_terms)
        return ghlo_kernel_check_fail (self, "access %u: expected terms from %u of %u on, found %u from %u on", i,
                                       n_terms, self->kernel->n_terms, access->n_terms, access->first_term);
      n_terms += access->n_terms;
      self->users[i] = GHLO_KERNEL_NONE;
      if (!check_access (self, i))
        return FALSE;
    }
  if (n_terms != self->kernel->n_terms)
    return ghlo_kernel_check_fail (self, "the terms from %u on belong to no access", n_terms);

  return TRUE;
}

/* Returns the axes with non-zero strides, as bits. */
static guint
axes_of (const gint64 *strides)
{
  guint axes = 0;

  for (guint i = 0; i < GHLO_KERNEL_MAX_AXES; i++)
    if (strides[i] != 0)
      axes |= 1u << i;

  return axes;
}

static gboolean
check_index (GhloKernelCheck *self,
             guint            access,
             guint            node,
             guint            before)
{
  const GhloKernelBlock *block = &self->kernel->blocks[self->block];

  if (node < block->first_node || node >= before)
    return ghlo_kernel_check_fail (self, "access %u: its index is node %u: expected one of [%u, %u)", access,
                                   node, block->first_node, before);
  if (!ghlo_element_type_is_integer (self->kernel->nodes[node].type))
    return ghlo_kernel_check_fail (self, "access %u: its index is node %u, which is of type %s", access, node,
                                   ghlo_element_info (self->kernel->nodes[node].type)->name);
  if (self->users[access] != GHLO_KERNEL_NONE && self->users[access] != self->block)
    return ghlo_kernel_check_fail (self, "access %u: its index is node %u, and it is used in block %u too", access,
                                   node, self->users[access]);
  self->users[access] = self->block;

  return TRUE;
}

gboolean
ghlo_kernel_check_use (GhloKernelCheck *self,
                       guint            number,
                       guint            before)
{
  const GhloKernelAccess *access = &self->kernel->accesses[number];
  guint axes = axes_of (access->strides), scope = ghlo_kernel_check_scope (self);

  for (guint i = access->first_term; i < access->first_term + access->n_terms; i++)
    {
      const GhloKernelTerm *term = &self->kernel->terms[i];

      axes |= axes_of (term->strides);
      if (term->node != GHLO_KERNEL_NONE && !check_index (self, number, term->node, before))
        return FALSE;
    }
  if ((axes & ~scope) != 0)
    return ghlo_kernel_check_fail (self, "access %u: it has strides of axes 0x%02x: expected some of 0x%02x, which are "
                                   "in scope", number, axes, scope);

  return TRUE;
}
