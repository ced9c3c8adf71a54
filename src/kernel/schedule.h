/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a kernel is run, in strips or as machine code: choices that change no bit. Points that lie side by side are the
 * lanes of a strip, or of a vector. They are those of one parallel axis, so that every value of every block is a strip
 * of parallel points; or each block has its own, along the last of its axes.
 */

#pragma once

#include "kernel/kernel.h"
#include "kernel/machine.h"

G_BEGIN_DECLS

enum
{
  GHLO_SCHEDULE_MAX_STRIP = 512,
  GHLO_SCHEDULE_MAX_WIDTH = 64,
  GHLO_SCHEDULE_MAX_APART = 4,  /* elements from lane to lane, where code picks lanes from whole vectors */
};

#define GHLO_SCHEDULE_ANY G_MAXUINT

typedef struct
{
  guint16 lanes;                /* a parallel axis, or GHLO_KERNEL_NONE: the last axis of each block */
  guint16 strip;                /* points, at most GHLO_SCHEDULE_MAX_STRIP; 0 where it is for code */
  guint16 width;                /* lanes of vectors in code, a power of two; 0 where it is for strips */
  guint8  cuts;                 /* of code: bits of axes whose loops are cut where guards become true for good, and
                                 * where they end */
  double  cost;                 /* nanoseconds of one parallel point, about */
  gint64  grain;                /* parallel points that are worth a thread: whole strips or vectors */
} GhloKernelSchedule;

/* Whether the points of @lanes may lie side by side. */
gboolean ghlo_kernel_schedule_allows (const GhloKernel   *kernel,
                                      guint               lanes);
/* @axes: bits of the parallel axes that may be lanes, GHLO_SCHEDULE_ANY for all. */
void     ghlo_kernel_schedule_choose (const GhloKernel   *kernel,
                                      const GhloMachine  *machine,
                                      guint               axes,
                                      GhloKernelSchedule *schedule);
/* The same for machine code; @machine says what its instructions take. */
void     ghlo_kernel_schedule_choose_code (const GhloKernel   *kernel,
                                           const GhloMachine  *machine,
                                           guint               axes,
                                           GhloKernelSchedule *schedule);

G_END_DECLS
