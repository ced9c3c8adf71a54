/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The estimate is a sum over operations, each by the roofline of the device that runs it. Fusions have not been made
 * yet. So a value between two operations that the device may fuse counts as not stored, and an operation whose results
 * are all of this kind does not count as a step of its own.
 */

#include "compiler/estimate.h"

#include "base/sizes.h"
#include "ir/loop.h"
#include "plan/plan.h"
#include "plan/work.h"
#include "runtime/rates-cache.h"
#include "runtime/storage.h"

enum { MAX_VIEWS = 64 };

/* A program is assumed to need as much memory for temporaries as for its inputs, outputs and constants. */
#define MEMORY_SHARE 2

/* What a run does on the device, in the fields of the rates, and the seconds that the host takes. */
typedef struct
{
  GhloDeviceRates amounts;
  double        others;
} Part;

typedef struct
{
  GhloDeviceCore      *device, *host;
  const GhloDeviceRates *rates, *host_rates;      /* of device and host */
  GHashTable          *blocks;                  /* bodies of called functions → Part */
  GHashTable          *facts;                   /* operations → results of is_on_host () and is_fusible () as bits */
  double               constants;               /* bytes */
  gboolean             is_known, is_exact;
  guint                depth;                   /* of calls and regions */
} Estimate;

static Part estimate_block (Estimate *self, const GhloIrBlock *block);

static void
add (Part       *to,
     const Part *part,
     double      times)
{
  for (guint i = 0; i < GHLO_RATES_N_FIELDS; i++)
    ghlo_rates_set (&to->amounts, i,
                    ghlo_rates_get (&to->amounts, i) + times * ghlo_rates_get (&part->amounts, i));
  to->others += times * part->others;
}

static double
time_of (const Part            *part,
         const GhloDeviceRates *rates)
{
  double seconds = part->others;

  for (guint i = 0; i < GHLO_RATES_N_FIELDS; i++)
    seconds += ghlo_rates_time (rates, &part->amounts, i);

  return seconds;
}

static gboolean
declines (GhloDeviceCore *device,
          const char     *kind,
          const GhloIrOp *op)
{
  return device->klass->unsupported_reason == NULL || device->klass->unsupported_reason (device, kind, &op, 1) != NULL;
}

enum { ON_HOST = 1, FUSIBLE = 2, KNOWN = 4 };

/* The facts of an operation are cached, since all its users ask for them. */
static guint
get_facts (const Estimate *self,
           const GhloIrOp *op)
{
  guint facts = GPOINTER_TO_UINT (g_hash_table_lookup (self->facts, op));

  if (facts != 0)
    return facts;
  facts = KNOWN;
  if (self->device == self->host || declines (self->device, "step", op))
    facts |= ON_HOST;
  if (((facts & ON_HOST) == 0 || self->device == self->host) && !declines (self->device, "map", op))
    facts |= FUSIBLE;
  g_hash_table_insert (self->facts, (gpointer) op, GUINT_TO_POINTER (facts));

  return facts;
}

static gboolean
is_on_host (const Estimate *self,
            const GhloIrOp *op)
{
  return (get_facts (self, op) & ON_HOST) != 0;
}

/* Whether the device can fuse @op with similar operations. */
static gboolean
is_fusible (const Estimate *self,
            const GhloIrOp *op)
{
  return (get_facts (self, op) & FUSIBLE) != 0;
}

/* Whether all users of @value, through at most @n levels of views, are in its block and fusible, so that it need not
 * be stored. */
static gboolean
stays_inside (const Estimate    *self,
              const GhloIrValue *value,
              guint              n)
{
  const GhloIrBlock *block = value->op->block;

  for (const GhloIrUse *use = value->uses; use != NULL; use = use->next)
    {
      const GhloIrOp *op = use->op;

      if (op->block != block
          || (ghlo_step_is_view (op) ? n == 0 || !stays_inside (self, &op->results[0], n - 1) : !is_fusible (self, op)))
        return FALSE;
    }

  return value->uses != NULL;
}

static gboolean
is_shape_known (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_results; i++)
    if (op->results[i].type->kind == GHLO_IR_TYPE_TENSOR && !ghlo_ir_type_has_static_shape (op->results[i].type))
      return FALSE;

  return TRUE;
}

