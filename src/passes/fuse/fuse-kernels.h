/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Groups of one function that become kernels. The queue (fuse-queue.c) decides which groups to merge, the graph
 * (fuse-graph.h) and the check (fuse-domain.h) decide what may be a group, and fuse-arrange.c reorders the function
 * for the groups that were found.
 */

#pragma once

#include "passes/fuse/fuse.h"
#include "passes/fuse/fuse-domain.h"

G_BEGIN_DECLS

/* Numbers of operations in ascending order. */
typedef struct
{
  guint   n;                              /* above GHLO_FUSE_MAX_OPS: too many; @numbers is not valid then */
  guint32 numbers[GHLO_FUSE_MAX_OPS];
} GhloFuseList;

/* The state of a group, kept for the operation that represents it. */
typedef struct
{
  guint32        number;
  guint32        n_ops;            /* length of @ops; 0 where the group is one operation */
  guint32       *ops;              /* owned; the group's operations and the views that they read through */
  GhloFuseDomain domain;
  double         gain;             /* the key by which it is sorted in the queue */
  guint8         is_queued, n_refused;
  guint8         is_made;          /* made into a group although it is a single operation */
  guint          n_prologue;       /* length of @prologue */
  guint32       *prologue;         /* owned; of a product's group, not among @ops: the operations that compute one of
                                    * the product's operands, the last one first */
} GhloFuseCandidate;

typedef struct
{
  GhloFuser         *fuser;
  gboolean           reductions;   /* TRUE: each group has a reduction; FALSE: no group has one */
  gboolean           products;     /* each group has one product */
  GhloFuseGraph     *graph;
  GhloFuseChecker    checker;
  GhloFuseCandidate *candidates;   /* by number */
  const char       **reasons;      /* by operation: why the device declines the operation alone; "" where it accepts,
                                    * NULL where it was not asked */
  GTree             *queue;        /* of candidates, the best one first */
} GhloFuseKernels;

/* Lists all that the group of @number computes, including views. */
void     ghlo_fuse_kernels_list    (const GhloFuseKernels *self,
                                    guint32                number,
                                    GhloFuseList          *list);
/* Merges the groups @a and @b where they may form one group and the device accepts it. If one is the producer of the
 * other, it is @a. @gain is the benefit in nanoseconds, not counting the cost of computing elements again. */
gboolean ghlo_fuse_kernels_merge   (GhloFuseKernels       *self,
                                    guint32                a,
                                    guint32                b,
                                    double                 gain);
/* The same for a single operation and the views that it reads through. */
gboolean ghlo_fuse_kernels_accept  (GhloFuseKernels       *self,
                                    guint32                number);

/* Finds groups by merging producers with consumers, and then siblings. FALSE, with @error set, when cancelled. */
gboolean ghlo_fuse_kernels_queue   (GhloFuseKernels       *self,
                                    GError               **error);
/* Like ghlo_fuse_kernels_queue (), for groups of a product. */
gboolean ghlo_fuse_kernels_grow    (GhloFuseKernels       *self,
                                    GError               **error);
/* Lets the operations that compute an operand of @product join its group, if that pays and the device accepts it. */
void     ghlo_fuse_kernels_join_prologue (GhloFuseKernels *self,
                                          guint32          product);
/* Moves the operations of each group together in the function, gives each group its own copies of views, and hands the
 * groups to the driver. */
void     ghlo_fuse_kernels_arrange (GhloFuseKernels       *self);

G_END_DECLS
