/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A step in four parts: the axes of each tensor are assigned to the factors of the rule; for each factor, the axes on
 * which all tensors agree are found; factors are ordered, those that the largest tensors bring along first; and each
 * tensor gains the agreed axes that do not conflict with its other factors (Shardy: docs/propagation.md, "aggressive"
 * propagation).
 */

#include "pjrt/sharding/step.h"

#include <string.h>

static gint64
count_parts (const GhloPjrtAxes *axes,
             const GhloPjrtMesh *mesh)
{
  gint64 n = 1;

  for (guint i = 0; i < axes->n; i++)
    n *= mesh->primes[axes->primes[i]].size;

  return n;
}

static gboolean
has_prime (const GhloPjrtAxes *axes,
           guint8              prime)
{
  return memchr (axes->primes, prime, axes->n) != NULL;
}

/* Whether @axes begins with all of @prefix. */
static gboolean
starts_with (const GhloPjrtAxes *axes,
             const GhloPjrtAxes *prefix)
{
  return prefix->n <= axes->n && memcmp (axes->primes, prefix->primes, prefix->n) == 0;
}

/* The state of a factor in one tensor. */
typedef struct
{
  gboolean     is_there;
  gboolean     is_closed;
  gboolean     is_last;         /* the last one in its dimension: its parts may have different sizes */
  GhloPjrtAxes axes;
  GhloPjrtAxes overflow;        /* further axes of its dimension, in which case no later factor is sharded */
} Cell;

typedef struct
{
  const GhloPjrtStep *step;
  const GhloPjrtRule *rule;
  const GhloPjrtMesh *mesh;
  GhloPjrtSpec      **specs;
  guint               n_factors;
  Cell               *cells;            /* owned, as are the next two; by tensor and factor */
  GhloPjrtAxes       *agreed;           /* by factor */
  guint              *order;            /* the factors in order of priority */
} Work;

static Cell *
cell (const Work *self,
      guint       tensor,
      guint       factor)
{
  return &self->cells[(gsize) tensor * self->n_factors + factor];
}

static guint
taken (const Work *self,
       guint       tensor)
{
  return self->specs[tensor] != NULL ? self->specs[tensor]->taken : 0;
}

static void
append (GhloPjrtAxes *axes,
        guint8        prime)
{
  if (axes->n < GHLO_PJRT_MAX_PRIMES)
    axes->primes[axes->n++] = prime;
}

/* Assigns the axes of a dimension to its factors: the slowest-varying factor gets as many primes as fit, then the
 * next. The last factor takes all that remain. */
static void
lay_out_dimension (Work  *self,
                   guint  tensor,
                   guint  dimension)
{
  const GhloPjrtSpec *spec = self->specs[tensor];
  const GhloPjrtDimension none = { 0 }, *from = spec != NULL ? &spec->dimensions[dimension] : &none;
  gboolean is_full = FALSE;
  Cell *last = NULL;
  guint at = 0;

  for (guint i = 0; i < self->n_factors; i++)
    if (ghlo_pjrt_rule_dimension (self->rule, i, tensor) == (int) dimension)
      last = cell (self, tensor, i);
  for (guint i = 0; i < self->n_factors; i++)
    {
      Cell *to = cell (self, tensor, i);
      gint64 rest = ghlo_pjrt_rule_factor (self->rule, i)->size;

      if (ghlo_pjrt_rule_dimension (self->rule, i, tensor) != (int) dimension)
        continue;
      to->is_there = TRUE;
      to->is_last = to == last;
      to->is_closed = from->is_closed || is_full;
      for (; !is_full && at < from->axes.n; at++)
        {
          const gint64 size = self->mesh->primes[from->axes.primes[at]].size;

          if (!to->is_last && (rest == 1 || rest % size != 0))
            break;
          append (&to->axes, from->axes.primes[at]);
          rest /= to->is_last ? 1 : size;
        }
      if (to->is_last || rest == 1 || is_full)
        continue;
      is_full = at < from->axes.n;
      for (guint j = at; j < from->axes.n; j++)
        append (&to->overflow, from->axes.primes[j]);
    }
}

