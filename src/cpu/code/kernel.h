/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A kernel, ready to be run by all threads: what steps that are made of kernels share. It is run in strips until
 * there is machine code for it, to the same bits.
 */

#pragma once

#include "cpu/code/code.h"
#include "cpu/strips/strips.h"

G_BEGIN_DECLS

typedef struct
{
  const GhloKernel  *kernel;            /* borrowed */
  GhloCpuStrips     *strips;            /* owned */
  GhloCode          *code;              /* owned; NULL where there is none and will be none */
  GhloKernelSchedule schedule;          /* of strips */
  GhloKernelSchedule code_schedule;
  gint64             extents[GHLO_KERNEL_MAX_AXES];
  gint64             n_points;          /* parallel ones */
  gsize              scratch;           /* of one thread, in bytes: enough for strips and code */
  gboolean           code_fits;         /* enough for code indeed */
} GhloCpuKernel;

/* NULL, or the reason, static, why the CPU does not run @kernel, of which nothing is kept then. Otherwise it has to
 * stay. With @in_order parallel points are counted in row-major order of their axes; else in any. */
const char *ghlo_cpu_kernel_init     (GhloCpuKernel     *self,
                                      const GhloKernel  *kernel,
                                      gboolean           in_order);
/* Looks for machine code, and has it made where there is none: for kernels that will be run. */
void        ghlo_cpu_kernel_begin    (GhloCpuKernel     *self);
/* Has it made with speed: see ghlo_code_hurry (). */
void        ghlo_cpu_kernel_hurry    (const GhloCpuKernel *self);
/* Until it is made, or will not be. FALSE with @error when cancelled. */
gboolean    ghlo_cpu_kernel_wait     (const GhloCpuKernel *self,
                                      const GhloMonitor   *monitor,
                                      GError             **error);
/* It as text, or why there is none; the caller frees it. Takes as long as making it. */
char       *ghlo_cpu_kernel_print_code (const GhloCpuKernel *self);
void        ghlo_cpu_kernel_clear    (GhloCpuKernel     *self);
/* Of all threads. */
gsize       ghlo_cpu_kernel_scratch  (const GhloCpuKernel *self);

/* One run, of which any thread may do parts. */
typedef struct
{
  const GhloCpuKernel *kernel;
  GhloCodeFunc         function;        /* NULL: strips */
  gpointer const      *buffers;
  guint8              *scratch;
  const GhloMonitor   *monitor;
} GhloCpuKernelRun;

/* Settles whether it is one of strips or of code. @buffers, of all that the kernel has, and @scratch have to stay. */
void        ghlo_cpu_kernel_run_init (GhloCpuKernelRun    *run,
                                      const GhloCpuKernel *kernel,
                                      gpointer const      *buffers,
                                      gpointer             scratch,
                                      const GhloMonitor   *monitor);
/* The parallel points from @begin to @end; @worker: see runtime/parallel.h. They are not complete when cancelled. */
void        ghlo_cpu_kernel_run_part (const GhloCpuKernelRun *run,
                                      gint64               begin,
                                      gint64               end,
                                      guint                worker);
/* All of it. FALSE with @error when cancelled. */
gboolean    ghlo_cpu_kernel_run      (const GhloCpuKernel *self,
                                      gpointer const      *buffers,
                                      gpointer             scratch,
                                      const GhloMonitor   *monitor,
                                      GError             **error);

G_END_DECLS
