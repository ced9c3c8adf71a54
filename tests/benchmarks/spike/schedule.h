/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a kernel is run: what stands beside the kernel and holds every choice. Emitters
 * obey it and choose nothing. The order in which a reduction that is free in its order
 * combines follows from kernel and schedule alone, so equal ones give equal bits.
 *
 * Order of a reduction over the vector axis: element i belongs to accumulator
 * (i / width) % unroll, lane i % width, each folded from first to last, beginning at
 * the identity. Then accumulators u and u + n / 2 are merged while there is more than
 * one (n halves), then lanes in the same way. A workgroup's invocations count as lanes.
 */

#pragma once

#include "kernel.h"

G_BEGIN_DECLS

/* Who runs over an axis. */
typedef enum
{
  GHLO_UNIT_LOOP,           /* a loop of each thread or invocation */
  GHLO_UNIT_THREAD,         /* split among threads: the function's [begin, end); the outermost axis */
  GHLO_UNIT_WORKGROUP,      /* one workgroup for each tile */
  GHLO_UNIT_INVOCATION,     /* the invocations of a workgroup side by side */
  GHLO_UNIT_SUBGROUP,       /* those of a subgroup */
} GhloUnit;

typedef enum
{
  GHLO_PLACE_REGISTER,      /* of a temporary that spans the vector axis: needs it unrolled as a whole */
  GHLO_PLACE_SCRATCH,       /* the thread's share of the run's scratch, or a workgroup's memory */
} GhloPlace;

typedef enum
{
  GHLO_TAIL_MASK,           /* one masked vector */
  GHLO_TAIL_SCALAR,         /* a loop of one element at a time; not with reductions */
} GhloTail;

typedef struct
{
  guint8  unit;
  guint16 tile;             /* points of a parallel axis that are done side by side by one thread; 1 or more */
} GhloScheduleAxis;

typedef struct
{
  guint8           vector_axis;
  guint8           tail;
  guint16          width;           /* lanes; a power of two */
  guint16          unroll;          /* vectors that are done side by side; a power of two */
  guint16          workgroup;       /* invocations; 0 on a CPU */
  guint32          grain;           /* the least part of the thread axis that is worth a thread */
  GhloScheduleAxis axes[GHLO_KERNEL_MAX_AXES];
  guint8           places[GHLO_KERNEL_MAX_TEMPORARIES];
} GhloSchedule;

/* "vector column × 16, unroll 4, mask; row: thread, tile 2; exponent in scratch" */
char     *ghlo_schedule_print   (const GhloSchedule *self,
                                 const GhloKernel   *kernel);

/* Whether the two fit each other and what the emitters can do; *why is static text. */
gboolean  ghlo_schedule_check   (const GhloSchedule *self,
                                 const GhloKernel   *kernel,
                                 const char        **why);

/* Bytes of scratch of one thread, each temporary for each tile aligned to 64. */
gsize     ghlo_schedule_scratch (const GhloSchedule *self,
                                 const GhloKernel   *kernel,
                                 gsize              *offsets);

G_END_DECLS