static void
lay_out (Work *self)
{
  for (guint i = 0; i < self->rule->n_tensors; i++)
    for (guint j = 0; j < g_array_index (self->rule->ranks, guint, i); j++)
      lay_out_dimension (self, i, j);
}

/* Merges @more into @axes. Where they differ, @axes is cut and must not grow any more; otherwise the longer one of
 * the two is used, if @axes may grow. */
static void
agree (GhloPjrtAxes       *axes,
       const GhloPjrtAxes *more,
       gboolean           *may_grow)
{
  const guint n = MIN (axes->n, more->n);
  guint i = 0;

  while (i < n && axes->primes[i] == more->primes[i])
    i++;
  if (i < n)
    {
      axes->n = (guint8) i;
      *may_grow = FALSE;
    }
  else if (*may_grow && more->n > axes->n)
    *axes = *more;
}

static void
agree_on (Work              *self,
          guint              factor,
          GhloPjrtDirection  direction)
{
  const guint n_operands = self->rule->n_operands, n = self->rule->n_tensors;
  const guint start = direction == GHLO_PJRT_BACKWARD ? n_operands : 0;
  const guint n_first = direction == GHLO_PJRT_BACKWARD ? n - n_operands : n_operands;
  gboolean may_grow = TRUE;

  if (direction == GHLO_PJRT_NOWHERE)
    return;
  for (guint i = 0; i < n; i++)
    {
      const Cell *from = cell (self, (start + i) % n, factor);

      if (i == n_first && direction != GHLO_PJRT_BOTH_WAYS)
        may_grow = FALSE;
      if (from->is_there)
        agree (&self->agreed[factor], &from->axes, &may_grow);
    }
}

/* Returns FALSE when the tensors do not agree on any axis. */
static gboolean
agree_on_all (Work *self)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->n_factors; i++)
    {
      const GhloPjrtFactorKind kind = ghlo_pjrt_rule_factor (self->rule, i)->kind;

      agree_on (self, i, kind == GHLO_PJRT_PASS_THROUGH ? self->step->pass_through
                         : kind == GHLO_PJRT_NEEDS_COMMUNICATION ? self->step->communication : GHLO_PJRT_NOWHERE);
      any |= self->agreed[i].n > 0;
    }

  return any;
}

/* The sort key of a factor. */
typedef struct
{
  guint  factor;
  double elements;      /* of the largest tensor that has all of the agreed axes */
  gint64 n_parts;
  guint  tensor;        /* the index of that tensor */
} Rank;

static int
compare_ranks (gconstpointer a,
               gconstpointer b)
{
  const Rank *one = a, *other = b;

  if (one->elements != other->elements)
    return one->elements > other->elements ? -1 : 1;
  if (one->n_parts != other->n_parts)
    return one->n_parts > other->n_parts ? -1 : 1;
  if (one->tensor != other->tensor)
    return one->tensor < other->tensor ? -1 : 1;

  return one->factor < other->factor ? -1 : 1;
}

static void
put_in_order (Work *self)
{
  g_autofree Rank *ranks = g_new0 (Rank, self->n_factors);

  for (guint i = 0; i < self->n_factors; i++)
    ranks[i] = (Rank) { i, -1, self->step->is_elementwise ? count_parts (&self->agreed[i], self->mesh) : 0, 0 };
  for (guint i = 0; i < self->rule->n_tensors; i++)
    {
      double elements = 1;

      for (guint j = 0; j < self->n_factors; j++)
        if (cell (self, i, j)->is_there)
          elements *= (double) ghlo_pjrt_rule_factor (self->rule, j)->size;
      for (guint j = 0; j < self->n_factors; j++)
        if (cell (self, i, j)->is_there && self->agreed[j].n > 0 && elements > ranks[j].elements
            && starts_with (&cell (self, i, j)->axes, &self->agreed[j]))
          {
            ranks[j].elements = elements;
            ranks[j].tensor = i;
          }
    }
  qsort (ranks, self->n_factors, sizeof ranks[0], compare_ranks);
  for (guint i = 0; i < self->n_factors; i++)
    self->order[i] = ranks[i].factor;
}

