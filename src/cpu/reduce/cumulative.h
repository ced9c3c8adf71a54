/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the rows of a cumulative reduction are scanned. Everything is a scan of columns side by side, whose order is that
 * of the elements. Adjacent columns are scanned where they are; others, and elements that are converted to numbers, are
 * gathered as the lanes of a tile. Where an operation is exact, or a row is so long that its order is free, a row is
 * cut into segments, which are lanes too: their totals come first, and then the results.
 */

#pragma once

#include "base/monitor.h"
#include "base/view.h"
#include "cpu/gemm/convert-row.h"
#include "cpu/isa/elementwise.h"
#include "kernel/scalar.h"

G_BEGIN_DECLS

/* The least segments of a block; elements of a row for one thread; the most lanes of a tile. */
enum { GHLO_CPU_CUMULATIVE_SEGMENTS = 8, GHLO_CPU_CUMULATIVE_CHUNK = 1 << 16, GHLO_CPU_CUMULATIVE_MAX_LANES = 256 };

/* A number of any type. */
typedef union
{
  float   f32;
  double  f64;
  guint64 u64;
} GhloCpuCumulativeNumber;

/* The reduction of a row so far: of the chunks before the current one, and of the current chunk. */
typedef struct
{
  GhloCpuCumulativeNumber before, inside;
} GhloCpuCumulativeCarry;

typedef struct
{
  GhloCpuScanFunc           scan, scan_numbers;     /* of elements, unless they are converted first, and of numbers */
  GhloCpuReader             reader;                 /* for the initial value and what is converted, if any */
  GhloCpuWriter             writer;
  gboolean                  converts;
  gsize                     size, number_size;      /* bytes; elements are the parts of complex ones */
  GhloCpuCumulativeNumber   identity;               /* changes nothing that it is combined with */
  GhloCombiner              combiner;
  gboolean                  is_exact;
  gboolean                  backward;
  gboolean                  rounds;                 /* each step is rounded to the element type, which is narrower */
  gboolean                  restarts;               /* each result is reduced anew, starting with its own element */
  gboolean                  is_ordered;             /* elements are combined from the first to the last */
  gboolean                  is_complex;             /* the parts are an extra last dimension of the walk */
  guint                     dimension;
  gsize                     n;                      /* elements of a row */
  gsize                     n_chunks;               /* of a row */
  gsize                     block;                  /* elements of a row that are cut into segments at a time */
  double                    nanoseconds;
} GhloCpuCumulative;

/* The rows as they are walked: all dimensions but the reduced one, merged where their strides allow it. The last one is
 * that along which lanes are gathered. */
typedef struct
{
  const GhloCpuCumulative  *cumulative;
  guint                     rank;
  gint64                    dimensions[GHLO_MAX_RANK + 1];
  gint64                    from_strides[GHLO_MAX_RANK + 1], to_strides[GHLO_MAX_RANK + 1];
  gint64                    from_stride, to_stride;  /* along a row */
  const guint8             *from;
  guint8                   *to;
  gsize                     unit;                   /* bytes of adjacent elements that are moved as one */
  gsize                     n_rows;                 /* in units */
  gsize                     n_lanes;                /* rows for a task, in units */
  gboolean                  is_direct, is_cut;      /* columns are scanned where they are; rows are cut */
  GhloCpuCumulativeNumber   start;
  GhloCpuCumulativeCarry   *carries;                /* one for each chunk of a row */
  gsize                     row;                    /* the row whose chunks threads share */
  const GhloMonitor        *monitor;
  gint                      stopped;                /* atomic */
} GhloCpuCumulativeRun;

/* Chooses how many elements of a row are cut into segments at a time. */
void  ghlo_cpu_cumulative_choose_block   (GhloCpuCumulative          *self);
/* How many segments @n elements have: where the order does not count, as many as hide the time of an operation. */
gsize ghlo_cpu_cumulative_count_segments (const GhloCpuCumulative    *self,
                                          gsize                       n);
/* Rounds up to lanes whose numbers fill whole registers. */
gsize ghlo_cpu_cumulative_pad_lanes      (const GhloCpuCumulative    *self,
                                          gsize                       lanes);
/* How many lanes a tile of @rows rows holds, at least one register. */
gsize ghlo_cpu_cumulative_tile_lanes     (const GhloCpuCumulative    *self,
                                          gsize                       rows);
/* Reduces @n rows, in units, from @first on. */
void  ghlo_cpu_cumulative_run_rows       (GhloCpuCumulativeRun       *self,
                                          gsize                       first,
                                          gsize                       n);
/* Reduces the elements [begin, end) of cut rows, which lie in one chunk. Without @stores only their totals are
 * computed. There is a carry for each row. */
void  ghlo_cpu_cumulative_run_chunk      (const GhloCpuCumulativeRun *self,
                                          gsize                       first,
                                          gsize                       n_rows,
                                          gsize                       begin,
                                          gsize                       end,
                                          gboolean                    stores,
                                          GhloCpuCumulativeCarry     *carries);
void  ghlo_cpu_cumulative_begin_carry    (const GhloCpuCumulativeRun *self,
                                          GhloCpuCumulativeCarry     *carry);
/* Merges what is inside of a chunk into what is before the next one. */
void  ghlo_cpu_cumulative_end_chunk      (const GhloCpuCumulativeRun *self,
                                          GhloCpuCumulativeCarry     *carry);

G_END_DECLS
