/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plan as text:
 *
 *   plan: 3 steps, 1 of them on the fallback executor; an arena of 4096 bytes for 8192 of temporaries
 *   0 dot stablehlo.dot_general + add "onednn …" in0 tensor<2x3xf32>, c0 tensor<3x4xf32>, in1 … -> t4@64 …
 *   1 loop 10 times, t4 <-> t5
 *     do
 *       2 reference stablehlo.tanh, it is not implemented: t4@64 tensor<2x4xf32> -> …
 *
 * A plan for several devices says which device runs each step, and why those before it in the list do not:
 *
 *   3 transfer of 32 bytes t4@gpu:64 -> t5@0
 *   4 cpu sort stablehlo.sort, gpu: it sorts integers alone: t5@0 tensor<2x4xf32> -> …
 *
 * Buffers are in (inputs), out (outputs), c (constants) and t (temporaries, with their offset in the arena), with the
 * name of their memory where it is not the host's. A view that is not all of its buffer shows its offset and strides.
 */

#include "plan/build.h"

#include <string.h>

#include "ir/fusion.h"
typedef struct
{
  const GhloStepPlan *plan;
  GString            *text;
  guint               n_steps;
} Printer;

static void
print_name (Printer *self,
            guint32  number)
{
  const GhloStepBuffer *buffer = &self->plan->buffers[number];

  switch (buffer->kind)
    {
    case GHLO_STEP_BUFFER_INPUT:
      g_string_append_printf (self->text, "in%u", buffer->index);
      break;
    case GHLO_STEP_BUFFER_OUTPUT:
      g_string_append_printf (self->text, "out%u", buffer->index);
      break;
    case GHLO_STEP_BUFFER_CONSTANT:
      g_string_append_printf (self->text, "c%u", number);
      break;
    default:
      g_string_append_printf (self->text, "t%u", number);
    }
}

static void
print_buffer (Printer *self,
              guint32  number)
{
  const GhloStepBuffer *buffer = &self->plan->buffers[number];
  GhloDeviceMemory *memory = self->plan->arenas[buffer->space].memory;

  print_name (self, number);
  if (memory != NULL)
    g_string_append_printf (self->text, "@%s", memory->name);
  if (buffer->kind == GHLO_STEP_BUFFER_TEMPORARY)
    g_string_append_printf (self->text, "%s%" G_GSIZE_FORMAT, memory != NULL ? ":" : "@", buffer->offset);
}

static void
print_swap (Printer              *self,
            const GhloBufferSwap *swap)
{
  g_string_append (self->text, ", ");
  print_name (self, swap->read);
  g_string_append (self->text, " <-> ");
  print_name (self, swap->written);
}