/* Adds the transfers to the host for @op, and back; the host waits for the device first. */
static void
add_crossing (const Estimate *self,
              Part           *part,
              const GhloIrOp *op)
{
  part->amounts.run++;
  if (self->device->shares_memory)
    return;
  for (guint i = 0; i < op->n_operands; i++)
    part->amounts.downloads += ghlo_step_bytes_read (op, i);
  for (guint i = 0; i < op->n_results; i++)
    part->amounts.uploads += ghlo_step_value_bytes (&op->results[i]);
}

static Part
estimate_op (Estimate       *self,
             const GhloIrOp *op)
{
  gboolean elsewhere = self->device != self->host && is_on_host (self, op);
  gboolean fusible = is_fusible (self, op), is_step = op->n_results == 0;
  const GhloDeviceRates *rates = elsewhere ? self->host_rates : self->rates;
  GhloStepWork work = { .exact = TRUE };
  Part part = { .others = 0 };
  double seconds;

  ghlo_step_work_add (&work, op);
  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrOp *source = ghlo_step_source (ghlo_ir_op_operand (op, i))->op;

      if (!fusible || source == NULL || source->block != op->block || !is_fusible (self, source))
        work.bytes += ghlo_step_bytes_read (op, i);
    }
  for (guint i = 0; i < op->n_results; i++)
    if (!fusible || !stays_inside (self, &op->results[i], MAX_VIEWS))
      {
        work.bytes += ghlo_step_bytes_written (op, i);
        is_step = TRUE;
      }
  seconds = ghlo_step_work_time (&work, rates);
  self->is_known &= seconds >= 0;
  self->is_exact &= work.exact;
  if (elsewhere)
    {
      part.others = seconds + (is_step ? rates->step : 0);
      add_crossing (self, &part, op);
      return part;
    }
  if (seconds >= 0)
    ghlo_step_work_bound (&work, rates, &part.amounts);
  part.amounts.step = is_step ? 1 : 0;

  return part;
}

static Part
estimate_while (Estimate       *self,
                const GhloIrOp *op)
{
  Part condition = estimate_block (self, ghlo_ir_op_region_block (op, 0));
  Part body = estimate_block (self, ghlo_ir_op_region_block (op, 1)), all = { .others = 0 };
  GhloIrCountedLoop counted;

  if (ghlo_ir_counted_loop (op, &counted) && counted.start_known)
    {
      add (&all, &body, (double) counted.trips);
      return all;
    }

  self->is_exact = FALSE;
  /* The host evaluates the condition. */
  add (&body, &condition, 2);
  body.amounts.run += self->device != self->host ? 2 : 0;

  return body;
}

/* The most expensive branch; the host selects it. */
static Part
estimate_branch (Estimate       *self,
                 const GhloIrOp *op)
{
  Part most = { .others = 0 };

  for (guint i = 0; i < op->n_regions; i++)
    {
      Part one = estimate_block (self, ghlo_ir_op_region_block (op, i));

      if (time_of (&one, self->rates) > time_of (&most, self->rates))
        most = one;
    }
  self->is_exact = FALSE;
  most.amounts.run += self->device != self->host ? 1 : 0;

  return most;
}

/* Each called function is estimated once, so that nested calls do not multiply the time. */
static Part
estimate_call (Estimate       *self,
               const GhloIrOp *op)
{
  const GhloIrAttr *name = ghlo_ir_op_get (op, op->kind == GHLO_OP_FUNC_CALL ? "callee" : "decomposition");
  const GhloIrOp *function = name != NULL ? ghlo_ir_op_find_symbol (op, name->text) : NULL;
  const GhloIrBlock *body = function != NULL && function->kind == GHLO_OP_FUNC_FUNC ? ghlo_ir_func_get_body (function)
                                                                                    : NULL;
  Part *part = body != NULL ? g_hash_table_lookup (self->blocks, body) : NULL;

  if (part != NULL)
    return *part;
  if (body == NULL)
    {
      self->is_known = FALSE;
      return (Part) { .others = 0 };
    }
  part = g_new (Part, 1);
  *part = estimate_block (self, body);
  g_hash_table_insert (self->blocks, (gpointer) body, part);

  return *part;
}

