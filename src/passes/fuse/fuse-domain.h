/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The domain of a group: the points at which its kernel is computed. It has parallel dimensions and, in a group with
 * reductions, inner dimensions; each reduction of the group is over all inner dimensions. Dimensions of size 1 are
 * ignored, both in the domain and in values. A value of a group is one of
 *
 *   full    one element for each point: elementwise operations, and operands of reductions
 *   rows    one element for all inner points together: results of reductions, and operations on them
 *   moved   computed where an index operation of the group reads it; must be elementwise and cheap
 *
 * A row becomes full by a broadcast along the inner dimensions.
 */

#pragma once

#include "passes/fuse/fuse-graph.h"

G_BEGIN_DECLS

typedef struct
{
  const GhloIrType *type;      /* of a full value */
  guint32           inner;     /* bit mask of the inner dimensions, counted among the dimensions of @type that are not
                                  1; 0: no reductions */
} GhloFuseDomain;

/* The domain of a single operation, which is not a view. */
GhloFuseDomain ghlo_fuse_domain_of   (const GhloFuseNode    *node);
/* The domain of the group that would merge @producer's and @consumer's; FALSE where there is none. The merged group may
 * treat the producer's values as moved. */
gboolean       ghlo_fuse_domain_join (const GhloFuseDomain  *producer,
                                      const GhloFuseDomain  *consumer,
                                      GhloFuseDomain        *joined);
/* Whether both have the same points and the same inner dimensions. */
gboolean       ghlo_fuse_domain_same (const GhloFuseDomain  *a,
                                      const GhloFuseDomain  *b);
gboolean       ghlo_fuse_domain_is_full (const GhloFuseDomain *self,
                                      const GhloIrType      *type);

/* Scratch memory that ghlo_fuse_check () needs; one serves any number of checks. */
typedef struct
{
  const GhloFuseGraph *graph;
  guint32             *slots, *stamps;     /* by number of an operation: its position in the group that is checked,
                                              valid where the stamp is @n_stamps */
  guint32              n_stamps;
  guint32              n_value_stamps;     /* the last stamp that was put on values, in their scratch numbers */
} GhloFuseChecker;

void        ghlo_fuse_checker_init  (GhloFuseChecker      *self,
                                     const GhloFuseGraph  *graph);
void        ghlo_fuse_checker_clear (GhloFuseChecker      *self);
/* Why the operations with the numbers @list, in order and with their views, cannot form a group with @domain; NULL
 * where they can. *@recomputed is set to the number of elements that the group computes more than once. */
const char *ghlo_fuse_check         (GhloFuseChecker      *self,
                                     const GhloFuseDomain *domain,
                                     const guint32        *list,
                                     guint                 n,
                                     double               *recomputed);

G_END_DECLS
