/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each operation costs the time of its work at the rates of the side that runs it. Each value costs one transfer where
 * something on the other side uses it. Both are multiplied by the iterations of the loops around them. A carried value
 * is where its next value is computed, as in plans; values from outside of a loop are transferred before it. So chains
 * of operations move together or not at all, and a minimum cut decides about the whole program at once.
 */

#include "plan/place.h"

#include "ir/fusion.h"
#include "ir/loop.h"
#include "plan/build.h"
#include "plan/cut.h"
#include "plan/work.h"

/* The number of iterations that is assumed for a loop where it is not known. */
#define SOME_TRIPS 16.0

/* Costs are in picoseconds. */
#define PER_SECOND 1e12

enum
{
  MAX_NODES = 1 << 16,
  MAX_EDGE_VISITS = 10000000,       /* edges that the cut may visit; 20,000 operations take 3 million
                                       (test-plan-place --verbose) */
  MAX_CARRIED_CHAIN = 64,           /* the longest chain of carried values that become each other */
};

/* A value that is computed on one side and may be used on the other. */
typedef struct
{
  guint  node;
  double bytes, times;      /* @times: how often it is computed */
  guint  down, up;          /* the nodes of its transfers; NO_NODE until something uses it */
} Value;

#define NO_NODE G_MAXUINT

typedef struct
{
  GhloDeviceCore *device, *host;
  GhloCut              *cut;
  GHashTable           *values;         /* GhloIrValue → Value; constants have none, since they are on both sides */
  GHashTable           *nodes;          /* GhloIrOp that is a step → its node + 1 */
  guint                 on_device, on_host;     /* nodes that are fixed to one side */
  guint                 n;              /* number of nodes */
} Placement;

static gint64
cost_of (double seconds)
{
  return seconds * PER_SECOND < (double) GHLO_CUT_MOST ? (gint64) (seconds * PER_SECOND) : GHLO_CUT_MOST;
}

static guint
add_node (Placement *self,
          gint64     on_device,
          gint64     on_host)
{
  self->n++;

  return ghlo_cut_add_node (self->cut, on_device, on_host);
}

static void
bind (Placement         *self,
      const GhloIrValue *value,
      guint              node,
      double             times)
{
  Value *bound = g_new (Value, 1);

  *bound = (Value) { node, ghlo_step_value_bytes (value), times, NO_NODE, NO_NODE };
  g_hash_table_insert (self->values, (gpointer) value, bound);
}

/* FALSE for a value of which nothing is known. *@found is NULL for a constant. */
static gboolean
find (const Placement    *self,
      const GhloIrValue  *value,
      Value             **found)
{
  const GhloIrValue *source = ghlo_step_source (value);

  *found = NULL;
  if (source->op != NULL && source->op->kind == GHLO_OP_STABLEHLO_CONSTANT)
    return TRUE;
  *found = g_hash_table_lookup (self->values, source);

  return *found != NULL;
}

/* Adds a use of @value by @node. A transfer is needed where the value is on one side and any of its users on the other.
 * It costs once for all of them, since it has a node that follows the users. The host waits for the device before it
 * reads what that computed. */
static void
add_use (Placement *self,
         Value     *value,      /* nullable */
         guint      node)
{
  const GhloDeviceRates *rates = self->device->rates;
  double bytes;

  if (value == NULL || value->node == node)
    return;
  bytes = self->device->memory->klass->map == NULL ? value->bytes : 0;
  if (value->down == NO_NODE)
    {
      value->down = add_node (self, 0, 0);
      value->up = add_node (self, 0, 0);
      ghlo_cut_add_pair (self->cut, value->node, value->down,
                         cost_of (value->times * (rates->run + bytes / rates->downloads)));
      ghlo_cut_add_pair (self->cut, value->up, value->node,
                         cost_of (value->times * (rates->step + bytes / rates->uploads)));
    }
  ghlo_cut_add_pair (self->cut, value->down, node, GHLO_CUT_NEVER);
  ghlo_cut_add_pair (self->cut, node, value->up, GHLO_CUT_NEVER);
}

static gboolean
use_value (Placement         *self,
           const GhloIrValue *value,
           guint              node)
{
  Value *found;

  if (value->type->kind == GHLO_IR_TYPE_TOKEN)
    return TRUE;
  if (!find (self, value, &found))
    return FALSE;
  add_use (self, found, node);

  return TRUE;
}

/* Whether @op may be a step of @target, as far as its kind tells. */
static gboolean
may_do (GhloDeviceCore    *target,
        const GhloIrOp    *op,
        const GhloIrBlock *body)
{
  const GhloIrOp *lead = body != NULL ? ghlo_ir_fusion_get_lead (body) : op;

  return ghlo_step_has_plain_types (op) && ghlo_device_core_find_step (target, lead, NULL) != NULL
         && ghlo_device_core_find_step (target, op, NULL) != NULL;
}

