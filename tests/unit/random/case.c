/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One random program with its inputs, run by the reference executor and by the executors that must agree with it.
 */

#include "../passes/pass-help.h"
#include "check.h"
#include "compiler/devices.h"
#include "compiler/optimize.h"
#include "runtime/place.h"

enum { PRIME = 7919 };

static void
free_round (gpointer data)
{
  g_ptr_array_unref (data);
}

void
random_case_free (RandomCase *self)
{
  g_clear_pointer (&self->module, ghlo_ir_module_unref);
  g_clear_pointer (&self->rounds, g_ptr_array_unref);
  g_free (self->numbers);
  g_free (self);
}

static GhloValue *
make_input (const RandomArgument *argument,
            guint                 round)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (argument->type.element, argument->type.dimensions,
                                                          argument->type.rank);

  return random_input (type, argument->fill, argument->seed + PRIME * round);
}

static const GhloIrOp *
main_return (const GhloIrModule *module)
{
  return ghlo_ir_func_get_body (ghlo_ir_module_find (module, "main"))->last;
}

gboolean
random_case_answer (RandomCase  *self,
                    GError     **error)
{
  const GhloIrOp *end = main_return (self->module);

  self->n_inputs = ghlo_ir_func_get_body (ghlo_ir_module_find (self->module, "main"))->n_arguments;
  self->n_results = end->n_operands;
  g_free (self->numbers);
  self->numbers = g_new0 (RandomNumbers, self->n_results + 1);
  for (guint i = 0; i < self->n_results; i++)
    self->numbers[i] = random_program_known (self->program, ghlo_ir_op_operand (end, i)->name);
  for (guint i = 0; i < self->rounds->len; i++)
    {
      GPtrArray *round = self->rounds->pdata[i];

      g_ptr_array_set_size (round, (int) self->n_inputs);
      g_ptr_array_set_size (round, (int) (self->n_inputs + self->n_results));
      if (!pass_run (self->module, "main", (GhloValue **) round->pdata, self->n_inputs,
                     (GhloValue **) round->pdata + self->n_inputs, error))
        return FALSE;
    }

  return TRUE;
}

static void
unref_value (gpointer data)
{
  if (data != NULL)
    ghlo_value_unref (data);
}

RandomCase *
random_case_new (const RandomProgram *program,
                 const char          *text,
                 guint                n_rounds,
                 GError             **error)
{
  g_autoptr (RandomCase) self = g_new0 (RandomCase, 1);

  self->program = program;
  self->rounds = g_ptr_array_new_with_free_func (free_round);
  self->module = pass_parse ("random.mlir", text, strlen (text), error);
  if (self->module == NULL)
    return NULL;
  for (guint i = 0; i < n_rounds; i++)
    {
      GPtrArray *round = g_ptr_array_new_with_free_func (unref_value);

      for (guint j = 0; j < program->arguments->len; j++)
        g_ptr_array_add (round, make_input (&g_array_index (program->arguments, RandomArgument, j), i));
      g_ptr_array_add (self->rounds, round);
    }
  if (!random_case_answer (self, error))
    {
      g_prefix_error (error, "the reference executor: ");
      return NULL;
    }

  return g_steal_pointer (&self);
}

/* The memory for the outputs. Each block ends where its tensor ends, so that overruns are detected. */
static GhloValue **
make_targets (const RandomCase *self,
              const GPtrArray  *round)
{
  GhloValue **targets = g_new0 (GhloValue *, self->n_results + 1);

  for (guint i = 0; i < self->n_results; i++)
    {
      const GhloValue *expected = round->pdata[self->n_inputs + i];
      g_autoptr (GBytes) bytes = NULL;

      if (expected->kind != GHLO_VALUE_TENSOR)
        continue;
      bytes = g_bytes_new_take (g_malloc0 (expected->n_bytes), expected->n_bytes);
      targets[i] = ghlo_value_new_for_bytes (expected->type, bytes, NULL);
    }

  return targets;
}

