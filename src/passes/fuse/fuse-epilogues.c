/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The groups of "fuse-epilogues": a product or convolution and the elementwise operations on its result, on their
 * results, and so on. A device may apply these to each finished part of the result while it is in the cache. A reshape
 * that is the only use of the product's result counts as the product.
 *
 * An operation is within reach if all its dependences on the product go through operations within reach. Among those,
 * operations are left to the steps that read them where fewer bytes are written that way. So the square of a result
 * that is only summed stays with the sum, and relu with its mask goes with the product.
 *
 * Then elementwise operations on other values join the group if only the group reads them, as those on the moments to
 * which an optimizer adds a gradient. Otherwise they would be a step of their own, or the end of one.
 */

#include "passes/fuse/fuse-kernels.h"

#include <string.h>

#include "passes/walk.h"

/* The number of operations after a product that are considered. It keeps the time proportional to the size of
 * the program. */
enum { WINDOW = 1024 };

/* The most operations, one reading the other, that are left to readers for one value. */
enum { MAX_DEPTH = 8 };

/* The least benefit of one merge: that of saving a step, in nanoseconds. */
#define GAIN 1000.0

typedef enum
{
  UNRELATED,
  WITHIN,       /* the product, and operations that may be in its group */
  BEYOND,       /* depends on the product in another way */
} State;

typedef struct
{
  GhloFuseKernels *maker;
  guint32          product, end;         /* product: the number of the product, or of its reshape; end: of the window */
  guint8           states[WINDOW];       /* of operations from the product on */
  guint8           is_live_out[WINDOW];  /* of operations within reach: whether others read their results */
  guint8           marks[WINDOW];
} Search;

static const GhloFuseNode *
node_of (const Search *self,
         guint32       number)
{
  return &self->maker->graph->nodes[number];
}

static State
state_of (const Search *self,
          guint32       number)
{
  return number >= self->product && number < self->end ? self->states[number - self->product] : UNRELATED;
}

/* How the operation @number depends on the product. */
static State
find_state (const Search *self,
            guint32       number)
{
  const GhloFuseGraph *graph = self->maker->graph;
  State state = UNRELATED;

  for (guint32 k = graph->first_source[number]; k < graph->first_source[number + 1]; k++)
    state = MAX (state, state_of (self, graph->sources[k]));

  return state;
}

static gboolean
may_be_within (const Search *self,
               guint32       number)
{
  const GhloFuseNode *node = node_of (self, number), *product = node_of (self, self->product);

  if (node->op->block != product->op->block || node->n_members > 1 || node->group != number)
    return FALSE;
  if (node->role == GHLO_FUSE_ROLE_RESHAPE || node->role == GHLO_FUSE_ROLE_CONVERT)
    return TRUE;

  return (node->role == GHLO_FUSE_ROLE_ELEMENTWISE || node->role == GHLO_FUSE_ROLE_FUNCTION)
         && ghlo_fuse_domain_is_full (&self->maker->candidates[self->product].domain, node->op->results[0].type);
}

static guint32
last_user (const Search *self,
           guint32       number)
{
  const GhloFuseGraph *graph = self->maker->graph;
  guint32 last = number;

  for (guint32 k = graph->first_user[number]; k < graph->first_user[number + 1]; k++)
    last = MAX (last, graph->users[k]);

  return last;
}

static void
find_within (Search *self)
{
  const guint32 limit = MIN (self->maker->graph->n_nodes, self->product + WINDOW);
  guint32 last = last_user (self, self->product);

  self->states[0] = WITHIN;
  for (self->end = self->product + 1; self->end < limit && self->end <= last; self->end++)
    {
      State state = find_state (self, self->end);

      if (state == WITHIN && !may_be_within (self, self->end))
        state = BEYOND;
      if (state == WITHIN)
        last = MAX (last, last_user (self, self->end));
      self->states[self->end - self->product] = state;
    }
}

