/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The graph that groups are found in: the operations of a function, and for each block which of
 * them needs what another one gives, what is in regions counting as the operation around them.
 * Operations are united into groups, and the graph of these keeps an order in which each stands
 * behind all that it needs: so that two groups may be one is found by looking at what lies between
 * them, and after any number of unions the order is one that the function's operations may have.
 *
 * Operations are known by their numbers in the function, which are their scratch numbers too.
 * What a view does (see role.h) its users do for themselves: where it reads what a group gives,
 * it is no way from this group back into it.
 */

#pragma once

#include "passes/fuse-role.h"

G_BEGIN_DECLS

#define GHLO_FUSE_NONE G_MAXUINT32

typedef struct
{
  GhloIrOp    *op;
  guint32      group;        /* the operation that stands for the group; itself where it is in none */
  guint32      order;        /* of a group */
  guint32      n_members;    /* of a group; those in @members, in their order, where there are more than one */
  guint32     *members;      /* owned */
  GhloFuseRole role;
} GhloFuseNode;

typedef struct
{
  GhloIrOp     *func;
  guint         n_nodes;
  GhloFuseNode *nodes;
  guint32      *first_user, *users;      /* of operation i from first_user[i] to first_user[i + 1] */
  guint32      *first_source, *sources;  /* of operation i, what it needs */
  /* The groups that the last search found between two: before the later one, and behind the earlier one. */
  GArray       *before, *behind;         /* of guint32 */
  guint32      *seen, n_searches;        /* the search that last saw each group */
} GhloFuseGraph;

/* @functions: see ghlo_pass_pure_functions (). What has effects stays in its order. */
GhloFuseGraph *ghlo_fuse_graph_new     (GhloIrOp            *func,
                                        GHashTable          *functions);
void           ghlo_fuse_graph_free    (GhloFuseGraph       *self);

/* Of the views that @number, a view, reads through, the first one's operand: an operation of the same block, or
 * NONE. */
guint32        ghlo_fuse_graph_origin  (const GhloFuseGraph *self,
                                        guint32              number);
/* The operation that @value is of where that is in the same block as @op, else NONE. */
guint32        ghlo_fuse_graph_source  (const GhloIrOp      *op,
                                        const GhloIrValue   *value);

/* Why the groups @a and @b may not be one, or NULL: then ghlo_fuse_graph_unite () makes one of them, before
 * anything else is searched. */
const char    *ghlo_fuse_graph_search  (GhloFuseGraph       *self,
                                        guint32              a,
                                        guint32              b);
guint32        ghlo_fuse_graph_unite   (GhloFuseGraph       *self,
                                        guint32              a,
                                        guint32              b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloFuseGraph, ghlo_fuse_graph_free)

G_END_DECLS
