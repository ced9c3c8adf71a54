/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The topological order is maintained as in Pearce and Kelly, "A dynamic topological sort algorithm for directed
 * acyclic graphs" (2006): when two groups are united, the predecessors of the later one move ahead of the successors of
 * the earlier one, and together they keep the set of places that they had.
 */

#include "passes/fuse/fuse-graph.h"

#include <stdlib.h>

#include "passes/effects.h"
#include "passes/walk.h"

/* The number of groups and edges that a search visits in each direction; it bounds the time of a merge. */
enum { MAX_SEEN = 128, MAX_EDGES = 1024 };

typedef struct
{
  guint32 from, to;
} Edge;

/* Construction */

typedef struct
{
  GhloFuseGraph *graph;
  GArray        *edges;       /* of Edge */
  GArray        *path;        /* of guint32: the operations around the current one, and itself */
  guint32       *depths;
  guint8        *has_effects;
} Builder;

static void
add_edge (Builder *self,
          guint32  from,
          guint32  to)
{
  const Edge edge = { from, to };

  g_array_append_val (self->edges, edge);
}

static guint32
depth_of (const Builder  *self,
          const GhloIrOp *op)
{
  const GhloIrOp *parent = ghlo_ir_op_get_parent (op);

  return parent == self->graph->func ? 0 : self->depths[parent->id] + 1;
}

/* Adds an edge from the definer of each operand to the operation in the definer's block that is @number or
 * contains it. */
static void
add_sources (Builder *self,
             guint32  number)
{
  const GhloIrOp *op = self->graph->nodes[number].op;

  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrOp *source = ghlo_ir_op_operand (op, i)->op;

      if (source != NULL)
        add_edge (self, source->id, g_array_index (self->path, guint32, self->depths[source->id]));
    }
}

static void
mark_effects (Builder *self,
              guint32  number)
{
  const GhloIrOp *op = self->graph->nodes[number].op;

  while (op != self->graph->func && !self->has_effects[op->id])
    {
      self->has_effects[op->id] = TRUE;
      op = ghlo_ir_op_get_parent (op);
    }
}

/* Chains the operations with effects of each block. */
static void
order_effects (Builder *self)
{
  g_autoptr (GArray) last = g_array_new (FALSE, TRUE, sizeof (guint32));

  for (guint32 i = 0; i < self->graph->n_nodes; i++)
    {
      guint32 depth = self->depths[i], *before;

      if (depth >= last->len)
        g_array_set_size (last, depth + 1);
      before = &g_array_index (last, guint32, depth);
      if (self->graph->nodes[i].op->previous == NULL)
        *before = GHLO_FUSE_NONE;
      if (!self->has_effects[i])
        continue;
      if (*before != GHLO_FUSE_NONE)
        add_edge (self, *before, i);
      *before = i;
    }
}

/* Sorts the edges by one of their ends: *@others gets the other ends, *@first where those of each operation begin. */
static void
sort_edges (const GArray  *edges,
            guint          n,
            gboolean       by_source,
            guint32      **first,
            guint32      **others)
{
  guint32 *end = g_new0 (guint32, n + 1);

  *others = g_new (guint32, edges->len + 1);
  for (guint i = 0; i < edges->len; i++)
    {
      const Edge *edge = &g_array_index (edges, Edge, i);

      end[(by_source ? edge->from : edge->to) + 1]++;
    }
  for (guint i = 0; i < n; i++)
    end[i + 1] += end[i];
  *first = g_memdup2 (end, (n + 1) * sizeof (guint32));
  for (guint i = 0; i < edges->len; i++)
    {
      const Edge *edge = &g_array_index (edges, Edge, i);

      (*others)[end[by_source ? edge->from : edge->to]++] = by_source ? edge->to : edge->from;
    }
  g_free (end);
}

static void
add_nodes (GhloFuseGraph *self)
{
  g_autoptr (GArray) nodes = g_array_new (FALSE, TRUE, sizeof (GhloFuseNode));

  for (GhloIrOp *op = ghlo_pass_next_op (self->func, self->func); op != NULL; op = ghlo_pass_next_op (op, self->func))
    {
      const GhloFuseNode node = { .op = op, .group = nodes->len, .order = nodes->len, .n_members = 1 };

      op->id = nodes->len;
      g_array_append_val (nodes, node);
    }
  self->n_nodes = nodes->len;
  self->nodes = (GhloFuseNode *) (gpointer) g_array_free (g_steal_pointer (&nodes), FALSE);
}