/* A splat has the bytes of one element. */
static double
constant_bytes (const GhloIrOp *op)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");

  return value->kind == GHLO_IR_ATTR_DENSE ? (double) g_bytes_get_size (value->dense.bytes) : 0;
}

/* Estimates an operation that is not a view. */
static Part
estimate_any (Estimate       *self,
              const GhloIrOp *op)
{
  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_WHILE:
      return estimate_while (self, op);
    case GHLO_OP_STABLEHLO_IF:
    case GHLO_OP_STABLEHLO_CASE:
      return estimate_branch (self, op);
    case GHLO_OP_FUNC_CALL:
    case GHLO_OP_STABLEHLO_COMPOSITE:
      return estimate_call (self, op);
    default:
      return ghlo_step_plan_implements (op->kind) ? (Part) { .others = 0 } : estimate_op (self, op);
    }
}

static Part
estimate_block (Estimate          *self,
                const GhloIrBlock *block)
{
  Part all = { .others = 0 };

  if (self->depth >= GHLO_MAX_STEP_NESTING)
    {
      self->is_known = FALSE;
      return all;
    }
  self->depth++;
  for (const GhloIrOp *op = block != NULL ? block->first : NULL; op != NULL && op != block->last; op = op->next)
    {
      self->is_known &= is_shape_known (op);
      if (op->kind == GHLO_OP_STABLEHLO_CONSTANT)
        self->constants += constant_bytes (op);
      if (!ghlo_step_is_view (op))
        {
          Part part = estimate_any (self, op);

          add (&all, &part, 1);
        }
    }
  self->depth--;

  return all;
}

/* The time to transfer inputs and outputs. Also checks the device's memory; self->constants must be complete. */
static double
estimate_transfers (Estimate          *self,
                    const GhloIrBlock *body)
{
  double up = 0, down = 0;
  GhloMemoryUse use;

  if (self->device == self->host)
    return 0;
  for (guint i = 0; i < body->n_arguments; i++)
    up += ghlo_step_value_bytes (body->arguments[i]);
  for (guint i = 0; i < body->last->n_operands; i++)
    down += ghlo_step_value_bytes (ghlo_ir_op_operand (body->last, i));
  ghlo_device_core_measure_memory (self->device, &use);
  if (use.total > 0)
    self->is_known &= MEMORY_SHARE * (up + down + self->constants) <= (double) use.total;

  if (self->device->shares_memory)
    down = 0;

  return up / self->rates->uploads + down / self->rates->downloads;
}

/* Estimates a function whose arguments have known shapes, with known rates. */
static double
estimate_function (Estimate          *self,
                   const GhloIrBlock *body,
                   GhloEstimate      *estimate)
{
  Part part = estimate_block (self, body);
  double transfers = estimate_transfers (self, body);

  part.amounts.run++;
  estimate->amounts = part.amounts;
  estimate->others = part.others;
  estimate->is_exact = self->is_exact;

  return self->is_known ? time_of (&part, self->rates) + transfers : -1;
}

void
ghlo_estimate_run (GhloDeviceCore *device,
                   GhloDeviceCore *host,
                   const GhloIrOp *function,
                   GhloEstimate   *estimate)
{
  g_autoptr (GHashTable) blocks = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable) facts = g_hash_table_new (NULL, NULL);
  const GhloIrBlock *body = ghlo_ir_func_get_body (function);
  GhloRefinedRates on_host;
  Estimate self = {
    .device = device, .host = host, .blocks = blocks, .facts = facts, .is_known = TRUE, .is_exact = TRUE,
    .rates = &estimate->rates.rates, .host_rates = &on_host.rates,
  };

  *estimate = (GhloEstimate) { .seconds = -1 };
  if (body == NULL || !ghlo_refined_rates_get (device, &estimate->rates) || !ghlo_refined_rates_get (host, &on_host)
      || (device != host && (self.rates->uploads <= 0 || self.rates->downloads <= 0)))
    return;
  for (guint i = 0; i < body->n_arguments; i++)
    if (body->arguments[i]->type->kind == GHLO_IR_TYPE_TENSOR
        && !ghlo_ir_type_has_static_shape (body->arguments[i]->type))
      return;
  estimate->seconds = estimate_function (&self, body, estimate);
}
