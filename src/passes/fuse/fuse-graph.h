/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The graph in which groups are found. Its nodes are the operations of a function. Its edges are, for each block, the
 * dependences between the operations of that block; what happens in an operation's regions counts as that operation's.
 * Operations are united into groups, and the graph keeps a topological order of the groups. Whether two groups may be
 * united is found by looking at the groups between them in this order. After any number of unions, the order is a valid
 * order of the function's operations.
 *
 * Operations are identified by their numbers in the function, which are also their scratch numbers. Users of a view
 * (see fuse-role.h) compute the view for themselves. A view that reads a result of a group is therefore no path from
 * this group back into it.
 */

#pragma once

#include "passes/fuse/fuse-role.h"

G_BEGIN_DECLS

#define GHLO_FUSE_NONE G_MAXUINT32

typedef struct
{
  GhloIrOp    *op;
  guint32      group;        /* the operation that represents the group; itself where it is in none */
  guint32      order;        /* of a group: its place in the topological order */
  guint32      n_members;    /* of a group; where there is more than one, they are in @members in program order */
  guint32     *members;      /* owned */
  GhloFuseRole role;
} GhloFuseNode;

typedef struct
{
  GhloIrOp     *func;
  guint         n_nodes;
  GhloFuseNode *nodes;
  guint32      *first_user, *users;      /* the users of operation i begin at users[first_user[i]] and end before
                                            users[first_user[i + 1]] */
  guint32      *first_source, *sources;  /* the same for the operations that operation i depends on */
  /* The groups that the last search found between two groups: predecessors of the later one, and successors of the
   * earlier one. */
  GArray       *before, *behind;         /* of guint32 */
  guint32      *seen, n_searches;        /* for each group the number of the last search that visited it */
} GhloFuseGraph;

/* @functions: see ghlo_pass_pure_functions (). Operations with effects keep their order. */
GhloFuseGraph *ghlo_fuse_graph_new     (GhloIrOp            *func,
                                        GHashTable          *functions);
void           ghlo_fuse_graph_free    (GhloFuseGraph       *self);

/* Follows the views from @number and returns the first operation of the same block that is not a view,
 * or GHLO_FUSE_NONE. */
guint32        ghlo_fuse_graph_origin  (const GhloFuseGraph *self,
                                        guint32              number);
/* The operation that defines @value where it is in the same block as @op, else GHLO_FUSE_NONE. */
guint32        ghlo_fuse_graph_source  (const GhloIrOp      *op,
                                        const GhloIrValue   *value);

/* Why the groups @a and @b cannot be united; NULL where they can. In that case ghlo_fuse_graph_unite () unites them; no
 * other search may come in between. */
const char    *ghlo_fuse_graph_search  (GhloFuseGraph       *self,
                                        guint32              a,
                                        guint32              b);
guint32        ghlo_fuse_graph_unite   (GhloFuseGraph       *self,
                                        guint32              a,
                                        guint32              b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloFuseGraph, ghlo_fuse_graph_free)

G_END_DECLS
