/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a kernel is executed, in strips or as machine code. Schedules change no bit of the results. Adjacent points
 * are the lanes of a strip or of a vector. Either they are points of one parallel axis, in which case every value
 * of every block is a strip of parallel points; or each block has lanes of its own, along the last of its axes.
 */

#pragma once

#include "kernel/kernel.h"
#include "kernel/machine.h"

G_BEGIN_DECLS

enum
{
  GHLO_SCHEDULE_MAX_STRIP = 512,
  GHLO_SCHEDULE_MAX_WIDTH = 64,
  GHLO_SCHEDULE_MAX_COLUMNS = 2048,
  /* The largest stride of lanes, in elements, that code picks from whole vectors, and that of any elements. */
  GHLO_SCHEDULE_LANE_STRIDE = 4, GHLO_SCHEDULE_MAX_LANE_STRIDE = 8,
};

#define GHLO_SCHEDULE_ANY G_MAXUINT

typedef struct
{
  guint16 lanes;                /* a parallel axis, or GHLO_KERNEL_NONE for the last axis of each block */
  guint16 strip;                /* points per strip, at most GHLO_SCHEDULE_MAX_STRIP; 0 for code */
  guint16 width;                /* lanes of a vector in code, a power of two; 0 for strips */
  guint16 columns;              /* for code: up to so many lanes, whole vectors, are folded together; 0: one vector */
  guint8  prefetches;           /* for code: whether folds prefetch what they read */
  guint8  cuts;                 /* for code: bits of axes whose loops are split where guards start and stop to hold */
  double  cost;                 /* estimated nanoseconds for one parallel point */
  gint64  grain;                /* the least number of parallel points for one thread: whole strips or vectors */
} GhloKernelSchedule;

/* Returns whether the points of axis @lanes may be lanes. */
gboolean ghlo_kernel_schedule_allows (const GhloKernel   *kernel,
                                      guint               lanes);
/* Returns whether points of axis @lanes may be columns, several vectors of which are folded together. */
gboolean ghlo_kernel_schedule_allows_columns (const GhloKernel *kernel,
                                              guint             lanes);
/* Returns whether the elements of @access lie in rows along axis @lanes, and not in the same row at all points of
 * @block. Accesses with terms have no rows. */
gboolean ghlo_kernel_schedule_has_rows (const GhloKernel      *kernel,
                                        const GhloKernelBlock *block,
                                        guint                  access,
                                        guint                  lanes);
/* Chooses a schedule of strips. @axes are the parallel axes (bits) that may be lanes; GHLO_SCHEDULE_ANY: all. */
void     ghlo_kernel_schedule_choose (const GhloKernel   *kernel,
                                      const GhloMachine  *machine,
                                      guint               axes,
                                      GhloKernelSchedule *schedule);
/* The same for machine code; @machine has the times of its instructions. */
void     ghlo_kernel_schedule_choose_code (const GhloKernel   *kernel,
                                           const GhloMachine  *machine,
                                           guint               axes,
                                           GhloKernelSchedule *schedule);

G_END_DECLS
