/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The passes "fuse-epilogues", "fuse-reductions" and "fuse-maps": groups of elementwise operations, index operations
 * and reductions for which a device may generate one kernel. The latter two differ only in reductions: each group of
 * "fuse-reductions" has one, and no group of "fuse-maps" does. Groups of "fuse-epilogues" are elementwise, around
 * a product (fuse-epilogues.c, fuse-prologue.c).
 */

#include "passes/fuse/fuse-kernels.h"

#include <string.h>

#include "ir/loop.h"
#include "passes/effects.h"
#include "passes/walk.h"

/* The maximum length of a chain of views that a group reads through. */
enum { MAX_VIEWS = 8 };

/* Nanoseconds for computing one element again. */
#define COMPUTE_TIME 0.2

typedef struct
{
  gboolean    reductions, products;
  GHashTable *functions;      /* see ghlo_pass_pure_functions () */
} Options;

/* Lists */

static void
add_to_list (GhloFuseList *list,
             guint32       number)
{
  guint i = list->n;

  if (list->n >= GHLO_FUSE_MAX_OPS)
    {
      list->n = GHLO_FUSE_MAX_OPS + 1;
      return;
    }
  while (i > 0 && list->numbers[i - 1] >= number)
    if (list->numbers[--i] == number)
      return;
  memmove (&list->numbers[i + 1], &list->numbers[i], (list->n - i) * sizeof number);
  list->numbers[i] = number;
  list->n++;
}

/* The definer of @value where it is a view that @op's group may copy: in the same block, or without operands.
 * Otherwise GHLO_FUSE_NONE. */
static guint32
view_of (const GhloFuseKernels *self,
         const GhloIrOp        *op,
         const GhloIrValue     *value)
{
  if (value->op == NULL || !ghlo_fuse_role_is_view (self->graph->nodes[value->op->id].role))
    return GHLO_FUSE_NONE;

  return value->op->block == op->block || value->op->n_operands == 0 ? value->op->id : GHLO_FUSE_NONE;
}

void
ghlo_fuse_kernels_list (const GhloFuseKernels *self,
                        guint32                number,
                        GhloFuseList          *list)
{
  const GhloFuseCandidate *candidate = &self->candidates[number];
  const GhloIrOp *op = self->graph->nodes[number].op;

  list->n = candidate->n_ops;
  if (candidate->n_ops > 0)
    {
      memcpy (list->numbers, candidate->ops, candidate->n_ops * sizeof (guint32));
      return;
    }
  add_to_list (list, number);
  if (self->graph->nodes[number].role == GHLO_FUSE_ROLE_PRODUCT)
    return;
  for (guint i = 0; i < op->n_operands && list->n <= GHLO_FUSE_MAX_OPS; i++)
    for (guint32 view = view_of (self, op, ghlo_ir_op_operand (op, i)); view != GHLO_FUSE_NONE; )
      {
        const GhloIrOp *reader = self->graph->nodes[view].op;

        add_to_list (list, view);
        view = reader->n_operands > 0 ? view_of (self, reader, ghlo_ir_op_operand (reader, 0)) : GHLO_FUSE_NONE;
      }
}

static void
join_lists (const GhloFuseList *a,
            const GhloFuseList *b,
            GhloFuseList       *joined)
{
  guint i = 0, k = 0;

  joined->n = GHLO_FUSE_MAX_OPS + 1;
  if (a->n > GHLO_FUSE_MAX_OPS || b->n > GHLO_FUSE_MAX_OPS)
    return;
  joined->n = 0;
  while ((i < a->n || k < b->n) && joined->n < GHLO_FUSE_MAX_OPS)
    {
      guint32 number = k == b->n || (i < a->n && a->numbers[i] <= b->numbers[k]) ? a->numbers[i] : b->numbers[k];

      joined->numbers[joined->n++] = number;
      i += i < a->n && a->numbers[i] == number;
      k += k < b->n && b->numbers[k] == number;
    }
  if (i < a->n || k < b->n)
    joined->n = GHLO_FUSE_MAX_OPS + 1;
}