/* How the values of one operation are used. */
typedef struct
{
  gboolean within;      /* by operations within reach */
  gboolean outside;
  gboolean as_values;   /* outside, by operations that are in no group: the values have to be written */
} Uses;

static void
add_uses (const Search *self,
          guint32       number,
          Uses         *uses)
{
  const GhloFuseGraph *graph = self->maker->graph;

  for (guint32 k = graph->first_user[number]; k < graph->first_user[number + 1]; k++)
    {
      guint32 user = graph->users[k];
      GhloFuseRole role = graph->nodes[user].role;

      if (state_of (self, user) != WITHIN)
        {
          uses->outside = TRUE;
          uses->as_values |= role == GHLO_FUSE_ROLE_NONE || role == GHLO_FUSE_ROLE_PRODUCT;
        }
      if (ghlo_fuse_role_is_view (role))
        add_uses (self, user, uses);
      else if (state_of (self, user) == WITHIN)
        uses->within = TRUE;
    }
}

static gsize
size_of (const Search *self,
         guint32       number)
{
  return ghlo_element_info (node_of (self, number)->op->results[0].type->element_type)->size;
}

/* The bytes per point that would have to be written if @number were left out: the values that it reads and nobody
 * outside reads yet. One that only @number reads may be left out as well, if that costs less, as where a value is
 * rounded to few bits, which are stored, and widened again. With @is_excluded, records what is left out. */
static gsize
find_cost_of_excluding (Search   *self,
                        guint32   number,
                        guint     depth,
                        gboolean  is_excluded)
{
  const GhloFuseGraph *graph = self->maker->graph;
  gsize cost = 0;

  if (is_excluded && !ghlo_fuse_role_is_view (graph->nodes[number].role))
    self->states[number - self->product] = BEYOND;

  for (guint32 k = graph->first_source[number]; k < graph->first_source[number + 1]; k++)
    {
      guint32 source = graph->sources[k];

      if (state_of (self, source) != WITHIN)
        continue;
      if (ghlo_fuse_role_is_view (graph->nodes[source].role))
        cost += find_cost_of_excluding (self, source, depth, is_excluded);
      else if (!self->is_live_out[source - self->product])
        {
          const gsize own = size_of (self, source);
          const gsize less = source != self->product && depth > 0
                             && graph->first_user[source + 1] - graph->first_user[source] == 1
                             ? find_cost_of_excluding (self, source, depth - 1, FALSE) : own;

          cost += MIN (own, less);
          if (less < own)
            {
              if (is_excluded)
                find_cost_of_excluding (self, source, depth - 1, TRUE);
              continue;
            }
        }
      self->is_live_out[source - self->product] |= is_excluded;
    }

  return cost;
}

/* Whether all that @number reads within reach is marked or would be written in any case. Sets *@is_dependent where any
 * of it is marked. */
static gboolean
has_sources (const Search *self,
             guint32       number,
             gboolean     *is_dependent)
{
  const GhloFuseGraph *graph = self->maker->graph;

  for (guint32 k = graph->first_source[number]; k < graph->first_source[number + 1]; k++)
    {
      const guint32 source = graph->sources[k];

      if (state_of (self, source) != WITHIN)
        continue;
      if (self->marks[source - self->product])
        *is_dependent = TRUE;
      else if (ghlo_fuse_role_is_view (graph->nodes[source].role) ? !has_sources (self, source, is_dependent)
                                                                 : !self->is_live_out[source - self->product])
        return FALSE;
    }

  return TRUE;
}

/* Marks @number and everything within reach that is computed from it, and adds up the bytes per point of the latter
 * that have to be written. FALSE where some of it cannot be left out. */
