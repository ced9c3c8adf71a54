/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs steps: takes operands from slots, stores results into slots, and empties
 * slots after their last use. Nested regions and calls recurse on the C stack,
 * whose end is checked.
 */

#include "reference/frame.h"

#include "base/fail.h"
#include "base/stack.h"

/* Beyond this number, operands and results are held on the heap. */
enum { N_FEW = 6 };

/* The stack space that kernels may use without a check, and the least time between two progress reports. */
enum { STACK_RESERVE = 256 * 1024, REPORT_INTERVAL = 20 * G_TIME_SPAN_MILLISECOND };

void
ghlo_ref_frame_init (GhloRefFrame          *self,
                     GhloRefProcess        *process,
                     const GhloRefFunction *function,
                     guint                  depth)
{
  self->process = process;
  self->function = function;
  self->step = NULL;
  self->depth = depth;
  self->slots = g_new0 (GhloValue *, function->n_slots);
}

void
ghlo_ref_frame_clear (GhloRefFrame *self)
{
  ghlo_values_clear (self->slots, self->function->n_slots);
  g_free (self->slots);
}

static gboolean
stack_has_room (GError **error)
{
  return ghlo_stack_has (STACK_RESERVE)
         || ghlo_unsupported (error, "calls and regions nest deeper than the thread's stack allows");
}

static void
set_slot (GhloRefFrame *self,
          guint32       slot,
          GhloValue    *value)
{
  g_clear_pointer (&self->slots[slot], ghlo_value_unref);
  self->slots[slot] = value;
}

static void
drop (GhloRefFrame  *self,
      const guint32 *slots,
      guint32        n)
{
  for (guint32 i = 0; i < n; i++)
    g_clear_pointer (&self->slots[slots[i]], ghlo_value_unref);
}

static gboolean
gather_operands (GhloRefFrame       *self,
                 const GhloRefStep  *step,
                 GhloValue         **operands,
                 GError            **error)
{
  for (guint32 i = 0; i < step->n_operands; i++)
    {
      operands[i] = self->slots[step->slots[i]];
      if (operands[i] == NULL)
        {
          g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "operand %u has no value", i);
          return FALSE;
        }
    }

  return TRUE;
}

/* Where the program states a dynamic shape, a result may have any shape that fits. */
static gboolean
check_result (const GhloRefStep *step,
              guint32            index,
              const GhloValue   *value,
              GError           **error)
{
  const GhloIrType *type = step->op->results[index].type;
  g_autofree char *expected = NULL, *found = NULL;

  if ((value->kind == GHLO_VALUE_TENSOR && value->type == step->result_types[index])
      || ghlo_ref_value_fits (value, type))
    return TRUE;

  expected = ghlo_ir_type_to_string (type);
  found = ghlo_ref_value_describe (value);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "expected %s for result %u, found %s", expected, index, found);

  return FALSE;
}

static gboolean
store_results (GhloRefFrame       *self,
               const GhloRefStep  *step,
               GhloValue         **results,
               GError            **error)
{
  for (guint32 i = 0; i < step->n_results; i++)
    {
      if (results[i] == NULL)
        {
          g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "the kernel did not set result %u", i);
          return FALSE;
        }
      if (!check_result (step, i, results[i], error))
        return FALSE;
      set_slot (self, step->first_result + i, g_steal_pointer (&results[i]));
    }

  return TRUE;
}

static gboolean
call_kernel (GhloRefFrame       *self,
             const GhloRefStep  *step,
             GhloValue         **operands,
             GhloValue         **results,
             GError            **error)
{
  GhloRefCall call = { self, step->op, operands, step->n_operands, results };
  const GhloRefStep *outer = self->step;
  gboolean ok;

  if (!gather_operands (self, step, operands, error))
    return FALSE;
  self->step = step;
  ok = step->kernel (&call, error);
  self->step = outer;

  return ok && store_results (self, step, results, error);
}

static gboolean
run_step (GhloRefFrame       *self,
          const GhloRefStep  *step,
          GError            **error)
{
  GhloValue *few_operands[N_FEW], *few_results[N_FEW] = { NULL };
  GhloValue **operands = few_operands, **results = few_results;
  gboolean ok;

  if (step->constant != NULL)
    {
      set_slot (self, step->first_result, ghlo_value_ref (step->constant));
      return TRUE;
    }

  if (step->n_operands > N_FEW)
    operands = g_new (GhloValue *, step->n_operands);
  if (step->n_results > N_FEW)
    results = g_new0 (GhloValue *, step->n_results);

  ok = call_kernel (self, step, operands, results, error);
  if (!ok)
    {
      ghlo_values_clear (results, step->n_results);
      ghlo_ref_prefix_place (error, self->process->run->program->module, step->op);
    }

  if (operands != few_operands)
    g_free (operands);
  if (results != few_results)
    g_free (results);

  return ok;
}