static void
add_edges (GhloFuseGraph *self,
           GHashTable    *functions)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (Edge));
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree guint32 *depths = g_new (guint32, self->n_nodes + 1);
  g_autofree guint8 *has_effects = g_new0 (guint8, self->n_nodes + 1);
  Builder builder = { self, edges, path, depths, has_effects };

  for (guint32 i = 0; i < self->n_nodes; i++)
    {
      depths[i] = depth_of (&builder, self->nodes[i].op);
      g_array_set_size (path, depths[i]);
      g_array_append_val (path, i);
      add_sources (&builder, i);
      if (!ghlo_pass_is_pure_alone (self->nodes[i].op, functions))
        mark_effects (&builder, i);
    }
  order_effects (&builder);
  sort_edges (edges, self->n_nodes, TRUE, &self->first_user, &self->users);
  sort_edges (edges, self->n_nodes, FALSE, &self->first_source, &self->sources);
}

GhloFuseGraph *
ghlo_fuse_graph_new (GhloIrOp   *func,
                     GHashTable *functions)
{
  GhloFuseGraph *self = g_new0 (GhloFuseGraph, 1);

  self->func = func;
  add_nodes (self);
  add_edges (self, functions);
  self->before = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->behind = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->seen = g_new0 (guint32, self->n_nodes + 1);

  return self;
}

void
ghlo_fuse_graph_free (GhloFuseGraph *self)
{
  for (guint i = 0; i < self->n_nodes; i++)
    g_free (self->nodes[i].members);
  g_free (self->nodes);
  g_free (self->first_user);
  g_free (self->users);
  g_free (self->first_source);
  g_free (self->sources);
  g_array_unref (self->before);
  g_array_unref (self->behind);
  g_free (self->seen);
  g_free (self);
}

/* Queries and searches */

guint32
ghlo_fuse_graph_source (const GhloIrOp    *op,
                        const GhloIrValue *value)
{
  return value->op != NULL && value->op->block == op->block ? value->op->id : GHLO_FUSE_NONE;
}

guint32
ghlo_fuse_graph_origin (const GhloFuseGraph *self,
                        guint32              number)
{
  while (number != GHLO_FUSE_NONE && ghlo_fuse_role_is_view (self->nodes[number].role))
    {
      const GhloIrOp *op = self->nodes[number].op;

      number = op->n_operands == 1 ? ghlo_fuse_graph_source (op, ghlo_ir_op_operand (op, 0)) : GHLO_FUSE_NONE;
    }

  return number;
}

/* Whether @number is a view of what @a or @b computes. */
static gboolean
is_own_view (const GhloFuseGraph *self,
             guint32              number,
             guint32              a,
             guint32              b)
{
  guint32 origin;

  if (!ghlo_fuse_role_is_view (self->nodes[number].role))
    return FALSE;
  origin = ghlo_fuse_graph_origin (self, number);

  return origin != GHLO_FUSE_NONE && (self->nodes[origin].group == a || self->nodes[origin].group == b);
}

/* A search in one direction between two groups. */
typedef struct
{
  GhloFuseGraph *graph;
  guint32        earlier, later;
  gboolean       is_forward;
  GArray        *found;
  guint          n_edges;
} Search;

static const char *
visit (Search  *self,
       guint32  number,
       guint32  neighbour)
{
  GhloFuseGraph *graph = self->graph;
  guint32 from = self->is_forward ? number : neighbour, to = self->is_forward ? neighbour : number;
  guint32 source = graph->nodes[from].group, target = graph->nodes[to].group, next;

  if (source == target)
    return NULL;
  /* A view of a group's own value is part of the group. */
  if (target == self->earlier || target == self->later
        ? is_own_view (graph, from, self->earlier, self->later) : is_own_view (graph, from, target, target))
    return NULL;
  if (target == self->later && source == self->earlier)
    return NULL;
  next = self->is_forward ? target : source;
  if (next == (self->is_forward ? self->later : self->earlier))
    return graph->nodes[self->is_forward ? from : to].group == (self->is_forward ? self->earlier : self->later)
             ? NULL : "one depends on the other through operations outside the group";
  if (self->is_forward ? graph->nodes[next].order > graph->nodes[self->later].order
                       : graph->nodes[next].order < graph->nodes[self->earlier].order)
    return NULL;
  if (graph->seen[next] == graph->n_searches)
    return NULL;
  graph->seen[next] = graph->n_searches;
  g_array_append_val (self->found, next);

  return self->found->len > MAX_SEEN ? "there are too many operations between them" : NULL;
}

