/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A kernel, ready to be run by all threads: what steps that are made of kernels share.
 */

#pragma once

#include "cpu/strips/strips.h"

G_BEGIN_DECLS

typedef struct
{
  GhloCpuStrips     *strips;            /* owned */
  GhloKernelSchedule schedule;
  gint64             n_points;          /* parallel ones */
  gsize              scratch;           /* of one thread, in bytes */
} GhloCpuKernel;

/* NULL, or the reason, static, why the CPU does not run @kernel, of which nothing is kept. */
const char *ghlo_cpu_kernel_init     (GhloCpuKernel     *self,
                                      const GhloKernel  *kernel);
void        ghlo_cpu_kernel_clear    (GhloCpuKernel     *self);
/* Of all threads. */
gsize       ghlo_cpu_kernel_scratch  (const GhloCpuKernel *self);
/* @buffers: of all that the kernel has. FALSE with @error when cancelled. */
gboolean    ghlo_cpu_kernel_run      (const GhloCpuKernel *self,
                                      gpointer const      *buffers,
                                      gpointer             scratch,
                                      const GhloMonitor   *monitor,
                                      GError             **error);

G_END_DECLS
