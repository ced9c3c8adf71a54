/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All groups of a function are found first. Fusions are then created in the order in which the groups end, so that
 * every group that a group reads from has become a fusion already. During this, the scratch numbers of operations hold
 * their program order.
 */

#include "passes/fuse/fuse.h"

#include "base/hash.h"
#include "ir/equal.h"
#include "ir/fusion.h"
#include "ir/outline.h"
#include "passes/effects.h"
#include "passes/walk.h"

/* The maximum number of views that are moved for one operand. */
enum { MAX_VIEWS = 16 };

struct _GhloFuser
{
  GhloIrModule        *module;
  GhloPassContext     *context;
  const GhloFuseRules *rules;
  GPtrArray           *groups;      /* of GhloFuseGroup, owned: the groups of the current function */
  GHashTable          *members;     /* the operations of these groups */
  GHashTable          *bodies;      /* of Body, owned: the functions that were made */
  GHashTable          *ends;        /* number of an operation → the last operation placed behind it */
};

/* What a group computes, or the function that was made of one. Operands of the operations, followed by the results, are
 * identified by numbers: inputs come first, then the results of each operation in order. */
typedef struct
{
  const GhloIrOp **ops;        /* owned */
  guint            n_ops;
  guint32         *numbers;    /* owned */
  guint            n_numbers, n_inputs, hash;
  GhloIrOp        *function;
} Body;

/* Candidates */

GhloIrModule *
ghlo_fuse_get_module (const GhloFuser *self)
{
  return self->module;
}

const GhloMonitor *
ghlo_fuse_get_monitor (const GhloFuser *self)
{
  return self->context->monitor;
}

static void
report_candidate (GhloFuser      *self,
                  const GhloIrOp *first,
                  const GhloIrOp *op,
                  guint           number,
                  const char     *reason)
{
  const GhloPassFusion *fusion = &self->context->options->fusion;
  const GhloFusionCandidate candidate = { self->rules->kind, first, op, number, reason };

  if (fusion->report_candidate != NULL)
    fusion->report_candidate (fusion->report_data, self->module, &candidate);
}

void
ghlo_fuse_refuse (GhloFuser      *self,
                  const GhloIrOp *first,
                  const GhloIrOp *op,
                  const char     *reason)
{
  report_candidate (self, first, op, 0, reason);
}

const char *
ghlo_fuse_find_reason (GhloFuser       *self,
                       GhloIrOp *const *ops,
                       guint            n_ops)
{
  const GhloPassFusion *fusion = &self->context->options->fusion;

  if (fusion->declines == NULL)
    return NULL;

  return fusion->declines (fusion->device, self->rules->kind, (const GhloIrOp *const *) ops, n_ops);
}

gboolean
ghlo_fuse_accept (GhloFuser       *self,
                  GhloIrOp *const *ops,
                  guint            n_ops,
                  const GhloIrOp  *first,
                  const GhloIrOp  *op)
{
  const char *reason;
  guint number;

  if (self->context->n_merges >= self->context->max_merges)
    reason = "GHLO_FUSE allows no more merges";
  else
    reason = ghlo_fuse_find_reason (self, ops, n_ops);
  number = reason == NULL ? ++self->context->n_merges : 0;
  report_candidate (self, first, op, number, reason);

  return reason == NULL;
}

gboolean
ghlo_fuse_merge (GhloFuser           *self,
                 GhloFuseGroup       *group,
                 const GhloFuseGroup *grown)
{
  const GhloIrOp *first = group->ops[0], *last = grown->ops[grown->n_ops - 1];

  for (guint i = group->n_ops; i < grown->n_ops; i++)
    if (g_hash_table_contains (self->members, grown->ops[i]))
      {
        ghlo_fuse_refuse (self, first, last, "it is in another group");
        return FALSE;
      }
  if (!ghlo_fuse_accept (self, grown->ops, grown->n_ops, first, last))
    return FALSE;
  *group = *grown;

  return TRUE;
}

void
ghlo_fuse_add (GhloFuser           *self,
               const GhloFuseGroup *group)
{
  for (guint i = 0; i < group->n_ops; i++)
    g_hash_table_add (self->members, group->ops[i]);
  g_ptr_array_add (self->groups, g_memdup2 (group, offsetof (GhloFuseGroup, ops)
                                                   + group->n_ops * sizeof group->ops[0]));
}

