/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The offsets that index vectors stand for; shared by gather and scatter. Both visit positions. Each position has an
 * index vector and a window: a box of the indexed tensor, and a box of the same size of the other tensor, which is
 * the result of gather or the updates of scatter.
 */

#pragma once

#include "base/sizes.h"
#include "base/view.h"
#include "cpu/gemm/convert-row.h"
#include "ir/module.h"

G_BEGIN_DECLS

/* Positions whose offsets are read at a time. */
enum { GHLO_CPU_INDEXER_BLOCK = 256 };

/* One dimension of a window; strides are in bytes. */
typedef struct
{
  guint    dimension;   /* in the indexed tensor */
  gint64   size;
  gint64   indexed;     /* stride in the indexed tensor */
  gint64   other;       /* stride in the other tensor */
  gboolean mapped;      /* its start is given by an index; else it is 0 */
} GhloCpuWindow;

typedef struct
{
  GhloCpuReader reader;                        /* converts indices to 64 bits */
  gboolean      clamps;                        /* starts are clamped so that windows fit */

  /* Dimensions of the positions, merged where a single stride is enough. */
  gsize  n_positions;
  guint  rank;
  gint64 sizes[GHLO_MAX_RANK];
  gint64 index[GHLO_MAX_RANK];                 /* strides of the indices */
  gint64 direct[GHLO_MAX_RANK];                /* strides of the indexed tensor, in its batch dimensions */
  gint64 other[GHLO_MAX_RANK];                 /* strides of the other tensor */
  gsize  n_batches;                            /* the positions form that many equal runs, which share no element */

  /* The parts of an index vector. */
  guint         n_map;
  gint64        part_stride;
  gint64        map[GHLO_MAX_RANK];            /* dimension of the indexed tensor for each part */
  gint64        strides[GHLO_MAX_RANK];
  gint64        limits[GHLO_MAX_RANK];         /* the greatest start for which the window is in bounds */

  /* Dimensions of the window, in the order of the other tensor. */
  guint         n_window;
  guint         n_leading;                     /* number of those before all dimensions of positions */
  gboolean      is_mixed;                      /* some are between dimensions of positions */
  GhloCpuWindow window[GHLO_MAX_RANK];
} GhloCpuIndexer;

/* Names of the attribute's fields. */
typedef struct
{
  const char *window, *dropped, *map, *batching, *index_batching;
} GhloCpuIndexerFields;

/* FALSE where the numbers do not fit the shapes, or a window does not fit into the tensor. */
gboolean ghlo_cpu_indexer_init  (GhloCpuIndexer             *self,
                                 const GhloIrAttr           *numbers,
                                 const GhloCpuIndexerFields *fields,
                                 const GhloView             *indexed,
                                 const GhloView             *indices,
                                 const GhloView             *other,
                                 gboolean                    clamps);
/* Computes the byte offsets of the windows of @n positions from @first on, at most GHLO_CPU_INDEXER_BLOCK: @offsets
 * in the indexed tensor, or GHLO_CPU_OUT_OF_BOUNDS (isa/routines.h) where the window is not in bounds, and @others in
 * the other tensor, unless it is NULL. */
void     ghlo_cpu_indexer_read  (const GhloCpuIndexer *self,
                                 const guint8         *indices,
                                 gsize                 first,
                                 gsize                 n,
                                 gint64               *offsets,
                                 gint64               *others);
/* Computes the start of one position's window for each part of its index vector, in bounds or not, and the byte
 * offsets of its batch in the indexed tensor and of its window in the other tensor. */
void     ghlo_cpu_indexer_start (const GhloCpuIndexer *self,
                                 const guint8         *indices,
                                 gsize                 position,
                                 gint64               *starts,
                                 gint64               *direct,
                                 gint64               *other);

G_END_DECLS
