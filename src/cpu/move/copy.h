/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of elements from one layout into another, converted where the types differ:
 * copies that a plan asks for, moves of slices, and dense operands for libraries that need
 * them.
 */

#pragma once

#include "base/monitor.h"
#include "base/sizes.h"
#include "cpu/gemm/convert-row.h"

G_BEGIN_DECLS

typedef struct _GhloCpuCopy GhloCpuCopy;

/* Copies a block of the last two dimensions. */
typedef void (*GhloCpuBlockFunc) (const GhloCpuCopy *self,
                                  const guint8      *from,
                                  guint8            *to,
                                  gsize              rows,
                                  gsize              columns);

/* Dimensions are merged and ordered by the destination's strides, except that the one before
 * the last is the source's innermost where that is another. Elements of one type that are
 * adjacent in both tensors are one unit. */
struct _GhloCpuCopy
{
  guint            rank;                        /* 2 or more */
  gint64           sizes[GHLO_MAX_RANK];
  gint64           from[GHLO_MAX_RANK];         /* strides in bytes */
  gint64           to[GHLO_MAX_RANK];           /* strides, positive but for the one before the last */
  gint64           from_at, to_at;              /* bytes from index 0 in every dimension to the walk's first element */
  gsize            from_unit, to_unit;          /* bytes; equal where nothing is converted */
  gint64           steps[GHLO_MAX_RANK];        /* of the walk: a block's size in the last two dimensions, else 1 */
  gsize            chunk;                       /* bytes; larger units are cut, and each is a block then */
  gsize            n_parts;                     /* blocks, or chunks of units */
  double           nanoseconds;                 /* approximate, for all parts on one thread */
  gboolean         streams;                     /* may write past the caches */
  GhloCpuBlockFunc block;
  GhloCpuPlaneFunc plane;                       /* of units that registers hold; nullable */
  GhloCpuReader    reader;                      /* to f32, where types differ */
  GhloCpuWriter    writer;                      /* from f32, where types differ */
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
/* Copies parts [begin, end) of n_parts on the caller's thread. */
void     ghlo_cpu_copy_parts (const GhloCpuCopy *self,
                              const guint8      *from,
                              guint8            *to,
                              gsize              begin,
                              gsize              end);
/* Approximate bytes that a part writes; at least 1. */
gsize    ghlo_cpu_copy_part  (const GhloCpuCopy *self);

/* Chooses how each block is copied; the last step of ghlo_cpu_copy_init(). */
void     ghlo_cpu_copy_choose_block (GhloCpuCopy *self);

G_END_DECLS
