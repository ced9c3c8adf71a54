/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reduce with one operand and a known combiner. Either each result reduces rows of the operand ("by rows"), or rows
 * of the operand are combined element by element into rows of results ("by columns"). Where that leaves too few parts
 * for the threads, or sums would have too many terms, the reduced elements are cut into blocks whose results are
 * combined at the end. All of this, and so the order of each sum, depends on shapes and strides only. Short sums
 * and products of f16 and bf16 are instead computed in the order of the dimensions and rounded to the element's type
 * after each step.
 */

#pragma once

#include "base/monitor.h"
#include "base/view.h"
#include "cpu/gemm/axis.h"
#include "cpu/elementwise/compute-type.h"

G_BEGIN_DECLS

enum
{
  GHLO_CPU_REDUCE_ROW = 16384,     /* most results that rows are combined into at once */
  GHLO_CPU_REDUCE_STEPS = 512,     /* most float additions into one sum */
};

typedef struct
{
  const GhloCpuComputeType *compute;
  GhloCombiner              combiner;
  GhloCpuReduceFunc         reduce;       /* reduces adjacent numbers to one */
  GhloCpuElementwiseFunc    combine;
  GhloCpuScanFunc           scan;           /* combines rows of adjacent elements, */
  gboolean                  scan_converts;  /* or of numbers; */
  gboolean                  scans;          /* FALSE: it is the slower loop, since each step takes several operations */
  guint8                    identity[8];  /* the neutral number of the combiner */
  guint                     size;     /* bytes of an element */
  guint                     number_size;
  gint64                    first;    /* offset in bytes of the first element of both axes in the operand */
  GhloCpuAxis               kept, reduced;
  gboolean                  rounds;   /* by columns, with numbers rounded to elements after each step */
  gboolean                  by_columns;
  gboolean                  is_direct;  /* results are computed in the result's memory */
  gint64                    n_blocks;
  double                    nanoseconds;
} GhloCpuReduce;

/* FALSE when cancelled. @scratch has room for one number for each result of each block; it is not used if
 * is_direct. */
gboolean ghlo_cpu_reduce_run (const GhloCpuReduce *self,
                              const guint8        *operand,
                              const guint8        *start,
                              guint8              *result,
                              gpointer             scratch,
                              const GhloMonitor   *monitor);

G_END_DECLS
