/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The points that a group is computed at: parallel dimensions and, of a group with reductions,
 * inner ones, over all of which each of its reductions goes. Dimensions of 1 do not count, neither here nor
 * in values. Of a group's values
 *
 *   full    have an element at each point: elementwise operations, and what reductions take
 *   rows    have one for all inner points together: what reductions give, and operations on it
 *   moved   are computed where an index operation of the group reads them: elementwise and cheap
 *
 * A row becomes full by a broadcast along the inner dimensions.
 */

#pragma once

#include "passes/fuse-graph.h"

G_BEGIN_DECLS

typedef struct
{
  const GhloIrType *type;      /* of a full value */
  guint32           inner;     /* bits: of its dimensions other than 1, by their order; 0: no reductions */
} GhloFuseDomain;

/* Of an operation that is no view. */
GhloFuseDomain ghlo_fuse_domain_of   (const GhloFuseNode    *node);
/* That of a group of two that have @producer and @consumer; FALSE where there is none. What the producer gives may
 * be moved in it. */
gboolean       ghlo_fuse_domain_join (const GhloFuseDomain  *producer,
                                      const GhloFuseDomain  *consumer,
                                      GhloFuseDomain        *joined);
/* Whether they have the same points, with the same ones inner. */
gboolean       ghlo_fuse_domain_same (const GhloFuseDomain  *a,
                                      const GhloFuseDomain  *b);
gboolean       ghlo_fuse_domain_is_full (const GhloFuseDomain *self,
                                      const GhloIrType      *type);

/* What checks need, for any number of them. */
typedef struct
{
  const GhloFuseGraph *graph;
  guint32             *slots, *stamps;     /* of the operations of the group at hand: where they stand in it */
  guint32              n_stamps;
  guint32              n_value_stamps;     /* of values, in their scratch numbers */
} GhloFuseChecker;

void        ghlo_fuse_checker_init  (GhloFuseChecker      *self,
                                     const GhloFuseGraph  *graph);
void        ghlo_fuse_checker_clear (GhloFuseChecker      *self);
/* Why the operations of numbers @list, in order, views among them, are no group with @domain; NULL where they are.
 * @recomputed gets how many elements it computes more than once. */
const char *ghlo_fuse_check         (GhloFuseChecker      *self,
                                     const GhloFuseDomain *domain,
                                     const guint32        *list,
                                     guint                 n,
                                     double               *recomputed);

G_END_DECLS