/* Merges */

static GhloIrOp *
first_op (const GhloFuseKernels *self,
          guint32                number)
{
  const GhloFuseNode *node = &self->graph->nodes[number];

  return self->graph->nodes[node->members != NULL ? node->members[0] : number].op;
}

/* Why the device declines the operation by itself, or NULL. */
static const char *
find_reason_alone (GhloFuseKernels *self,
                   guint32          number)
{
  if (self->reasons[number] == NULL)
    {
      const char *reason = ghlo_fuse_find_reason (self->fuser, &self->graph->nodes[number].op, 1);

      self->reasons[number] = reason != NULL ? reason : "";
    }

  return *self->reasons[number] != '\0' ? self->reasons[number] : NULL;
}

static gboolean
ask_device (GhloFuseKernels    *self,
            const GhloFuseList *list,
            const GhloIrOp     *first,
            const GhloIrOp     *op)
{
  GhloIrOp *ops[GHLO_FUSE_MAX_OPS];

  for (guint i = 0; i < list->n; i++)
    ops[i] = self->graph->nodes[list->numbers[i]].op;

  return ghlo_fuse_accept (self->fuser, ops, list->n, first, op);
}

static const char *
find_reason (GhloFuseKernels *self,
             guint32          a,
             guint32          b,
             double           gain,
             GhloFuseDomain  *domain,
             GhloFuseList    *joined)
{
  const char *reason = find_reason_alone (self, a);
  GhloFuseList of_a, of_b;
  double recomputed = 0;

  if (reason == NULL)
    reason = find_reason_alone (self, b);
  if (reason != NULL)
    return reason;
  if (!ghlo_fuse_domain_join (&self->candidates[a].domain, &self->candidates[b].domain, domain))
    return "their dimensions differ";
  ghlo_fuse_kernels_list (self, a, &of_a);
  ghlo_fuse_kernels_list (self, b, &of_b);
  join_lists (&of_a, &of_b, joined);
  if (joined->n > GHLO_FUSE_MAX_OPS)
    return "together they have more operations than a group may have";
  reason = ghlo_fuse_check (&self->checker, domain, joined->numbers, joined->n, &recomputed);
  if (reason == NULL && recomputed * COMPUTE_TIME > gain)
    reason = "recomputing values would take longer than the merge saves";

  return reason != NULL ? reason : ghlo_fuse_graph_search (self->graph, a, b);
}

gboolean
ghlo_fuse_kernels_merge (GhloFuseKernels *self,
                         guint32          a,
                         guint32          b,
                         double           gain)
{
  const GhloIrOp *first = first_op (self, a), *second = first_op (self, b);
  GhloFuseCandidate *candidate = &self->candidates[a];
  GhloFuseDomain domain;
  GhloFuseList joined;
  const char *reason;

  if (self->reductions && candidate->domain.inner == 0 && self->candidates[b].domain.inner == 0)
    return FALSE;
  reason = first->block != second->block ? "they are in different regions"
                                         : find_reason (self, a, b, gain, &domain, &joined);
  if (reason != NULL)
    ghlo_fuse_refuse (self->fuser, first, second, reason);
  if (reason != NULL || !ask_device (self, &joined, first, second))
    return FALSE;
  ghlo_fuse_graph_unite (self->graph, a, b);
  g_free (candidate->ops);
  g_clear_pointer (&self->candidates[b].ops, g_free);
  candidate->ops = g_memdup2 (joined.numbers, joined.n * sizeof (guint32));
  candidate->n_ops = joined.n;
  candidate->domain = domain;
  candidate->n_refused = 0;

  return TRUE;
}