/* Negative where it is not known. */
static double
step_time (const GhloStepWork    *work,
           const GhloDeviceRates *rates)
{
  double seconds = ghlo_step_work_time (work, rates);

  return seconds >= 0 ? seconds + rates->step : -1;
}

/* An operation that neither side has a step for runs on the fallback, in the host's memory. */
static gboolean
place_step (Placement         *self,
            const GhloIrOp    *op,
            const GhloIrBlock *body,
            double             times)
{
  GhloStepWork work = { .exact = TRUE };
  gboolean by_device = may_do (self->device, op, body), by_host;
  double on_device, on_host;
  guint node;

  for (const GhloIrOp *each = body != NULL ? body->first : NULL; each != NULL && each != body->last; each = each->next)
    ghlo_step_work_add (&work, each);
  if (body == NULL)
    ghlo_step_work_add (&work, op);
  for (guint i = 0; i < op->n_operands; i++)
    work.bytes += ghlo_step_bytes_read (op, i);
  for (guint i = 0; i < op->n_results; i++)
    work.bytes += ghlo_step_bytes_written (op, i);
  on_device = step_time (&work, self->device->rates);
  on_host = step_time (&work, self->host->rates);
  by_device &= on_device >= 0;
  by_host = !by_device || (may_do (self->host, op, body) && on_host >= 0);
  node = add_node (self, by_device ? cost_of (times * on_device) : GHLO_CUT_NEVER,
                   by_host ? cost_of (times * on_host) : GHLO_CUT_NEVER);
  if (by_device && by_host)
    g_hash_table_insert (self->nodes, (gpointer) op, GUINT_TO_POINTER (node + 1));
  for (guint i = 0; i < op->n_operands; i++)
    if (!use_value (self, ghlo_ir_op_operand (op, i), node))
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    bind (self, &op->results[i], node, times);

  return TRUE;
}

static gboolean place_block (Placement *self, const GhloIrBlock *block, double times);

/* Follows carried value @index to the carried value whose next value the body computes. G_MAXUINT where it keeps its
 * initial value. */
static guint
find_next (const GhloIrBlock *body,
           guint              index)
{
  for (guint n = 0; n < MAX_CARRIED_CHAIN; n++)
    {
      const GhloIrValue *next = ghlo_step_source (ghlo_ir_op_operand (body->last, index));

      if (next->block != body)
        return index;
      if (next->index == index)
        return G_MAXUINT;
      index = next->index;
    }

  return G_MAXUINT;
}

/* A carried value has a node of its own, which is tied to the node that computes its next value once that is known. */
static gboolean
place_while (Placement      *self,
             const GhloIrOp *op,
             double          times)
{
  const GhloIrBlock *condition = ghlo_ir_op_region_block (op, 0), *body = ghlo_ir_op_region_block (op, 1);
  g_autofree guint *nodes = g_new (guint, op->n_operands + 1);
  GhloIrCountedLoop counted;
  gboolean is_counted = ghlo_ir_counted_loop (op, &counted) && counted.start_known;
  double trips = times * (is_counted ? (double) counted.trips : SOME_TRIPS);

  for (guint i = 0; i < op->n_operands; i++)
    {
      gboolean stays = find_next (body, i) == G_MAXUINT;

      nodes[i] = add_node (self, 0, 0);
      if (!use_value (self, ghlo_ir_op_operand (op, i), nodes[i]))
        return FALSE;
      bind (self, condition->arguments[i], nodes[i], stays ? times : trips);
      bind (self, body->arguments[i], nodes[i], stays ? times : trips);
      bind (self, &op->results[i], nodes[i], times);
    }
  if (!is_counted && (!place_block (self, condition, trips)
                      || !use_value (self, ghlo_ir_op_operand (condition->last, 0), self->on_host)))
    return FALSE;
  if (!place_block (self, body, trips))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    {
      guint next = find_next (body, i);
      const GhloIrValue *computed = ghlo_ir_op_operand (body->last, next != G_MAXUINT ? next : i);
      Value *value;

      if (computed->type->kind == GHLO_IR_TYPE_TOKEN || next == G_MAXUINT)
        continue;
      if (!find (self, computed, &value))
        return FALSE;
      if (value == NULL)
        continue;
      ghlo_cut_add_pair (self->cut, value->node, nodes[i], GHLO_CUT_NEVER);
      ghlo_cut_add_pair (self->cut, nodes[i], value->node, GHLO_CUT_NEVER);
    }

  return TRUE;
}