static const char *
visit_all (Search  *self,
           guint32  group)
{
  const GhloFuseGraph *graph = self->graph;
  const GhloFuseNode *node = &graph->nodes[group];
  const guint32 *first = self->is_forward ? graph->first_user : graph->first_source;
  const guint32 *others = self->is_forward ? graph->users : graph->sources;
  const char *reason = NULL;

  for (guint i = 0; i < node->n_members; i++)
    {
      guint32 number = node->members != NULL ? node->members[i] : group;

      for (guint32 k = first[number]; k < first[number + 1]; k++)
        {
          if (++self->n_edges > MAX_EDGES)
            return "there are too many operations between them";
          reason = visit (self, number, others[k]);
          if (reason != NULL)
            return reason;
        }
    }

  return NULL;
}

static const char *
search (Search *self)
{
  const char *reason;

  self->graph->n_searches++;
  g_array_set_size (self->found, 0);
  reason = visit_all (self, self->is_forward ? self->earlier : self->later);
  for (guint i = 0; reason == NULL && i < self->found->len; i++)
    reason = visit_all (self, g_array_index (self->found, guint32, i));

  return reason;
}

const char *
ghlo_fuse_graph_search (GhloFuseGraph *self,
                        guint32        a,
                        guint32        b)
{
  gboolean a_first = self->nodes[a].order < self->nodes[b].order;
  Search forward = { self, a_first ? a : b, a_first ? b : a, TRUE, self->behind };
  Search backward = { self, forward.earlier, forward.later, FALSE, self->before };
  const char *reason = search (&forward);

  return reason != NULL ? reason : search (&backward);
}

/* Union */

static int
compare_numbers (gconstpointer a,
                 gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return (x > y) - (x < y);
}

static int
compare_orders (gconstpointer a,
                gconstpointer b,
                gpointer      data)
{
  const GhloFuseGraph *self = data;
  guint32 x = self->nodes[*(const guint32 *) a].order, y = self->nodes[*(const guint32 *) b].order;

  return (x > y) - (x < y);
}

/* Reassigns the places of the groups that were found, of @group, and of the later of the united groups: predecessors
 * first, then @group, then successors. */
static void
reorder (GhloFuseGraph *self,
         guint32        group,
         guint32        later)
{
  guint n_before = self->before->len, n_behind = self->behind->len, n = 0;
  g_autofree guint32 *places = g_new (guint32, n_before + n_behind + 2);

  g_array_sort_with_data (self->before, compare_orders, self);
  g_array_sort_with_data (self->behind, compare_orders, self);
  for (guint i = 0; i < n_before; i++)
    places[n++] = self->nodes[g_array_index (self->before, guint32, i)].order;
  for (guint i = 0; i < n_behind; i++)
    places[n++] = self->nodes[g_array_index (self->behind, guint32, i)].order;
  places[n++] = self->nodes[group].order;
  places[n++] = later;
  qsort (places, n, sizeof places[0], compare_numbers);
  for (guint i = 0; i < n_before; i++)
    self->nodes[g_array_index (self->before, guint32, i)].order = places[i];
  self->nodes[group].order = places[n_before];
  for (guint i = 0; i < n_behind; i++)
    self->nodes[g_array_index (self->behind, guint32, i)].order = places[n_before + 2 + i];
}

guint32
ghlo_fuse_graph_unite (GhloFuseGraph *self,
                       guint32        a,
                       guint32        b)
{
  GhloFuseNode *x = &self->nodes[a], *y = &self->nodes[b];
  guint32 n = x->n_members + y->n_members, *members = g_new (guint32, n), i = 0, k = 0;
  guint32 *of_x = x->members != NULL ? x->members : &a, *of_y = y->members != NULL ? y->members : &b;
  guint32 later = MAX (x->order, y->order);

  for (guint m = 0; m < n; m++)
    members[m] = k == y->n_members || (i < x->n_members && of_x[i] < of_y[k]) ? of_x[i++] : of_y[k++];
  for (guint m = 0; m < n; m++)
    self->nodes[members[m]].group = a;
  x->order = MIN (x->order, y->order);
  g_free (x->members);
  g_clear_pointer (&y->members, g_free);
  x->members = members;
  x->n_members = n;
  reorder (self, a, later);

  return a;
}
