/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A run of the interpreter: where it is, and what temporaries hold there.
 */

#pragma once

#include "base/fail.h"
#include "base/ghlo-error.h"
#include "kernel/interpret.h"

G_BEGIN_DECLS

/* What evaluating a node takes, asked once for all points. */
typedef struct
{
  gboolean        is_leaf;
  gboolean        is_known;     /* the same at all points: its value is there from the beginning */
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
  guint64                 n_points;                             /* done so far */
  guint64                 parallel_point;                       /* counted from 1 */
  GhloKernelRunNode      *nodes;                                /* of all nodes */
  guint64                *values;                               /* likewise, where they were evaluated last */
  guint64                *partials;                             /* of folds, for each chain and one more */
  guint64                *temporaries[GHLO_KERNEL_MAX_TEMPORARIES];
  guint64                *written[GHLO_KERNEL_MAX_TEMPORARIES]; /* at which parallel point */
} GhloKernelRun;

/* Sets INTERNAL: the kernel does what the checker should not have let it do. */
gboolean ghlo_kernel_run_fail (GhloKernelRun *self,
                               const char    *format,
                               ...) G_GNUC_PRINTF (2, 3);
#define ghlo_kernel_run_fail(...) GHLO_FALSE_AFTER (ghlo_kernel_run_fail (__VA_ARGS__))

/* Memory and temporaries at the present point. A load of what is outside gives *@value as it is. */
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

/* The first of the points of @axes, and the next one in row-major order; FALSE where there is none. */
void     ghlo_kernel_run_first  (GhloKernelRun *self,
                                 guint          axes);
gboolean ghlo_kernel_run_next   (GhloKernelRun *self,
                                 guint          axes);

/* Before the first point. */
void     ghlo_kernel_run_nodes  (GhloKernelRun *self);

/* A block of points at all of them. */
gboolean ghlo_kernel_run_points (GhloKernelRun         *self,
                                 const GhloKernelBlock *block);

G_END_DECLS
