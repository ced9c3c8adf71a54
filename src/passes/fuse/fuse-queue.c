/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decides which groups are merged first. A priority queue holds producers, ordered by the gain of merging them with one
 * of their consumers: one step less, and the bytes that are no longer written and read. Among equals, small groups come
 * first, so that a chain becomes one group in few rounds. Afterwards, siblings are merged, which read the same large
 * operand.
 *
 * A producer considers a limited number of uses and consumers, and none any more after MAX_REFUSED failures in a row,
 * so that the total time is proportional to the size of the program.
 */

#include "passes/fuse/fuse-kernels.h"

#include <stdlib.h>

#include "passes/constant.h"

enum
{
  MAX_CONSUMERS = 8,        /* of a group that are considered */
  MAX_USES = 512,           /* of a group that are considered */
  MAX_REFUSED = 12,
  MAX_SIBLINGS = 8,         /* attempts for a group */
};

/* Nanoseconds of overhead for a step, and for moving a byte to or from memory. */
#define STEP_TIME 1000.0
#define BYTE_TIME 0.1

typedef struct
{
  guint32 number;
  double  gain;
} Consumer;

typedef struct
{
  GhloFuseKernels *maker;
  guint32          group;
  guint            n, n_uses;
  Consumer         consumers[MAX_CONSUMERS];
  /* Of the current value. */
  guint            n_readers;
  gboolean         is_read_elsewhere;
  guint32          readers[MAX_CONSUMERS];
} Finder;

/* Consumers */

static double
bytes_of (const GhloIrOp *op)
{
  double bytes = 0;

  for (guint i = 0; i < op->n_results; i++)
    bytes += (double) ghlo_type_count (op->results[i].type)
             * ghlo_element_info (op->results[i].type->element_type)->size;

  return bytes;
}

static void
add_reader (Finder  *self,
            guint32  group)
{
  guint i = 0;

  while (i < self->n_readers && self->readers[i] != group)
    i++;
  if (i < self->n_readers)
    return;
  if (i == MAX_CONSUMERS)
    self->is_read_elsewhere = TRUE;
  else
    self->readers[self->n_readers++] = group;
}

/* Finds the users of @number, and those of views among them; chains of views are short. */
static void
find_readers (Finder  *self,
              guint32  number)
{
  const GhloFuseGraph *graph = self->maker->graph;

  for (guint32 k = graph->first_user[number]; k < graph->first_user[number + 1]; k++)
    {
      const GhloFuseNode *user = &graph->nodes[graph->users[k]];

      if (++self->n_uses > MAX_USES)
        {
          self->is_read_elsewhere = TRUE;
          return;
        }
      if (ghlo_fuse_role_is_view (user->role))
        find_readers (self, graph->users[k]);
      else if (user->role == GHLO_FUSE_ROLE_NONE)
        self->is_read_elsewhere = TRUE;
      else if (user->group != self->group)
        add_reader (self, user->group);
    }
}

static void
add_consumer (Finder  *self,
              guint32  group,
              double   gain)
{
  guint i = 0;

  while (i < self->n && self->consumers[i].number != group)
    i++;
  if (i == MAX_CONSUMERS)
    return;
  if (i == self->n)
    self->consumers[self->n++] = (Consumer) { group, STEP_TIME };
  self->consumers[i].gain += gain;
}

static int
compare_consumers (gconstpointer a,
                   gconstpointer b)
{
  const Consumer *x = a, *y = b;

  return x->gain != y->gain ? (x->gain < y->gain ? 1 : -1) : (x->number > y->number) - (x->number < y->number);
}

/* Finds the consumers of @group and sorts them, the best one first. */
static void
find_consumers (Finder          *self,
                GhloFuseKernels *maker,
                guint32          group)
{
  const GhloFuseNode *node = &maker->graph->nodes[group];

  *self = (Finder) { .maker = maker, .group = group };
  for (guint i = 0; i < node->n_members && self->n_uses <= MAX_USES; i++)
    {
      guint32 number = node->members != NULL ? node->members[i] : group;
      double time = bytes_of (maker->graph->nodes[number].op) * BYTE_TIME;

      self->n_readers = 0;
      self->is_read_elsewhere = FALSE;
      find_readers (self, number);
      for (guint k = 0; k < self->n_readers; k++)
        add_consumer (self, self->readers[k], self->n_readers == 1 && !self->is_read_elsewhere ? 2 * time : time);
    }
  qsort (self->consumers, self->n, sizeof (Consumer), compare_consumers);
}

