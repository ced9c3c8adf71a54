/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements from one layout into another, converted where the types differ: what
 * libraries that want their operands dense are fed with.
 */

#pragma once

#include "base/monitor.h"
#include "base/sizes.h"
#include "cpu/line.h"

G_BEGIN_DECLS

typedef struct
{
  guint          rank;
  gint64         sizes[GHLO_MAX_RANK];      /* the last one is the lines' */
  gint64         from[GHLO_MAX_RANK];       /* strides in bytes */
  gint64         to[GHLO_MAX_RANK];
  gint64         n_outer;                   /* product of sizes but the last two */
  guint          from_size, to_size;        /* of an element */
  gboolean       is_raw;                    /* one type */
  gboolean       turns;                     /* lines of the source lie across those of the destination */
  GhloCpuReader  reader;                    /* to f32, where not raw */
  GhloCpuWriter  writer;                    /* from f32, where not raw */
} GhloCpuCopy;

/* FALSE unless the types are the same, or one of them is f32 and the other a float
 * that is no wider. Strides in bytes; the destination's elements do not overlap. */
gboolean ghlo_cpu_copy_init (GhloCpuCopy       *self,
                             guint              rank,
                             const gint64      *sizes,
                             GhloElementType    from_type,
                             const gint64      *from,
                             GhloElementType    to_type,
                             const gint64      *to);
/* FALSE when cancelled. */
gboolean ghlo_cpu_copy_run  (const GhloCpuCopy *self,
                             const guint8      *from,
                             guint8            *to,
                             const GhloMonitor *monitor);

G_END_DECLS
