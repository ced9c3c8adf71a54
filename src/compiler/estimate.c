/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The estimate is a sum over operations, each by the roofline of whoever does it. Fusions are not made yet, so that
 * a value between two operations that the device may fuse is taken for one that is not stored, and an operation all of
 * whose results are such for no step of its own.
 */

#include "compiler/estimate.h"

#include "base/sizes.h"
#include "ir/loop.h"
#include "plan/work.h"

enum { MAX_VIEWS = 64 };

/* What a program takes besides its inputs, outputs and constants is taken to be as much again. */
#define MEMORY_SHARE 2

typedef struct
{
  GhloDeviceCore      *device, *host;
  const GhloStepRates *rates, *host_rates;      /* theirs */
  GHashTable          *blocks;                  /* of functions that are called → double, seconds */
  GHashTable          *facts;                   /* operations → what is_on_host () and is_fusible () found, as bits */
  double               constants;               /* bytes */
  gboolean             is_known;
  guint                depth;                   /* of calls */
} Estimate;

static double estimate_block (Estimate *self, const GhloIrBlock *block);

static gboolean
declines (GhloDeviceCore *device,
          const char     *kind,
          const GhloIrOp *op)
{
  return device->klass->declines == NULL || device->klass->declines (device, kind, &op, 1) != NULL;
}

enum { ON_HOST = 1, FUSIBLE = 2, KNOWN = 4 };

/* Each operation is asked about by all that it is used by. */
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

/* Whether the device makes one step of @op and others like it. */
static gboolean
is_fusible (const Estimate *self,
            const GhloIrOp *op)
{
  return (get_facts (self, op) & FUSIBLE) != 0;
}

/* Whether all that takes @value, by at most @n views of views, is in its block and fusible, so that it need not be
 * stored. */
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

/* What goes from the device to the host for @op, and back; the host waits for the device before. */
static double
estimate_crossing (const Estimate *self,
                   const GhloIrOp *op)
{
  double seconds = self->rates->run;

  for (guint i = 0; i < op->n_operands; i++)
    seconds += ghlo_step_bytes_read (op, i) / self->rates->downloads;
  for (guint i = 0; i < op->n_results; i++)
    seconds += ghlo_step_value_bytes (&op->results[i]) / self->rates->uploads;

  return seconds;
}

static double
estimate_op (Estimate       *self,
             const GhloIrOp *op)
{
  gboolean on_host = is_on_host (self, op), fusible = is_fusible (self, op), is_step = op->n_results == 0;
  const GhloStepRates *rates = on_host ? self->host_rates : self->rates;
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

  return seconds + (is_step ? rates->step : 0)
         + (on_host && self->device != self->host ? estimate_crossing (self, op) : 0);
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

  /* The host decides whether to go on. */
  return body + 2 * condition + 2 * (self->device != self->host ? self->rates->run : 0);
}

/* The dearest; the host decides which. */
static double
estimate_branch (Estimate       *self,
                 const GhloIrOp *op)
{
  double most = 0;

  for (guint i = 0; i < op->n_regions; i++)
    most = MAX (most, estimate_block (self, ghlo_ir_op_region_block (op, i)));

  return most + (self->device != self->host ? self->rates->run : 0);
}

/* What is called often is estimated once, so that calls of calls take no longer than the program is long. */
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
  if (body == NULL || self->depth >= GHLO_MAX_CALL_DEPTH)
    {
      self->is_known = FALSE;
      return 0;
    }
  self->depth++;
  seconds = g_new (double, 1);
  *seconds = estimate_block (self, body);
  self->depth--;
  g_hash_table_insert (self->blocks, (gpointer) body, seconds);

  return *seconds;
}

/* One element where all are equal. */
static double
constant_bytes (const GhloIrOp *op)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");

  return value->kind == GHLO_IR_ATTR_DENSE ? (double) g_bytes_get_size (value->dense.bytes) : 0;
}

static double
estimate_block (Estimate          *self,
                const GhloIrBlock *block)
{
  double seconds = 0;

  for (const GhloIrOp *op = block != NULL ? block->first : NULL; op != NULL && op != block->last; op = op->next)
    {
      self->is_known &= is_shape_known (op);
      if (op->kind == GHLO_OP_STABLEHLO_CONSTANT)
        self->constants += constant_bytes (op);
      if (ghlo_step_is_view (op))
        continue;
      switch (op->kind)
        {
        case GHLO_OP_STABLEHLO_WHILE:
          seconds += estimate_while (self, op);
          break;
        case GHLO_OP_STABLEHLO_IF:
        case GHLO_OP_STABLEHLO_CASE:
          seconds += estimate_branch (self, op);
          break;
        case GHLO_OP_FUNC_CALL:
        case GHLO_OP_STABLEHLO_COMPOSITE:
          seconds += estimate_call (self, op);
          break;
        default:
          seconds += ghlo_step_plan_does (op->kind) ? 0 : estimate_op (self, op);
        }
    }

  return seconds;
}

/* Inputs and outputs, of a program whose constants are counted. */
static double
estimate_transfers (Estimate          *self,
                    const GhloIrBlock *body)
{
  double up = 0, down = 0;

  if (self->device == self->host)
    return 0;
  for (guint i = 0; i < body->n_arguments; i++)
    up += ghlo_step_value_bytes (body->arguments[i]);
  for (guint i = 0; i < body->last->n_operands; i++)
    down += ghlo_step_value_bytes (ghlo_ir_op_operand (body->last, i));
  if (self->device->klass->get_memory != NULL)
    self->is_known &= MEMORY_SHARE * (up + down + self->constants)
                      <= (double) self->device->klass->get_memory (self->device);

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
    .rates = ghlo_device_core_get_rates (device), .host_rates = ghlo_device_core_get_rates (host),
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