/* @within is the completed fraction of step @index. */
static void
report (GhloRefFrame       *self,
        const GhloRefBlock *block,
        guint32             index,
        double              within)
{
  GhloRefRun *run = self->process->run;
  gint64 now;

  if (run->monitor == NULL || run->monitor->progress == NULL)
    return;
  now = g_get_monotonic_time ();
  if (now - run->reported < REPORT_INTERVAL)
    return;
  run->reported = now;
  ghlo_monitor_progress (run->monitor, (index + within) / block->n_steps,
                         ghlo_ir_op_get_spec (block->steps[index].op)->name);
}

void
ghlo_ref_call_report (GhloRefCall *call,
                      double       within)
{
  const GhloRefBlock *block = call->frame != NULL && call->frame->depth == 0
                              ? call->frame->process->reported_block : NULL;
  const GhloRefStep *step = ghlo_ref_call_get_step (call);

  if (block != NULL && step != NULL && step >= block->steps && step < block->steps + block->n_steps)
    report (call->frame, block, step - block->steps, CLAMP (within, 0.0, 1.0));
}

static gboolean
collect_results (GhloRefFrame       *self,
                 const GhloRefBlock *block,
                 GhloValue         **results,
                 GError            **error)
{
  for (guint32 i = 0; i < block->n_returned; i++)
    {
      GhloValue *value = self->slots[block->slots[i]];

      if (value == NULL)
        {
          ghlo_values_clear (results, i);
          g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "the returned value %u was never computed", i);
          return FALSE;
        }
      results[i] = ghlo_value_ref (value);
    }
  drop (self, block->slots + block->n_returned + block->n_dying_arguments, block->n_dying);

  return TRUE;
}

gboolean
ghlo_ref_frame_run (GhloRefFrame       *self,
                    const GhloRefBlock *block,
                    GhloValue         **arguments,
                    GhloValue         **results,
                    GError            **error)
{
  gboolean reports = self->process->reported_block == block && self->depth == 0;

  if (!stack_has_room (error))
    {
      ghlo_values_clear (arguments, block->n_arguments);
      return FALSE;
    }
  for (guint32 i = 0; i < block->n_arguments; i++)
    set_slot (self, block->first_slot + i, g_steal_pointer (&arguments[i]));
  drop (self, block->slots + block->n_returned, block->n_dying_arguments);

  for (guint32 i = 0; i < block->n_steps; i++)
    {
      const GhloRefStep *step = &block->steps[i];

      if (!ghlo_ref_process_continue (self->process, error) || !run_step (self, step, error))
        return FALSE;
      drop (self, ghlo_ref_step_dying (step), step->n_dying);
      if (reports)
        report (self, block, i, 1);
    }

  return collect_results (self, block, results, error);
}

gboolean
ghlo_ref_enter_function (GhloRefProcess         *process,
                         const GhloRefFunction  *function,
                         guint                   depth,
                         GhloValue             **arguments,
                         GhloValue             **results,
                         GError                **error)
{
  GhloRefFrame frame;
  gboolean ok;

  if (depth >= GHLO_MAX_CALL_DEPTH)
    {
      ghlo_values_clear (arguments, function->body.n_arguments);
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                   "expected calls nested at most %d deep, found more: the function may call itself without end",
                   GHLO_MAX_CALL_DEPTH);
      return FALSE;
    }

  ghlo_ref_frame_init (&frame, process, function, depth);
  ok = ghlo_ref_frame_run (&frame, &function->body, arguments, results, error);
  ghlo_ref_frame_clear (&frame);

  return ok;
}

const GhloRefStep *
ghlo_ref_call_get_step (const GhloRefCall *call)
{
  const GhloRefStep *step = call->frame != NULL ? call->frame->step : NULL;

  return step != NULL && step->op == call->op ? step : NULL;
}

GhloValue *
ghlo_ref_call_take_operand (GhloRefCall *call,
                            guint        index)
{
  const GhloRefStep *step = ghlo_ref_call_get_step (call);

  if (step != NULL && step->takeable != NULL && step->takeable[index])
    return g_steal_pointer (&call->frame->slots[step->slots[index]]);

  return ghlo_value_ref (call->operands[index]);
}