gboolean
ghlo_fuse_kernels_accept (GhloFuseKernels *self,
                          guint32          number)
{
  const GhloIrOp *op = self->graph->nodes[number].op, *first;
  const char *reason = find_reason_alone (self, number);
  double recomputed;
  GhloFuseList list;

  ghlo_fuse_kernels_list (self, number, &list);
  if (list.n > GHLO_FUSE_MAX_OPS)
    return FALSE;
  first = self->graph->nodes[list.numbers[0]].op;
  if (reason == NULL)
    reason = ghlo_fuse_check (&self->checker, &self->candidates[number].domain, list.numbers, list.n, &recomputed);
  if (reason != NULL)
    ghlo_fuse_refuse (self->fuser, first, op, reason);

  return reason == NULL && ask_device (self, &list, first, op);
}

/* Candidates */

/* The plan recognizes a counted loop by the comparison and the increment of its counter, so these are kept out
 * of groups. */
static void
exclude_counters (GhloFuseGraph *graph)
{
  GhloIrCountedLoop counted;

  for (guint i = 0; i < graph->n_nodes; i++)
    {
      const GhloIrOp *op = graph->nodes[i].op;

      if (op->kind != GHLO_OP_STABLEHLO_WHILE || !ghlo_ir_counted_loop (op, &counted))
        continue;
      for (guint k = 0; k < 2; k++)
        {
          const GhloIrBlock *block = ghlo_ir_op_region_block (op, k);
          const GhloIrValue *value = ghlo_ir_op_operand (block->last, k == 0 ? 0 : counted.counter);

          if (value->op != NULL)
            graph->nodes[value->op->id].role = GHLO_FUSE_ROLE_NONE;
        }
    }
}

/* A conversion is left to its readers only where all of them may be in groups. */
static gboolean
has_other_users (const GhloFuseGraph *graph,
                 guint32              number)
{
  for (guint32 k = graph->first_user[number]; k < graph->first_user[number + 1]; k++)
    if (graph->nodes[graph->users[k]].role == GHLO_FUSE_ROLE_NONE)
      return TRUE;

  return FALSE;
}

static GhloFuseRole
find_role (GhloFuseKernels *self,
           guint32          number)
{
  GhloFuseRole role = ghlo_fuse_role_of (self->graph->nodes[number].op);

  /* Groups of products have no reductions either, but the reductions must be known: values that only reductions read
   * are left to the groups of those. */
  if (!self->products && (role == GHLO_FUSE_ROLE_PRODUCT || (role == GHLO_FUSE_ROLE_REDUCE && !self->reductions)))
    return GHLO_FUSE_ROLE_NONE;
  if (role == GHLO_FUSE_ROLE_CONVERT && has_other_users (self->graph, number))
    return GHLO_FUSE_ROLE_ELEMENTWISE;

  return ghlo_fuse_role_is_view (role) && find_reason_alone (self, number) != NULL ? GHLO_FUSE_ROLE_NONE : role;
}

/* A view at the end of a chain of MAX_VIEWS others is in no group. */
static void
cut_views (GhloFuseGraph *graph)
{
  g_autofree guint8 *depths = g_new0 (guint8, graph->n_nodes + 1);

  for (guint i = 0; i < graph->n_nodes; i++)
    {
      GhloFuseNode *node = &graph->nodes[i];
      guint32 source;

      if (!ghlo_fuse_role_is_view (node->role) || node->op->n_operands == 0)
        continue;
      source = ghlo_fuse_graph_source (node->op, ghlo_ir_op_operand (node->op, 0));
      depths[i] = source != GHLO_FUSE_NONE && ghlo_fuse_role_is_view (graph->nodes[source].role) ? depths[source] + 1
                                                                                               : 0;
      if (depths[i] == MAX_VIEWS)
        node->role = GHLO_FUSE_ROLE_NONE;
    }
}

