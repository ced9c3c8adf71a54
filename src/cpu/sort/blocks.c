/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks of rows.
 */

#include "cpu/sort/blocks.h"

#include "base/sizes.h"
#include "cpu/isa/routines.h"

#include <string.h>

/* Whether dimensions @outer and @inner are one of evenly spaced places in all views. */
static gboolean
are_even (const GhloView *const *views,
          guint                  n_views,
          guint                  outer,
          guint                  inner)
{
  gboolean even = TRUE;

  for (guint i = 0; i < n_views; i++)
    even &= views[i]->strides[outer] == views[i]->strides[inner] * views[i]->dimensions[inner];

  return even;
}

gboolean
ghlo_cpu_sort_blocks_init (GhloCpuSortBlocks     *self,
                           guint                  dimension,
                           const GhloView *const *views,
                           guint                  n_views)
{
  const GhloView *view = views[0];

  self->dimension = dimension;
  self->n_others = 0;
  for (guint i = 0; i < view->rank; i++)
    {
      gsize size = (gsize) view->dimensions[i];

      if (i == dimension || size == 1)
        continue;
      if (self->n_others > 0 && are_even (views, n_views, self->others[self->n_others - 1].dimension, i))
        {
          if (!ghlo_size_mul (&size, size, self->others[--self->n_others].size))
            return FALSE;
        }
      self->others[self->n_others].dimension = i;
      self->others[self->n_others++].size = size;
    }
  self->n_lanes = self->n_others > 0 ? self->others[self->n_others - 1].size : 1;
  self->n_groups = self->n_others > 1 ? self->others[self->n_others - 2].size : 1;

  return ghlo_cpu_sort_blocks_divide (self, 1);
}

gboolean
ghlo_cpu_sort_blocks_divide (GhloCpuSortBlocks *self,
                             gsize              most)
{
  self->lanes = CLAMP (most, 1, MAX (self->n_lanes, 1));
  self->groups = CLAMP (most / MAX (self->n_lanes, 1), 1, MAX (self->n_groups, 1));
  if (!ghlo_size_mul (&self->blocks_each, ghlo_size_ceil_div (self->n_lanes, self->lanes),
                      ghlo_size_ceil_div (self->n_groups, self->groups)))
    return FALSE;
  self->n_blocks = self->blocks_each;
  for (guint i = 0; i + 2 < self->n_others; i++)
    if (!ghlo_size_mul (&self->n_blocks, self->n_blocks, self->others[i].size))
      return FALSE;

  return TRUE;
}

gsize
ghlo_cpu_sort_blocks_most (const GhloCpuSortBlocks *self)
{
  return self->lanes * self->groups;
}

/* The first lane and group of a block. */
static void
find_first (const GhloCpuSortBlocks *self,
            gsize                    block,
            gsize                   *lane,
            gsize                   *group)
{
  gsize place = block % self->blocks_each, blocks = ghlo_size_ceil_div (self->n_lanes, self->lanes);

  *lane = place % blocks * self->lanes;
  *group = place / blocks * self->groups;
}

gsize
ghlo_cpu_sort_blocks_length (const GhloCpuSortBlocks *self,
                             gsize                    block)
{
  gsize lane, group;

  find_first (self, block, &lane, &group);

  return MIN (self->n_lanes - lane, self->lanes) * MIN (self->n_groups - group, self->groups);
}

GhloCpuSortRows
ghlo_cpu_sort_blocks_find (const GhloCpuSortBlocks *self,
                           const GhloView          *view,
                           gsize                    block)
{
  GhloCpuSortRows rows = {
    .data = view->data, .element = view->strides[self->dimension], .n_lanes = self->lanes,
    .size = ghlo_element_info (view->element_type)->size,
  };
  gsize rest = block / self->blocks_each, lane, group;

  if (self->n_others > 0)
    rows.row = view->strides[self->others[self->n_others - 1].dimension];
  if (self->n_others > 1)
    rows.group = view->strides[self->others[self->n_others - 2].dimension];
  find_first (self, block, &lane, &group);
  rows.data += (gint64) lane * rows.row + (gint64) group * rows.group;
  for (guint i = self->n_others; i > 2; i--)
    {
      rows.data += (gint64) (rest % self->others[i - 3].size) * view->strides[self->others[i - 3].dimension];
      rest /= self->others[i - 3].size;
    }

  return rows;
}

/* Copies rows of bytes whose places are evenly spaced. */
static void
copy_bytes (const guint8 *from,
            gint64        from_row,
            guint8       *to,
            gint64        to_row,
            gsize         n_rows,
            gsize         bytes)
{
  guint unit = (guint) __builtin_ctzl (bytes | 16);

  if (bytes > 256)
    for (gsize i = 0; i < n_rows; i++)
      memcpy (to + (gint64) i * to_row, from + (gint64) i * from_row, bytes);
  else
    ghlo_cpu_routines ()->move[unit] (from, from_row, (gint64) 1 << unit, to, to_row, (gint64) 1 << unit, n_rows,
                                      bytes >> unit);
}

/* Copies rows of one group. */
static void
copy_group (const GhloCpuSortRows *from,
            const GhloCpuSortRows *to,
            gsize                  n_rows,
            gsize                  n)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  gint64 size = from->size;
  guint unit = g_bit_storage (from->size) - 1;

  if (from->row == size && to->row == size)
    copy_bytes (from->data, from->element, to->data, to->element, n, n_rows * from->size);
  else if (from->element == size && to->element == size)
    copy_bytes (from->data, from->row, to->data, to->row, n_rows, n * from->size);
  else if (from->row == size && to->element == size)
    routines->transpose[unit] (from->data, size, from->element, to->data, to->row, size, n_rows, n);
  else if (from->element == size && to->row == size)
    routines->transpose[unit] (from->data, size, from->row, to->data, to->element, size, n, n_rows);
  else
    routines->move[unit] (from->data, from->row, from->element, to->data, to->row, to->element, n_rows, n);
}

guint8 *
ghlo_cpu_sort_rows_find (const GhloCpuSortRows *self,
                         gsize                  row)
{
  return self->data + (gint64) (row / self->n_lanes) * self->group + (gint64) (row % self->n_lanes) * self->row;
}

void
ghlo_cpu_sort_rows_copy (const GhloCpuSortRows *from,
                         const GhloCpuSortRows *to,
                         gsize                  n_rows,
                         gsize                  n)
{
  GhloCpuSortRows source = *from, target = *to;
  gsize step = MIN (from->n_lanes, to->n_lanes);

  for (gsize row = 0; row < n_rows; row += step)
    {
      source.data = ghlo_cpu_sort_rows_find (from, row);
      target.data = ghlo_cpu_sort_rows_find (to, row);
      copy_group (&source, &target, MIN (step, n_rows - row), n);
    }
}
