/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs an elementwise loop (cpu/isa/elementwise.h) over whole tensors: operands have any strides, and the result is
 * dense. Dimensions are merged as far as all operands allow it. The loop takes adjacent numbers of its own type;
 * elements that are repeated, strided, or of another type go through small buffers on the stack, which stay in the L1
 * cache.
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
  GHLO_CPU_SOURCE_DENSE,    /* elements have the same layout as the result */
  GHLO_CPU_SOURCE_SINGLE,   /* one element is used for the whole result */
  GHLO_CPU_SOURCE_STRIDED,  /* any other strides */
} GhloCpuSourceKind;

typedef struct
{
  GhloCpuSourceKind  kind;
  guint              size;                      /* bytes of an element in memory */
  guint              to_size;                   /* bytes of a number that the loop reads */
  GhloCpuConvertFunc read;                      /* nullable; converts elements to the loop's numbers */
  gint64             offset;                    /* offset of the first element in the operand, in bytes */
  gint64             strides[GHLO_MAX_RANK];    /* of the merged dimensions, in bytes */
} GhloCpuSource;

typedef struct
{
  /* Set by the caller. */
  GhloCpuElementwiseFunc loop;
  gconstpointer          detail;                /* an argument of the loop; borrowed */
  guint                  n_sources;
  guint                  operands[GHLO_CPU_MAX_SOURCES];  /* operand of each source; sources are in the loop's order */
  GhloCpuConvertFunc     write;                 /* nullable; converts the loop's numbers to elements */
  guint                  from_size;             /* bytes of a number that the loop writes */
  double                 cost;                  /* nanoseconds per element, besides moving it */
  GhloCpuSource          sources[GHLO_CPU_MAX_SOURCES];  /* kinds and strides are not set by the caller */
  /* Set by ghlo_cpu_elementwise_init(). */
  gsize    n;                                   /* elements of the result */
  guint    size;                                /* bytes of one of them */
  gboolean is_direct;                           /* a single call of the loop computes the whole result */
  gboolean is_short;                            /* rows are too short for a call of the loop each */
  gboolean is_staged;                           /* an operand or the result goes through a buffer */
  gsize    chunk;                               /* elements of a buffer */
  double   nanoseconds;                         /* for the whole result, on one thread */
  guint    rank;                                /* at least 1 */
  gint64   sizes[GHLO_MAX_RANK];
} GhloCpuElementwise;

/* FALSE where an operand has neither the result's dimensions nor rank 0. */
gboolean ghlo_cpu_elementwise_init (GhloCpuElementwise       *self,
                                    const GhloView           *operands,
                                    const GhloView           *result);
/* FALSE when cancelled. */
gboolean ghlo_cpu_elementwise_run  (const GhloCpuElementwise *self,
                                    const GhloView           *operands,
                                    guint8                   *result,
                                    const GhloMonitor        *monitor);

G_END_DECLS
