/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where index vectors point: what gather and scatter share. Both go through positions,
 * each with an index vector, and through a window at each: a box of the tensor that is
 * indexed, and as large a box of the other tensor, gather's result or scatter's updates.
 */

#pragma once

#include "base/sizes.h"
#include "base/view.h"
#include "cpu/gemm/convert-row.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* Positions whose places are read at a time. */
enum { GHLO_CPU_INDEXER_BLOCK = 256 };

/* One dimension of a window; strides in bytes. */
typedef struct
{
  guint  dimension;     /* of the indexed tensor */
  gint64 size;
  gint64 indexed;       /* stride */
  gint64 other;         /* stride */
  gboolean mapped;      /* an index says where it starts; else at 0 */
} GhloCpuWindow;

typedef struct
{
  GhloCpuReader reader;                        /* indices to 64 bits */
  gboolean      clamps;                        /* starts are moved so that windows fit */

  /* Positions, merged where one stride does for two dimensions. */
  gsize         n_positions;
  guint         rank;
  gint64        sizes[GHLO_MAX_RANK];
  gint64        index[GHLO_MAX_RANK];          /* strides of the indices … */
  gint64        direct[GHLO_MAX_RANK];         /* … of the indexed tensor, where they are its batches … */
  gint64        other[GHLO_MAX_RANK];          /* … and of the other tensor */
  gsize         n_batches;                     /* positions come in so many runs that share no element */

  /* Parts of index vectors. */
  guint         n_map;
  gint64        part_stride;
  gint64        map[GHLO_MAX_RANK];            /* dimension of the indexed tensor */
  gint64        strides[GHLO_MAX_RANK];
  gint64        limits[GHLO_MAX_RANK];         /* the greatest start of a window that fits */

  /* In the order of the other tensor. */
  guint         n_window;
  guint         n_leading;                     /* of them before all positions */
  gboolean      is_mixed;                      /* others of them lie between positions */
  GhloCpuWindow window[GHLO_MAX_RANK];
} GhloCpuIndexer;

/* The names of an attribute's fields. */
typedef struct
{
  const char *window, *dropped, *map, *batching, *index_batching;
} GhloCpuIndexerFields;

/* FALSE when the numbers do not fit the shapes, or a window does not fit the tensor. */
gboolean ghlo_cpu_indexer_init  (GhloCpuIndexer             *self,
                                 const GhloIrAttr           *numbers,
                                 const GhloCpuIndexerFields *fields,
                                 const GhloView             *indexed,
                                 const GhloView             *indices,
                                 const GhloView             *other,
                                 gboolean                    clamps);
/* Bytes from the first elements to those of the windows of @n positions, at most
 * GHLO_CPU_INDEXER_BLOCK, from @first on; GHLO_CPU_OUT_OF_BOUNDS (kernels.h) where a window is not
 * inside of the tensor. */
void     ghlo_cpu_indexer_read  (const GhloCpuIndexer *self,
                                 const guint8         *indices,
                                 gsize                 first,
                                 gsize                 n,
                                 gint64               *offsets,
                                 gint64               *others);
/* Where the window of one position starts, by part of the vector, in bounds or not; and
 * bytes to its batch and to the other tensor's window. */
void     ghlo_cpu_indexer_start (const GhloCpuIndexer *self,
                                 const guint8         *indices,
                                 gsize                 position,
                                 gint64               *starts,
                                 gint64               *direct,
                                 gint64               *other);

G_END_DECLS
