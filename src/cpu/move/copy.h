/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements from one layout into another, converted where the types differ: copies
 * that a plan asks for, the moves of slices, and what libraries that want their
 * operands dense are fed with.
 */

#pragma once

#include "base/monitor.h"
#include "base/sizes.h"
#include "cpu/gemm/convert-row.h"

G_BEGIN_DECLS

typedef struct _GhloCpuCopy GhloCpuCopy;

/* A block of rows of the last two dimensions. */
typedef void (*GhloCpuBlockFunc) (const GhloCpuCopy *self,
                                  const guint8      *from,
                                  guint8            *to,
                                  gsize              rows,
                                  gsize              columns);

/* Dimensions are merged, and ordered by the destination but for the one before the
 * last, which is the source's innermost where that is another. What is adjacent in
 * both tensors, and of one type, is one unit. */
struct _GhloCpuCopy
{
  guint             rank;                       /* 2 or more */
  gint64            sizes[GHLO_MAX_RANK];
  gint64            from[GHLO_MAX_RANK];        /* strides in bytes */
  gint64            to[GHLO_MAX_RANK];          /* all but the one before the last are positive */
  gint64            from_at, to_at;             /* bytes from index 0 in every dimension to the walk's first element */
  gsize             from_unit, to_unit;         /* bytes; equal where nothing is converted */
  gint64            steps[GHLO_MAX_RANK];       /* of the walk: of the last two dimensions a block's size */
  gsize             chunk;                      /* a unit larger than this is cut; its block is one unit then */
  gsize             n_parts;                    /* blocks, or chunks of units */
  double            nanoseconds;                /* all of it on one thread, about */
  gboolean          streams;                    /* may write past the caches */
  GhloCpuBlockFunc  block;
  GhloCpuPlaneFunc  plane;                      /* of units that registers hold; nullable */
  GhloCpuReader     reader;                     /* to f32, where types differ */
  GhloCpuWriter     writer;                     /* from f32, where types differ */
};

/* FALSE unless the types are the same, or one of them is f32 and the other a float
 * that is no wider. Strides in bytes; the destination's elements do not overlap. */
gboolean ghlo_cpu_copy_init  (GhloCpuCopy       *self,
                              guint              rank,
                              const gint64      *sizes,
                              GhloElementType    from_type,
                              const gint64      *from,
                              GhloElementType    to_type,
                              const gint64      *to);
/* FALSE when cancelled. */
gboolean ghlo_cpu_copy_run   (const GhloCpuCopy *self,
                              const guint8      *from,
                              guint8            *to,
                              const GhloMonitor *monitor);
/* Some of n_parts, on the caller's thread. */
void     ghlo_cpu_copy_parts (const GhloCpuCopy *self,
                              const guint8      *from,
                              guint8            *to,
                              gsize              begin,
                              gsize              end);
/* Bytes that a part writes, about; 1 or more. */
gsize    ghlo_cpu_copy_part  (const GhloCpuCopy *self);

/* How each block is copied: the last thing that ghlo_cpu_copy_init() chooses. */
void     ghlo_cpu_copy_choose_block (GhloCpuCopy *self);

G_END_DECLS