/* @module: NULL, or what the reference executor gives the answers of instead of the program, since it computes with
 * excess precision. */
static char *
check_round (const RandomCase    *self,
             const RandomSubject *subject,
             GhloIrModule        *module,
             GhloPrepared        *prepared,
             guint                index)
{
  const GPtrArray *round = self->rounds->pdata[index];
  g_autofree GhloValue **found = g_new0 (GhloValue *, self->n_results + 1);
  g_autofree GhloValue **targets = make_targets (self, round), **expected = g_new0 (GhloValue *, self->n_results + 1);
  const GhloRunOptions options = { .targets = subject->is_elsewhere ? targets : NULL };
  g_autoptr (GError) error = NULL;
  char *difference = NULL;

  if (module != NULL && !pass_run (module, "main", (GhloValue **) round->pdata, self->n_inputs, expected, &error))
    return g_strdup_printf ("the reference executor: %s", error->message);
  if (!ghlo_prepared_run (prepared, &options, (GhloValue **) round->pdata, self->n_inputs, found, NULL, &error))
    {
      difference = g_strdup (error->message);
      /* What a failed run left behind is not ours to free. */
      memset (found, 0, self->n_results * sizeof *found);
    }
  for (guint i = 0; i < self->n_results && difference == NULL; i++)
    if (!ghlo_value_fetch (found[i], NULL, &error))
      difference = g_strdup (error->message);
  for (guint i = 0; i < self->n_results && difference == NULL; i++)
    {
      g_autofree char *detail = random_compare (module != NULL ? expected[i] : round->pdata[self->n_inputs + i],
                                                found[i], &self->numbers[i], subject->same_bits);

      if (detail != NULL)
        difference = g_strdup_printf ("inputs %u, result %u: %s", index, i, detail);
    }
  pass_clear (expected, self->n_results);
  pass_clear (found, self->n_results);
  pass_clear (targets, self->n_results);

  return difference;
}

/* Fuses as a compile for the device does; if the device has no fusions of its own, all fusions are used. */
static gboolean
fuse (GhloIrModule         *module,
      const RandomSubject  *subject,
      GError              **error)
{
  const GhloOptimizeOptions options = { .level = subject->passes.level, .disabled = subject->passes.off,
                                        .excess_precision = subject->passes.excess_precision };

  if (subject->passes.only != NULL)
    return TRUE;
  if (subject->device->klass->unsupported_reason == NULL)
    return ghlo_passes_fuse (module, &subject->passes, NULL, NULL, error);

  return ghlo_fuse (module, subject->device, &options, NULL, NULL, NULL, NULL, error);
}

char *
random_case_check (const RandomCase    *self,
                   const RandomSubject *subject)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloIrModule) module = pass_apply (self->module, &subject->passes, NULL, &error);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("random.mlir", "", 0);
  g_autoptr (GhloPrepared) prepared = NULL;
  GhloPrepareOptions options = ghlo_devices_get_options ();
  char *difference = NULL;

  if (module == NULL)
    return g_strdup_printf ("the passes: %s", error->message);
  if (subject->has_jitter)
    {
      random_jitter (module, self->program);
      if (!ghlo_ir_verify (module, diagnostics, NULL))
        return g_strdup ("the program with jitter does not verify");
    }
  if (!fuse (module, subject, &error))
    return g_strdup_printf ("fusion: %s", error->message);
  if (!ghlo_ir_verify (module, diagnostics, NULL))
    return g_strdup ("the program with fusions does not verify");
  options.may_use_host = subject->may_use_host;
  prepared = ghlo_device_core_prepare (subject->device, module, ghlo_ir_module_find (module, "main"), &options, NULL,
                                       &error);
  if (prepared == NULL)
    return g_strdup_printf ("preparing: %s", error->message);
  for (guint i = 0; i < self->rounds->len && difference == NULL; i++)
    difference = check_round (self, subject, subject->passes.excess_precision ? module : NULL, prepared, i);

  return difference;
}