/* The results of a group are the values that others use. Where there are none, it is the first result of the
 * last operation. */

/* Whether @op is one of @ops or inside the regions of one. */
static gboolean
is_member (GHashTable     *ops,
           const GhloIrOp *op)
{
  while (op != NULL && !g_hash_table_contains (ops, op))
    op = ghlo_ir_op_get_parent (op);

  return op != NULL;
}

static gboolean
has_other_use (const GhloIrValue *value,
               GHashTable        *ops)
{
  for (const GhloIrUse *use = value->uses; use != NULL; use = use->next)
    if (!is_member (ops, use->op))
      return TRUE;

  return FALSE;
}

static void
find_results (const GhloFuseGroup *group,
              GPtrArray           *results)
{
  g_autoptr (GHashTable) ops = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < group->n_ops; i++)
    g_hash_table_add (ops, group->ops[i]);
  for (guint i = 0; i < group->n_ops; i++)
    for (guint k = 0; k < group->ops[i]->n_results; k++)
      if (has_other_use (&group->ops[i]->results[k], ops))
        g_ptr_array_add (results, &group->ops[i]->results[k]);
  if (results->len == 0)
    g_ptr_array_add (results, &group->ops[group->n_ops - 1]->results[0]);
}

/* Equal groups share a function */

static void
number_values (Body                *self,
               GhloIrValue *const  *inputs,
               guint                n_inputs,
               GhloIrValue *const  *results,
               guint                n_results)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 n = 0;

  for (guint i = 0; i < n_inputs; i++)
    inputs[i]->id = n++;
  for (guint i = 0; i < self->n_ops; i++)
    {
      for (guint k = 0; k < self->ops[i]->n_operands; k++)
        g_array_append_val (numbers, ghlo_ir_op_operand (self->ops[i], k)->id);
      for (guint k = 0; k < self->ops[i]->n_results; k++)
        self->ops[i]->results[k].id = n++;
    }
  for (guint i = 0; i < n_results; i++)
    g_array_append_val (numbers, results[i]->id);
  self->n_numbers = numbers->len;
  self->numbers = (guint32 *) (gpointer) g_array_free (g_steal_pointer (&numbers), FALSE);
}

/* Takes ownership of @ops. */
static Body *
body_new (const GhloIrOp     **ops,
          guint                n_ops,
          GhloIrValue *const  *inputs,
          guint                n_inputs,
          GhloIrValue *const  *results,
          guint                n_results)
{
  Body *self = g_new0 (Body, 1);
  GhloHash hash = ghlo_hash_begin ();

  self->ops = ops;
  self->n_ops = n_ops;
  self->n_inputs = n_inputs;
  number_values (self, inputs, n_inputs, results, n_results);
  for (guint i = 0; i < n_ops; i++)
    ghlo_hash_add (&hash, ghlo_ir_op_hash_like (ops[i]));
  ghlo_hash_add_bytes (&hash, self->numbers, self->n_numbers * sizeof (guint32));
  self->hash = (guint) ghlo_hash_end (&hash);

  return self;
}

static void
body_free (gpointer data)
{
  Body *self = data;

  g_free (self->ops);
  g_free (self->numbers);
  g_free (self);
}

static guint
hash_body (gconstpointer key)
{
  return ((const Body *) key)->hash;
}

static gboolean
same_body (gconstpointer a,
           gconstpointer b)
{
  const Body *x = a, *y = b;

  if (x->n_ops != y->n_ops || x->n_inputs != y->n_inputs || x->n_numbers != y->n_numbers
      || memcmp (x->numbers, y->numbers, x->n_numbers * sizeof (guint32)) != 0)
    return FALSE;
  for (guint i = 0; i < x->n_ops; i++)
    if (!ghlo_ir_op_is_like (x->ops[i], y->ops[i]))
      return FALSE;

  return TRUE;
}

static GhloIrOp *
add_function (GhloFuser           *self,
              const GhloFuseGroup *group,
              GPtrArray           *results,
              const char          *name)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  GhloIrOp *function = ghlo_ir_outline (self->module, (const GhloIrOp *const *) group->ops, group->n_ops, name, inputs,
                                        results);
  const GhloIrBlock *block = ghlo_ir_func_get_body (function);
  const GhloIrOp **ops = g_new (const GhloIrOp *, group->n_ops);
  g_autofree GhloIrValue **given = g_new (GhloIrValue *, results->len);
  guint n = 0;
  Body *body;

  for (const GhloIrOp *op = block->first; op != block->last; op = op->next)
    ops[n++] = op;
  for (guint i = 0; i < results->len; i++)
    given[i] = ghlo_ir_op_operand (block->last, i);
  body = body_new (ops, n, block->arguments, block->n_arguments, given, results->len);
  body->function = function;
  g_hash_table_add (self->bodies, body);

  return function;
}

