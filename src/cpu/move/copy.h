/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of elements from one layout to another, converted where the types differ: copies that a plan asks for, moves
 * of slices, and dense operands for libraries that need them.
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

/* Dimensions are merged, and sorted by the strides of the destination; but the last dimension but one is the
 * innermost dimension of the source, where that is another one. Elements of the same type that are adjacent in both
 * tensors form one unit. */
struct _GhloCpuCopy
{
  guint            rank;                        /* 2 or more */
  gint64           sizes[GHLO_MAX_RANK];
  gint64           from[GHLO_MAX_RANK];         /* strides in bytes */
  gint64           to[GHLO_MAX_RANK];           /* strides in bytes, positive except for the last but one */
  gint64           from_at, to_at;              /* offsets of the walk's first element from index 0 everywhere */
  gsize            from_unit, to_unit;          /* bytes of a unit; equal where nothing is converted */
  gint64           steps[GHLO_MAX_RANK];        /* of the walk: block sizes in the last two dimensions, else 1 */
  gsize            chunk;                       /* bytes; larger units are cut, and each one is then a block */
  gsize            n_parts;                     /* number of blocks, or of chunks of units */
  double           nanoseconds;                 /* approximate, for all parts on one thread */
  gboolean         streams;                     /* may use non-temporal stores */
  GhloCpuBlockFunc block;
  GhloCpuPlaneFunc plane;                       /* for units that registers hold; nullable */
  GhloCpuReader    reader;                      /* to f32, where types differ */
  GhloCpuWriter    writer;                      /* from f32, where types differ */
};

/* FALSE unless the types are the same, or one of them is f32 and the other a float that is no wider. Strides are in
 * bytes. The elements of the destination must not overlap. */
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
/* Copies parts [@begin, @end) of n_parts on the calling thread. */
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
