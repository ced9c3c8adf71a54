/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks of rows: elements along one dimension of an operand and its results, at some of the places of their other
 * dimensions.
 */

#pragma once

#include "base/sizes.h"
#include "base/view.h"

G_BEGIN_DECLS

/* Rows of one view. Element e of row r is r / n_lanes * group + r % n_lanes * row + e * element bytes behind @data. */
typedef struct
{
  guint8 *data;
  gint64  row, element;
  guint   size;               /* bytes of an element */
  gsize   n_lanes;            /* rows of a group; at least as many as there are rows if there is one group */
  gint64  group;
} GhloCpuSortRows;

typedef struct
{
  guint dimension;            /* along which rows are */
  guint n_others;             /* other dimensions; those that are evenly spaced in all views are merged */
  struct
  {
    guint dimension;          /* the innermost of the merged ones */
    gsize size;
  } others[GHLO_MAX_RANK];
  gsize n_lanes, n_groups;    /* the sizes of the last one, and of the one before it */
  gsize lanes, groups;        /* how much of both a block covers; all lanes if several groups */
  gsize blocks_each;          /* blocks that cover all lanes and groups */
  gsize n_blocks;
} GhloCpuSortBlocks;

/* Finds the rows of @views, which have the same sizes but for @dimension. FALSE where there are too many. */
gboolean        ghlo_cpu_sort_blocks_init   (GhloCpuSortBlocks       *self,
                                             guint                    dimension,
                                             const GhloView *const   *views,
                                             guint                    n_views);
/* Chooses blocks of at most @most rows. FALSE where there are too many. */
gboolean        ghlo_cpu_sort_blocks_divide (GhloCpuSortBlocks       *self,
                                             gsize                    most);
/* The most rows of a block. */
gsize           ghlo_cpu_sort_blocks_most   (const GhloCpuSortBlocks *self);
/* How many rows block @block has. */
gsize           ghlo_cpu_sort_blocks_length (const GhloCpuSortBlocks *self,
                                             gsize                    block);
GhloCpuSortRows ghlo_cpu_sort_blocks_find   (const GhloCpuSortBlocks *self,
                                             const GhloView          *view,
                                             gsize                    block);

/* The address of a row. */
guint8         *ghlo_cpu_sort_rows_find     (const GhloCpuSortRows   *self,
                                             gsize                    row);
/* Copies the first @n elements of @n_rows rows. Groups are as long as those of the other, or there is one. */
void            ghlo_cpu_sort_rows_copy     (const GhloCpuSortRows   *from,
                                             const GhloCpuSortRows   *to,
                                             gsize                    n_rows,
                                             gsize                    n);

G_END_DECLS