/* The queue */

static int
compare_candidates (gconstpointer a,
                    gconstpointer b,
                    gpointer      data)
{
  const GhloFuseCandidate *x = a, *y = b;

  if (x->gain != y->gain)
    return x->gain < y->gain ? 1 : -1;
  if (x->n_ops != y->n_ops)
    return x->n_ops > y->n_ops ? 1 : -1;

  return (x->number > y->number) - (x->number < y->number);
}

static void
push (GhloFuseKernels *self,
      guint32          group)
{
  GhloFuseCandidate *candidate = &self->candidates[group];
  Finder finder;

  if (candidate->is_queued || candidate->n_refused >= MAX_REFUSED)
    return;
  find_consumers (&finder, self, group);
  if (finder.n == 0)
    return;
  candidate->gain = finder.consumers[0].gain;
  candidate->is_queued = TRUE;
  g_tree_insert (self->queue, candidate, candidate);
}

static void
drop (GhloFuseKernels *self,
      guint32          group)
{
  if (self->candidates[group].is_queued)
    g_tree_remove (self->queue, &self->candidates[group]);
  self->candidates[group].is_queued = FALSE;
}

/* The group's producers, which may now be mergeable where they were not before. */
static void
push_sources (GhloFuseKernels *self,
              guint32          group)
{
  const GhloFuseCandidate *candidate = &self->candidates[group];
  const GhloFuseGraph *graph = self->graph;

  for (guint i = 0; i < candidate->n_ops; i++)
    for (guint32 k = graph->first_source[candidate->ops[i]]; k < graph->first_source[candidate->ops[i] + 1]; k++)
      {
        const GhloFuseNode *source = &graph->nodes[graph->sources[k]];

        if (source->role != GHLO_FUSE_ROLE_NONE && !ghlo_fuse_role_is_view (source->role) && source->group != group)
          push (self, source->group);
      }
}

static gboolean
try_merge (GhloFuseKernels *self,
           guint32          a,
           guint32          b,
           double           gain)
{
  gboolean was_queued = self->candidates[a].is_queued;

  /* The queue is ordered by size too, which the merge changes. */
  drop (self, a);
  if (!ghlo_fuse_kernels_merge (self, a, b, gain))
    {
      if (was_queued)
        push (self, a);
      return FALSE;
    }
  drop (self, b);
  push (self, a);
  push_sources (self, a);

  return TRUE;
}

static gboolean
run (GhloFuseKernels  *self,
     GError          **error)
{
  GTreeNode *best;

  while ((best = g_tree_node_first (self->queue)) != NULL)
    {
      GhloFuseCandidate *candidate = g_tree_node_value (best);
      gboolean is_merged = FALSE;
      Finder finder;

      if (ghlo_monitor_cancelled (ghlo_fuse_get_monitor (self->fuser), error))
        return FALSE;
      drop (self, candidate->number);
      find_consumers (&finder, self, candidate->number);
      for (guint i = 0; i < finder.n && !is_merged && candidate->n_refused < MAX_REFUSED; i++)
        {
          is_merged = try_merge (self, candidate->number, finder.consumers[i].number, finder.consumers[i].gain);
          if (!is_merged)
            candidate->n_refused++;
        }
    }

  return TRUE;
}

/* Siblings */

static gboolean
may_be_sibling (const GhloFuseKernels *self,
                guint32                number)
{
  GhloFuseRole role = self->graph->nodes[number].role;

  return role != GHLO_FUSE_ROLE_NONE && !ghlo_fuse_role_is_view (role) && self->graph->nodes[number].group == number
         && (!self->reductions || self->candidates[number].domain.inner != 0);
}

