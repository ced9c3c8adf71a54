/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lowers a program, interprets the kernel, and compares the results with the reference executor's.
 */

#include "lower-case.h"

GhloIrModule *
lower_parse (const char *name,
             const char *text)
{
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = pass_parse (name, text, strlen (text), &error);

  g_assert_no_error (error);

  return module;
}

void
lower_init_tensors (LowerTensors      *self,
                    const GhloIrBlock *body,
                    GhloValue        **inputs,
                    gboolean           scattered)
{
  self->n_operands = body->n_arguments;
  self->n_results = body->last->n_operands;
  self->tensors = g_new0 (StepTensor, self->n_operands + self->n_results);
  self->views = g_new0 (GhloView, self->n_operands + self->n_results);
  for (guint i = 0; i < self->n_operands + self->n_results; i++)
    {
      const GhloIrValue *value = i < self->n_operands ? body->arguments[i]
                                 : ghlo_ir_op_operand (body->last, i - self->n_operands);
      g_autoptr (GhloTensorType) type = ghlo_ir_type_to_tensor_type (value->type);

      step_tensor_init (&self->tensors[i], type, scattered && i < self->n_operands);
      if (i < self->n_operands)
        step_tensor_fill (&self->tensors[i], inputs[i]);
      self->views[i] = self->tensors[i].view;
    }
}

void
lower_clear_tensors (LowerTensors *self)
{
  for (guint i = 0; i < self->n_operands + self->n_results; i++)
    step_tensor_clear (&self->tensors[i]);
  g_free (self->tensors);
  g_free (self->views);
}

static void
run_kernel (const GhloLoweredKernel *lowered,
            LowerTensors            *tensors,
            GhloValue              **inputs)
{
  const GhloKernel *kernel = lowered->kernel;
  g_autofree GhloKernelMemory *memory = g_new0 (GhloKernelMemory, kernel->n_buffers);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < tensors->n_operands; i++)
    if (ghlo_lowered_kernel_begins (lowered, i))
      step_tensor_fill (&tensors->tensors[tensors->n_operands + ghlo_lowered_kernel_in_place (lowered, i)], inputs[i]);
  for (guint i = 0; i < kernel->n_buffers; i++)
    memory[i] = (GhloKernelMemory) { tensors->views[i].data + lowered->starts[i], kernel->buffers[i].size };
  ghlo_kernel_interpret (kernel, NULL, memory, NULL, &error);
  g_assert_no_error (error);
}

static void
try_case (const LowerCase   *self,
          GhloIrModule *module,
          gboolean      scattered,
          gboolean      special)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
  g_autofree GhloValue **inputs = g_new0 (GhloValue *, body->n_arguments + 1);
  g_autofree GhloValue **outputs = g_new0 (GhloValue *, body->last->n_operands + 1);
  g_auto (GhloLoweredKernel) lowered = { 0 };
  g_autoptr (GError) error = NULL;
  GhloKernelGroup group = { .body = body };
  const char *reason;
  LowerTensors tensors;

  for (guint i = 0; i < body->n_arguments; i++)
    inputs[i] = pass_make_input (body->arguments[i]->type, 17 * i, special);
  pass_run (module, "main", inputs, body->n_arguments, outputs, &error);
  g_assert_no_error (error);
  lower_init_tensors (&tensors, body, inputs, scattered);
  group.n_operands = tensors.n_operands;
  group.n_results = tensors.n_results;
  group.operands = tensors.views;
  group.results = tensors.views + tensors.n_operands;
  if (!ghlo_kernel_lower (&group, &lowered, &reason))
    g_error ("%s: %s", self->name, reason);
  if (self->n_blocks > 0)
    g_assert_cmpuint (lowered.kernel->n_blocks, ==, self->n_blocks);
  run_kernel (&lowered, &tensors, inputs);
  for (guint i = 0; i < tensors.n_results; i++)
    step_compare (&group.results[i], outputs[i], self->tolerance, self->name);
  lower_clear_tensors (&tensors);
  pass_clear (inputs, body->n_arguments);
  pass_clear (outputs, tensors.n_results);
}

void
lower_try (const LowerCase *self)
{
  g_autoptr (GhloIrModule) module = lower_parse (self->name, self->text);

  for (guint way = 0; way < 4; way++)
    try_case (self, module, way & 1, (way & 2) != 0 && self->tolerance == EXACT);
}

void
lower_refuse (const char *text,
              const char *expected)
{
  g_autoptr (GhloIrModule) module = lower_parse ("refused", text);
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
  g_autofree GhloValue **inputs = g_new0 (GhloValue *, body->n_arguments + 1);
  g_auto (GhloLoweredKernel) lowered = { 0 };
  const char *reason = NULL;
  LowerTensors tensors;
  GhloKernelGroup group = { .body = body };

  for (guint k = 0; k < body->n_arguments; k++)
    inputs[k] = pass_make_input (body->arguments[k]->type, k, FALSE);
  lower_init_tensors (&tensors, body, inputs, FALSE);
  group.n_operands = tensors.n_operands;
  group.n_results = tensors.n_results;
  group.operands = tensors.views;
  group.results = tensors.views + tensors.n_operands;
  g_assert_false (ghlo_kernel_lower (&group, &lowered, &reason));
  g_assert_cmpstr (reason, ==, expected);
  lower_clear_tensors (&tensors);
  pass_clear (inputs, body->n_arguments);
}
