/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All groups of a function are found before the first one is made into a fusion, by what ends
 * first: what a group takes from others is a fusion by then. Where a function is gone over, the
 * operations' scratch numbers are their order in it.
 */

#include "passes/fuse.h"

#include "base/hash.h"
#include "ir/equal.h"
#include "ir/fusion.h"
#include "ir/outline.h"
#include "passes/effects.h"
#include "passes/walk.h"

/* Views that are moved for one operand. */
enum { MAX_VIEWS = 16 };

struct _GhloFuser
{
  GhloIrModule        *module;
  GhloPassContext     *context;
  const GhloFuseRules *rules;
  GPtrArray           *groups;      /* of GhloFuseGroup, owned: of the function at hand */
  GHashTable          *members;     /* their operations */
  GHashTable          *bodies;      /* of Body, owned: what was made */
  GHashTable          *ends;        /* of the same: number of an operation → the last of what was put behind it */
};

/* What a group does, or the function that was made of one: its operations, and what they take from outside. */
typedef struct
{
  const GhloIrOp     *ops[GHLO_FUSE_MAX_OPS];
  guint               n_ops, n_inputs;
  GhloIrValue *const *inputs;
  GhloIrOp           *function;
} Body;

/* Candidates */

static void
tell (GhloFuser           *self,
      const GhloFuseGroup *group,
      const GhloIrOp      *op,
      guint                number,
      const char          *reason)
{
  const GhloPassFusion *fusion = &self->context->options->fusion;
  const GhloFusionCandidate candidate = { self->rules->kind, group->ops[0], op, number, reason };

  if (fusion->tell != NULL)
    fusion->tell (fusion->tell_data, self->module, &candidate);
}

void
ghlo_fuse_refuse (GhloFuser           *self,
                  const GhloFuseGroup *group,
                  const GhloIrOp      *op,
                  const char          *reason)
{
  tell (self, group, op, 0, reason);
}

static const char *
find_reason (GhloFuser           *self,
             const GhloFuseGroup *group,
             const GhloFuseGroup *grown)
{
  const GhloPassFusion *fusion = &self->context->options->fusion;

  for (guint i = group->n_ops; i < grown->n_ops; i++)
    if (g_hash_table_contains (self->members, grown->ops[i]))
      return "it is in another group";
  if (self->context->n_merges >= self->context->max_merges)
    return "GHLO_FUSE says to stop before it";

  if (fusion->declines == NULL)
    return NULL;

  return fusion->declines (fusion->device, self->rules->kind, (const GhloIrOp *const *) grown->ops, grown->n_ops);
}

gboolean
ghlo_fuse_merge (GhloFuser           *self,
                 GhloFuseGroup       *group,
                 const GhloFuseGroup *grown)
{
  const char *reason = find_reason (self, group, grown);
  guint number = reason == NULL ? ++self->context->n_merges : 0;

  tell (self, group, grown->ops[grown->n_ops - 1], number, reason);
  if (reason == NULL)
    *group = *grown;

  return reason == NULL;
}

/* Equal groups */

/* What stands for @value in a body: the number of its operation, or of the input behind those. */
static guint
number_of (const Body        *self,
           const GhloIrValue *value)
{
  guint n = 0;

  while (n < self->n_ops && self->ops[n] != value->op)
    n++;
  if (n == self->n_ops)
    while (self->inputs[n - self->n_ops] != value)
      n++;

  return n;
}

static guint
hash_body (gconstpointer key)
{
  const Body *self = key;
  GhloHash hash = ghlo_hash_begin ();

  for (guint i = 0; i < self->n_ops; i++)
    {
      ghlo_hash_add (&hash, ghlo_ir_op_hash_like (self->ops[i]));
      for (guint k = 0; k < self->ops[i]->n_operands; k++)
        ghlo_hash_add (&hash, number_of (self, ghlo_ir_op_operand (self->ops[i], k)));
    }

  return (guint) ghlo_hash_end (&hash);
}

static gboolean
same_body (gconstpointer a,
           gconstpointer b)
{
  const Body *x = a, *y = b;

  if (x->n_ops != y->n_ops || x->n_inputs != y->n_inputs)
    return FALSE;
  for (guint i = 0; i < x->n_ops; i++)
    {
      if (!ghlo_ir_op_is_like (x->ops[i], y->ops[i]))
        return FALSE;
      for (guint k = 0; k < x->ops[i]->n_operands; k++)
        if (number_of (x, ghlo_ir_op_operand (x->ops[i], k)) != number_of (y, ghlo_ir_op_operand (y->ops[i], k)))
          return FALSE;
    }

  return TRUE;
}

