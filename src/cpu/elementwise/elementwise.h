/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An elementwise loop (cpu/isa/elementwise.h) over whole tensors: operands of any
 * strides, a dense result. Dimensions are merged as far as all operands allow it. The
 * loop takes adjacent numbers of its own type; elements that are repeated, strided, or of
 * another type go through small buffers on the stack, which stay in the first-level cache.
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
  GHLO_CPU_SOURCE_DENSE,    /* elements lie as those of the result do */
  GHLO_CPU_SOURCE_SINGLE,   /* one element serves all of the result */
  GHLO_CPU_SOURCE_STRIDED,  /* elements lie by any other strides */
} GhloCpuSourceKind;

typedef struct
{
  GhloCpuSourceKind  kind;
  guint              size;                      /* of an element in memory */
  guint              to_size;                   /* of a number that the loop computes with */
  GhloCpuConvertFunc read;                      /* nullable; from elements to the loop's numbers */
  gint64             offset;                    /* of the first element in the operand, in bytes */
  gint64             strides[GHLO_MAX_RANK];    /* of merged dimensions, in bytes */
} GhloCpuSource;

typedef struct
{
  /* Set by the caller. */
  GhloCpuElementwiseFunc loop;
  gconstpointer          detail;                /* the loop's; borrowed */
  guint                  n_sources;
  guint                  operands[GHLO_CPU_MAX_SOURCES];  /* of each source, which are in the loop's order */
  GhloCpuConvertFunc     write;                 /* nullable; from the loop's numbers to the result's */
  guint                  from_size;             /* of a number that the loop writes */
  double                 cost;                  /* nanoseconds for an element, besides moving it */
  GhloCpuSource          sources[GHLO_CPU_MAX_SOURCES];  /* without kinds and strides */
  /* Set by ghlo_cpu_elementwise_init(). */
  gsize    n;                                   /* elements of the result */
  guint    size;                                /* of one */
  gboolean is_direct;                           /* a single call of the loop computes the result */
  gboolean is_short;                            /* rows are too short for one call of the loop each */
  gboolean is_staged;                           /* an operand or the result goes through a buffer */
  gsize    chunk;                               /* elements that a buffer holds */
  double   nanoseconds;                         /* for the whole result, on one thread */
  guint    rank;                                /* at least 1 */
  gint64   sizes[GHLO_MAX_RANK];
} GhloCpuElementwise;

/* FALSE when an operand has neither the result's dimensions nor rank 0. */
gboolean ghlo_cpu_elementwise_init (GhloCpuElementwise       *self,
                                    const GhloView           *operands,
                                    const GhloView           *result);
/* FALSE when cancelled. */
gboolean ghlo_cpu_elementwise_run  (const GhloCpuElementwise *self,
                                    const GhloView           *operands,
                                    guint8                   *result,
                                    const GhloMonitor        *monitor);

G_END_DECLS
