/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plan that lanes.c makes and lanes-run.c runs.
 */

#pragma once

#include "cpu/convolution/convolution-private.h"
#include "cpu/isa/packs.h"
#include "cpu/move/copy.h"

G_BEGIN_DECLS

/* CHUNK: numbers that are summed before they are written. MIN_POSITIONS: positions from which on registers of groups at
 * several positions share a load of weights. */
enum { GHLO_CPU_LANES_CHUNK = 2048, GHLO_CPU_LANES_MIN_POSITIONS = 8 };

/* Approximate nanoseconds to copy or convert a number that is adjacent to the one before. */
#define GHLO_CPU_LANES_ADJACENT_TIME 0.1

/* A dimension of the result's positions, or its images: those are a dimension without windows. */
typedef struct
{
  GhloCpuSpatial window;
  guint          number;      /* of the spatial dimension; another number for images */
  gint64         phases;      /* 1 where lanes are groups */
  gint64         room;        /* positions of the copy, of one phase */
  gint64         stride;      /* numbers of the copy from one to the next */
} GhloCpuLanesDimension;

/* One of the two ways to fill lanes. */
typedef struct
{
  gboolean  by_groups;
  guint     rank;
  gsize     n_taps;           /* and features of a group, in pairs or alone */
  guint     pair_dimension;   /* spatial, or n_spatial for a group's features: where the taps of a pair differ, */
  gint64    pair_step;        /* by so many taps, */
  gint64    pair;             /* and in the copy by so many numbers; 0 where there are no pairs */
  GhloCpuLanesDimension dimensions[GHLO_MAX_RANK];
  guint     outer;            /* a chunk is at one position of this many dimensions */
  gint64    n_phases;
  gint64    row;              /* numbers of a row of groups, or of positions */
  gint64    plane;            /* numbers from one feature of a group to the next */
  gint64    inner;            /* positions, or numbers of the copy, that the inner dimensions span */
  gsize     n_numbers;        /* of the copy */
  gint64    n_outputs;        /* features of the result in a block: those that share loads of the copy; all of a group
                               * where lanes are groups */
  gint64    n_blocks;         /* of so many features */
  gint64    n_joined;         /* blocks that are written together, as their features are adjacent */
  gint64    chunk, n_pieces;  /* of what the inner dimensions span */
  gsize     n_chunks;         /* for each block, or joined blocks */
  double    nanoseconds;
} GhloCpuLanesPlan;

/* The copy of one phase of the input: elements to copy, and offsets of the first one in bytes. */
typedef struct
{
  GhloCpuCopy copy;
  gint64      from, to;
} GhloCpuLanesPhase;

typedef struct
{
  GhloCpuLanesPlan  plan;
  GhloCpuArithmetic arithmetic;
  GhloCpuReader     lhs, rhs;
  GhloCpuPackFunc   pack;                   /* two rows of the input's bytes to pairs; NULL where it has other types */
  GhloCpuWriter     writer;
  gint64            lanes;                  /* of a register */
  gint64            groups, all_groups;     /* of a block, and of all blocks */
  gint64            features;               /* of the result, in a group */
  gsize             n_group_blocks;
  gsize             n_image_blocks;         /* of one image each; 1 where blocks have all images */
  gint64            lhs_group;              /* bytes from one group's input to the next */
  GhloCpuLanesPhase *phases;                /* owned; n_phases of the plan */
  gint64           *offsets;                /* owned; of each of the plan's taps in the copy */
  gsize             n_numbers;              /* of the copy and what registers read behind it */
  gsize             copy_size, raw_size;    /* bytes, aligned; of the copy, and of that before its conversion */
  gsize             weights_size, sums_size;    /* the last for each thread */
  gsize             n_copies;               /* 1, or as many as threads where each has a block */
} GhloCpuLanes;

/* A number of a copy, of weights, or of sums. */
static inline guint8 *
ghlo_cpu_lanes_number (const GhloCpuLanes *self,
                       gpointer            numbers,
                       gint64              i)
{
  return (guint8 *) numbers + i * self->lhs.to_size;
}

/* Chunks of all blocks. */
static inline gsize
ghlo_cpu_lanes_count_chunks (const GhloCpuLanesPlan *plan)
{
  return (gsize) ghlo_ceil_div (plan->n_blocks, plan->n_joined) * plan->n_chunks;
}

void     ghlo_cpu_lanes_free    (gpointer                      data);
/* As in GhloCpuConvolutionAlgorithm. */
gboolean ghlo_cpu_lanes_compute (const GhloCpuConvolution     *self,
                                 const GhloCpuConvolutionRun  *run,
                                 GError                      **error);
gboolean ghlo_cpu_lanes_pack    (const GhloCpuConvolution     *self,
                                 const guint8                 *rhs,
                                 gpointer                      packed,
                                 guint8                       *scratch,
                                 const GhloMonitor            *monitor,
                                 GError                      **error);

G_END_DECLS