static GhloIrOp *
add_function (GhloFuser           *self,
              const GhloFuseGroup *group,
              const char          *name)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  Body *body = g_new0 (Body, 1);
  GhloIrBlock *block;

  body->function = ghlo_ir_outline (self->module, (const GhloIrOp *const *) group->ops, group->n_ops, name, inputs,
                                    NULL);
  block = ghlo_ir_func_get_body (body->function);
  body->inputs = block->arguments;
  body->n_inputs = block->n_arguments;
  for (const GhloIrOp *op = block->first; op != block->last; op = op->next)
    body->ops[body->n_ops++] = op;
  g_hash_table_add (self->bodies, body);

  return body->function;
}

/* The function that does what @group does to @inputs. */
static GhloIrOp *
find_function (GhloFuser           *self,
               const GhloFuseGroup *group,
               const GPtrArray     *inputs,
               const char          *name)
{
  Body key = { .n_ops = group->n_ops, .n_inputs = inputs->len, .inputs = (GhloIrValue *const *) inputs->pdata };
  const Body *found;

  for (guint i = 0; i < group->n_ops; i++)
    key.ops[i] = group->ops[i];
  found = g_hash_table_lookup (self->bodies, &key);

  return found != NULL ? found->function : add_function (self, group, name);
}

/* Places */

static gboolean
is_view (const GhloIrOp *op)
{
  return ghlo_pass_is_free (op) || op->kind == GHLO_OP_STABLEHLO_TRANSPOSE || op->kind == GHLO_OP_STABLEHLO_REVERSE;
}

/* Where an operand is computed, behind views, which may be moved; NULL where it is before @place in any case. */
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

/* The operation behind which all is computed that the group takes, and so the first place that it may have: what
 * it takes of other operations need not be kept longer than these have it. */
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

/* Puts @op, which is in no block, or behind @place, behind it and what was put there before. */
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

/* Moves the views behind @place that @value consists of. */
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
                const GPtrArray     *inputs)
{
  g_autofree char *name = g_strconcat (GHLO_IR_FUSION, self->rules->kind, NULL);
  const GhloIrOp *function = find_function (self, group, inputs, name);
  const GhloIrNamedAttr attributes[] = {
    { "name", ghlo_ir_attr_string (self->module, name, -1) },
    { "decomposition", ghlo_ir_attr_symbol (self->module, ghlo_ir_op_get_string (function, "sym_name"), NULL, 0) },
  };
  const GhloIrOp *first = group->ops[0], *last = group->ops[group->n_ops - 1];

  return ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_COMPOSITE, .operands = (GhloIrValue *const *) inputs->pdata, .n_operands = inputs->len,
    .result_types = &last->results[0].type, .n_results = 1, .attributes = attributes,
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
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  GhloIrOp *place, *composite;

  ghlo_ir_outline_inputs ((const GhloIrOp *const *) group->ops, group->n_ops, inputs);
  place = find_place (group, inputs);
  for (guint i = 0; i < inputs->len; i++)
    move_views (self, place, g_ptr_array_index (inputs, i));
  composite = make_composite (self, group, inputs);
  put_behind (self, place, composite);
  ghlo_ir_value_replace (&group->ops[group->n_ops - 1]->results[0], &composite->results[0]);
  for (guint i = group->n_ops; i > 0; i--)
    ghlo_pass_erase (group->ops[i - 1]);
  self->context->n_changes++;
}

static void
find_group (GhloFuser *self,
            GhloIrOp  *op)
{
  GhloFuseGroup group = { { op }, 1 };

  if (!self->rules->begins (op))
    return;
  self->rules->grow (self, &group);
  if (group.n_ops == 1)
    return;
  for (guint i = 0; i < group.n_ops; i++)
    g_hash_table_add (self->members, group.ops[i]);
  g_ptr_array_add (self->groups, g_memdup2 (&group, sizeof group));
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

  for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
    op->id = n++;
  for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
    {
      if (ghlo_monitor_cancelled (self->context->monitor, error))
        return FALSE;
      find_group (self, op);
    }
  g_ptr_array_sort (self->groups, compare_ends);
  g_ptr_array_foreach (self->groups, make_fusion, self);
  g_ptr_array_set_size (self->groups, 0);
  g_hash_table_remove_all (self->members);
  g_hash_table_remove_all (self->ends);

  return TRUE;
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
  g_autoptr (GHashTable) bodies = g_hash_table_new_full (hash_body, same_body, g_free, NULL);
  GhloFuser self = { module, context, rules, groups, members, bodies, ends };

  for (guint i = 0; i < functions->len; i++)
    {
      GhloIrOp *func = g_ptr_array_index (functions, i);

      /* What is in an inner module might see another function under the name of a decomposition. */
      if (ghlo_ir_op_get_parent (func) == module->op && !fuse_function (&self, func, error))
        return FALSE;
    }

  return TRUE;
}