/* The function that computes @results from @inputs as @group does; made where there is none yet. */
static GhloIrOp *
find_function (GhloFuser           *self,
               const GhloFuseGroup *group,
               const GPtrArray     *inputs,
               GPtrArray           *results,
               const char          *name)
{
  Body *key = body_new (g_memdup2 (group->ops, group->n_ops * sizeof group->ops[0]), group->n_ops,
                        (GhloIrValue *const *) inputs->pdata, inputs->len,
                        (GhloIrValue *const *) results->pdata, results->len);
  const Body *found = g_hash_table_lookup (self->bodies, key);

  body_free (key);

  return found != NULL ? found->function : add_function (self, group, results, name);
}

/* Where fusions are placed */

static gboolean
is_view (const GhloIrOp *op)
{
  return ghlo_pass_is_free (op) || op->kind == GHLO_OP_STABLEHLO_TRANSPOSE || op->kind == GHLO_OP_STABLEHLO_REVERSE;
}

/* The operation after @place in which an operand is computed, looking through views, which may be moved; NULL where the
 * operand is available at @place. */
static GhloIrOp *
find_origin (const GhloIrValue *value,
             const GhloIrOp    *place)
{
  for (guint n = 0; value->op != NULL && value->op->block == place->block && value->op->id > place->id; n++)
    {
      GhloIrOp *op = value->op;

      if (n == MAX_VIEWS || op->n_operands > 1 || !is_view (op))
        return op;
      if (op->n_operands == 0)
        break;
      value = ghlo_ir_op_operand (op, 0);
    }

  return NULL;
}

/* The operation after which all inputs of the group are available, and so the first place that the fusion may have. The
 * earliest place is best, since inputs then need not be kept for longer. */
static GhloIrOp *
find_place (const GhloFuseGroup *group,
            const GPtrArray     *inputs)
{
  GhloIrOp *place = group->ops[0];

  for (guint i = 0; i < inputs->len; i++)
    {
      GhloIrOp *origin = find_origin (g_ptr_array_index (inputs, i), place);

      if (origin != NULL)
        place = origin;
    }

  return place;
}

/* Places @op, which is in no block or somewhere after @place, behind @place and all that was placed there before. */
static void
put_behind (GhloFuser *self,
            GhloIrOp  *place,
            GhloIrOp  *op)
{
  GhloIrOp *end = g_hash_table_lookup (self->ends, GUINT_TO_POINTER (place->id));

  if (end == NULL)
    end = place;
  if (op->block != NULL)
    ghlo_pass_move_before (op, end->next);
  else
    ghlo_ir_op_insert_before (op, end->next);
  op->id = place->id;
  g_hash_table_insert (self->ends, GUINT_TO_POINTER (op->id), op);
}

/* Moves the views after @place through which @value is read. */
static void
move_views (GhloFuser   *self,
            GhloIrOp    *place,
            GhloIrValue *value)
{
  GhloIrOp *views[MAX_VIEWS];
  guint n = 0;

  while (n < MAX_VIEWS && value->op != NULL && value->op->block == place->block && value->op->id > place->id)
    {
      views[n++] = value->op;
      if (value->op->n_operands == 0)
        break;
      value = ghlo_ir_op_operand (value->op, 0);
    }
  while (n > 0)
    put_behind (self, place, views[--n]);
}

/* Fusions */

static const GhloIrLocation *
join_locations (GhloIrModule        *module,
                const GhloFuseGroup *group)
{
  const GhloIrLocation *locations[GHLO_FUSE_MAX_OPS];
  guint n = 0;

  for (guint i = 0; i < group->n_ops; i++)
    if (group->ops[i]->location != NULL)
      locations[n++] = group->ops[i]->location;

  return n > 0 ? ghlo_ir_location_fused (module, locations, n, NULL) : NULL;
}