/* Whether @tensor may also be sharded along @prime in @factor, which is in @n_parts parts so far. */
static gboolean
fits (const Work *self,
      guint       tensor,
      guint       factor,
      guint8      prime,
      gint64      n_parts)
{
  const Cell *to = cell (self, tensor, factor);
  const gint64 size = ghlo_pjrt_rule_factor (self->rule, factor)->size;

  if ((taken (self, tensor) & 1u << prime) != 0)
    return FALSE;
  if (has_prime (&to->axes, prime))
    return TRUE;

  return !to->is_closed && to->overflow.n == 0
         && (to->is_last || size % (n_parts * self->mesh->primes[prime].size) == 0);
}

static gboolean
is_elsewhere (const Work *self,
              guint       tensor,
              guint       factor,
              guint8      prime)
{
  for (guint i = 0; i < self->n_factors; i++)
    if (i != factor && cell (self, tensor, i)->is_there
        && (has_prime (&cell (self, tensor, i)->axes, prime) || has_prime (&cell (self, tensor, i)->overflow, prime)))
      return TRUE;

  return FALSE;
}

/* Returns the leading agreed axes along which @tensor may be sharded in @factor. */
static GhloPjrtAxes
allowed (const Work *self,
         guint       tensor,
         guint       factor)
{
  GhloPjrtAxes axes = { 0 };
  gint64 n_parts = 1;

  for (guint i = 0; i < self->agreed[factor].n; i++)
    {
      const guint8 prime = self->agreed[factor].primes[i];

      if (!fits (self, tensor, factor, prime, n_parts) || is_elsewhere (self, tensor, factor, prime))
        break;
      append (&axes, prime);
      n_parts *= self->mesh->primes[prime].size;
    }

  return axes;
}

static gboolean
expand (Cell               *to,
        const GhloPjrtAxes *axes)
{
  if (axes->n <= to->axes.n || !starts_with (axes, &to->axes))
    return FALSE;
  to->axes = *axes;

  return TRUE;
}

/* Among the operands of an elementwise operation, only those axes spread along which a result is sharded too. */
static GhloPjrtAxes
limit_by_results (const Work   *self,
                  guint         factor,
                  GhloPjrtAxes  axes)
{
  for (guint i = self->rule->n_operands; i < self->rule->n_tensors; i++)
    {
      const Cell *result = cell (self, i, factor);

      if (result->is_there && result->axes.n < axes.n && starts_with (&axes, &result->axes))
        axes = result->axes;
    }

  return axes;
}

static gboolean
expand_tensor (Work  *self,
               guint  tensor)
{
  gboolean changed = FALSE;

  for (guint i = 0; i < self->n_factors; i++)
    {
      const guint factor = self->order[i];
      GhloPjrtAxes axes;

      if (self->agreed[factor].n == 0 || !cell (self, tensor, factor)->is_there)
        continue;
      axes = allowed (self, tensor, factor);
      if (self->step->is_elementwise && tensor < self->rule->n_operands)
        axes = limit_by_results (self, factor, axes);
      changed |= expand (cell (self, tensor, factor), &axes);
    }

  return changed;
}

