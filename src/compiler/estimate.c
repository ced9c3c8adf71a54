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
#include "runtime/storage.h"

enum { MAX_VIEWS = 64 };

/* A program is assumed to need as much memory for temporaries as for its inputs, outputs and constants. */
#define MEMORY_SHARE 2

typedef struct
{
  GhloDeviceCore      *device, *host;
  const GhloDeviceRates *rates, *host_rates;      /* of device and host */
  GHashTable          *blocks;                  /* bodies of called functions → double, seconds */
  GHashTable          *facts;                   /* operations → results of is_on_host () and is_fusible () as bits */
  double               constants;               /* bytes */
  gboolean             is_known;
  guint                depth;                   /* of calls and regions */
} Estimate;

/* The functions below that estimate a part of the program return seconds. */
static double estimate_block (Estimate *self, const GhloIrBlock *block);

static gboolean
declines (GhloDeviceCore *device,
          GhloFusionKind  kind,
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
  if (self->device == self->host || declines (self->device, GHLO_FUSION_STEP, op))
    facts |= ON_HOST;
  if (((facts & ON_HOST) == 0 || self->device == self->host) && !declines (self->device, GHLO_FUSION_MAP, op))
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

/* The transfers to the host for @op, and back; the host waits for the device first. */
static double
estimate_crossing (const Estimate *self,
                   const GhloIrOp *op)
{
  double up = 0, down = 0;

  if (self->device->shares_memory)
    return self->rates->run;
  for (guint i = 0; i < op->n_operands; i++)
    down += ghlo_step_bytes_read (op, i);
  for (guint i = 0; i < op->n_results; i++)
    up += ghlo_step_value_bytes (&op->results[i]);

  return self->rates->run + up / self->rates->uploads + down / self->rates->downloads;
}

static double
estimate_op (Estimate       *self,
             const GhloIrOp *op)
{
  gboolean elsewhere = self->device != self->host && is_on_host (self, op);
  gboolean fusible = is_fusible (self, op), is_step = op->n_results == 0;
  const GhloDeviceRates *rates = elsewhere ? self->host_rates : self->rates;
  GhloStepWork work = { .exact = TRUE };
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

  return seconds + (is_step ? rates->step : 0) + (elsewhere ? estimate_crossing (self, op) : 0);
}

static double
estimate_while (Estimate       *self,
                const GhloIrOp *op)
{
  double condition = estimate_block (self, ghlo_ir_op_region_block (op, 0));
  double body = estimate_block (self, ghlo_ir_op_region_block (op, 1));
  GhloIrCountedLoop counted;

  if (ghlo_ir_counted_loop (op, &counted) && counted.start_known)
    return body * (double) counted.trips;

  /* The host evaluates the condition. */
  return body + 2 * condition + (self->device != self->host ? 2 * self->rates->run : 0);
}

/* The most expensive branch; the host selects it. */
static double
estimate_branch (Estimate       *self,
                 const GhloIrOp *op)
{
  double most = 0;

  for (guint i = 0; i < op->n_regions; i++)
    {
      double one = estimate_block (self, ghlo_ir_op_region_block (op, i));

      most = MAX (most, one);
    }

  return most + (self->device != self->host ? self->rates->run : 0);
}

/* Each called function is estimated once, so that nested calls do not multiply the time. */
static double
estimate_call (Estimate       *self,
               const GhloIrOp *op)
{
  const GhloIrAttr *name = ghlo_ir_op_get (op, op->kind == GHLO_OP_FUNC_CALL ? "callee" : "decomposition");
  const GhloIrOp *function = name != NULL ? ghlo_ir_op_find_symbol (op, name->text) : NULL;
  const GhloIrBlock *body = function != NULL && function->kind == GHLO_OP_FUNC_FUNC ? ghlo_ir_func_get_body (function)
                                                                                    : NULL;
  double *seconds = body != NULL ? g_hash_table_lookup (self->blocks, body) : NULL;

  if (seconds != NULL)
    return *seconds;
  if (body == NULL)
    {
      self->is_known = FALSE;
      return 0;
    }
  seconds = g_new (double, 1);
  *seconds = estimate_block (self, body);
  g_hash_table_insert (self->blocks, (gpointer) body, seconds);

  return *seconds;
}

/* A splat has the bytes of one element. */
static double
constant_bytes (const GhloIrOp *op)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");

  return value->kind == GHLO_IR_ATTR_DENSE ? (double) g_bytes_get_size (value->dense.bytes) : 0;
}

/* Estimates an operation that is not a view. */
static double
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
      return ghlo_step_plan_implements (op->kind) ? 0 : estimate_op (self, op);
    }
}

static double
estimate_block (Estimate          *self,
                const GhloIrBlock *block)
{
  double seconds = 0;

  if (self->depth >= GHLO_MAX_STEP_NESTING)
    {
      self->is_known = FALSE;
      return 0;
    }
  self->depth++;
  for (const GhloIrOp *op = block != NULL ? block->first : NULL; op != NULL && op != block->last; op = op->next)
    {
      self->is_known &= is_shape_known (op);
      if (op->kind == GHLO_OP_STABLEHLO_CONSTANT)
        self->constants += constant_bytes (op);
      if (!ghlo_step_is_view (op))
        seconds += estimate_any (self, op);
    }
  self->depth--;

  return seconds;
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

double
ghlo_estimate_run (GhloDeviceCore *device,
                   GhloDeviceCore *host,
                   const GhloIrOp *function)
{
  g_autoptr (GHashTable) blocks = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable) facts = g_hash_table_new (NULL, NULL);
  const GhloIrBlock *body = ghlo_ir_func_get_body (function);
  Estimate self = {
    .device = device, .host = host, .blocks = blocks, .facts = facts, .is_known = TRUE,
    .rates = device->rates, .host_rates = host->rates,
  };
  double seconds;

  if (body == NULL || self.rates == NULL || self.host_rates == NULL
      || (device != host && (self.rates->uploads <= 0 || self.rates->downloads <= 0)))
    return -1;
  for (guint i = 0; i < body->n_arguments; i++)
    if (body->arguments[i]->type->kind == GHLO_IR_TYPE_TENSOR
        && !ghlo_ir_type_has_static_shape (body->arguments[i]->type))
      return -1;
  seconds = self.rates->run + estimate_block (&self, body);
  seconds += estimate_transfers (&self, body);

  return self.is_known ? seconds : -1;
}
