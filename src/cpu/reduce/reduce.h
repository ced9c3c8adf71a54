/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reduce of one operand by one known operation, as it is prepared. Either every result is
 * a fold of lines of the operand (rows), or lines of the operand are combined element by
 * element into lines of results (columns). Where that leaves too few parts for the
 * threads, or sums would grow too long, the reduced elements are done in blocks, which are
 * combined at the end. All of this depends on shapes and strides alone, so that the order
 * of a sum does too. Short sums of f16 and bf16, and their products, are made in the order of the
 * dimensions instead, and rounded to the element's type at each step.
 */

#pragma once

#include "base/monitor.h"
#include "base/view.h"
#include "cpu/gemm/axis.h"
#include "cpu/elementwise/compute-type.h"

G_BEGIN_DECLS

enum
{
  GHLO_CPU_REDUCE_LINE = 16384,    /* the most results that lines are combined into at once */
  GHLO_CPU_REDUCE_STEPS = 512,     /* the most additions of floats one after the other */
};

typedef struct
{
  const GhloCpuComputeType *form;
  GhloCombiner              combiner;
  GhloCpuReduceFunc         fold_line;
  GhloCpuElementwiseFunc    combine;
  guint8                    identity[8];  /* a number that changes none */
  guint                     size;     /* of an element */
  guint                     number_size;
  gint64                    first;    /* bytes from the operand's data to where both axes begin */
  GhloCpuAxis               kept, reduced;
  gboolean                  rounds;   /* by columns, numbers being rounded to elements after each step */
  gboolean                  by_columns;
  gboolean                  is_direct;  /* results are computed in their own place */
  gint64                    n_blocks;
  double                    nanoseconds;
} GhloCpuReduce;

/* FALSE when cancelled. @scratch has room for a number for each result and block, unless
 * results are computed in their own place. */
gboolean ghlo_cpu_reduce_run (const GhloCpuReduce *self,
                              const guint8        *operand,
                              const guint8        *start,
                              guint8              *result,
                              gpointer             scratch,
                              const GhloMonitor   *monitor);

G_END_DECLS