/* Collects the axes of the factors of a dimension, up to the first factor that could have more parts. */
static GhloPjrtAxes
gather_dimension (const Work *self,
                  guint       tensor,
                  guint       dimension)
{
  GhloPjrtAxes axes = { 0 };

  for (guint i = 0; i < self->n_factors; i++)
    {
      const Cell *from = cell (self, tensor, i);

      if (ghlo_pjrt_rule_dimension (self->rule, i, tensor) != (int) dimension)
        continue;
      for (guint j = 0; j < from->axes.n; j++)
        append (&axes, from->axes.primes[j]);
      for (guint j = 0; j < from->overflow.n; j++)
        append (&axes, from->overflow.primes[j]);
      if (from->overflow.n > 0 || count_parts (&from->axes, self->mesh) < ghlo_pjrt_rule_factor (self->rule, i)->size)
        break;
    }

  return axes;
}

/* Stores the axes in the tensor's spec. Returns FALSE when it has not changed after all. */
static gboolean
store (Work  *self,
       guint  tensor)
{
  const guint rank = g_array_index (self->rule->ranks, guint, tensor);
  const GhloPjrtSpec *old = self->specs[tensor];
  GhloPjrtSpec *spec = old != NULL ? ghlo_pjrt_spec_copy (old) : ghlo_pjrt_spec_new (self->mesh, rank);
  gboolean changed = FALSE;

  spec->mesh = self->mesh;
  for (guint i = 0; i < rank; i++)
    {
      const GhloPjrtAxes axes = gather_dimension (self, tensor, i);

      if (axes.n <= spec->dimensions[i].axes.n || !starts_with (&axes, &spec->dimensions[i].axes))
        continue;
      spec->dimensions[i].axes = axes;
      changed = TRUE;
    }
  if (changed)
    self->specs[tensor] = spec;
  else
    g_free (spec);

  return changed;
}

/* Returns the mesh that all specs share; NULL when there is none, or more than one. A mesh without axes is
 * compatible with every other one: specs over it only tell which dimensions are open. */
static const GhloPjrtMesh *
find_mesh (GhloPjrtSpec *const *specs,
           guint                n)
{
  const GhloPjrtMesh *mesh = NULL;

  for (guint i = 0; i < n; i++)
    if (specs[i] != NULL && specs[i]->mesh->n_axes > 0 && mesh == NULL)
      mesh = specs[i]->mesh;
    else if (specs[i] != NULL && specs[i]->mesh != mesh && (specs[i]->mesh->n_axes > 0 || specs[i]->mesh->is_single))
      return NULL;

  return mesh;
}

/* Results come before operands. */
static gboolean
expand_all (Work     *self,
            gboolean *changed)
{
  const guint n = self->rule->n_tensors;
  gboolean any = FALSE;

  for (guint i = 0; i < n; i++)
    {
      const guint tensor = (self->rule->n_operands + i) % n;

      changed[tensor] = expand_tensor (self, tensor);
    }
  for (guint i = 0; i < n; i++)
    {
      changed[i] = changed[i] && store (self, i);
      any |= changed[i];
    }

  return any;
}

gboolean
ghlo_pjrt_propagate_step (const GhloPjrtStep  *self,
                          GhloPjrtSpec       **specs,
                          gboolean            *changed)
{
  const GhloPjrtRule *rule = self->rule;
  const guint n_factors = rule->factors->len;
  Work work = { self, rule, find_mesh (specs, rule->n_tensors), specs, n_factors, NULL, NULL, NULL };
  gboolean any = FALSE;

  memset (changed, 0, rule->n_tensors * sizeof changed[0]);
  if (work.mesh == NULL || n_factors == 0 || n_factors > GHLO_PJRT_MAX_ENTRIES / rule->n_tensors)
    return FALSE;
  work.cells = g_new0 (Cell, (gsize) rule->n_tensors * n_factors);
  work.agreed = g_new0 (GhloPjrtAxes, n_factors);
  work.order = g_new (guint, n_factors);
  lay_out (&work);
  if (agree_on_all (&work))
    {
      put_in_order (&work);
      any = expand_all (&work, changed);
    }
  g_free (work.cells);
  g_free (work.agreed);
  g_free (work.order);

  return any;
}
