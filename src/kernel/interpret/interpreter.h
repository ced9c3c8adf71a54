/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of the interpreter: the current point, and the values of temporaries there.
 */

#pragma once

#include "base/fail.h"
#include "base/ghlo-error.h"
#include "kernel/interpret.h"

G_BEGIN_DECLS

/* Properties of a node, determined once for all points. */
typedef struct
{
  gboolean        is_leaf;
  gboolean        is_known;     /* the value is the same at all points and computed in advance */
  guint           n_operands;
  GhloElementType operand_type;
} GhloKernelRunNode;

typedef struct
{
  const GhloKernel       *kernel;
  const GhloKernelMemory *memory;
  const GhloMonitor      *monitor;
  GError                **error;
  gint64                  extents[GHLO_KERNEL_MAX_AXES];
  gint64                  point[GHLO_KERNEL_MAX_AXES];          /* coordinates of the axes in scope */
  guint                   loops;                                /* axes of the loops around, as bits */
  guint64                 n_points;                             /* points visited so far */
  guint64                 parallel_point;                       /* counted from 1 */
  GhloKernelRunNode      *nodes;                                /* one for each node */
  guint64                *values;                               /* one for each node: its latest value */
  guint64                *partials;                             /* of folds: one for each chain, and one more */
  guint64                *temporaries[GHLO_KERNEL_MAX_TEMPORARIES];
  guint64                *written[GHLO_KERNEL_MAX_TEMPORARIES]; /* the parallel point that wrote each value */
} GhloKernelRun;

/* Fails with INTERNAL: the kernel does something that the checker should have rejected. */
gboolean ghlo_kernel_run_fail (GhloKernelRun *self,
                               const char    *format,
                               ...) G_GNUC_PRINTF (2, 3);
#define ghlo_kernel_run_fail(...) GHLO_FALSE_AFTER (ghlo_kernel_run_fail (__VA_ARGS__))

/* These access memory and temporaries at the current point. A load that is outside leaves *@value unchanged. */
gboolean ghlo_kernel_run_inside (GhloKernelRun *self,
                                 guint          access);
gboolean ghlo_kernel_run_load   (GhloKernelRun *self,
                                 guint          access,
                                 guint64       *value);
gboolean ghlo_kernel_run_store  (GhloKernelRun *self,
                                 guint          access,
                                 guint64        value);
gboolean ghlo_kernel_run_get    (GhloKernelRun *self,
                                 guint          temporary,
                                 guint64       *value);
void     ghlo_kernel_run_set    (GhloKernelRun *self,
                                 guint          temporary,
                                 guint64        value);

/* Set the first point of @axes, and advance to the next one in row-major order; FALSE after the last one. */
void     ghlo_kernel_run_first  (GhloKernelRun *self,
                                 guint          axes);
gboolean ghlo_kernel_run_next   (GhloKernelRun *self,
                                 guint          axes);

/* Determines the properties of all nodes and computes those that are the same at all points. Called before the first
 * point. */
void     ghlo_kernel_run_precompute (GhloKernelRun *self);

/* Runs a block of points at all of its points. */
gboolean ghlo_kernel_run_points (GhloKernelRun         *self,
                                 const GhloKernelBlock *block);

G_END_DECLS
