/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An elementwise loop (kernels-elementwise.h) over whole tensors: operands of any
 * strides, a dense result. Dimensions are merged as far as all operands allow it; what
 * the loop cannot take as it lies in memory goes through small buffers on the stack,
 * that stay in the first-level cache: numbers that are repeated, apart from each other,
 * or of another type than the loop computes in.
 */

#pragma once

#include "base/monitor.h"
#include "base/sizes.h"
#include "base/view.h"
#include "cpu/isa/elementwise.h"
#include "cpu/isa/routines.h"

G_BEGIN_DECLS

enum { GHLO_CPU_MAX_SOURCES = 3 };

typedef enum
{
  GHLO_CPU_SOURCE_LINEAR,   /* element by element as the result */
  GHLO_CPU_SOURCE_SINGLE,   /* one element for all */
  GHLO_CPU_SOURCE_LINES,    /* by strides */
} GhloCpuSourceKind;

typedef struct
{
  GhloCpuSourceKind   kind;
  guint               size;                     /* of an element in memory */
  guint               to_size;                  /* of a number of the loop's */
  GhloCpuConvertFunc  read;                     /* nullable */
  gint64              offset;                   /* of the first element in the operand, in bytes */
  gint64              strides[GHLO_MAX_RANK];   /* of merged dimensions, in bytes */
} GhloCpuSource;

typedef struct
{
  /* What the caller says. */
  GhloCpuElementwiseFunc loop;
  gconstpointer          detail;                /* the loop's; borrowed */
  guint                  n_sources;
  guint                  operands[GHLO_CPU_MAX_SOURCES];  /* of the sources, which are as the loop wants them */
  GhloCpuConvertFunc     write;                 /* nullable; from the loop's numbers to the result's */
  guint                  from_size;             /* of a number of the loop's */
  double                 cost;                  /* nanoseconds for an element, besides moving it */
  GhloCpuSource          sources[GHLO_CPU_MAX_SOURCES];  /* without kinds and strides */
  /* What is found out. */
  gsize               n;                        /* elements of the result */
  guint               size;                     /* of one */
  gboolean            is_direct;                /* one call of the loop does it */
  gboolean            is_short;                 /* lines are too short to go line by line */
  gboolean            is_staged;                /* something goes through a buffer */
  gsize               chunk;                    /* the most elements of a buffer */
  double              nanoseconds;              /* for all, on one thread */
  guint               rank;                     /* at least 1 */
  gint64              sizes[GHLO_MAX_RANK];
} GhloCpuElementwise;

/* Operands have the result's dimensions, or rank 0. FALSE when they have not. */
gboolean ghlo_cpu_elementwise_init (GhloCpuElementwise       *self,
                                    const GhloView           *operands,
                                    const GhloView           *result);
/* FALSE when cancelled. */
gboolean ghlo_cpu_elementwise_run  (const GhloCpuElementwise *self,
                                    const GhloView           *operands,
                                    guint8                   *result,
                                    const GhloMonitor        *monitor);

G_END_DECLS