/* Whether the elements of @value are in memory, where reading them once saves time. */
static gboolean
is_read (const GhloFuseKernels *self,
         const GhloIrValue     *value)
{
  GhloFuseRole role;

  if (value->op == NULL)
    return TRUE;
  role = self->graph->nodes[value->op->id].role;

  return role != GHLO_FUSE_ROLE_LEAF && role != GHLO_FUSE_ROLE_BROADCAST;
}

/* Merges the group with the groups that were last found to read the same values. @readers maps a value to the number of
 * a group that reads it, plus 1. */
static void
try_siblings (GhloFuseKernels *self,
              guint32          number,
              GHashTable      *readers)
{
  GhloFuseList list;
  guint n_tried = 0;

  ghlo_fuse_kernels_list (self, number, &list);
  if (list.n > GHLO_FUSE_MAX_OPS)
    return;
  for (guint i = 0; i < list.n; i++)
    {
      const GhloIrOp *op = self->graph->nodes[list.numbers[i]].op;

      for (guint k = 0; k < op->n_operands; k++)
        {
          GhloIrValue *value = ghlo_ir_op_operand (op, k);
          guint32 group = self->graph->nodes[number].group;
          guint32 other = GPOINTER_TO_UINT (g_hash_table_lookup (readers, value));

          if (!is_read (self, value) || !ghlo_fuse_domain_is_full (&self->candidates[group].domain, value->type))
            continue;
          g_hash_table_insert (readers, value, GUINT_TO_POINTER (group + 1));
          other = other > 0 ? self->graph->nodes[other - 1].group : group;
          if (other == group || self->graph->nodes[other].op->block != op->block
              || !ghlo_fuse_domain_same (&self->candidates[other].domain, &self->candidates[group].domain)
              || ++n_tried > MAX_SIBLINGS)
            continue;
          try_merge (self, other, group, STEP_TIME + BYTE_TIME * (double) ghlo_type_count (value->type));
        }
    }
}

static gboolean
find_siblings (GhloFuseKernels  *self,
               GError          **error)
{
  g_autoptr (GHashTable) readers = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < self->graph->n_nodes; i++)
    {
      if (ghlo_monitor_cancelled (ghlo_fuse_get_monitor (self->fuser), error))
        return FALSE;
      if (may_be_sibling (self, i))
        try_siblings (self, i, readers);
    }

  return TRUE;
}

/* Makes groups of single operations where this saves a step, since a view that they read would be a step of
 * the plan. */
static void
find_singles (GhloFuseKernels *self)
{
  for (guint i = 0; i < self->graph->n_nodes; i++)
    {
      gboolean is_worth = FALSE;
      GhloFuseList list;

      if (!may_be_sibling (self, i) || self->graph->nodes[i].n_members > 1)
        continue;
      ghlo_fuse_kernels_list (self, i, &list);
      for (guint k = 0; list.n <= GHLO_FUSE_MAX_OPS && k < list.n; k++)
        {
          const GhloFuseNode *node = &self->graph->nodes[list.numbers[k]];

          is_worth |= node->role == GHLO_FUSE_ROLE_CONVERT || node->op->kind == GHLO_OP_STABLEHLO_IOTA;
        }
      if (is_worth)
        self->candidates[i].is_made = ghlo_fuse_kernels_accept (self, i);
    }
}

gboolean
ghlo_fuse_kernels_queue (GhloFuseKernels  *self,
                         GError          **error)
{
  gboolean ok;

  self->queue = g_tree_new_full (compare_candidates, NULL, NULL, NULL);
  for (guint i = 0; i < self->graph->n_nodes; i++)
    {
      GhloFuseRole role = self->graph->nodes[i].role;

      if (role != GHLO_FUSE_ROLE_NONE && !ghlo_fuse_role_is_view (role))
        push (self, i);
    }
  /* United siblings may have consumers with which neither could be merged alone. */
  ok = run (self, error) && find_siblings (self, error) && run (self, error);
  if (ok)
    find_singles (self);
  g_tree_destroy (self->queue);

  return ok;
}