static gboolean
mark_dependents (Search  *self,
                 guint32  number,
                 gsize   *bytes)
{
  guint32 last = last_user (self, number);

  memset (self->marks, 0, sizeof self->marks);
  self->marks[number - self->product] = TRUE;
  *bytes = 0;
  for (guint32 i = number + 1; i < self->end && i <= last; i++)
    {
      gboolean is_dependent = FALSE, has_all = state_of (self, i) == WITHIN && has_sources (self, i, &is_dependent);
      Uses uses = { FALSE };

      if (state_of (self, i) != WITHIN || !is_dependent)
        continue;
      if (!ghlo_fuse_role_is_view (node_of (self, i)->role))
        {
          add_uses (self, i, &uses);
          if (uses.as_values || !has_all)
            return FALSE;
          *bytes += self->is_live_out[i - self->product] ? size_of (self, i) : 0;
        }
      self->marks[i - self->product] = TRUE;
      last = MAX (last, last_user (self, i));
    }

  return TRUE;
}

/* Leaves out everything that is computed from @number where fewer bytes are written that way. */
static void
trim_dependents (Search  *self,
                 guint32  number)
{
  gsize bytes;

  if (self->is_live_out[number - self->product] || !mark_dependents (self, number, &bytes)
      || bytes <= size_of (self, number))
    return;
  for (guint32 i = number + 1; i < self->end; i++)
    if (self->marks[i - self->product] && !ghlo_fuse_role_is_view (node_of (self, i)->role))
      self->states[i - self->product] = BEYOND;
  self->is_live_out[number - self->product] = TRUE;
}

/* Goes backwards and leaves an operation to its readers where including it would only add to the bytes that
 * are written. */
static void
trim_group (Search *self)
{
  for (guint32 number = self->end; number-- > self->product; )
    {
      Uses uses = { FALSE };

      if (state_of (self, number) != WITHIN)
        continue;
      add_uses (self, number, &uses);
      self->is_live_out[number - self->product] = uses.outside;
    }
  for (guint32 number = self->end; number-- > self->product; )
    {
      Uses uses = { FALSE };

      if (state_of (self, number) != WITHIN || ghlo_fuse_role_is_view (node_of (self, number)->role))
        continue;
      trim_dependents (self, number);
      add_uses (self, number, &uses);
      if (number == self->product || uses.within || uses.as_values
          || find_cost_of_excluding (self, number, MAX_DEPTH, FALSE) >= size_of (self, number))
        continue;
      find_cost_of_excluding (self, number, MAX_DEPTH, TRUE);
    }
}

/* Reports why operations that read values of the group stay outside. */
static void
report_excluded (const Search *self)
{
  const GhloFuseGraph *graph = self->maker->graph;
  const GhloIrOp *first = node_of (self, self->product)->op;

  for (guint32 number = self->product + 1; number < self->end; number++)
    {
      const GhloFuseNode *node = &graph->nodes[number];

      if (find_state (self, number) != WITHIN || state_of (self, number) == WITHIN
          || node->op->block != first->block)
        continue;
      if (node->role == GHLO_FUSE_ROLE_ELEMENTWISE || node->role == GHLO_FUSE_ROLE_FUNCTION)
        ghlo_fuse_refuse (self->maker->fuser, first, node->op,
                          node->group != number || node->n_members > 1 ? "it is in another group"
                          : may_be_within (self, number) ? "fewer bytes are written if its readers compute it"
                                                         : "its dimensions are not those of the product");
      else if (node->op->n_results > 0)
        ghlo_fuse_refuse (self->maker->fuser, first, node->op, "it is not elementwise");
    }
}

/* The reshape that is the only user of @product and is not a view; @product where there is none. */
static guint32
find_reshaped (const GhloFuseGraph *graph,
               guint32              product)
{
  guint32 user;

  if (graph->first_user[product + 1] - graph->first_user[product] != 1)
    return product;
  user = graph->users[graph->first_user[product]];

  return graph->nodes[user].op->kind == GHLO_OP_STABLEHLO_RESHAPE
         && graph->nodes[user].op->block == graph->nodes[product].op->block
         && graph->nodes[user].role == GHLO_FUSE_ROLE_NONE ? user : product;
}