static void
find_roles (GhloFuseKernels *self)
{
  GhloFuseGraph *graph = self->graph;
  g_autofree guint8 *is_open = g_new0 (guint8, graph->n_nodes + 1);

  for (guint i = 0; i < graph->n_nodes; i++)
    {
      const GhloIrOp *parent = ghlo_ir_op_get_parent (graph->nodes[i].op);

      is_open[i] = parent == graph->func || (is_open[parent->id] && ghlo_pass_is_control (parent));
    }
  /* Users before their operands' definers, since has_other_users () reads their roles. */
  for (guint i = graph->n_nodes; i > 0; i--)
    if (is_open[i - 1])
      graph->nodes[i - 1].role = find_role (self, i - 1);
  exclude_counters (graph);
  cut_views (graph);
  for (guint i = 0; i < graph->n_nodes; i++)
    {
      GhloFuseNode *node = &graph->nodes[i];

      self->candidates[i].number = i;
      if (node->role != GHLO_FUSE_ROLE_NONE && !ghlo_fuse_role_is_view (node->role))
        self->candidates[i].domain = ghlo_fuse_domain_of (node);
    }
}

/* Whether the function has an operation of the kind that each group must have. */
static gboolean
has_groups (const Options *options,
            GhloIrOp      *func)
{
  const GhloFuseRole role = options->products ? GHLO_FUSE_ROLE_PRODUCT : GHLO_FUSE_ROLE_REDUCE;

  if (!options->products && !options->reductions)
    return TRUE;
  for (const GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
    if (ghlo_fuse_role_of (op) == role)
      return TRUE;

  return FALSE;
}

static gboolean
find (GhloFuser      *fuser,
      GhloIrOp       *func,
      gconstpointer   data,
      GError        **error)
{
  const Options *options = data;
  g_autoptr (GhloFuseGraph) graph = NULL;
  GhloFuseKernels self = { .fuser = fuser, .reductions = options->reductions, .products = options->products };
  gboolean ok;

  if (!has_groups (options, func))
    return TRUE;
  self.graph = graph = ghlo_fuse_graph_new (func, options->functions);
  self.candidates = g_new0 (GhloFuseCandidate, graph->n_nodes + 1);
  self.reasons = g_new0 (const char *, graph->n_nodes + 1);
  find_roles (&self);
  ghlo_fuse_checker_init (&self.checker, graph);
  ok = options->products ? ghlo_fuse_kernels_grow (&self, error) : ghlo_fuse_kernels_queue (&self, error);
  if (ok)
    ghlo_fuse_kernels_arrange (&self);
  ghlo_fuse_checker_clear (&self.checker);
  for (guint i = 0; i < graph->n_nodes; i++)
    {
      g_free (self.candidates[i].ops);
      g_free (self.candidates[i].prologue);
    }
  g_free (self.candidates);
  g_free (self.reasons);

  return ok;
}

static gboolean
fuse (GhloIrModule     *module,
      GhloPassContext  *context,
      GhloFusionKind    kind,
      Options           options,
      GError          **error)
{
  g_autoptr (GHashTable) functions = ghlo_pass_pure_functions (module);
  const GhloFuseRules rules = { kind, find, &options };

  options.functions = functions;

  return ghlo_fuse_module (module, context, &rules, error);
}

gboolean
ghlo_pass_fuse_epilogues (GhloIrModule     *module,
                          GhloPassContext  *context,
                          GError          **error)
{
  return fuse (module, context, GHLO_FUSION_EPILOGUE, (Options) { .products = TRUE }, error);
}

gboolean
ghlo_pass_fuse_reductions (GhloIrModule     *module,
                           GhloPassContext  *context,
                           GError          **error)
{
  return fuse (module, context, GHLO_FUSION_REDUCTION, (Options) { .reductions = TRUE }, error);
}

gboolean
ghlo_pass_fuse_maps (GhloIrModule     *module,
                     GhloPassContext  *context,
                     GError          **error)
{
  return fuse (module, context, GHLO_FUSION_MAP, (Options) { .reductions = FALSE }, error);
}