static void
print_operand (Printer               *self,
               const GhloStepOperand *operand)
{
  if (operand->buffer == GHLO_STEP_NONE)
    {
      g_string_append (self->text, "token");
      return;
    }
  print_buffer (self, operand->buffer);
  if (operand->type == NULL)
    return;
  g_string_append_c (self->text, ' ');
  ghlo_ir_type_append (operand->type, self->text);
  if (operand->offset == 0 && ghlo_step_is_dense (operand))
    return;
  g_string_append_printf (self->text, " at %" G_GSIZE_FORMAT " by (", operand->offset);
  for (guint i = 0; i < operand->type->rank; i++)
    g_string_append_printf (self->text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", operand->strides[i]);
  g_string_append_c (self->text, ')');
}

static void
print_operands (Printer        *self,
                const GhloStep *step)
{
  for (guint i = 0; i < step->n_operands; i++)
    {
      g_string_append (self->text, i > 0 ? ", " : "");
      print_operand (self, &step->operands[i]);
    }
  g_string_append (self->text, step->n_results > 0 ? " -> " : "");
  for (guint i = 0; i < step->n_results; i++)
    {
      g_string_append (self->text, i > 0 ? ", " : "");
      print_operand (self, &step->results[i]);
    }
}

const GhloIrOp *
ghlo_step_get_op (const GhloStep *self)
{
  return self->body != NULL ? ghlo_ir_fusion_get_lead (self->body) : self->op;
}

const char *
ghlo_step_get_name (const GhloStep *self)
{
  const GhloIrOp *op = ghlo_step_get_op (self);

  return op != NULL ? ghlo_ir_op_get_name (op) : NULL;
}

const char *
ghlo_step_get_operation (const GhloStep *self)
{
  if (self->body != NULL && self->body->first->next != self->body->last)
    return ghlo_ir_op_get_string (self->op, "name");
  if (self->kind == GHLO_STEP_TRANSFER)
    return "transfer";

  return self->op != NULL ? ghlo_step_get_name (self) : "copy";
}

const char *
ghlo_step_get_unit (const GhloStep *self)
{
  if (self->target != NULL)
    return self->target->names[0];

  return self->kind == GHLO_STEP_REFERENCE ? "reference" : "host";
}

gboolean
ghlo_step_runs_body (const GhloStep *self,
                     guint           body)
{
  return self->kind != GHLO_STEP_LOOP || body > 0 || self->trips < 0;
}

/* Constants and broadcasts are printed only where there is nothing else. */
static void
print_names (Printer        *self,
             const GhloStep *step)
{
  const GhloIrBlock *body = step->body;
  gboolean is_first = TRUE;

  for (const GhloIrOp *op = body != NULL ? body->first : NULL; op != NULL && op != body->last; op = op->next)
    {
      const char *name = ghlo_ir_op_get_name (op), *dot = strchr (name, '.');

      if (op->kind == GHLO_OP_STABLEHLO_CONSTANT || op->kind == GHLO_OP_STABLEHLO_BROADCAST_IN_DIM)
        continue;
      g_string_append_printf (self->text, "%s%s", is_first ? " " : " + ", is_first || dot == NULL ? name : dot + 1);
      is_first = FALSE;
    }
  if (is_first)
    g_string_append_printf (self->text, " %s", ghlo_step_get_name (step));
}

/* In a plan for one device, only steps of the fallback executor have reasons. */
static void
print_reasons (Printer        *self,
               const GhloStep *step)
{
  const GhloStepPlan *plan = self->plan;

  for (guint i = 0; step->reasons != NULL && i < plan->n_devices && plan->devices[i] != step->target; i++)
    {
      g_string_append (self->text, i == 0 ? ", " : "; ");
      if (plan->n_devices > 1)
        g_string_append_printf (self->text, "%s: ", plan->devices[i]->names[0]);
      g_string_append (self->text, step->reasons[i]);
    }
  g_string_append (self->text, step->reasons != NULL ? ": " : " ");
}

static void
print_head (Printer        *self,
            const GhloStep *step)
{
  g_autofree char *about = NULL;

  switch (step->kind)
    {
    case GHLO_STEP_COMPUTE:
      if (step->compiled_step->compiled != NULL && step->implementation->describe != NULL)
        about = step->implementation->describe (step->compiled_step->compiled);
      if (self->plan->n_devices > 1)
        g_string_append_printf (self->text, "%s ", step->target->names[0]);
      g_string_append (self->text, step->implementation->name);
      if (step->op != NULL)
        print_names (self, step);
      if (about != NULL)
        g_string_append_printf (self->text, " \"%s\"", about);
      print_reasons (self, step);
      break;
    case GHLO_STEP_REFERENCE:
      g_string_append_printf (self->text, "reference %s", ghlo_ir_op_get_name (step->op));
      print_reasons (self, step);
      break;
    case GHLO_STEP_TRANSFER:
      g_string_append_printf (self->text, "transfer of %" G_GSIZE_FORMAT " bytes ",
                              self->plan->buffers[step->operands[0].buffer].size);
      break;
    case GHLO_STEP_LOOP:
      if (step->trips >= 0)
        g_string_append_printf (self->text, "loop %" G_GINT64_FORMAT " times", step->trips);
      else
        g_string_append (self->text, "loop");
      for (guint i = 0; i < step->n_swaps; i++)
        print_swap (self, &step->swaps[i]);
      break;
    default:
      if (step->target != NULL)
        g_string_append_printf (self->text, "%s ", step->target->names[0]);
      g_string_append (self->text, "branch ");
    }
}

char *
ghlo_step_print (const GhloStepPlan *plan,
                 const GhloStep     *self)
{
  Printer printer = { plan, g_string_new (NULL), 0 };

  print_head (&printer, self);
  print_operands (&printer, self);

  return g_strchomp (g_string_free (printer.text, FALSE));
}

static void
print_body (Printer            *self,
            const GhloStepBody *body,
            int                 depth)
{
  for (guint i = 0; i < body->n_steps; i++)
    {
      const GhloStep *step = body->steps[i];

      g_string_append_printf (self->text, "%*s%u ", depth * 4, "", self->n_steps++);
      print_head (self, step);
      print_operands (self, step);
      g_string_append_c (self->text, '\n');
      for (guint k = 0; k < step->n_bodies; k++)
        {
          gboolean condition = step->kind == GHLO_STEP_LOOP && k == 0;

          if (!ghlo_step_runs_body (step, k))
            continue;
          if (condition)
            g_string_append_printf (self->text, "%*swhile\n", depth * 4 + 2, "");
          else if (step->kind == GHLO_STEP_LOOP)
            g_string_append_printf (self->text, "%*sdo\n", depth * 4 + 2, "");
          else
            g_string_append_printf (self->text, "%*sbranch %u\n", depth * 4 + 2, "", k);
          print_body (self, &step->bodies[k], depth + 1);
          if (condition)
            {
              g_string_append_printf (self->text, "%*s", depth * 4 + 4, "");
              print_operand (self, &step->bodies[k].result);
              g_string_append_c (self->text, '\n');
            }
        }
    }
}

static void
print_arenas (Printer *self)
{
  for (guint i = 0; i < self->plan->n_arenas; i++)
    {
      const GhloStepArena *arena = &self->plan->arenas[i];

      g_string_append_printf (self->text, "%san arena of %" G_GSIZE_FORMAT " bytes for %" G_GSIZE_FORMAT
                              " of temporaries", i > 0 ? ", " : "", arena->size, arena->temporaries);
      if (arena->memory != NULL)
        g_string_append_printf (self->text, " in %s", arena->memory->name);
    }
  g_string_append_c (self->text, '\n');
}

static void
count_steps (GhloStep *step,
             gpointer  data)
{
  (*(guint *) data)++;
}

/* Collects the numbers of the steps that share a compiled step. */
typedef struct
{
  const GhloCompiledStep *compiled_step;
  GString                *numbers;
  guint                   n_steps;
} NumberCollector;

static void
append_number (GhloStep *step,
               gpointer  data)
{
  NumberCollector *self = data;

  if (step->kind == GHLO_STEP_COMPUTE && step->compiled_step == self->compiled_step)
    g_string_append_printf (self->numbers, "%s%u", self->numbers->len > 0 ? ", " : "", self->n_steps);
  self->n_steps++;
}

static char *
print_kernels_of (const GhloCompiledStep *compiled_step,
                  GhloKernelForm          form)
{
  const GhloStepImplementation *implementation = compiled_step->step->implementation;

  return implementation->print_kernels != NULL ? implementation->print_kernels (compiled_step->compiled, form) : NULL;
}

char *
ghlo_step_plan_print_kernels (const GhloStepPlan *self,
                              GhloKernelForm      form)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->n_compiled_steps; i++)
    {
      const GhloCompiledStep *compiled_step = self->compiled_steps[i];
      g_autofree char *kernels = compiled_step->compiled != NULL ? print_kernels_of (compiled_step, form) : NULL;
      g_autoptr (GString) numbers = g_string_new (NULL);
      NumberCollector collector = { compiled_step, numbers, 0 };

      if (kernels == NULL)
        continue;
      ghlo_step_plan_foreach (self, append_number, &collector);
      g_string_append_printf (text, "%s# step%s %s\n%s", text->len > 0 ? "\n" : "",
                              strchr (numbers->str, ',') != NULL ? "s" : "", numbers->str, kernels);
    }

  return g_string_free (text, FALSE);
}

char *
ghlo_step_plan_print (const GhloStepPlan *self)
{
  Printer printer = { self, g_string_new (NULL), 0 };
  guint n = 0;

  ghlo_step_plan_foreach (self, count_steps, &n);
  g_string_append_printf (printer.text, "plan: %u step%s, %u of them on the fallback executor; ", n,
                          n == 1 ? "" : "s", self->n_reference);
  if (self->n_arenas > 1)
    g_string_append_printf (printer.text, "%u transfer%s of %" G_GSIZE_FORMAT " bytes; ", self->n_transfers,
                            self->n_transfers == 1 ? "" : "s", self->transfer_bytes);
  print_arenas (&printer);
  print_body (&printer, &self->body, 0);
  for (guint i = 0; i < self->n_outputs; i++)
    if (self->aliased_inputs[i] != GHLO_STEP_NONE)
      g_string_append_printf (printer.text, "out%u is in%u\n", i, self->aliased_inputs[i]);

  return g_string_free (printer.text, FALSE);
}