static GhloIrOp *
make_composite (GhloFuser           *self,
                const GhloFuseGroup *group,
                const GPtrArray     *inputs,
                GPtrArray           *results)
{
  const char *name = ghlo_fusion_specs[self->rules->kind].composite;
  const GhloIrOp *function = find_function (self, group, inputs, results, name), *first = group->ops[0];
  g_autofree const GhloIrType **types = g_new (const GhloIrType *, results->len);
  const GhloIrNamedAttr attributes[] = {
    { "name", ghlo_ir_attr_string (self->module, name, -1) },
    { "decomposition", ghlo_ir_attr_symbol (self->module, ghlo_ir_op_get_string (function, "sym_name"), NULL, 0) },
  };

  for (guint i = 0; i < results->len; i++)
    types[i] = ((const GhloIrValue *) g_ptr_array_index (results, i))->type;

  return ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_COMPOSITE, .operands = (GhloIrValue *const *) inputs->pdata, .n_operands = inputs->len,
    .result_types = types, .n_results = results->len, .attributes = attributes,
    .n_attributes = G_N_ELEMENTS (attributes), .location = join_locations (self->module, group),
    .line = first->line, .column = first->column,
  });
}

static void
make_fusion (gpointer data,
             gpointer user_data)
{
  const GhloFuseGroup *group = data;
  GhloFuser *self = user_data;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (), results = g_ptr_array_new ();
  GhloIrOp *place, *composite;

  ghlo_ir_outline_inputs ((const GhloIrOp *const *) group->ops, group->n_ops, inputs);
  find_results (group, results);
  place = find_place (group, inputs);
  for (guint i = 0; i < inputs->len; i++)
    move_views (self, place, g_ptr_array_index (inputs, i));
  composite = make_composite (self, group, inputs, results);
  put_behind (self, place, composite);
  for (guint i = 0; i < results->len; i++)
    ghlo_ir_value_replace (g_ptr_array_index (results, i), &composite->results[i]);
  for (guint i = group->n_ops; i > 0; i--)
    ghlo_pass_erase (group->ops[i - 1]);
  self->context->n_changes++;
}

static int
compare_ends (gconstpointer a,
              gconstpointer b)
{
  const GhloFuseGroup *x = *(const GhloFuseGroup *const *) a, *y = *(const GhloFuseGroup *const *) b;
  guint32 x_end = x->ops[x->n_ops - 1]->id, y_end = y->ops[y->n_ops - 1]->id;

  return (x_end > y_end) - (x_end < y_end);
}

static gboolean
fuse_function (GhloFuser  *self,
               GhloIrOp   *func,
               GError    **error)
{
  guint32 n = 0;

  if (!self->rules->find (self, func, self->rules->data, error))
    return FALSE;
  for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
    op->id = n++;
  g_ptr_array_sort (self->groups, compare_ends);
  g_ptr_array_foreach (self->groups, make_fusion, self);
  g_ptr_array_set_size (self->groups, 0);
  g_hash_table_remove_all (self->members);
  g_hash_table_remove_all (self->ends);

  return TRUE;
}

GHashTable *
ghlo_fuse_decompositions (const GhloIrModule *module)
{
  GHashTable *functions = g_hash_table_new (NULL, NULL);

  for (GhloIrOp *op = module->op; op != NULL; op = ghlo_pass_next_op (op, module->op))
    {
      const GhloIrBlock *body = ghlo_ir_fusion_get_body (op);

      if (body != NULL)
        g_hash_table_insert (functions, body->region->op, op);
    }

  return functions;
}

gboolean
ghlo_fuse_module (GhloIrModule        *module,
                  GhloPassContext     *context,
                  const GhloFuseRules *rules,
                  GError             **error)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (module);
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) members = g_hash_table_new (NULL, NULL), ends = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) decompositions = ghlo_fuse_decompositions (module);
  g_autoptr (GHashTable) bodies = g_hash_table_new_full (hash_body, same_body, body_free, NULL);
  GhloFuser self = { module, context, rules, groups, members, bodies, ends };

  for (guint i = 0; i < functions->len; i++)
    {
      GhloIrOp *func = g_ptr_array_index (functions, i);

      /* In a nested module, the name of a decomposition might refer to another function. */
      if (ghlo_ir_op_get_parent (func) == module->op && !g_hash_table_contains (decompositions, func)
          && !fuse_function (&self, func, error))
        return FALSE;
    }

  return TRUE;
}
