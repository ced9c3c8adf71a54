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

enum { GHLO_CPU_COPY_MAX_ROWS = 512, GHLO_CPU_COPY_MAX_COLUMNS = 128 };

/* Bytes from the first row or column of a block to each of them. */
typedef struct
{
  gint64 rows[GHLO_CPU_COPY_MAX_ROWS];         /* in the destination; they are adjacent in the source */
  gint64 columns[GHLO_CPU_COPY_MAX_COLUMNS];   /* in the source; they are adjacent in the destination */
} GhloCpuCopyTables;

/* Copies @rows × @columns places in the slowest dimensions of both. @tables is NULL unless there are more. */
typedef void (*GhloCpuBlockFunc) (const GhloCpuCopy       *self,
                                  const GhloCpuCopyTables *tables,
                                  const guint8            *from,
                                  guint8                  *to,
                                  gsize                    rows,
                                  gsize                    columns);

/* Dimensions are merged, and sorted by the strides of the destination; but the last ones are those of a block: columns,
 * and before them rows, which are the innermost dimensions of the source, where these are others. Elements of the same
 * type that are adjacent in both tensors form one unit. */
struct _GhloCpuCopy
{
  guint            rank;                        /* 2 or more */
  gint64           sizes[GHLO_MAX_RANK];
  gint64           from[GHLO_MAX_RANK];         /* strides in bytes */
  gint64           to[GHLO_MAX_RANK];           /* strides in bytes, positive except for the last but one */
  gint64           from_at, to_at;              /* offsets of the walk's first element from index 0 everywhere */
  gsize            from_unit, to_unit;          /* bytes of a unit; equal where nothing is converted */
  guint            n_rows, n_columns;           /* dimensions that are rows or columns of a block: 1, or more where they
                                                 * are short */
  gboolean         has_tables;                  /* there are more than one of either */
  gboolean         shuffles;                    /* in registers: @cut of the columns' slowest dimension */
  gint64           cut;
  GhloCpuShuffle   shuffle;
  gint64           steps[GHLO_MAX_RANK];        /* of the walk: block sizes in dimensions of rows and columns, else 1 */
  gsize            chunk;                       /* bytes; larger units are cut, and each one is then a block */
  gsize            n_parts;                     /* number of blocks, or of chunks of units */
  double           nanoseconds;                 /* approximate, for all parts on one thread */
  gboolean         streams;                     /* may use non-temporal stores */
  GhloCpuBlockFunc block;
  GhloCpuPlaneFunc plane;                       /* for units that registers hold; nullable */
  GhloCpuTableFunc table;                       /* the same for tables */
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
/* Copies @n units of @size bytes each: unit i from @offsets[i] bytes, or i times @from_stride where that is NULL. */
void     ghlo_cpu_copy_units (const guint8      *from,
                              const gint64      *offsets,
                              gint64             from_stride,
                              guint8            *to,
                              gint64             to_stride,
                              gsize              n,
                              gsize              size);
/* Approximate bytes that a part writes; at least 1. */
gsize    ghlo_cpu_copy_part  (const GhloCpuCopy *self);

/* Steps of ghlo_cpu_copy_init(): chooses what rows and columns are, and returns whether rows are the innermost
 * dimension of the source; cuts blocks of more than two dimensions; and chooses how each block is copied. */
gboolean ghlo_cpu_copy_find_groups (GhloCpuCopy *self,
                                    gboolean     is_raw);
void     ghlo_cpu_copy_cut_groups  (GhloCpuCopy *self);
void     ghlo_cpu_copy_choose_block (GhloCpuCopy *self);
void     ghlo_cpu_copy_fill_tables  (const GhloCpuCopy *self,
                                     GhloCpuCopyTables *tables);

/* The units of a group of dimensions, [@first, @end), for one in its slowest dimension, which is @first. */
static inline gint64
ghlo_cpu_copy_inner (const GhloCpuCopy *self,
                     guint              first,
                     guint              end)
{
  gint64 n = 1;

  for (guint i = first + 1; i < end; i++)
    n *= self->sizes[i];

  return n;
}

G_END_DECLS