/* Results are where the first branch computes them. */
static gboolean
place_branches (Placement      *self,
                const GhloIrOp *op,
                double          times)
{
  g_autofree guint *nodes = g_new (guint, op->n_results + 1);

  if (!use_value (self, ghlo_ir_op_operand (op, 0), self->on_host))
    return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    {
      nodes[i] = add_node (self, 0, 0);
      bind (self, &op->results[i], nodes[i], times);
    }
  for (guint k = 0; k < op->n_regions; k++)
    {
      const GhloIrBlock *block = ghlo_ir_op_region_block (op, k);

      if (!place_block (self, block, times))
        return FALSE;
      for (guint i = 0; i < op->n_results; i++)
        {
          Value *value;

          if (op->results[i].type->kind == GHLO_IR_TYPE_TOKEN)
            continue;
          if (!find (self, ghlo_ir_op_operand (block->last, i), &value))
            return FALSE;
          add_use (self, value, nodes[i]);
          if (k == 0 && value != NULL)
            {
              ghlo_cut_add_pair (self->cut, value->node, nodes[i], GHLO_CUT_NEVER);
              ghlo_cut_add_pair (self->cut, nodes[i], value->node, GHLO_CUT_NEVER);
            }
        }
    }

  return TRUE;
}

/* The results of optimization barriers are their operands. */
static gboolean
place_barrier (Placement      *self,
               const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_results; i++)
    {
      Value *value;

      if (!find (self, ghlo_ir_op_operand (op, i), &value) || value == NULL)
        return FALSE;
      bind (self, &op->results[i], value->node, value->times);
    }

  return TRUE;
}

/* Calls and tuples are rare after the passes: programs that still have some are not handled. */
static gboolean
place_op (Placement      *self,
          const GhloIrOp *op,
          double          times)
{
  const GhloIrBlock *fused = ghlo_ir_fusion_get_body (op);

  if (self->n > MAX_NODES)
    return FALSE;
  if (ghlo_step_is_view (op))
    return TRUE;
  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_WHILE:
      return place_while (self, op, times);
    case GHLO_OP_STABLEHLO_IF:
    case GHLO_OP_STABLEHLO_CASE:
      return place_branches (self, op, times);
    case GHLO_OP_STABLEHLO_OPTIMIZATION_BARRIER:
      return place_barrier (self, op);
    default:
      return (fused != NULL || !ghlo_step_plan_implements (op->kind)) && place_step (self, op, fused, times);
    }
}

static gboolean
place_block (Placement         *self,
             const GhloIrBlock *block,
             double             times)
{
  for (const GhloIrOp *op = block->first; op != block->last; op = op->next)
    if (!place_op (self, op, times))
      return FALSE;

  return TRUE;
}

static gboolean
place_function (Placement         *self,
                const GhloIrBlock *body)
{
  self->on_device = add_node (self, 0, GHLO_CUT_NEVER);
  self->on_host = add_node (self, GHLO_CUT_NEVER, 0);
  for (guint i = 0; i < body->n_arguments; i++)
    bind (self, body->arguments[i], self->on_device, 1);
  if (!place_block (self, body, 1))
    return FALSE;
  for (guint i = 0; i < body->last->n_operands; i++)
    if (!use_value (self, ghlo_ir_op_operand (body->last, i), self->on_device))
      return FALSE;

  return ghlo_cut_solve (self->cut, MAX_EDGE_VISITS);
}

/* Collects the operations that are on the host although the device could run them. */
static GHashTable *
collect (const Placement *self)
{
  g_autoptr (GHashTable) placed = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer op, node;

  g_hash_table_iter_init (&iter, self->nodes);
  while (g_hash_table_iter_next (&iter, &op, &node))
    if (ghlo_cut_is_there (self->cut, GPOINTER_TO_UINT (node) - 1))
      g_hash_table_add (placed, op);

  return g_hash_table_size (placed) > 0 ? g_steal_pointer (&placed) : NULL;
}

static gboolean
has_rates (GhloDeviceCore *target)
{
  const GhloDeviceRates *rates = target->rates;

  return rates != NULL && rates->bytes > 0 && (target->memory == NULL || (rates->uploads > 0 && rates->downloads > 0));
}

GHashTable *
ghlo_step_place (const GhloIrOp *function,
                 GhloDeviceCore *device,
                 GhloDeviceCore *host)
{
  g_autoptr (GhloCut) cut = ghlo_cut_new ();
  g_autoptr (GHashTable) values = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable) nodes = g_hash_table_new (NULL, NULL);
  Placement self = { .device = device, .host = host, .cut = cut, .values = values, .nodes = nodes };
  const GhloIrBlock *body = ghlo_ir_func_get_body (function);

  if (body == NULL || device->memory == NULL || host->memory != NULL || !has_rates (device) || !has_rates (host)
      || !place_function (&self, body))
    return NULL;

  return collect (&self);
}
