/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A node in the first place is on the source's side of the cut. So its cost there is the capacity of an edge to the
 * sink, which the cut then contains, and its cost in the second place that of an edge from the source.
 */

#include "plan/cut.h"

enum { SOURCE, SINK, N_FIXED };

#define NO_EDGE G_MAXUINT32

/* Edges come in pairs, one for each direction; the reverse of edge e is e ^ 1. */
typedef struct
{
  guint32 to;
  guint32 next;        /* edge from the same node */
  gint64  left;        /* residual capacity */
} Edge;

typedef struct
{
  guint32 first;       /* edge, or NO_EDGE, as is the next one */
  guint32 current;     /* the first edge that may still lead to the sink, in this round */
  guint32 level;       /* distance from the source in edges; G_MAXUINT32: not reached */
  gboolean is_there;
} Node;

struct _GhloCut
{
  GArray  *nodes;      /* of Node: source, sink, then the added nodes */
  GArray  *edges;      /* of Edge */
  guint64  n_visits;
};

static Node *
node_at (const GhloCut *self,
         guint          node)
{
  return &g_array_index (self->nodes, Node, node);
}

static Edge *
edge_at (const GhloCut *self,
         guint          edge)
{
  return &g_array_index (self->edges, Edge, edge);
}

static guint
add_node (GhloCut *self)
{
  const Node node = { .first = NO_EDGE };

  g_array_append_val (self->nodes, node);

  return self->nodes->len - 1;
}

static void
add_edge (GhloCut *self,
          guint    from,
          guint    to,
          gint64   capacity)
{
  Edge forth = { to, node_at (self, from)->first, MIN (capacity, GHLO_CUT_NEVER) };
  Edge back = { from, node_at (self, to)->first, 0 };

  if (capacity <= 0)
    return;
  if (capacity < GHLO_CUT_NEVER)
    forth.left = MIN (capacity, GHLO_CUT_MOST);
  node_at (self, from)->first = self->edges->len;
  g_array_append_val (self->edges, forth);
  node_at (self, to)->first = self->edges->len;
  g_array_append_val (self->edges, back);
}

GhloCut *
ghlo_cut_new (void)
{
  GhloCut *self = g_new0 (GhloCut, 1);

  self->nodes = g_array_new (FALSE, FALSE, sizeof (Node));
  self->edges = g_array_new (FALSE, FALSE, sizeof (Edge));
  for (guint i = 0; i < N_FIXED; i++)
    add_node (self);

  return self;
}

void
ghlo_cut_free (GhloCut *self)
{
  g_array_unref (self->nodes);
  g_array_unref (self->edges);
  g_free (self);
}

guint
ghlo_cut_add_node (GhloCut *self,
                   gint64   cost_here,
                   gint64   cost_there)
{
  guint node = add_node (self);

  add_edge (self, SOURCE, node, cost_there);
  add_edge (self, node, SINK, cost_here);

  return node - N_FIXED;
}

void
ghlo_cut_add_pair (GhloCut *self,
                   guint    here,
                   guint    there,
                   gint64   cost)
{
  add_edge (self, here + N_FIXED, there + N_FIXED, cost);
}

/* Finds the levels of nodes by a breadth-first search along residual edges from the source, or with @backwards to
 * the sink. */
static void
find_levels (GhloCut  *self,
             gboolean  backwards)
{
  g_autofree guint32 *queue = g_new (guint32, self->nodes->len);
  guint begin = 0, end = 0;

  for (guint i = 0; i < self->nodes->len; i++)
    {
      node_at (self, i)->level = G_MAXUINT32;
      node_at (self, i)->current = node_at (self, i)->first;
    }
  queue[end++] = backwards ? SINK : SOURCE;
  node_at (self, queue[0])->level = 0;
  while (begin < end)
    {
      const Node *from = node_at (self, queue[begin++]);

      for (guint e = from->first; e != NO_EDGE; e = edge_at (self, e)->next)
        {
          Node *to = node_at (self, edge_at (self, e)->to);

          self->n_visits++;
          if (to->level != G_MAXUINT32 || edge_at (self, backwards ? e ^ 1 : e)->left == 0)
            continue;
          to->level = from->level + 1;
          queue[end++] = edge_at (self, e)->to;
        }
    }
}

/* The next residual edge from @node to the next level; NO_EDGE where there is none. */
static guint
next_edge (GhloCut *self,
           guint    node)
{
  Node *from = node_at (self, node);

  for (; from->current != NO_EDGE; from->current = edge_at (self, from->current)->next)
    {
      const Edge *edge = edge_at (self, from->current);

      self->n_visits++;
      if (edge->left > 0 && node_at (self, edge->to)->level == from->level + 1)
        break;
    }

  return from->current;
}

/* Pushes as much flow as possible along @path, edges from the source to the sink. Returns the number of edges before
 * the first one that is saturated then. */
static guint
push (GhloCut       *self,
      const guint32 *path,
      guint          n)
{
  gint64 least = G_MAXINT64;
  guint left = n;

  for (guint i = 0; i < n; i++)
    least = MIN (least, edge_at (self, path[i])->left);
  for (guint i = n; i-- > 0;)
    {
      edge_at (self, path[i])->left -= least;
      edge_at (self, path[i] ^ 1)->left += least;
      if (edge_at (self, path[i])->left == 0)
        left = i;
    }
  self->n_visits += n;

  return left;
}

/* Finds a blocking flow: pushes flow until no path along the levels is left. */
static void
push_blocking_flow (GhloCut *self,
                    guint64  max_visits)
{
  g_autofree guint32 *path = g_new (guint32, self->nodes->len);
  guint n = 0, node = SOURCE;

  while (self->n_visits <= max_visits)
    {
      guint edge = node != SINK ? next_edge (self, node) : NO_EDGE;

      if (node == SINK)
        n = push (self, path, n);
      else if (edge != NO_EDGE)
        path[n++] = edge;
      else if (n == 0)
        return;
      else
        {
          node_at (self, node)->level = G_MAXUINT32;
          n--;
        }
      node = n > 0 ? edge_at (self, path[n - 1])->to : SOURCE;
    }
}

gboolean
ghlo_cut_solve (GhloCut *self,
                guint64  max_visits)
{
  self->n_visits = 0;
  find_levels (self, FALSE);
  while (node_at (self, SINK)->level != G_MAXUINT32)
    {
      push_blocking_flow (self, max_visits);
      if (self->n_visits > max_visits)
        return FALSE;
      find_levels (self, FALSE);
    }
  find_levels (self, TRUE);
  for (guint i = 0; i < self->nodes->len; i++)
    node_at (self, i)->is_there = node_at (self, i)->level != G_MAXUINT32;

  return TRUE;
}

gboolean
ghlo_cut_is_there (const GhloCut *self,
                   guint          node)
{
  return node_at (self, node + N_FIXED)->is_there;
}
