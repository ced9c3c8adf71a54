/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Groups that become kernels, of one function: how they are found is in the queue
 * (fuse-queue.c), what may be one in the graph and the check, how the function is arranged for those that
 * were found in fuse-arrange.c.
 */

#pragma once

#include "passes/fuse.h"
#include "passes/fuse-domain.h"

G_BEGIN_DECLS

/* Numbers of operations, in order. */
typedef struct
{
  guint   n;                              /* more than MAX_OPS: too many, and none of them is there */
  guint32 numbers[GHLO_FUSE_MAX_OPS];
} GhloFuseList;

/* Of each operation that stands for a group. */
typedef struct
{
  guint32        number;
  guint32        n_ops;            /* of @ops; 0 where the group is one operation */
  guint32       *ops;              /* owned; the group's operations and the views that they read through */
  GhloFuseDomain domain;
  double         gain;             /* by which it stands in the queue */
  guint8         is_queued, n_refused;
  guint8         is_made;          /* though it is but one operation */
} GhloFuseCandidate;

typedef struct
{
  GhloFuser         *fuser;
  gboolean           reductions;   /* groups have reductions; else they have none */
  gboolean           products;     /* they begin with a product, the only one */
  GhloFuseGraph     *graph;
  GhloFuseChecker    checker;
  GhloFuseCandidate *candidates;   /* by number */
  const char       **reasons;      /* of operations alone, why the device does not do them; "" where it does, NULL
                                    * where it was not asked */
  GTree             *queue;        /* of candidates, the best one first */
} GhloFuseKernels;

/* All that is computed by the group of @number, views included. */
void     ghlo_fuse_kernels_list    (const GhloFuseKernels *self,
                                    guint32                number,
                                    GhloFuseList          *list);
/* Makes one of the groups @a, the producer if one is, and @b, where they may be one and the device does it. @gain is
 * what it is worth, in nanoseconds, what is computed again left out. */
gboolean ghlo_fuse_kernels_merge   (GhloFuseKernels       *self,
                                    guint32                a,
                                    guint32                b,
                                    double                 gain);
/* The same of a single operation and the views that it reads through. */
gboolean ghlo_fuse_kernels_accept  (GhloFuseKernels       *self,
                                    guint32                number);

gboolean ghlo_fuse_kernels_queue   (GhloFuseKernels       *self,
                                    GError               **error);
/* The same of groups that begin with a product. */
gboolean ghlo_fuse_kernels_grow    (GhloFuseKernels       *self,
                                    GError               **error);
/* Puts the operations of each group behind each other, with views of their own, in the function, and hands the groups
 * to the driver. */
void     ghlo_fuse_kernels_arrange (GhloFuseKernels       *self);

G_END_DECLS
