/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A kernel that is ready to be run by all threads; shared by the steps that are made of kernels. It runs in strips
 * until its machine code is available; both give the same bits.
 */

#pragma once

#include "cpu/jit/code.h"
#include "cpu/strips/strips.h"
#include "device/step.h"

G_BEGIN_DECLS

typedef struct
{
  const GhloKernel  *kernel;            /* borrowed */
  GhloCpuStrips     *strips;            /* owned */
  GhloCode          *code;              /* owned; NULL where there is no machine code and there will be none */
  GhloKernelSchedule schedule;          /* schedule of the strips */
  GhloKernelSchedule code_schedule;
  gint64             extents[GHLO_KERNEL_MAX_AXES];
  gint64             n_points;          /* number of points of the parallel axes */
  gsize              scratch;           /* bytes for one thread; enough for strips, and for code if code_fits */
  gboolean           code_fits;         /* the scratch of the code is not too large */
} GhloCpuKernel;

/* Returns NULL, or a static string that says why the CPU does not run @kernel; @kernel is not kept then, and
 * otherwise has to outlive @self. With @in_order, parallel points are numbered in row-major order of their axes; else
 * in any order. */
const char *ghlo_cpu_kernel_init     (GhloCpuKernel     *self,
                                      const GhloKernel  *kernel,
                                      gboolean           in_order);
/* Looks up the machine code, and starts to make it where there is none. Called for kernels that are going to be
 * run. */
void        ghlo_cpu_kernel_begin    (GhloCpuKernel     *self);
/* As the functions of GhloStepImplementation. */
gboolean    ghlo_cpu_kernel_wait     (const GhloCpuKernel *self,
                                      gboolean             only_begins,
                                      const GhloMonitor   *monitor,
                                      GError             **error);
char       *ghlo_cpu_kernel_print    (const GhloCpuKernel *self,
                                      GhloKernelForm       form);
void        ghlo_cpu_kernel_clear    (GhloCpuKernel     *self);
/* Bytes of scratch for all threads. */
gsize       ghlo_cpu_kernel_scratch  (const GhloCpuKernel *self);

/* One run, parts of which may be executed by any thread. */
typedef struct
{
  const GhloCpuKernel *kernel;
  GhloCodeFunc         function;        /* NULL: the run uses strips */
  gpointer const      *buffers;
  guint8              *scratch;
  const GhloMonitor   *monitor;
} GhloCpuKernelRun;

/* Decides whether the run uses strips or machine code. @buffers (all of the kernel's) and @scratch have to outlive
 * the run. */
void        ghlo_cpu_kernel_run_init (GhloCpuKernelRun    *run,
                                      const GhloCpuKernel *kernel,
                                      gpointer const      *buffers,
                                      gpointer             scratch,
                                      const GhloMonitor   *monitor);
/* Runs parallel points [@begin, @end); for @worker see runtime/parallel.h. Some points are left out when
 * cancelled. */
void        ghlo_cpu_kernel_run_part (const GhloCpuKernelRun *run,
                                      gint64                  begin,
                                      gint64                  end,
                                      guint                   worker);
/* Runs all points of a box of parallel points, whose axes have run-time extents. @buffers are for the box. */
void        ghlo_cpu_kernel_run_box  (const GhloCpuKernelRun *run,
                                      const gint64           *extents,
                                      gpointer const         *buffers,
                                      guint                   worker);
/* Runs all points. FALSE with @error when cancelled. */
gboolean    ghlo_cpu_kernel_run      (const GhloCpuKernel *self,
                                      gpointer const      *buffers,
                                      gpointer             scratch,
                                      const GhloMonitor   *monitor,
                                      GError             **error);

G_END_DECLS