static void
merge_within (Search  *self,
              guint32  product)
{
  gboolean is_merged = product == self->product;

  for (guint32 number = self->product + 1; number < self->end; number++)
    {
      if (state_of (self, number) != WITHIN || ghlo_fuse_role_is_view (node_of (self, number)->role))
        continue;
      if (!is_merged && !ghlo_fuse_kernels_merge (self->maker, product, self->product, GAIN))
        return;
      is_merged = TRUE;
      ghlo_fuse_kernels_merge (self->maker, product, number, GAIN);
    }
}

/* Whether only @product's group, and possibly @reader, read @number, and the product itself does not. */
static gboolean
is_read_within (const Search *self,
                guint32       product,
                guint32       number,
                guint32       reader)
{
  const GhloFuseGraph *graph = self->maker->graph;

  for (guint32 k = graph->first_user[number]; k < graph->first_user[number + 1]; k++)
    {
      const guint32 user = graph->users[k];

      if (user == product || (user != reader && graph->nodes[user].group != graph->nodes[product].group))
        return FALSE;
    }

  return graph->first_user[number + 1] > graph->first_user[number];
}

/* Whether all that @number reads is available in any case, or may join as well. This is not so for values that another
 * group might compute together with @number, nor for a product, which may have a group of its own. */
static gboolean
has_values (const Search *self,
            guint32       product,
            guint32       number)
{
  const GhloFuseGraph *graph = self->maker->graph;

  for (guint32 k = graph->first_source[number]; k < graph->first_source[number + 1]; k++)
    {
      const guint32 source = graph->sources[k];
      const GhloFuseNode *node = &graph->nodes[source];
      gboolean ok = node->role != GHLO_FUSE_ROLE_PRODUCT;

      if (ghlo_fuse_role_is_view (node->role))
        ok = has_values (self, product, source);
      else if (ok && node->role != GHLO_FUSE_ROLE_NONE && node->group == source && node->n_members <= 1
               && ghlo_fuse_domain_is_full (&self->maker->candidates[self->product].domain, node->op->results[0].type))
        ok = may_be_within (self, source) && is_read_within (self, product, source, number);
      if (!ok)
        return FALSE;
    }

  return TRUE;
}

/* Goes backwards, so that all readers of an operation have joined before it. */
static void
join_sources (Search  *self,
              guint32  product)
{
  const guint32 first = product > WINDOW ? product - WINDOW : 0;

  if (self->maker->graph->nodes[product].n_members <= 1)
    return;
  for (guint32 number = self->end; number-- > first; )
    if (state_of (self, number) == UNRELATED && may_be_within (self, number)
        && !ghlo_fuse_role_is_view (node_of (self, number)->role) && is_read_within (self, product, number, number)
        && has_values (self, product, number))
      ghlo_fuse_kernels_merge (self->maker, product, number, GAIN);
}

static void
grow_group (Search  *self,
            guint32  product)
{
  GhloFuseNode *node;

  self->product = find_reshaped (self->maker->graph, product);
  node = &self->maker->graph->nodes[self->product];
  node->role = GHLO_FUSE_ROLE_PRODUCT;
  self->maker->candidates[self->product].domain = ghlo_fuse_domain_of (node);
  find_within (self);
  trim_group (self);
  merge_within (self, product);
  join_sources (self, product);
  ghlo_fuse_kernels_join_prologue (self->maker, product);
  report_excluded (self);
  if (node->group == self->product && self->product != product)
    node->role = GHLO_FUSE_ROLE_NONE;
}

gboolean
ghlo_fuse_kernels_grow (GhloFuseKernels  *self,
                        GError          **error)
{
  g_autofree Search *search = g_new0 (Search, 1);

  search->maker = self;
  for (guint32 i = 0; i < self->graph->n_nodes; i++)
    {
      if (ghlo_monitor_cancelled (ghlo_fuse_get_monitor (self->fuser), error))
        return FALSE;
      if (self->graph->nodes[i].role == GHLO_FUSE_ROLE_PRODUCT && self->graph->nodes[i].group == i)
        grow_group (search, i);
    }

  return TRUE;
}
